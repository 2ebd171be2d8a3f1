"""Each attack keeps what attacks promise, and one that breaks a promise is found: ``check_attack``."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch

from privgraph import attacks
from privgraph.attacks import check_attack, linkteller, posterior_similarity
from privgraph.attacks.worlds import degrees

EXPORTED = {name: attack for name in attacks.__all__ if inspect.isfunction(attack := getattr(attacks, name))
            and attack.__annotations__.get("return") is torch.Tensor}
MODULES = [import_module(f"{attacks.__name__}.{module.name}") for module in iter_modules(attacks.__path__)]
# All attacks in a module of that folder, found by their worlds; and what is exported and forgot to name one.
SCORING = EXPORTED | {name: thing for module in MODULES for name, thing in vars(module).items()
                      if inspect.isfunction(thing) and hasattr(thing, "world")}


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


def remembering(posteriors, pairs):
    """Knows by heart how the world is made: pairs that are linked come first."""
    return posterior_similarity(posteriors, pairs) - 0.01 * torch.arange(pairs.size(1))


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
          "by heart": (remembering, "where there is nothing to find, the AUC must lie within")}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_attack_is_found(name):
    attack, found = BROKEN[name]
    with pytest.raises(AssertionError, match=found):
        check_attack(attack)


def test_a_refusal_must_name_what_it_refuses():
    def attack(degree, pairs):
        if degree.isnan().any():
            raise ValueError("no NaN please")
        return degree[pairs[0]] * degree[pairs[1]]
    with pytest.raises(AssertionError, match="the refusal of NaN in degree must name degree, got 'no NaN please'"):
        check_attack(attack, degrees)
