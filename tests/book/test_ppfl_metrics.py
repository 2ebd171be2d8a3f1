"""What the experiments of chapter 11 share: rounds, metrics, paired arms, which runs answer a printed entry."""

from collections import Counter
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from privbook.papers.catalogue import experiments
from privbook.papers.coverage import compare_paper
from privbook.papers.lookup import Computed, Measured, lookup
from privbook.papers.ppfl import guarantees, metrics, settings, tables, upload_leaks
from privbook.papers.published import entries, published
from privbook.papers.verdicts import difference
from privbook.runs.cache import Cache
from privbook.runs.plan import wanted
from privgraph.datasets import load
from privgraph.graph import sample_non_edges, to_undirected
from privgraph.methods.federated import UploadNoise, hold
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.gat import FederatedGAT
from privgraph.methods.federated.metrics import fold_of, without_fold
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.split import parts
from privgraph.streams import stream

OURS = [e for name, e in experiments().items() if name.startswith("ppfl-")]
QUICK = dict(dimension=2, walks=2, length=5, window=2, first_epochs=2, epochs=1, rounds=2)
QUICK_GAT = dict(rounds=2, heads=2, hidden=4, epochs=1)


def club(seed=0):
    return hold(load("karate"), stream("split", seed))


def same(first, second):
    return [torch.equal(a, b) for a, b in zip(first, second, strict=True)]


def test_each_round_is_the_run_of_the_federation_bit_for_bit():
    """Before the first round, after the first, and at the end; a client that was made before goes on as it would."""
    data, method = club(), FederatedDeepWalk(**QUICK)
    clients, rounds = method.run(data, stream("learn", 3))
    found = list(metrics.each_round(method, data, 3))
    assert len(found) == 3 and len(rounds) == 2
    assert all(same(found[-1], [client.embeddings() for client in clients.values()]))
    assert not any(same(found[0], found[1])) and not any(same(found[1], found[2]))


def test_what_was_trained_alone_is_kept_and_changes_no_bit(monkeypatch, tmp_path):
    """Whatever the server answers, and however often, the clients begin with the same."""
    monkeypatch.setattr(metrics, "held", lambda dataset, seed: club(seed))
    for answered in ("aligned", "noise"):
        method = FederatedDeepWalk(**QUICK, answer=answered)
        for _ in range(2):
            cache = Cache(tmp_path)
            found = list(metrics.deepwalk_rounds(method, "karate", 3, cache))
            fresh = list(metrics.each_round(method, club(3), 3))
            assert all(all(same(a, b)) for a, b in zip(found, fresh, strict=True))
        assert cache.saved > 0


def test_a_network_is_trained_once_a_fold_without_its_labels():
    data, fold = club(), fold_of(34, settings.FOLDS, stream("folds", 0))
    method = FederatedGAT(**QUICK_GAT)
    *_, found = metrics.each_round_of_folds(method, data, 1, fold)
    clients, _ = method.run(without_fold(data, fold, 2), stream("learn", 1))
    assert [len(of_client) for of_client in found] == 4 * [settings.FOLDS]
    assert all(same([of_client[2] for of_client in found], [client.embeddings() for client in clients.values()]))


def test_the_whole_graph_is_held_by_one_client_who_trains_as_long():
    data = load("karate")
    held = tables.as_part(data)
    assert held.num_public == 34 and "num_public" not in data and torch.equal(held.edge_index, data.edge_index)


def test_every_metric_is_measured_and_comes_out_again():
    """Classes as vectors tell all classes; clients whose public rows are alike are aligned wholly."""
    data = club()
    fold = fold_of(34, settings.FOLDS, stream("folds", 0))
    truth = torch.nn.functional.one_hot(data.y, 2).float() + 0.01 * torch.randn(34, 2, generator=stream("learn", 0))
    vectors = [truth[part.n_id] for part in parts(data)]
    found = metrics.measure(vectors, data, fold, 1)
    assert set(found) <= set(metrics.METRICS) and set(metrics.METRICS) - set(found) <= {
        f"{learner}_{group}_without" for learner in ("svc", "mlp") for group in ("public", "private")}
    assert found["svc_all"] == found["mlp_all"] == found["precision_1"] == 100
    assert metrics.measure(vectors, data, fold, 1) == found
    noise = [torch.randn(len(z), 2, generator=stream("learn", i)) for i, z in enumerate(vectors)]
    assert metrics.precisions(noise, data)["precision_1"] < 50


def test_arms_are_what_they_are_called():
    """Longer training walks as much as all rounds together; local networks train as long, without an answer's loss."""
    local, longer, aligned = (settings.deepwalk(arm) for arm in ("local", "longer", "aligned"))
    assert (local.rounds, longer.rounds, aligned.rounds) == (0, 0, 10) and aligned.answer == "aligned"
    assert longer.first_epochs == aligned.first_epochs + aligned.rounds * aligned.epochs > local.first_epochs
    assert settings.deepwalk("mean", start="shared", seed=4).start_seed == 4
    assert settings.gat("local", "citeseer").beta == 0 and settings.gat("own", "citeseer").beta == 0.75
    assert settings.gat("local", "cora").rounds == settings.gat("fedavg", "cora").rounds == 10
    with pytest.raises(KeyError):
        settings.gat("unknown", "cora")


def test_three_seeds_of_the_question_on_cora_come_first():
    runs = wanted(tables.DEEPWALK_EXPERIMENT)
    assert [(setting["arm"], seed) for setting, seed in runs[:2]] == [("local", 0), ("aligned", 0)]
    assert {(setting["dataset"], setting["tables"]) for setting, _ in runs[:3 * len(tables.ARMS)]} == {("cora", "two")}
    for experiment in OURS:
        seeds = Counter(tuple(setting.values()) for setting, _ in wanted(experiment))
        assert set(seeds.values()) <= ({1} if experiment.name == "ppfl-priced" else {3, 5, 10})  # a page's own run
    assert {seed for _, seed in wanted(tables.GAT_EXPERIMENT)} == set(range(10))


def test_all_printed_cells_of_chapter_4_have_a_run_a_count_or_a_reason():
    """Tables 4.1 and 4.2: 80 clients' scores and 8 of whole graphs from runs; sums and Table 4.3 have reasons."""
    chapter = [c for c in published("dissertation") if c.table in ("Table 4.1", "Table 4.2", "Table 4.3")]
    found = Counter((c.table, type(lookup(c)).__name__) for c in chapter)
    assert found == {("Table 4.1", "Measured"): 36, ("Table 4.1", "NotRun"): 4, ("Table 4.2", "Measured"): 52,
                     ("Table 4.2", "NotRun"): 6, ("Table 4.3", "NotRun"): 30}
    noisy, = entries("dissertation", "Table 4.2", dataset="Cora_Noise", method="FED", client="3", classifier="SVC")
    said = lookup(noisy)
    assert isinstance(said, Measured) and said.metric == "svc_client_3" and said.runs == 1
    assert said.settings == (dict(dataset="cora", arm="aligned", wrong=0.15),)


def test_the_printed_numbers_of_nodes_come_out():
    """40% and 15% of 2,708 and 3,327 nodes, rounded down, which is how ``hold`` deals them out."""
    counts = [c for c in compare_paper("dissertation") if "nodes_per_client" in c.printed.metric]
    assert len(counts) == 6 and {c.verdict for c in counts} == {"agrees"}
    assert all(isinstance(lookup(c.printed), Computed) for c in counts)


def test_one_printed_run_is_one_draw_of_ours():
    """The interval of ours minus one number of the same law covers zero in 95% of 4,000 cases."""
    generator, covered = torch.Generator().manual_seed(0), 0
    for ours, theirs in zip(torch.randn(4000, 5, generator=generator), torch.randn(4000, generator=generator),
                            strict=True):
        gap = difference(ours.tolist(), float(theirs), None, 1)
        covered += gap.low <= 0 <= gap.high
    assert abs(covered / 4000 - 0.95) < 0.02  # six deviations
    with pytest.raises(ValueError, match="runs must be a whole number, at least 2, got 1"):
        difference([80.0, 81.0], 80.0, 1.0, 1)


def test_uploads_tell_and_random_rows_do_not(monkeypatch, tmp_path):
    """All metrics, of one round and of several; rows that know nothing are right by chance."""
    edges = sample_non_edges(torch.empty(2, 0, dtype=torch.long), 240, 500, stream("split", 0))
    data = Data(edge_index=to_undirected(edges, 240), y=torch.arange(240) % 3, num_nodes=240)
    everybody = hold(data, stream("split", 1), clients=3, public=0.4, private=0.2)
    monkeypatch.setattr(metrics, "held", lambda dataset, seed: everybody)
    monkeypatch.setattr(upload_leaks, "held", lambda dataset, seed: everybody)
    monkeypatch.setattr(upload_leaks, "deepwalk", lambda arm: FederatedDeepWalk(
        dimension=8, length=10, window=3, first_epochs=6, rounds=2 if arm == "aligned" else 0))
    found = {seen: upload_leaks.leaks_run(dict(dataset="karate", seen=seen), 0, Cache(tmp_path))
             for seen in upload_leaks.SEEN}
    assert all(tuple(each) == upload_leaks.LEAKS for each in found.values())
    assert min(found[seen]["shared_anywhere_auc"] for seen in ("first", "all")) > 80
    assert min(found[seen]["no_edge_auc"] for seen in ("first", "all")) > 99
    assert all(25 < found["random"][f"{question}_auc"] < 75 for question in upload_leaks.QUESTIONS)
    assert found["public"]["links_auc"] > 90
    assert abs(found["public"]["here_elsewhere_auc"] - 50) < 10  # what all know cancels


def test_who_sees_public_things_only_reads_no_private_link(monkeypatch):
    """Other private links, the same rows."""
    monkeypatch.setattr(upload_leaks, "deepwalk", lambda arm: FederatedDeepWalk(**QUICK))
    data = club()
    bare = parts(data)
    for part in bare:
        part.edge_index = part.edge_index[:, (part.edge_index < part.num_public).all(0)]
    rows = upload_leaks.everybodys(parts(data), 0)
    assert rows.shape == (4, 1, 13, 2) and torch.equal(rows, upload_leaks.everybodys(bare, 0))


def test_the_answers_between_uploads_are_the_servers():
    data, method = club(), FederatedDeepWalk(**QUICK)
    _, rounds = method.run(data, stream("learn", 2))
    found = list(metrics.each_round(method, data, 2))[:2]
    sent = torch.stack([torch.stack([z[:13] for z in clients]) for clients in found], 1)
    assert torch.equal(upload_leaks.answered(sent, 1)[0], unpack_rows(rounds[0].replies[1]))
    assert all(torch.equal(sent[3, r], unpack_rows(rounds[r].messages[3])) for r in range(2))
    assert upload_leaks.answered(sent[:, :1], 1) is None


def test_a_canary_is_told_from_one_upload_and_not_through_a_small_budget(monkeypatch):
    """Clients of a random graph, one of whom has canaries."""
    edges = sample_non_edges(torch.empty(2, 0, dtype=torch.long), 240, 500, stream("split", 0))
    data = hold(Data(edge_index=to_undirected(edges, 240), num_nodes=240), stream("split", 1), clients=2, public=0.5,
                private=0.25)
    monkeypatch.setattr(upload_leaks, "held", lambda dataset, seed, percent, by: data)
    monkeypatch.setattr(upload_leaks, "RUNS", 20)
    monkeypatch.setattr(upload_leaks, "CANARIES", 10)
    monkeypatch.setattr(upload_leaks, "deepwalk", lambda arm: FederatedDeepWalk(
        dimension=8, length=10, window=3, first_epochs=6, rounds=2))
    setting = upload_leaks.CANARIES_EXPERIMENT.setting(dataset="cora")
    found = {name: upload_leaks.canaries_run(setting | said, 0, None) for name, said in (
        ("first", {}), ("private", dict(epsilon=0.1)))}
    assert all(tuple(each) == upload_leaks.CANARIES_EXPERIMENT.metrics for each in found.values())
    assert found["first"]["auc"] > 75 > found["private"]["auc"]
    assert 0 <= found["private"]["epsilon"] <= 0.1 and found["first"]["exposed"] > 50


def test_all_uploads_are_those_of_a_federation():
    found = upload_leaks.uploads_of(FederatedDeepWalk(**QUICK), parts(club()), stream("learn", 0))
    assert found.shape == (2, 13, 2) and not torch.equal(found[0], found[1])
    again = upload_leaks.seen(upload_leaks.CANARIES_EXPERIMENT.setting(dataset="cora", seen="all"), ())
    with pytest.raises(ValueError, match="dimension must be at most 13, the number of public nodes"):
        again(parts(club())[0], stream("learn", 0))


def test_who_has_no_public_neighbour_is_not_exposed():
    part = Data(edge_index=to_undirected(torch.tensor([[0, 2, 3], [2, 3, 4]]), 6), num_nodes=6, num_public=2)
    assert upload_leaks.exposed(part) == pytest.approx(100 / 3)


def test_a_guarantee_holds_for_all_that_is_sent(monkeypatch, tmp_path):
    """Clients walk on noisy edges, whoever they train with; the budget is that of a private edge."""
    for name, response in guarantees.RESPONSES.items():
        held_for, = FederatedDeepWalk(**QUICK, edges=response(4.0)).guarantees()
        assert (held_for.unit, held_for.epsilon) == ("private edge", 4.0), name
    said = []
    monkeypatch.setattr(guarantees, "held", lambda dataset, seed: club(seed))
    monkeypatch.setattr(guarantees, "folds", lambda dataset, seed: fold_of(34, 5, stream("folds", seed)))
    monkeypatch.setattr(guarantees, "deepwalk_rounds", lambda method, *more: said.append(method) or iter([
        [torch.randn(part.num_nodes, 2, generator=stream("learn", 0)) for part in parts(club())]]))
    for response, arm in (("degrees", "local"), ("uploads", "aligned")):
        setting = dict(dataset="karate", response=response, epsilon=4.0, arm=arm)
        guarantees.guarantees_run(setting, 0, Cache(tmp_path))
    assert said[0].guarantees()[0].epsilon == 4.0 and said[0].rounds == 0
    whole, edge = said[1].guarantees()
    assert (whole.unit, whole.epsilon, edge.unit, said[1].rounds) == ("private part", 4.0, "private edge", 10)


def test_noise_on_uploads_is_measured_first_for_those_who_train_together():
    runs = wanted(guarantees.EXPERIMENT)
    ours = [(setting["dataset"], setting["arm"]) for setting, _ in runs if setting["response"] == "uploads"]
    assert ours == 9 * [("cora", "aligned")] and all(setting["response"] == "uploads" for setting, _ in runs[:9])


def test_who_began_without_noise_sends_with_it(monkeypatch, tmp_path):
    """What clients have before they send anything is kept; what they send then has the noise of the method."""
    monkeypatch.setattr(metrics, "held", lambda dataset, seed: club(seed))
    noisy = FederatedDeepWalk(**QUICK, noise=UploadNoise(1.0, clip=0.1))
    kept = list(metrics.deepwalk_rounds(noisy, "karate", 3, Cache(tmp_path)))
    fresh = list(metrics.each_round(noisy, club(3), 3))
    assert all(all(same(a, b)) for a, b in zip(kept, fresh, strict=True))
    silent = list(metrics.deepwalk_rounds(FederatedDeepWalk(**QUICK), "karate", 3, Cache(tmp_path)))
    assert all(same(silent[0], kept[0])) and not any(same(silent[1], kept[1]))


def test_of_table_4_3_no_more_is_said_than_the_ledger_has():
    """No text promises both graphs; the page lists what was run, as the ledger has it."""
    page = (Path(__file__).parents[2] / "chapters" / "11_federated_evidence.md").read_text(encoding="utf-8")
    reasons = {lookup(c).reason for c in published("dissertation") if c.table == "Table 4.3"}
    assert reasons and not any("both graphs" in text for text in (page, *reasons))
    assert "{glue:text}`public_run`" in page  # computed from the ledger, beside the table
