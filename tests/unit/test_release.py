"""What a release says that it costs, on a few people; who is asked and has no label; files of public seeds."""

import math
import warnings

import pytest
import torch
from torch_geometric.data import Data

from privgraph.datasets.splits import PER_CLASS
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import LPGNN, GraphPrivatizer, PrivGNN, Sizes
from privgraph.methods.contract.toys import path_graph
from privgraph.methods.query_release import of_a_node
from privgraph.methods.release import left_of, of_node, report_labels
from privgraph.privacy import Budget, Guarantee, LaplacePair, Step, find_guarantee
from privgraph.randomness import secret, seeded

DATA = path_graph(8)


def test_a_node_costs_her_record_and_each_of_the_pairs_that_she_is_in():
    together = Guarantee(3.0, unit="features and label", basis="proved")
    edge = Guarantee(0.5, unit="undirected edge", relation="add/remove", basis="proved")
    whole = of_node(together, (edge,), num_nodes=8)
    assert whole.epsilon == 3.0 + 7 * 0.5 and (whole.unit, whole.relation) == ("node", "replace")
    release = GraphPrivatizer(epsilon_x=1.0, epsilon_y=2.0, structure=SymmetricResponse(0.25)).collect(DATA, seeded(0))
    edges = find_guarantee(release.guarantees, "undirected edge").epsilon
    assert release.node.epsilon == pytest.approx(3.0 + 7 * edges) and release.total.epsilon == 3.0
    assert LPGNN().collect(DATA, seeded(0)).node.epsilon == math.inf


def test_what_was_computed_from_raw_data_leaves_no_proof_of_what_it_was_computed_from():
    def bases(*raw):
        data = DATA.clone()
        data.unaccounted = raw
        stated = LPGNN().collect(data, secret()).guarantees
        return [find_guarantee(stated, unit).basis for unit in ("label", "feature vector")]
    assert bases() == ["proved", "proved"] and bases("cut points") == ["proved", "none"]
    assert bases(PER_CLASS) == ["none", "none"]


def test_who_is_asked_and_has_no_label_names_any_class_at_random():
    n, classes = 600, 3
    y = torch.where(torch.arange(n) % 2 == 0, -1, 1)
    data = Data(x=torch.zeros(n, 1), edge_index=torch.empty(2, 0, dtype=torch.long), y=y, num_classes=classes,
                feature_range=(0.0, 1.0), train_mask=torch.arange(n) < 400, val_mask=torch.arange(n) >= 500)
    told = report_labels(data, 50.0, seeded(0))  # so that each says what she has, or what she drew
    asked = data.train_mask | data.val_mask
    assert (told[~asked] == -1).all() and (told[asked & (y == 1)] == 1).all()
    named = told[asked & (y < 0)].bincount(minlength=classes)
    assert named.sum() == 250 and named.min() > 45  # 83 in expectation; 45 or fewer of one: a chance below 1e-6


def test_a_file_of_a_public_seed_warns_whoever_reads_it_and_one_of_secret_noise_does_not(tmp_path):
    for generator, expected in ((seeded(0), [__file__]), (secret(), [])):
        release = LPGNN().collect(DATA, generator)
        release.save(tmp_path / "release.pt")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert type(release).load(tmp_path / "release.pt").randomness == release.randomness
        assert [warning.filename for warning in caught] == expected
        assert all("was drawn from a public seed" in str(warning.message) for warning in caught)


def test_labels_without_noise_have_no_budget_and_so_no_guarantee():
    nothing = of_a_node(None, 1e-5)
    assert (nothing.epsilon, nothing.basis) == (math.inf, "none") == (
        (stated := PrivGNN(scale=0.0).guarantees(Sizes(9, 7), 1e-5)[0]).epsilon, stated.basis)
    budget = PrivGNN(3, scale=1.0).budget(7)
    assert of_a_node(budget, 1e-5).epsilon == budget.epsilon(1e-5).pessimistic < math.inf
    assert [of_a_node(budget, 1e-5, raw).basis for raw in ((), ("cut points",))] == ["accounted", "none"]


def test_what_was_computed_without_noise_leaves_a_guarantee_for_edges_alone():
    held = (Guarantee(1.0, unit="label", basis="proved"), Guarantee(2.0, unit="undirected edge", basis="proved"),
            Guarantee(3.0, unit="node", basis="proved"))
    assert left_of(held, ()) == held
    assert [each.basis for each in left_of(held, ("cut points",))] == ["none", "proved", "none"]


def test_a_pure_epsilon_of_a_node_has_no_delta():
    pure = Budget((Step(LaplacePair(2.0), 3),))
    held = of_a_node(pure, None)
    assert held.delta == 0 and held.epsilon == pytest.approx(1.5, rel=1e-9, abs=0)
