"""Questions for examinations: a pool of them, each with points and a key; of a third the numbers are a course's own.

``course/exam/*.md`` holds the questions. Each begins with a line such as ``## rr-chance: 02_differential_privacy, ●``
and ends with its key, a line ``- 2: ...`` for each thing that earns points. Where ``course/exam/drawn.py`` has a
function of its name (``rr_chance``), text and key say ``<<name>>`` or ``<<name:.2f>>``: the function draws what is
given and computes what is asked, with the library.

The questions are public, as this repository is. What is drawn hangs on the course's key and on the exam's name: who
does not have the key cannot compute it, and two terms have other numbers.
"""

import hashlib
import hmac
import importlib.util
import random
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from privgraph.checks import check_name
from privgraph.writing import PRIVATE, ready_folder, write

FOLDER = Path(__file__).resolve().parents[3] / "course" / "exam"
QUESTION = re.compile(r"^## ([\w-]+): (\w+), (●{1,3})\n\n(.*?)\n\n((?:- \d+: [^\n]+\n)+)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^- (\d+): (.+)$", re.MULTILINE)
NUMBER = re.compile(r"<<(\w+)(?::([^>]*))?>>")


@dataclass(frozen=True)
class Question:
    """:param chapter: of which it asks.
    :param level: 1 to 3: practice, an idea, two ideas.
    :param key: (points, what earns them)."""

    name: str
    chapter: str
    level: int
    text: str
    key: tuple[tuple[int, str], ...]

    @property
    def points(self) -> int:
        """All that it can earn."""
        return sum(points for points, _ in self.key)

    @property
    def drawn(self) -> bool:
        """Whether each course has its own numbers."""
        return hasattr(drawing(), self.name.replace("-", "_"))

    def values(self, secret: str, exam: str) -> dict[str, object]:
        """What is given and what is right, by name; nothing where nothing is drawn.

        :param secret: the course's key.
        :param exam: its name, such as "2027-spring".
        """
        seed = hmac.new(secret.encode(), f"{exam}/{self.name}".encode(), hashlib.sha256).digest()
        make = getattr(drawing(), self.name.replace("-", "_"), lambda _: {})
        return make(random.Random(seed))


def pool() -> dict[str, Question]:
    """All questions, by name, in the order of the chapters."""
    found = [Question(name, chapter, len(dots), text, tuple((int(points), said) for points, said in LINE.findall(key)))
             for path in sorted(FOLDER.glob("*.md"))
             for name, chapter, dots, text, key in QUESTION.findall(path.read_text(encoding="utf-8"))]
    return {question.name: question for question in sorted(found, key=lambda question: question.chapter)}


@cache
def drawing() -> ModuleType:
    """The module that draws and computes."""
    spec = importlib.util.spec_from_file_location("exam_drawn", FOLDER / "drawn.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filled(text: str, values: dict[str, object]) -> str:
    """A text with its numbers.

    >>> filled("$p = <<p:.2f>>$, <<k>> answers", {"p": 0.731, "k": 3})
    '$p = 0.73$, 3 answers'

    :raises KeyError: where a number is named that was not drawn.
    """
    return NUMBER.sub(lambda found: format(values[found[1]], found[2] or ""), text)


def course_key(folder: Path) -> str:
    """The secret of the course that is graded in ``folder``; made at first, readable by its owner alone."""
    path = Path(folder) / "key"
    if not path.exists():
        ready_folder(path.parent, "to")
        write(path, secrets.token_hex(32), PRIVATE)
    return path.read_text()


def paper(questions: Iterable[Question], secret: str, exam: str) -> tuple[str, str]:
    """An exam in Markdown: what students get, and the same with its key."""
    questions = list(questions)
    head = f"# Examination {exam}\n\n{sum(question.points for question in questions)} points"
    students, teachers = [head], [head + ", with the key. Not for students."]
    for number, question in enumerate(questions, start=1):
        values = question.values(secret, exam)
        asked = f"## {number} ({question.points} points)\n\n{filled(question.text, values)}"
        key = "\n".join(f"- **{points}**: {filled(said, values)}" for points, said in question.key)
        students.append(asked)
        teachers.append(f"{asked}\n\n**Key** ({question.name}, {question.chapter}):\n\n{key}")
    return "\n\n".join(students) + "\n", "\n\n".join(teachers) + "\n"


def write_exam(folder: Path, names: Iterable[str], exam: str) -> list[Path]:
    """The questions of these names as an exam of the course in ``folder``: one file for students, one with the key.

    :raises ValueError: where there is no question of a name.
    """
    known, names = pool(), list(names)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no question is named {', '.join(unknown)}; without names they are listed")
    exam = check_name(exam, "exam")
    place = Path(folder) / "exams"
    made = [place / f"{exam}.md", place / f"{exam}-key.md"]
    ready_folder(place, "to")
    for path, text in zip(made, paper([known[name] for name in names], course_key(folder), exam), strict=True):
        write(path, text, PRIVATE)
    return made
