// Reads every vector file through types that are generated from the JSON Schemas, and prints what it counted.
// Usage: node reader.js FOLDER
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AFileOfInputThatMustBeRefused as InvalidFile } from "./invalid";
import type { AFileOfAPublishedModel as ModelFile } from "./model";
import type { AFileOfScenarios as ScenarioFile } from "./scenario";
import type { AFileOfTheGoldenSet as GoldenFile } from "./golden";
import type { AFileOfTheHardSet as HardFile } from "./hard";
import type { AValueFileOfTheVectors as ValueFile, Output, Tensor } from "./value";
import type { TheManifestOfACorpus as Manifest } from "./manifest";

type VectorFile = ValueFile | InvalidFile | ModelFile | ScenarioFile | GoldenFile | HardFile;

const DIGITS = { float64: 16, float32: 8, bfloat16: 4, float16: 4 } as const;

/** The value of each element, from its bits. */
function values(tensor: Tensor): number[] {
  if (tensor.dtype === "int64" || tensor.dtype === "bool") return tensor.data.flat();
  const digits = DIGITS[tensor.dtype];
  const words = tensor.data.join("").match(new RegExp(`.{${digits}}`, "g")) ?? [];
  return words.map((word) => decode(word, tensor.dtype as keyof typeof DIGITS));
}

function decode(word: string, dtype: keyof typeof DIGITS): number {
  const view = new DataView(new ArrayBuffer(8));
  const bits = BigInt(`0x${word}`);
  if (dtype === "float64") {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (dtype !== "float16") {
    view.setUint32(0, dtype === "bfloat16" ? Number(bits) * 65536 : Number(bits));
    return view.getFloat32(0);
  }
  const [sign, exponent, fraction] = [bits >> 15n, Number((bits >> 10n) & 31n), Number(bits & 1023n)];
  const size = exponent === 31 ? (fraction ? NaN : Infinity)
    : exponent === 0 ? fraction * 2 ** -24
    : (1024 + fraction) * 2 ** (exponent - 25);
  return sign ? -size : size;
}

/** The tensors of one output: exactly one in a discrete output, one for each dtype of a real one. */
function tensors(output: Output): Tensor[] {
  return Object.values(output).filter((tensor) => tensor !== undefined);
}

function sized(tensor: Tensor, where: string): number {
  const wanted = tensor.shape.reduce((size, length) => size * length, 1);
  if (values(tensor).length !== wanted) throw new Error(`${where}: ${tensor.shape} are not its elements`);
  return wanted;
}

/** The number of expected elements of a file of values, every tensor decoded. */
function elements(file: ValueFile | ModelFile | HardFile): number {
  let count = 0;
  for (const group of file.groups)
    for (const test of group.tests) {
      for (const input of Object.values(test.inputs)) sized(input, test.id);
      for (const output of Object.values(test.expected)) {
        const sizes = tensors(output).map((tensor) => sized(tensor, test.id));
        count += sizes[0] ?? 0;
      }
    }
  return count;
}

function main(root: string): void {
  const manifest = JSON.parse(readFileSync(join(root, "manifest.json"), "utf8")) as Manifest;
  const counts: Record<string, number> = {};
  for (const entry of manifest.files) {
    const file = JSON.parse(readFileSync(join(root, entry.path), "utf8")) as VectorFile;
    const tests = file.groups.reduce((sum, group) => sum + group.tests.length, 0);
    if (tests !== entry.tests || tests !== file.number_of_tests)
      throw new Error(`${entry.path}: ${tests} tests`);
    const ofValues = file.kind === "value" || file.kind === "model" || file.kind === "hard";
    if (ofValues && elements(file) !== entry.elements) throw new Error(`${entry.path}: other elements`);
    counts[file.kind] = (counts[file.kind] ?? 0) + tests;
  }
  console.log(JSON.stringify(counts));
}

main(process.argv[2] ?? "vectors");
