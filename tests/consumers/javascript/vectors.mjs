// The vector files, read directly: node vectors.mjs FOLDER [--wrong]
// FOLDER is the root of a corpus. Prints what is wrong, then the counts; exit code 1 if anything is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { answer, DTYPES, OPERATIONS, Refusal, Skip } from "./call.mjs";
import { mapped, parse, read } from "./tensors.mjs";

const [folder] = process.argv.slice(2);
const wrong = process.argv.includes("--wrong");
const counts = { right: 0, wrong: 0, skipped: 0 };

function count(what, test, dtype) {
  counts[what]++;
  if (what === "wrong") console.log(`wrong: ${test.id} in ${dtype}`);
}

// Main inputs come in the dtype under test where they are exact in it; null where one is not.
function inputsIn(test, dtype) {
  const inputs = mapped(test.inputs, read);
  if (inputs.x?.dtype.includes("float")) {
    if (dtype === "float32" && inputs.x.dtype === "float64") return null;
    inputs.x.dtype = dtype;
  }
  return inputs;
}

function right(got, want) {
  const [data, bound] = [read(want).values, read({ ...want, dtype: "bfloat16", data: want.bound }).values];
  if (String(got.shape) !== String(want.shape)) return false;
  return got.values.every((value, i) => value === data[i] || Math.abs(value - data[i]) <= bound[i]);
}

function judge(operation, params, test, dtype) {
  const inputs = inputsIn(test, dtype);
  const outputs = Object.entries(test.expected ?? {});
  if (!inputs || outputs.some(([, stored]) => !stored[dtype])) return "skipped";
  try {
    const got = answer(operation, params, inputs, dtype, wrong);
    if (test.error) return "wrong";
    return outputs.every(([name, stored]) => right(got[name], stored[dtype])) ? "right" : "wrong";
  } catch (failure) {
    if (failure instanceof Skip) return "skipped";
    if (failure instanceof Refusal) return test.error ? "right" : "wrong";
    throw failure;
  }
}

for (const operation of Object.keys(OPERATIONS)) {
  for (const suffix of ["", "_invalid"]) {
    const path = join(folder, "core", ...operation.split(".")) + suffix + ".json";
    if (!existsSync(path)) continue;
    for (const { params, tests } of parse(readFileSync(path, "ascii")).groups)
      for (const test of tests)
        for (const dtype of DTYPES) count(judge(operation, params, test, dtype), test, dtype);
  }
}
console.log(`${counts.right} right, ${counts.wrong} wrong, ${counts.skipped} skipped`);
process.exitCode = counts.wrong || !counts.right ? 1 : 0;
