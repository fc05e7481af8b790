// Positional encodings in plain JavaScript, one row at a time.

export function frequencies(pairs, base) {
  return Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));
}

export function cosSin(position, frequencies, factor = 1) {
  const angles = frequencies.map((frequency) => position * frequency);
  return [angles.map((angle) => factor * Math.cos(angle)), angles.map((angle) => factor * Math.sin(angle))];
}

function coordinates(pairing, pairs, i) {
  return pairing === "half" ? [i, i + pairs] : [2 * i, 2 * i + 1];
}

// A copy of the row x in which the pairs from `start` on are turned.
export function rotate(x, cos, sin, start, pairingIn, pairingOut) {
  const y = x.slice();
  for (let i = 0; i < cos.length; i++) {
    const [u, w] = coordinates(pairingIn, cos.length, i).map((at) => x[start + at]);
    const [a, b] = coordinates(pairingOut, cos.length, i);
    y[start + a] = u * cos[i] - w * sin[i];
    y[start + b] = u * sin[i] + w * cos[i];
  }
  return y;
}

// The slope of head k, counted from 0.
export function slope(k, heads, biasMax) {
  const power = 2 ** Math.floor(Math.log2(heads));
  return 2 ** (-biasMax * (k < power ? (k + 1) / power : (2 * (k - power) + 1) / (2 * power)));
}

// Positions are BigInt: their difference is exact.
export function bias(slope, query, key, form, future) {
  if (future === "neg_inf" && key > query) return -Infinity;
  const distance = Number(key - query);
  const multiple = { neg_distance: distance, neg_abs: -Math.abs(distance), key_index: Number(key) }[form];
  return slope * multiple + 0; // a zero has no minus
}
