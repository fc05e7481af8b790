"use strict";
// Curves over pairs or distances, as SVG, with a cursor for pointer and arrow keys.

const drawCurves = (({ clamp, el, text, short }) => {
  // ---- axes ----

  function nice(low, high, count) {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
    return found;
  }

  function decades(low, high, count) {
    const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const every = Math.max(1, Math.ceil((to - from + 1) / count));
    const found = [];
    for (let k = from; k <= to; k += every) found.push(10 ** k);
    return found.length > 1 ? found : [low, high];
  }

  // {at, ticks} of an axis from values to pixels.
  function axis(low, high, start, end, log, count) {
    const place = log ? Math.log10 : (value) => value;
    const [from, to] = [place(low), place(high)];
    const at = (value) => start + ((place(value) - from) / (to - from || 1)) * (end - start);
    return { at, ticks: log ? decades(low, high, count) : nice(low, high, count) };
  }

  function extent(spec) {
    const values = [...spec.series.flatMap((one) => one.ys), ...spec.lines.map((one) => one.y)];
    const finite = values.filter((value) => Number.isFinite(value) && (!spec.y.log || value > 0));
    let [low, high] = finite.reduce(
      ([a, b], one) => [Math.min(a, one), Math.max(b, one)],
      [Infinity, -Infinity],
    );
    if (!finite.length) [low, high] = [1, 10];
    if (spec.y.log) return [low / 1.6, high * 2.5];
    if (low === high) [low, high] = [low - 1, high + 1];
    const room = (high - low) * 0.06;
    return [low - room, high + room];
  }

  // ---- curves ----

  // Draw a plot into `host`; `look(i)` is told which point the cursor is at, `pick(i)` which is chosen.
  function curves(host, spec, { look, pick, chosen }) {
    const width = Math.max(260, host.clientWidth);
    const height = Math.round(clamp(width * 0.58, 210, 320));
    const box = { left: 58, right: width - 14, top: 14, bottom: height - 40 };
    const xs = spec.x.values;
    const x = axis(xs[0], xs.at(-1), box.left + 6, box.right - 6, false, width < 420 ? 4 : 7);
    const y = axis(...extent(spec), box.bottom, box.top, spec.y.log, 6);
    const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    svg.append(...grid(spec, x, y, box, height));
    for (const one of spec.lines) svg.append(...level(one, y, box));
    for (const one of spec.series) svg.append(series(one, xs, x, y));
    const cursor = el(
      "g",
      { class: "cursor", visibility: "hidden" },
      el("line", { y1: box.top, y2: box.bottom }),
      el("circle", { r: 4.5 }),
    );
    const mark = el("circle", { class: "chosen", r: 6.5, visibility: "hidden" });
    svg.append(mark, cursor);
    host.replaceChildren(svg);
    const main = spec.series.at(-1).ys;

    function move(node, i) {
      const fine = Number.isFinite(main[i]) && (!spec.y.log || main[i] > 0);
      node.setAttribute("visibility", fine ? "visible" : "hidden");
      if (fine)
        node.setAttribute("transform", `translate(${x.at(xs[i])} ${node === mark ? y.at(main[i]) : 0})`);
      if (fine && node === cursor) node.lastChild.setAttribute("cy", y.at(main[i]));
    }

    function nearest(event) {
      const place = event.clientX - host.getBoundingClientRect().left;
      return clamp(
        Math.round(((place - box.left - 6) / (box.right - box.left - 12)) * (xs.length - 1)),
        0,
        xs.length - 1,
      );
    }

    if (chosen !== null && chosen < xs.length) move(mark, chosen);
    pointed(
      host,
      xs.length,
      nearest,
      (i) => {
        move(cursor, i);
        look(i);
      },
      pick,
    );
    return (i) => move(cursor, clamp(i, 0, xs.length - 1));
  }

  function grid(spec, x, y, box, height) {
    const found = [];
    for (const tick of y.ticks) {
      found.push(el("line", { class: "grid", x1: box.left, x2: box.right, y1: y.at(tick), y2: y.at(tick) }));
      found.push(text(box.left - 7, y.at(tick) + 4, short(tick), { "text-anchor": "end" }));
    }
    for (const tick of x.ticks)
      if (x.at(tick) <= box.right)
        found.push(text(x.at(tick), box.bottom + 17, short(tick), { "text-anchor": "middle" }));
    found.push(text(box.right, height - 6, spec.x.name, { class: "name", "text-anchor": "end" }));
    found.push(text(box.left, box.top - 3, spec.y.name, { class: "name", "text-anchor": "start" }));
    return found;
  }

  function level(one, y, box) {
    const at = y.at(one.y);
    const line = el("line", {
      class: one.name ? "level" : "zero",
      x1: box.left,
      x2: box.right,
      y1: at,
      y2: at,
    });
    return one.name ? [line, text(box.left + 8, at - 5, one.name, { class: "level" })] : [line];
  }

  function series(one, xs, x, y) {
    const group = el("g", { class: one.style });
    const points = one.ys
      .map((value, i) => [x.at(xs[i]), y.at(value), value])
      .filter((point) => Number.isFinite(point[1]));
    if (one.style === "dots" || one.style === "faint") {
      const radius = points.length > 160 ? 1.6 : points.length > 70 ? 2.2 : 3;
      for (const [px, py, value] of points)
        group.append(el("circle", { cx: px, cy: py, r: radius, class: value > one.over ? "over" : "" }));
    } else {
      const go = ([px, py], i) =>
        (!i ? "M" : one.steps ? `H${px.toFixed(1)}V` : "L") +
        (one.steps && i ? "" : `${px.toFixed(1)} `) +
        py.toFixed(1);
      group.append(el("path", { d: points.map(go).join("") }));
    }
    return group;
  }

  // Pointer and arrow keys move a cursor over `count` points; a click or Enter picks.
  function pointed(host, count, nearest, look, pick) {
    host.onpointermove = (event) => look((host.cursor = nearest(event)));
    host.onclick = (event) => pick?.(nearest(event));
    host.onkeydown = (event) => {
      const moves = {
        ArrowLeft: -1,
        ArrowDown: -1,
        ArrowRight: 1,
        ArrowUp: 1,
        PageUp: 10,
        PageDown: -10,
        Home: -count,
        End: count,
      };
      if (event.key in moves)
        look((host.cursor = clamp((host.cursor ?? 0) + moves[event.key], 0, count - 1)));
      else if (event.key === "Enter" && pick) pick(host.cursor ?? 0);
      else return;
      event.preventDefault();
    };
  }

  return curves;
})(shapes);
