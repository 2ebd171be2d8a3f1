"""What an owner may do before she publishes vectors: the dissertation's methods by name, and the controls."""

from collections.abc import Callable
from dataclasses import replace

from privgraph.methods import Embedding
from privgraph.methods.deepwalk import DeepWalk
from privgraph.methods.dpne import DPNE
from privgraph.methods.embedding_controls import LabelsTimesDegree, PublicFeatures
from privgraph.methods.gae import GAE
from privgraph.methods.lppge import LPPGE

from .settings import PAIRS, SETTINGS, Setting


def gae(setting: Setting, **said) -> GAE:
    """Hidden layers are twice as wide as the vectors, as in the paper on GAE."""
    return GAE(hidden=2 * setting.dimension, dimension=setting.dimension, pairs=PAIRS, **said)


def lppge(setting: Setting, **said) -> LPPGE:
    """LPPGE(T) with the settings of Table 3.1, but for what is said."""
    usual = LPPGE(hidden=2 * setting.dimension, dimension=setting.dimension, alpha=setting.alpha,
                  radius=setting.radius, target=setting.target, pairs=PAIRS)
    return replace(usual, **said)


METHODS: dict[str, Callable[[Setting], Embedding]] = {
    "gae": gae,
    "gae-rm": lambda setting: gae(setting, without="links"),
    "dpne": lambda setting: DPNE(epsilon=1.0, dimension=64),
    "npge": lambda setting: lppge(setting, privacy="sensitive"),
    "lppge-t": lppge,
    "lppge-a": lambda setting: lppge(setting, privacy="added"),
    "deepwalk": lambda setting: DeepWalk(dimension=setting.dimension),
    "drop-users": lambda setting: gae(setting, without="users"),
    "permuted": lambda setting: lppge(setting, privacy="permuted"),
    "no-discriminator": lambda setting: lppge(setting, discriminator=False),
    "alpha-0": lambda setting: lppge(setting, alpha=0.0),
    "alpha-0-permuted": lambda setting: lppge(setting, alpha=0.0, privacy="permuted"),
    "bottleneck": lambda setting: lppge(setting, privacy="none", discriminator=False),
    "features": lambda setting: PublicFeatures(setting.dimension),
    "labels-degree": lambda setting: LabelsTimesDegree()}


def method(defence: str, dataset: str) -> Embedding:
    """A defence with the settings of a graph."""
    return METHODS[defence](SETTINGS[dataset])
