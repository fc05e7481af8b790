"use strict";
// A results file read strictly, as wire-protocol.C13 says: who wrote it, and a line for each test and dtype.

const results = ((numbers, strictJson) => {
  // The file is not one of results.
  class Invalid extends Error {}
  // A line is not a reply.
  class Malformed extends Error {}

  const LONGEST = 64 * 2 ** 20;
  const MOST = 10 ** 12;
  const MOST_AXES = 32;
  const RANGES = {
    int64: [-(2n ** 63n), 2n ** 63n - 1n],
    int32: [-(2n ** 31n), 2n ** 31n - 1n],
    uint8: [0n, 255n],
    bool: [0n, 1n],
  };
  const REQUIRED = ["name", "language", "version", "operations", "dtypes"];
  const OPTIONAL = ["claims", "axes", "sessions", "lacks", "flush_subnormals"];

  const isText = (value) => typeof value === "string" && value !== "";
  const isInteger = (value) => typeof value === "number" || typeof value === "bigint";

  function check(fine, message, Kind = Malformed) {
    if (!fine) throw new Kind(message);
  }

  // The members of an object with exactly these keys, and perhaps others.
  function record(value, required, optional = []) {
    check(value instanceof Map, "must be an object");
    for (const key of required) check(value.has(key), `'${key}' is missing`);
    for (const key of value.keys())
      check(required.includes(key) || optional.includes(key), `unknown key '${key}'`);
    return value;
  }

  // ---- replies ----

  // {outputs}, {error} or {skipped}; `want` names the outputs, `also` further keys of this line.
  function outcome(place, want, also, vectors) {
    check(place instanceof Map, "must be an object");
    const found = ["outputs", "error", "skipped"].filter((key) => place.has(key));
    check(found.length === 1, "must have one of the keys outputs, error, skipped");
    const inner = record(place, [...also, found[0]]).get(found[0]);
    if (found[0] === "outputs") {
      record(inner, want);
      return { outputs: Object.fromEntries(want.map((name) => [name, tensor(inner.get(name), name)])) };
    }
    if (found[0] === "skipped") {
      const reason = record(inner, ["reason"]).get("reason");
      check(isText(reason), "a reason must be a string that is not empty");
      return { skipped: reason };
    }
    record(inner, ["class", "parameter"], ["message"]);
    check(vectors.kinds.includes(inner.get("class")), "there is no such class of errors");
    for (const key of ["parameter", "message"])
      check(!inner.has(key) || typeof inner.get(key) === "string", `${key} must be a string`);
    return { error: { kind: inner.get("class"), parameter: inner.get("parameter") } };
  }

  // {dtype, shape, values}: numbers, or decimal texts where they are integers.
  function tensor(value, name) {
    record(value, ["dtype", "shape", "data"]);
    const [dtype, sizes, data] = ["dtype", "shape", "data"].map((key) => value.get(key));
    const float = numbers.DTYPES.includes(dtype);
    check(float || Object.hasOwn(RANGES, dtype), `${name} has no dtype of a reply`);
    const [count, width] = rows(shape(sizes, name));
    check(Array.isArray(data) && data.length === count, `${name} must have ${count} rows`);
    const read = float ? floats : integers;
    return { dtype, shape: sizes, values: read(data, width, dtype, name) };
  }

  function shape(sizes, name) {
    check(Array.isArray(sizes), `the shape of ${name} must be a list`);
    for (const size of sizes)
      check(isInteger(size) && size >= 0 && size <= MOST, `the shape of ${name} is out of range`);
    const all = sizes.reduce((product, size) => product * BigInt(Math.max(Number(size), 1)), 1n);
    check(all <= MOST, `${name} has too many elements`);
    check(sizes.length <= MOST_AXES, `${name} has more than ${MOST_AXES} axes`);
    return sizes;
  }

  function rows(sizes) {
    const size = sizes.reduce((product, one) => product * one, 1);
    if (size === 0) return [0, 0];
    const width = sizes.length ? sizes.at(-1) : 1;
    return [size / width, width];
  }

  function floats(data, width, dtype, name) {
    const digits = width * numbers.DIGITS[dtype];
    for (const row of data)
      check(
        typeof row === "string" && row.length === digits && /^[0-9a-fA-F]*$/.test(row),
        `a row of ${name} must be ${digits} hexadecimal digits`,
      );
    return numbers.decodeAll(data.join(""), dtype);
  }

  function integers(data, width, dtype, name) {
    const [least, most] = RANGES[dtype];
    for (const row of data) {
      check(Array.isArray(row) && row.length === width, `a row of ${name} must be ${width} integers`);
      for (const value of row)
        check(isInteger(value) && value >= least && value <= most, `${name} must hold integers in range`);
    }
    return data.flat().map(String);
  }

  // ---- the first line ----

  function facts(place, vectors) {
    const own = ["type", "protocol", "tree_sha256"];
    const members = record(place, [...own, ...REQUIRED], OPTIONAL);
    const get = (key) => members.get(key);
    const printable = (text) => typeof text === "string" && /^[ -~]{1,200}$/.test(text);
    for (const key of ["name", "language", "version"])
      check(printable(get(key)) || (key === "version" && get(key) === ""), `${key} is no such text`);
    const operations = distinct(get("operations"), Object.keys(vectors.operations), "operations");
    const dtypes = distinct(get("dtypes"), numbers.DTYPES, "dtypes");
    if (members.has("sessions")) distinct(get("sessions"), operations, "sessions");
    const lacks = members.has("lacks") ? distinct(get("lacks"), vectors.capabilities, "lacks") : [];
    const flush = members.has("flush_subnormals") ? get("flush_subnormals") : false;
    check(typeof flush === "boolean", "flush_subnormals must be true or false");
    const claims = members.has("claims") ? readClaims(get("claims"), vectors) : {};
    return {
      name: get("name"),
      language: get("language"),
      version: get("version"),
      operations,
      dtypes,
      lacks,
      flush,
      claims,
    };
  }

  function distinct(list, allowed, name) {
    check(Array.isArray(list), `${name} must be a list`);
    for (const one of list)
      check(isText(one) && allowed.includes(one), `${name}: there is no ${String(one)} here`);
    check(new Set(list).size === list.length, `${name} holds an entry twice`);
    return list;
  }

  function readClaims(members, vectors) {
    check(members instanceof Map, "claims must be an object");
    for (const [dtype, claim] of members) {
      check(numbers.DTYPES.includes(dtype), `there is no floating dtype ${dtype}`);
      check(isText(claim), "a claim must be a string");
      const fixed =
        ["exact", "correctly_rounded", "faithful"].includes(claim) || /^ulp:[1-9][0-9]{0,8}$/.test(claim);
      const models = Object.hasOwn(vectors.models, claim) && vectors.models[claim].includes(dtype);
      check(fixed || models, `the claim ${claim} is not made for ${dtype}`);
    }
    return Object.fromEntries(members);
  }

  // ---- the file ----

  function* split(bytes) {
    for (let start = 0, number = 1; start < bytes.length; number++) {
      const end = bytes.indexOf(10, start);
      const line = bytes.subarray(start, end < 0 ? bytes.length : end + 1);
      check(line.length <= LONGEST, `line ${number} has more than ${LONGEST} bytes`, Invalid);
      yield [number, line];
      start += line.length;
    }
  }

  function parse(number, line) {
    const wide = line.findIndex((byte) => byte > 127);
    check(wide < 0, `line ${number}: byte ${wide} is not ASCII`, Invalid);
    try {
      return strictJson.parse(new TextDecoder().decode(line));
    } catch (fault) {
      if (fault instanceof strictJson.Fault) throw new Invalid(`line ${number}: ${fault.message}`);
      throw fault;
    }
  }

  function head(place, vectors) {
    try {
      check(place instanceof Map, "must be an object");
      check(place.get("type") === "results", "'type' must be \"results\"");
      check(place.get("protocol") === 1, "'protocol' must be 1");
      if (place.has("axes")) check(place.get("axes") === "bhsd", "'axes' must be \"bhsd\"");
      const said = facts(place, vectors);
      const tree = place.get("tree_sha256");
      check(
        tree === vectors.tree_sha256,
        `another corpus was run than the one on this page, ${vectors.tree_sha256}`,
      );
      return said;
    } catch (fault) {
      if (fault instanceof Malformed) throw new Invalid(`line 1: ${fault.message}`);
      throw fault;
    }
  }

  // {facts, lines}: `lines` from "test dtype" to what stands there. Throws Invalid where it is no such file.
  function read(bytes, vectors) {
    const lines = new Map();
    let said = null;
    for (const [number, line] of split(bytes)) {
      const place = parse(number, line);
      if (said === null) {
        said = head(place, vectors);
        continue;
      }
      const fine = (one, message) => check(one, `line ${number}: ${message}`, Invalid);
      fine(place instanceof Map, "must be an object");
      const [test, dtype] = [place.get("test"), place.get("dtype")];
      fine(isText(test), "'test' is missing or no text");
      fine([...numbers.DTYPES, "int64"].includes(dtype), "'dtype' is missing or none");
      const key = `${test} ${dtype}`;
      fine(!lines.has(key), `${test} in ${dtype} came before`);
      lines.set(key, place);
    }
    check(said !== null, "is empty", Invalid);
    return { facts: said, lines };
  }

  return { read, outcome, Invalid, Malformed };
})(
  typeof require === "function" ? require("../numbers.js") : numbers,
  typeof require === "function" ? require("./strict.js") : strictJson,
);

if (typeof module === "object") module.exports = results;
