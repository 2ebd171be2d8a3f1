"""PrivGNN's experiments: what the ledger measures is what the library does."""

import math

import torch

from privbook.papers.privgnn import tables as catalogue
from privbook.papers.privgnn.noise_on_logarithms import NoiseOnLogarithms
from privbook.papers.privgnn.released import drawn_from_all
from privbook.runs.grid import graph
from privgraph.datasets import induced
from privgraph.methods import PrivGNN
from privgraph.randomness import seeded
from privgraph.streams import stream
from random_graphs import QUICK, pair_of_graphs


def test_what_the_ledger_measures_comes_from_batches_of_eight(monkeypatch):
    """So its rows come out again as they are."""
    private, public = pair_of_graphs()
    monkeypatch.setattr(catalogue, "parts", lambda dataset, seed: (private, public))
    method = PrivGNN(scale=1.0, num_queries=12, rate=0.5, neighbours=None, teacher=QUICK)
    asked, scores = catalogue.taught("random", "", method, seed=0, start=0)
    queries, seeds = method.draw(private, public, stream("teachers", 0))
    assert torch.equal(asked, queries) and torch.equal(scores,
                                                       method.posteriors(private, public, queries, seeds, batch=8))


def test_noise_on_logarithms_keeps_labels_right_and_has_no_epsilon():
    sure = torch.tensor([[1 - 2e-20, 1e-20, 1e-20]], dtype=torch.float64).repeat(1000, 1)
    honest, mutant = PrivGNN(scale=5.0), NoiseOnLogarithms(scale=5.0)
    right = [float((m.label(sure, seeded(0)) == 0).float().mean()) for m in (honest, mutant)]
    assert right[0] < 0.5 and right[1] > 0.99
    assert mutant.budget(3) is None and honest.budget(3) is not None


def test_what_a_release_says_of_itself():
    private, public = pair_of_graphs()
    method = PrivGNN(num_queries=5, scale=2.0, rate=0.5, teacher=QUICK, student=QUICK)
    release = method.collect(private, public, seeded(0))
    assert release.labels.shape == release.queries.shape == (5,) and public.train_mask[release.queries].all()
    guarantee = release.guarantee(1e-4)
    assert (guarantee.unit, guarantee.relation, guarantee.trust, guarantee.delta) == ("node", "add/remove", "central",
                                                                                      1e-4)
    assert guarantee.epsilon == release.budget.epsilon(1e-4).pessimistic and guarantee.basis == "accounted"
    mutant = NoiseOnLogarithms(**vars(method)).collect(private, public, seeded(0)).guarantee(1e-4)
    assert math.isinf(mutant.epsilon) and mutant.basis == "none"
    student = method.learn(release, seeded(1))
    assert student.predict_proba().shape == (40, 3)


def test_a_node_drawn_twice_is_there_twice_and_its_second_copy_has_the_edges():
    """The released code's public nodes: training and test nodes from all nodes."""
    whole = graph("cora-twin")[0]
    public = drawn_from_all("cora-twin", 1200, seeded(1))
    train, test = public.n_id[public.train_mask], public.n_id[public.test_mask]
    assert len(train) == 600 == len(train.unique()) == len(test) == len(test.unique())
    assert torch.equal(public.x, whole.x[public.n_id]) and torch.equal(public.y, whole.y[public.n_id])
    again = torch.isin(train, test)
    assert 0.12 < float(again.float().mean()) < 0.33  # 600 of 2,708
    assert int(torch.bincount(public.edge_index[0], minlength=1200)[:600][again].sum()) == 0
    once = torch.cat([~again, torch.ones(600, dtype=torch.bool)])
    assert induced(whole, public.n_id[once]).num_edges == public.num_edges
