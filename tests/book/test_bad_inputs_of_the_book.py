"""Bad inputs: every public function of ``privbook`` and of its figures and tables refuses them by name."""

import pytest
import torch
from matplotlib.figure import Figure

import privbook
from privbook import show
from privbook.claims import PASSED, Claim, Recheck
from privbook.papers.privgnn import as_printed
from privgraph import datasets, nn
from refusing import (
    INF,
    NO_COUNT,
    NO_DELTA,
    NO_FLAG,
    NO_GRAPH,
    NO_LIST,
    NO_NAME,
    NO_NUMBER,
    NO_RATE,
    NO_SHARE,
    NO_SIZE,
    NO_VALUES,
    NOT_NEGATIVE_ONLY,
    NOT_POSITIVE,
    PATH,
    Entry,
    but,
    faults,
    toy,
    unless,
    without,
)

PRINTED = privbook.entries("rgnn", "Table II")[0]
COMPARED = privbook.Comparison(PRINTED, "not run")
TRIED = privbook.load_attempts()[0]
EXPERIMENT = privbook.experiments()["lpgnn"]
NO_EXPERIMENT = (None, "lpgnn", {"name": "lpgnn"})
NO_PAIRS_OF_NUMBERS = (None, [[1.0, 2.0]] * 3, torch.ones(3), torch.ones(3, 3), torch.full((3, 2), torch.nan))
NO_MINUTES = (*but(NO_NUMBER, None), -1)
STATED = Claim("a", "rgnn", "Theorem 1", "It is private.", "pending", waits_for="a proof")
CHECKED = Recheck(STATED, PASSED)
GOOD_RUN = dict(experiment=EXPERIMENT, dataset=None, seeds=1, workers=1, minutes=0, progress=False)


TABLE = {
    "as_printed.printed_epsilon": Entry(
        as_printed.printed_epsilon, dict(scale=10.0, rate=0.3, num_queries=10, delta=1e-3),
        dict(scale=NOT_POSITIVE, rate=NO_RATE, num_queries=NO_SIZE, delta=NO_DELTA)),
    "as_printed.printed_theorem_7": Entry(
        as_printed.printed_theorem_7, dict(scale=10.0, rate=0.3, num_queries=10, delta=1e-3),
        dict(scale=NOT_POSITIVE, rate=NO_RATE, num_queries=NO_SIZE, delta=NO_DELTA)),
    "privbook.Results": Entry(privbook.Results, dict(experiment="lpgnn"), dict(experiment=(*NO_NAME, None))),
    "privbook.attempts_for": Entry(privbook.attempts_for, dict(printed=PRINTED, attempts=[TRIED]),
                                      dict(printed=(None, "rgnn", COMPARED), attempts=NO_LIST)),
    "privbook.entries": Entry(privbook.entries, dict(paper="rgnn", table=None),
                               dict(paper=(*NO_NAME, None), table=NO_NAME)),
    "privbook.published": Entry(privbook.published, dict(paper="rgnn"), dict(paper=(*NO_NAME, None))),
    "privbook.compare_paper": Entry(privbook.compare_paper, dict(paper="rgnn"), dict(paper=(*NO_NAME, None))),
    "privbook.cheapest_first": Entry(
        privbook.cheapest_first, dict(experiments=[], dataset=None, seeds=1),
        dict(experiments=NO_LIST, dataset=NO_NAME, seeds=but(NO_SIZE, None))),
    "privbook.missing": Entry(
        privbook.missing, dict(experiment=EXPERIMENT, dataset=None, seeds=1),
        dict(experiment=NO_EXPERIMENT, dataset=NO_NAME, seeds=but(NO_SIZE, None))),
    "privbook.open_ledger": Entry(privbook.open_ledger, dict(experiment=EXPERIMENT),
                                     dict(experiment=NO_EXPERIMENT)),
    "privbook.run_all": Entry(
        lambda **said: list(privbook.run_all(**said)), dict(experiments=[], minutes=0),
        dict(experiments=NO_LIST, minutes=NO_MINUTES)),
    "privbook.run_missing": Entry(
        unless(GOOD_RUN, privbook.run_missing), GOOD_RUN,
        dict(experiment=NO_EXPERIMENT, dataset=NO_NAME, seeds=but(NO_SIZE, None),
             workers=NO_SIZE, minutes=NO_MINUTES, progress=NO_FLAG)),
    "privbook.expected": Entry(privbook.expected, dict(runs=[]), dict(runs=NO_LIST)),
    "privbook.duration": Entry(privbook.duration, dict(seconds=5.0, workers=2),
                                  dict(seconds=but(NOT_NEGATIVE_ONLY, None), workers=NO_SIZE)),
    "privbook.hours": Entry(privbook.hours, dict(comparisons=[COMPARED]), dict(comparisons=NO_LIST)),
    **{f"privbook.{name}": Entry(getattr(privbook, name), dict(comparisons=[COMPARED]), dict(comparisons=NO_LIST))
       for name in ("left", "outlooks", "spent", "tally")},
    "privbook.OwnSeeds": Entry(privbook.OwnSeeds, dict(runs=2, number=len), dict(runs=(*NO_SIZE, 1))),
    "privbook.priced": Entry(privbook.priced, dict(runs=[]), dict(runs=NO_LIST)),
    "privbook.stratified": Entry(privbook.stratified, dict(runs=[{0: 1.0}]), dict(runs=NO_LIST)),
    "privbook.compare": Entry(
        privbook.compare, dict(ours=[80.0, 81.0, 82.0], printed=PRINTED, runs=10, spread=1.0),
        dict(ours=NO_VALUES, printed=(None, "80.0", COMPARED), runs=but((*NO_SIZE, 1), None),
             spread=but((*NOT_NEGATIVE_ONLY, INF), None))),
    "privbook.difference": Entry(
        privbook.difference, dict(ours=[80.0, 81.0], mean=80.0, spread=1.0, runs=10, rounding=0.05),
        dict(ours=NO_VALUES, mean=(*NO_NUMBER, INF), spread=but((*NOT_NEGATIVE_ONLY, INF), None), runs=(*NO_SIZE, 1),
             rounding=(*NOT_NEGATIVE_ONLY, INF))),
    "privbook.verdict": Entry(privbook.verdict, dict(gap=nn.Interval(0.0, 1.0, 10), margin=2.0),
                                 dict(gap=(None, 0.0, (0.0, 1.0)), margin=NOT_NEGATIVE_ONLY)),
    "show.attempts_list": Entry(show.attempts_list, dict(attempts=[TRIED]), dict(attempts=NO_LIST)),
    "show.attempts_table": Entry(show.attempts_table, dict(differing=[(COMPARED, [TRIED])]),
                                 dict(differing=(*NO_LIST, [COMPARED], [(COMPARED,)]))),
    "show.band": Entry(lambda **said: show.band(Figure().subplots(), label="a", **said),
                       dict(x=[1], intervals=[nn.Interval(1.0, 0.5, 3)]),
                       dict(intervals=(None, 3, "1", ["1"], [1.0], [None, None]))),
    "show.banner": Entry(show.banner, dict(data=toy()), dict(data=(*NO_GRAPH, without("name")))),
    "show.card_table": Entry(show.card_table, dict(data=toy()),
                             dict(data=(*NO_GRAPH, *map(without, ("name", "x", "y", "feature_range"))))),
    "show.claim_cards": Entry(show.claim_cards, dict(results=[CHECKED], paper="rgnn"),
                              dict(results=(*NO_LIST, [STATED]), paper=(*NO_NAME, None))),
    **{f"show.{name}": Entry(getattr(show, name), dict(comparisons=[COMPARED]), dict(comparisons=NO_LIST))
       for name in ("by_table", "comparison_rows", "reasons")},
    **{f"show.{name}": Entry(getattr(show, name), dict(groups={"rgnn": [COMPARED]}),
                             dict(groups=(None, 3, [COMPARED], {"rgnn": [3]}, {"rgnn": None})),
                             dict(groups="(groups|comparisons)"))
       for name in ("coverage", "coverage_rows", "left_rows", "not_run")},
    "show.draw_graph": Entry(
        lambda **said: show.draw_graph(Figure().subplots(), **said),
        dict(edge_index=PATH, positions={0: (0, 0), 1: (1, 0), 2: (2, 0)}, size=9.0),
        dict(edge_index=(None, [[0], [1]], torch.tensor([[0, 9], [9, 0]]), PATH.float()), positions=(None, [(0, 0)], 3),
             size=NOT_POSITIVE)),
    "show.filterable": Entry(show.filterable, dict(rows=[{"a": 1}], menus={"a": ""}, limit=3),
                             dict(rows=(*NO_LIST, [], [{"b": 1}]), menus=(None, "a", ["a"], {"b": ""}), limit=NO_SIZE)),
    "show.known": Entry(show.known, dict(found=[TRIED]), dict(found=NO_LIST)),
    "show.points_outside": Entry(show.points_outside, dict(figure=Figure()), dict(figure=(None, 3, "figure"))),
    "show.table": Entry(show.table, dict(rows=[{"a": 1}], align="left"),
                        dict(rows=(*NO_LIST, []), align=(*NO_NAME, None))),
    # what a page shows
    "show.points": Entry(lambda **said: show.points(Figure().subplots(), [1], [None], "runs", **said),
                         dict(colour="blue"), dict(colour=(*NO_NAME, None, "red", "#0072B2"))),
    "show.heat": Entry(lambda **said: show.heat(Figure().subplots(), rows="ab", columns="c", **said),
                       dict(values=[[1], [2]]), dict(values=([[1, 2]], [1, 2], [[1]], torch.zeros(1, 2), 3))),
    "show.paper_page": Entry(show.paper_page, dict(paper="rgnn"), dict(paper=(*NO_NAME, None, "RGNN", "../rgnn"))),
    "show.replacement_figure": Entry(
        show.replacement_figure, dict(data=toy(), mix=0.5, person=0),
        dict(data=(*NO_GRAPH, without("x"), without("edge_index"), datasets.load("patients")), mix=NO_SHARE,
             person=(*NO_COUNT, 3))),
    "show.rotation_figure": Entry(
        show.rotation_figure, dict(theirs=torch.eye(3, 2), mine=torch.ones(3, 2)),
        dict(theirs=(*NO_PAIRS_OF_NUMBERS, torch.ones(2, 2)), mine=NO_PAIRS_OF_NUMBERS)),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_good_is_taken_and_bad_inputs_are_refused_by_name(name):
    found = faults(TABLE[name])
    assert found == [], "\n".join(found)


# Why a public name has no entry above.
EXCUSED = {
    "a constant": "privbook.MARGIN privbook.VERDICTS show.COLOURS show.MARKERS show.TOY_EDGES "
                  "show.TOY_POSITIONS",
    "what a function returns, not made by readers": "privbook.Attempt privbook.Comparison privbook.Printed",
    "without arguments": "privbook.experiments privbook.index privbook.load_attempts "
                         "privbook.results_folder show.accountant_promises show.advice_figure show.audit_promises "
                         "show.budget_figure show.claim_filter show.edges_figure show.mechanism_promises "
                         "show.not_promised show.odds_figure show.prototype_figure show.use_style",
    "has a test of its own for what it refuses": "privbook.Cache privbook.Experiment privbook.Ledger",
}


def test_every_public_name_is_tried_or_excused():
    public = {f"{room}.{name}" for room, module in (("privbook", privbook), ("show", show))
              for name in module.__all__}
    excused = [name for names in EXCUSED.values() for name in names.split()]
    assert public - set(TABLE) - set(excused) == set(), "try bad inputs, or say why not"
    assert set(excused) <= public - set(TABLE) and len(set(excused)) == len(excused)
