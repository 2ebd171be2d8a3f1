"""The registry's loader and the re-check, on toy registries and a toy repository."""

import json
import os
import sys
from dataclasses import replace
from multiprocessing import get_context
from types import SimpleNamespace

import pytest

import warm_python
from privbook import claims, evidence, show
from privbook.cli import main

ENTRY = """
- {id: a, paper: book, place: here, statement: one is one, verdict: holds, ours: by looking,
   evidence: [tests/test_toy.py::test_good]}
- {id: b, paper: rgnn, place: there, statement: "two | $|Q|$ is one", verdict: refuted, ours: it is two,
   evidence: [tests/test_toy.py::test_good, tests/test_toy.py::test_witness]}
- {id: c, paper: rgnn, place: there, statement: it flies, verdict: pending, waits_for: wings}
- {id: d, paper: rgnn, place: there, statement: skipped, verdict: corrected, ours: x,
   evidence: [tests/test_toy.py::test_skipped]}
- {id: e, paper: rgnn, place: there, statement: one of two fails, verdict: corrected, ours: x,
   evidence: [tests/test_toy.py::test_many]}
- {id: f, paper: rgnn, place: there, statement: lovely, verdict: not a privacy claim, ours: a matter of taste}
"""
TESTS = """
import pytest
from privgraph.datasets import at_hand
@pytest.mark.bears("for", "a")
@pytest.mark.bears("beside", "b")
def test_good(): pass
@pytest.mark.bears("against", "b")
def test_witness(record_property): record_property("witness", "1 + 1 = 2")
@pytest.mark.bears("repair", "d")
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.bears("repair", "e")
@pytest.mark.parametrize("x", [0, 1])
def test_many(x): assert x == 0
"""


def build(folder):
    (folder / "book").mkdir(), (folder / "tests").mkdir()
    (folder / "book" / "claims.yml").write_text(ENTRY)
    (folder / "tests" / "test_toy.py").write_text(TESTS)
    return folder


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setenv("PRIVGRAPH_BOOK", str(tmp_path))
    return build(tmp_path)


@pytest.fixture(scope="module")
def rechecked(tmp_path_factory):
    """What a run of all the evidence says, and the file that it leaves."""
    folder = build(tmp_path_factory.mktemp("repository"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_BOOK", str(folder))
        return claims.recheck(claims.load_claims().values()), (folder / evidence.FILE).read_text()


@pytest.fixture
def kept(repository, rechecked):
    (repository / "build").mkdir()
    (repository / evidence.FILE).write_text(rechecked[1])
    return repository


def test_recheck_confirms_only_what_ran_and_passed(rechecked):
    results = {r.claim.id: r for r in rechecked[0]}
    assert {name: r.outcome for name, r in results.items()} == {
        "a": claims.PASSED, "b": claims.PASSED, "c": claims.NOTHING, "d": claims.FAILED,
        "e": claims.FAILED, "f": claims.NOTHING}
    assert results["b"].witnesses == ("1 + 1 = 2",) and results["a"].witnesses == ()
    text = show.claim_cards(list(results.values()), "rgnn", "R & G").data
    assert "two | $|Q|$ is one" in text and "EVIDENCE FAILS" in text and "waits for wings" in text
    assert "*Evidence* in `tests/test_toy.py`: `test_good` (beside), `test_witness` (against)." in text
    assert "For every ε" not in text
    assert "What holds (evidence passed: 2 tests)" in text and "`a`" not in text and "confirmed" not in text
    assert text.startswith('<div class="claim" id="b" data-paper="R &amp; G" data-verdict="refuted"')
    assert '<span class="verdict refuted">refuted</span> **there** `b` two' in text
    assert text.count("<div") == text.count("</div>") == text.count("<details>") == text.count("</details>")
    assert "*Witness:* 1 + 1 = 2. *Unit:* nothing. *Relation:* none. *Evidence* in" in text
    assert text.count("*Witness:*") == 1
    many = replace(results["b"], witnesses=("one", "two", "two", "three", "four"))
    assert "*Witness:* one; two; three (and 1 more)." in show.claim_cards([many], "rgnn").data


def test_evidence_that_passes_confirms_no_verdict_that_it_does_not_carry(kept):
    """The witness against a claim is none for it, a test that says nothing is none of either."""
    cases, claim = evidence.read(kept), claims.load_claims()["b"]
    for changed, why in ((replace(claim, verdict="holds"), "'holds' cannot rest on evidence that is 'against'"),
                         (replace(claim, verdict="corrected"), "'corrected' needs evidence that is 'repair'"),
                         (replace(claim, id="z"), "test_good does not say how it bears on z")):
        judged = claims.judge(changed, cases)
        assert judged.outcome == claims.FAILED and why in judged.fault
    assert claims.judge(claim, cases).fault == ""


def test_the_command_prints_verdicts_and_fails_with_the_evidence(kept, monkeypatch, capsys):
    said = evidence.read(kept)
    monkeypatch.setattr(evidence, "run", lambda root, tests: said)
    assert main(["claims"]) == 1
    out = capsys.readouterr().out
    assert out.endswith("6 claims: evidence ran again and passed 2, ledger read again 0, nothing to run 2, "
                        "EVIDENCE FAILED 2\n") and "1 + 1" not in out
    assert main(["claims", "b"]) == 0
    out = capsys.readouterr().out
    assert "witness: 1 + 1 = 2" in out and "ours: it is two" in out
    assert "evidence: tests/test_toy.py::test_good (beside)" in out
    assert "unit: nothing" in out and "relation: none" in out and "counterfactual" not in out
    assert main(["claims", "zebra"]) == 2
    assert "no claim begins with zebra" in capsys.readouterr().err


def test_the_command_says_of_each_claim_what_it_speaks_of_and_what_it_rests_on(monkeypatch, capsys):
    """Of the book's own register, as if all had passed: unit, relation, range, proof, certificate, counterfactuals.
    The outcomes add up."""
    def passed(chosen):
        return [claims.judge(c, {test: [evidence.Case(True, 0.0, [], {})] for test in c.evidence}) for c in chosen]
    monkeypatch.setattr("privbook.cli.claims.recheck", passed)
    monkeypatch.setenv("COLUMNS", "90")
    names = "lpgnn-features", "lppge-addition-stronger", "gp-figures-3-15-colour", "gp-theorem-4-3"
    assert main(["claims", *names]) == 0
    out = capsys.readouterr().out
    assert out.endswith("4 claims: evidence ran again and passed 2, ledger read again 1, nothing to run 1, "
                        "EVIDENCE FAILED 0\n")
    assert {"\\", "$"}.isdisjoint(out)
    wide = [line for line in out.splitlines() if line.startswith(" ") and len(line) > 90]
    assert all(line.startswith("        tests/") for line in wide), "a name that cannot be broken"
    for line in ("unit: feature vector", "relation: replace", "range: d up to 4", "proof: chapters/06_lpgnn.md",
                 "for every epsilon: book/certificates/multi-bit.json", "counterfactual: changes the library, book.yml",
                 "counterfactual: changes the test, dissertation.yml", "_gains_no_more (measured)"):
        assert line in " ".join(out.split()), line
    text = show.claim_cards(passed([claims.load_claims()["lpgnn-features"]]), "book").data
    assert "*Proof:* chapters/06_lpgnn.md." in text
    assert "*Counterfactuals*: 3 in the library (`tests/claims/counterfactuals/book.yml`)" in text


def test_evidence_that_does_not_exist_is_an_error(repository, monkeypatch):
    monkeypatch.setattr(evidence.subprocess, "run", lambda command, cwd, env, **_: warm_python.run(
        *command[1:], cwd=cwd, env=env))
    claim = claims.Claim("x", "book", "here", "y", "holds", ours="z", evidence=("tests/test_toy.py::test_gone",))
    with pytest.raises(RuntimeError, match="could not run the evidence"):
        claims.recheck([claim])


def test_without_a_checkout_the_command_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PRIVGRAPH_BOOK", str(tmp_path))
    assert main(["claims"]) == 2
    assert "book/claims.yml was not found" in capsys.readouterr().err


GOOD = dict(id="x", paper="book", place="here", statement="y", verdict="holds", ours="z", evidence=("t",))


@pytest.mark.parametrize("change, message", [
    ({"verdict": "true"}, "verdict of x must be one of"),
    ({"paper": "blog"}, "paper of x must be one of"),
    ({"unit": "person"}, "unit of x must be one of"),
    ({"relation": "swap"}, "relation of x must be one of"),
    ({"evidence": ()}, "must have 'evidence', got none"),
    ({"ours": ""}, "must have 'ours', got none"),
    ({"verdict": "pending"}, "must have 'waits_for', got none"),
    ({"verdict": "pending", "waits_for": "w"}, "another verdict than 'pending', as it has evidence"),
    ({"verdict": "empirical only", "ours": "", "evidence": ()}, "must have 'ours'"),
])
def test_incomplete_entries_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        claims.Claim(**{**GOOD, **change})


def test_the_loader_names_what_is_wrong():
    twice = "- {id: a, paper: rgnn, place: p, statement: s, verdict: pending, waits_for: w}\n" * 2
    with pytest.raises(ValueError, match="'a' is used twice"):
        claims.load_claims(twice)
    with pytest.raises(ValueError, match=r"a has unknown keys \['verdikt'\]"):
        claims.load_claims("- {id: a, verdikt: holds}")


@pytest.mark.parametrize("entry", ["--pdb", "-p evil", "--rootdir=/", "@arguments", "tests/../../evil.py::test_x",
                                   "/tests/x.py::t", "tests/test_toy.py::test_good --pdb", "tests/test_toy.py",
                                   "evil.py::test_x", 3])
def test_evidence_is_a_test_and_never_an_option(entry):
    """The entries become arguments of pytest, which reads a dash as an option and @ as a file of options."""
    with pytest.raises(ValueError, match="evidence of a must read tests/file.py::test_name, got"):
        claims.Claim("a", "book", "here", "s", "holds", ours="o", evidence=["tests/test_toy.py::test_good", entry])


def test_certificates_stand_beside_the_evidence(rechecked):
    """A claim that names some shows where its proofs for every epsilon lie, on the page and in the command."""
    results = [replace(result, claim=replace(result.claim, certificates=("two-answers",)))
               for result in rechecked[0] if result.claim.id == "b"]
    assert ("*Relation:* none. *For every ε*: `book/certificates/two-answers.json`. *Evidence* in"
            in show.claim_cards(results, "rgnn").data)


# What is kept of a run, and when it counts.


def test_evidence_that_passed_is_not_run_again_until_something_changes(kept, rechecked, monkeypatch):
    asked, known = [], evidence.read(kept)
    monkeypatch.setattr(evidence, "run", lambda root, tests, workers: asked.append(tests) or known)
    assert claims.checked(claims.load_claims().values()) == rechecked[0]
    assert asked == [["tests/test_toy.py::test_many", "tests/test_toy.py::test_skipped"]], "what failed, and no more"
    (kept / "tests" / "test_toy.py").write_text(TESTS.replace("1 + 1", "one and one"))
    claims.checked(claims.load_claims().values())
    assert asked[1] == sorted(known) and len(known) == 4


@pytest.mark.parametrize("file", ["tests/unit/conftest.py", "lib/privgraph/new.py", "results/measured/a.csv",
                                  "book/certificates/a.json", "tests/helper.py", "constraints.txt"])
def test_whatever_the_evidence_may_read_makes_it_count_for_nothing(kept, file):
    assert "tests/test_toy.py::test_witness" in evidence.read(kept)
    (kept / file).parent.mkdir(parents=True, exist_ok=True)
    (kept / file).write_text("1")
    assert evidence.read(kept) == {}


def test_another_graph_at_hand_counts_where_it_was_looked_for(kept, tmp_path, monkeypatch):
    """By any test of the same file: they may share what they loaded."""
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    for test, looks in {"test_good": "at_hand('karate')", "test_one": "at_hand('cora')", "test_two": "None",
                        "test_any": "__import__('subprocess').run(['true'])"}.items():
        started = "__import__('subprocess').run(['true'])\n"  # as packages do that are imported
        (kept / "tests" / f"{test}.py").write_text(started + TESTS.replace("good(): pass", f"good(): {looks}"))
    files = [path.name for path in (kept / "tests").glob("*.py")]
    tests = [f"tests/{file}::{name}" for file in files for name in ("test_good", "test_many")]
    evidence.run(kept, tests)
    assert evidence.read(kept).keys() >= {*tests}
    (tmp_path / "citeseer.npz").write_bytes(b"1")
    left = {*tests} & evidence.read(kept).keys()
    assert left == {test for test in tests if "test_any" not in test}
    (tmp_path / "cora.npz").write_bytes(b"1")
    assert {*tests} & evidence.read(kept).keys() == {test for test in left if "test_one" not in test}


def test_tests_that_read_more_than_is_compared_do_not_count(kept):
    found = json.loads((kept / evidence.FILE).read_text())
    found["cases"]["tests/book/test_toy.py::test_good"] = found["cases"]["tests/test_toy.py::test_good"]
    (kept / evidence.FILE).write_text(json.dumps(found))
    assert set(evidence.read(kept)) == {f"tests/test_toy.py::test_{name}"
                                        for name in ("good", "witness", "skipped", "many")}


def test_a_file_that_was_cut_off_counts_for_nothing(kept):
    file = kept / evidence.FILE
    file.write_text(file.read_text()[:-5])
    assert evidence.read(kept) == {}


def report(name, place, cases, when, witness):
    said = {evidence.CASE: (place, cases), "witness": witness, evidence.GRAPHS: ["karate"]}
    return SimpleNamespace(nodeid=f"tests/a.py::{name}[{place}]", when=when, passed=True, duration=1.0,
                           user_properties=list(said.items()))


def test_cases_stand_in_their_order_and_half_a_test_is_none(tmp_path):
    """Several processes run them in any order."""
    kept = evidence.Kept(tmp_path / "evidence.json", tmp_path)
    for name, place, cases in (("test_two", 1, 2), ("test_half", 0, 2), ("test_two", 0, 2), ("test_broken_off", 0, 1)):
        for when in ("setup", "call", "teardown"):
            if name != "test_broken_off" or when == "setup":
                kept.pytest_runtest_logreport(report(name, place, cases, when, f"case {place}"))
    graphs = {"karate": "none"}
    assert kept.whole() == {"tests/a.py::test_two": [(True, 3.0, [f"case {i}"], graphs) for i in range(2)],
                            "tests/a.py::test_broken_off": [(False, 1.0, ["case 0"], graphs)]}


@pytest.mark.parametrize("part", [["tests", "-kmany and 0"], ["tests/test_toy.py::test_many[0]"]])
def test_a_part_of_a_test_is_not_kept(repository, part):
    """One of the two cases passes alone."""
    process = get_context("fork").Process(target=run_there, args=(repository, part))  # which has imported everything
    process.start(), process.join()
    assert process.exitcode == 0
    file = repository / "evidence.json"
    assert not file.exists() or json.loads(file.read_text())["cases"] == {}


def run_there(folder, part):
    os.chdir(folder)
    for name in ("test_toy", "conftest"):
        sys.modules.pop(name, None)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "privbook.evidence", "--evidence=evidence.json",
                          f"--rootdir={folder}", *part]))
