"""What mechanisms and accountants promise, read off the code; and that a mechanism which draws floats is told apart."""

from dataclasses import dataclass

import pytest
import torch

from privgraph.audit.promises import AUDITS, NOT_PROMISED, accounts, promise
from privgraph.cli import main
from privgraph.mechanisms import Laplace, RandomisedResponse
from privgraph.mechanisms.mechanism import all_mechanisms


@pytest.mark.parametrize("name", all_mechanisms())
def test_every_mechanism_has_a_row(name):
    """Of each example. All draw through ``drawing``, so that ``secret()`` makes them exact."""
    for mechanism in all_mechanisms()[name].examples():
        row = promise(mechanism)
        assert row.name == name and row.drawn == "exactly with secret(), idealised with a seed"
        assert row.known == "proved for every epsilon" and all(vars(row).values())
        assert [part.partition(":")[0] for part in row.holds.split("; ")] == [
            f"{guarantee.unit} ({guarantee.relation})" for guarantee in mechanism.guarantees]


@dataclass(frozen=True)
class OfFloats(RandomisedResponse):
    """Draws as textbooks do."""

    def __call__(self, x, *, generator):
        lie = torch.rand(x.shape, generator=generator) >= self.keep
        return torch.where(lie, (x + 1) % self.num_classes, x)


def test_what_a_row_says_is_tried_and_not_believed():
    assert promise(OfFloats(1.0, 2)).drawn == "idealised, with any generator"
    assert promise(Laplace(1.0)).tried == "draws, against its law"
    assert "no finite epsilon" in promise(all_mechanisms()["two-hop-response"].examples()[0]).holds


def test_accountants_lie_on_their_side_of_the_truth():
    rows = {(row.name, row.question): row for row in accounts()}
    assert len(rows) >= 7 and {row.kind for row in rows.values()} == {"exact", "an upper bound", "a lower bound"}
    for row in rows.values():
        if row.kind == "an upper bound":
            assert row.lower <= row.answer
        else:
            assert row.lower <= row.answer <= row.upper


def test_the_command_says_what_is_promised_and_what_is_not(capsys):
    assert main(["audit", "randomised-response:epsilon=1,num_classes=3"]) == 0
    said = capsys.readouterr().out
    assert "randomised-response promises\n  holds: label (replace): epsilon\n" in said
    assert all(name in said.partition("not promised: ")[2] for name in NOT_PROMISED) and len(AUDITS) >= 8
