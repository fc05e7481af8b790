// Vector files and messages of the JSON wire: the same JSON, read exactly.

const VIEW = new DataView(new ArrayBuffer(8));
export const DIGITS = { float64: 16, float32: 8, bfloat16: 4 };

// Integers of sixteen digits and more become strings before JSON.parse rounds them.
export function parse(text) {
  return JSON.parse(text.replace(/(?<=[[,:]\s*)-?\d{16,}(?=\s*[\],}])/g, '"$&"'));
}

// {dtype, shape, data} as {dtype, shape, values}: numbers, BigInt where they are integers.
export function read({ dtype, shape, data }) {
  if (!(dtype in DIGITS)) return { dtype, shape, values: data.flat().map(BigInt) };
  const words = data.flatMap((line) => line.match(new RegExp(`.{${DIGITS[dtype]}}`, "g")));
  const values = words.map((word) => {
    VIEW.setBigUint64(0, BigInt("0x" + word.padEnd(16, "0")));
    return dtype === "float64" ? VIEW.getFloat64(0) : VIEW.getFloat32(0);
  });
  return { dtype, shape, values };
}

export function write({ dtype, shape, values }) {
  const width = shape.length ? shape.at(-1) : 1;
  const rows = (items) =>
    Array.from({ length: items.length / width || 0 }, (_, n) => items.slice(n * width, (n + 1) * width));
  if (!(dtype in DIGITS)) return { dtype, shape, data: rows(values.map(Number)) };
  const words = values.map((value) => {
    if (dtype === "float64") VIEW.setFloat64(0, value);
    else VIEW.setFloat32(0, value);
    return VIEW.getBigUint64(0).toString(16).padStart(16, "0").slice(0, DIGITS[dtype]);
  });
  return { dtype, shape, data: rows(words).map((row) => row.join("")) };
}

export function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
