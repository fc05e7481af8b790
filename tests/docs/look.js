// What test_every_page.py asks of a page: the value is an object of numbers and of lists of findings.
(async () => {
  await window.MathJax?.startup?.promise;
  await new Promise((done) => setTimeout(done));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = (root) => {
    const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.data.trim()) found.push(walker.currentNode);
    return found;
  };
  const article = document.querySelector("article") ?? document.body;
  const written = texts(article).filter((text) => !text.parentElement.closest("code, pre, script, style, mjx-container"));
  const inline = all("article mjx-container:not([display])").filter((at) => at.checkVisibility());

  const rows = (table) => [...table.tBodies].flatMap((body) => [...body.rows]);
  const idle = all("article table.docutils").filter((table) => {
    const cells = rows(table).map((row) => [...row.cells]);
    return cells[0]?.some((_, column) => cells.every((row) => !row[column]?.textContent.trim()));
  });

  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (colors) => {
    brush.clearRect(0, 0, 1, 1);
    for (const color of colors) { brush.fillStyle = color; brush.fillRect(0, 0, 1, 1); }
    return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const grounds = (at) => {
    const found = [];
    for (let one = at; one; one = one.parentElement) found.unshift(getComputedStyle(one).backgroundColor);
    return ["white", ...found.filter((color) => color !== "rgba(0, 0, 0, 0)")];
  };
  const contrasts = () => {
    const pairs = new Map();
    for (const text of texts(document.body)) {
      const at = text.parentElement;
      if (at.closest("script, style, noscript, mjx-container") || !at.checkVisibility()) continue;
      const { color, fill } = getComputedStyle(at), under = grounds(at), over = at.closest("svg") ? fill : color;
      const key = [...under, over].join(" ");
      if (!pairs.has(key)) pairs.set(key, { under, over, text: text.data.trim().slice(0, 40) });
    }
    return [...pairs.values()].map(({ under, over, text }) => {
      const [one, other] = [light(painted(under)), light(painted([...under, over]))];
      return { contrast: Math.max(one, other) / Math.min(one, other), text };
    });
  };
  const modes = {};
  for (const mode of ["light", "dark"]) {
    document.body.dataset.theme = mode;
    modes[mode] = contrasts();
  }

  return {
    formulas: all("mjx-container").length,
    faults: all("[data-mjx-error], mjx-merror").map((at) => at.outerHTML.slice(0, 80)),
    raw: written.map((text) => text.data.trim().slice(0, 80)).filter((text) => /\$|\\[([a-z]/.test(text)),
    shrunk: inline.map((at) => at.firstElementChild)
      .filter((svg) => svg.getBoundingClientRect().width < 0.98 * svg.width.baseVal.value).map((svg) => svg.parentElement.textContent),
    parted: written.filter((text) => /^[.,;:)]/.test(text.data) && text.previousSibling?.classList?.contains("math"))
      .map((text) => text.parentElement).filter((at) => !at.classList.contains("joined")).map((at) => at.textContent.slice(0, 40)),
    width: document.scrollingElement.scrollWidth,
    idle: idle.map((table) => table.textContent.trim().slice(0, 80)),
    figures: all("article img[src$='.svg']").map((at) => [at.src.split("/").pop(), at.clientWidth]),
    contrasts: modes,
  };
})()
