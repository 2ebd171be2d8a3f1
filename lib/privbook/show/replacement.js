// One person reports her list of neighbours as GraphPrivatizer has her do it, name by name.
(() => {
  const {shown, percent, labelled, input, menu, fill} = privgraphFigures.tools;
  const MOST = {"threshold": Infinity, "most-similar": 1}; // candidates
  const HEAD = ["name", "cosine", "chance", "drawn"];
  const FILL = {person: "#F2B58F", neighbour: "#8FC1E3", candidate: "#D6EAF6", other: "#FFFFFF"};

  /** [name, cosine] of all who may take u's place in v's list; near: all neighbours of u, the most similar first. */
  const candidates = ({near, v, strategy, threshold}) =>
    near.filter(([w, cosine]) => w !== v && cosine >= threshold).slice(0, MOST[strategy]);

  /** The chance of each name that one slot may report. */
  function compute({u, epsilon, ...slot}) {
    const others = candidates(slot), total = 1 + others.length * Math.exp(-epsilon);
    return {[u]: 1 / total, ...Object.fromEntries(others.map(([w]) => [w, Math.exp(-epsilon) / total]))};
  }

  /** The name at a point of [0, 1), when names lie side by side, each as wide as its chance. */
  function drawn(chances, point) {
    for (const [name, chance] of chances) {
      if (point < chance) return name;
      point -= chance;
    }
    return chances[0][0]; // only where rounding left a crumb
  }

  function start(box, {near, person, random = Math.random}) {
    const [bar, said, table] = [".controls", ".said", ".results"].map(part => box.querySelector(part));
    const range = (text, low, high, step, value) => labelled(bar, text,
      input({type: "range", min: low, max: high, step, value}), again);
    const who = labelled(bar, "person", menu(near.map((_, v) => [v, v]), person), again);
    const how = labelled(bar, "strategy", menu([["threshold", "GP-t: all similar"],
      ["most-similar", "GP-m: the most similar"]], "threshold"), again);
    const epsilon = range("ε", 0.1, 5, 0.1, 1), threshold = range("threshold τ", -1, 1, 0.05, 0);
    const next = Object.assign(document.createElement("button"), {type: "button", textContent: "next"});
    bar.append(next);
    next.addEventListener("click", step);
    let [place, reported, asked] = [0, [], false]; // the slot, the names so far, whether its candidates are shown

    const list = () => near[who.value].map(([u]) => u).sort((a, b) => a - b);
    const slot = u => ({u, v: Number(who.value), near: near[u], strategy: how.value, epsilon: Number(epsilon.value),
                        threshold: Number(threshold.value)});

    function colour(u, others = [], name = null) {
      for (const node of box.querySelectorAll("[data-node]")) {
        const v = Number(node.dataset.node), disc = node.querySelector("circle");
        const role = v === Number(who.value) ? "person" : others.includes(v) ? "candidate"
          : list().includes(v) ? "neighbour" : "other";
        disc.setAttribute("fill", FILL[role]);
        disc.setAttribute("stroke-width", v === u || v === name ? 3 : others.includes(v) ? 1.8 : 0.8);
        disc.setAttribute("stroke-dasharray", v === name ? "3 2" : "none");
      }
    }

    function again() {
      [place, reported, asked] = [0, [], false];
      next.textContent = "next";
      fill(table, HEAD, []);
      colour(null);
      said.textContent = `ε = ${epsilon.value}, τ = ${threshold.value}. ${who.value}'s neighbours: ` +
        `${list().join(", ")}. Each is replaced, or not, in her turn.`;
    }

    function step() {
      if (place === list().length) return again();
      const u = list()[place], others = candidates(slot(u)), chances = compute(slot(u));
      const names = [u, ...others.map(([w]) => w)].map(name => [name, chances[name]]);
      asked = !asked;
      if (asked) {
        colour(u, others.map(([w]) => w));
        said.textContent = others.length ? `${u} may stay, or become one of ${others.length} of her own neighbours.`
          : `${u} has no candidate: she is reported for certain.`;
        const cosines = ["", ...others.map(([, cosine]) => cosine.toFixed(2))];
        fill(table, HEAD, names.map(([name, chance], i) => [name, cosines[i], percent(chance), ""]));
        return;
      }
      const point = random(), name = drawn(names, point);
      reported.push(name), place += 1;
      colour(u, others.map(([w]) => w), name);
      table.tBodies[0].rows[names.findIndex(([each]) => each === name)].cells[3].textContent = "yes";
      const done = place === list().length;
      next.textContent = done ? "again" : "next";
      said.textContent = `The draw is ${point.toFixed(3)}: ${name === u ? `${u} stays` : `${u} becomes ${name}`}. ` +
        `${done ? "Her report, sorted" : "So far"}: ${[...reported].sort((a, b) => a - b).join(", ")}.`;
    }
  }
  privgraphFigures.replacement = {compute, drawn, start};
})();
