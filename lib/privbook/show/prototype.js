// How much noise hides one graph in a prototype: three prototypes, and a circle of one deviation around each.
(() => {
  const {shown, percent, labelled, input} = privgraphFigures.tools;
  const SIZE = 300; // as in noise_on_prototypes.py; C, the bound on a length, is a quarter of it
  const DELTA = 1e-5, SHOTS = [1, 2, 3, 5, 10, 20, 50, 100];

  /** The normal distribution function: the series near 0, the continued fraction further out. */
  function normal(x) {
    const density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI), far = Math.abs(x);
    if (far < 3) {
      let term = x, sum = x;
      for (let i = 1; Math.abs(term) > 1e-17 * Math.abs(sum); i++) sum += term *= x * x / (2 * i + 1);
      return 0.5 + density * sum;
    }
    let fraction = far;
    for (let i = 120; i > 0; i--) fraction = far + i / fraction;
    return x > 0 ? 1 - density / fraction : density / fraction;
  }

  /** The delta of Gaussian noise at epsilon, for a step of so many deviations (Balle and Wang 2018). */
  const exactDelta = (step, epsilon) =>
    normal(step / 2 - epsilon / step) - Math.exp(epsilon) * normal(-step / 2 - epsilon / step);

  /** How far one graph moves a mean of clipped rows, the least deviation that hides it, in units of C; and how likely
   * two prototypes that are C apart are swapped along the line that joins them. */
  function compute({epsilon, delta, shots}) {
    const step = 2 / shots;
    let low = 1e-4, high = 1e4; // of the step in deviations
    for (let i = 0; i < 200; i++) {
      const middle = Math.sqrt(low * high);
      if (exactDelta(middle, epsilon) <= delta) low = middle; else high = middle;
    }
    return {step, sigma: step / low, swapped: normal(-low / step / Math.SQRT2)};
  }

  function start(box) {
    const [bar, said] = [".controls", ".said"].map(part => box.querySelector(part));
    const [noise, steps] = [".noise", ".step"].map(part => [...box.querySelectorAll(part)]);
    const slider = (text, attributes) => labelled(bar, text, input({type: "range", step: 1, min: 0, ...attributes}), show);
    const sliders = [slider("ε", {max: 9, value: 4}), slider("shots K", {max: SHOTS.length - 1, value: 5})];

    function show() {
      const epsilon = 2 ** (sliders[0].value / 2 - 2), shots = SHOTS[sliders[1].value];
      const {step, sigma, swapped} = compute({epsilon, delta: DELTA, shots});
      [shown(epsilon), String(shots)].forEach((text, i) => sliders[i].setAttribute("aria-valuetext", text));
      for (const circle of noise) circle.setAttribute("r", Math.min(4 * SIZE, sigma * SIZE / 4).toFixed(1));
      for (const line of steps) line.setAttribute("x2", (Number(line.getAttribute("x1")) + step * SIZE / 4).toFixed(1));
      said.textContent = `ε = ${shown(epsilon)}, δ = ${DELTA}, ${shots} shot${shots > 1 ? "s" : ""}: one graph moves its ` +
        `prototype by at most ${shown(step)} C (the line), and the noise has deviation ${shown(sigma)} C in each ` +
        `coordinate (the circles). It swaps two prototypes that are C apart with probability ${percent(swapped)}.`;
    }
    show();
  }
  privgraphFigures.prototype = {compute, start};
})();
