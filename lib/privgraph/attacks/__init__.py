"""Attacks: a release or a model, and pairs or nodes, to a score for each; higher = more likely an edge, a member.

Its modules::

    node_pairs          edges and non-edges to be told apart
    evaluation          AUC and TPR at 1% FPR, with intervals
    posterior           links from similar posteriors (LSA2)
    link_stealing       the same by who has features, a part of the graph, a shadow data set (Attacks 1 to 7)
    reference           attackers that see public things only
    summed_evidence     several attackers' scores added up
    exposure            some links are exposed, the attacker is asked about the others (the dissertation's protocol)
    embeddings          links from published vectors, by attackers from weak to strong
    neighbourhood       links that were taken out of a graph, from those that were left
    shadow              links that a defence hid, by who has seen it hide others
    uploads             links, shared private neighbours and classes from a client's uploads of public rows
    upload_questions    what is asked of uploads, and beside which pairs
    lying_clients       a client that sends false rows, under many names, or what the others sent: what that costs
    suspicion           what a server could see of it
    canaries            planted edges, and the ceiling that epsilon puts on every attack
    embedding_canaries  canaries between sensitive users, which a defence is to hide
    upload_canaries     canaries among one client's private edges, which its uploads may tell of
    prototypes          members of a class's support set, and the whole set, from its published mean
    influence           links from who moves whose output (LinkTeller), by exact derivatives
    black_box           the same by queries alone, of whatever answers
    all_pairs           all pairs among some nodes, and accusing as many as are believed to be linked
    membership          who was trained on, from shadow models
    contract            check_attack: what every attack promises, tried in the small worlds of worlds
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .all_pairs import BELIEFS, LOW_AND_HIGH, Accused, accuse, pairs_among
    from .black_box import queried_influence
    from .canaries import Planted, auc_ceiling, ceiling, plant
    from .contract import check_attack
    from .embedding_canaries import CanaryRuns, canary_auc, canary_runs, plant_sensitive
    from .embeddings import boosted_links, closeness, inner_product, mlp_links, train_on_pairs
    from .evaluation import AttackResult, best_threshold, evaluate_attack, macro_f1
    from .exposure import Exposure, Reached, ask, expose
    from .influence import linkteller
    from .link_stealing import (
        link_stealing_1,
        link_stealing_2,
        link_stealing_3,
        link_stealing_4,
        link_stealing_5,
        link_stealing_6,
        link_stealing_7,
    )
    from .lying_clients import LIES, CostOfLies, Lie, cost_of_lies, play_with_liars, sent
    from .membership import confidence, likelihood_ratio, offline_likelihood, rate_ceiling, shadow_attack
    from .neighbourhood import adamic_adar, local_paths, shared_neighbours
    from .node_pairs import NodePairs, sample_pairs
    from .posterior import DISTANCES, posterior_similarity
    from .prototypes import Recovered, prototype_closeness, recover_support, support_membership, support_trials
    from .reference import degree_product, feature_similarity
    from .shadow import Shadow, hide_again, shadow_links
    from .summed_evidence import sum_of_evidence
    from .suspicion import alike_another, alike_the_answer, unlike_the_others, unusual_length
    from .upload_canaries import (
        Moved,
        UploadCanaries,
        bridge,
        moved,
        noise_audit,
        plant_private,
        private_canaries,
        upload_audit,
        upload_canary_runs,
    )
    from .upload_questions import Attributes, ask_links, ask_shared, private_attributes
    from .uploads import (
        Others,
        alike_here,
        edgeless,
        neighbours_class,
        recover_others,
        recovered_similarity,
        upload_similarity,
    )
else:
    __getattr__, __dir__ = face(__name__)

__all__ = [
    "Accused", "AttackResult", "Attributes", "BELIEFS", "CanaryRuns", "CostOfLies", "DISTANCES", "Exposure", "LIES",
    "LOW_AND_HIGH", "Lie", "Moved", "NodePairs", "Others", "Planted", "Reached", "Recovered", "Shadow",
    "UploadCanaries", "accuse", "adamic_adar", "alike_another", "alike_here", "alike_the_answer", "ask",
    "ask_links", "ask_shared", "auc_ceiling", "best_threshold", "boosted_links", "bridge", "canary_auc",
    "canary_runs", "ceiling", "check_attack", "closeness", "confidence", "cost_of_lies", "degree_product",
    "edgeless", "evaluate_attack", "expose", "feature_similarity", "hide_again", "inner_product",
    "likelihood_ratio", "link_stealing_1", "link_stealing_2", "link_stealing_3", "link_stealing_4",
    "link_stealing_5", "link_stealing_6", "link_stealing_7", "linkteller", "local_paths", "macro_f1", "mlp_links",
    "moved", "neighbours_class", "noise_audit", "offline_likelihood", "pairs_among", "plant", "plant_private",
    "plant_sensitive", "play_with_liars", "posterior_similarity", "private_attributes", "private_canaries",
    "prototype_closeness", "queried_influence", "rate_ceiling", "recover_others", "recover_support",
    "recovered_similarity", "sample_pairs", "sent", "shadow_attack", "shadow_links", "shared_neighbours",
    "sum_of_evidence", "support_membership", "support_trials", "train_on_pairs", "unlike_the_others",
    "unusual_length", "upload_audit", "upload_canary_runs", "upload_similarity"]
