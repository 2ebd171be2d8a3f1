"""What a curator's budget file counts, refuses and keeps to itself."""

import json
import math
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import privgraph
from privgraph import writing
from privgraph.cli import main
from privgraph.datasets import load, split
from privgraph.datasets.splits import parts
from privgraph.federate import listen, save_parts, serve, sockets
from privgraph.federate.demo import in_processes
from privgraph.mechanisms import MultiBit
from privgraph.mechanisms.drawing import BEFORE_SECRETS
from privgraph.methods import (
    DPSGD,
    GAP,
    LPGNN,
    PATE,
    DeepWalk,
    FederatedDeepWalk,
    FewShot,
    GraphPrivatizer,
    PrivGNN,
    StructuralMean,
    all_methods,
    sizes_of,
)
from privgraph.methods.contract.toys import draw_task, path_graph
from privgraph.methods.distilled import QUICK
from privgraph.methods.federated import UploadNoise, hold
from privgraph.methods.federated import parts as holders
from privgraph.methods.spent import OPEN, BudgetSpent
from privgraph.privacy import Budget, GaussianPair, Step, rdp_epsilon
from privgraph.privacy.repeated import best_order, part_of
from privgraph.randomness import secret, seeded
from privgraph.streams import stream

LOCAL = LPGNN(epsilon_x=1.0, epsilon_y=1.0, epochs=1)  # features and label: 2


@pytest.fixture
def data():
    return split(load("karate"), seeded(0))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "people.json"


def spent(place, **how) -> dict:
    return {(g.unit, g.relation): g.epsilon for g in privgraph.budget_file(place, **how).spent}


def test_repeated_fits_add_up_and_what_would_pass_the_limit_draws_nothing(place, data, monkeypatch):
    with privgraph.budget_file(place, limit=4.0) as budget:
        first, second = LOCAL.fit(data), LOCAL.fit(data)
        drawn = []
        monkeypatch.setattr(MultiBit, "report", lambda *args, **how: drawn.append(args))
        with pytest.raises(BudgetSpent, match="LPGNN would pass the limit of 4: with 2 earlier fits in .*people.json, "
                                              r"features and label \(replace\) costs epsilon = 6; nothing was drawn"):
            LOCAL.fit(data)
    assert not drawn and not torch.equal(first.release.report, second.release.report)
    assert spent(place) == {("features and label", "replace"): 4.0}
    assert str(budget) == "people.json: 2 fits; features and label (replace) costs epsilon = 4, of at most 4"
    with privgraph.budget_file(place), pytest.raises(TypeError):  # a later process, without a limit
        LOCAL.fit(data)
    assert budget.spent[0].epsilon == 6  # as it was drawn for before it failed


def test_it_is_said_how_many_fits_there_were_and_at_most_what_where_there_is_a_limit(place, data):
    with privgraph.budget_file(place, limit=1.0), pytest.raises(BudgetSpent, match="with 0 earlier fits in"):
        LOCAL.fit(data)
    with privgraph.budget_file(place) as budget:
        LOCAL.fit(data)
    assert str(budget) == "people.json: 1 fit; features and label (replace) costs epsilon = 2"
    with privgraph.budget_file(place, limit=3.0), pytest.raises(BudgetSpent, match="with 1 earlier fit in"):
        LOCAL.fit(data)
    with privgraph.budget_file(place, delta=1e-5) as budget:
        DeepWalk(dimension=2, walks=1).fit(data)  # of which nothing holds, at any delta
    assert [(g.epsilon, g.delta) for g in budget.spent] == [(math.inf, 0.0)]


def test_the_last_of_many_small_fits_is_not_refused_for_its_rounding(place, data):
    with privgraph.budget_file(place, limit=0.6):
        for _ in range(3):
            LPGNN(epsilon_x=0.1, epsilon_y=0.1, epochs=1).fit(data)
        with pytest.raises(BudgetSpent):
            LPGNN(epsilon_x=1e-6, epsilon_y=1e-6, epochs=1).fit(data)


def test_only_what_is_counted_before_it_is_drawn_leaves_where_a_fit_fails(place, data, monkeypatch):
    with privgraph.budget_file(place, limit=4.0):
        with pytest.raises(ValueError, match="data must have train_mask"):
            LOCAL.fit(load("karate"))
        assert spent(place) == {}  # nothing was drawn
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(LPGNN, "learn", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
            LOCAL.fit(data)
        assert spent(place) == {("features and label", "replace"): 2.0}


class Hand(LPGNN):
    """Draws by hand, which nobody is told of."""

    def collect(self, data, generator):
        return super().collect(data, seeded(int(torch.randint(99, (1,), generator=generator))))


class Stopped(Hand):
    def learn(self, *args):
        raise FloatingPointError


def test_what_draws_in_its_own_way_is_counted_when_it_ends(place, data):
    with privgraph.budget_file(place, limit=4.0):
        Hand(epsilon_x=1.0, epsilon_y=1.0, epochs=1).fit(data)
        with pytest.raises(FloatingPointError):
            Stopped(epsilon_x=1.0, epsilon_y=1.0).fit(data)
        assert spent(place) == {("features and label", "replace"): 4.0}


def test_a_seed_and_noise_that_nobody_counts_are_refused(place, data):
    with privgraph.budget_file(place, limit=4.0):
        with pytest.raises(ValueError, match="seed must be left out while a budget_file is open, got 3"):
            LOCAL.fit(data, seed=3)
        with pytest.raises(ValueError, match="secret noise is drawn by a fit alone while a budget_file is open"):
            LOCAL.collect(data, secret())
        LOCAL.collect(data, seeded(0))  # what is public anyway
    assert not place.exists() and not OPEN and not BEFORE_SECRETS
    assert LOCAL.collect(data, secret()).randomness == "secret"


def test_another_thread_is_counted_too(place, data):
    with privgraph.budget_file(place, limit=4.0):
        threads = [threading.Thread(target=LOCAL.fit, args=(data,)) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert spent(place) == {("features and label", "replace"): 4.0}


AGAIN = """
import sys, privgraph
from privgraph.datasets import load, split
with privgraph.budget_file(sys.argv[1], limit=4.0):
    for _ in range(3):
        try:
            privgraph.LPGNN(epsilon_x=.5, epsilon_y=.5, epochs=1).fit(split(load("karate"), privgraph.seeded(0)))
            print("fitted")
        except ValueError:
            print("refused")
"""


def test_two_processes_at_once_take_turns(place):
    both = [subprocess.Popen([sys.executable, "-c", AGAIN, place], stdout=subprocess.PIPE, text=True) for _ in "ab"]
    told = "".join(each.communicate()[0] for each in both)
    assert told.count("fitted") == 4 and told.count("refused") == 2
    assert spent(place) == {("features and label", "replace"): 4.0}


def test_who_holds_the_file_is_waited_for_and_named(place):
    with writing.taking_turns(place), pytest.raises(TimeoutError, match="path is being changed by another process"):
        with writing.taking_turns(place, seconds=0.1):
            raise AssertionError


# Composition.

def test_gaussian_noise_is_composed_by_an_accountant_and_not_by_sums(place, data):
    method = GAP(epsilon=1.0, epochs=1)
    key = "undirected edge", "add/remove"
    with privgraph.budget_file(place, limit=4.0, delta=1e-5):
        for _ in range(4):
            method.fit(data)
    steps = [step for _ in range(4) for step in method.steps(sizes_of(data))[key]]
    third = part_of(1e-5)
    assert spent(place, delta=1e-5, limit=4.0) == {
        key: rdp_epsilon(steps, third, orders=[best_order(4.0, third)])}
    assert spent(place, delta=1e-5, limit=4.0)[key] < 2.8 < spent(place, delta=1e-12, limit=4.0)[key] < math.inf
    total, = privgraph.budget_file(place).spent  # at the sum of their deltas
    assert total.delta == pytest.approx(4 * third) and total.holds
    assert total.epsilon == pytest.approx(4 * method.guarantees(sizes_of(data), third)[0].epsilon)


class GaussianVotes(PATE):
    def budget(self, num_classes):
        return Budget((Step(GaussianPair(5.0)),))


def test_labels_of_teachers_are_asked_for_a_delta(place, data):
    private, public = parts(load("karate"), 0.5, 0)
    with privgraph.budget_file(place, limit=50.0), pytest.raises(ValueError, match="say delta.* budget_file takes"):
        GaussianVotes(4, scale=5.0, student=QUICK, teacher=QUICK, teachers=2).fit(private, public)
    with privgraph.budget_file(place, limit=50.0, delta=1e-5) as budget:
        for _ in range(2):
            PrivGNN(4, scale=5.0, student=QUICK, teacher=QUICK).fit(private, public)
        PATE(4, scale=5.0, student=QUICK, teacher=QUICK, teachers=2).fit(private, public)
    total, = budget.spent
    assert (total.unit, total.relation, total.trust) == ("node", "add/remove", "central") and 0 < total.epsilon < 50


# Units.

def test_what_a_later_fit_promises_besides_is_not_counted(place, data):
    with privgraph.budget_file(place, limit=9.0):
        LOCAL.fit(data), GraphPrivatizer.examples()[0].fit(data)  # which protects edges as well
    assert spent(place) == {("features and label", "replace"): 8.0}


def test_what_the_first_fit_promised_later_ones_must_promise_too(place, data):
    with privgraph.budget_file(place, limit=4.0):
        GAP(epsilon=1.0, epochs=1).fit(data)
        with pytest.raises(BudgetSpent, match=r"undirected edge \(add/remove\) costs epsilon = inf"):
            LOCAL.fit(data)  # to which edges are known
        with pytest.raises(BudgetSpent, match="undirected edge"):
            DPSGD(epsilon=1.0, epochs=1).fit(data)  # says nothing of an edge
    assert spent(place) == pytest.approx({("undirected edge", "add/remove"): 1.0}, abs=0.01)


def test_one_unit_may_be_asked_for(place, data):
    with privgraph.budget_file(place, limit=3.0, unit="node"):
        DPSGD(epsilon=1.0, epochs=1).fit(data)
        with pytest.raises(BudgetSpent, match="GAP would pass the limit"):
            GAP(epsilon=1.0, epochs=1).fit(data)
    with privgraph.budget_file(place, limit=3.0, unit="label"), pytest.raises(BudgetSpent, match="label, so no limit"):
        DPSGD(epsilon=1.0, epochs=1).fit(data)


@pytest.mark.parametrize("method", [DeepWalk(dimension=2, walks=1), LPGNN(epsilon_x=math.inf, epochs=1),
                                    GAP(epsilon=math.inf, epochs=1)])
def test_what_promises_nothing_fits_under_no_limit(method, place, data):
    with privgraph.budget_file(place, limit=1e9), pytest.raises(BudgetSpent, match="states no finite epsilon of any"):
        method.fit(data)
    with privgraph.budget_file(place) as budget:
        method.fit(data)
    assert budget.spent == () and "1 fit" in str(budget)
    with privgraph.budget_file(place, limit=99.0), pytest.raises(BudgetSpent):
        LOCAL.fit(data)  # what went before is not bounded


def test_what_was_computed_of_features_without_noise_is_no_promise(place, data):
    data.unaccounted = ("cut points",)
    with privgraph.budget_file(place, limit=9.0), pytest.raises(BudgetSpent):
        LOCAL.fit(data)
    with privgraph.budget_file(place, limit=9.0):
        GAP(epsilon=1.0, epochs=1).fit(data)  # of edges


def test_a_federation_and_tasks(place):
    held = hold(load("karate"), stream("split", 0), clients=2)
    quick = dict(dimension=2, rounds=1, walks=1, length=3, window=1, first_epochs=1, epochs=1)
    with privgraph.budget_file(place, limit=9.0, unit="private part") as budget:
        FederatedDeepWalk(**quick, noise=UploadNoise(2.0)).fit(held)
        with pytest.raises(BudgetSpent):
            StructuralMean().fit(draw_task)
    assert budget.spent[0].epsilon > 0


def test_every_kind_counts(place):
    """Found by the kinds: a fit of each is refused where there is no room at all."""
    for name, kind in all_methods().items():
        public = (path_graph(10, 3),) if issubclass(kind, privgraph.methods.Distilled) else ()
        given = draw_task if issubclass(kind, FewShot) else path_graph(8, 3)
        method = kind.examples()[0]
        if any(cost.guarantee.epsilon == 0 for cost in method.costs(sizes_of(path_graph(8, 3)), 1e-5)):
            continue  # which reads nothing of an edge
        with privgraph.budget_file(place, limit=1e-9, delta=1e-5), pytest.raises(BudgetSpent):
            method.fit(given, *public)
        assert not place.exists(), name


# The file.

def test_the_file_is_its_owners_and_knows_nothing_of_the_data_nor_the_model_of_it(place, data, tmp_path):
    other = split(load("karate"), seeded(5))
    other.x = 1 - other.x
    kept = []
    for each in (data, other):
        with privgraph.budget_file(place):
            model = LOCAL.fit(each)
        kept.append(place.read_bytes()), place.unlink()
    assert kept[0] == kept[1]
    with privgraph.budget_file(place):
        LOCAL.fit(data)
    model.save(tmp_path / "model.pt")
    whole = (tmp_path / "model.pt").read_bytes()
    assert b"people" not in whole and json.loads(place.read_text())["digest"].encode() not in whole
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("people*")} == {0o600}
    place.chmod(0o644)
    with privgraph.budget_file(place):
        LOCAL.fit(data)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_several_files_count_each_or_none(tmp_path, data):
    small, large = tmp_path / "b.json", tmp_path / "a.json"
    with privgraph.budget_file(large, limit=9.0), privgraph.budget_file(small, limit=2.0):
        LOCAL.fit(data)
        with pytest.raises(BudgetSpent, match="limit of 2"):
            LOCAL.fit(data)
        with pytest.raises(ValueError, match="is not open yet, got .*a.json' twice"):
            privgraph.budget_file(large).__enter__()
    assert spent(small) == spent(large) == {("features and label", "replace"): 2.0}


def damages(text: str):
    found = json.loads(text)
    yield "", text[:-40], "[]", "null", "{}", text.replace('"epsilon": 2.0', '"epsilon": 0.0')
    for name in found:
        yield json.dumps({key: value for key, value in found.items() if key != name}),
    yield json.dumps(found | {"fits": []}), json.dumps(found | {"holds": "a list"})


def test_a_damaged_file_is_refused_and_not_begun_anew(place, data):
    with privgraph.budget_file(place):
        LOCAL.fit(data)
    good = place.read_text()
    for bad in (each for some in damages(good) for each in some):
        place.write_text(bad)
        with pytest.raises(ValueError, match="damaged or another file: what was spent is unknown"):
            with privgraph.budget_file(place, limit=99.0):
                LOCAL.fit(data)
        assert place.read_text() == bad
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="damaged or another"):
        privgraph.budget_file(place).spent  # noqa: B018


def test_a_file_that_is_damaged_while_it_is_open_is_noticed(place, data):
    with privgraph.budget_file(place, limit=99.0):
        LOCAL.fit(data)
        place.write_text("{")
        with pytest.raises(ValueError, match="damaged or another"):
            LOCAL.fit(data)


@pytest.mark.parametrize("how, words", [
    (dict(limit=0), "limit must be"), (dict(limit=-1.0), "limit must be"), (dict(limit=math.nan), "limit must be"),
    (dict(limit="4"), "limit must be"), (dict(delta=0), "delta must"), (dict(delta=1), "delta must"),
    (dict(unit="person"), "unit must be")])
def test_what_makes_no_sense_is_refused(how, words, place):
    with pytest.raises((ValueError, TypeError), match=words):
        privgraph.budget_file(place, **how)


def test_a_place_that_is_none_is_refused(tmp_path):
    for odd in (None, 3, "", tmp_path, tmp_path / "no" / "such.json"):
        with pytest.raises((ValueError, TypeError), match="path must be"):
            privgraph.budget_file(odd)


def test_a_path_is_where_it_was_when_it_was_opened(tmp_path, data, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with privgraph.budget_file("people.json"):
        monkeypatch.chdir(tmp_path / "elsewhere")
        LOCAL.fit(data)
    assert (tmp_path / "people.json").exists() and not any(Path("elsewhere").glob("*"))


PRICED = FederatedDeepWalk(dimension=2, rounds=1, walks=1, length=3, window=1, first_epochs=1, epochs=1,
                           noise=UploadNoise(1.0))
ONCE = {("private part", "replace"): 1.0, ("private edge", "add/remove"): 1.0}


def test_a_federation_in_processes_is_counted_by_its_server_before_anybody_is_let_in(place, data, tmp_path):
    held = hold(data, seeded(0), clients=2)
    with privgraph.budget_file(place, limit=1.5):
        played, = in_processes(PRICED, held, secret(), tmp_path, timeout=60.0)
        assert len(played.messages) == 2 and spent(place) == ONCE
        with listen("127.0.0.1", 0, 2) as door:
            for method, why in ((PRICED, "FederatedDeepWalk would pass the limit of 1.5"),
                                (FederatedDeepWalk(rounds=1), "would pass the limit of 1.5")):
                with pytest.raises(BudgetSpent, match=why):
                    next(serve(method, door, 2, secret(), timeout=0.1))
        with pytest.raises(ValueError, match="seed must be left out while a budget_file is open, got 5"):
            next(in_processes(PRICED, held, seeded(5), tmp_path))
    assert spent(place) == ONCE


def test_a_client_counts_what_it_draws_in_a_process_of_its_own(place, data, tmp_path, monkeypatch):
    monkeypatch.setattr(sockets, "Visit", lambda *args: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(sockets, "Journey", lambda *args: SimpleNamespace(go=lambda generator: generator))
    path, _ = save_parts(holders(hold(data, seeded(0), clients=2)), tmp_path)
    with privgraph.budget_file(place):
        with pytest.raises(ValueError, match="seed must be left out while a budget_file is open, got 3"):
            sockets.join(PRICED, path, "127.0.0.1", 1, seeded(3))
        assert spent(place) == {}
        sockets.join(PRICED, path, "127.0.0.1", 1, secret())
    assert spent(place) == ONCE


def test_the_command_of_the_server_counts_and_refuses(place, capsys):
    words = ["federate", "server", "federateddeepwalk", "--rounds", "1", "--noise", "epsilon=1", "--port", "0",
             "--timeout", "0.1"]
    assert main([*words, "--limit", "1.5"]) == 2 and "--limit is about --budget-file" in capsys.readouterr().err
    assert main([*words, "--budget-file", str(place), "--limit", "1.5"]) == 1  # nobody came
    told = "counted in people.json: 1 fit; private part (replace) costs epsilon = 1 at delta = 1e-05, of at most 1.5"
    assert told in capsys.readouterr().out
    assert main([*words, "--budget-file", str(place), "--limit", "1.5"]) == 2
    assert "FederatedDeepWalk would pass the limit of 1.5" in capsys.readouterr().err and spent(place) == ONCE
