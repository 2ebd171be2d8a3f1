"""The checklists of CONTRIBUTING.md suffice: toys are added to a copy of the repository by following them, no more.

And a stranger who adds a mechanism with a wrong guarantee is told by one command which neighbours refute it.
"""

import contextlib
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import warm_python
from privbook.cli import main
from privbook.skeletons import KINDS

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BY_THE_TOOLS = {"_toc.yml", "book/intro.md"}  # lists that `make sync` extends

pytestmark = pytest.mark.slow


class Copy:
    """A copy of what git knows, in which commands run as in a checkout of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in git(ROOT, "ls-files").splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        git(folder, "init", "-q"), git(folder, "add", "-A")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")

    def run(self, *command: str, status: int = 0, cwd: str = ".") -> str:
        """What ``python command`` prints; it must end with ``status``."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "lib"), "PYTHONDONTWRITEBYTECODE": "1",
                       "PRIVGRAPH_CACHE": str(self.folder / "build" / "cache"), "COLUMNS": "200",
                       "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        for name in ("PRIVGRAPH_RESULTS", "PRIVGRAPH_BOOK", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
            environment.pop(name, None)
        done = warm_python.run(*command, cwd=self.folder / cwd, env=environment)
        assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def new(self, what: str, name: str, *words: str) -> None:
        """``privbook new``, in this process, as it reads nothing of the copy."""
        with contextlib.chdir(self.folder):
            assert main(["new", what, name, *words]) == 0

    def privgraph(self, *words: str, status: int = 0) -> str:
        return self.run("-m", "privgraph", *words, status=status)

    def privbook(self, *words: str, status: int = 0) -> str:
        return self.run("-m", "privbook", *words, status=status)

    def pytest(self, *words: str) -> str:
        return self.run("-m", "pytest", "-v", "-p", "no:cacheprovider", *words)

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """By hand: each text is there, and becomes another; then no TODO is left."""
        text = (self.folder / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, f"{name}: {old!r}"
            text = text.replace(old, new)
        text = re.sub(r"  # TODO.*|TODO:? ?", "", text)
        (self.folder / name).write_text(text, encoding="utf-8")

    def touched(self) -> dict[str, str]:
        """File -> how git sees it: ?? new, M changed."""
        lines = git(self.folder, "status", "--porcelain", "--untracked-files=all").splitlines()
        return {line[3:]: line[:2].strip() for line in lines}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    if done.returncode and words == ("ls-files",):
        pytest.skip("not a git checkout")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


def in_the_guide(*commands: str) -> None:
    """What a test does stands in the checklists, word for word but for the names."""
    assert [command for command in commands if command not in GUIDE] == []


# 1. A toy of each, one after the other, each using the one before.

MECHANISM, METHOD = "lib/privgraph/mechanisms/toy_answers.py", "lib/privgraph/methods/toy_club.py"
EXPERIMENT, CHAPTER = "lib/privbook/papers/toy_budgets.py", "chapters/16_toy.md"
EMBED = '''        mechanism = ToyAnswers(self.epsilon)
        z = mechanism(data.y, generator=generator)[:, None].float()
        return Embeddings(z=z, guarantees=mechanism.guarantees, randomness=kind_of(generator))
'''
MEASURE = '''    data, _ = graph(setting["dataset"])
    z = ToyClub(setting["epsilon"]).embed(data, stream("collect", seed)).z
    return {"accuracy": 100 * float((z[:, 0] == data.y).float().mean())}
'''
READ = '''```{code-cell} ipython3
from privbook.papers.results import Results
from privgraph.methods.toy_club import ToyClub

found = Results("toy-budgets").mean(dataset="karate", epsilon=3.0)
print(f"{ToyClub(3.0)}: true in {found.mean:.0f} % of {found.n} times 34 answers")
assert found.n == 3 and found.low < 100 * mechanism.__class__(3.0).keep < found.high
```
'''


def after(text: str, mark: str) -> str:
    """The lines of a function of a skeleton after its docstring, which a toy replaces."""
    return text.partition(mark)[2].partition('"""\n')[2].partition("\n\n")[0].rstrip("\n") + "\n"


def test_a_mechanism(copy):
    in_the_guide("privbook new mechanism", "privgraph audit",
                 MECHANISM.replace("toy_answers", "noisy_degrees"))
    copy.privbook("new", "mechanism", "toy_answers")
    copy.edit(MECHANISM, ('"""TODO: small ones', '"""Small ones'))
    copy.edit("tests/unit/test_mechanisms_toy_answers.py")
    assert copy.privbook("certify", "toy-answers").count("label, replace: holds for every epsilon") == 2
    told = copy.privgraph("audit", "toy-answers")
    assert told.count("worst case: label (replace): found 1 of 1") == 1 and "found 0.3 of 0.3" in told


def test_a_method(copy):
    in_the_guide("privbook new method", "--kind local   # or distilled, curated, embedding, federation, episodes",
                 METHOD.replace("toy_club", "noisy_club"))
    copy.new("method", "toy_club", "--kind", "embedding")
    text = (copy.folder / METHOD).read_text(encoding="utf-8")
    copy.edit(METHOD, (after(text, "def embed"), EMBED),
              ("mechanisms import Laplace", "mechanisms.toy_answers import ToyAnswers"),
              ("from ..checks import check_features\n", ""),
              ("from .release import unaccounted\n", ""))
    copy.edit("tests/unit/test_methods_toy_club.py")


def test_an_experiment(copy):
    in_the_guide("privbook new experiment", "privbook reproduce", EXPERIMENT.replace("toy_budgets", "club_budgets"))
    copy.new("experiment", "toy_budgets")
    text = (copy.folder / EXPERIMENT).read_text(encoding="utf-8")
    copy.edit(EXPERIMENT, (after(text, "def run"), MEASURE),
              ("privgraph.methods import LPGNN", "privgraph.methods.toy_club import ToyClub"),
              ("privgraph.methods.evaluation import run_once", "privgraph.streams import stream"),
              (', "features": "real"', ""),
              (", features=features)\n", ")\n"), (' for features in ("real", "permuted")', ""))
    assert copy.privbook("reproduce", "toy-budgets") == "6 runs added, 0 failed, 0 still missing\n"


def test_a_chapter(copy):
    in_the_guide("privbook new chapter", "make sync execute", "chapters/16_club.md", "% Front page: ")
    before = copy.touched()
    assert set(before.values()) == {"??"}, "no file that was there is edited by hand"
    copy.new("chapter", "16_toy")
    copy.edit(CHAPTER, ("# TODO: what", "# Toys: what"), ("## The attack\n", f"{READ}\n## The attack\n"),
              ("mechanisms import RandomisedResponse", "mechanisms.toy_answers import ToyAnswers"),
              ("RandomisedResponse(1.0, 2)", "ToyAnswers(1.0)"))
    copy.run("tools/sync.py")
    assert "chapters/16_toy" in (copy.folder / "_toc.yml").read_text(encoding="utf-8")
    assert "true in" in copy.run("16_toy.py", cwd="chapters")


def test_all_four_touch_ten_files_and_no_list(copy):
    """Six by hand, and what the commands wrote: the ledger, the .py of the chapter, and its lines in the contents."""
    touched = copy.touched()
    assert {name for name, how in touched.items() if how != "??"} == BY_THE_TOOLS
    by_commands = {"results/measured/toy-budgets.csv", "chapters/16_toy.py", *BY_THE_TOOLS}
    assert len(touched) <= 10 and len(touched.keys() - by_commands) == 6 and by_commands <= touched.keys()


@pytest.mark.full
def test_the_house_stands_with_the_toys(copy):
    """Architecture, lists, registers, contracts and the limits of chapters, in the copy."""
    if not (copy.folder / MECHANISM).exists():  # asked for without the tests before it
        test_a_mechanism(copy), test_a_method(copy), test_an_experiment(copy), test_a_chapter(copy)
    git(copy.folder, "add", "-A")
    copy.run("tools/sync.py", "--check")
    copy.pytest("tests/test_architecture.py", "tests/test_lists.py", "tests/claims/test_registry.py",
                "tests/chapters/test_limits.py", "tests/chapters/test_sync.py", "tests/chapters/test_prose.py")
    units = ("mechanisms_toy_answers", "methods_toy_club", "mechanism_contract", "method_contract", "bad_inputs")
    found = copy.pytest("tests/book/test_catalogue.py", *(f"tests/unit/test_{name}.py" for name in units), "-k",
                        "toy_answers or toy_club or ToyAnswers or ToyClub or (toy-budgets and comes_out_again) or "
                        "found_under_a_name or every_public_name")
    about_toys = {line.split("::")[1].partition("[")[0].split()[0] for line in found.splitlines()
                  if "oy" in line and "PASSED" in line}
    assert about_toys >= {"test_the_exact_loss_is_the_guarantee", "test_a_broken_twin_is_found",
                          "test_it_keeps_what_its_kind_promises", "test_every_mechanism_keeps_its_promises",
                          "test_each_method_keeps_its_promises", "test_a_row_comes_out_again"}


def test_skeletons_of_methods_keep_their_contracts_as_they_are(copy):
    tests = [f"tests/unit/test_methods_a_{kind}.py" for kind in KINDS]
    for kind in KINDS:
        copy.new("method", f"a_{kind}", "--kind", kind)
    told = copy.pytest(*tests)
    assert all(f"{test}::test_it_keeps_what_its_kind_promises" in told for test in tests)


# 2. A stranger's guarantee is wrong.

REFUTED = re.compile(r"is refuted: the outcome (.+) has the chance (\S+) on (.+) and (\S+) on its neighbour (.+); "
                     r"so epsilon is at least (\S+), stated is (\S+?),")


def refutation(told: str) -> tuple:
    """(outcome, chance, input, chance, neighbour, epsilon found, epsilon stated) of what a command printed."""
    return tuple(eval(text, {"frozenset": frozenset}) for text in REFUTED.search(told).groups())


def test_a_mechanism_that_claims_half_of_its_epsilon_is_refuted_by_one_command(copy):
    in_the_guide("says which neighbours refute a guarantee")
    copy.new("mechanism", "half_told")
    place = "lib/privgraph/mechanisms/half_told.py"
    copy.edit(place, ("Guarantee(self.epsilon,", "Guarantee(self.epsilon / 2,"))
    outcome, chance, value, less, other, found, stated = refutation(
        copy.privgraph("audit", "half-told", status=1))
    p = 1 / (1 + math.exp(-1.0))
    assert {value, other} == {0, 1} and outcome == value and stated == 0.5
    assert (chance, less) == pytest.approx((p, 1 - p), abs=1e-6)
    in_the_guide("privbook certify noisy-degrees")
    assert "label, replace: is false for every epsilon" in copy.privbook("certify", "half-told", status=1)
    assert found == pytest.approx(math.log(p / (1 - p))) and chance > math.exp(stated) * less


ONE_INPUT = '''
    def audit_case(self) -> AuditCase:
        """Three answers; who has the last one tells it more often."""
        return AuditCase((0, 1, 2), distribution=self.distribution)

    @noisy
    def __call__(self, y: Tensor, *, generator: torch.Generator) -> Tensor:
        """Noisy answers int64 [N]."""
        drawing(generator), check_labels(y, 3)
        lie = torch.rand(y.shape, generator=generator) >= torch.where(y == 2, self.surely, self.keep)
        return torch.where(lie, (y + torch.randint(1, 3, y.shape, generator=generator)) % 3, y)

    @property
    def keep(self) -> float:
        return 1 / (1 + 2 * math.exp(-self.epsilon))

    @property
    def surely(self) -> float:
        return 1 / (1 + 2 * math.exp(-1.5 * self.epsilon))

    @property
    def budgets(self):
        return (self.epsilon / 2,)

    def weights(self, answer: int, t, one=1) -> Weights:
        """t = e^(epsilon / 2)."""
        power = 3 if answer == 2 else 2
        return {told: t**power if told == answer else one**power for told in range(3)}
'''


def test_one_that_is_wrong_for_one_answer_only_is_refuted_with_that_answer(copy):
    copy.new("mechanism", "last_answer")
    place = "lib/privgraph/mechanisms/last_answer.py"
    text = (copy.folder / place).read_text(encoding="utf-8")
    copy.edit(place, (text[text.index("    def audit_case"):], ONE_INPUT.lstrip("\n")),
              (text[text.index("    @property\n    def keep"):text.index("    @property\n    def guarantee")], ""),
              ("FinitePair, Guarantee, response_pair", "Guarantee"))
    outcome, chance, value, less, other, found, stated = refutation(
        copy.privgraph("audit", "last-answer", status=1))
    surely, keep = (1 / (1 + 2 * math.exp(-epsilon)) for epsilon in (1.5, 1.0))

    def of(answer, told):
        own = surely if answer == 2 else keep
        return own if told == answer else (1 - own) / 2
    assert [value, other].count(2) == 1 and stated == 1.0
    assert (chance, less) == pytest.approx((of(value, outcome), of(other, outcome)), abs=1e-6)
    assert found == pytest.approx(math.log(of(value, outcome) / of(other, outcome)), abs=1e-5) and found > stated
    assert all(of(a, told) <= math.e * of(b, told) + 1e-9 for told in range(3) for a in (0, 1) for b in (0, 1))


ONE_RELATION = '''
"""Lists of neighbours, stated for a swap what holds for an edge that is added."""

from dataclasses import dataclass

from ..privacy import Guarantee
from .edge_response import SymmetricResponse


@dataclass(frozen=True)
class Swapped(SymmetricResponse):
    """Right for one edge added or removed, and wrong for two that are swapped."""

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return tuple(Guarantee(self.epsilon, unit=unit, relation=relation, basis="proved") for unit, relation in (
            ("undirected edge", "add/remove"), ("neighbour slot", "swap in a neighbour list")))
'''


def test_one_that_is_wrong_for_one_relation_only_is_refuted_in_that_relation(copy):
    (copy.folder / "lib/privgraph/mechanisms/swapped.py").write_text(ONE_RELATION.lstrip())
    told = copy.privgraph("audit", "swapped", status=1)
    assert "the guarantee for one neighbour slot (swap in a neighbour list) is refuted" in told
    outcome, chance, value, less, other, found, stated = refutation(told)
    epsilon = stated
    p = 1 / (1 + math.exp(-epsilon))

    def of(graph):
        """Of each pair the first person tells one bit, the truth with probability p."""
        truth = [v in graph[u] for u in range(len(graph)) for v in range(u + 1, len(graph))]
        bits = [bit for row in outcome for bit in row]
        return math.prod(p if bit == true else 1 - p for bit, true in zip(bits, truth, strict=True))
    changed = [(mine, theirs) for mine, theirs in zip(value, other, strict=True) if mine != theirs]
    assert all(len(mine) == len(theirs) and len(mine - theirs) == 1 for mine, theirs in changed) and changed
    assert (chance, less) == pytest.approx((of(value), of(other)), rel=1e-5, abs=0)
    assert found == pytest.approx(math.log(of(value) / of(other)), rel=1e-5, abs=0) and found > stated
