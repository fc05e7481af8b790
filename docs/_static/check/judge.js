"use strict";
// The verdict on every test, as `posref check --results` gives it, but for the names of mistakes.

const judge = ((numbers, results, elements) => {
  // How a case ends before values are compared.
  class Ended extends Error {
    constructor(verdict, reason) {
      super(reason);
      Object.assign(this, { verdict, reason });
    }
  }

  const skip = (reason) => {
    throw new Ended("skipped", reason);
  };
  const KINDS = ["value", "invalid", "scenario"];

  // A run over a file that has been read. `kind` null: all; `claims` false: the default of each dtype;
  // `hard` false: without the hard set.
  function judge(vectors, file, { kind = null, claims = true, hard = true } = {}) {
    const run = { vectors, file, claims: claims ? file.facts.claims : {} };
    const chosen = (one) => hard || one.set !== "hard";
    const tests = vectors.tests.filter((test) => chosen(test) && [null, test.kind].includes(kind));
    const scenes = [null, "scenario"].includes(kind) ? vectors.scenarios : [];
    const dtypes = [...numbers.DTYPES.filter((dtype) => file.facts.dtypes.includes(dtype)), "int64"];
    const found = [];
    for (const [own, attempt] of [
      [tests, single],
      [scenes, scenario],
    ])
      for (const dtype of dtypes)
        for (const test of own)
          if (isInteger(vectors, test) === (dtype === "int64"))
            found.push(concluded(run, test, dtype, attempt));
    return found;
  }

  const isInteger = (vectors, test) => test.integer ?? vectors.operations[test.operation].integer;

  // Whether a verdict of a whole run can be given, and which.
  function overall(found) {
    const count = { pass: 0, fail: 0, error: 0, skipped: 0, uninformative: 0, unjudged: 0 };
    for (const one of found) count[one.verdict]++;
    const ran = count.pass + count.fail + count.error;
    const passed = ran > 0 && !count.fail && !count.error && !count.unjudged;
    return { ...count, passed, elements: found.reduce((sum, one) => sum + one.elements, 0) };
  }

  function concluded(run, test, dtype, attempt) {
    const kind = test.steps ? "scenario" : test.kind;
    const result = { id: test.id, operation: test.operation, dtype: shown(run.vectors, test, dtype), kind };
    Object.assign(result, {
      comment: test.comment,
      reason: "",
      elements: 0,
      silent: 0,
      ratio: 0,
      first: null,
    });
    try {
      return Object.assign(result, attempt(run, test, dtype));
    } catch (ended) {
      if (ended instanceof Ended)
        return Object.assign(result, { verdict: ended.verdict, reason: ended.reason });
      throw ended;
    }
  }

  function shown(vectors, test, dtype) {
    if (dtype !== "int64" || test.steps) return dtype;
    return Object.values(vectors.operations[test.operation].outputs)[0] === "bool" ? "bool" : "int64";
  }

  // ---- single calls ----

  function single(run, test, dtype) {
    checkOffered(run, test, [test.operation]);
    if (test.kind === "value") checkStored(test, dtype);
    checkInputs(run, test, dtype);
    const line = found(run, test.id, dtype, 0);
    if (test.kind === "value") return compared([answered(run, test, dtype, line, test.strict)]);
    if (reply(run, test, line).error) return { verdict: "pass" };
    throw new Ended("fail", `answered an input that must be refused (${test.error[0]} of ${test.error[1]})`);
  }

  function checkOffered(run, test, operations) {
    const { facts } = run.file;
    if (!operations.every((name) => facts.operations.includes(name))) skip("operation not offered");
    const lacks = facts.lacks.filter((one) => test.requires.includes(one));
    if (lacks.length) skip(`lacks ${lacks.sort().join(", ")}`);
  }

  function checkStored(call, dtype) {
    for (const stored of Object.values(call.expected))
      if (!stored.dtype && !(dtype in stored.bound)) skip(`no expected value in ${dtype}`);
  }

  // Inputs are never rounded: what cannot be handed over is not asked.
  function checkInputs(run, call, dtype) {
    const { facts } = run.file;
    const asked = call.asked[dtype] ?? call.asked.int64;
    const missing = asked.needs.find((one) => !facts.dtypes.includes(one));
    if (missing) skip(`an input is stored as ${missing}, which is not offered`);
    if (asked.inexact) skip(asked.inexact);
    if (facts.flush && asked.subnormal) skip(asked.subnormal);
  }

  // What the file has for step `index` of a test: the line, or that entry of its steps.
  function found(run, id, dtype, index) {
    const line = run.file.lines.get(`${id} ${dtype}`);
    if (line === undefined) throw new Ended("error", "the file has no line for this test and dtype");
    if (!line.has("steps")) return { place: line, also: ["test", "dtype"] };
    const steps = line.get("steps");
    if ([...line.keys()].some((key) => !["test", "dtype", "steps"].includes(key)) || !Array.isArray(steps))
      throw new Ended("error", "malformed: a line with steps has test, dtype and a list");
    if (index >= steps.length) throw new Ended("error", `there is no step ${index}`);
    return { place: steps[index], also: [] };
  }

  function reply(run, call, { place, also }) {
    const want = Object.keys(run.vectors.operations[call.operation].outputs);
    try {
      const said = results.outcome(place, want, also, run.vectors);
      if (said.skipped) skip(said.skipped);
      return said;
    } catch (fault) {
      if (fault instanceof results.Malformed) throw new Ended("error", `malformed: ${fault.message}`);
      throw fault;
    }
  }

  // ---- values ----

  // Judge the outputs of one call: [{name, ...}] of each; ends where there is nothing to compare.
  function answered(run, call, dtype, line, strict) {
    const { outputs, error } = reply(run, call, line);
    if (error)
      throw new Ended("error", `refused: ${error.kind}${error.parameter ? ` of ${error.parameter}` : ""}`);
    const entry = run.vectors.operations[call.operation];
    const formed = Object.entries(outputs).map(([name, got]) =>
      inForm(name, got, call.expected[name], dtype),
    );
    return formed.map(({ name, got, stored }) => {
      if (stored.dtype)
        return {
          name,
          shape: stored.shape,
          dtype: stored.dtype,
          ...elements.integers(stored.data, got.values),
        };
      const claim = got.values.length ? claimOf(run, dtype) : "exact";
      const want = elements.wanted(stored, dtype);
      const values = run.file.facts.flush ? unflushed(got.values, want.data, dtype) : got.values;
      const judged = elements.floats(want, values, claim, dtype, strict);
      return { name, shape: stored.shape, dtype, ...judged, integer: entry.integer };
    });
  }

  function inForm(name, got, stored, dtype) {
    const own = stored.dtype ?? dtype;
    const whole = !numbers.DTYPES.includes(got.dtype);
    const held =
      whole && (own === "int64" || (own === "bool" && got.values.every((one) => "01".includes(one))));
    if (got.dtype !== own && !held)
      throw new Ended("fail", `${name} has dtype ${got.dtype} where ${own} is declared`);
    if (String(got.shape) !== String(stored.shape))
      throw new Ended("fail", `${name} has shape (${got.shape}) where (${stored.shape}) is declared`);
    return { name, got, stored };
  }

  function unflushed(values, data, dtype) {
    return values.map((got, k) => (got === 0 && numbers.subnormal(data[k], dtype) ? data[k] : got));
  }

  // The claim that decides; "bound" is the default one, whose bounds are stored with the values.
  function claimOf(run, dtype) {
    const claim = run.claims[dtype] ?? run.vectors.defaults[dtype];
    if (claim === run.vectors.defaults[dtype]) return "bound";
    if (claim in run.vectors.models)
      throw new Ended("unjudged", `the file claims ${claim}, whose bounds are not on this page`);
    return claim;
  }

  // One verdict on the outputs of all calls that were compared.
  function compared(calls) {
    const outputs = calls.flat();
    const wrong = outputs.find((one) => one.first);
    const sum = (key) => outputs.reduce((total, one) => total + one[key], 0);
    const ratio = Math.max(
      0,
      ...(wrong ? outputs.filter((one) => one.first) : outputs).map((one) => one.ratio),
    );
    const record = { elements: sum("elements"), silent: sum("silent"), ratio };
    if (wrong) return { ...record, verdict: "fail", reason: "", first: located(wrong) };
    return { ...record, verdict: record.elements || !record.silent ? "pass" : "uninformative" };
  }

  function located({ name, shape, dtype, first }) {
    const index = [];
    for (let [rest, axis] = [first.at, shape.length - 1]; axis >= 0; axis--) {
      index.unshift(rest % shape[axis]);
      rest = Math.floor(rest / shape[axis]);
    }
    return { ...first, output: name, index, dtype };
  }

  // ---- scenarios ----

  function scenario(run, test, dtype) {
    checkOffered(run, test, test.operations);
    for (const step of test.steps) checkStored(step, dtype);
    const calls = [];
    for (const [index, step] of test.steps.entries()) {
      checkInputs(run, step, dtype);
      try {
        calls.push(answered(run, step, dtype, found(run, test.id, dtype, index), step.strict));
      } catch (ended) {
        if (ended instanceof Ended && ["error", "fail"].includes(ended.verdict))
          throw new Ended(ended.verdict, `step ${index}: ${ended.reason}`);
        throw ended;
      }
      if (calls.at(-1).some((one) => one.first)) {
        const last = compared(calls.slice(-1));
        const elements = calls.flat().reduce((total, one) => total + one.elements, 0);
        return { ...last, elements, reason: `step ${index} of 0 to ${test.steps.length - 1}` };
      }
    }
    const whole = compared(calls);
    return { ...whole, verdict: whole.elements ? "pass" : "uninformative" };
  }

  return { judge, overall, KINDS };
})(
  typeof require === "function" ? require("../numbers.js") : numbers,
  typeof require === "function" ? require("./results.js") : results,
  typeof require === "function" ? require("./elements.js") : elements,
);

if (typeof module === "object") module.exports = judge;
