"use strict";
// What turns: wavelengths, tables, scores and the plane of a pair, as plain data with a name for each value.

const explorerWaves = ((encodings, numbers, { ladder }, { range, distances, rows: positions }) => {
  const TURN = 2 * Math.PI;

  // The wavelength of each pair in tokens, plain and scaled.
  function wavelengths(state, { plain, frequencies }) {
    const turned = frequencies.map((frequency) => TURN / frequency);
    const changed = frequencies.some((one, i) => one !== plain[i]);
    const own = changed ? "scaled" : "wavelength";
    const series = [{ name: own, ys: turned, style: "dots", over: state.trained }];
    if (changed) series.unshift({ name: "plain", ys: plain.map((one) => TURN / one), style: "faint" });
    return {
      title: "Wavelengths",
      said: "Tokens for one turn of each pair. A pair above the line has not turned once within that length.",
      x: { name: "pair", values: range(turned.length) },
      y: { name: "tokens", log: true },
      lines: [{ y: state.trained, name: `length ${state.trained.toLocaleString("en")}` }],
      series,
      at: (i) => [
        ["pair", i],
        ["frequency", frequencies[i], "rad / token"],
        ["wavelength", turned[i], "tokens"],
        ...(changed ? [["plain frequency", plain[i], "rad / token"]] : []),
        ["turns within the length", state.trained / turned[i], ""],
      ],
      picks: "pair",
    };
  }

  function waveTable(state, { frequencies, factor }) {
    const rows = positions(state);
    const wide = state.scheme === "sinusoidal";
    const tables = rows.map((position) => {
      if (wide)
        return encodings.encode(position, state.dim, state.base, state.denominator, state.layout, "error");
      if (state.part === "scale") return decay(state, position);
      return encodings.cosSin(position, frequencies, factor)[state.part === "cos" ? 0 : 1];
    });
    const name = wide ? "column" : "pair";
    const most = state.part === "scale" ? 1 : factor;
    return {
      title: wide
        ? "Table"
        : { cos: "Table of cosines", sin: "Table of sines", scale: "Scales of a query" }[state.part],
      said: wide
        ? "A row a position, a column a coordinate of the model."
        : "A row a position, a column a pair.",
      rows: { name: "position", values: rows },
      columns: { name, values: range(tables[0].length) },
      cells: tables,
      span: [state.part === "scale" ? 0 : -most, most],
      at: (r, c) => [
        ["position", rows[r]],
        [name, c],
        [wide ? "value" : state.part, tables[r][c], ""],
      ],
      parts: !wide,
    };
  }

  // q and k of a state: ones, or numbers between -1 and 1 from a seed.
  function vectors(state, width) {
    if (state.vectors === "ones") return [range(width).map(() => 1), range(width).map(() => 1)];
    const draw = drawn(state.seed);
    return [range(width).map(draw), range(width).map(draw)];
  }

  // mulberry32: 32 bits of state, the same numbers everywhere.
  function drawn(seed) {
    let at = seed >>> 0;
    return () => {
      at = (at + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(at ^ (at >>> 15), at | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
    };
  }

  const dot = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);

  function waveScores(state, { frequencies, factor }) {
    const xs = distances(state);
    const wide = state.scheme === "sinusoidal";
    const [q, k] = vectors(state, 2 * frequencies.length);
    const still = encodings.cosSin(0, frequencies, factor);
    const key = encodings.rotate(k, ...still, 0, "half", "half");
    const origin = wide
      ? encodings.encode(0, state.dim, state.base, state.denominator, state.layout, "error")
      : null;
    const ys = xs.map((distance) => {
      if (wide)
        return dot(
          encodings.encode(distance, state.dim, state.base, state.denominator, state.layout, "error"),
          origin,
        );
      const decays = state.scheme === "xpos" ? decay(state, distance) : null;
      const tables = encodings.cosSin(distance, frequencies, factor);
      const turned = decays ? tables.map((table) => table.map((one, i) => one * decays[i])) : tables;
      return dot(encodings.rotate(q, ...turned, 0, "half", "half"), key);
    });
    return scores(
      state,
      xs,
      ys,
      wide ? "of two rows of the table" : "of a query with a key that lies so many tokens before it",
    );
  }

  const decay = (state, distance) =>
    encodings.decay(distance, state.rotary_dim, state.gamma, state.scale_base, 0);

  function scores(state, xs, ys, what) {
    return {
      title: "Score against distance",
      said: `The product ${what}.${xs[1] > 1 ? ` Every ${xs[1]}th distance.` : ""}`,
      x: { name: "distance in tokens", values: xs },
      y: { name: "score" },
      lines: [{ y: 0, name: "" }],
      series: [{ name: "score", ys, style: "line" }],
      at: (i) => [
        ["distance", xs[i]],
        ["score", ys[i], ""],
      ],
      vectors: state.scheme !== "sinusoidal",
    };
  }

  // One pair as a point on its plane, over positions.
  function plane(state, { frequencies, factor }) {
    const pair = Math.min(state.pair, frequencies.length - 1);
    const frequency = frequencies[pair];
    const radius = (position) =>
      state.scheme === "xpos"
        ? encodings.decay(position, state.rotary_dim, state.gamma, state.scale_base, 0)[pair]
        : 1;
    const point = (position) => {
      const [cos, sin] = encodings.cosSin(position, [frequency], factor * radius(position));
      return [cos[0], sin[0]];
    };
    const from = Math.max(0, state.position - 40);
    const trail = range(state.position - from + 1).map((i) => point(from + i));
    const angle = state.position * frequency;
    return {
      title: "Rotation of one pair",
      said: "Where (1, 0) goes. Drag the point, or move the slider; dots are the positions before.",
      pair,
      pairs: frequencies.length,
      position: state.position,
      frequency,
      factor,
      trail,
      at: [
        ["pair", pair],
        ["position", state.position],
        ["angle", angle, "rad"],
        ["float64 spacing there", numbers.ulp(angle, "float64"), "rad"],
        ["cos", trail.at(-1)[0], ""],
        ["sin", trail.at(-1)[1], ""],
        ...(factor !== 1 ? [["magnitude factor", factor, ""]] : []),
      ],
    };
  }

  function waves(state) {
    const found = ladder(state);
    return {
      ladder: wavelengths(state, found),
      table: waveTable(state, found),
      scores: waveScores(state, found),
      plane: plane(state, found),
    };
  }

  return { waves };
})(
  typeof require === "function" ? require("./encodings.js") : encodings,
  typeof require === "function" ? require("../numbers.js") : numbers,
  typeof require === "function" ? require("./ladders.js") : explorerLadders,
  typeof require === "function" ? require("./places.js") : explorerPlaces,
);

if (typeof module === "object") module.exports = explorerWaves;
