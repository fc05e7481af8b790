"use strict";
// What a state looks at: distances, rows of positions, and why it may have nothing to show.

const explorerPlaces = (() => {
  const POINTS = 481;
  const ROWS = 48;
  const range = (count) => Array.from({ length: count }, (_, i) => i);

  // Why a state that is well-formed has no value.
  class Refused extends Error {}
  const refuse = (fine, message) => {
    if (!fine) throw new Refused(message);
  };

  // The distances of a curve: as many as can be told apart.
  function distances(state) {
    const step = Math.max(1, Math.ceil(state.span / (POINTS - 1)));
    return range(Math.floor(state.span / step) + 1).map((i) => i * step);
  }

  // The positions of the rows of a table.
  const rows = (state) => range(ROWS).map((i) => state.first + i * state.step);

  return { range, distances, rows, Refused, refuse };
})();

if (typeof module === "object") module.exports = explorerPlaces;
