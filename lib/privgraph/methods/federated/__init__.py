"""PPFL-GNN: clients that share public nodes train alone, a server aligns and averages what they upload (chapter 11).

``split`` who holds what · ``messages`` rows as bytes · ``alignment`` one space turned into another · ``averaging`` the
server · ``deepwalk`` clients that walk · ``measures`` what their vectors are good for
"""

from .alignment import align_to_each, common_frame, precision_at, procrustes
from .averaging import ANSWERS, Averaging
from .deepwalk import FederatedDeepWalk
from .split import NOBODY, PUBLIC, hold, parts

__all__ = ["ANSWERS", "NOBODY", "PUBLIC", "Averaging", "FederatedDeepWalk", "align_to_each", "common_frame", "hold",
           "parts", "precision_at", "procrustes"]
