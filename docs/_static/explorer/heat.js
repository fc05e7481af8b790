"use strict";
// Tables as colours on a canvas, with a cell for pointer and arrow keys.

const drawTable = (({ clamp, short }) => {
  function colours() {
    const style = getComputedStyle(document.body);
    return ["--heat-low", "--heat-mid", "--heat-high"].map((name) => {
      const hex = style.getPropertyValue(name).trim().slice(1);
      return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
    });
  }

  function heat([low, high], [cold, middle, warm]) {
    const signed = low < 0 && high > 0;
    return (value) => {
      const part = signed ? value / Math.max(-low, high) : high === low ? 0 : (value - low) / (high - low);
      const [towards, size] = signed && part < 0 ? [cold, -part] : [warm, part];
      const mixed = middle.map((one, i) => Math.round(one + (towards[i] - one) * clamp(size, 0, 1)));
      return `rgb(${mixed.join(",")})`;
    };
  }

  // Draw a table into `host`; `look(r, c)` is told which cell the cursor is at.
  function table(host, spec, { look }) {
    const width = Math.max(260, host.clientWidth);
    const [rows, columns] = [spec.cells.length, spec.cells[0].length];
    const box = { left: 58, top: 14, width: width - 72, height: clamp(width * 0.8, 230, 380) - 54 };
    const canvas = document.createElement("canvas");
    const ratio = devicePixelRatio || 1;
    const height = box.top + box.height + 40;
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    canvas.setAttribute("aria-hidden", "true");
    const draw = canvas.getContext("2d");
    draw.scale(ratio, ratio);
    const colour = heat(spec.span, colours());
    const [w, h] = [box.width / columns, box.height / rows];
    const edge = (place) => Math.round(place * ratio) / ratio; // on whole pixels, or seams show
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        if (!Number.isFinite(spec.cells[r][c])) continue;
        draw.fillStyle = colour(spec.cells[r][c]);
        const [left, top] = [edge(box.left + c * w), edge(box.top + r * h)];
        draw.fillRect(left, top, edge(box.left + (c + 1) * w) - left, edge(box.top + (r + 1) * h) - top);
      }
    labels(draw, spec, box, w, h);
    const cursor = document.createElement("span");
    cursor.className = "cell";
    cursor.hidden = true;
    host.replaceChildren(canvas, cursor);
    let [row, column] = [0, 0];

    function stand(r, c) {
      [row, column] = [clamp(r, 0, rows - 1), clamp(c, 0, columns - 1)];
      cursor.hidden = false;
      Object.assign(cursor.style, {
        left: `${box.left + column * w}px`,
        top: `${box.top + row * h}px`,
        width: `${w}px`,
        height: `${h}px`,
      });
      look(row, column);
    }

    host.onpointermove = (event) => {
      const frame = host.getBoundingClientRect();
      stand(
        Math.floor((event.clientY - frame.top - box.top) / h),
        Math.floor((event.clientX - frame.left - box.left) / w),
      );
    };
    host.onkeydown = (event) => {
      const moves = {
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        Home: [-rows, -columns],
        End: [rows, columns],
      };
      if (!(event.key in moves)) return;
      event.preventDefault();
      stand(row + moves[event.key][0], column + moves[event.key][1]);
    };
  }

  function labels(draw, spec, box, w, h) {
    const style = getComputedStyle(document.body);
    draw.fillStyle = style.getPropertyValue("--color-foreground-muted").trim() || "#666";
    draw.font = "11px system-ui, sans-serif";
    draw.textAlign = "right";
    const { rows, columns } = spec;
    const every = (count, room) =>
      Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(1, (count * room) / box.height))));
    for (let r = 0; r < rows.values.length; r += every(rows.values.length, 22))
      draw.fillText(short(rows.values[r]), box.left - 7, box.top + r * h + Math.min(h, 11));
    draw.textAlign = "center";
    const wide = Math.max(1, 2 ** Math.ceil(Math.log2(columns.values.length / Math.max(2, box.width / 70))));
    for (let c = 0; c < columns.values.length; c += wide)
      draw.fillText(short(columns.values[c]), box.left + (c + 0.5) * w, box.top + box.height + 16);
    draw.textAlign = "right";
    draw.font = "italic 11px system-ui, sans-serif";
    draw.fillText(columns.name, box.left + box.width, box.top + box.height + 33);
    draw.textAlign = "left";
    draw.fillText(rows.name, box.left, box.top - 4);
  }

  return table;
})(shapes);
