// Menus above a table, one for each column that asks for it, a search box, and a limit on the rows shown.
// Without JavaScript the whole table is there. TABLE and LIMIT are filled in by show.filterable.
(() => {
  const box = document.getElementById("TABLE"), limit = LIMIT;
  const table = box.querySelector("table"), rows = [...table.tBodies[0].rows];
  const texts = rows.map(row => [...row.cells].map(cell => cell.textContent));
  const bar = box.querySelector(".filters"), count = box.querySelector(".count"), all = box.querySelector("button");
  const menus = [];
  let shown = limit;

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text + " ", control);
    bar.append(label);
    control.addEventListener("input", () => { shown = limit; apply(); });
    return control;
  }

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.hasAttribute("data-menu")) return;
    const menu = labelled(head.textContent, document.createElement("select"));
    const values = [...new Set(texts.map(row => row[column]))];
    menu.append(new Option("all", ""), ...values.map(value => new Option(value || "(none)", "=" + value)));
    const start = "=" + (head.getAttribute("data-menu") || "\n");
    if ([...menu.options].some(option => option.value === start)) menu.value = start;
    menus.push([menu, column]);
  });
  const search = labelled("search", Object.assign(document.createElement("input"), {type: "search"}));

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    texts.forEach((row, i) => {
      const fits = menus.every(([menu, column]) => !menu.value || menu.value === "=" + row[column])
        && words.every(word => row.some(text => text.toLowerCase().includes(word)));
      rows[i].hidden = !fits || found >= shown;
      found += fits;
    });
    count.textContent = `${Math.min(found, shown)} of ${found} matching rows shown, ${rows.length} in all`;
    all.hidden = found <= shown;
  }

  all.addEventListener("click", () => { shown = Infinity; apply(); });
  apply();
})();
