"use strict";
// Numbers as IEEE bits: read, written, rounded once. Shared by the explorer, the judge and their tests.

const numbers = (() => {
  const VIEW = new DataView(new ArrayBuffer(8));
  const DTYPES = ["float64", "float32", "bfloat16", "float16"];
  const DIGITS = { float64: 16, float32: 8, bfloat16: 4, float16: 4 };
  // Digits of the significand, and the exponent of the least normal number.
  const FORMATS = { float64: [53, -1022], float32: [24, -126], bfloat16: [8, -126], float16: [11, -14] };

  // Bits of one value, in hexadecimal, as a number.
  function decode(word, dtype) {
    if (dtype === "float16") return half(parseInt(word, 16));
    VIEW.setUint32(0, parseInt(word.slice(0, 8).padEnd(8, "0"), 16));
    if (dtype !== "float64") return VIEW.getFloat32(0);
    VIEW.setUint32(4, parseInt(word.slice(8), 16));
    return VIEW.getFloat64(0);
  }

  function half(bits) {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const sign = bits >> 15 ? -1 : 1;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
  }

  // All values of one string of bits.
  function decodeAll(text, dtype) {
    const width = DIGITS[dtype];
    return Float64Array.from({ length: text.length / width }, (_, k) =>
      decode(text.slice(k * width, (k + 1) * width), dtype),
    );
  }

  // The bits of a number that is one of the dtype's own.
  function encode(value, dtype) {
    if (dtype === "float16") return halfBits(value).toString(16).padStart(4, "0");
    if (dtype === "float64") VIEW.setFloat64(0, value);
    else VIEW.setFloat32(0, value);
    const words = [VIEW.getUint32(0), VIEW.getUint32(4)].map((one) => one.toString(16).padStart(8, "0"));
    return words.join("").slice(0, DIGITS[dtype]);
  }

  function halfBits(value) {
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    const size = Math.abs(value);
    if (!(size < Infinity)) return sign | (size === Infinity ? 0x7c00 : 0x7e00);
    const exponent = Math.max(binade(size), -14);
    const whole = size * 2 ** (10 - exponent);
    return sign | (whole < 1024 ? whole : ((exponent + 15) << 10) | (whole - 1024));
  }

  // The exponent e with 2^e <= |value| < 2^(e+1); that of the least subnormal number, for zero.
  function binade(value) {
    VIEW.setFloat64(0, value);
    const exponent = (VIEW.getUint16(0) >> 4) & 2047;
    if (exponent) return exponent - 1023;
    return value ? binade(value * 2 ** 60) - 60 : -1074;
  }

  // The spacing of a dtype at a value.
  function ulp(value, dtype) {
    const [digits, least] = FORMATS[dtype];
    return 2 ** (Math.max(binade(value), least) - digits + 1);
  }

  // The value of a dtype nearest to the real number that lies on `side` (1, 0, -1) of `value`, ties to even.
  // `value` is that number rounded to float64, so `side` decides nothing but what looks like a tie.
  function round(value, side, dtype) {
    if (dtype === "float64" || !Number.isFinite(value)) return value;
    const spacing = ulp(value, dtype);
    const scaled = value / spacing;
    const low = Math.floor(scaled);
    const part = scaled - low;
    const up = part > 0.5 || (part === 0.5 && (side > 0 || (side === 0 && low % 2 !== 0)));
    const found = (up ? low + 1 : low) * spacing;
    return found === 0 && (value < 0 || Object.is(value, -0)) ? -0 : found;
  }

  const subnormal = (value, dtype) => value !== 0 && Math.abs(value) < 2 ** FORMATS[dtype][1];

  // Seventeen significant digits: enough to tell any two float64 apart.
  function decimal17(value) {
    if (!Number.isFinite(value)) return String(value);
    return value.toPrecision(17);
  }

  // The shortest decimal that gives the value of its dtype back.
  function shortest(value, dtype) {
    if (!Number.isFinite(value) || value === 0) return Object.is(value, -0) ? "-0" : String(value);
    for (let digits = 1; digits < 17; digits++) {
      const text = Number(value.toPrecision(digits));
      if (round(text, 0, dtype) === value) return String(text);
    }
    return value.toPrecision(17);
  }

  return {
    DTYPES,
    DIGITS,
    FORMATS,
    decode,
    decodeAll,
    encode,
    binade,
    ulp,
    round,
    subnormal,
    decimal17,
    shortest,
  };
})();

if (typeof module === "object") module.exports = numbers;
