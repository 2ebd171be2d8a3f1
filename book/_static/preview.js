// What a link leads to, on hover and on keyboard focus; Escape closes it. Not where a finger points, which cannot hover.
// The texts are the page's own templates (tools/site_previews.py); a citation's is the title of its link.
document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(pointer: coarse)").matches) return;
  const box = document.createElement("div");
  box.id = "link-preview";
  box.hidden = true;
  box.setAttribute("role", "tooltip");
  document.body.append(box);
  let shown = null, timer = 0;

  function hide() {
    clearTimeout(timer);
    box.hidden = true;
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
  }

  // Below the link, or above it where the window ends; never out of the window's sides.
  function place() {
    if (!shown) return;
    const line = [...shown.getClientRects()].pop(), room = document.documentElement.clientWidth - box.offsetWidth - 8;
    const below = line.bottom + 6, above = shown.getClientRects()[0].top - box.offsetHeight - 6;
    box.style.left = `${Math.max(8, Math.min(line.left, room)) + scrollX}px`;
    box.style.top = `${(below + box.offsetHeight > innerHeight && above > 0 ? above : below) + scrollY}px`;
  }

  function show(link, text) {
    hide();
    shown = link;
    if (window.MathJax && MathJax.typesetClear) MathJax.typesetClear([box]);
    box.replaceChildren(text.cloneNode(true));
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    place();
    if (window.MathJax && MathJax.typesetPromise) MathJax.typesetPromise([box]).then(place);
  }

  const later = (milliseconds, act) => { clearTimeout(timer); timer = setTimeout(act, milliseconds); };
  const texts = new Map([...document.querySelectorAll("template[data-preview]")]
    .map(template => [template.dataset.preview, template.content]));
  for (const link of document.querySelectorAll("main a.reference")) {
    const text = texts.get(link.getAttribute("href")) || (link.title && document.createTextNode(link.title));
    if (!text) continue;
    link.removeAttribute("title");  // the browser would show it too
    link.addEventListener("mouseenter", () => later(150, () => show(link, text)));
    link.addEventListener("focus", () => { if (link.matches(":focus-visible")) show(link, text); });
    link.addEventListener("mouseleave", () => later(200, hide));
    link.addEventListener("blur", hide);
  }
  // One may point at the preview itself, to read or to copy.
  box.addEventListener("mouseenter", () => clearTimeout(timer));
  box.addEventListener("mouseleave", () => later(200, hide));
  document.addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
});
