// Calls by name: arguments are checked, outputs are tensors {dtype, shape, values}.
import { bias, cosSin, frequencies, rotate, slope } from "./encodings.mjs";

export const DTYPES = ["float64", "float32"];
const FAR = 2n ** 53n;

export class Refusal extends Error {
  constructor(kind, parameter) {
    super(`${kind} of ${parameter}`);
    Object.assign(this, { kind, parameter });
  }
}

// There is no way to be asked for this here.
export class Skip extends Error {}

// ---- parameters ----

const given = (params, name) => params[name] !== undefined && params[name] !== null;

function need(params, name) {
  if (!given(params, name)) throw new Refusal("MISSING_PARAMETER", name);
  return params[name];
}

function integer(params, name, least) {
  const value = need(params, name);
  if (!Number.isSafeInteger(value) || value < least) throw new Refusal("INVALID_PARAMETER", name);
  return value;
}

const BITS = new DataView(new ArrayBuffer(8));

function real(params, name, above) {
  const value = need(params, name);
  if (typeof value !== "object" || !value.float64) throw new Refusal("INVALID_PARAMETER", name);
  BITS.setBigUint64(0, BigInt("0x" + value.float64));
  const number = BITS.getFloat64(0);
  if (!(Number.isFinite(number) && number > above)) throw new Refusal("INVALID_PARAMETER", name);
  return number;
}

function choice(params, name, ...values) {
  const value = need(params, name);
  if (!values.includes(value)) throw new Refusal("INVALID_PARAMETER", name);
  return value;
}

const pairing = (params, name) => choice(params, name, "adjacent", "half");

function rotaryDim(params) {
  const value = integer(params, "rotary_dim", 2);
  if (value % 2) throw new Refusal("INVALID_PARAMETER", "rotary_dim");
  return value;
}

// ---- inputs ----

const FLOATS = ["float64", "float32"];

// An input with so many named axes at its end, the first of which may be empty where it counts tokens.
function input(inputs, name, dtypes, named, tokens = true) {
  const tensor = inputs[name];
  if (!tensor || !dtypes.includes(tensor.dtype)) throw new Refusal("INVALID_DTYPE", name);
  const { shape, values } = tensor;
  const empty = shape.some((size, axis) => size === 0 && !(tokens && axis === shape.length - named));
  if (shape.length < named || (!tokens && shape.length > named) || empty) throw new Refusal("INVALID_SHAPE", name);
  for (const value of values) {
    if (typeof value !== "bigint" && !Number.isFinite(value)) throw new Refusal("INVALID_PARAMETER", name);
  }
  return tensor;
}

function positions(inputs, name, dtypes) {
  const tensor = input(inputs, name, dtypes, 1);
  if (tensor.values.some((value) => value > FAR || value < -FAR)) throw new Refusal("OUT_OF_RANGE", name);
  return tensor;
}

// Whether leading axes broadcast into others.
function fits(own, onto) {
  const shift = onto.length - own.length;
  return shift >= 0 && own.every((size, axis) => size === 1 || size === onto[axis + shift]);
}

// Which of its leading entries a tensor with these leading axes shows at a leading index of others.
function shown(own, onto, index) {
  let found = 0;
  let stride = 1;
  for (let i = 1; i <= own.length; i++) {
    const size = own[own.length - i];
    if (size > 1) found += (index % onto[onto.length - i]) * stride;
    index = Math.floor(index / onto[onto.length - i]);
    stride *= size;
  }
  return found;
}

const row = (values, index, width) => values.slice(index * width, (index + 1) * width);
const product = (shape) => shape.reduce((size, axis) => size * axis, 1);

// ---- operations: (params, inputs, dtype, wrong) -> outputs as {name: {shape, values}} ----

export const OPERATIONS = {
  "rope.inv_freq": (params) => {
    const pairs = rotaryDim(params) / 2;
    return { inv_freq: { shape: [pairs], values: frequencies(pairs, real(params, "base", 1)) } };
  },

  "rope.cos_sin": (params, inputs) => {
    const factor = real(params, "attention_factor", 0);
    const at = positions(inputs, "positions", ["int64", ...FLOATS]);
    const ladder = input(inputs, "inv_freq", FLOATS, 1, false);
    const rows = at.values.map((position) => cosSin(Number(position), ladder.values, factor));
    const shape = [...at.shape, ladder.values.length];
    return Object.fromEntries(
      ["cos", "sin"].map((name, i) => [name, { shape, values: rows.flatMap((both) => both[i]) }]),
    );
  },

  "rope.rotate": (params, inputs, dtype) => {
    const order = [pairing(params, "pairing_in"), pairing(params, "pairing_out")];
    const start = integer(params, "rotary_start", 0);
    const x = input(inputs, "x", [dtype], 2);
    const [cos, sin] = ["cos", "sin"].map((name) => input(inputs, name, FLOATS, 2));
    const [tokens, width] = x.shape.slice(-2);
    const [leading, onto, pairs] = [cos.shape.slice(0, -2), x.shape.slice(0, -2), cos.shape.at(-1)];
    if (cos.shape.at(-2) !== tokens || !fits(leading, onto)) throw new Refusal("INVALID_SHAPE", "cos");
    if (String(cos.shape) !== String(sin.shape)) throw new Refusal("INVALID_SHAPE", "sin");
    if (start + 2 * pairs > width) throw new Refusal("INVALID_SHAPE", "cos");
    const values = eachToken(x, (index, t, own) => {
      const at = shown(leading, onto, index) * tokens + t;
      return rotate(own, row(cos.values, at, pairs), row(sin.values, at, pairs), start, ...order);
    });
    return { y: { shape: x.shape, values } };
  },

  "rope.apply": (params, inputs, dtype, wrong) => {
    if (given(params, "scaling")) throw new Skip("context extension is not offered");
    const [rotated, start] = [rotaryDim(params), integer(params, "rotary_start", 0)];
    const [base, order] = [real(params, "base", 1), pairing(params, "pairing")];
    if (given(params, "seq_len")) integer(params, "seq_len", 1);
    const x = input(inputs, "x", [dtype], 2);
    const at = positions(inputs, "positions", ["int64", ...FLOATS]);
    const [tokens, width] = x.shape.slice(-2);
    const [leading, onto] = [at.shape.slice(0, -1), x.shape.slice(0, -2)];
    if (at.shape.at(-1) !== tokens || !fits(leading, onto)) throw new Refusal("INVALID_SHAPE", "positions");
    if (start + rotated > width) throw new Refusal("INVALID_SHAPE", "rotary_dim");
    // The twin divides the exponent by the width of the head, not by that of the slice.
    const ladder = frequencies((wrong ? width : rotated) / 2, base).slice(0, rotated / 2);
    const values = eachToken(x, (index, t, own) => {
      const position = Number(at.values[shown(leading, onto, index) * tokens + t]);
      return rotate(own, ...cosSin(position, ladder), start, order, order);
    });
    return { y: { shape: x.shape, values } };
  },

  "alibi.slopes": (params) => {
    const [heads, start] = [integer(params, "num_heads", 1), integer(params, "head_start", 0)];
    const biasMax = real(params, "bias_max", 0);
    if (start >= heads) throw new Refusal("INVALID_PARAMETER", "head_start");
    const count = given(params, "head_count") ? integer(params, "head_count", 1) : heads - start;
    if (count > heads - start) throw new Refusal("INVALID_PARAMETER", "head_count");
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

function eachToken(x, turn) {
  const [tokens, width] = x.shape.slice(-2);
  const count = x.values.length / width;
  return Array.from({ length: count }, (_, n) =>
    turn(Math.floor(n / tokens), n % tokens, row(x.values, n, width)),
  ).flat();
}

function met(one, other) {
  const length = Math.max(one.length, other.length);
  const [a, b] = [one, other].map((shape) => [...Array(length - shape.length).fill(1), ...shape]);
  if (a.some((size, i) => size !== b[i] && size !== 1 && b[i] !== 1))
    throw new Refusal("INVALID_SHAPE", "k_positions");
  return a.map((size, i) => (size === 1 ? b[i] : size));
}

// Answer a call; what overflows its dtype is refused, naming where the dtype came from.
export function answer(operation, params, inputs, dtype, wrong = false) {
  if (!OPERATIONS[operation]) throw new Skip("this operation is not offered");
  const outputs = OPERATIONS[operation](params, inputs, dtype, wrong);
  for (const tensor of Object.values(outputs)) {
    const rounded = dtype === "float32" ? tensor.values.map(Math.fround) : tensor.values;
    if (rounded.some((value, i) => !Number.isFinite(value) && Number.isFinite(tensor.values[i])))
      throw new Refusal("OUT_OF_RANGE", inputs.x ? "x" : "dtype");
    Object.assign(tensor, { dtype, values: rounded });
  }
  return outputs;
}
