"use strict";
// What the pictures show. No document is needed.

const explorerModel = (({ ladder }, { waves }, { alibi, t5 }, { Refused }) => {
  // Everything that a state shows: {ladder, table, scores, plane or weights}; Refused where it has no value.
  function view(state) {
    if (state.scheme === "alibi") return alibi(state);
    if (state.scheme === "t5") return t5(state);
    return waves(state);
  }

  return { view, ladder, Refused };
})(
  typeof require === "function" ? require("./ladders.js") : explorerLadders,
  typeof require === "function" ? require("./waves.js") : explorerWaves,
  typeof require === "function" ? require("./biases.js") : explorerBiases,
  typeof require === "function" ? require("./places.js") : explorerPlaces,
);

if (typeof module === "object") module.exports = explorerModel;
