"""The experiment on members by coin, with few shadow models."""

import pytest

from privbook.papers.privgnn import membership
from privbook.runs.cache import Cache
from privgraph import datasets


@pytest.mark.parametrize("target", ["sage", "student"])
def test_members_by_coin_with_few_shadow_models(target, monkeypatch, tmp_path):
    """Three of them: a node in four is in all or in none, and is not asked about."""
    for name, value in dict(graph=lambda name: (datasets.load("cora-twin"), ""), POOL=300, PUBLIC=300,
                            SHADOWS={target: 3},
                            STUDENT=dict(rate=0.1, num_queries=4)).items():
        monkeypatch.setattr(membership, name, value)
    found = membership.membership_run(membership.EXPERIMENT.cell(attack="coin", target=target, noise="gumbel"), 0,
                                      Cache(tmp_path))
    assert all(0 <= value <= 100 for value in found.values()) and (target == "student" or found["auc"] > 55)
