"use strict";
// One pair on its plane: a point that turns with the position and can be dragged.

const drawPlane = (({ clamp, el }) => {
  // Draw a pair as a point on its plane; `turn(position)` is told where the point was dragged to.
  function plane(host, spec, { turn }) {
    const size = clamp(host.clientWidth, 240, 320);
    const [middle, reach] = [size / 2, size / 2 - 26];
    const most = Math.max(1, ...spec.trail.flat().map(Math.abs));
    const at = ([a, b]) => [middle + (a / most) * reach, middle - (b / most) * reach];
    const svg = el("svg", {
      viewBox: `0 0 ${size} ${size}`,
      width: size,
      height: size,
      "aria-hidden": "true",
    });
    svg.append(
      el("circle", { class: "rim", cx: middle, cy: middle, r: reach * Math.min(1, spec.factor / most) }),
    );
    svg.append(el("line", { class: "grid", x1: 12, x2: size - 12, y1: middle, y2: middle }));
    svg.append(el("line", { class: "grid", x1: middle, x2: middle, y1: 12, y2: size - 12 }));
    spec.trail.slice(0, -1).forEach((point, i, all) => {
      const [cx, cy] = at(point);
      svg.append(
        el("circle", { class: "past", cx, cy, r: 2.6, opacity: 0.15 + (0.65 * (i + 1)) / all.length }),
      );
    });
    const [px, py] = at(spec.trail.at(-1));
    svg.append(el("line", { class: "hand", x1: middle, y1: middle, x2: px, y2: py }));
    svg.append(el("circle", { class: "now", cx: px, cy: py, r: 7 }));
    host.replaceChildren(svg);

    function dragged(event) {
      const frame = svg.getBoundingClientRect();
      const scale = size / frame.width;
      const angle = Math.atan2(
        middle - (event.clientY - frame.top) * scale,
        (event.clientX - frame.left) * scale - middle,
      );
      const turned = spec.position * spec.frequency;
      const nearest = turned + Math.atan2(Math.sin(angle - turned), Math.cos(angle - turned));
      if (spec.frequency > 0) turn(clamp(Math.round(nearest / spec.frequency), 0, 2 ** 53));
    }

    host.onpointerdown = (event) => {
      host.setPointerCapture(event.pointerId);
      dragged(event);
    };
    host.onpointermove = (event) => event.buttons && dragged(event);
  }

  return plane;
})(shapes);
