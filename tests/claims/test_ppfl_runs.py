"""Evidence from the committed ledger for what the dissertation's chapter 4 says about its experiments.

Ours are runs on Cora with its settings, at least three seeds. A value is a mean over four clients. These share their
public nodes and are no independent runs, so an interval is over seeds, of paired differences.
"""

import inspect
from math import inf
from statistics import fmean

import pytest

from privbook.papers.ppfl.upload_leaks import CANARIES
from privbook.papers.published import entries
from privbook.papers.results import Results, over_seeds
from privgraph.attacks.upload_canaries import upload_audit
from privgraph.nn import Interval

PLACE = dict(dataset="cora", tables="two", start="own")


def minus(first: str, second: str, metric: str) -> Interval:
    gap = Results("ppfl-deepwalk").gap(dict(arm=first), dict(arm=second), metric, **PLACE)
    assert gap.n >= 3
    return gap


def printed(method: str, classifier: str) -> float:
    """The mean over the printed clients."""
    found = entries("dissertation", "Table 4.1", dataset="Cora", method=method, classifier=classifier)
    assert len(found) == 4
    return fmean(setting.value for setting in found)


@pytest.mark.bears("measured", "ppfl-outperforms-local")
def test_alignment_gains_for_public_nodes_without_edges_and_private_ones_pay(record_property):
    """Table 4.1: federated DeepWalk beats local training, by 2.2 points (SVC) and 1.1 (MLP) a client on Cora. Ours does
    not: public nodes without an edge at a client gain, as others know them, and the client's own private nodes with
    edges lose. Training as long without the others changes nothing; means without alignment are worse."""
    said = []
    for classifier in ("SVC", "MLP"):
        gain, learner = printed("FED", classifier) - printed("LOC", classifier), classifier.lower()
        assert minus("aligned", "local", f"{learner}_all").high < gain
        assert minus("aligned", "local", f"{learner}_public_without").low > 5
        assert minus("aligned", "local", f"{learner}_private_with").high < 0
        as_long = minus("own", "local", f"{learner}_all")
        assert -1.5 < as_long.low < as_long.high < 1.5
        assert minus("aligned", "mean", f"{learner}_all").low > 0
        said.append("{}: all {}, public without edges {}, private with edges {}".format(
            classifier, *(minus("aligned", "local", f"{learner}_{group}")
                          for group in ("all", "public_without", "private_with"))))
    record_property("witness", "federated minus local DeepWalk on Cora, points of micro F1, " + "; ".join(said))


def told(seen: str, question: str) -> Interval:
    """The AUC of a server that reads a client's uploads, in percent, on Cora."""
    found = Results("ppfl-leaks").mean(f"{question}_auc", dataset="cora", seen=seen)
    assert found.n >= 5
    return found


@pytest.mark.bears("measured", "ppfl-public-carry-information")
def test_uploads_tell_of_private_neighbours(record_property):
    """Section 4.2.2: public rows "carry some sensitive information of the private nodes". Which public nodes share a
    private neighbour at this client is told from those who share one at another, and who has no edge here from all.
    Rows that know nothing tell neither."""
    for seen in ("first", "all"):
        assert told(seen, "here_elsewhere").low > 90 and told(seen, "shared_elsewhere").low > 75
        assert told(seen, "no_edge").low > 99 and round(told(seen, "no_edge").mean) == 100
    assert [round(told(seen, "here_elsewhere").mean) for seen in ("first", "all")] == [95, 97]
    for question in ("here_elsewhere", "no_edge"):
        assert 40 < told("random", question).mean < 60
    record_property("witness", "DeepWalk on Cora, AUC in percent, from one upload and from all of ten rounds: a shared "
                    "private neighbour {}, {}; no edge at all {}, {}".format(
                        *(told(seen, question) for question in ("here_elsewhere", "no_edge")
                          for seen in ("first", "all"))))


def canaries(metric: str, **place) -> dict[int, float]:
    """One number for each set of twenty canaries, from the first upload of a client on Cora."""
    usual = dict(seen="first", kind="private-private", percent=40.0, by="random", epsilon=inf)
    found = Results("ppfl-canaries").values(metric, dataset="cora", **usual | place)
    assert len(found) >= 3
    return found


@pytest.mark.bears("measured", "ppfl-public-only-reduces-risk")
def test_public_rows_alone_give_private_links_away(record_property):
    """Section 4.2.2: uploading public rows only is said to reduce disclosure. Of links between private people with a
    public neighbour they tell all there is to tell."""
    auc, epsilon, exposed = (canaries(metric) for metric in ("auc", "epsilon", "exposed"))
    assert round(min(auc.values()), 1) == 99.9 and 100 - min(auc.values()) < 0.11 and min(epsilon.values()) > 3
    assert round(fmean(exposed.values())) == 89
    assert CANARIES == 20 and inspect.signature(upload_audit).parameters["confidence"].default == 0.99
    record_property("witness", f"{len(auc)} sets of canaries: AUC at least {min(auc.values()):.2f}, epsilon at least "
                    f"{min(epsilon.values()):.2f} each, exposed {fmean(exposed.values()):.0f} of 100")


@pytest.mark.bears("measured", "ppfl-fewer-public-more-privacy")
def test_fewer_public_nodes_expose_fewer_people_as_surely(record_property):
    """Section 4.5: fewer public nodes, those of largest degree as in Table 4.3, would balance better."""
    said = []
    for percent in (5.0, 20.0, 40.0):
        auc = canaries("auc", by="degree", percent=percent)
        assert min(auc.values()) > 99
        said.append(f"{percent:.0f}%: AUC at least {min(auc.values()):.1f}, exposed "
                    f"{fmean(canaries('exposed', by='degree', percent=percent).values()):.0f} of 100")
    few, many = (canaries("exposed", by="degree", percent=percent) for percent in (5.0, 40.0))
    assert [round(fmean(each.values())) for each in (few, many)] == [76, 92]
    assert over_seeds({seed: many[seed] - few[seed] for seed in few}).low > 5
    record_property("witness", "; ".join(said))


@pytest.mark.bears("measured", "ppfl-fewer-public-more-privacy")
def test_federation_is_not_ahead_at_any_share_of_public_nodes(record_property):
    """Section 4.4, Table 4.3: federated minus local DeepWalk, all nodes of a client, in points of micro F1."""
    gaps = {percent: Results("ppfl-public").gap(dict(arm="aligned"), dict(arm="local"), "svc_all", dataset="cora",
                                                method="deepwalk", percent=percent)
            for percent in (5.0, 10.0, 20.0, 30.0, 40.0)}
    assert all(gap.n >= 3 and gap.high < 0.5 for gap in gaps.values())
    record_property("witness", ", ".join(f"{percent:.0f}%: {gap}" for percent, gap in gaps.items()))


@pytest.mark.bears("measured", "federated-private-edge")
def test_what_audits_prove_stays_below_what_is_proved(record_property):
    """Clients that randomise their edges first: no audit may find more than the epsilon of an edge that is stated."""
    found = {epsilon: max(canaries("epsilon", epsilon=epsilon).values()) for epsilon in (8.0, 4.0, 1.0)}
    assert all(least <= epsilon for epsilon, least in found.items())
    assert found[8.0] > 1  # and it is an audit that finds something
    record_property("witness", "epsilon stated, and at least by the audit: " + ", ".join(
        f"{epsilon:g}, {least:.2f}" for epsilon, least in found.items()))


def test_with_wrong_labels_federated_attention_gains_at_every_client(record_property):
    """Table 4.2, Cora_Noise: printed gains are below a point at two clients and above 2.9 at the others. Ours, with 15%
    wrong training labels at all four, are about 2 points at each; on clean labels less than half of that."""
    def gain(metric: str, wrong: float) -> Interval:
        gap = Results("ppfl-gat").gap(dict(arm="aligned"), dict(arm="local"), metric, dataset="cora", wrong=wrong)
        assert gap.n >= 3
        return gap
    each = [gain(f"svc_client_{client}", 0.15).mean for client in range(1, 5)]
    assert gain("svc_all", 0.15).low > 0 and gain("mlp_all", 0.15).low > 0 and min(each) > 1
    assert gain("svc_all", 0.0).mean < gain("svc_all", 0.15).mean / 2
    record_property("witness", f"federated minus local GAT on Cora, points of micro F1: 15% wrong labels "
                    f"{gain('svc_all', 0.15)}, clean {gain('svc_all', 0.0)}")


def test_one_table_gains_from_a_weaker_start(record_property):
    """Table 4.1 read with one table of vectors: on both graphs the gain is above what is printed, and comes without
    alignment as well, from local vectors that are weaker than those of two tables."""
    walks, said = Results("ppfl-deepwalk"), []
    for graph in ("cora", "citeseer"):
        one, two = (dict(dataset=graph, tables=tables, start="own") for tables in ("one", "two"))
        gain = walks.gap(dict(arm="aligned"), dict(arm="local"), "svc_all", **one)
        turned = walks.gap(dict(arm="aligned"), dict(arm="mean"), "svc_all", **one)
        weaker = walks.gap(two, one, "svc_all", arm="local")
        assert gain.low > 2.2 and weaker.low > 3 and turned.low < 0 < turned.high
        said.append(f"{graph}: aligned minus local {gain}, minus means as they came {turned}, local with two tables "
                    f"minus one {weaker}")
    record_property("witness", "; ".join(said))
