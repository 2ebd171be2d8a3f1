// What uses of a mechanism cost: as its paper prints it, by the exact loss of a use, and by Renyi divergences.
(() => {
  const {shown, labelled, input, menu, fill} = privgraphFigures.tools;
  const range = (low, high) => Array.from({length: high - low + 1}, (_, i) => low + i);
  const ORDERS = [1.01, 1.02, 1.03, 1.05, 1.07, ...range(11, 19).map(tenth => tenth / 10), ...range(2, 64),
    ...range(7, 30).map(power => 2 ** power)], PRINTED_ORDERS = range(2, 32);
  const HEAD = ["ε", "one use", "on a sample", "all uses"];
  const PER_BIT = 2.18; // of epsilon, for the least variance of the multi-bit mechanism

  function logSum(terms) {
    const most = Math.max(...terms);
    return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
  }

  // A pair of distributions that dominates a use: two answers of randomised response, and all others in one.
  function responsePair(epsilon, classes, rate) {
    const keep = 1 / (1 + (classes - 1) * Math.exp(-epsilon)), flip = Math.exp(-epsilon) * keep;
    const rest = classes > 2 ? [1 - keep - flip] : [];
    const p = [keep, flip, ...rest], q = [flip, keep, ...rest];
    return [p.map((each, i) => (1 - rate) * q[i] + rate * each), q];
  }

  const renyi = (p, q, order) => Math.max(0,
    logSum(p.map((each, i) => order * Math.log(each) + (1 - order) * Math.log(q[i]))) / (order - 1));

  /** Both directions, the best order, the improved conversion. */
  function rdpEpsilon([p, q], count, delta) {
    return Math.min(...ORDERS.map(order => {
      const rdp = count * Math.max(renyi(p, q, order), renyi(q, p, order));
      return Math.max(0, rdp + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1));
    }));
  }

  const amplified = (epsilon, rate) => Math.log1p(rate * Math.expm1(epsilon));

  // What PrivGNN prints: the curve of one number plus Laplace noise, sampled, converted classically.
  const laplaceRdp = (order, scale) => logSum([Math.log(order / (2 * order - 1)) + (order - 1) / scale,
    Math.log((order - 1) / (2 * order - 1)) - order / scale]) / (order - 1);

  function poissonRdp(order, scale, rate) {
    if (rate === 1) return laplaceRdp(order, scale);
    let binomial = 0; // ln C(order, size)
    const terms = range(0, order).map(size => {
      if (size) binomial += Math.log((order - size + 1) / size);
      return binomial + (order - size) * Math.log1p(-rate) + size * Math.log(rate)
        + (size > 1 ? (size - 1) * laplaceRdp(size, scale) : 0);
    });
    return Math.max(0, logSum(terms) / (order - 1));
  }

  const printedEpsilon = (scale, rate, count, delta) => Math.min(...PRINTED_ORDERS.map(order =>
    count * poissonRdp(order, scale, rate) + Math.log(1 / delta) / (order - 1)));

  /** The mean of a function over [0, 1], by Simpson's rule. */
  function mean(f, steps = 8000) {
    const weights = range(0, steps).map(i => i % steps === 0 ? 1 : 2 + 2 * (i % 2));
    return weights.reduce((sum, weight, i) => sum + weight * f(i / steps), 0) / (3 * steps);
  }

  // ln(win / lose) of the arg max with Laplace noise; the chance to lose is cut where the density has a kink.
  function laplaceEpsilon(lead, classes) {
    const half = Math.exp(-lead) / 2;
    const middle = range(1, classes - 2).reduce((sum, k) => sum - ((1 - half) ** k - 2 ** -k) / k, lead) / 4;
    const high = mean(t => (1 - t / 2) * (1 - half * t) ** (classes - 2)) / 2;
    const lose = 2 * half * (2 ** -classes / classes + middle + high);
    return Math.log((1 - (classes - 1) * lose) / lose);
  }

  // For each mechanism: what a use costs as printed and exactly, how many answers its pair has, what it is called on
  // the command line, and its fields: label, least and largest value, whether a whole number.
  const KINDS = {
    "randomised-response": {
      fields: {epsilon: ["ε", 0.01, 20], num_classes: ["answers", 2, 100, true]},
      use: s => ({printed: s.epsilon, exact: s.epsilon, answers: s.num_classes}),
      keys: s => `epsilon=${s.epsilon},num_classes=${s.num_classes}`},
    "multi-bit": {
      fields: {epsilon: ["ε of a vector", 0.01, 20], num_features: ["features", 1, 5000, true]},
      use(s) {
        const bits = Math.max(1, Math.min(s.num_features, Math.floor(s.epsilon / PER_BIT)));
        return {printed: s.epsilon, exact: bits * (s.epsilon / bits), answers: 2, bits};
      },
      keys: s => `epsilon=${s.epsilon},num_features=${s.num_features}`},
    "grr-fs": {
      fields: {epsilon: ["ε of a feature", 0.01, 5], num_features: ["features", 1, 20, true],
               sampled: ["sampled features", 1, 20, true]},
      use: s => ({printed: amplified(s.sampled * s.epsilon, s.sampled / s.num_features),
                  exact: s.sampled * s.epsilon, answers: 2}),
      keys: s => `epsilon=${s.epsilon},domain_sizes=${Array(s.num_features).fill(2).join("x")},sampled=${s.sampled}`},
    "noisy-arg-max": {
      fields: {lead: ["λ", 0.01, 20], num_classes: ["classes", 2, 100, true], noise: ["noise", ["laplace", "gumbel"]]},
      use: s => ({printed: s.lead, answers: s.num_classes,
                  exact: s.noise === "gumbel" ? s.lead : laplaceEpsilon(s.lead, s.num_classes)}),
      keys: s => `scale=${1 / s.lead},num_classes=${s.num_classes},noise=${s.noise}`}};

  /** All numbers of the figure. With Gumbel noise, our repair, PrivGNN prints nothing. */
  function compute({mechanism, count, rate, delta, ...said}) {
    const {printed, exact, answers, ...more} = KINDS[mechanism].use(said), sampled = amplified(exact, rate);
    const all = mechanism === "noisy-arg-max" ? printedEpsilon(1 / said.lead, rate, count, delta) : count * printed;
    const rdp = rdpEpsilon(responsePair(exact, answers, rate), count, delta);
    return {...more, exact, sampled, basic: count * sampled, rdp, ...said.noise === "gumbel" ? {} : {printed, printed_all: all}};
  }

  function start(box, told) {
    const parts = [".controls", ".said", ".results", ".command code"].map(part => box.querySelector(part));
    const [bar, said, table, command] = parts, own = document.createElement("div"); // a mechanism's own fields
    own.className = "controls";
    bar.after(own);
    const number = (place, text, low, high, whole, value) => labelled(place, text,
      input({type: "number", min: low, max: high, step: whole ? 1 : "any", value}), show);
    const kind = labelled(bar, "mechanism", menu(Object.keys(KINDS).map(name => [name, told[name].title]),
      Object.keys(told)[0]), change);
    const uses = {count: number(bar, "uses", 1, 1e6, true, 1), rate: number(bar, "sampling rate", 0.001, 1, false, 1),
                  delta: number(bar, "δ", 1e-12, 0.5, false, 1e-5)};
    let fields;

    function change() {
      const {settings, uses: usual, sampling} = told[kind.value];
      own.replaceChildren();
      fields = Object.fromEntries(Object.entries(KINDS[kind.value].fields).map(([name, [text, low, high, whole]]) =>
        [name, Array.isArray(low) ? labelled(own, text, menu(low.map(each => [each, each]), settings[name]), show)
          : number(own, text, low, high, whole, settings[name])]));
      for (const name in uses) uses[name].value = usual[name];
      uses.rate.disabled = !sampling;
      show();
    }

    /** The command; a line breaks between its words, not at the hyphens of --delta. */
    function say(text) {
      command.replaceChildren(...text.split(" ").flatMap(textContent =>
        [Object.assign(document.createElement("span"), {textContent}), " "]));
    }

    /** What is wrong with the inputs, or nothing. */
    function wrong() {
      const odd = [...Object.values(uses), ...Object.values(fields)].find(each => !each.checkValidity() || !each.value);
      const whole = odd && odd.step === "1" ? "whole " : "";
      if (odd) return `${odd.labels[0].firstChild.data.trim()} must be a ${whole}number from ${odd.min} to ${odd.max}.`;
      if (fields.sampled && Number(fields.sampled.value) > Number(fields.num_features.value))
        return "sampled features must be at most the number of features.";
    }

    function show() {
      const value = control => control.type === "number" ? Number(control.value) : control.value;
      const values = controls => Object.fromEntries(Object.keys(controls).map(name => [name, value(controls[name])]));
      const problem = wrong();
      if (problem) return void (said.textContent = problem, fill(table, HEAD, []), say(""));
      const settings = values(fields), {count, rate, delta} = values(uses);
      const found = compute({mechanism: kind.value, ...settings, count, rate, delta});
      const or = value => value === undefined ? "not in the paper" : shown(value);
      fill(table, HEAD, [["as printed", or(found.printed), "", or(found.printed_all)],
                         ["exact, added up", shown(found.exact), shown(found.sampled), shown(found.basic)],
                         ["Rényi (RDP)", "", "", shown(found.rdp)]]);
      said.textContent = `${told[kind.value].about} ${count} use${count > 1 ? "s" : ""} at δ = ${delta}: ` +
        `ε = ${shown(Math.min(found.basic, found.rdp))} holds, by ${found.basic < found.rdp ? "adding up" : "RDP"}.` +
        (found.bits ? ` Of each vector m = ${found.bits} feature${found.bits > 1 ? "s are" : " is"} reported.` : "");
      say(`privgraph budget ${kind.value}:${KINDS[kind.value].keys(settings)},count=${count}` +
        `${rate < 1 ? `,rate=${rate}` : ""} --delta ${delta}`);
    }
    change();
  }
  privgraphFigures.budget = {compute, start};
})();
