"""Every student has data of their own: drawn from the assignment's name and the student's identifier."""

import hashlib
import os

import torch

from ..checks import check_is, check_name
from ..randomness import seeded

GRADED = "PRIVGRAPH_STUDENT"  # whose submission is being graded; the grader's word counts, not the notebook's


def student(identifier: str) -> str:
    """Who does this assignment. While it is graded: whose it is, whatever the notebook says.

    :param identifier: as the teacher knows the student: letters, digits, dots, dashes and underscores.
    """
    return check_name(os.environ.get(GRADED) or check_is(identifier, "identifier", str).strip(), "identifier")


def coins(assignment: str, identifier: str) -> torch.Generator:
    """Coins of this student in this assignment: the same each time, and others for everybody else.

    :param assignment: its name.
    :param identifier: the student's.

    >>> one, other = (int(torch.randint(1000, (1,), generator=coins("dice", name))) for name in ("ada", "bob"))
    >>> one == int(torch.randint(1000, (1,), generator=coins("dice", "ada"))), one == other
    (True, False)
    """
    said = f"{check_name(assignment, 'assignment')}/{check_name(identifier, 'identifier')}"
    return seeded(int.from_bytes(hashlib.sha256(said.encode()).digest()[:7], "big"))
