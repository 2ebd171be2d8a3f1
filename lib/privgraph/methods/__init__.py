"""Methods: ``collect`` is what leaves the people's hands, ``learn`` is what the server does with it.

kinds       the typed bases: what a new method has to say, and what it gets for it
contract    check_method: what every method of a kind promises, tried on a small graph
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .catalogue import all_methods
    from .contract import check_method
    from .controls import (
        CONTROLS,
        constant_features,
        permuted_features,
        random_categories,
        real_features,
        rewired_edges,
    )
    from .deepwalk import DeepWalk
    from .distilled import Distilled, NodeClassifier
    from .dpne import DPNE
    from .embedding_controls import LabelsTimesDegree, Noised, PublicFeatures, RandomDirections, RandomVectors
    from .federated import FedAvgGAT, FederatedDeepWalk, FederatedGAT
    from .few_shot import (
        GSM,
        MAML,
        SEGCL,
        PrototypicalNetwork,
        StructuralMean,
        SupportGIN,
        WLKernel,
        prototypes,
        solve_all,
        task_accuracies,
    )
    from .gae import GAE
    from .graphprivatizer import GraphPrivatizer
    from .lpgnn import LPGNN, LPGNNRelease
    from .lppge import LPPGE
    from .method import Client, Embedding, Embeddings, Federation, FewShot, Local, Method, Round, Server, Task
    from .model import InductiveModel, Model, Training
    from .pate import PATE, data_dependent_epsilon
    from .privgnn import PrivGNN
    from .query_release import QueryRelease, TeacherScores
    from .release import Release
    from .rgnn import RGNN, RGNNRelease
    from .sensitive import mark_sensitive, sensitive_users, without_links, without_users
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["CONTROLS", "DPNE", "GAE", "GSM", "LPGNN", "LPPGE", "MAML", "PATE", "RGNN", "SEGCL", "TeacherScores",
           "Client", "DeepWalk", "Distilled", "Embedding", "Embeddings", "FewShot", "FedAvgGAT", "FederatedDeepWalk",
           "FederatedGAT", "Federation", "Model", "GraphPrivatizer", "InductiveModel", "LPGNNRelease",
           "LabelsTimesDegree", "Local", "Method", "NodeClassifier", "Noised", "PrivGNN", "PrototypicalNetwork",
           "PublicFeatures", "QueryRelease", "RGNNRelease", "RandomDirections", "RandomVectors", "Release", "Round",
           "Server", "StructuralMean", "SupportGIN", "Task", "Training", "WLKernel", "all_methods", "check_method",
           "constant_features", "data_dependent_epsilon", "mark_sensitive", "permuted_features", "prototypes",
           "random_categories", "real_features", "rewired_edges", "sensitive_users", "solve_all", "task_accuracies",
           "without_links", "without_users"]
