// What the figures share: labelled controls, numbers for people, rows of a table. Each figure adds an object to
// privgraphFigures: compute(inputs) gives its numbers, and start(box, told) brings the picture in the page to life.
(() => {
  const shown = value => Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "∞";
  const percent = chance => `${Number((100 * chance).toPrecision(3))} %`;

  /** A control with its label, put into a bar; every change of it calls listener. */
  function labelled(bar, text, control, listener) {
    const label = document.createElement("label");
    label.append(text + " ", control);
    bar.append(label);
    for (const event of ["input", "change"]) control.addEventListener(event, listener);
    return control;
  }

  const input = attributes => Object.assign(document.createElement("input"), attributes);

  function menu(choices, chosen) {
    const select = document.createElement("select");
    select.append(...choices.map(([value, text]) => new Option(text, value)));
    select.value = chosen;
    return select;
  }

  /** A table's head, a list of texts, and the rows of its body, likewise. */
  function fill(table, head, rows) {
    const line = (row, kind) => {
      const made = document.createElement("tr");
      made.append(...row.map(text => Object.assign(document.createElement(kind), {textContent: text})));
      return made;
    };
    table.tHead.replaceChildren(line(head, "th"));
    table.tBodies[0].replaceChildren(...rows.map(row => line(row, "td")));
  }

  window.privgraphFigures = {tools: {shown, percent, labelled, input, menu, fill}};
})();
