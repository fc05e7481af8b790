"use strict";
// Positional encodings in plain JavaScript, one row at a time, from the clauses of the specification.
// The explorer draws what these functions give; tests/consumers puts them to the judge.

const encodings = (() => {
  const TURN = 2 * Math.PI;
  const clip = (value) => Math.min(Math.max(value, 0), 1);
  const pairsOf = (width) => Array.from({ length: width / 2 }, (_, i) => i);

  // ---- rope ----

  // Frequencies in radians per token (rope.C1).
  function frequencies(pairs, base) {
    return Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));
  }

  // A row of cosines and a row of sines (rope.C3).
  function cosSin(position, frequencies, factor = 1) {
    const angles = frequencies.map((frequency) => position * frequency);
    return [angles.map((angle) => factor * Math.cos(angle)), angles.map((angle) => factor * Math.sin(angle))];
  }

  function coordinates(pairing, pairs, i) {
    return pairing === "half" ? [i, i + pairs] : [2 * i, 2 * i + 1];
  }

  // A copy of the row x in which the pairs from `start` on are turned (rope.C4 to C6).
  function rotate(x, cos, sin, start, pairingIn, pairingOut) {
    const y = x.slice();
    for (let i = 0; i < cos.length; i++) {
      const [u, w] = coordinates(pairingIn, cos.length, i).map((at) => x[start + at]);
      const [a, b] = coordinates(pairingOut, cos.length, i);
      y[start + a] = u * cos[i] - w * sin[i];
      y[start + b] = u * sin[i] + w * cos[i];
    }
    return y;
  }

  // ---- rope_scaling: {frequencies, factor} ----

  // Divide every frequency (rope_scaling.C2).
  function linear(frequencies, factor) {
    return { frequencies: frequencies.map((frequency) => frequency / factor), factor: 1 };
  }

  // Change the base so that the slowest pair is divided by `factor` (rope_scaling.C3).
  function ntk(width, base, factor) {
    return { frequencies: frequencies(width / 2, base * factor ** (width / (width - 2))), factor: 1 };
  }

  // The same by the length so far (rope_scaling.C4).
  function dynamic(width, base, factor, trained, length) {
    return ntk(width, base, (factor * Math.max(length, trained)) / trained - (factor - 1));
  }

  // Which part of each plain frequency is kept: over pairs (rope_scaling.C5) or over rotations (C6).
  function kept(width, base, trained, { betaFast, betaSlow, ramp, truncate, extrapolation }) {
    if (ramp === "rotations") {
      const turns = frequencies(width / 2, base).map((frequency) => (trained * frequency) / TURN);
      return turns.map((one) => clip((one - betaSlow) / (betaFast - betaSlow)) * extrapolation);
    }
    const [low, high] = rampEnds(width, base, trained, betaFast, betaSlow, truncate);
    return pairsOf(width).map((i) => (1 - clip((i - low) / (high - low))) * extrapolation);
  }

  function rampEnds(width, base, trained, betaFast, betaSlow, truncate) {
    const at = (beta) => (width * Math.log(trained / (TURN * beta))) / (2 * Math.log(base));
    let [low, high] = [at(betaFast), at(betaSlow)];
    if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
    [low, high] = [Math.max(low, 0), Math.min(high, width - 1)];
    return [low, low === high ? high + 0.001 : high];
  }

  // Keep the fast pairs, divide the slow ones, and blend between (rope_scaling.C7, C8).
  function yarn(width, base, factor, trained, options) {
    const keep = kept(width, base, trained, options);
    const plain = frequencies(width / 2, base);
    const blended = plain.map((one, i) => keep[i] * one + ((1 - keep[i]) * one) / factor);
    return { frequencies: blended, factor: magnitude(factor, options) };
  }

  function magnitude(factor, { attentionFactor = null, mscale = null, mscaleAllDim = null, rule = null }) {
    const g = (k) => 1 + 0.1 * k * Math.log(factor);
    if (attentionFactor !== null) return attentionFactor;
    if (rule === "none") return 1;
    if (rule === "ratio" || (rule === "hf" && mscale && mscaleAllDim)) return g(mscale) / g(mscaleAllDim);
    return g(1);
  }

  // Keep short wavelengths, divide long ones, and blend between (rope_scaling.C9).
  function llama3(width, base, factor, lowFactor, highFactor, trained) {
    const scaled = frequencies(width / 2, base).map((frequency) => {
      const wavelength = TURN / frequency;
      if (wavelength < trained / highFactor) return frequency;
      if (wavelength > trained / lowFactor) return frequency / factor;
      const part = (trained / wavelength - lowFactor) / (highFactor - lowFactor);
      return ((1 - part) * frequency) / factor + part * frequency;
    });
    return { frequencies: scaled, factor: 1 };
  }

  // Divide each frequency by its own factor, by the length (rope_scaling.C10).
  function longrope(width, base, factor, trained, length, short, long, attentionFactor = null) {
    const divisors = length > trained ? long : short;
    const stretched = factor > 1 ? Math.sqrt(1 + Math.log(factor) / Math.log(trained)) : 1;
    return {
      frequencies: frequencies(width / 2, base).map((frequency, i) => frequency / divisors[i]),
      factor: attentionFactor ?? stretched,
    };
  }

  // Part of the ladder over the whole head; the other pairs stand still (rope_scaling.C11).
  function proportional(width, base, part, factor) {
    const turning = Math.floor(Math.trunc(part * width) / 2);
    const plain = frequencies(width / 2, base);
    return { frequencies: plain.map((frequency, i) => (i < turning ? frequency / factor : 0)), factor: 1 };
  }

  // ---- sinusoidal ----

  // The ladder (sinusoidal.C1, and C5 where `dim` is odd); as many as there are sines.
  function ladder(dim, base, denominator, odd) {
    const width = odd === "zero_pad" ? dim - (dim % 2) : dim;
    const count = Math.ceil(width / 2);
    const over = denominator === "dim" ? width / 2 : count - 1;
    return Array.from({ length: count }, (_, i) => base ** (-i / over));
  }

  // A row of the table (sinusoidal.C4, C5).
  function encode(position, dim, base, denominator, layout, odd) {
    const found = ladder(dim, base, denominator, odd);
    const cosines = Math.floor(dim / 2);
    const sines = found.map((frequency) => Math.sin(position * frequency));
    const others = found.slice(0, cosines).map((frequency) => Math.cos(position * frequency));
    const row = { sin_cos: [...sines, ...others], cos_sin: [...others, ...sines] }[layout];
    const woven = row ?? sines.flatMap((sine, i) => (i < cosines ? [sine, others[i]] : [sine]));
    return woven.length < dim ? [...woven, 0] : woven;
  }

  // ---- alibi ----

  // The slope of head k, counted from 0 (alibi.C1, C2).
  function slope(k, heads, biasMax) {
    const power = 2 ** Math.floor(Math.log2(heads));
    return 2 ** (-biasMax * (k < power ? (k + 1) / power : (2 * (k - power) + 1) / (2 * power)));
  }

  // Positions are BigInt: their difference is exact (alibi.C5, C6).
  function bias(slope, query, key, form, future) {
    if (future === "neg_inf" && key > query) return -Infinity;
    const distance = Number(key - query);
    const multiple = { neg_distance: distance, neg_abs: -Math.abs(distance), key_index: Number(key) }[form];
    return slope * multiple + 0; // a zero has no minus
  }

  // ---- t5 ----

  // The bucket of a relative position, all BigInt: integers are compared, no logarithm is taken (t5.C1, C2).
  function bucket(relative, buckets, maxDistance, bidirectional) {
    const side = bidirectional ? buckets / 2n : buckets;
    const offset = bidirectional && relative > 0n ? side : 0n;
    const distance = relative < 0n ? -relative : bidirectional ? relative : 0n;
    const exact = side / 2n;
    if (distance < exact) return offset + distance;
    const steps = side - exact;
    const far = (k) => distance ** steps * exact ** k >= maxDistance ** k * exact ** steps;
    let found = 0n;
    while (exact + found < side - 1n && far(found + 1n)) found++;
    return offset + exact + found;
  }

  // ---- xpos ----

  // A row of scales (xpos.C1).
  function decay(position, width, gamma, scaleBase, center) {
    return pairsOf(width).map((i) => zeta(i, width, gamma) ** ((position - center) / scaleBase));
  }

  const zeta = (i, width, gamma) => (2 * i + gamma * width) / ((1 + gamma) * width);

  return {
    ...{ frequencies, cosSin, coordinates, rotate },
    ...{ linear, ntk, dynamic, kept, rampEnds, yarn, magnitude, llama3, longrope, proportional },
    ...{ ladder, encode, slope, bias, bucket, decay, zeta },
  };
})();

if (typeof module === "object") module.exports = encodings;
