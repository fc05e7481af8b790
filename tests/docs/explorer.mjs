// The explorer without its page: node explorer.mjs < fragments, a line each.
// Prints a list: the fragment again, and what the ladder, the table and the scores say at given places.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const [states, model] = ["state", "model"].map((name) => require(`../../docs/_static/explorer/${name}.js`));

function shown(fragment) {
  const state = states.parse(fragment);
  const again = states.format(state);
  try {
    const view = model.view(state);
    const waves = view.plane ? model.ladder(state) : {};
    const curves = ["ladder", "scores", "weights"].filter((name) => view[name]);
    const series = Object.fromEntries(curves.map((name) => [name, view[name].series.at(-1).ys]));
    return {
      again,
      state,
      ...series,
      xs: view.scores.x.values,
      cells: view.table.cells,
      ...waves,
      plane: view.plane,
    };
  } catch (fault) {
    if (fault instanceof model.Refused) return { again, refused: fault.message };
    throw fault;
  }
}

const exact = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
console.log(JSON.stringify(readFileSync(0, "utf8").trim().split("\n").map(shown), exact));
