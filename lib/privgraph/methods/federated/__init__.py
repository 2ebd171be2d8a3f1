"""PPFL-GNN: clients that share public nodes train alone, a server aligns and averages what they upload (chapter 11).

``split`` who holds what · ``messages`` rows as bytes · ``alignment`` one space turned into another · ``averaging`` the
server · ``noise`` on uploads · ``deepwalk`` clients that walk · ``gat`` clients that learn from labels ·
``fedavg`` weights averaged instead · ``labels`` wrong ones · ``measures`` what vectors are good for
"""

from typing import TYPE_CHECKING

from ...late import face

if TYPE_CHECKING:
    from .alignment import align_to_each, common_frame, precision_at, procrustes
    from .averaging import ANSWERS, Averaging
    from .fedavg import FedAvgGAT
    from .federated_deepwalk import FederatedDeepWalk
    from .gat import FederatedGAT
    from .labels import mislabel
    from .metrics import fold_of, groups, micro_f1, over_clients, restricted, without_fold
    from .split import NOBODY, PUBLIC, hold, parts
    from .upload_noise import UploadNoise
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["ANSWERS", "NOBODY", "PUBLIC", "Averaging", "FedAvgGAT", "FederatedDeepWalk", "FederatedGAT", "UploadNoise",
           "align_to_each", "common_frame", "fold_of", "groups", "hold", "micro_f1", "mislabel", "over_clients",
           "parts", "precision_at", "procrustes", "restricted", "without_fold"]
