"""The reference says of all that can be called what its parameters are, which tensors it takes and what it raises."""

import pytest
import torch

import reference


@pytest.mark.parametrize("module", reference.pages())
def test_nothing_is_missing(module):
    assert reference.gaps(module) == []


def test_all_rooms_and_hundreds_of_names_are_looked_at():
    names = [name for module in reference.pages() for name, _, _ in reference.public(module)]
    assert len(reference.pages()) >= 14 and len(names) > 1000 and len(set(names)) == len(names)
    assert {"privgraph.methods.LPGNN.collect", "privgraph.graph.propagate", "privgraph.methods.Model.score",
            "privgraph.mechanisms.MultiBit.__call__", "privgraph.privacy.Guarantee.holds"} <= set(names)


def said(x: torch.Tensor, other: "torch.Tensor | None", draw, **more) -> torch.Tensor:
    """What is said of all.

    :param x: float [N, d].
    :param other: bool [N].
    :param more: of ``draw``.
    :returns: int64 [N].
    :raises ValueError, TypeError: always.
    """
    if draw:
        raise ValueError("wrong")
    raise TypeError("wrong, too")


def planted(old: str, new: str = ""):
    """``said``, with another docstring."""
    def function(x: torch.Tensor, other: "torch.Tensor | None", draw, **more) -> torch.Tensor:
        if draw:
            raise ValueError("wrong")
        raise TypeError("wrong, too")
    assert old in said.__doc__
    function.__doc__ = said.__doc__.replace(old, new)
    return function


@pytest.mark.parametrize("old, new, found", [
    (":param x: float [N, d].", "", ["param x"]), ("``draw``", "draw", ["param draw"]),
    (":param more:", "More", ["param more"]), ("float [N, d]", "float", ["shape and dtype of x"]),
    ("float [N, d]", "[N, d]", ["shape and dtype of x"]), ("bool [N]", "None", ["shape and dtype of other"]),
    ("ValueError, TypeError", "TypeError", ["raises ValueError"]),
    (":raises ValueError, TypeError: always.", "", ["raises TypeError", "raises ValueError"])])
def test_what_is_left_out_is_found(old, new, found):
    assert list(reference.missing(said)) == [] and list(reference.missing(planted(old, new))) == found


def test_a_result_without_a_shape_and_a_function_without_words_are_found():
    def silent(y):
        return y

    def shapeless() -> torch.Tensor:
        """A tensor."""
    assert list(reference.missing(silent)) == ["docstring", "param y"]
    assert list(reference.missing(shapeless)) == ["shape and dtype of what is returned"]


class Above:
    def told(self, word, delta: float):
        """What is told.

        :param word: said above.
        """


class Below(Above):
    def told(self, word, delta: float):
        """The same, at once."""


def test_a_name_is_described_where_it_is_inherited_or_means_the_same_everywhere():
    assert reference.described(Below.told, Below, "word") == "said above."
    assert reference.described(Below.told, None, "word") is None, "the table does not say it"
    assert reference.described(Below.told, Below, "delta").startswith("the delta of a guarantee")
    assert list(reference.missing(Below.told, Below)) == []


def test_a_name_of_the_table_means_that_for_its_type_only():
    def other(data: dict, generator: "torch.Generator"):
        """Of ``nothing``."""
    assert list(reference.missing(other)) == ["param data"]
