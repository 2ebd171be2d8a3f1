"""Where ours is found for a printed number, or why there is none: one file a paper, found by its name.

A file has a function ``answer(printed)``. It asks the paper's grids, and knows what the paper calls things.
"""

from ...discover import modules
from ..answer import Answer
from ..printed import Printed

ANSWERS = {name: module.answer for name, module in modules(__name__).items() if hasattr(module, "answer")}


def answer(printed: Printed) -> Answer:
    """What is said to a printed number."""
    return ANSWERS[printed.paper](printed)
