"""The experiment on members by coin, with few shadow models."""

from functools import partial

import pytest

from privbook.papers.privgnn import member_attacks
from privbook.runs.cache import Cache
from privgraph import datasets
from privgraph.methods import NodeClassifier


@pytest.mark.parametrize("target", ["sage", "student"])
def test_members_by_coin_with_few_shadow_models(target, monkeypatch, tmp_path):
    """Three of them: a node in four is in all or in none, and is not asked about."""
    quick = NodeClassifier(epochs=30)
    for name, value in dict(graph=lambda name: (datasets.load("cora-twin"), ""), POOL=300, PUBLIC=300,
                            SHADOWS={target: 3}, NodeClassifier=partial(NodeClassifier, epochs=30),
                            STUDENT=dict(rate=0.1, num_queries=4, teacher=quick, student=quick)).items():
        monkeypatch.setattr(member_attacks, name, value)
    setting = member_attacks.EXPERIMENT.setting(attack="coin", target=target, noise="gumbel")
    found = member_attacks.membership_run(setting, 0, Cache(tmp_path))
    assert all(0 <= value <= 100 for value in found.values()) and (target == "student" or found["auc"] > 55)
