"use strict";
// One output beside what it must be: whether each element keeps the claim, by value, residual and bound.

const elements = ((numbers) => {
  const SIDES = { "+": 1, "-": -1, 0: 0 };

  // {data, side, bound, silent} of a stored output in a dtype: from float64 by one rounding.
  function wanted(stored, dtype) {
    const wide = numbers.decodeAll(stored.data, "float64");
    const side = Array.from(stored.residual, (mark) => SIDES[mark]);
    const data = wide.map((value, k) => numbers.round(value, side[k], dtype));
    data.forEach((value, k) => {
      if (value !== wide[k]) side[k] = wide[k] > value ? 1 : -1;
    });
    const bound = numbers.decodeAll(stored.bound[dtype], "bfloat16");
    return { data, side, bound, silent: new Set(stored.silent[dtype]) };
  }

  // The spacing at the real value: just below a power of two it is half the spacing above.
  function stepAtReal(value, side, dtype) {
    const spacing = numbers.ulp(Number.isFinite(value) ? value : 0, dtype);
    const power = value !== 0 && Math.abs(value) === 2 ** numbers.binade(value);
    return power && side * Math.sign(value) < 0 ? Math.max(spacing / 2, numbers.ulp(0, dtype)) : spacing;
  }

  // Whether the real value, within half a step on `side`, is so many steps or less away.
  function within(difference, side, limit, step) {
    if (side * difference > 0) return side * difference <= limit;
    return Math.abs(difference) <= limit - (Math.abs(side) * step) / 2;
  }

  const negative = (value) => value < 0 || Object.is(value, -0);

  // What a claim says of element k: {kept, allowed}; `claim` is a fixed one, ulp:k, or "bound".
  function judged(want, got, k, claim, dtype) {
    const [data, side] = [want.data[k], want.side[k]];
    const same = got === data;
    const number = Number.isFinite(got) && Number.isFinite(data);
    if (claim === "bound") {
      const near = want.silent.has(k) || Math.abs(got - data) <= want.bound[k];
      return { kept: same || (number && near), allowed: want.bound[k] };
    }
    const count = { exact: 0, correctly_rounded: 0.5, faithful: 1 }[claim] ?? Number(claim.slice(4));
    const allowed = (Number.isFinite(data) ? numbers.ulp(data, dtype) : 0) * count;
    if (claim === "exact") return { kept: same && side === 0, allowed };
    if (claim === "correctly_rounded") return { kept: same, allowed };
    const step = stepAtReal(data, side, dtype);
    if (claim === "faithful") return { kept: same || (number && got === data + side * step), allowed };
    return { kept: same || (number && within(got - data, side, count * step, step)), allowed };
  }

  // Judge the values of a float output. {elements, silent, ratio, first}: `first` is the first wrong element.
  function floats(want, values, claim, dtype, strict) {
    const found = { elements: 0, silent: 0, ratio: 0, first: null };
    let [right, wrong] = [0, 0];
    values.forEach((got, k) => {
      const one = judged(want, got, k, claim, dtype);
      const moved = strict && want.data[k] === 0 && want.bound[k] === 0;
      if (moved && negative(got) !== negative(want.data[k])) one.kept = false;
      if (one.kept && claim === "bound" && want.silent.has(k)) {
        found.silent++;
        return;
      }
      found.elements++;
      const ratio = multiple(got, want.data[k], one.allowed);
      if (one.kept) right = Math.max(right, ratio);
      else {
        wrong = Math.max(wrong, ratio);
        found.first ??= { at: k, got, expected: want.data[k], ratio };
      }
    });
    found.ratio = found.first ? wrong : right;
    return found;
  }

  // An error in units of what is allowed.
  function multiple(got, data, allowed) {
    const error = got === data ? 0 : Math.abs(got - data);
    if (error === 0) return 0;
    return Number.isNaN(error) || allowed === 0 ? Infinity : error / allowed;
  }

  // Judge the values of an output of integers, decimal texts.
  function integers(data, values) {
    const at = values.findIndex((got, k) => got !== data[k]);
    const far = values.some((got, k) => Number(got) !== Number(data[k]));
    const first = at < 0 ? null : { at, got: values[at], expected: data[at], ratio: Infinity };
    return { elements: values.length, silent: 0, ratio: far ? Infinity : 0, first };
  }

  return { wanted, floats, integers };
})(typeof require === "function" ? require("../numbers.js") : numbers);

if (typeof module === "object") module.exports = elements;
