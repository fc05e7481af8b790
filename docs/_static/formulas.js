// A formula in running text that is wider than its column scrolls inside itself and keeps its size.
const column = (at) => {
  let block = at.parentElement;
  while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
  const style = getComputedStyle(block);
  const sign = 0.7 * parseFloat(style.fontSize); // room for a comma
  return block.clientWidth - sign - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
};

const measure = () => {
  for (const at of document.querySelectorAll("article mjx-container:not([display])")) {
    if (!at.closest("table")) at.classList.toggle("long", at.firstElementChild.clientWidth > column(at));
  }
};

window.MathJax?.startup?.promise?.then(() => {
  measure();
  addEventListener("resize", measure);
  document.addEventListener("toggle", measure, true); // a box that opens
});
