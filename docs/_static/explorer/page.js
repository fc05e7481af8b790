"use strict";
// The explorer: controls, link and pictures kept in step.

(() => {
  const at = (id) => document.getElementById(id);
  const state = { now: explorerState.initial(), view: null, faults: new Map() };
  const PANELS = ["ladder", "table", "scores", "plane"];

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  // ---- values ----

  // Names and values. What has a unit, or "" for one, is a float64: it has all its digits and its bits.
  function read(host, pairs) {
    host.replaceChildren(
      ...pairs.flatMap(([name, value, unit]) => [
        el("dt", {}, unit ? `${name}, ${unit}` : name),
        el(
          "dd",
          { class: "number" },
          ...(unit === undefined ? [value.toLocaleString("en")] : written(value)),
        ),
      ]),
    );
  }

  function written(value) {
    return [
      el("b", {}, numbers.decimal17(value)),
      el("span", { class: "bits" }, numbers.encode(value, "float64")),
    ];
  }

  // ---- pictures ----

  function draw() {
    const view = attempt();
    if (!view) return;
    state.view = view;
    const specs = { ...view, plane: view.plane ?? view.weights };
    // All of them before any is drawn: the width of one depends on which others are there.
    for (const name of PANELS) at(`panel-${name}`).hidden = !specs[name];
    for (const name of PANELS.filter((one) => specs[one])) {
      const panel = at(`panel-${name}`);
      panel.querySelector("h3").textContent = specs[name].title;
      panel.querySelector(".said").textContent = specs[name].said;
      show(name, panel, specs[name]);
    }
  }

  function attempt() {
    try {
      const view = explorerModel.view(state.now);
      at("fault").textContent = "";
      return view;
    } catch (fault) {
      if (!(fault instanceof explorerModel.Refused)) throw fault;
      at("fault").textContent = fault.message;
      return null;
    }
  }

  function show(name, panel, spec) {
    const [plot, values] = [panel.querySelector(".plot"), panel.querySelector("dl")];
    plot.setAttribute("aria-label", `${spec.title}. ${spec.said} Arrow keys move the cursor.`);
    plot.classList.toggle("round", Boolean(spec.trail));
    for (const event of ["onpointermove", "onpointerdown", "onclick", "onkeydown"]) plot[event] = null;
    if (name === "table") {
      drawTable(plot, spec, { look: (r, c) => read(values, spec.at(r, c)) });
      read(values, spec.at(0, 0));
      return;
    }
    if (spec.trail) {
      drawPlane(plot, spec, { turn: (position) => change("position", position) });
      plot.onkeydown = (event) => {
        const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageUp: 16, PageDown: -16 };
        if (!(event.key in moves)) return;
        event.preventDefault();
        change("position", Math.max(0, state.now.position + moves[event.key]));
      };
      read(values, spec.at);
      return;
    }
    const chosen = spec.picks ? Math.min(state.now.pair, spec.x.values.length - 1) : null;
    const pick = spec.picks ? (i) => change("pair", i) : null;
    drawCurves(plot, spec, { look: (i) => read(values, spec.at(i)), pick, chosen });
    read(values, spec.at(chosen ?? Math.min(1, spec.x.values.length - 1)));
  }

  // ---- controls ----

  function control(field) {
    const id = `field-${field.key}`;
    const value = state.now[field.key];
    const input =
      field.kind === "choice"
        ? el(
            "select",
            { id },
            ...explorerState
              .values(field, state.now.scheme)
              .map((one) => el("option", one === value ? { selected: "" } : {}, one)),
          )
        : el("input", {
            id,
            type: "text",
            inputmode: field.kind === "list" ? "text" : "decimal",
            value: String(value),
            autocomplete: "off",
            spellcheck: "false",
            class: field.kind,
          });
    input.addEventListener(field.kind === "choice" ? "change" : "input", () => entered(field, input));
    return el(
      "label",
      { for: id, class: `field ${field.kind}` },
      el("span", {}, explorerState.label(field, state.now)),
      input,
    );
  }

  function entered(field, input) {
    const found = explorerState.read(field, input.value);
    input.toggleAttribute("aria-invalid", "fault" in found);
    if ("fault" in found) {
      at("fault").textContent = `${explorerState.label(field, state.now)} ${found.fault}`;
      return;
    }
    change(field.key, found.value, input);
  }

  const signature = (now) =>
    explorerState
      .shown(now)
      .map((field) => field.key + explorerState.label(field, now))
      .join();

  // Take a new value; the control it comes from keeps the text as it was typed.
  function change(key, value, from = null) {
    const before = signature(state.now);
    state.now = { ...state.now, [key]: value };
    history.replaceState(null, "", `#${explorerState.format(state.now)}`);
    at("model").value = "";
    if (before !== signature(state.now)) controls(from?.id);
    else fill(from);
    draw();
  }

  // Write the state into the controls that stand there.
  function fill(except = null) {
    for (const field of explorerState.fields(state.now.scheme)) {
      const input = at(`field-${field.key}`);
      if (!input || input === except) continue;
      input.value = String(state.now[field.key]);
      input.removeAttribute("aria-invalid");
    }
    slider();
  }

  function slider() {
    const view = state.now;
    at("slide").max = String(Math.max(256, 2 ** Math.ceil(Math.log2(view.position + 1))));
    at("slide").value = String(view.position);
  }

  const PLACES = {
    ladder: ["pair"],
    table: ["first", "step", "part"],
    scores: ["span", "vectors", "seed"],
    plane: ["position"],
  };

  function controls(focus) {
    const { scheme } = state.now;
    for (const input of document.querySelectorAll('[name="scheme"]')) input.checked = input.value === scheme;
    at("fields").replaceChildren(...explorerState.shown(state.now).map(control));
    for (const [name, keys] of Object.entries(PLACES)) {
      const own = explorerState.LOOK.filter((field) => keys.includes(field.key) && fits(field.key, scheme));
      at(`panel-${name}`)
        .querySelector(".look")
        .replaceChildren(...own.map(control));
    }
    at("slide").hidden = !["rope", "sinusoidal", "xpos"].includes(scheme);
    slider();
    if (focus) at(focus)?.focus();
  }

  function fits(key, scheme) {
    const turns = ["rope", "xpos"].includes(scheme);
    if (key === "part" || key === "vectors" || key === "seed") return turns;
    if (key === "position") return turns || scheme === "sinusoidal";
    return key !== "pair" || scheme !== "t5";
  }

  // ---- the link ----

  function load() {
    state.now = explorerState.parse(location.hash);
    controls();
    draw();
  }

  function choose(next) {
    state.now = { ...explorerState.initial(next.scheme), ...next };
    history.replaceState(null, "", `#${explorerState.format(state.now)}`);
    controls();
    draw();
  }

  function start() {
    for (const input of document.querySelectorAll('[name="scheme"]'))
      input.addEventListener("change", () => {
        at("model").value = "";
        choose({ scheme: input.value });
      });
    for (const input of document.querySelectorAll('[name="scheme"]')) {
      const own = explorerPresets.filter(
        (preset) => explorerState.parse(preset.fragment).scheme === input.value,
      );
      const options = own.map(({ name, title }) => el("option", { value: name }, title));
      if (own.length)
        at("model").append(el("optgroup", { label: input.nextSibling.textContent }, ...options));
    }
    at("model").addEventListener("change", () => {
      const found = explorerPresets.find((preset) => preset.name === at("model").value);
      if (found) choose(explorerState.parse(found.fragment));
    });
    at("slide").addEventListener("input", () => change("position", Number(at("slide").value)));
    addEventListener("hashchange", load);
    let width = at("explorer-app").clientWidth;
    new ResizeObserver(() => {
      if (width === at("explorer-app").clientWidth) return;
      width = at("explorer-app").clientWidth;
      requestAnimationFrame(draw); // drawn here, the change of height would be a resize within a resize
    }).observe(at("explorer-app"));
    new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    load();
  }

  start();
})();
