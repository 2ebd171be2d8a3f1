"""What every method promises, as checks that anybody can run on one of their own: ``check_method(MyMethod())``.

toys         the people of the examples
shared       what all kinds keep
two_halves   Local and Distilled: what leaves, and what is learned from it
other_kinds  Embedding, Federation, Episodes
"""

from torch_geometric.data import Data

from ...checks import check_is
from ..distilled import Distilled
from ..method import Embedding, Federation, FewShot, Local, Method
from .all_kinds import refuses
from .other_kinds import embedding, episodes, federation
from .two_halves import distilled, local

CHECKS = {Local: local, Distilled: distilled, Embedding: embedding, Federation: federation, FewShot: episodes}


def check_method(method: Method, *graphs: Data) -> None:
    """Raise an ``AssertionError`` that says what a method does not keep of what its kind promises.

    All kinds: hyperparameters that make no sense are refused at construction; the data that were handed in stay as
    they are; with the same generator the same comes out, whatever the global seed, which stays as it was; no
    generator, no release.
    ``Local`` and ``Distilled``: what leaves depends on private records through noise only (the replay audit, with
    neighbours on whom such a thing could hang: the only member of a class, the last one with a label, the only one
    with a feature, an edge more); guarantees speak of the units that they must, cover the mechanisms that were used,
    add up to the total, and are what was said beforehand; with secret randomness no noise comes from an ordinary
    generator, and what leaves says which of the two it was;
    ``learn`` reads the release and nothing else; predictions are probabilities; files give back what was written.
    The other kinds: see ``contract.other_kinds``.

    That nothing is found is no proof: the neighbours are a few, of one small graph.

    :param graphs: what the method collects from: one graph with masks, or a private and a public one. By default eight
        people on a path with three 0/1 features.

    >>> from privgraph.methods import LPGNN
    >>> check_method(LPGNN(x_steps=2, y_steps=1, epochs=2))
    """
    refuses(check_is(method, "method", Method))
    kind = next((kind for kind in CHECKS if isinstance(method, kind)), None)
    if kind is None:
        raise AssertionError(f"method must be one of {', '.join(k.__name__ for k in CHECKS)}, "
                             f"got {type(method).__name__}")
    CHECKS[kind](method, *graphs)
