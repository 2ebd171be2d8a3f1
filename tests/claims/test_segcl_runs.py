"""Evidence from the committed ledger for what the dissertation's chapter 5 says about its experiments.

The sets are those of its Table 5.4, with what was chosen on base classes; intervals are over seeds, of differences that
are paired by seed.
"""

from functools import cache

from privbook.papers.published import entries
from privbook.papers.results import Results
from privbook.papers.segcl.tasks import ATTEMPTS, ETA, ETAS, PARTS
from privgraph.nn import Interval

SETS = {"TRIANGLES": ("triangles-sample", 3), "Letter-High": ("letter-high", 4)}


@cache
def tasks() -> Results:
    """Read once: every row's checksum is looked at."""
    return Results("segcl-tasks")


def rise(name: str, **place) -> Interval:
    """Accuracy with twenty shots minus that with five, points."""
    dataset, ways = SETS[name]
    found = tasks().gap(dict(shots=20), dict(shots=5), "accuracy", dataset=dataset, ways=ways, layer="gcn",
                        eta=0.8, **place)
    assert found.n >= 5
    return found


def test_on_triangles_more_shots_do_not_help_as_much_as_printed(record_property):
    """Table 5.4, TRIANGLES: from five to twenty shots SE-GCL gains 11.8 points and GSM 8.6. Ours gain little, neither
    as chosen nor at the text's own settings, and so do PN, shuffled views, and mean and spread of the degrees."""
    said = []
    for method, ours in (("SE-GCL", "segcl"), ("GSM", "gsm")):
        printed = entries("dissertation", "Table 5.4", dataset="TRIANGLES", method=method)
        at = {entry.parameters["shot"]: entry.value for entry in printed}
        found = rise("TRIANGLES", method=ours, setting="chosen")
        assert found.high < at["20"] - at["5"] - 4
        said.append(f"{method} {found}, printed {at['20'] - at['5']:.1f}")
    own = rise("TRIANGLES", method="segcl", setting="printed")
    controls = {method: rise("TRIANGLES", method=method, setting="chosen") for method in ("pn", "segcl-shuffled")}
    counted = Results("segcl-null").gap(dict(shots=20), dict(shots=5), "accuracy", dataset="triangles-sample", ways=3,
                                        columns="features")
    assert all(found.high < 5 for found in (own, counted, *controls.values()))
    record_property("witness", "twenty shots minus five on TRIANGLES, points: "
                    + "; ".join([*said, f"SE-GCL at the text's settings {own}"]))


def minus(first: str, second: str, name: str, shots: int) -> Interval:
    """Accuracy of one method minus that of another on one of the published sets, as chosen, points."""
    dataset, ways = SETS[name]
    return tasks().gap(dict(method=first), dict(method=second), "accuracy", dataset=dataset, ways=ways, shots=shots,
                       setting="chosen", layer="gcn", eta=ETA)


def test_contrast_adds_nothing_that_seeds_could_show(record_property):
    """SE-GCL minus PN on the same tasks, the same start and optimiser, ten seeds: on either published set and with any
    number of shots the interval is not above zero, and it ends below a point and a half. Right views are ahead of
    shuffled ones by less than a point, and more than nothing in one case of six: on Letter-High with ten shots. On
    TRIANGLES no part taken away and no eta is better than PN."""
    said, ahead = [], set()
    for name in SETS:
        for shots in (5, 10, 20):
            gap = minus("segcl", "pn", name, shots)
            assert gap.n >= 10 and gap.low <= 0 and gap.high < 1.5
            view = minus("segcl", "segcl-shuffled", name, shots)
            assert view.n >= 10 and view.mean < 1 and view.high > 0
            ahead |= {(name, shots)} if view.low > 0 else set()
            said.append(f"{name}, {shots} shots {gap} (right views minus shuffled {view})")
    assert ahead <= {("Letter-High", 10)}
    place = dict(dataset="triangles-sample", ways=3, shots=5, setting="chosen", layer="gcn")
    variants = [dict(method=part, eta=ETA) for part in PARTS] + [dict(method="segcl", eta=eta) for eta in ETAS]
    assert all(tasks().mean("gap", **variant, **place).mean < 0 for variant in variants)
    record_property("witness", "SE-GCL minus PN, points: " + "; ".join(said))


def test_a_prototypical_network_gets_what_was_to_be_reached():
    """Issue 23: at five shots at least 83.5 on TRIANGLES and 77 on Letter-High, with what base classes chose."""
    for name, least in {"TRIANGLES": 83.5, "Letter-High": 77}.items():
        dataset, ways = SETS[name]
        found = tasks().mean("accuracy", dataset=dataset, ways=ways, shots=5, method="pn",
                             setting="chosen", layer="gcn", eta=ETA)
        assert found.n >= 5 and found.mean >= least


def test_on_generated_triangles_any_view_gains_and_on_letters_contrast_costs():
    """The generated sets, five seeds: on triangles SE-GCL is ahead of PN by less than a point at every number of
    shots, with shuffled views too, and no interval tells the two apart; on letters it is never ahead, and behind at
    twenty shots, where shuffled views are further behind."""
    for name, ways, ahead, behind, told in (("triangles", 3, {5, 10, 20}, set(), set()),
                                            ("letters", 4, set(), {20}, {20})):
        place = dict(dataset=name, ways=ways, setting="chosen", layer="gcn", eta=ETA)
        own, mixed, view = ({shots: tasks().gap(
            dict(method=first), dict(method=second), "accuracy", shots=shots, **place) for shots in (5, 10, 20)}
            for first, second in (("segcl", "pn"), ("segcl-shuffled", "pn"), ("segcl", "segcl-shuffled")))
        assert all(gap.n >= 5 and gap.high < 1 for gap in own.values())
        assert {shots for shots, gap in own.items() if gap.low > 0} == ahead
        assert {shots for shots, gap in own.items() if gap.high < 0} == behind
        assert {shots for shots, gap in view.items() if gap.low > 0} == told
        assert name == "letters" or all(gap.low > 0 for gap in mixed.values())


def test_no_attempt_at_maml_on_triangles_gains(record_property):
    """Second order, on base classes: as run and in three attempts, trained minus untrained is below a point on each of
    two seeds (as run, of three), and no attempt gains more than is gained as run, though longer adaptation names more
    from either. On the tests' classes second order gains nothing that can be seen and first order half a point. Class
    means of the untrained encoder are far ahead of adaptation."""
    adapted = Results("segcl-adaptation")
    tried = {attempt: {metric: list(adapted.values(metric, dataset="triangles-sample", attempt=attempt,
                                                   order="second").values())
                       for metric in ("accuracy", "untrained", "gain")} for attempt in ATTEMPTS}
    for attempt in tried.values():
        assert len(attempt["gain"]) >= 2 and all(abs(gain) < 1 for gain in attempt["gain"])
    rounded = {name: [round(gain, 1) for gain in attempt["gain"]] for name, attempt in tried.items()}
    assert rounded == {"as-run": [0.4, 0.7, 0.8], "longer": [-0.5, -0.1], "slower": [0.0, 0.1], "both": [0.0, -0.1]}
    assert all(min(tried["longer"][of]) > max(tried["as-run"][of]) + 2 for of in ("accuracy", "untrained"))
    first, second, means, training = (minus(*pair, "TRIANGLES", 5) for pair in (
        ("maml-first", "maml-untrained"), ("maml", "maml-untrained"), ("pn-untrained", "maml-untrained"),
        ("pn", "pn-untrained")))
    assert 0 < first.low < first.mean < 1 and second.low < 0 < second.high
    assert 14 < means.mean < 16 and 2 < training.mean < 4
    assert all(minus(method, "maml-untrained", "Letter-High", 5).low > 5 for method in ("maml", "maml-first"))
    record_property("witness", f"trained minus untrained on base classes, points: {rounded}")
