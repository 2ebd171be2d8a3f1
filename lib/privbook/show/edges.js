// How many of the pairs that symmetric randomised response reports are edges, and from which budget on most are.
(() => {
  const {shown, percent, labelled, input} = privgraphFigures.tools;
  const WIDE = 300, HIGH = 150, LEFT = 40, TOP = 10, MOST = 20; // as in reported_pairs.py
  const NODES = [100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000], DEGREES = [1, 2, 4, 8, 16, 32, 64];

  /** The break-even budget, how many pairs are reported on average, and which share of them is true. */
  function compute({nodes, degree, epsilon}) {
    const keep = 1 / (1 + Math.exp(-epsilon)), edges = nodes * degree / 2;
    const pairs = edges * keep + (nodes * (nodes - 1) / 2 - edges) * (1 - keep);
    return {star: Math.log((nodes - 1 - degree) / degree), pairs, true: edges * keep / pairs};
  }

  const place = (epsilon, share) => [LEFT + WIDE * epsilon / MOST, TOP + HIGH * (1 - share)].map(at => at.toFixed(1));

  function start(box) {
    const [bar, said, curve, line, dot] =
      [".controls", ".said", ".curve", ".star", ".here"].map(part => box.querySelector(part));
    const slider = (text, attributes) => labelled(bar, text, input({type: "range", min: 0, step: 1, ...attributes}), show);
    const sliders = [slider("people n", {max: NODES.length - 1, value: 3}),
      slider("neighbours d", {max: DEGREES.length - 1, value: 2}), slider("ε", {max: 2 * MOST, value: 8})];

    function show() {
      const nodes = NODES[sliders[0].value], degree = DEGREES[sliders[1].value], epsilon = sliders[2].value / 2;
      const found = compute({nodes, degree, epsilon}), many = number => Math.round(number).toLocaleString("en");
      [many(nodes), String(degree), shown(epsilon)].forEach((text, i) => sliders[i].setAttribute("aria-valuetext", text));
      const shares = [...Array(4 * MOST + 1).keys()].map(at => [at / 4, 1 / (1 + Math.exp(found.star - at / 4))]);
      curve.setAttribute("points", shares.map(each => place(...each).join()).join(" "));
      for (const end of ["x1", "x2"]) line.setAttribute(end, place(found.star, 0)[0]);
      ["cx", "cy"].forEach((name, i) => dot.setAttribute(name, place(epsilon, found.true)[i]));
      said.textContent = `${many(nodes)} people with ${degree} neighbour${degree > 1 ? "s" : ""} each: ` +
        `ε* = ${Number(found.star.toPrecision(3))}. At ε = ${shown(epsilon)}, ${percent(found.true)} of ` +
        `${many(found.pairs)} reported pairs are true (the dot).`;
    }
    show();
  }
  privgraphFigures.edges = {compute, start};
})();
