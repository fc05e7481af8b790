// The judge of the page, without the page: node judge.mjs VECTORS.js OPTIONS RESULTS...
// Prints a list, an entry for each file: the verdicts, or {invalid: why}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";

const [script, options, ...files] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const [unpack, results, judge] = ["unpack", "results", "judge"].map((name) =>
  require(`../../docs/_static/check/${name}.js`),
);
const vectors = await unpack(runInNewContext(`${readFileSync(script, "ascii")}; posrefVectors`));

function judged(file) {
  try {
    return judge.judge(vectors, results.read(readFileSync(file), vectors), JSON.parse(options));
  } catch (fault) {
    if (fault instanceof results.Invalid) return { invalid: fault.message };
    throw fault;
  }
}

const readable = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
console.log(JSON.stringify(files.map(judged), readable));
