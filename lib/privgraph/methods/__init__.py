"""Methods: ``collect`` is what leaves the people's hands, ``learn`` is what the server does with it.

Its modules::

    method    the face of all methods, and what is public of a graph beforehand
    local, distilled, curated, embedding, federation, few_shot.kind  the kinds: what a new method says, and gets for it
    model     what came of a method, which predicts, is scored, and is saved; load reads it again
    contract  check_method: what every method of a kind promises, tried on a small graph
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .catalogue import all_methods
    from .centroids import Centroids
    from .contract import check_method
    from .controls import (
        CONTROLS,
        constant_features,
        permuted_features,
        random_categories,
        real_features,
        rewired_edges,
    )
    from .curated import Curated, CuratedModel, CuratedRelease
    from .deepwalk import DeepWalk
    from .distilled import Distilled, NodeClassifier
    from .dpne import DPNE
    from .dpsgd import DPSGD, OneHopGCN
    from .embedding import Embedding, Embeddings, LinearProbe
    from .embedding_controls import LabelsTimesDegree, Noised, PublicFeatures, RandomDirections, RandomVectors
    from .evaluated import Evaluation
    from .federated import FedAvgGAT, FederatedDeepWalk, FederatedGAT
    from .federation import Client, FederatedModel, Federation, Round, Rounds, Server
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
    from .few_shot.kind import FewShot, TaskModel
    from .gae import GAE
    from .gap import GAP
    from .gap_for_nodes import NodeGAP
    from .graphprivatizer import GraphPrivatizer
    from .label_propagation import LabelPropagation
    from .local import Local
    from .lpgnn import LPGNN, LPGNNRelease
    from .lppge import LPPGE
    from .method import Method, Sizes, extent_of, sizes_of
    from .model import InductiveModel, Model, NetworkModel, Training
    from .model_files import load
    from .neighbour_votes import NeighbourVotes
    from .pate import PATE, data_dependent_epsilon
    from .privgnn import PrivGNN
    from .progap import ProGAP
    from .query_release import QueryRelease, TeacherScores
    from .release import Release
    from .rgnn import RGNN, RGNNRelease
    from .sensitive import mark_sensitive, sensitive_users, without_links, without_users
    from .spent import BudgetFile, BudgetSpent, budget_file
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["CONTROLS", "DPNE", "DPSGD", "GAE", "GAP", "GSM", "LPGNN", "LPPGE", "MAML", "PATE", "RGNN", "SEGCL",
           "BudgetFile", "BudgetSpent", "Centroids", "Client", "Curated", "CuratedModel", "CuratedRelease", "DeepWalk",
           "Distilled", "Embedding", "Embeddings", "Evaluation", "FedAvgGAT", "FederatedDeepWalk", "FederatedGAT",
           "FederatedModel", "Federation", "FewShot", "GraphPrivatizer", "InductiveModel", "LPGNNRelease",
           "LabelPropagation", "LabelsTimesDegree", "LinearProbe", "Local", "Method", "Model", "NeighbourVotes",
           "NetworkModel", "NodeClassifier", "NodeGAP", "Noised", "OneHopGCN", "PrivGNN", "ProGAP",
           "PrototypicalNetwork", "PublicFeatures", "QueryRelease", "RGNNRelease", "RandomDirections", "RandomVectors",
           "Release", "Round", "Rounds", "Server", "Sizes", "StructuralMean", "SupportGIN", "TaskModel",
           "TeacherScores", "Training", "WLKernel", "all_methods", "budget_file", "check_method", "constant_features",
           "data_dependent_epsilon", "extent_of", "load", "mark_sensitive", "permuted_features", "prototypes",
           "random_categories", "real_features", "rewired_edges", "sensitive_users", "sizes_of", "solve_all",
           "task_accuracies", "without_links", "without_users"]
