// The JSON wire: node wire.mjs [--wrong]
import { createInterface } from "node:readline";
import { answer, DTYPES, OPERATIONS, Refusal, Skip } from "./call.mjs";
import { mapped, parse, read, write } from "./tensors.mjs";

const wrong = process.argv.includes("--wrong");

function start() {
  const claims = Object.fromEntries(DTYPES.map((dtype) => [dtype, "f64-angle"]));
  const operations = Object.keys(OPERATIONS);
  return { name: "kernels", language: "JavaScript", version: "1", operations, dtypes: DTYPES, claims };
}

function run({ operation, params, inputs, dtype }) {
  try {
    return { outputs: mapped(answer(operation, params, mapped(inputs, read), dtype, wrong), write) };
  } catch (failure) {
    if (failure instanceof Skip) return { skipped: { reason: failure.message } };
    if (failure instanceof Refusal) return { error: { class: failure.kind, parameter: failure.parameter } };
    throw failure;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = parse(line);
  if (request.type === "stop") break;
  const reply = request.type === "start" ? start() : run(request);
  process.stdout.write(JSON.stringify({ seq: request.seq, ...reply }) + "\n");
}
process.exit(0);
