"use strict";
// What a verdict is made of: the table, the first wrong elements, what was left out, what to do next.

const report = ((numbers) => {
  const SHOWN = 8;

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  // ---- the table ----

  function groups(found) {
    const by = new Map();
    for (const one of found) {
      const key = `${one.operation} ${one.dtype}`;
      if (!by.has(key)) by.set(key, []);
      by.get(key).push(one);
    }
    return [...by.values()].filter((group) => group.some((one) => one.verdict !== "skipped"));
  }

  function table({ found }) {
    const rows = groups(found).map(row);
    if (!rows.length) return null;
    const heads = ["operation", "dtype", "pass", "fail", "error", "skip", "elements", "err / bound"];
    const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
    const caption = el("caption", { class: "visually-hidden" }, "Verdicts by operation and dtype");
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Verdicts by operation and dtype" },
      el("table", {}, caption, el("thead", {}, head), el("tbody", {}, ...rows)),
    );
  }

  function row(group) {
    const number = (verdict) => group.filter((one) => one.verdict === verdict).length;
    const cell = (value, bad = false) =>
      el("td", { class: value ? (bad ? "bad" : "") : "zero" }, value.toLocaleString("en"));
    const elements = group.reduce((sum, one) => sum + one.elements, 0);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("code", {}, group[0].operation)),
      el("td", {}, group[0].dtype),
      cell(number("pass")),
      cell(number("fail"), true),
      cell(number("error"), true),
      cell(number("skipped")),
      cell(elements),
      gauge(Math.max(...group.map((one) => one.ratio)), elements),
    );
  }

  function gauge(ratio, elements) {
    if (!elements) return el("td", { class: "zero" }, "-");
    const bar = el("i", { style: `width:${Math.min(100, 100 * ratio)}%` });
    if (ratio > 1) bar.className = "over";
    const text =
      ratio === Infinity ? "none allowed" : ratio < 1000 ? ratio.toFixed(2) : ratio.toExponential(1);
    return el(
      "td",
      { class: ratio > 1 ? "bad" : "" },
      text,
      el("span", { class: "gauge", "aria-hidden": "true" }, bar),
    );
  }

  // ---- what is wrong ----

  function failures({ found, corpus }) {
    const bad = found.filter((one) => ["fail", "error"].includes(one.verdict));
    if (!bad.length) return null;
    const shown = bad
      .slice()
      .sort((a, b) => Boolean(b.first) - Boolean(a.first))
      .slice(0, SHOWN);
    const more = bad.length > SHOWN ? el("p", { class: "mute" }, `and ${bad.length - SHOWN} more`) : null;
    return el(
      "section",
      {},
      el("h3", {}, "First wrong elements"),
      ...shown.map((one, k) => failure(one, k === 0)),
      more,
    );
  }

  function failure(one, open) {
    const box = el("details", open ? { open: "" } : {});
    box.append(
      el(
        "summary",
        {},
        el("span", { class: "bad" }, one.verdict),
        " ",
        el("code", {}, one.id),
        ` in ${one.dtype}`,
      ),
    );
    if (one.comment) box.append(el("p", {}, `Why this case: ${one.comment}`));
    if (one.reason) box.append(el("p", {}, one.reason));
    if (one.first) box.append(element(one.first));
    return box;
  }

  function element(first) {
    const place = `${first.output}${first.index.length ? `[${first.index.join(", ")}]` : ""}`;
    const pairs = [
      ["element", place],
      ["got", written(first.got, first.dtype)],
      ["expected", written(first.expected, first.dtype)],
    ];
    const error = Math.abs(first.got - first.expected);
    if (numbers.DTYPES.includes(first.dtype) && Number.isFinite(error)) {
      pairs.push([
        "off by",
        `${short(error / numbers.ulp(first.expected, first.dtype))} ulp of ${first.dtype}`,
      ]);
      pairs.push([
        "that is",
        first.ratio === Infinity
          ? "where none is allowed"
          : `${short(first.ratio)} times the bound of ${short(error / first.ratio)}`,
      ]);
    }
    return el(
      "dl",
      {},
      ...pairs.flatMap(([name, text]) => [el("dt", {}, name), el("dd", { class: "number" }, text)]),
    );
  }

  const short = (value) =>
    value < 1e5 && value >= 1e-3 ? String(Number(value.toPrecision(3))) : value.toExponential(2);

  function written(value, dtype) {
    if (!numbers.DTYPES.includes(dtype)) return value;
    return `${numbers.shortest(value, dtype)}  (bits ${numbers.encode(value, dtype)})`;
  }

  function skips({ found, corpus, file }) {
    const reasons = new Map();
    for (const one of found)
      if (one.verdict === "skipped" || one.verdict === "unjudged")
        reasons.set(one.reason, (reasons.get(one.reason) ?? 0) + 1);
    const known = new Set([...corpus.tests, ...corpus.scenarios].map((test) => test.id));
    const strange = [...file.lines.keys()].filter((key) => !known.has(key.split(" ")[0]));
    if (strange.length) reasons.set(`of no test of this corpus, such as ${strange[0]}`, strange.length);
    if (!reasons.size) return null;
    const lines = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 12);
    return el(
      "section",
      {},
      el("h3", {}, "Left out"),
      el(
        "dl",
        {},
        ...lines.flatMap(([why, count]) => [el("dt", { class: "number" }, String(count)), el("dd", {}, why)]),
      ),
    );
  }

  function next({ found, name, kind }) {
    if (!found.some((one) => ["fail", "error", "unjudged"].includes(one.verdict))) return null;
    const file = /^[\w.-]+$/.test(name) ? name : "FILE";
    return el(
      "p",
      { class: "next" },
      "Which mistake it is: ",
      el("code", {}, `posref check --results ${file}${kind ? ` --kind ${kind}` : ""}`),
    );
  }

  // The parts of a report; `asked` is {corpus, file, found, name, kind}.
  const parts = (asked) => [table(asked), failures(asked), skips(asked), next(asked)].filter(Boolean);

  return { el, parts };
})(numbers);
