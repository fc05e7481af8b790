// Calls by name: arguments are checked, outputs are tensors {dtype, shape, values}.
import { FLOATS, Refusal, Skip } from "./arguments.mjs";
import { ALIBI, SINUSOIDAL, T5 } from "./biases.mjs";
import { ROPE, XPOS } from "./rope.mjs";
import { SCALING } from "./scaling.mjs";

export { Refusal, Skip };
export const DTYPES = FLOATS;

// (params, inputs, dtype, wrong) -> outputs as {name: {shape, values}}
export const OPERATIONS = { ...ROPE, ...SCALING, ...XPOS, ...SINUSOIDAL, ...ALIBI, ...T5 };

// Answer a call; what overflows its dtype is refused, naming where the dtype came from.
export function answer(operation, params, inputs, dtype, wrong = false) {
  if (!OPERATIONS[operation]) throw new Skip("this operation is not offered");
  const outputs = OPERATIONS[operation](params, inputs, dtype, wrong);
  for (const tensor of Object.values(outputs)) {
    if (tensor.dtype === "int64") continue;
    const rounded = dtype === "float32" ? tensor.values.map(Math.fround) : tensor.values;
    if (rounded.some((value, i) => !Number.isFinite(value) && Number.isFinite(tensor.values[i])))
      throw new Refusal("OUT_OF_RANGE", inputs.x ? "x" : "dtype");
    Object.assign(tensor, { dtype, values: rounded });
  }
  return outputs;
}
