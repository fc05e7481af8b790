"use strict";
// Elements of SVG, and numbers short enough for an axis.

const shapes = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

  function el(tag, attributes = {}, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  const text = (x, y, said, more = {}) => el("text", { x, y, ...more }, said);

  function short(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3)
      return value
        .toExponential(size >= 1e6 ? 0 : 1)
        .replace("e+", "e")
        .replace(".0e", "e");
    return Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  }

  return { clamp, el, text, short };
})();
