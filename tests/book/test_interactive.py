"""Figures that answer: the table that holds their scripts is the library's, and so is what stands without them."""

import json
import math
import re

import pytest
import torch
from torch_geometric.data import Data

import figure_cases
from privbook import show
from privbook.show.choosing import all_places, rows_of
from privbook.show.interactive import MECHANISMS, nearest_first, sampling, spent
from privbook.show.noise_on_prototypes import told
from privbook.show.reported_pairs import reported
from privgraph.audit import worst_case
from privgraph.mechanisms import NeighbourReplacement, NoisyArgMax
from privgraph.methods.federated import procrustes
from privgraph.privacy import Step, rdp_epsilon

CASES = json.loads(figure_cases.TABLE.read_text(encoding="utf-8"))


def differing(cases: list[dict], others: list[dict]) -> list[dict]:
    """The inputs of cases whose numbers differ; cosines, which are inputs, have a float32's digits."""
    def asked(case):
        return case["figure"], {name: value for name, value in case["inputs"].items() if name != "near"}
    def cosines(case):
        return [float(number) for pair in case["inputs"].get("near", []) for number in pair]
    assert [*map(asked, cases)] == [*map(asked, others)]
    return [case["inputs"] for case, other in zip(cases, others, strict=True)
            if case["numbers"] != pytest.approx(other["numbers"], rel=1e-9, abs=1e-12)
            or cosines(case) != pytest.approx(cosines(other), abs=1e-6)]


def test_the_table_is_the_librarys():
    assert differing(CASES, figure_cases.library()) == [], "run `python tests/figure_cases.py`"
    assert {case["figure"] for case in CASES} == {"odds", "budget", "replacement", "advice", "rotation", "prototype",
                                                 "edges"}
    assert len(CASES) > 100


def test_a_changed_number_would_be_seen():
    other = json.loads(json.dumps(CASES))
    other[3]["numbers"]["guess"] *= 1 + 1e-8
    assert differing(CASES, other) == [CASES[3]["inputs"]]


def test_the_table_has_what_could_go_wrong():
    """A slot without a candidate, one with many; budgets that RDP hardly cuts and that it cuts a lot; all mechanisms.
    (With orders up to 2^30 RDP is never above adding up.)"""
    replaced = [case["numbers"] for case in CASES if case["figure"] == "replacement"]
    assert {len(numbers) for numbers in replaced} > {1, 2, 3} and max(map(len, replaced)) > 3
    budgets = [case for case in CASES if case["figure"] == "budget"]
    assert {case["inputs"]["mechanism"] for case in budgets} == set(figure_cases.MADE)
    gain = [case["numbers"]["rdp"] / case["numbers"]["basic"] for case in budgets]
    assert max(gain) <= 1 and {share > 0.999 for share in gain} == {share < 0.5 for share in gain} == {True, False}


def test_what_uses_cost_by_other_ways():
    """The exact audit, and the accountant by itself."""
    label = NoisyArgMax(10.0, 3, "laplace")
    found = spent(label, 1000, 0.3, 1e-4)
    assert found["exact"] == pytest.approx(worst_case(label, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]).epsilon, abs=1e-8)
    assert found["sampled"] == pytest.approx(math.log1p(0.3 * math.expm1(found["exact"])))
    assert found["basic"] == pytest.approx(1000 * found["sampled"])
    assert found["rdp"] == rdp_epsilon([Step(label.pair.poisson(0.3), 1000)], 1e-4)
    assert found["printed"] == 0.1 and "printed" not in spent(NoisyArgMax(10.0, 3), 1000, 0.3, 1e-4)
    assert [sampling(mechanism) for mechanism in MECHANISMS] == [True, False, False, False]


def test_neighbours_come_with_their_cosines_the_most_similar_first():
    data, mechanism = figure_cases.friends(), NeighbourReplacement(1.0)
    mixed, near = mechanism.mixed(data), nearest_first(data, mechanism)
    for u, found in enumerate(near):
        assert sorted(w for w, _ in found) == sorted(data.edge_index[0][data.edge_index[1] == u].tolist())
        assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
        for w, cosine in found:
            assert cosine == pytest.approx(float(torch.cosine_similarity(mixed[u], mixed[w], 0)), abs=1e-6)


def test_what_stands_without_scripts_has_the_numbers():
    figures = [show.odds_figure(), show.budget_figure(), show.replacement_figure(figure_cases.friends()),
               show.advice_figure(), show.rotation_figure(*figure_cases.maps(1)), show.prototype_figure(),
               show.edges_figure()]
    still = [re.sub(r"<script>.*</script>", "", made.data, flags=re.DOTALL) for made in figures]
    assert "× 2.718" in still[0] and "0.7311" in still[0] and "<polygon" in still[0]
    label = spent(NoisyArgMax(10.0, 10, "laplace"), 1000, 0.3, 1e-4)
    assert f"<td>{label['printed_all']:.4g}</td><td>{label['basic']:.4g}</td><td>{label['rdp']:.4g}</td>" in still[1]
    assert still[2].count("data-node=") == 34 and still[2].count("<td>") == 3 * 4
    assert all(still[3].count(f"<td>{accuracy:.1f}</td>") for place in all_places() for accuracy in
               [row.accuracy for row in rows_of(*place) if row.epsilon])
    x, y = figure_cases.maps(1)
    assert f"{float((x @ procrustes(x, y) - y).square().sum()):.3g} after Procrustes" in still[4]
    assert f"deviation {told(1.0, 1e-5, 20)['sigma']:.4g} C" in still[5]
    assert f"{100 * reported(3000, 4, 4.0)['true']:.3g} % of" in still[6]
    assert not any(re.search(r"<(input|button|select)", text) for text in still), "controls without a script are dead"


def test_a_figure_says_twice_the_same():
    assert show.replacement_figure(figure_cases.friends()).data == show.replacement_figure(figure_cases.friends()).data


def test_a_person_without_neighbours_can_be_drawn():
    lonely = Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    assert "nobody" in show.replacement_figure(lonely, person=0).data
    assert nearest_first(lonely, NeighbourReplacement(1.0))[2] == []
    assert '],[]],"person":2}' in show.replacement_figure(lonely, person=2).data
