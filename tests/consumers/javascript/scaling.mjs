// Frequencies beyond the trained length, as operations and as the `scaling` of rope.apply.
import encodings from "../../../docs/_static/explorer/encodings.js";
import { choice, even, FLOATS, given, input, integer, invalid, need } from "./arguments.mjs";
import { real, realOrNull, reals, Refusal } from "./arguments.mjs";

const { dynamic, frequencies, linear, llama3, longrope, ntk, proportional, rampEnds, yarn } = encodings;
const TRAINED = "original_max_position_embeddings";

const ladder = (params) => [even(params, "rotary_dim"), real(params, "base", 1)];
const factor = (params) => real(params, "factor", 0, 1);

function wide(params) {
  const [width, base] = ladder(params);
  if (width === 2) invalid("rotary_dim");
  return [width, base];
}

function ramp(params, width, base, trained) {
  const [betaFast, betaSlow] = [real(params, "beta_fast", 0), real(params, "beta_slow", 0)];
  if (betaFast <= betaSlow) invalid("beta_fast");
  const kind = choice(params, "ramp", "index", "rotations");
  if (kind === "rotations" && given(params, "truncate")) invalid("truncate");
  const truncate = kind === "index" ? choice(params, "truncate", true, false) : null;
  if (kind === "index") {
    const [low, high] = rampEnds(width, base, trained, betaFast, betaSlow, truncate);
    if (low > high) invalid(TRAINED);
  }
  return {
    betaFast,
    betaSlow,
    ramp: kind,
    truncate,
    extrapolation: real(params, "extrapolation_factor", -1, 0, 1),
  };
}

function magnitude(params, scale) {
  const attentionFactor = realOrNull(params, "attention_factor", 0);
  const [mscale, mscaleAllDim] = [realOrNull(params, "mscale"), realOrNull(params, "mscale_all_dim")];
  const rule = given(params, "mscale_rule")
    ? choice(params, "mscale_rule", "hf", "ratio", "log_only", "none")
    : null;
  const names = ["mscale", "mscale_all_dim"];
  for (const name of [...names, "mscale_rule"])
    if (params[name] === undefined) throw new Refusal("MISSING_PARAMETER", name);
  if (attentionFactor !== null) {
    for (const name of [...names, "mscale_rule"]) if (given(params, name)) invalid(name);
    return { attentionFactor };
  }
  if (rule === null) throw new Refusal("MISSING_PARAMETER", "mscale_rule");
  if (rule === "ratio") names.forEach((name) => need(params, name));
  if (rule === "log_only" || rule === "none")
    for (const name of names) if (given(params, name)) invalid(name);
  const used = rule === "ratio" || (rule === "hf" && mscale && mscaleAllDim);
  for (const name of used ? names : [])
    if (1 + 0.1 * real(params, name) * Math.log(scale) <= 0) invalid(name);
  return { mscale, mscaleAllDim, rule };
}

function lists(params, inputs, width) {
  const read = (name) => {
    if (!inputs) return reals(params, name);
    return Array.from(input(inputs, name, FLOATS, 1, false).values);
  };
  return ["short_factor", "long_factor"].map((name) => {
    const values = read(name);
    if (values.length !== width / 2) throw new Refusal("INVALID_SHAPE", name);
    if (!values.every((one) => Number.isFinite(one) && one > 0)) invalid(name);
    return values;
  });
}

// Each: (params, inputs) -> {frequencies, factor}; without inputs, lists stand among the parameters.
const KINDS = {
  linear: (params, inputs) => {
    const given = inputs
      ? input(inputs, "inv_freq", FLOATS, 1, false).values
      : frequencies(params.rotary_dim / 2, real(params, "base", 1));
    return linear(Array.from(given), factor(params));
  },
  ntk: (params) => ntk(...wide(params), factor(params)),
  dynamic: (params) => {
    const [width, base] = wide(params);
    return dynamic(width, base, factor(params), integer(params, TRAINED, 1), integer(params, "seq_len", 1));
  },
  yarn: (params) => {
    const [[width, base], scale, trained] = [ladder(params), factor(params), integer(params, TRAINED, 1)];
    const options = { ...ramp(params, width, base, trained), ...magnitude(params, scale) };
    return yarn(width, base, scale, trained, options);
  },
  llama3: (params) => {
    const [[width, base], scale, trained] = [ladder(params), factor(params), integer(params, TRAINED, 1)];
    const [low, high] = [real(params, "low_freq_factor", 0), real(params, "high_freq_factor", 0)];
    if (high <= low) invalid("high_freq_factor");
    return llama3(width, base, scale, low, high, trained);
  },
  longrope: (params, inputs) => {
    const [[width, base], scale, trained] = [
      ladder(params),
      real(params, "factor", 0),
      integer(params, TRAINED, 2),
    ];
    const length = integer(params, "seq_len", 1);
    const [short, long] = lists(params, inputs, width);
    return longrope(
      width,
      base,
      scale,
      trained,
      length,
      short,
      long,
      realOrNull(params, "attention_factor", 0),
    );
  },
  proportional: (params) => {
    const [width, base] = [even(params, "head_dim"), real(params, "base", 1)];
    return proportional(width, base, real(params, "partial_rotary_factor", 0, 0, 1), factor(params));
  },
};

const KEYS = {
  linear: ["factor"],
  ntk: ["factor"],
  dynamic: ["factor", TRAINED],
  yarn: [
    ...["factor", TRAINED, "beta_fast", "beta_slow", "ramp", "truncate", "extrapolation_factor"],
    ...["attention_factor", "mscale", "mscale_all_dim", "mscale_rule"],
  ],
  llama3: ["factor", TRAINED, "low_freq_factor", "high_freq_factor"],
  longrope: ["factor", TRAINED, "attention_factor", "short_factor", "long_factor"],
  proportional: ["factor", "partial_rotary_factor"],
};
const ALL = new Set(["rope_type", ...Object.values(KEYS).flat()]);

// What rope.apply turns by. What is wrong with it is the scaling's fault, but for a length that is missing.
export function scaled({ scaling, rotary_dim, base, seq_len = null }) {
  try {
    const kind = choice(scaling, "rope_type", ...Object.keys(KINDS));
    const own = ["rope_type", ...KEYS[kind]];
    for (const name of ALL) if (scaling[name] === undefined) invalid(name);
    for (const name of Object.keys(scaling))
      if (!own.includes(name) && (!ALL.has(name) || scaling[name] !== null)) invalid(name);
    return KINDS[kind]({ ...scaling, rotary_dim, head_dim: rotary_dim, base, seq_len }, null);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal.kind === "MISSING_PARAMETER" && refusal.parameter === "seq_len") throw refusal;
    throw new Refusal("INVALID_PARAMETER", "scaling");
  }
}

export const SCALING = Object.fromEntries(
  Object.entries(KINDS).map(([kind, scale]) => [
    `rope_scaling.${kind}`,
    (params, inputs) => {
      const { frequencies, factor } = scale(params, inputs);
      return {
        inv_freq: { shape: [frequencies.length], values: frequencies },
        attention_factor: { shape: [], values: [factor] },
      };
    },
  ]),
);
