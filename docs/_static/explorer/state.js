"use strict";
// What can be chosen, and the link that carries it.

const explorerState = (() => {
  const LARGE = 2 ** 53;
  const integer = (key, label, start, least, most, more = {}) => ({
    key,
    label,
    kind: "integer",
    start,
    least,
    most,
    ...more,
  });
  const real = (key, label, start, least, most, more = {}) => ({
    key,
    label,
    kind: "real",
    start,
    least,
    most,
    ...more,
  });
  const choice = (key, label, start, values, more = {}) => ({
    key,
    label,
    kind: "choice",
    start,
    values,
    ...more,
  });
  const list = (key, label, start, more = {}) => ({ key, label, kind: "list", start, ...more });
  const TINY = Number.MIN_VALUE;
  const AFTER_ONE = 1 + Number.EPSILON;

  const when =
    (...kinds) =>
    (state) =>
      state.scheme === "rope" && kinds.includes(state.scaling);
  const STRETCHED = ["linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "proportional"];
  const DIM = integer("rotary_dim", "rotary_dim", 64, 2, 1024, { even: true });
  const BASE = real("base", "base", 10000, AFTER_ONE, 1e300);
  const TRAINED = integer("trained", "context length", 2048, 2, LARGE, {
    named: (state) =>
      when("dynamic", "yarn", "llama3", "longrope")(state) ? "trained length" : "context length",
  });

  // Parameters of each scheme in the order of the controls; `when` says where one means nothing.
  const FIELDS = {
    rope: [
      DIM,
      BASE,
      TRAINED,
      choice("scaling", "scaling", "none", ["none", ...STRETCHED]),
      real("factor", "factor", 4, 1, 1e9, { when: when(...STRETCHED) }),
      integer("length", "current length", 8192, 1, LARGE, { when: when("dynamic", "longrope") }),
      real("beta_fast", "beta_fast", 32, TINY, 1e9, { when: when("yarn") }),
      real("beta_slow", "beta_slow", 1, TINY, 1e9, { when: when("yarn") }),
      choice("ramp", "ramp", "index", ["index", "rotations"], { when: when("yarn") }),
      choice("truncate", "truncate", "true", ["true", "false"], {
        when: (state) => when("yarn")(state) && state.ramp === "index",
      }),
      choice("mscale_rule", "mscale_rule", "log_only", ["log_only", "none", "ratio"], { when: when("yarn") }),
      real("mscale", "mscale", 1, -1e9, 1e9, {
        when: (state) => when("yarn")(state) && state.mscale_rule === "ratio",
      }),
      real("mscale_all_dim", "mscale_all_dim", 1, -1e9, 1e9, {
        when: (state) => when("yarn")(state) && state.mscale_rule === "ratio",
      }),
      real("low_freq_factor", "low_freq_factor", 1, TINY, 1e9, { when: when("llama3") }),
      real("high_freq_factor", "high_freq_factor", 4, TINY, 1e9, { when: when("llama3") }),
      list("short_factor", "short_factor", "1", { when: when("longrope") }),
      list("long_factor", "long_factor", "4", { when: when("longrope") }),
      real("partial_rotary_factor", "partial_rotary_factor", 0.25, TINY, 1, { when: when("proportional") }),
    ],
    sinusoidal: [
      integer("dim", "dim", 64, 2, 2048, { even: true }),
      BASE,
      TRAINED,
      choice("denominator", "denominator", "dim", ["dim", "count_minus_1"]),
      choice("layout", "layout", "interleaved", ["interleaved", "sin_cos", "cos_sin"]),
    ],
    xpos: [
      DIM,
      BASE,
      TRAINED,
      real("gamma", "gamma", 0.4, TINY, 1e9),
      real("scale_base", "scale_base", 512, 1, 1e9),
    ],
    alibi: [
      integer("num_heads", "num_heads", 8, 1, 512),
      real("bias_max", "bias_max", 8, TINY, 1e3),
      choice("form", "form", "neg_distance", ["neg_distance", "neg_abs"]),
    ],
    t5: [
      integer("num_buckets", "num_buckets", 32, 4, 256, { even: true }),
      integer("max_distance", "max_distance", 128, 1, 100000),
      choice("bidirectional", "bidirectional", "true", ["true", "false"]),
    ],
  };

  // What is looked at, whatever the scheme.
  const LOOK = [
    integer("pair", "pair", 0, 0, 1023, { named: (state) => (state.scheme === "alibi" ? "head" : "pair") }),
    integer("position", "position", 16, 0, LARGE),
    integer("first", "first position", 0, 0, LARGE),
    integer("step", "step", 1, 1, 1e9),
    choice("part", "part", "cos", ["cos", "sin", "scale"]),
    integer("span", "up to distance", 256, 8, 1048576),
    choice("vectors", "q and k", "ones", ["ones", "random"]),
    integer("seed", "seed", 1, 0, 2 ** 32 - 1),
  ];
  const SCHEMES = Object.keys(FIELDS);

  const fields = (scheme) => [...FIELDS[scheme], ...LOOK];
  const shown = (state) => FIELDS[state.scheme].filter((field) => !field.when || field.when(state));

  function initial(scheme = "rope") {
    return { scheme, ...Object.fromEntries(fields(scheme).map((field) => [field.key, field.start])) };
  }

  // The value that a text means, or why it means none: {value} or {fault}.
  function read(field, text) {
    if (field.kind === "choice")
      return field.values.includes(text)
        ? { value: text }
        : { fault: `is one of ${field.values.join(", ")}` };
    if (field.kind === "list") return readList(text);
    const value = text.trim() === "" ? NaN : Number(text);
    if (!Number.isFinite(value)) return { fault: "is a number" };
    if (field.kind === "integer" && !Number.isSafeInteger(value)) return { fault: "is an integer" };
    if (field.even && value % 2) return { fault: "is even" };
    if (value < field.least)
      return {
        fault:
          field.least === AFTER_ONE
            ? "is above 1"
            : field.least === TINY
              ? "is above 0"
              : `is at least ${field.least}`,
      };
    if (value > field.most) return { fault: `is at most ${field.most}` };
    return { value };
  }

  // Numbers with commas between; one alone stands for every pair.
  function readList(text) {
    const values = text.split(",").map((one) => (one.trim() === "" ? NaN : Number(one)));
    if (!values.every((one) => Number.isFinite(one) && one > 0))
      return { fault: "is numbers above 0, with commas between" };
    return { value: text.replace(/\s/g, "") };
  }

  // The values that a choice has here: only xPos has scales.
  const values = (field, scheme) => field.values.filter((one) => one !== "scale" || scheme === "xpos");

  // The state that a fragment says; what it does not say, or says wrongly, is as at first.
  function parse(fragment) {
    const said = new URLSearchParams(fragment.replace(/^#/, ""));
    const scheme = SCHEMES.includes(said.get("scheme")) ? said.get("scheme") : SCHEMES[0];
    const state = initial(scheme);
    for (const field of fields(scheme)) {
      const found = said.has(field.key) ? read(field, said.get(field.key)) : {};
      const fits = field.kind !== "choice" || values(field, scheme).includes(found.value);
      if ("value" in found && fits) state[field.key] = found.value;
    }
    return state;
  }

  // The fragment of a state: the scheme, and what is not as at first.
  function format(state) {
    const said = new URLSearchParams({ scheme: state.scheme });
    const own = new Set([...shown(state), ...LOOK].map((field) => field.key));
    for (const field of fields(state.scheme))
      if (own.has(field.key) && state[field.key] !== field.start)
        said.set(field.key, String(state[field.key]));
    return said.toString();
  }

  const label = (field, state) => (field.named ? field.named(state) : field.label);

  return { SCHEMES, LOOK, fields, shown, label, values, initial, read, parse, format };
})();

if (typeof module === "object") module.exports = explorerState;
