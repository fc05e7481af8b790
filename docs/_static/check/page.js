"use strict";
// The page of the judge: a file comes in, the verdict, a table and the first wrong elements come out.

(() => {
  const HERE = new URL("vectors.js", document.currentScript.src).href;
  const { el } = report;
  const at = (id) => document.getElementById(id);
  const state = { bytes: null, name: "", loading: null };

  // The vectors are loaded when they are first needed.
  function vectors() {
    state.loading ??= new Promise((resolve, reject) => {
      const script = el("script", { src: HERE });
      script.onload = () => resolve(unpack(posrefVectors));
      script.onerror = () => reject(new Error("the vectors of this page cannot be loaded"));
      document.head.append(script);
    });
    return state.loading;
  }

  function say(kind, title, ...lines) {
    at("verdict").className = kind;
    at("verdict").replaceChildren(el("strong", {}, title), ...lines.map((line) => el("p", {}, line)));
  }

  async function take(bytes, name) {
    Object.assign(state, { bytes, name });
    at("report").replaceChildren();
    say("", "Judging ...", name);
    try {
      const corpus = await vectors();
      const file = results.read(bytes, corpus);
      at("hard").value = hasHard(file, corpus) ? "whole" : "wheel";
      show(corpus, file);
    } catch (fault) {
      refuse(fault);
    }
  }

  function hasHard(file, corpus) {
    const hard = corpus.tests.filter(
      (test) => test.set === "hard" && file.facts.operations.includes(test.operation),
    );
    const held = new Set([...file.lines.keys()].map((key) => key.split(" ")[0]));
    return !hard.length || hard.some((test) => held.has(test.id));
  }

  function refuse(fault) {
    if (!(fault instanceof results.Invalid)) throw fault;
    say("fail", "Not a results file", `${state.name}: ${fault.message}`);
  }

  async function again() {
    if (!state.bytes) return;
    const corpus = await vectors();
    try {
      show(corpus, results.read(state.bytes, corpus));
    } catch (fault) {
      refuse(fault);
    }
  }

  function show(corpus, file) {
    const options = { kind: at("kind").value || null, claims: at("claims").value === "file" };
    const found = judge.judge(corpus, file, { ...options, hard: at("hard").value === "whole" });
    const count = judge.overall(found);
    banner(corpus, file, count);
    const asked = { corpus, file, found, name: state.name, kind: options.kind };
    at("report").replaceChildren(...report.parts(asked));
  }

  function banner(corpus, file, count) {
    const { name, version, language } = file.facts;
    const ran = count.pass + count.fail + count.error + count.unjudged;
    const who = `${[name, version].filter(Boolean).join(" ")} (${language}), corpus ${corpus.corpus}`;
    const parts = [
      [count.pass, "passed"],
      [count.fail, "failed"],
      [count.error, "in error"],
      [count.unjudged, "left open"],
      [count.skipped, "skipped"],
      [count.uninformative, "uninformative"],
    ].filter(([number]) => number);
    const said = parts.map(([number, word]) => `${number} ${word}`).join(", ") || "nothing was asked";
    const [kind, title] = verdict(count, ran);
    say(kind, title, `${said}; ${count.elements.toLocaleString("en")} elements compared.`, who);
  }

  function verdict(count, ran) {
    const bad = count.fail + count.error;
    if (bad) return ["fail", `Wrong in ${bad} of ${ran} cases`];
    if (count.unjudged) return ["open", `Open in ${count.unjudged} of ${ran} cases`];
    return count.passed ? ["pass", `Right in all ${ran} cases`] : ["open", "Nothing ran"];
  }

  // ---- what comes in ----

  async function sample(name) {
    say("", "Judging ...", `the ${name} sample`);
    const text = (await vectors()).samples[name];
    if (text !== undefined) take(new TextEncoder().encode(text), `${name}.jsonl`);
  }

  async function file(chosen) {
    if (chosen) take(new Uint8Array(await chosen.arrayBuffer()), chosen.name);
  }

  function fragment() {
    const name = new URLSearchParams(location.hash.slice(1)).get("sample");
    if (name) sample(name);
  }

  const drop = at("drop");
  at("file").addEventListener("change", (event) => file(event.target.files[0]));
  for (const name of ["dragover", "dragleave", "drop"])
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") file(event.dataTransfer.files[0]);
    });
  for (const id of ["kind", "claims", "hard"]) at(id).addEventListener("change", again);
  for (const button of document.querySelectorAll("[data-sample]"))
    button.addEventListener("click", () => {
      history.replaceState(null, "", `#sample=${button.dataset.sample}`);
      sample(button.dataset.sample);
    });
  addEventListener("hashchange", fragment);
  fragment();
})();
