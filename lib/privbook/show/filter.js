// Menus above a table, one for each column that asks for it, a search box, and a limit on the rows shown.
// The first rows are in the page and can be read without JavaScript; all rows are in the JSON beside the table:
// each text once, and rows as numbers of texts.
// TABLE and LIMIT are filled in by show.filterable.
(() => {
  const box = document.getElementById("TABLE"), limit = LIMIT;
  const [texts, told] = JSON.parse(box.querySelector("script[type='application/json']").textContent);
  const rows = told.map(row => row.map(number => texts[number]));
  const small = rows.map(row => row.map(text => text.toLowerCase()));
  const table = box.querySelector("table"), bar = box.querySelector(".filters");
  const count = box.querySelector(".count"), all = box.querySelector("button");
  const menus = [];
  let shown = limit;

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text + " ", control);
    bar.append(label);
    for (const event of ["input", "change"]) control.addEventListener(event, () => { shown = limit; apply(); });
    return control;
  }

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.hasAttribute("data-menu")) return;
    const menu = labelled(head.textContent, document.createElement("select"));
    const values = [...new Set(rows.map(row => row[column]))];
    menu.append(new Option("all", ""), ...values.map(value => new Option(value || "(none)", "=" + value)));
    const start = head.getAttribute("data-menu");
    if (start && values.includes(start)) menu.value = "=" + start;
    menus.push([menu, column]);
  });
  const search = labelled("search", Object.assign(document.createElement("input"), {type: "search"}));

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = menus.filter(([menu]) => menu.value);
    const found = rows.filter((row, i) => chosen.every(([menu, column]) => menu.value === "=" + row[column])
      && words.every(word => small[i].some(text => text.includes(word))));
    const body = document.createElement("tbody");
    for (const row of found.slice(0, shown)) {
      const line = body.insertRow();
      for (const text of row) line.insertCell().textContent = text;
    }
    table.tBodies[0].replaceWith(body);
    count.textContent = `${Math.min(found.length, shown)} of ${found.length} matching rows shown, ${rows.length} in all`;
    all.hidden = found.length <= shown;
  }

  all.addEventListener("click", () => { shown = Infinity; apply(); });
  apply();
})();
