"""Evidence from the committed ledger for what the dissertation's chapter 5 says about its experiments.

The sets are those of its Table 5.4, with what was chosen on base classes; intervals are over seeds, of differences that
are paired by seed.
"""

from privgraph.experiments import Results, cells
from privgraph.experiments.catalogue.segcl.tasks import ETA, ETAS, PARTS
from privgraph.nn import Interval

SETS = {"TRIANGLES": ("triangles-sample", 3), "Letter-High": ("letter-high", 4)}


def rise(name: str, **place) -> Interval:
    """Accuracy with twenty shots minus that with five, points."""
    dataset, ways = SETS[name]
    found = Results("segcl-tasks").gap(dict(shots=20), dict(shots=5), "accuracy", dataset=dataset, ways=ways,
                                       layer="gcn", eta=0.8, **place)
    assert found.n >= 5
    return found


def test_on_triangles_more_shots_do_not_help_as_much_as_printed(record_property):
    """Table 5.4, TRIANGLES: from five to twenty shots SE-GCL gains 11.8 points and GSM 8.6. Ours gain little, neither
    as chosen nor at the text's own settings, and so do PN, shuffled views, and mean and spread of the degrees."""
    said = []
    for method, ours in (("SE-GCL", "segcl"), ("GSM", "gsm")):
        at = {cell.parameters["shot"]: cell.value for cell in cells("dissertation", "Table 5.4", dataset="TRIANGLES",
                                                                    method=method)}
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


def test_contrast_adds_nothing_that_seeds_could_show(record_property):
    """SE-GCL minus PN on the same tasks, the same start and optimiser: no clear gain on either set with any number of
    shots, and shuffled views do about as well. On TRIANGLES no part taken away and no eta is
    better than PN."""
    said = []
    for name, (dataset, ways) in SETS.items():
        for shots in (5, 10, 20):
            gap = Results("segcl-tasks").mean("gap", dataset=dataset, ways=ways, shots=shots, method="segcl",
                                              setting="chosen", layer="gcn", eta=0.8)
            assert gap.n >= 5 and gap.mean < 1.5 and gap.low < 1
            said.append(f"{name}, {shots} shots {gap}")
    place = dict(dataset="triangles-sample", ways=3, shots=5, setting="chosen", layer="gcn")
    variants = [dict(method=part, eta=ETA) for part in PARTS] + [dict(method="segcl", eta=eta) for eta in ETAS]
    assert all(Results("segcl-tasks").mean("gap", **variant, **place).mean < 0 for variant in variants)
    record_property("witness", "SE-GCL minus PN, points: " + "; ".join(said))
