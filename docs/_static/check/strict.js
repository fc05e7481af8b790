"use strict";
// JSON read strictly: ASCII, no float, no key twice. Objects are Maps; integers beyond 2^53 are BigInt.

const strictJson = (() => {
  class Fault extends Error {}

  const SPACE = /[ \t\n\r]*/y;
  const NUMBER = /(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
  const PLAIN = /[ !#-[\]-\x7f]*/y;
  const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
  const WORDS = [
    ["true", true],
    ["false", false],
    ["null", null],
  ];
  const MOST_DIGITS = 4300;
  const DEEPEST = 64;

  function parse(text) {
    let at = 0;

    const fail = (message) => {
      throw new Fault(`${message} at character ${at}`);
    };

    function take(pattern) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found) at += found[0].length;
      return found;
    }

    function string() {
      at++;
      let found = "";
      for (;;) {
        found += take(PLAIN)[0];
        if (text[at] === '"') break;
        if (text[at] !== "\\") fail("a string does not end");
        found += escape();
      }
      at++;
      return found;
    }

    function escape() {
      const letter = text[at + 1];
      if (letter in ESCAPES) {
        at += 2;
        return ESCAPES[letter];
      }
      const digits = text.slice(at + 2, at + 6);
      if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) fail("no such escape");
      at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }

    function number() {
      const found = take(NUMBER);
      if (!found) fail("no value");
      if (found[3] || found[4]) fail(`a JSON float is not exact: ${found[0]}`);
      if (found[2].length > MOST_DIGITS) fail("an integer is too long");
      const value = Number(found[0]);
      if (Number.isSafeInteger(value)) return value + 0 || 0;
      return BigInt(found[0]);
    }

    function list(depth) {
      const found = [];
      at++;
      take(SPACE);
      if (text[at] === "]") return (at++, found);
      for (;;) {
        found.push(value(depth + 1));
        take(SPACE);
        if (text[at] === "]") return (at++, found);
        if (text[at++] !== ",") fail("a list needs a comma");
      }
    }

    function object(depth) {
      const found = new Map();
      at++;
      take(SPACE);
      if (text[at] === "}") return (at++, found);
      for (;;) {
        take(SPACE);
        if (text[at] !== '"') fail("an object needs a key");
        const key = string();
        if (found.has(key)) fail(`key '${key}' stands twice`);
        take(SPACE);
        if (text[at++] !== ":") fail("a key needs a colon");
        found.set(key, value(depth + 1));
        take(SPACE);
        if (text[at] === "}") return (at++, found);
        if (text[at++] !== ",") fail("an object needs a comma");
      }
    }

    function value(depth) {
      take(SPACE);
      const first = text[at];
      if (first === '"') return string();
      if (depth === DEEPEST && (first === "{" || first === "[")) fail(`is nested more than ${DEEPEST} deep`);
      if (first === "{") return object(depth);
      if (first === "[") return list(depth);
      for (const [word, meant] of WORDS) if (text.startsWith(word, at)) return ((at += word.length), meant);
      return number();
    }

    const found = value(0);
    take(SPACE);
    if (at < text.length) fail("there is more than one value");
    return found;
  }

  return { parse, Fault };
})();

if (typeof module === "object") module.exports = strictJson;
