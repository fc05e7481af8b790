// Arguments read and checked: parameters, tensors, shapes that broadcast. What is wrong is refused.

const FAR = 2n ** 53n;
export const FLOATS = ["float64", "float32"];

export class Refusal extends Error {
  constructor(kind, parameter) {
    super(`${kind} of ${parameter}`);
    Object.assign(this, { kind, parameter });
  }
}

// There is no way to be asked for this here.
export class Skip extends Error {}

// ---- parameters ----

export const given = (params, name) => params[name] !== undefined && params[name] !== null;

export function need(params, name) {
  if (!given(params, name)) throw new Refusal("MISSING_PARAMETER", name);
  return params[name];
}

export function invalid(name) {
  throw new Refusal("INVALID_PARAMETER", name);
}

export function integer(params, name, least) {
  const value = need(params, name);
  if (!Number.isSafeInteger(value) || value < least) invalid(name);
  return value;
}

const BITS = new DataView(new ArrayBuffer(8));

function number(value) {
  if (value === null || typeof value !== "object" || !value.float64) return NaN;
  BITS.setBigUint64(0, BigInt("0x" + value.float64));
  return BITS.getFloat64(0);
}

export function real(params, name, above = -Infinity, least = -Infinity, most = Infinity) {
  const value = number(need(params, name));
  if (!(Number.isFinite(value) && value > above && value >= least && value <= most)) invalid(name);
  return value;
}

// The same, null where it is not given.
export const realOrNull = (params, name, ...range) =>
  given(params, name) ? real(params, name, ...range) : null;

export function reals(params, name) {
  const values = need(params, name);
  if (!Array.isArray(values)) invalid(name);
  return values.map(number);
}

export function choice(params, name, ...values) {
  const value = need(params, name);
  if (!values.includes(value)) invalid(name);
  return value;
}

export const pairing = (params, name) => choice(params, name, "adjacent", "half");

export function even(params, name) {
  const value = integer(params, name, 2);
  if (value % 2) invalid(name);
  return value;
}

// ---- inputs ----

// An input with so many named axes at its end, the first of which may be empty where it counts tokens.
// Without a named axis any may be empty.
export function input(inputs, name, dtypes, named, tokens = true) {
  const tensor = inputs[name];
  if (!tensor || !dtypes.includes(tensor.dtype)) throw new Refusal("INVALID_DTYPE", name);
  const { shape, values } = tensor;
  const empty = shape.some(
    (size, axis) => size === 0 && named > 0 && !(tokens && axis === shape.length - named),
  );
  if (shape.length < named || (!tokens && shape.length > named) || empty)
    throw new Refusal("INVALID_SHAPE", name);
  for (const value of values) if (typeof value !== "bigint" && !Number.isFinite(value)) invalid(name);
  return tensor;
}

export function positions(inputs, name, dtypes, { named = 1, farthest = FAR } = {}) {
  const tensor = input(inputs, name, dtypes, named);
  if (tensor.values.some((value) => value > farthest || value < -farthest))
    throw new Refusal("OUT_OF_RANGE", name);
  return tensor;
}

// Positions of the rows of x, which they must fit.
export function rowsOf(inputs, x, dtypes) {
  const at = positions(inputs, "positions", dtypes);
  const [leading, onto] = [at.shape.slice(0, -1), x.shape.slice(0, -2)];
  if (at.shape.at(-1) !== x.shape.at(-2) || !fits(leading, onto))
    throw new Refusal("INVALID_SHAPE", "positions");
  return (index, t) => Number(at.values[shown(leading, onto, index) * x.shape.at(-2) + t]);
}

// Whether leading axes broadcast into others.
export function fits(own, onto) {
  const shift = onto.length - own.length;
  return shift >= 0 && own.every((size, axis) => size === 1 || size === onto[axis + shift]);
}

// Which of its leading entries a tensor with these leading axes shows at a leading index of others.
export function shown(own, onto, index) {
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

export const row = (values, index, width) => values.slice(index * width, (index + 1) * width);
export const product = (shape) => shape.reduce((size, axis) => size * axis, 1);

export function eachToken(x, turn) {
  const [tokens, width] = x.shape.slice(-2);
  const count = x.values.length / width;
  return Array.from({ length: count }, (_, n) =>
    turn(Math.floor(n / tokens), n % tokens, row(x.values, n, width)),
  ).flat();
}
