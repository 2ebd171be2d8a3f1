"""SE-GCL: few labelled graphs of classes that training never saw (chapter 12).

``similarity`` vector to prototype · ``views`` of a graph · ``training`` the loop over tasks · ``prototypical`` networks
that compare with class means · ``segcl`` with contrast · ``structure`` the control that only counts · ``wl``, ``gin``,
``maml``, ``gsm`` baselines
"""

from typing import TYPE_CHECKING

from ...late import face

if TYPE_CHECKING:
    from .gin import SupportGIN
    from .gsm import GSM, spectral_quantiles
    from .kind import solve_all, task_accuracies
    from .maml import MAML
    from .prototypical import PrototypeSolver, PrototypicalNetwork, prototypes
    from .segcl import SEGCL, contrastive_loss
    from .similarity import DISTANCES, euclidean, wasserstein
    from .structure import StructuralMean, numbers_of
    from .views import masked, perturbed
    from .wl import WLKernel, wl_kernel, wl_names
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["DISTANCES", "GSM", "MAML", "SEGCL", "PrototypeSolver", "PrototypicalNetwork", "StructuralMean",
           "SupportGIN", "WLKernel", "contrastive_loss", "euclidean", "masked", "numbers_of", "perturbed", "prototypes",
           "solve_all", "spectral_quantiles", "task_accuracies", "wasserstein", "wl_kernel", "wl_names"]
