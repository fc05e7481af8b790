"use strict";
// What is added to scores: the slopes of ALiBi, the buckets of T5, as plain data with a name for each value.

const explorerBiases = ((encodings, { range, distances, rows, refuse }) => {
  function alibi(state) {
    const heads = range(state.num_heads);
    const slopes = heads.map((k) => encodings.slope(k, state.num_heads, state.bias_max));
    const head = Math.min(state.pair, state.num_heads - 1);
    const xs = distances(state);
    const bias = (k, distance) => encodings.bias(slopes[k], BigInt(distance), 0n, state.form, "keep");
    const few = heads.filter((k) => k !== head && k % Math.ceil(state.num_heads / 12) === 0);
    const own = xs.map((distance) => bias(head, distance));
    const sum = own.reduce((total, one) => total + Math.exp(one), 0);
    return {
      ladder: {
        title: "Slopes",
        said: "One slope a head. After ln 2 / slope tokens the weight of a key has halved.",
        x: { name: "head", values: heads },
        y: { name: "slope", log: true },
        lines: [],
        series: [{ name: "slope", ys: slopes, style: "dots" }],
        at: (i) => [
          ["head", i],
          ["slope", slopes[i], ""],
          ["halves every", Math.LN2 / slopes[i], "tokens"],
        ],
        picks: "head",
      },
      table: square(
        state,
        "Bias",
        `What head ${head} adds to the scores; keys after the query are banned.`,
        (q, k) => encodings.bias(slopes[head], BigInt(q), BigInt(k), state.form, "neg_inf"),
        "",
      ),
      scores: {
        title: "Bias against distance",
        said: `Head ${head}, and others behind it.`,
        x: { name: "distance in tokens", values: xs },
        y: { name: "bias" },
        lines: [],
        series: [
          ...few.map((k) => ({
            name: `head ${k}`,
            ys: xs.map((distance) => bias(k, distance)),
            style: "thin",
          })),
          { name: `head ${head}`, ys: own, style: "line" },
        ],
        at: (i) => [
          ["distance", xs[i]],
          ["bias", own[i], ""],
        ],
      },
      weights: {
        title: "Weight against distance",
        said: `Where the contents say nothing: the softmax of head ${head}'s biases over these distances.`,
        x: { name: "distance in tokens", values: xs },
        y: { name: "weight" },
        lines: [],
        series: [{ name: "weight", ys: own.map((one) => Math.exp(one) / sum), style: "line" }],
        at: (i) => [
          ["distance", xs[i]],
          ["weight", Math.exp(own[i]) / sum, ""],
        ],
      },
      picked: { name: "head", value: head, most: state.num_heads - 1 },
    };
  }

  function square(state, title, said, value, ...unit) {
    const at = rows(state);
    const cells = at.map((q) => at.map((k) => value(q, k)));
    const finite = cells.flat().filter(Number.isFinite);
    return {
      title,
      said,
      rows: { name: "query", values: at },
      columns: { name: "key", values: at },
      cells,
      span: [Math.min(...finite), Math.max(...finite)],
      at: (r, c) => [
        ["query", at[r]],
        ["key", at[c]],
        [title.toLowerCase(), cells[r][c], ...unit],
      ],
    };
  }

  function t5(state) {
    const both = state.bidirectional === "true";
    const side = both ? state.num_buckets / 2 : state.num_buckets;
    refuse(state.max_distance > Math.floor(side / 2), `max_distance: above ${Math.floor(side / 2)} (t5.C1)`);
    const bucket = (relative) =>
      Number(encodings.bucket(BigInt(relative), BigInt(state.num_buckets), BigInt(state.max_distance), both));
    const xs = distances(state);
    const before = xs.map((distance) => bucket(-distance));
    const after = xs.map((distance) => bucket(distance));
    const firsts = first(bucket, side, state.max_distance);
    const used = range(side).filter((i) => firsts[i] !== undefined);
    return {
      ladder: {
        title: "Where buckets begin",
        said: "The first distance of each bucket: one a token at first, then ever wider ones.",
        x: { name: "bucket", values: used },
        y: { name: "tokens", log: true, from: 1 },
        lines: [{ y: state.max_distance, name: `max_distance ${state.max_distance.toLocaleString("en")}` }],
        series: [{ name: "first distance", ys: used.map((i) => firsts[i]), style: "dots" }],
        at: (i) => [
          ["bucket", used[i]],
          ["first distance", firsts[used[i]]],
        ],
      },
      table: square(
        state,
        "Bucket",
        "Queries against keys: which learned number is added to a score.",
        (q, k) => bucket(k - q),
      ),
      scores: {
        title: "Bucket against distance",
        said: "Integers are compared, no logarithm is taken: each step is where the definition has it.",
        x: { name: "distance in tokens", values: xs },
        y: { name: "bucket" },
        lines: [],
        series: [
          ...(both ? [{ name: "key after", ys: after, style: "thin", steps: true }] : []),
          { name: "key before", ys: before, style: "line", steps: true },
        ],
        at: (i) => [
          ["distance", xs[i]],
          ["key before", before[i]],
          ["key after", after[i]],
        ],
      },
    };
  }

  // The first distance of each bucket of the past; buckets grow with the distance, so halves are searched.
  function first(bucket, side, farthest) {
    const found = [];
    for (let i = 0; i < side; i++) {
      let [low, high] = [0, farthest];
      if (bucket(-high) < i) continue;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (bucket(-middle) >= i) high = middle;
        else low = middle + 1;
      }
      if (bucket(-low) === i) found[i] = low;
    }
    return found;
  }

  return { alibi, t5 };
})(
  typeof require === "function" ? require("./encodings.js") : encodings,
  typeof require === "function" ? require("./places.js") : explorerPlaces,
);

if (typeof module === "object") module.exports = explorerBiases;
