r"""Every formula that the register prints, evaluated as it stands (``latex``) beside what the library computes.

A row: the formula, the values of its names, and what it must give; where the formula has relations of its own, its
sides must be equal at these values, which are such that a bound is attained. What is no number is in ``NOTATION``.
"""

import math
from itertools import product

import numpy as np
import pytest
import torch
from latex import attained, value
from scipy.stats import binom, laplace

import bound
from privbook import claims
from privbook.papers.privgnn.as_printed import printed_theorem_7
from privgraph.audit import Independent, worst_case
from privgraph.audit.statistical import one_run_p_value
from privgraph.mechanisms import (
    GRRFS,
    Blink,
    DegreePreservingResponse,
    Laplace,
    MultiBit,
    NoisyArgMax,
    NoisyMean,
    NoisyVotes,
    RandomisedResponse,
    SymmetricResponse,
)
from privgraph.methods import DPNE, LPGNN
from privgraph.privacy import (
    FinitePair,
    GaussianPair,
    Guarantee,
    LaplacePair,
    classic_conversion,
    compose,
    find_guarantee,
    improved_conversion,
    laplace_rdp,
    pure_pair,
    response_pair,
)
from privgraph.privacy.dominating_pairs import bounded_range_pair

NOTATION = {
    r"\Pr[v_1' \to s_1]", r"R^n", "M(X)", "M(X')", r"\varepsilon(\alpha)", r"\varepsilon(\alpha-1)",
    r"\delta(\varepsilon)",
    r"\varepsilon_M(\alpha)", r"(O(\gamma\varepsilon), \gamma\delta)", r"O(\gamma^2\varepsilon(\alpha))",
    r"D_\alpha(M(X) \| M(X')) = \frac{1}{\alpha-1} \ln E_{\theta \sim X} (p_{M(X)}(\theta) / p_{M(X')}(\theta))^\alpha",
    r"\varepsilon = \infty", r"\alpha = \delta = 0", "d' > d", r"\lambda_1 < \lambda_2", r"\gamma_1 < \gamma_2",
    r"\varepsilon_x = \varepsilon_y = 3", r"\varepsilon_x = \varepsilon_y", r"\varepsilon_d = \varepsilon",
    r"\varepsilon = 2\varepsilon_d", r"\gamma_j q_j", "1/x"}
RR, E = RandomisedResponse(0.7, 2), 0.7
K_ARY = RandomisedResponse(0.7, 5)
COIN = FinitePair((0.6, 0.4), (0.4, 0.6))
RATE, LAM, ORDER = 0.3, 0.8, 3
LABEL = NoisyArgMax(1 / LAM, 3)
FEW, NODE = GRRFS(0.7, (2, 2, 2), 2), LPGNN(epsilon_x=0.5, epsilon_y=E)
LISTS = list(product((0, 1), repeat=3))
NEAR, FAR = 2, 4  # numbers of answers that two neighbours can give


def worst(mechanism, inputs) -> float:
    return worst_case(mechanism, list(inputs)).epsilon


def ratio(mechanism, inputs) -> float:
    return math.exp(worst(mechanism, inputs))


def replaced(candidates: int, epsilon: float = E) -> RandomisedResponse:
    """A neighbour with so many candidates becomes herself or one of them."""
    return RandomisedResponse(epsilon, candidates + 1)


def two_uses(epsilon: float = E, answers: int = 2, times: int = 2) -> float:
    each = RandomisedResponse(epsilon, answers)
    return worst(Independent((each,) * times), [(0,) * times, (1,) * times])


def proved(unit: str, delta: float = 0.0) -> Guarantee:
    return Guarantee(E, delta, unit=unit, relation="add/remove", basis="proved")


def bits() -> MultiBit:
    """Two bits of one vector."""
    return MultiBit(E, 2, sampled=2)


def a_bit() -> float:
    """What one of them costs: half of both."""
    return worst(bits(), product((0.0, 1.0), repeat=2)) / 2


def held(mechanism, unit: str, relation: str) -> float:
    return find_guarantee(mechanism.guarantees, unit, relation).epsilon


def density(x: float, centre: float, scale: float) -> float:
    return float(laplace.pdf(x, centre, scale))


def curve(alpha: float) -> float:
    return float(laplace_rdp(alpha, 1 / LAM))


def renyi_above() -> float:
    """Of Laplace noise at ORDER, with the mean over the first output."""
    grid = np.linspace(-80, 81, 161 * 64 + 1)
    p, q = laplace.pdf(grid, 1, 1 / LAM), laplace.pdf(grid, 0, 1 / LAM)
    return math.log(np.trapezoid((p / q) ** ORDER * p, grid)) / (ORDER - 1)


def one_for_many(steps: int, sigma: float) -> float:
    """The noise of one Gaussian release whose Renyi divergence is that of so many."""
    return math.sqrt(ORDER / (2 * steps * GaussianPair(sigma).rdp(ORDER)))


def printed_pate(lam: float, queries: int, delta: float) -> float:
    """Papernot et al. 2017, Theorem 2 and 3, for orders up to 8: by hand."""
    return min((queries * min(2 * lam**2 * order * (order + 1), 2 * lam * order) - math.log(delta)) / order
               for order in range(1, 9))


def one_feature() -> float:
    """What one feature of FEW costs, by its table."""
    return worst_case(FEW, LISTS, lambda x: [(*x[:i], 1 - x[i], *x[i + 1:]) for i in range(3)]).epsilon


MIXED = GRRFS(1.0, (2, 2, 2, 6), 2)


def symmetric_sums(mechanism: GRRFS, feature: int) -> tuple[float, float]:
    """A_i and B_i: of degree m - 1 and m, over the other features."""
    others = [size * mechanism.response(i).flip for i, size in enumerate(mechanism.domain_sizes) if i != feature]
    powers = np.poly(-np.array(others))  # elementary symmetric sums, by the product of (x + w)
    return powers[mechanism.sampled - 1], powers[mechanism.sampled]


def coins_of_equation_4(beta: float) -> float:
    """Three features with coins of their own, their joint table listed."""
    sizes = (2, 3, 4)
    def told(x):
        rows = [[beta * RandomisedResponse(E, n).distribution(v)[o] + (1 - beta) / n for o in range(n)]
                for n, v in zip(sizes, x, strict=True)]
        return {o: math.prod(row[v] for row, v in zip(rows, o, strict=True)) for o in product(*map(range, sizes))}
    class Table:
        distribution = staticmethod(told)
    return worst(Table(), [(0, 0, 0), (1, 1, 1)])


def win_of(mechanism: NoisyArgMax) -> dict:
    return dict(win=mechanism.win, lose=mechanism.lose)


def mixed(first: float, second: float) -> float:
    return first + RATE * (second - first)


P3, Q3 = 0.6, 0.35
TAIL, POINT = float(binom.sf(6, 9, 1 / (1 + math.exp(-E)))), float(binom.pmf(7, 9, 1 / (1 + math.exp(-E))))
CLIPPED = NoisyMean(1.0, 1e-5, clip=2.0, shots=4)
ROWS = [
    # e^eps and what is made of it: randomised response, enumerated
    (r"e^\varepsilon", dict(varepsilon=E), ratio(RR, range(2))),
    (r"e^{\varepsilon}", dict(varepsilon=E), ratio(K_ARY, range(5))),
    (r"e^{\varepsilon_x}", dict(varepsilon_x=E), ratio(MultiBit(E, 2), product((0.0, 1.0), repeat=2))),
    (r"e^{\varepsilon_y}", dict(varepsilon_y=E), ratio(K_ARY, range(5))),
    (r"e^{2\varepsilon}", dict(varepsilon=E), math.exp(two_uses())),
    (r"e^{-\varepsilon}", dict(varepsilon=E), K_ARY.flip / K_ARY.keep),
    (r"e^{-10}", {}, RandomisedResponse(10.0, 2).flip / RandomisedResponse(10.0, 2).keep),
    (r"e^{m\varepsilon_x}", dict(m=2, varepsilon_x=E), ratio(FEW, LISTS)),
    (r"e^{-m\varepsilon_x}", dict(m=2, varepsilon_x=E),
     min(min(FEW.distribution(x).values()) for x in LISTS) / max(max(FEW.distribution(x).values()) for x in LISTS)),
    (r"q/p = e^\varepsilon", dict(q=RR.keep, p=RR.flip, varepsilon=E), None),
    (r"p/q = e^{\varepsilon_y}", dict(p=K_ARY.keep, q=K_ARY.flip, varepsilon_y=E), None),
    (r"(e^2 + 1)/(e + 1) = 2.256", {}, 2.256),
    (r"e^\varepsilon/(e^\varepsilon + 1)", dict(varepsilon=E), replaced(1).keep),
    (r"1/(e^\varepsilon + 1)", dict(varepsilon=E), RR.flip),
    (r"e^\varepsilon/(1 + e^\varepsilon)", dict(varepsilon=E), RR.keep),
    (r"e^{\varepsilon}/(1+e^{\varepsilon})", dict(varepsilon=E), RR.keep),
    (r"e^{\varepsilon}/(1 + e^{\varepsilon})", dict(varepsilon=E), RR.keep),
    (r"c = e^{\varepsilon}/(1 + e^{\varepsilon})", dict(c=RR.keep, varepsilon=E), None),
    (r"e/(1 + e) = .731", {}, 0.731),
    (r"e^3/(e^3 + c - 1)", dict(c=7), RandomisedResponse(3.0, 7).keep),
    (r"p = e^{\varepsilon}/(e^{\varepsilon} + k - 1)", dict(p=K_ARY.keep, varepsilon=E, k=5), None),
    (r"e^{\varepsilon_y}/(e^{\varepsilon_y} + c - 1)", dict(varepsilon_y=E, c=5), K_ARY.keep),
    (r"1/(e^{\varepsilon_y} + c - 1)", dict(varepsilon_y=E, c=5), K_ARY.flip),
    (r"e^\varepsilon/(e^\varepsilon + d - 1)", dict(varepsilon=E, d=5), K_ARY.keep),
    (r"1/(e^\varepsilon + d - 1)", dict(varepsilon=E, d=5), K_ARY.flip),
    (r"e^\varepsilon (e^\varepsilon + d' - 1)/(e^\varepsilon + d - 1)", {"varepsilon": E, "d'": FAR, "d": NEAR},
     replaced(NEAR - 1).keep / replaced(FAR - 1).flip),
    (r"k/(e^\varepsilon + k)", dict(varepsilon=E, k=3), 1 - replaced(3).keep),
    (r"e^\varepsilon/(e^\varepsilon + k)", dict(varepsilon=E, k=3), replaced(3).keep),
    (r"2e^\varepsilon/(1 + e^\varepsilon)^2 = .499", dict(varepsilon=0.1), 0.499),
    (r"P/(e^\varepsilon + 1)", dict(P=10 * 9 // 2 - 12, varepsilon=E),
     SymmetricResponse(E).expected_pairs(10, 12) - 12 * SymmetricResponse(E).keep),
    (r"(e^\varepsilon - 1)/(e^\varepsilon + 1) = \tanh(\varepsilon/2)", dict(varepsilon=E), RR.keep - RR.flip),
    (r"1/(e^{\varepsilon/m}+1)", dict(varepsilon=E, m=2), bits().distribution((0.0, 0.0))[1, 1] ** 0.5),
    (r"e^{\varepsilon/m}/(e^{\varepsilon/m}+1)", dict(varepsilon=E, m=2),
     bits().distribution((1.0, 1.0))[1, 1] ** 0.5),
    # budgets that add
    (r"(\varepsilon + \varepsilon_x + \varepsilon_y)", dict(varepsilon=0.1, varepsilon_x=0.2, varepsilon_y=0.4),
     compose(*(Guarantee(e, unit="label", basis="proved") for e in (0.1, 0.2, 0.4))).epsilon),
    (r"\varepsilon_x + \varepsilon_y", dict(varepsilon_x=0.5, varepsilon_y=E), NODE.total.epsilon),
    (r"(\varepsilon_x + \varepsilon_y)", dict(varepsilon_x=0.5, varepsilon_y=E), NODE.total.epsilon),
    (r"(\varepsilon_X+\varepsilon_y)", dict(varepsilon_X=FEW.guarantee.claimed, varepsilon_y=E),
     FEW.guarantee.claimed + E),
    (r"m\varepsilon_x + \varepsilon_y", dict(m=2, varepsilon_x=E, varepsilon_y=0.5), FEW.guarantee.epsilon + 0.5),
    (r"m\varepsilon_x+\varepsilon_y", dict(m=2, varepsilon_x=E, varepsilon_y=0.5), FEW.guarantee.epsilon + 0.5),
    (r"m\varepsilon_x", dict(m=2, varepsilon_x=E), worst(FEW, LISTS)),
    (r"\varepsilon_X = m\varepsilon_x", dict(varepsilon_X=worst(FEW, LISTS), m=2, varepsilon_x=E), None),
    (r"\varepsilon_x/m", dict(varepsilon_x=E, m=2), a_bit()),
    (r"\varepsilon / m", dict(varepsilon=E, m=2), a_bit()),
    (r"\varepsilon/m", dict(varepsilon=E, m=2), a_bit()),
    (r"k\varepsilon", dict(k=3, varepsilon=E), two_uses(times=3)),
    (r"2\varepsilon", dict(varepsilon=E), proved("neighbour slot").convert("undirected edge").epsilon),
    (r"2 \varepsilon", dict(varepsilon=E), two_uses()),
    (r"d\varepsilon", dict(d=3, varepsilon=E), proved("undirected edge").convert("node", 3).epsilon),
    (r"(n-1)\varepsilon", dict(n=4, varepsilon=E), two_uses(times=3)),
    (r"2(\varepsilon + \varepsilon_d)", dict(varepsilon=E, varepsilon_d=0.3),
     held(DegreePreservingResponse(0.3, E), "undirected edge", "add/remove")),
    (r"\varepsilon + 2\varepsilon_d", dict(varepsilon=E, varepsilon_d=0.3),
     held(Blink(0.3, E, reports=1), "undirected edge", "add/remove")),
    (r"\sqrt 2\, n\, \varepsilon", dict(n=6, varepsilon=E), DPNE(E, dimension=1).mechanism(6).epsilon),
    (r"n \varepsilon", dict(n=64, varepsilon=E), DPNE(E, dimension=1, contexts="drawn").mechanism(64).epsilon),
    # deltas
    (r"\delta \sum_{i<k} e^{i\varepsilon}", dict(delta=0.001, k=3, varepsilon=E),
     proved("undirected edge", 0.001).convert("node", 3).delta),
    (r"\delta \sum_{i<d} e^{i\varepsilon}", dict(delta=0.001, d=3, varepsilon=E),
     proved("undirected edge", 0.001).convert("node", 3).delta),
    (r"(1 + e^{\varepsilon})\delta", dict(varepsilon=E, delta=0.001),
     proved("neighbour slot", 0.001).convert("undirected edge").delta),
    (r"p_i \le e^{\varepsilon} p_{i+1} + \delta", {"p_i": 0.3 * math.exp(E) + 0.01, "p_i+1": 0.3, "varepsilon": E,
                                                    "delta": 0.01}, None),
    (r"1 \le e^{\varepsilon} \cdot 0 + \delta", dict(varepsilon=E, delta=1.0), None),
    # sampling
    (r"\ln(1+\gamma(e^{\varepsilon_0}-1))", dict(gamma=RATE, varepsilon_0=LABEL.epsilon),
     pure_pair(LABEL.epsilon).poisson(RATE).epsilon),
    (r"\ln(1+\gamma^2(e^{\varepsilon_0}-1))", dict(gamma=RATE, varepsilon_0=LABEL.epsilon),
     pure_pair(LABEL.epsilon).poisson(RATE**2).epsilon),
    (r"\ln(1 + \gamma(e^{\varepsilon} - 1))", dict(gamma=RATE, varepsilon=E), pure_pair(E).poisson(RATE).epsilon),
    (r"\ln(1+\beta(e^{\varepsilon'}-1))", {"beta": RATE, "varepsilon'": E}, pure_pair(E).poisson(RATE).epsilon),
    (r"(\ln(1+\gamma(e^{\varepsilon}-1)), \gamma\delta)", dict(gamma=RATE, varepsilon=E, delta=0.01),
     [pure_pair(E).poisson(RATE).epsilon, RATE * 0.01]),
    (r"\gamma\varepsilon", dict(gamma=RATE, varepsilon=1e-6), pure_pair(1e-6).poisson(RATE).epsilon),
    (r"\varepsilon + \ln\gamma", dict(varepsilon=30.0, gamma=RATE), pure_pair(30.0).poisson(RATE).epsilon),
    (r"\beta = m/d", dict(beta=FEW.fraction, m=2, d=3), None),
    (r"(1-\gamma)\,Q_S + \gamma\,P_S", dict(gamma=RATE, Q_S=COIN.q[0], P_S=COIN.p[0]), max(
        COIN.poisson(RATE).p, COIN.poisson(RATE).q, key=lambda side: abs(side[0] - COIN.q[0]))[0]),
    (r"(1-\beta)Q+\beta P", dict(beta=RATE, Q=COIN.q[0], P=COIN.p[0]), mixed(COIN.q[0], COIN.p[0])),
    (r"P \le e^{\varepsilon'}Q", {"P": RR.keep, "Q": RR.flip, "varepsilon'": E}, None),
    (r"(1-\gamma)Q + \gamma P \le (1 - \gamma + \gamma e^{\varepsilon}) Q",
     dict(gamma=RATE, P=RR.keep, Q=RR.flip, varepsilon=E), None),
    (r"(1-\gamma)Q^{|Q|}+\gamma P^{|Q|}", {"gamma": RATE, "Q": P3, "P": Q3, "|Q|": 4}, mixed(P3**4, Q3**4)),
    (r"Q^{|Q|}", {"Q": P3, "|Q|": 4}, math.prod([P3] * 4)),
    (r"1+\gamma(P/Q-1)", dict(gamma=RATE, P=P3, Q=Q3), mixed(Q3, P3) / Q3),
    # Laplace noise and Renyi divergences
    (r"\Delta/\varepsilon", dict(Delta=2.0, varepsilon=E), 2.0 * Laplace(E).scale),
    (r"\Delta_1/\varepsilon", dict(Delta_1=1.0, varepsilon=E), Laplace(E).scale),
    (r"e^{\Delta_1 / b}", {"Delta_1": 2.0, "b": 3.0}, density(0, 0, 3.0) / density(0, 2.0, 3.0)),
    (r"\beta = 1/\lambda", {"beta": 1 / LAM, "lambda": LAM}, None),
    (r"1/\lambda", {"lambda": LAM}, NoisyVotes(1 / LAM).scale),
    (r"1/\beta", dict(beta=1 / LAM), NoisyArgMax(1 / LAM, 3, "gumbel").guarantee.epsilon),
    (r"2/\beta", dict(beta=1 / LAM), NoisyVotes(1 / LAM, "gumbel").guarantee.epsilon),
    (r"2\lambda", {"lambda": LAM}, NoisyVotes(1 / LAM).guarantee.epsilon),
    (r"4\lambda", {"lambda": LAM}, compose(*[NoisyVotes(1 / LAM).guarantee] * 2).epsilon),
    (r"|Q|\lambda", {"|Q|": 1000, "lambda": 0.4}, 1000 * NoisyArgMax(1 / 0.4, 3, "gumbel").guarantee.epsilon),
    (r"N/\beta", dict(N=3, beta=1 / LAM), 3 * NoisyArgMax(1 / LAM, 3, "gumbel").guarantee.epsilon),
    (r"2N/\beta", dict(N=3, beta=1 / LAM), 3 * NoisyVotes(1 / LAM).guarantee.epsilon),
    (r"\varepsilon_0 = \ln(\text{win}/\text{lose})", dict(varepsilon_0=LABEL.epsilon, **win_of(LABEL)), None),
    (r"\varepsilon(\alpha) = \frac{1}{\alpha-1}\ln(\frac{\alpha}{2\alpha-1}e^{(\alpha-1)/\beta}"
     r"+\frac{\alpha-1}{2\alpha-1}e^{-\alpha/\beta})", dict(varepsilon=curve, alpha=ORDER, beta=1 / LAM), None),
    (r"\frac{\alpha}{\alpha-1} D_{\alpha+1}", {"alpha": ORDER, "D_alpha+1": curve(ORDER + 1)}, renyi_above()),
    (r"p^\alpha q^{1-\alpha}", dict(alpha=2, p=COIN.p[0], q=COIN.q[0]), COIN.p[0] * (COIN.p[0] / COIN.q[0])),
    (r"\ln(1/\delta)/(\alpha-1)", dict(delta=1e-4, alpha=ORDER), classic_conversion(0.0, ORDER, 1e-4)),
    (r"(\varepsilon + \ln(1/\delta)/(\alpha-1), \delta)", dict(varepsilon=E, delta=1e-4, alpha=ORDER),
     [classic_conversion(E, ORDER, 1e-4), 1e-4]),
    (r"(1 - e^{-t}) e^{-(\alpha-1)t}", dict(t=math.log(ORDER / (ORDER - 1)), alpha=ORDER),
     1e-4 * math.exp((ORDER - 1) * (improved_conversion(0.0, ORDER, 1e-4)))),
    (r"\ln(1-\gamma^2+\gamma^2 e^{\varepsilon(2)})", dict(gamma=RATE, varepsilon=curve),
     LaplacePair(1 / LAM).poisson(RATE).rdp(2)),
    (r"1+\gamma^2(e^{\varepsilon(2)}-1)", dict(gamma=RATE, varepsilon=curve),
     math.exp(LaplacePair(1 / LAM).poisson(RATE).rdp(2))),
    (r"\varepsilon_\gamma(\alpha)/(\gamma^2\varepsilon(\alpha))",
     dict(varepsilon_gamma=lambda order: LaplacePair(1 / LAM).poisson(1e-4).rdp(order), gamma=1e-4, varepsilon=curve,
          alpha=ORDER), ORDER * math.expm1(curve(2)) / 2 / curve(ORDER)),
    (r"\alpha (e^{\varepsilon(2)} - 1) / (2 \varepsilon(\alpha))", dict(alpha=ORDER, varepsilon=curve),
     LaplacePair(1 / LAM).poisson(1e-4).rdp(ORDER) / (1e-8 * curve(ORDER))),
    (r"\varepsilon \le \ln(1/\sqrt\delta) + |Q|\ln(1+\gamma^2(\frac23 e^{1/\beta}+\frac13 e^{-2/\beta}-1))",
     {"varepsilon": printed_theorem_7(1 / LAM, RATE, 100, 1e-4), "delta": 1e-4, "|Q|": 100, "gamma": RATE,
      "beta": 1 / LAM}, None),
    (r"\ln(1/\delta)+|Q|\ln(1+\gamma^2(e^{D}-1))",
     {"delta": 1e-4, "|Q|": 100, "gamma": RATE, "D": response_pair(LABEL.epsilon, 3).rdp(2)},
     classic_conversion(100 * response_pair(LABEL.epsilon, 3).poisson(RATE).rdp(2), 2, 1e-4)),
    (r"e^{D} = \text{win}^2/\text{lose}+\text{lose}^2/\text{win}+(c-2)\,\text{lose}",
     dict(D=response_pair(LABEL.epsilon, 3).rdp(2), c=3, **win_of(LABEL)), None),
    (r"\min_{l \le 8} (|Q| \min(2\lambda^2 l(l+1), 2\lambda l) + \ln(1/\delta))/l",
     {"|Q|": 500, "lambda": 0.1, "delta": 4e-4}, printed_pate(0.1, 500, 4e-4)),
    (r"(\lambda_1/\lambda_2) s + (1-\lambda_1/\lambda_2) u", dict(lambda_1=0.2, lambda_2=LAM, s=0.9, u=0.5),
     0.5 + 0.2 / LAM * (0.9 - 0.5)),
    (r"\sigma/\sqrt{T}", dict(sigma=3.0, T=100), one_for_many(100, 3.0)),
    (r"\delta < 1/|V|", {"delta": 1 / 13_752, "|V|": 13_752}, None),
    (r"1/|V|", {"|V|": 13_752}, 7.2717e-5),
    # pairs, ranges, one run
    (r"A = (pP - qQ)/(p - q)", dict(A=0.2, p=RR.keep, q=RR.flip, P=RR.keep * 0.2 + RR.flip * 0.9,
                                    Q=RR.flip * 0.2 + RR.keep * 0.9), None),
    (r"B = (pQ - qP)/(p - q)", dict(B=0.9, p=RR.keep, q=RR.flip, P=RR.keep * 0.2 + RR.flip * 0.9,
                                    Q=RR.flip * 0.2 + RR.keep * 0.9), None),
    (r"(1 - e^{(\varepsilon - \eta)/2})^2/(1 - e^{-\eta})", dict(varepsilon=0.0, eta=E),
     bounded_range_pair(E).delta(0.0)),
    (r"F + m\delta F(1 - F)/(v\,b(v))", dict(F=TAIL, m=20, delta=1e-4, v=7.0, b=lambda v: POINT),
     one_run_p_value(7, 9, 20, E, 1e-4)),
    (r"\frac12 + \frac1P", dict(P=6), 0.5 + 1 / 6),
    # GRR-FS
    (r"\varepsilon_X = \ln(1+\frac{m}{d}(e^{m\varepsilon_x}-1))", dict(varepsilon_X=FEW.guarantee.claimed, m=2, d=3,
                                                                       varepsilon_x=E), None),
    (r"\ln(1 + \frac{m}{d}(e^{\varepsilon_x} - 1))", dict(m=2, d=3, varepsilon_x=E), one_feature()),
    (r"\ln\frac{\gamma_i p_i A_i + B_i}{\gamma_i q_i A_i + B_i}",
     dict(gamma_i=6, p_i=MIXED.response(3).keep, q_i=MIXED.response(3).flip,
          A_i=symmetric_sums(MIXED, 3)[0], B_i=symmetric_sums(MIXED, 3)[1]), MIXED.one_feature_guarantee.epsilon),
    (r"\sum_i \ln\frac{\beta p_i+(1-\beta)/\gamma_i}{\beta q_i+(1-\beta)/\gamma_i}",
     {"beta": RATE, "gamma_i": [2, 3, 4], "count of i": 3, "p_i": [RandomisedResponse(E, n).keep for n in (2, 3, 4)],
      "q_i": [RandomisedResponse(E, n).flip for n in (2, 3, 4)]}, coins_of_equation_4(RATE)),
    (r"(p/q)^m", dict(p=RR.keep, q=RR.flip, m=2), math.exp(two_uses())),
    (r"m/d", dict(m=2, d=3), FEW.fraction),
    (r"m/d = 1/2", dict(m=2, d=4), 0.5),
    (r"m - 1", dict(m=2), FEW.sampled - 1),
    (r"e^\varepsilon/(e^\varepsilon + k - 1)", dict(varepsilon=E, k=5), K_ARY.distribution(0)[0]),
    (r"e^\varepsilon/(e^\varepsilon - 1)^2", dict(varepsilon=E), RR.keep * RR.flip / (RR.keep - RR.flip) ** 2),
    (r"2/\varepsilon^2", dict(varepsilon=E), Laplace(E).variance),
    (r"p/q", dict(p=K_ARY.keep, q=K_ARY.flip), ratio(K_ARY, range(5))),
    (r"q/p", dict(p=K_ARY.keep, q=K_ARY.flip), 1 / ratio(K_ARY, range(5))),
    # sums and counts
    (r"3 + 3 + 1 = 7", {}, 7),
    (r"1 - 11.17/17.73 = .370", {}, 0.370),
    (r"c - 1", dict(c=10), len(NoisyArgMax(1.0, 10).distribution((1.0, *[0.0] * 9))) - 1),
    (r"P(P-1)/4", dict(P=6), np.mean([sum(coins) * (6 - sum(coins)) for coins in product((0, 1), repeat=6)])),
    (r"(P-1)/2", dict(P=6), np.mean([5 - sum(coins) for coins in product((0, 1), repeat=5)])),
    # prototypes, uploads
    (r"2C", dict(C=2.0), float(torch.dist(*CLIPPED.means(torch.tensor([[[9.0, 0.0]] * 4, [[-9.0, 0.0]] * 4]))))),
    (r"2C/K", dict(C=2.0, K=4), CLIPPED.sensitivity),
    (r"\sqrt{2} \cdot 2C/K", dict(C=2.0, K=4), math.hypot(CLIPPED.sensitivity, CLIPPED.sensitivity)),
]
OTHERS = {  # vectors, matrices and constants of intervals: their tests are named
    r"[e^{t - \eta}, e^t]": "tests/unit/test_dominating_pairs.py::test_bounded_range_dominates_whatever_spans_less",
    r"W^T W = I": "tests/claims/test_dissertation_claims.py::test_alignment_hides_nothing",
    r"\mathrm{SELU}(Wx + b)": "tests/claims/test_ppfl_uploads.py::"
                              "test_rows_of_people_without_links_give_the_weights_away",
    r"e^{\|f-f'\|_1 \varepsilon/\Delta_1}": "tests/claims/test_privgnn_claims.py::test_laplace_mechanism_for_vectors",
    r"\varepsilon(\delta) = \min_{\alpha>1} \ln(1/\delta)/(\alpha-1) + \varepsilon_M(\alpha-1)":
        "tests/claims/test_privgnn_claims.py::test_equation_1_pairs_the_wrong_orders",
    r"5.25\,C": "tests/claims/test_privgnn_claims.py::test_one_node_moves_many_clipped_gradients",
    r"1.17\,\lambda": "tests/claims/test_privgnn_claims.py::test_loss_of_one_noisy_label",
    r"1.17\,N/\beta": "tests/claims/test_privgnn_claims.py::test_loss_of_one_noisy_label",
    r"1.1733/\beta": "tests/claims/test_certificates.py::test_laplace_arg_max_on_whole_intervals",
    r"\sqrt 2": "tests/claims/test_methods_side_by_side.py::"
                "test_noise_for_one_row_costs_more_where_an_edge_moves_two",
    r"\sqrt D": "tests/unit/test_methods_gap.py::"
                "test_a_bound_on_messages_that_refills_pays_for_a_node_far_too_little",
    r"2R/\varepsilon": "tests/claims/test_methods_side_by_side.py::test_an_edge_moves_the_votes_by_two_and_no_more",
    r"C/K": "tests/claims/test_segcl_claims.py::test_noisy_prototypes_keep_their_promise_for_one_support_graph",
}


@pytest.mark.parametrize("text, names, expected", ROWS, ids=[row[0] for row in ROWS])
def test_a_formula_of_the_register_gives_what_the_library_computes(text, names, expected):
    if expected is None:
        assert attained(text, **names)
    elif isinstance(found := value(text, **names), list) and isinstance(found[0], tuple):  # rounded as printed
        assert all(side == pytest.approx(expected, abs=6e-4) for _, side in found) or attained(text, **names)
    else:
        assert found == pytest.approx(expected, rel=2e-4, abs=0)


def test_every_formula_of_the_register_is_evaluated():
    register = claims.load_claims()
    printed = {(token.text, claim) for claim in register.values() for token in bound.tokens(claim, frozenset(register))
               if token.kind == bound.FORMULAS}
    assert {text for text, _ in printed} == {text for text, *_ in ROWS} | NOTATION | OTHERS.keys()
    for text, test in OTHERS.items():
        assert any(test in claim.evidence for other, claim in printed if other == text), text
