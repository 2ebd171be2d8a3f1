"""Each attack keeps what attacks promise, and one that breaks a promise is found: ``check_attack``."""

import inspect
from functools import wraps
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
import torch
from scipy import stats

from privgraph import attacks
from privgraph.attacks import check_attack, linkteller, posterior_similarity
from privgraph.attacks.worlds import KINDS, degrees
from privgraph.randomness import seeded

EXPORTED = {name: attack for name in attacks.__all__ if inspect.isfunction(attack := getattr(attacks, name))
            and attack.__annotations__.get("return") is torch.Tensor}
MODULES = [import_module(f"{attacks.__name__}.{module.name}") for module in iter_modules(attacks.__path__)]
# All attacks in a module of that folder, found by their worlds; and what is exported and forgot to name one.
SCORING = EXPORTED | {name: thing for module in MODULES for name, thing in vars(module).items()
                      if inspect.isfunction(thing) and hasattr(thing, "world")}


@pytest.mark.lot("lib/privgraph/attacks/", "lib/privgraph/methods/", "lib/privgraph/nn/", "lib/privgraph/graph.py")
@pytest.mark.parametrize("name", SCORING)
def test_each_attack_keeps_its_promises(name):
    """An attack that is exported and says in no world where it is tried has no ``world``."""
    assert hasattr(SCORING[name], "world"), f"{name} must be marked with worlds.tried_on"
    check_attack(SCORING[name])


def test_attacks_are_found():
    assert {"linkteller", "posterior_similarity", "shadow_attack", "likelihood_ratio"} <= set(SCORING)


def test_an_attack_must_leave_the_weights_alone():
    def wiping(model, x, edge_index, pairs):
        scores = linkteller(model, x, edge_index, pairs)
        model.load_state_dict({name: 0 * value for name, value in model.state_dict().items()})
        return scores
    with pytest.raises(AssertionError, match="model.* must be left as it is"):
        check_attack(wiping, world=linkteller.world, symmetric=False)


def test_a_strangers_attack_is_tried_too():
    check_attack(lambda posteriors, pairs: posterior_similarity(posteriors, pairs, "euclidean"))


def scored(change, **options):
    def attack(posteriors, pairs):
        return change(posterior_similarity(posteriors, pairs), posteriors, pairs)
    return attack


def careless(posteriors, pairs):
    return (posteriors[pairs[0]] * posteriors[pairs[1]]).sum(1)


def centring(posteriors, pairs):
    scores = posterior_similarity(posteriors, pairs)
    posteriors -= posteriors.mean(0)
    return scores


def reseeding(posteriors, pairs):
    torch.manual_seed(0)
    return posterior_similarity(posteriors, pairs)


BROKEN = {"the wrong way round": (scored(lambda s, p, e: -s), "higher scores must mean more likely"),
          "constant": (scored(lambda s, p, e: 0 * s), "higher scores must mean more likely"),
          "a matrix": (scored(lambda s, p, e: s[:, None]), "must be a float tensor of shape"),
          "bits": (scored(lambda s, p, e: s > -0.5), "must be a float tensor of shape"),
          "infinite": (scored(lambda s, p, e: s / 0), "scores must be finite, got 400"),
          "with global noise": (scored(lambda s, p, e: s + torch.rand(len(s))), "the global random state must be left"),
          "that counts its calls": (scored(lambda s, p, e, calls=[]: s + len(calls) + (calls.append(1) or 0)),
                                    "the same each time"),
          "with a direction": (scored(lambda s, p, e: s + p[e[0], 0]), "must have the same score"),
          "careless with NaN": (careless, "NaN in posteriors must be refused"),
          "of changed arguments": (centring, "posteriors must be left as it is"),
          "that seeds all the world": (reseeding, "the global random state must be left"),
          "with numbers of all": (scored(lambda s, p, e: torch.rand(1) * 0 + s),
                                   "the global random state must be left"),
          "that finds in noise what it looks for": (scored(lambda s, p, e: (p[e[0]] - p[e[1]]).abs().sum(1) % 0.01),
                                                    "higher scores must mean more likely")}

PLACE, OFTEN, ELSE = ("the place in the list must not count", "how often a node is asked about must not count",
                      "what else is asked must not count")
NUMBERS = "the numbers of nodes must not count"


def places(s):
    return torch.arange(len(s), dtype=torch.double)


def times(e):
    """How often both nodes of each pair are asked about."""
    return torch.bincount(e.flatten(), minlength=int(e.max()) + 1)[e].sum(0).double()


def among(s):
    """The rank of each score among all."""
    return s.argsort().argsort().double()


def standardised(s):
    return (s - s.mean()) / s.std()


def apart(e):
    return (e[0] - e[1]).abs().double()


def unlike_those_asked(s, p, e):
    """Distances after the columns are brought to one scale, by the rows of the nodes that are asked about."""
    seen = p[e.flatten()]
    rows = (p - seen.mean(0)) / seen.std(0)
    return -(rows[e[0]] - rows[e[1]]).norm(dim=1).double()


def without_doubles(s, p, e):
    if e.size(1) > e.unique(dim=1).size(1):
        raise ValueError("pairs must be different")
    return s


def first_asked(s, p, e):
    """Each pair's place in the list without doubles."""
    place = {}
    for pair in e.sort(0).values.t().tolist():
        place.setdefault(tuple(pair), len(place))
    return s - 1e-9 * torch.tensor([place[tuple(pair)] for pair in e.sort(0).values.t().tolist()])


def after_another(s, p, e):
    """Friends of those who were asked about before are likelier."""
    return s + 0.1 * s.cumsum(0) / (1 + places(s))


def in_one_graph(s, p, e):
    """How many neighbours both have among the pairs that are asked about."""
    asked = torch.zeros(len(p), len(p), dtype=torch.double).index_put((e[0], e[1]), torch.tensor(1.0).double(),
                                                                       accumulate=True)
    asked = asked + asked.T
    return s + 0.01 * (asked @ asked)[e[0], e[1]]


# Attacks that read what an attacker does not get: the list itself, and the numbers that the nodes happen to have.
READERS = {
    "the place, much": (lambda s, p, e: s - 0.01 * places(s), PLACE),
    "the place, little": (lambda s, p, e: s - 1e-6 * places(s), PLACE),
    "the place, hardly": (lambda s, p, e: s - 1e-12 * places(s), PLACE),
    "the place in single precision": (lambda s, p, e: s.float() - 1e-7 * places(s).float(), PLACE),
    "the place where scores are equal": (lambda s, p, e: (s > -0.5).double() - 1e-15 * places(s), PLACE),
    "the place from behind": (lambda s, p, e: s + 1e-4 * places(s).flip(0), PLACE),
    "the first half": (lambda s, p, e: s + 1e-3 * (2 * places(s) < len(s)), PLACE),
    "each second place": (lambda s, p, e: s + 1e-9 * (places(s) % 2), PLACE),
    "places in a random order": (lambda s, p, e: s + 1e-3 * torch.randperm(len(s), generator=seeded(0)), PLACE),
    "the score before": (lambda s, p, e: s + 0.1 * s.roll(1), PLACE),
    "all scores before": (after_another, PLACE),
    "the place among different pairs": (first_asked, PLACE),
    "the place alone": (lambda s, p, e: -places(s), PLACE),
    "how often nodes are asked about": (lambda s, p, e: s + 0.01 * times(e), OFTEN),
    "how often nodes are asked about, hardly": (lambda s, p, e: s + 1e-4 * times(e), OFTEN),
    "how often nodes are asked about, with the least weight": (lambda s, p, e: s + 1e-10 * times(e), OFTEN),
    "how often nodes are asked about, as a small share": (lambda s, p, e: s + 1e-6 * times(e) / e.size(1), ELSE),
    "how often nodes are asked about, as a share": (lambda s, p, e: s + times(e) / e.size(1), ELSE),
    "how often one end is asked about": (lambda s, p, e: s + 0.1 * torch.bincount(e[0])[e[0]] + 0.1 * torch.bincount(
        e[1])[e[1]], f"{OFTEN}|must have the same score"),
    "who is asked about most": (lambda s, p, e: s + (times(e) == times(e).max()).double(), ELSE),
    "whether a pair is asked twice": (lambda s, p, e: s + e.unique(dim=1, return_inverse=True, return_counts=True)[2][
        e.unique(dim=1, return_inverse=True)[1]], OFTEN),
    "how long the list is": (lambda s, p, e: s + 0.01 * len(s), OFTEN),
    "neighbours in the list": (in_one_graph, OFTEN),
    "the rank among those asked": (lambda s, p, e: among(s), OFTEN),
    "the rank as a share": (lambda s, p, e: among(s) / len(s), f"{OFTEN}|{ELSE}"),
    "the mean of those asked": (lambda s, p, e: s - s.mean(), ELSE),
    "the deviation of those asked": (lambda s, p, e: standardised(s), f"{OFTEN}|{ELSE}"),
    "the largest of those asked": (lambda s, p, e: s - s.amax() * (s < s.median()), f"{OFTEN}|{ELSE}"),
    "a share of all that was asked": (lambda s, p, e: s.softmax(0), OFTEN),
    "the scale of the rows asked about": (unlike_those_asked, f"{OFTEN}|{ELSE}"),
    "lists without doubles only": (without_doubles, OFTEN),
    "the distance of the numbers": (lambda s, p, e: s - 0.01 * apart(e), NUMBERS),
    "the distance of the numbers, hardly": (lambda s, p, e: s - 1e-10 * apart(e), NUMBERS),
    "the nearest number": (lambda s, p, e: s - 1e-9 * apart(e).clamp(max=3), NUMBERS),
    "the sum of the numbers": (lambda s, p, e: s + 0.01 * e.sum(0), NUMBERS),
    "the sum of the numbers, hardly": (lambda s, p, e: s + 1e-10 * e.sum(0), NUMBERS),
    "the smaller number": (lambda s, p, e: s + 0.01 * e.amin(0), NUMBERS),
    "numbers of one kind": (lambda s, p, e: s + 0.1 * ((e[0] - e[1]) % 4 == 0), NUMBERS),
    "even numbers": (lambda s, p, e: s + 0.1 * (e % 2 == 0).all(0), NUMBERS),
    "the first nodes": (lambda s, p, e: s + (e < 10).any(0).double(), NUMBERS),
    "numbers by heart": (lambda s, p, e: s + 0.01 * torch.randn(len(p), generator=seeded(7))[e].sum(0), NUMBERS),
    "the numbers alone": (lambda s, p, e: -apart(e), NUMBERS)}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_attack_is_found(name):
    attack, found = BROKEN[name]
    with pytest.raises(AssertionError, match=found):
        check_attack(attack)


@pytest.mark.parametrize("name", READERS)
def test_an_attack_that_reads_the_list_or_the_numbers_is_found(name):
    change, found = READERS[name]
    with pytest.raises(AssertionError, match=found):
        check_attack(scored(change))


# The same beside each attack of the library: a little of what it must not read.

def reads_places(scores, known):
    return scores - 1e-6 * (scores.max() - scores.min()) * torch.arange(len(scores))


def reads_numbers(scores, known):
    asked = known["nodes"][None] if "nodes" in known else known["pairs"]
    return scores * (1 + 0.5 * (asked % 3 == 0).any(0))


def reads_the_others(scores, known):
    return scores - scores.mean()


def beside(attack, change):
    @wraps(attack)
    def changed(**known):
        return change(attack(**known), known)
    return changed


# Where all is asked at once, or no argument has a number for each node that is asked about.
TOGETHER = {"alike_another", "likelihood_ratio", "offline_likelihood", "prototype_closeness", "support_membership",
            "unlike_the_others", "unusual_length"}
WITHOUT = {"alike_the_answer", "bridge", "confidence", "edgeless", "shadow_attack", "sum_of_evidence"} | TOGETHER
UNSEEN = {reads_places: set(), reads_the_others: TOGETHER, reads_numbers: WITHOUT}
# They learn before they answer.
SLOW = {"mlp_links", "boosted_links", *(f"link_stealing_{number}" for number in (1, 3, 4, 5, 6, 7))}
READ = {"places": (reads_places, PLACE), "the others": (reads_the_others, ELSE), "numbers": (reads_numbers, NUMBERS)}


@pytest.mark.parametrize("what, name", [(what, name) for what, (change, _) in READ.items()
                                        for name in sorted(set(SCORING) - SLOW - UNSEEN[change])])
def test_whatever_the_world_it_is_found(what, name):
    change, found = READ[what]
    with pytest.raises(AssertionError, match=found):
        check_attack(beside(SCORING[name], change))


def test_what_cannot_be_seen_is_asked_together_or_has_no_numbers():
    assert {name for name in SCORING if SCORING[name].world.layout.together} == UNSEEN[reads_the_others]
    assert {name for name in SCORING if not {"pairs", "nodes"} & {*SCORING[name].world.layout.asked}} == UNSEEN[
        reads_numbers]


# Attacks that are right, though nobody would write them so.

def one_by_one(p, e):
    return torch.tensor([-float((p[u] - p[v]).abs().sum()) for u, v in e.t().tolist()])


def of_all_pairs(p, e):
    """The rank of a pair among all pairs of the graph, asked about or not."""
    near = -torch.cdist(p.double(), p.double(), compute_mode="donot_use_mm_for_euclid_dist")
    return torch.searchsorted(near.flatten().sort().values, near[e[0], e[1]]).double()


def by_neighbours(p, e):
    """How many of the ten nearest nodes both have in common."""
    near = torch.zeros(len(p), len(p)).scatter_(1, torch.cdist(p, p).topk(10, largest=False).indices, 1.0)
    return (near[e[0]] * near[e[1]]).sum(1)


def by_directions(p, e):
    """In the directions of most difference."""
    u, widths, _ = torch.linalg.svd(p - p.mean(0), full_matrices=False)
    z = u[:, :3] * widths[:3]
    return (z[e[0]] * z[e[1]]).sum(1)


def by_projections(p, e):
    """On directions that are drawn once and for all."""
    z = p @ torch.randn(4, 16, generator=seeded(0))
    return -(z[e[0]] - z[e[1]]).abs().sum(1)


def by_diagonal(p, e):
    return -torch.cdist(p[e[0]], p[e[1]]).diagonal()


def by_kernels(p, e):
    """Numbers so small that their logarithms were wanted."""
    return (-200 * (p[e[0]] - p[e[1]]).square().sum(1)).exp()


def by_iteration(p, e):
    """Neighbours' neighbours count too: powers of a matrix of all nodes."""
    near = (-torch.cdist(p, p)).softmax(1)
    return torch.linalg.matrix_power(near + near.T, 3)[e[0], e[1]]


def by_thresholds(p, e):
    """Few values, so many ties."""
    return ((p[e[0]] - p[e[1]]).abs().sum(1) < 0.5).double()


UNUSUAL = {"a loop": one_by_one, "ranks among all pairs": of_all_pairs, "neighbours in common": by_neighbours,
           "main directions": by_directions, "random projections": by_projections, "a diagonal": by_diagonal,
           "kernels": by_kernels, "powers": by_iteration, "yes or no": by_thresholds,
           "in NumPy": lambda p, e: torch.from_numpy(-np.abs(p.numpy()[e[0]] - p.numpy()[e[1]]).max(1)),
           "a product of all": lambda p, e: (p @ p.T)[e[0], e[1]],
           "a sum by Einstein": lambda p, e: torch.einsum("nd,nd->n", p[e[0]], p[e[1]]),
           "many small products": lambda p, e: torch.bmm(p[e[0]][:, None], p[e[1]][:, :, None])[:, 0, 0],
           "a product of both": lambda p, e: (p[e[0]] @ p[e[1]].T).diagonal().contiguous(),
           "in half precision": lambda p, e: -(p[e[0]].half() - p[e[1]].half()).abs().sum(1).float(),
           "of huge numbers": lambda p, e: -1e30 * (p[e[0]].double() - p[e[1]].double()).abs().sum(1),
           "of tiny numbers": lambda p, e: -1e-30 * (p[e[0]].double() - p[e[1]].double()).abs().sum(1),
           "far from zero": lambda p, e: 1e6 - (p[e[0]].double() - p[e[1]].double()).abs().sum(1),
           "beside the mean of all nodes": lambda p, e: ((p - p.mean(0))[e[0]] * (p - p.mean(0))[e[1]]).sum(1)}


@pytest.mark.parametrize("name", UNUSUAL)
def test_an_attack_that_is_right_is_not_refused(name):
    def attack(posteriors, pairs):
        posterior_similarity(posteriors, pairs[:, :0])  # refuses NaN
        return UNUSUAL[name](posteriors, pairs)
    check_attack(attack)


def test_an_attack_with_a_direction_may_have_one():
    def attack(posteriors, pairs):
        return posterior_similarity(posteriors, pairs) + 0.1 * posteriors[pairs[0], 0]
    check_attack(attack, symmetric=False)


def test_a_world_of_a_stranger_says_how_it_can_be_asked_or_has_pairs():
    """Where it says nothing, questions are asked in other ways if they are pairs; nothing is known of other numbers."""
    def stranger(informed, generator):
        return posterior_similarity.world(informed, generator)

    def unknown(informed, generator):
        known, truth = stranger(informed, generator)
        return {"posteriors": known["posteriors"], "asked": known["pairs"]}, truth

    check_attack(posterior_similarity, stranger)
    check_attack(lambda posteriors, asked: posterior_similarity(posteriors, asked), unknown)
    with pytest.raises(AssertionError, match=PLACE):
        check_attack(scored(READERS["the place, hardly"][0]), stranger)


@pytest.mark.parametrize("name", sorted(set(SCORING)))
def test_no_world_tells_by_its_order_or_its_numbers(name):
    """Of 60 worlds: what lies first in the list, and whose numbers are near or leave one remainder, is no likelier to
    be what is looked for."""
    first, near, alike = [], [], []
    for seed in range(60):
        known, truth = SCORING[name].world(True, seeded(100 + seed))
        middle = len(truth) // 2
        first.append(float(truth[:middle].double().mean() - truth[middle:].double().mean()))
        if both := [known[name] for name in ("nodes", "classes") if name in known] or [*known.get("pairs", ())]:
            for found, sign in ((near, (both[0] - both[1]).abs()), (alike, (both[0] - both[1]) % KINDS == 0)):
                found.append(float(sign[truth].double().mean() - sign[~truth].double().mean()))
    assert all(stats.ttest_1samp(found, 0).pvalue > 1e-6 for found in (first, near, alike) if found)


def test_a_refusal_must_name_what_it_refuses():
    def attack(degree, pairs):
        if degree.isnan().any():
            raise ValueError("no NaN please")
        return degree[pairs[0]] * degree[pairs[1]]
    with pytest.raises(AssertionError, match="the refusal of NaN in degree must name degree, got 'no NaN please'"):
        check_attack(attack, degrees)
