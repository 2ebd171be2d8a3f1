// Two clients' embeddings of the same people: one is turned by hand, or as Procrustes alignment does.
(() => {
  const {shown, labelled, input, menu} = privgraphFigures.tools;
  const SIZE = 300, EDGE = 14; // as in turning.py
  const at = ([x, y]) => [SIZE / 2 + (SIZE / 2 - EDGE) * x, SIZE / 2 - (SIZE / 2 - EDGE) * y];

  /** A point turned anticlockwise by so many degrees; where it is reflected, that comes last, on the first axis. */
  function turned([x, y], degree, reflected) {
    const c = Math.cos(degree * Math.PI / 180), s = Math.sin(degree * Math.PI / 180);
    return [c * x - s * y, (reflected ? -1 : 1) * (s * x + c * y)];
  }

  const misfit = (theirs, mine, degree, reflected) => theirs.reduce((sum, point, i) => {
    const [x, y] = turned(point, degree, reflected);
    return sum + (x - mine[i][0]) ** 2 + (y - mine[i][1]) ** 2;
  }, 0);

  /** The angle at which the misfit is smallest: its cosine part and its sine part are sums over people. */
  function bestDegree(theirs, mine, reflected) {
    let along = 0, across = 0;
    theirs.forEach(([x, y], i) => {
      const [p, q] = [mine[i][0], (reflected ? -1 : 1) * mine[i][1]];
      along += x * p + y * q, across += x * q - y * p;
    });
    return (Math.atan2(across, along) * 180 / Math.PI + 360) % 360;
  }

  /** The misfit as turned, and the smallest there is. */
  function compute({theirs, mine, degree, reflected}) {
    const best = [false, true].map(each => misfit(theirs, mine, bestDegree(theirs, mine, each), each));
    return {misfit: misfit(theirs, mine, degree, reflected), best: Math.min(...best)};
  }

  function start(box, {theirs, mine, unit}) {
    const [bar, said] = [".controls", ".said"].map(part => box.querySelector(part));
    const [others, joins] = [".other", ".joins line"].map(part => [...box.querySelectorAll(part)]);
    const slider = labelled(bar, "degrees", input({type: "range", min: 0, max: 360, step: 1, value: 0}), show);
    const mirror = labelled(bar, "reflection", menu([["", "none"], ["yes", "reflected"]], ""), show);
    const button = Object.assign(document.createElement("button"), {type: "button", textContent: "align"});
    bar.append(button);
    button.addEventListener("click", () => {
      const [plain, other] = [false, true].map(each => misfit(theirs, mine, bestDegree(theirs, mine, each), each));
      mirror.value = other < plain ? "yes" : "";
      slider.value = bestDegree(theirs, mine, other < plain);
      show();
    });

    function show() {
      const degree = Number(slider.value), reflected = mirror.value === "yes";
      const found = compute({theirs, mine, degree, reflected});
      theirs.forEach((point, i) => {
        const [x, y] = at(turned(point, degree, reflected));
        others[i].setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
        joins[i].setAttribute("x1", x.toFixed(1)), joins[i].setAttribute("y1", y.toFixed(1));
      });
      said.textContent = `Rotated by ${degree} degrees${reflected ? " and reflected" : ""}: misfit ` +
        `${shown(unit * found.misfit)}. The smallest that any rotation or reflection reaches is ${shown(unit * found.best)}.`;
    }
    show();
  }
  privgraphFigures.rotation = {compute, start};
})();
