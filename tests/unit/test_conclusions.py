"""The sentences of a run: in made worlds of which the answer is known, none may be wrong."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from scipy.stats import t as student
from torch_geometric.data import Data

from privgraph.datasets import load, split
from privgraph.methods import LPGNN, Embedding, Evaluation, RandomVectors, all_methods
from privgraph.methods.conclusions import (
    BASELINES,
    CONTROLS,
    ERROR,
    INSTEAD,
    REFERENCES,
    Gap,
    count,
    gap,
    protection,
    right_guess,
    size_of,
    verdict,
)
from privgraph.methods.evaluated import FOR_THE_OWNER, largest_class
from privgraph.methods.evaluation import references
from privgraph.privacy import Guarantee
from privgraph.randomness import seeded

EDGE = Guarantee(1.0, unit="undirected edge", relation="add/remove", trust="central", basis="proved")


@dataclass(frozen=True)
class World:
    """What each arm reaches on average, in percent, and how accuracies of a seed come about."""

    means: dict
    seeds: int
    spread: float  # of one arm about what its seed is worth
    nodes: int | None = None  # test nodes: accuracies lie on a grid

    def draw(self, generator: np.random.Generator) -> dict[str, list[float]]:
        shared = generator.normal(0, 3, self.seeds)  # what a split is worth to all arms
        found = {}
        for name, mean in self.means.items():
            values = np.clip(mean + shared + generator.normal(0, self.spread, self.seeds), 0, 100)
            if self.nodes:
                values = 100 * generator.binomial(self.nodes, values / 100) / self.nodes
            found[name] = values.tolist()
        return found


LOCAL = ("real features", "permuted features", "constant features", "majority class", "plain GCN")
CURATED = ("real graph", "rewired edges", "majority class", "plain GCN")
DISTILLED = ("student", "majority class", "student of true labels")
VECTORS = ("linear probe", "majority class", "linear probe of x")
FEDERATED = ("private", "all", "private, own", "all, own", "private, noise", "all, noise")
TASKS = ("new classes", "untrained", "counting", "chance")
MEANS = ((LOCAL, (60, 60, 60, 60, 60)), (LOCAL, (75, 60, 55, 30, 80)), (LOCAL, (60, 60, 40, 30, 60)),
         (LOCAL, (50, 53, 50, 50.4, 49.8)), (CURATED, (70, 50, 30, 82)), (CURATED, (60, 60.3, 30, 30)),
         (DISTILLED, (65, 30, 71)), (VECTORS, (40, 40, 70)), (FEDERATED, (50, 60, 50, 59.4, 50, 60)),
         (TASKS, (60, 45, 62, 33.3)))
DRAWS = ((2, 1.0, None), (3, 0.0, 8), (3, 0.5, None), (5, 2.0, 500), (10, 1.0, 40), (20, 4.0, None))
WORLDS = [World(dict(zip(arms, means, strict=True)), *draw) for arms, means in MEANS for draw in DRAWS]


def kind_of(clause: str) -> str:
    """What a part of a sentence claims of the method minus an arm."""
    if "cannot say" in clause:
        return "unclear"
    if "no better than" in clause or "less than a point" in clause or "or less than" in clause:
        return "same"
    loses = "fewer right than" in clause or "loses" in clause or "gains nothing" in clause
    return "less" if loses else "more"


def truth_of(kind: str, difference: float) -> bool:
    """Whether what was claimed of a mean difference is so."""
    return {"more": difference > 0, "less": difference < 0, "same": abs(difference) <= 1, "unclear": True}[kind]


def false_clauses(world: World, told: tuple[str, ...]) -> list[str]:
    """The parts of a verdict that are not so, as far as they compare."""
    own = "all" if "all" in world.means else next(iter(world.means))
    apart = {name.rpartition(", ")[2]: world.means[own] - mean for name, mean in world.means.items()
             if "all" not in world.means or name.startswith("all, ")}
    phrases = BASELINES | REFERENCES | {name: f"with {INSTEAD.get(name, name)}" for name in CONTROLS}
    found = []
    for clause in (part for sentence in told[:-1] for part in sentence.split("; ")):
        for role, phrase in phrases.items():
            if phrase in clause and not truth_of(kind_of(clause), apart[role]):
                found.append(clause)
            if phrase in clause and "no measure" in clause:
                found += [clause] * (apart["majority class"] - apart[role] > 1)
        if "gains from" in clause and kind_of(clause) == "more":  # then all controls of it are beaten
            found += [clause for role, thing in CONTROLS.items() if thing in clause and apart.get(role, 1) <= 0]
    return found


def wrong(world: World, values: dict, corrected: bool = True) -> list[str]:
    """The comparisons that claim what is not so."""
    own = "all" if "all" in world.means else next(iter(world.means))
    arms = [name for name in world.means if name != own and ("all" not in world.means or name.startswith("all, "))]
    of = count(values) if corrected else 1
    return [name for name in arms if not truth_of(
        gap(values[own], values[name], of, world.nodes).kind, world.means[own] - world.means[name])]


def test_no_sentence_is_wrong_in_sixty_worlds():
    generator, decided = np.random.default_rng(0), 0
    for world in WORLDS:
        values = world.draw(generator)
        told = " ".join(verdict(values, [EDGE], answers=world.nodes))
        if world.seeds < 3:
            assert "Too few runs" in told and "right than" not in told
            continue
        assert false_clauses(world, verdict(values, answers=world.nodes)) == [], told
        decided += sum("right" in part and kind_of(part) != "unclear" for part in told.split(". "))
    assert len(WORLDS) == 60 and decided >= 40  # and it does say something


def test_a_false_sentence_would_be_seen():
    """Verdicts of one world read as if they were of another."""
    generator = np.random.default_rng(0)
    for true, other in ((1, 0), (4, 5), (0, 1)):
        values = WORLDS[6 * true + 2].draw(generator)
        assert not false_clauses(WORLDS[6 * true + 2], verdict(values))
        assert false_clauses(WORLDS[6 * other + 2], verdict(values)) or other == 1


def test_sentences_err_as_seldom_as_they_say_and_not_without_the_correction():
    """400 verdicts in a world without any difference, 4 comparisons of 10 seeds: at most 5% err, so by chance (level
    1e-6) not 43 of 400. Without the correction it is some 12%."""
    generator = np.random.default_rng(1)
    world = World(dict.fromkeys((*LOCAL[:3], *LOCAL[3:]), 60.0), 10, 3.0)
    drawn = [world.draw(generator) for _ in range(400)]
    assert sum(bool(wrong(world, values)) for values in drawn) < 43
    assert sum(bool(wrong(world, values, corrected=False)) for values in drawn) > 43


def test_few_test_nodes_look_more_alike_than_they_are():
    """A node more in one of ten runs, of 8 nodes: three runs most often show no difference at all."""
    equal = [75.0, 87.5, 62.5]
    assert gap(equal, equal).kind == "same" and gap(equal, equal, answers=8).kind == "unclear"
    assert gap(equal, equal, answers=1000).kind == "same"
    for answers, of in ((1, 1), (8, 1), (8, 4)):  # half of what one node counts, as if that were the spread
        half = student.ppf(1 - ERROR / of / 2, 2) * 50 / answers / math.sqrt(3)
        found = gap(equal, equal, answers=answers) if of == 1 else gap(equal, equal, of, answers)
        assert (found.low, found.high) == pytest.approx((-half, half), abs=0)
    told = verdict({"real graph": equal, "rewired edges": equal}, answers=8)[0]
    assert told == ("Whether the method gains from the true edges these runs cannot say (with rewired edges: the same "
                    "in every run).")


# What is said, word by word.

BASE = [60.0, 61.0, 62.0, 60.5, 61.5]


def plus(points: float, wobble: float = 0.05) -> list[float]:
    return [value + points + wobble * (-1) ** seed for seed, value in enumerate(BASE)]


def test_features_that_teach_nothing():
    """As on Cora at epsilon 2 + 2: real 77.3, permuted 77.5, constant 77.1."""
    told = verdict(dict(zip(LOCAL, (BASE, plus(0.2), plus(-0.2), plus(-30), plus(5)), strict=True)))
    assert told[0].startswith("The method names 29.") and told[0].endswith("more right than always naming the largest "
                                                                          "class.")
    assert told[1].startswith("The method gains nothing from people's own features") and "permuted" in told[1]
    assert told[2].startswith("The method loses 4.") and told[2].endswith("against a plain GCN without privacy.")
    assert told[3] == ("(5 comparisons of 5 paired seeds, each at 99%: at most 5 in 100 such verdicts err in any of "
                       "them.)")


def test_something_is_gained_only_where_all_its_controls_are_beaten():
    arms = {"real features": BASE, "permuted features": plus(-10), "constant features": plus(-20)}
    assert verdict(arms)[0].startswith("The method gains from people's own features: with permuted features it names 9")
    assert "gains nothing" in verdict(arms | {"constant features": plus(0)})[0]
    assert "gains nothing" in (worse := verdict(arms | {"constant features": plus(3)})[0]) and "more right" in worse
    noisy = [a + b for a, b in zip(BASE, (9, -9, 4, -4, 0), strict=True)]
    assert "cannot say (with constant features" in verdict(arms | {"constant features": noisy})[0]


def test_a_reference_that_learnt_nothing_is_said():
    equal = {"real graph": plus(1), "majority class": BASE, "plain GCN": BASE}
    assert "which is no measure: it has itself learnt nothing beyond the largest class" in verdict(equal)[1]
    assert "no measure" not in verdict(equal | {"plain GCN": plus(9)})[1]
    noisy = [a + b for a, b in zip(BASE, (9, -9, 4, -4, 0), strict=True)]
    assert "not clear whether it beats" in verdict(equal | {"plain GCN": noisy})[1]


def test_what_a_federation_is_worth():
    arms = dict(zip(FEDERATED, (plus(9), BASE, plus(1), plus(-0.6), plus(1), plus(-8)), strict=True))
    assert verdict(arms)[0].startswith("The method gains from the other clients: with its own rows back it names 0.")
    for more in ({}, {"all, majority class": plus(-30)}):
        assert "these arms do not say" in " ".join(verdict({"private": plus(1), "all": BASE} | more))
    assert "these arms do not say" not in " ".join(verdict(arms))


def test_one_or_two_seeds_have_no_interval():
    for seeds in (1, 2):
        told = verdict({"real graph": [82.9, 50.0][:seeds], "rewired edges": [1.0, 2.0][:seeds]}, [EDGE])
        assert told[0] == "Too few runs to compare: no interval; run at least three seeds." and len(told) == 2
    assert "158" not in str(Evaluation({"real graph": [82.9, 60.0]}))


def test_arms_of_other_seeds_are_not_paired():
    with pytest.raises(ValueError, match="same seeds, got .* real graph 3, rewired edges 2"):
        verdict({"real graph": [1.0, 2.0, 3.0], "rewired edges": [1.0, 2.0]})
    arms = {"private without": [50.0], "all": plus(9), "all, own": BASE, "private without, own": [50.0]}
    assert verdict(arms)[0].startswith("The method gains from the other clients")  # a group that one split has
    with pytest.raises(ValueError, match="answers must be"):
        verdict({"real graph": BASE, "rewired edges": BASE}, answers=0)


# Epsilon.

def test_a_guess_is_right_as_often_as_the_best_of_all_tests():
    """Of randomised response, which is the worst case of each epsilon; with delta a share is told as it is."""
    for epsilon in (0.0, 0.5, 1.0, 6.0):
        assert right_guess(Guarantee(epsilon, basis="proved")) == pytest.approx(1 / (1 + math.exp(-epsilon)))
    assert right_guess(Guarantee(0.0, 0.1, basis="proved")) == pytest.approx(0.55)
    assert right_guess(Guarantee(math.inf, basis="proved")) == right_guess(Guarantee(3830.0, basis="proved")) == 1.0


@pytest.mark.parametrize("epsilon, word", [(0.1, "small"), (math.log(3), "small"), (1.2, "moderate"), (2.9, "moderate"),
                                           (3.0, "large"), (6.9, "large"), (7.0, "meaningless"),
                                           (3830.0, "meaningless")])
def test_one_rule_says_how_much_an_epsilon_is(epsilon, word):
    assert size_of(Guarantee(epsilon, basis="proved")) == word


def test_what_is_protected_against_whom_and_what_is_not():
    told = protection([EDGE, Guarantee(math.inf, unit="node", basis="proved"),
                       Guarantee(2.0, unit="feature vector", basis="none")])
    assert told == ("Undirected edge (add/remove): epsilon is 1 against whoever sees what is released, but not against "
                    "the curator; that is small, as who guesses between two values may be right up to 73.1 times in "
                    "100. No guarantee holds for feature vector, as not all is accounted for; what is, costs epsilon = "
                    "2. Not protected at all: node.")
    assert protection([]) == "Nothing is protected: no guarantee is given."
    assert "that is meaningless" in protection([Guarantee(3830.0, unit="undirected edge", basis="proved")])
    assert "may be right up to 99.9 times" in protection([Guarantee(7.5, basis="proved")])
    assert "may be right practically always" in protection([Guarantee(8.0, basis="proved")])
    with pytest.raises(TypeError, match="guarantees"):
        protection([1.0])


# In a run.

def test_an_evaluation_ends_in_the_sentences():
    data = load("karate")
    found = LPGNN(epochs=2).evaluate(data, seeds=3)
    whole = found | references(data, 3)
    assert [*whole] == list(LOCAL) and [*found] == list(LOCAL[:4])
    assert str(whole).splitlines()[5:] == [*whole.verdict(), FOR_THE_OWNER]
    assert "Features and label (replace): epsilon is 6" in found.verdict()[-1] and found.answers == 8
    with pytest.raises(ValueError, match="same seeds"):
        (found | references(data, 2)).verdict()


@pytest.mark.parametrize("name, kind", [(name, kind) for name, kind in all_methods().items()
                                        if issubclass(kind, Embedding)])
def test_vectors_that_know_labels_of_test_nodes_are_said_to(name, kind):
    """And no others: what they publish is the same whatever these labels are."""
    data = split(load("karate"), seeded(0))
    other = data.clone()
    other.y[data.test_mask] = 1 - other.y[data.test_mask]
    for method in kind.examples()[:2]:
        same = method.embed(data, seeded(1)).z.equal(method.embed(other, seeded(1)).z)
        assert same != kind.READS_LABELS
    if kind.READS_LABELS:
        told = kind().evaluate(load("karate"), seeds=3)
        assert "reads the labels of test nodes back" in told.table() and "right" not in told.verdict()[0]
        assert told.verdict()[0] == "The labels of test nodes were read: the accuracy says nothing of new people."


def test_random_vectors_gain_nothing():
    assert "more right than always" not in " ".join(RandomVectors().evaluate(load("karate"), seeds=3).verdict())


def test_the_largest_class_is_that_of_the_training_nodes_and_its_accuracy_that_of_the_test_nodes():
    data = Data(y=torch.tensor([2, 2, 1, 2, 1, 1, 2]), train_mask=torch.arange(7) < 3, test_mask=torch.arange(7) > 2)
    assert largest_class(data) == 50.0
    data.y[5] = 2
    assert largest_class(data) == 75.0


def test_a_gap_has_one_of_four_kinds():
    assert {Gap(low, high).kind for low in (-2, -0.5, 0.5) for high in (-0.2, 0.9, 2) if low <= high} == {
        "more", "less", "same", "unclear"}
    assert ERROR == 0.05
