// What epsilon and delta leave to an attacker who must tell two neighbours apart.
(() => {
  const {shown, percent, labelled, input} = privgraphFigures.tools;
  const DELTAS = [0, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5];
  const PLACE = {left: 40, top: 10, size: 200}; // of the unit square in the drawing, as in interactive.py

  /** The factor of the odds, the best guess between two neighbours, and the highest TPR at fpr. */
  function compute({epsilon, delta, fpr}) {
    const factor = Math.exp(epsilon);
    return {factor, guess: (factor + delta) / (factor + 1),
            tpr: Math.min(1, factor * fpr + delta, 1 - (1 - delta - fpr) / factor)};
  }

  /** The corners of the region of possible (FPR, TPR). At the outermost one 1 - FPR = TPR, which is the best guess. */
  function corners(epsilon, delta) {
    const {guess} = compute({epsilon, delta, fpr: 0});
    const above = [[0, delta], [1 - guess, guess], [1 - delta, 1]];
    return [[0, 0], ...above, [1, 1], ...above.map(([fpr, tpr]) => [1 - fpr, 1 - tpr])];
  }

  const at = ([fpr, tpr]) => [PLACE.left + PLACE.size * fpr, PLACE.top + PLACE.size * (1 - tpr)];

  function start(box) {
    const [bar, said, drawing] = [".controls", ".said", "svg"].map(part => box.querySelector(part));
    const slider = (text, attributes) => labelled(bar, text, input({type: "range", ...attributes}), show);
    const sliders = [slider("ε", {min: 0, max: 8, step: 0.1, value: 1}),
                     slider("δ", {min: 0, max: DELTAS.length - 1, step: 1, value: 0})];

    function show() {
      const epsilon = Number(sliders[0].value), delta = DELTAS[sliders[1].value];
      const {factor, guess} = compute({epsilon, delta, fpr: 0}), {tpr} = compute({epsilon, delta, fpr: 0.01});
      sliders[1].setAttribute("aria-valuetext", String(delta));
      said.textContent = `ε = ${epsilon.toFixed(1)}, δ = ${delta}: odds change by at most × ${shown(factor)}` +
        `${delta ? ", but for a chance of δ" : ""}. The best guess is right with probability at most ` +
        `${guess.toFixed(4)}. Who accuses 1 % wrongly accuses at most ${percent(tpr)} rightly.`;
      drawing.querySelector("polygon").setAttribute("points", corners(epsilon, delta).map(at).join(" "));
      const [x, y] = at([1 - guess, guess]), dot = drawing.querySelector("circle");
      dot.setAttribute("cx", x), dot.setAttribute("cy", y);
      drawing.setAttribute("aria-label", "Region of possible rates of accusation around the diagonal. Its outermost " +
        `corner is at FPR ${(1 - guess).toFixed(3)}, TPR ${guess.toFixed(3)}.`);
    }
    show();
  }
  privgraphFigures.odds = {compute, start};
})();
