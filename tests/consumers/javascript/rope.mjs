// Rotations: rope, and xpos, which decays besides.
import encodings from "../../../docs/_static/explorer/encodings.js";
import { eachToken, even, fits, FLOATS, given, input, integer, pairing } from "./arguments.mjs";
import { choice, positions, real, Refusal, row, rowsOf, shown } from "./arguments.mjs";
import { scaled } from "./scaling.mjs";

const { cosSin, decay, frequencies, rotate } = encodings;
const LEAST = 2 ** -1022;

export const ROPE = {
  "rope.inv_freq": (params) => {
    const pairs = even(params, "rotary_dim") / 2;
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
    const [rotated, start] = [even(params, "rotary_dim"), integer(params, "rotary_start", 0)];
    const [base, order] = [real(params, "base", 1), pairing(params, "pairing")];
    if (given(params, "seq_len")) integer(params, "seq_len", 1);
    const x = input(inputs, "x", [dtype], 2);
    const at = rowsOf(inputs, x, ["int64", ...FLOATS]);
    const width = x.shape.at(-1);
    if (start + rotated > width) throw new Refusal("INVALID_SHAPE", "rotary_dim");
    // The twin divides the exponent by the width of the head, not by that of the slice.
    const plain = frequencies((wrong ? width : rotated) / 2, base).slice(0, rotated / 2);
    const { frequencies: ladder, factor } = given(params, "scaling")
      ? scaled(params)
      : { frequencies: plain, factor: 1 };
    const values = eachToken(x, (index, t, own) =>
      rotate(own, ...cosSin(at(index, t), ladder, factor), start, order, order),
    );
    return { y: { shape: x.shape, values } };
  },
};

function scale(params, values) {
  const width = even(params, "rotary_dim");
  const [gamma, scaleBase] = [real(params, "gamma", 0), real(params, "scale_base", 0)];
  const center = real(params, "center");
  const rows = new Map(values.map((one) => [one, decay(one, width, gamma, scaleBase, center)]));
  if ([...rows.values()].flat().some((one) => !(one >= LEAST && one < Infinity)))
    throw new Refusal("OUT_OF_RANGE", "positions");
  return rows;
}

export const XPOS = {
  "xpos.scale": (params, inputs) => {
    const at = positions(inputs, "positions", ["int64"]);
    const own = at.values.map(Number);
    const rows = scale(params, own);
    const values = own.flatMap((one) => rows.get(one));
    return { scale: { shape: [...at.shape, params.rotary_dim / 2], values } };
  },

  "xpos.apply": (params, inputs, dtype) => {
    const role = choice(params, "role", "query", "key");
    const [width, base, order] = [
      even(params, "rotary_dim"),
      real(params, "base", 1),
      pairing(params, "pairing"),
    ];
    const x = input(inputs, "x", [dtype], 2);
    const at = rowsOf(inputs, x, ["int64"]);
    if (width > x.shape.at(-1)) throw new Refusal("INVALID_SHAPE", "rotary_dim");
    const rows = scale(params, inputs.positions.values.map(Number));
    const ladder = frequencies(width / 2, base);
    const values = eachToken(x, (index, t, own) => {
      const scales = rows.get(at(index, t)).map((one) => (role === "query" ? one : 1 / one));
      const tables = cosSin(at(index, t), ladder).map((table) => table.map((one, i) => one * scales[i]));
      return rotate(own, ...tables, 0, order, order);
    });
    return { y: { shape: x.shape, values } };
  },
};
