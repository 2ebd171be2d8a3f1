// Which method at which budget: what was measured on a graph, the most accurate first, beside what costs nothing.
(() => {
  const {labelled, input, menu, fill} = privgraphFigures.tools;
  const HEAD = ["method", "", "accuracy"];

  /** The highest accuracy, and how far it is above what costs nothing. */
  function compute({accuracies, free}) {
    const best = Math.max(...accuracies);
    return {best, lead: best - free};
  }

  function start(box, {units, budgets, first, clearly}) {
    const [bar, said, place, table, command] = [".controls", ".said", ".place", ".results", ".command"]
      .map(part => box.querySelector(part));
    const secret = labelled(bar, "what is secret", menu(Object.entries(units).map(([unit, {name}]) => [unit, name]),
      first[0]), change);
    const graph = labelled(bar, "a graph like", menu([], ""), show);
    const labels = labelled(bar, "neighbours' labels", menu([["summed", "may be summed"], ["", "are not summed"]],
      "summed"), show);
    const slider = labelled(bar, "ε", input({type: "range", min: 0, max: budgets.length - 1, step: 1, value: first[2]}),
      show);

    function change() {
      graph.replaceChildren(...Object.keys(units[secret.value].graphs).map(name => new Option(name, name)));
      labels.disabled = secret.value !== "edge"; // else there is nothing to choose
      show();
    }

    /** A row's bar in its second cell, as long as its accuracy; what costs nothing is hatched. */
    function draw(rows) {
      [...table.tBodies[0].rows].forEach((line, i) => {
        line.cells[1].className = rows[i].free ? "bar free" : "bar";
        line.cells[1].style.setProperty("--share", rows[i].accuracy);
      });
    }

    function show() {
      const {what, graphs} = units[secret.value], {sizes, free, methods} = graphs[graph.value];
      const budget = budgets[slider.value], all = labels.disabled || labels.value === "summed";
      const tried = methods.filter(each => all || !each.labels)
        .map(each => ({text: each.name, typed: each.typed, accuracy: each.accuracies[slider.value]}));
      const {best, lead} = compute({accuracies: tried.map(each => each.accuracy), free: free[1]});
      const rows = [...tried, {text: `for nothing: ${free[0]}`, accuracy: free[1], free: true}]
        .sort((one, other) => other.accuracy - one.accuracy);
      const {typed} = tried.find(each => each.accuracy === best), ahead = `${Math.abs(lead).toFixed(1)} points`;
      slider.setAttribute("aria-valuetext", String(budget));
      said.textContent = `${what[0].toUpperCase()}${what.slice(1)} is secret, at a true ε of ${budget}. ` +
        `On ${graph.value}, ${typed.split(" ")[0]} was best, with ${best.toFixed(1)} % of test nodes right. That is ` +
        `${ahead} ${lead < 0 ? "less" : "more"} than ${free[0]} has for nothing` +
        (lead < clearly ? ": do not spend the budget." : ". One graph says little of another, so try it.");
      place.textContent = `${graph.value}: ${sizes}`;
      fill(table, HEAD, rows.map(({text, accuracy}) => [text, "", `${accuracy.toFixed(1)} %`]));
      draw(rows);
      const words = typed.replace(/([\d.]+)\*epsilon/g, (_, share) => String(share * budget));
      command.replaceChildren(lead < clearly ? "" : "Try: ", Object.assign(document.createElement("code"), {textContent:
        lead < clearly ? "" : `privgraph run ${words}${words === typed ? ` --epsilon ${budget}` : ""} --graph FILE.npz`}));
    }
    change();
  }
  privgraphFigures.advice = {compute, start};
})();
