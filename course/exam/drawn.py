"""What the questions with numbers draw, and what is right then, computed by the library.

A function for each, named as its question. It is given a ``random.Random`` of this course and exam, and returns what
the question and its key name. What is drawn is small enough for a pocket calculator.
"""

import math
from random import Random

import torch

from privgraph.attacks import evaluate_attack, rate_ceiling, recover_others
from privgraph.audit import worst_case
from privgraph.audit.statistical import guessing_bound, guessing_p_value
from privgraph.graph import adjacency
from privgraph.mechanisms import (
    GRRFS,
    Laplace,
    MultiBit,
    NoisyArgMax,
    NoisyMean,
    RandomisedResponse,
    SymmetricResponse,
    break_even,
)
from privgraph.privacy import Guarantee, exact_epsilon, pure_pair
from privgraph.teach.checkers import Tables

FRIENDS = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]  # the five people of the first chapter


def hours_by_hand(draw: Random) -> dict:
    hours = [2 * draw.randint(1, 15) for _ in range(5)]
    x = torch.tensor(hours, dtype=torch.float64)
    edges = torch.tensor(FRIENDS + [(v, u) for u, v in FRIENDS]).t()
    total, mean, symmetric = ((adjacency(edges, 5, how) @ x.float()).tolist() for how in ("sum", "mean", "symmetric"))
    return {"hours": ", ".join(map(str, hours)), "total": total[2], "mean": mean[2], "symmetric": symmetric[3]}


def rr_chance(draw: Random) -> dict:
    k, epsilon = draw.randint(3, 9), draw.choice((0.5, 1.0, 1.5, 2.0, 2.5))
    report = RandomisedResponse(epsilon, k)
    return {"k": k, "epsilon": epsilon, "keep": report.keep, "flip": report.flip,
            "found": worst_case(report, range(k)).epsilon}


def rr_estimate(draw: Random) -> dict:
    odds, people = draw.choice((2, 3, 4)), draw.choice((400, 900, 1600, 2500))
    report = RandomisedResponse(math.log(odds), 2)
    yes = round(people * draw.uniform(report.flip + 0.05, report.keep - 0.05))
    share = (yes / people - report.flip) / (report.keep - report.flip)
    error = math.sqrt(report.keep * report.flip / people) / (report.keep - report.flip)
    return {"odds": odds, "people": people, "yes": yes, "keep": report.keep, "share": share, "error": error}


def histogram_noise(draw: Random) -> dict:
    bins, epsilon = draw.randint(4, 9), draw.choice((0.25, 0.5, 2.0))
    joins, moves = (Laplace(epsilon, sensitivity).scale for sensitivity in (1.0, 2.0))
    return {"bins": bins, "epsilon": epsilon, "joins": joins, "moves": moves}


def posterior_odds(draw: Random) -> dict:
    prior, epsilon = draw.choice((0.01, 0.02, 0.05, 0.1)), draw.choice((1.0, 2.0, 3.0, 4.0))
    report = RandomisedResponse(epsilon, 2)  # attains what epsilon allows
    said = prior * report.keep + (1 - prior) * report.flip
    return {"percent": 100 * prior, "epsilon": epsilon, "most": 100 * prior * report.keep / said,
            "guess": 100 * report.keep}


def die_table(draw: Random) -> dict:
    k, of = draw.randint(3, 8), draw.randint(3, 6)
    lie = (of - 1) / of / k
    tables = [{answer: lie + (answer == truth) / of for answer in range(k)} for truth in range(2)]
    worst = worst_case(Tables(*tables), (0, 1)).epsilon
    return {"k": k, "of": of, "right": lie + 1 / of, "wrong": lie, "ratio": math.exp(worst), "loss": worst}


def many_thumb(draw: Random) -> dict:
    count, epsilon, digits = draw.choice((50, 100, 200, 400)), draw.choice((0.05, 0.1)), draw.choice((5, 6))
    delta = 10.0**-digits
    return {"count": count, "epsilon": epsilon, "digits": digits, "basic": count * epsilon,
            "thumb": count * epsilon**2 / 2 + epsilon * math.sqrt(2 * count * math.log(1 / delta)),
            "exact": exact_epsilon(pure_pair(epsilon), count, delta)}


def one_sample(draw: Random) -> dict:
    count, epsilon, rate = draw.choice((20, 40)), draw.choice((0.1, 0.2, 0.5)), draw.choice((0.05, 0.1, 0.2))
    fresh, total = pure_pair(epsilon).poisson(rate).epsilon, count * epsilon
    return {"count": count, "epsilon": epsilon, "rate": rate, "fresh": fresh, "fresh_all": count * fresh,
            "total": total, "once": pure_pair(total).poisson(rate).epsilon}


def slot_edge_node(draw: Random) -> dict:
    epsilon, degree = draw.choice((0.1, 0.2, 0.5)), draw.randint(10, 60)
    slot = Guarantee(epsilon, unit="neighbour slot", relation="add/remove", basis="proved")
    edge = slot.convert("undirected edge")
    node = edge.convert("node", degree)
    swap = worst_case(Two(RandomisedResponse(epsilon, 2)), ((0, 1), (1, 0))).epsilon
    return {"epsilon": epsilon, "degree": degree, "edge": edge.epsilon, "node": node.epsilon, "swap": swap}


class Two:
    """Two independent reports by one mechanism."""

    def __init__(self, one: RandomisedResponse):
        self.one = one

    def distribution(self, pair: tuple) -> dict:
        first, second = map(self.one.distribution, pair)
        return {(a, b): p * q for a, p in first.items() for b, q in second.items()}


def group_delta(draw: Random) -> dict:
    epsilon, steps, digits = draw.choice((0.2, 0.5, 1.0)), draw.randint(3, 5), draw.choice((6, 7, 8))
    edge = Guarantee(epsilon, 10.0**-digits, unit="undirected edge", relation="add/remove", basis="proved")
    node = edge.convert("node", steps)
    return {"epsilon": epsilon, "steps": steps, "digits": digits, "total": node.epsilon, "delta": node.delta,
            "times": node.delta * 10.0**digits}


def auc_by_hand(draw: Random) -> dict:
    scores = [draw.randint(3, 9) for _ in range(4)] + [draw.randint(1, 7) for _ in range(4)]
    linked = torch.tensor([True] * 4 + [False] * 4)
    edges, others = (", ".join(map(str, part)) for part in (scores[:4], scores[4:]))
    ties = sum(a == b for a in scores[:4] for b in scores[4:])
    auc = evaluate_attack(torch.tensor(scores, dtype=torch.float64), linked).auc
    return {"edges": edges, "others": others, "ties": ties, "auc": auc}


def base_rate(draw: Random) -> dict:
    people, degree = 1000 * draw.randint(2, 9), draw.choice((4, 6, 8))
    found, false = draw.choice((0.6, 0.8, 0.9)), draw.choice((0.01, 0.02))
    edges = people * degree // 2
    others = people * (people - 1) // 2 - edges
    hits, alarms = found * edges, false * others
    return {"people": people, "degree": degree, "found": 100 * found, "false": 100 * false, "edges": edges,
            "others": others, "hits": hits, "alarms": alarms, "precision": 100 * hits / (hits + alarms)}


def canary_bound(draw: Random) -> dict:
    planted, claim = draw.choice((20, 30, 40, 60)), draw.choice((4.0, 5.0, 6.0))
    needed = next(m for m in range(1, 10**4) if guessing_bound(m, m, m, 0.95) > claim)
    bound = guessing_bound(planted, planted, planted, 0.95)
    return {"planted": planted, "claim": claim, "bound": bound, "share": 1 / (1 + math.exp(-bound)), "needed": needed}


def membership_rate(draw: Random) -> dict:
    epsilon, rate = draw.choice((0.5, 1.0, 1.5, 2.0)), draw.choice((0.01, 0.02, 0.05))
    strong = rate_ceiling(8.0, 1e-5, rate)
    return {"epsilon": epsilon, "percent": 100 * rate, "most": 100 * rate_ceiling(epsilon, 1e-5, rate),
            "strong": 100 * strong}


def witness_table(draw: Random) -> dict:
    first = draw.choice(((10, 6, 4), (9, 8, 3), (12, 4, 4)))
    second = draw.choice(((4, 6, 10), (3, 12, 5), (6, 4, 10)))
    worst = worst_case(Tables(*({name: part / 20 for name, part in zip("abc", row, strict=True)}
                                for row in (first, second))), (0, 1))
    ratios = [max(p / q, q / p) for p, q in zip(first, second, strict=True)]
    return {"first": ", ".join(f"{part / 20:.2f}" for part in first),
            "second": ", ".join(f"{part / 20:.2f}" for part in second), "epsilon": worst.epsilon,
            "output": ", ".join("abc"[place] for place in range(3) if math.isclose(ratios[place], max(ratios)))}


def game_p_value(draw: Random) -> dict:
    guesses, claim = draw.choice((8, 9, 10)), draw.choice((0.5, 1.0))
    allowed = 1 / (1 + math.exp(-claim))
    return {"guesses": guesses, "claim": claim, "allowed": allowed,
            "p": guessing_p_value(guesses, guesses, claim), "p_less": guessing_p_value(guesses - 1, guesses, claim)}


def multibit_bit(draw: Random) -> dict:
    d, epsilon = draw.choice((20, 50, 100)), draw.choice((1.0, 2.0, 3.0))
    report = MultiBit(epsilon, d, sampled=1)
    return {"d": d, "epsilon": epsilon, "plus": 1 - report.lie, "scale": report.scale,
            "high": report.middle + report.scale, "low": report.middle - report.scale,
            "variance": float(report.variance(torch.tensor(1.0, dtype=torch.float64)))}


def grrfs_budget(draw: Random) -> dict:
    d, m, epsilon = draw.choice((8, 10, 12)), draw.choice((2, 3, 4)), draw.choice((0.5, 1.0))
    report = GRRFS(epsilon, (2,) * d, m)
    return {"d": d, "m": m, "epsilon": epsilon, "true": report.guarantee.epsilon,
            "claimed": report.guarantee.claimed, "feature": report.one_feature_guarantee.epsilon}


def break_even_budget(draw: Random) -> dict:
    people, degree = 1000 * draw.randint(2, 40), draw.choice((4, 8, 10, 20))
    star = break_even(people, degree)
    precision, recall = SymmetricResponse(4.0).precision_recall(people, people * degree // 2)
    return {"people": people, "degree": degree, "star": star, "nine": star + math.log(9),
            "precision": 100 * precision, "recall": 100 * recall}


def gumbel_label(draw: Random) -> dict:
    classes, scale = draw.choice((5, 7, 10, 20)), draw.choice((0.5, 1.0, 2.0))
    label = NoisyArgMax(1 / scale, classes, noise="gumbel")
    return {"classes": classes, "scale": scale, "win": 100 * label.win, "guess": 100 / classes,
            "loss": label.guarantee.epsilon, "half": math.log(classes - 1)}


def sum_of_others(draw: Random) -> dict:
    clients = draw.choice((3, 4, 5))
    uploads = [[draw.randint(-4, 4) for _ in range(2)] for _ in range(clients)]
    own = torch.tensor(uploads[:1], dtype=torch.float64)
    answer = torch.tensor(uploads, dtype=torch.float64).mean(0, keepdim=True)
    rest = recover_others(answer, own, clients).total[0].tolist()
    a, b = answer[0].tolist()
    return {"clients": clients, "others": clients - 1, "own": tuple(uploads[0]), "answer": f"({a:.2f}, {b:.2f})",
            "rest": f"({rest[0]:.0f}, {rest[1]:.0f})"}


def prototype_noise(draw: Random) -> dict:
    shots, clip, releases = draw.choice((5, 10, 20)), draw.choice((1.0, 2.0)), draw.choice((1, 4, 9))
    one = NoisyMean(1.0, 1e-5, clip=0.5, shots=1).sigma  # of a step of 1
    step = NoisyMean(1.0, 1e-5, clip=clip, shots=shots).sensitivity
    return {"shots": shots, "clip": clip, "releases": releases, "one": one, "step": step,
            "noise": one * step * math.sqrt(releases), "ten": one * step * math.sqrt(releases) / 10}
