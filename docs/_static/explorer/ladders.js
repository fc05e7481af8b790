"use strict";
// The frequencies of a state, plain and scaled; refused where the specification has none.

const explorerLadders = ((encodings, { range, refuse }) => {
  // {plain, frequencies, factor}: the ladder without and with its scaling.
  function ladder(state) {
    if (state.scheme === "sinusoidal") {
      refuse(
        state.dim > 2 || state.denominator === "dim",
        "dim: a single frequency has no last one (sinusoidal.C2)",
      );
      const found = encodings.ladder(state.dim, state.base, state.denominator, "error");
      return { plain: found, frequencies: found, factor: 1 };
    }
    const plain = encodings.frequencies(state.rotary_dim / 2, state.base);
    if (state.scheme !== "rope" || state.scaling === "none") return { plain, frequencies: plain, factor: 1 };
    return { plain, ...scaled(state, plain) };
  }

  function scaled(state, plain) {
    const { rotary_dim: width, base, factor, trained, length, scaling } = state;
    if (scaling === "linear") return encodings.linear(plain, factor);
    if (scaling === "proportional")
      return encodings.proportional(width, base, state.partial_rotary_factor, factor);
    if (scaling === "yarn") return yarn(state);
    if (scaling === "llama3") {
      refuse(
        state.high_freq_factor > state.low_freq_factor,
        "high_freq_factor: above low_freq_factor (rope_scaling.C9)",
      );
      return encodings.llama3(width, base, factor, state.low_freq_factor, state.high_freq_factor, trained);
    }
    if (scaling === "longrope") {
      const [short, long] = ["short_factor", "long_factor"].map((name) =>
        perPair(state[name], width / 2, name),
      );
      return encodings.longrope(width, base, factor, trained, length, short, long);
    }
    refuse(width > 2, "rotary_dim: above 2 (rope_scaling.C3)");
    if (scaling === "ntk") return encodings.ntk(width, base, factor);
    return encodings.dynamic(width, base, factor, trained, length);
  }

  function yarn(state) {
    const {
      rotary_dim: width,
      base,
      factor,
      trained,
      beta_fast: betaFast,
      beta_slow: betaSlow,
      ramp,
    } = state;
    refuse(betaFast > betaSlow, "beta_fast: above beta_slow (rope_scaling.C7)");
    const truncate = state.truncate === "true";
    if (ramp === "index") {
      const [low, high] = encodings.rampEnds(width, base, trained, betaFast, betaSlow, truncate);
      refuse(low <= high, "trained length: too short for a ramp (rope_scaling.C5)");
    }
    const own = { betaFast, betaSlow, ramp, truncate, extrapolation: 1, rule: state.mscale_rule };
    const ratio = state.mscale_rule === "ratio";
    const [mscale, mscaleAllDim] = ratio ? [state.mscale, state.mscale_all_dim] : [null, null];
    for (const [name, one] of Object.entries({ mscale, mscale_all_dim: mscaleAllDim }))
      refuse(
        1 + 0.1 * (one ?? 0) * Math.log(factor) > 0,
        `${name}: makes the factor 0 or less (rope_scaling.C8)`,
      );
    return encodings.yarn(width, base, factor, trained, { ...own, mscale, mscaleAllDim });
  }

  function perPair(text, pairs, name) {
    const values = text.split(",").map(Number);
    refuse(
      values.length === 1 || values.length === pairs,
      `${name}: one number, or ${pairs} (rope_scaling.C10)`,
    );
    return values.length === 1 ? range(pairs).map(() => values[0]) : values;
  }

  return { ladder };
})(
  typeof require === "function" ? require("./encodings.js") : encodings,
  typeof require === "function" ? require("./places.js") : explorerPlaces,
);

if (typeof module === "object") module.exports = explorerLadders;
