"""Attacks: a release or a model, and pairs or nodes, to a score for each; higher = more likely an edge, a member.

pairs       edges and non-edges to be told apart
evaluation  AUC and TPR at 1% FPR, with intervals
posterior   links from similar posteriors (LSA2)
reference   attackers that see public things only
canaries    planted edges, and the ceiling that epsilon puts on every attack
influence   links from who moves whose output (LinkTeller)
membership  who was trained on, from shadow models
contract    check_attack: what every attack promises, tried in the small worlds of ``worlds``
"""

from .canaries import Planted, auc_ceiling, ceiling, plant
from .contract import check_attack
from .evaluation import AttackResult, evaluate_attack
from .influence import linkteller
from .membership import confidence, likelihood_ratio, rate_ceiling, shadow_attack
from .pairs import Pairs, sample_pairs
from .posterior import DISTANCES, posterior_similarity
from .reference import degree_product, feature_similarity

__all__ = ["DISTANCES", "AttackResult", "Pairs", "Planted", "auc_ceiling", "ceiling", "check_attack",
           "confidence",
           "degree_product", "evaluate_attack", "feature_similarity", "likelihood_ratio", "linkteller", "plant",
           "posterior_similarity", "rate_ceiling", "sample_pairs", "shadow_attack"]
