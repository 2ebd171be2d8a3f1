"""For students: coins of one's own, checkers (``teach.checkers``), and how an answer leaves a notebook.

An assignment's first cell draws everybody's own data::

    STUDENT = teach.student("your identifier")
    coins = teach.coins("randomised-response", STUDENT)
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .handing_in import hold, pack, pack_input, tell, unpack
    from .seeds import coins, student
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["coins", "hold", "pack", "pack_input", "student", "tell", "unpack"]
