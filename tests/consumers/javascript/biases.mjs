// Biases on scores: alibi and the buckets of t5; and the waves of sinusoidal.
import encodings from "../../../docs/_static/explorer/encodings.js";
import { choice, even, FLOATS, given, input, integer, invalid, positions, product } from "./arguments.mjs";
import { real, Refusal, row, shown } from "./arguments.mjs";

const { bias, bucket, encode, ladder, slope } = encodings;

export const ALIBI = {
  "alibi.slopes": (params) => {
    const [heads, start] = [integer(params, "num_heads", 1), integer(params, "head_start", 0)];
    const biasMax = real(params, "bias_max", 0);
    if (start >= heads) invalid("head_start");
    const count = given(params, "head_count") ? integer(params, "head_count", 1) : heads - start;
    if (count > heads - start) invalid("head_count");
    const values = Array.from({ length: count }, (_, k) => slope(start + k, heads, biasMax));
    return { slopes: { shape: [count], values } };
  },

  "alibi.bias": (params, inputs) => {
    const form = choice(params, "form", "neg_distance", "neg_abs", "key_index");
    const future = choice(params, "future", "neg_inf", "keep");
    const [q, k] = ["q_positions", "k_positions"].map((name) => positions(inputs, name, ["int64"]));
    const slopes = input(inputs, "slopes", FLOATS, 1, false).values;
    const onto = met(q.shape.slice(0, -1), k.shape.slice(0, -1));
    const values = [];
    for (let index = 0; index < product(onto); index++) {
      const [queries, keys] = [q, k].map((one) =>
        row(one.values, shown(one.shape.slice(0, -1), onto, index), one.shape.at(-1)),
      );
      for (const m of slopes)
        for (const query of queries) values.push(...keys.map((key) => bias(m, query, key, form, future)));
    }
    return { bias: { shape: [...onto, slopes.length, q.shape.at(-1), k.shape.at(-1)], values } };
  },
};

function met(one, other) {
  const length = Math.max(one.length, other.length);
  const [a, b] = [one, other].map((shape) => [...Array(length - shape.length).fill(1), ...shape]);
  if (a.some((size, i) => size !== b[i] && size !== 1 && b[i] !== 1))
    throw new Refusal("INVALID_SHAPE", "k_positions");
  return a.map((size, i) => (size === 1 ? b[i] : size));
}

export const T5 = {
  "t5.bucket": (params, inputs) => {
    const buckets = integer(params, "num_buckets", 2);
    const farthest = integer(params, "max_distance", 1);
    const both = choice(params, "bidirectional", true, false);
    if (both && buckets % 2) invalid("num_buckets");
    const side = both ? buckets / 2 : buckets;
    if (side < 2) invalid("num_buckets");
    if (farthest <= Math.floor(side / 2)) invalid("max_distance");
    const at = positions(inputs, "relative_position", ["int64"], { named: 0, farthest: 2n ** 54n });
    const values = at.values.map((one) => bucket(one, BigInt(buckets), BigInt(farthest), both));
    return { bucket: { shape: at.shape, values, dtype: "int64" } };
  },
};

export const SINUSOIDAL = {
  "sinusoidal.inv_freq": (params) => {
    const [dim, base] = [even(params, "dim"), real(params, "base", 1)];
    const denominator = choice(params, "denominator", "dim", "count_minus_1");
    if (denominator === "count_minus_1" && dim === 2) invalid("dim");
    return { inv_freq: { shape: [dim / 2], values: ladder(dim, base, denominator, "error") } };
  },

  "sinusoidal.encode": (params, inputs) => {
    const [dim, base] = [integer(params, "dim", 2), real(params, "base", 1)];
    const denominator = choice(params, "denominator", "dim", "count_minus_1");
    const layout = choice(params, "layout", "interleaved", "sin_cos", "cos_sin");
    const odd = choice(params, "odd", "error", "zero_pad", "extra_sine");
    if (dim % 2 && odd === "error") invalid("dim");
    if (denominator === "count_minus_1" && ladder(dim, base, denominator, odd).length < 2) invalid("dim");
    const at = positions(inputs, "positions", ["int64", ...FLOATS]);
    const values = at.values.flatMap((one) => encode(Number(one), dim, base, denominator, layout, odd));
    return { table: { shape: [...at.shape, dim], values } };
  },
};
