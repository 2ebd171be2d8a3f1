"""Each test of evidence has a counterfactual in which its claim is otherwise, and fails there;
where none exists the entry says why."""

import subprocess
import sys
from pathlib import Path

import pytest

import counterfactuals
from privbook import bearing, claims

ROOT = Path(__file__).parents[2]
TABLE, SPEAKS_FOR = counterfactuals.load(ROOT), counterfactuals.evidence(ROOT)
WITHOUT = [test for test, found in TABLE.items() if any(counterfactual.none for counterfactual in found)]


def test_each_test_of_evidence_has_an_entry():
    faults = [f"{test} has none" for test in SPEAKS_FOR if not TABLE.get(test)]
    for counterfactual in (each for test in SPEAKS_FOR for each in TABLE.get(test, ())):
        try:
            counterfactual.sources(ROOT)
        except (ValueError, SyntaxError, FileNotFoundError) as error:
            faults.append(f"{counterfactual.test}: {error}")
    assert faults == [] and len(SPEAKS_FOR) > 250, "\n".join(faults)


def test_no_entry_is_left_over():
    assert set(TABLE) <= set(SPEAKS_FOR) | counterfactuals.attempted(ROOT)


def test_at_most_one_in_ten_has_no_twin():
    assert 10 * len(WITHOUT) <= len(SPEAKS_FOR)


ROOMS = ("mechanisms", "methods", "privacy", "attacks")


def test_a_claim_about_the_library_is_watched_in_the_library():
    """A twin that changes a test shows that an assertion can fail. Where the evidence uses a mechanism, a method, an
    accountant or an attack, another changes that: one of its tests fails when the library is wrong."""
    twins, unwatched, about = bearing.twins(ROOT), [], 0
    for claim in claims.load_claims((ROOT / "book" / "claims.yml").read_text(encoding="utf-8")).values():
        tests = [test for test in claim.evidence if not bearing.reads_the_ledger(test)]
        used = {name for test in tests for name in bearing.speaks_of(ROOT, test, ROOMS)}
        about += bool(used)
        if used and "library" not in {twin.kind for test in claim.evidence for twin in twins.get(test, ())}:
            unwatched.append(f"{claim.id}: {', '.join(sorted(used))}")
    assert unwatched == [] and about > 120


@pytest.mark.parametrize("words", [["--sample", "60"], pytest.param([], marks=pytest.mark.full)], ids=["some", "all"])
def test_each_twin_is_noticed(words):
    done = subprocess.run([sys.executable, "tools/counterfactuals.py", "--jobs", "1", *words], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def test_the_sample_holds_what_was_touched_and_changes_with_the_sources():
    every = [counterfactual for found in TABLE.values() for counterfactual in found if counterfactual.edits]
    one, same, other = (counterfactuals.sample(every, 60, set(), state) for state in ("one", "one", "other"))
    assert len(one) == 60 and one == same
    assert len({each.test for each in one} - {each.test for each in other}) > 10
    for name in ("lib/privgraph/mechanisms/multibit.py", "tests/claims/test_segcl_runs.py"):
        near = [each for each in every if name in each.edits or each.test.startswith(f"{name}::")]
        assert near and counterfactuals.sample(every, 0, {name}, "one") == near
        assert len(counterfactuals.sample(every, 60, {name}, "one")) == 60 + len(near)
    assert len(counterfactuals.sample(every, len(every), set(), "one")) == len(every)


@pytest.mark.parametrize("judged, raised", [("noticed", [None, "AssertionError: 1 == 2"]),
                                            ("noticed", ["Failed: DID NOT RAISE"]),
                                            ("BLIND", [None, None]), ("BROKEN", ["TypeError: no"])])
def test_only_an_assertion_notices(judged, raised):
    assert counterfactuals.judge(raised).startswith(judged)


def toy(folder, edits):
    (folder / "tests").mkdir(), (folder / "lib").mkdir()
    (folder / "tests" / "test_of_twins.py").write_text(
        "ONE = 1\ndef test_one():\n    assert ONE == 1\ndef test_blind():\n    assert ONE > 0\n")
    return {name: counterfactuals.Counterfactual(f"tests/test_of_twins.py::{name}", "one is two", edits)
            for name in ("test_one", "test_blind")}


def test_the_command_tells_the_blind_from_the_seeing(tmp_path):
    """In processes of their own, as the command does it."""
    both = toy(tmp_path, {"tests/test_of_twins.py": {"ONE = 1": "ONE = 2"}})
    done = counterfactuals.run(list(both.values()), tmp_path, jobs=1, progress=False)
    assert done[0] == "noticed" and done[1].startswith("BLIND")


@pytest.mark.parametrize("old, why", [("ONE == 1", "changes an assertion"), ("ONE", "must occur once"),
                                      ("TWO", "must occur once")])
def test_an_edit_that_is_not_allowed(tmp_path, old, why):
    with pytest.raises(ValueError, match=why):
        toy(tmp_path, {"tests/test_of_twins.py": {old: "2"}})["test_one"].sources(tmp_path)
