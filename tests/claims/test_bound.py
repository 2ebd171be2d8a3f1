"""Nothing in book/claims.yml can be changed alone: verdict, unit, relation, number, formula.

A verdict is what the tests of its evidence say that they bear (``bearing``); a number stands in one of these tests
(``bound``); a unit and a relation are those of a guarantee, which is asked here; a formula is evaluated
(``test_formulas``). ``objections`` asks all of them about a register, and the edits below are made in memory.
"""

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import bound
from privbook import bearing, claims
from privgraph.mechanisms import (
    GRRFS,
    MultiBit,
    NeighbourReplacement,
    NoisyArgMax,
    NoisyMean,
    NoisyVotes,
    PrivateEndResponse,
    RandomisedResponse,
    SymmetricResponse,
    TwoHopResponse,
)
from privgraph.methods import DPNE, LPGNN, RGNN, FederatedDeepWalk
from privgraph.privacy import Guarantee
from privgraph.privacy.guarantee import RELATIONS, UNITS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "book" / "claims.yml").read_text(encoding="utf-8")
REGISTER, TABLE = claims.load_claims(TEXT), bound.load()
IDS = frozenset(REGISTER)

# Units and relations. Who states a guarantee for them, and the claims that speak of it; a paper's name stands for all
# its claims that are not named. The last rows are what no guarantee can be stated for: the sentence promises nothing to
# anybody, or speaks of people, links and scores and says of no change that it is hidden.
SWAP, CHANGE = "swap in a neighbour list", "add/remove"
GUARANTEED = [
    (NeighbourReplacement(1.0).guarantees, "neighbour slot", SWAP, "graphprivatizer units-swap-two-flips "
     "replacement-loss"),
    ((*SymmetricResponse(1.0).guarantees, *TwoHopResponse(1.0).guarantees), "neighbour slot", CHANGE,
     "gp-trust-only-own-edges gp-more-strict-condition gp-rr-edge-ldp gp-edge-ldp-unsuitable gp-edge-ldp-dense "
     "gp-large-eps-low-privacy gp-rr-baseline-edge-ldp gp-auc-point-is-one-percent units-degree-shown "
     "gp-degrees-desirable"),
    ([RandomisedResponse(1.0, 3).guarantee], "label", "replace",
     "gp-labels-ldp gp-attacker-cannot-infer-feature-label privgnn-b4-useless privgnn-b4-independent-of-lambda "
     "rgnn-labels-grr lpgnn-labels dp-randomised-response "
     "gp-edge-features-by-rr"),
    ([MultiBit(1.0, 3).guarantee, GRRFS(1.0, (2, 2), 1).guarantee], "feature vector", "replace",
     "gp-features-ldp gp-noisy-features-ensure-privacy rgnn ppfl-fl-keeps-data-private lpgnn-features "
     "ppfl-domain-adaptation ppfl-gat-weights-mix"),
    ([LPGNN().total, RGNN().total], "features and label", "replace",
     "gp-provides-feature-label gp-budgets-used privgnn-lpgnn-local rgnn-no-private-data-for-validation "
     "rgnn-ldp-hides-the-input rgnn-single-query rgnn-theorem-3 rgnn-theorem-3-composition rgnn-table-2-budget "
     "rgnn-beats-lpgnn-same-privacy rgnn-improves-tradeoff lppge-related-lpgnn-ldp lpgnn-total "
     "rgnn-noise-costs-utility rgnn-student-like-non-private"),
    (GRRFS(1.0, (2, 2), 1).guarantees, "one feature", "replace", "rgnn-unsampled-total-randomness grr-fs-one-feature "
     "rgnn-multibit-needs-sparsity rgnn-pointwise-intractable"),
    ([NoisyArgMax(1.0, 3).guarantee, NoisyVotes(1.0).guarantee], "node", CHANGE,
     "privgnn rgnn-lemma-1 dp-poisson units-group-privacy units-edges-and-nodes votes-compose "
     "lppge-removed-user gap-a-node bounded-lists-refill"),
    ([LPGNN().total.convert("node")], "node", "replace",
     "gp-local-mitigates-untrusted-server gp-theorem-4-4 gp-theorem-4-4-postprocessing gp-basic-composition-used "
     "gp-local-training-need-not-be-dp gp-fully-private gp-dp-attacker-cannot-infer gp-eps-zero-and-infinity "
     "gp-noise-hides-contribution gp-ldp-stronger-than-dp privgnn-ldp-weaker rgnn-node-privacy "
     "rgnn-server-risk-of-prior-work lppge-dp-prevents-inference "
     "gp-training-must-be-dp gp-central-nothing-inferred gp-local-costs-utility gp-global-not-allowed"),
    ((*SymmetricResponse.for_edge(1.0).guarantees, DPNE(1.0).mechanism(6).guarantee), "undirected edge", CHANGE,
     "privgnn-node-dp-stronger lppge-reduces-attack-score lppge-dynamic-graphs lppge-privacy-label-disentangles "
     "lppge-deletion-removes-first-order lppge-embeddings-are-like-raw-data lppge-embedding-reveals-removed "
     "lppge-customisation lppge-dpne lppge-dpne-scores lppge-dp-embedding-consistent "
     "lppge-dp-susceptible-to-inference ppfl-original-data-local ppfl-public-only-reduces-risk "
     "ppfl-public-carry-information ppfl-ensures-privacy units-edge-in-two-lists book-attack-auc-is-not-epsilon "
     "book-canary-ceiling sound-edge-mechanisms "
     "gp-spurious-edges-hurt dissertation-privacy-costs-use lppge-anonymise-first lppge-graph-data-are-sensitive "
     "lppge-without-sacrificing-utility lppge-dpne-for-want-of-attributes gap-an-edge progap-an-edge "
     "neighbour-votes"),
    ((*PrivateEndResponse(1.0).guarantees, *FederatedDeepWalk.examples()[0].guarantees()), "private edge", CHANGE,
     "federated-private-edge ppfl-cannot-share-topology"),
    ([NoisyMean(1.0, 0.01, clip=2.0, shots=4).guarantee], "support graph", "replace", "segcl-noisy-prototypes"),
    ((), "node", "none", "rgnn-gnn-more-risk lppge-gnn-encode-personal-data ppfl-alignment-enhances-privacy "
     "ppfl-server-returns-average ppfl-gat-no-weights-exposed ppfl-fewer-public-more-privacy ppfl-conclusion-balance "
     "segcl-complexity-hides "
     "privgnn-anonymised-facebook dissertation-inferred-though-never-given ppfl-akin-to-handing-out"),
    ((), "one feature", "none", "rgnn-aggregator-unaware"),
    ((), "undirected edge", "none", "dissertation"),
    ((), "nothing", "none",
     "gp-outdegree-preserved gp-attacker-noisy-features-only gp-prior-work privgnn-trade-secrets "
     "privgnn-others-not-comparable privgnn-sampling-equivalence privgnn-equation-1 privgnn-attack-2 "
     "rgnn-related-work lppge-same-level-privacy-protection lppge-dp-not-foolproof dissertation-prior-work "
     "segcl-dissertation-privacy segcl-copyright dp-attacker dp-laplace dp-three-rules dp-rdp dp-pure-pair "
     "one-run-bound segcl-prototype-is-embedding "
     "gp-motives gp-definitions gp-epsilon-up-to-ten gp-outlook privgnn-motives privgnn-prior-work "
     "privgnn-public-graph-assumed privgnn-what-attackers-know rgnn-motives dissertation-motives "
     "dissertation-traffic-example dissertation-images dissertation-more-prior-work lppge-keeps-attributes "
     "lppge-widening-restores-utility lppge-attacker-knows-a-tenth ppfl-falls-short-of-central "
     "ppfl-without-the-entire-graph"),
]
UNIT = {name: row[1:3] for row in GUARANTEED for name in row[3].split()}

# Nothing runs for these, so their verdict is said here.
SILENT = {
    "empirical only": "gp-figures-3-15-colour gp-joshi-similar-baseline rgnn-gnn-more-risk lppge-proves-capable "
                      "lppge-gnn-encode-personal-data ppfl-conclusion-balance "
                      "privgnn-informative-features privgnn-size-does-not-matter",
    "not a privacy claim": "gp-attacker-noisy-features-only privgnn-trade-secrets privgnn-others-not-comparable "
                           "rgnn-related-work lppge-definition-2-who-is-sensitive lppge-definition-4-privacy "
                           "lppge-same-level-privacy-protection dissertation-prior-work segcl-copyright "
                           "gp-motives gp-definitions gp-outlook privgnn-motives privgnn-prior-work "
                           "privgnn-public-graph-assumed privgnn-what-attackers-know rgnn-motives "
                           "dissertation-motives dissertation-traffic-example dissertation-images "
                           "dissertation-more-prior-work lppge-definitions-3-and-5 lppge-attacker-knows-a-tenth",
}
SILENTLY = {name: verdict for verdict, names in SILENT.items() for name in names.split()}


def objections(claim: claims.Claim, table: dict = TABLE) -> list[str]:
    """All that speaks against an entry of the register."""
    found = bound.faults(claim, table.get(claim.id, {}), IDS)
    if (unit := UNIT.get(claim.id, UNIT.get(claim.paper))) != (claim.unit, claim.relation):
        found.append(f"{claim.id} speaks of {claim.unit}, {claim.relation}; what is guaranteed is of {unit}")
    if claim.evidence:
        fault = claims.carries(claim, bearing.roles_of(ROOT, claim.id, claim.evidence))
        found += [f"{claim.id}: {fault}"] if fault else []
    elif SILENTLY.get(claim.id) != claim.verdict:
        found.append(f"{claim.id}: nothing bears on {claim.verdict!r}")
    return found


def test_nobody_objects_to_the_register():
    told = [each for claim in REGISTER.values() for each in objections(claim)]
    assert told == [], "tools/bound.py says which numbers no test has, and writes the table anew"
    assert set(TABLE) == set(REGISTER)
    assert set(SILENTLY) == {claim.id for claim in REGISTER.values() if not claim.evidence}


@pytest.mark.parametrize("guarantees, unit, relation, names", GUARANTEED, ids=[f"{r[1]}, {r[2]}" for r in GUARANTEED])
def test_a_unit_and_its_relation_are_those_of_a_guarantee(guarantees, unit, relation, names):
    """Of each guarantee that is given here; where none is, the entry says "none", and is no sentence that holds for
    somebody (but for those about attacks, and about definitions)."""
    assert (relation == "none") == (not guarantees)
    for guarantee in guarantees:
        assert isinstance(guarantee, Guarantee)
    assert not guarantees or {(g.unit, g.relation) for g in guarantees} >= {(unit, relation)}
    assert set(names.split()) <= IDS | set(claims.PAPERS)


def test_most_numbers_have_a_test():
    """What is only quoted stands in entries that no test speaks for."""
    kinds = Counter("test" if key.startswith("test_") else key
                    for table in TABLE.values() for key, texts in table.items() for _ in texts)
    assert kinds["test"] > 1800 and kinds[bound.QUOTED] < 30


# Edits that somebody could make: claim, text, other text.
EDITS = [
    ("gp-theorem-4-3", "verdict: refuted", "verdict: holds"),
    ("privgnn-theorem-7", "verdict: refuted", "verdict: holds"),
    ("lppge-dpne", "1.88", "7.88"),
    ("segcl-noisy-prototypes", "2C/K", "C/3K"),
    ("dp-three-rules", r"k\varepsilon", r"\varepsilon/k"),
    ("privgnn-per-query", "unit: node", "unit: label"),
    # and siblings
    ("rgnn-theorem-1", "verdict: refuted", "verdict: corrected"),
    ("privgnn-pate-guarantee", "verdict: corrected", "verdict: refuted"),
    ("lpgnn-total", "verdict: holds", "verdict: empirical only"),
    ("lppge-reduces-attack-score", "verdict: empirical only", "verdict: holds"),
    ("gp-figures-3-15-colour", "verdict: empirical only", "verdict: not a privacy claim"),
    ("gp-prior-work", "verdict: not a privacy claim", "verdict: empirical only"),
    ("gp-theorem-4-3", "148 of 1,072", "148 of 1,027"),
    ("gp-eq-6", ".322", ".232"),
    ("privgnn-budget-amazon2m", "16.10", "61.10"),
    ("privgnn-attack-1", r"1.4 $\pm$ 4.8", r"1.4 $\pm$ 0.8"),
    ("rgnn-beats-lpgnn-same-privacy", "better in 14 of 48", "better in 41 of 48"),
    ("ppfl-public-carry-information", "5/12", "5/21"),
    ("gp-figures-3-15-colour", "at most 2 counts", "at most 3 counts"),
    ("segcl-noisy-prototypes", r"$\delta$ = .01", r"$\delta$ = .1"),
    ("units-edge-in-two-lists", r"2\varepsilon", r"\varepsilon/2"),
    ("rgnn-theorem-1", r"\frac{m}{d}", r"\frac{d}{m}"),
    ("privgnn-subsampling-lemma", r"e^{\varepsilon}-1", r"e^{\varepsilon}+1"),
    ("votes-compose", r"2/\beta", r"\beta/2"),
    ("sound-edge-mechanisms", r"2(\varepsilon + \varepsilon_d)", r"\varepsilon + \varepsilon_d"),
    ("gp-features-ldp", r"\varepsilon_x/m", r"m\varepsilon_x"),
    ("book-canary-ceiling", "relation: add/remove", "relation: replace"),
    ("gp-theorem-4-4", "relation: replace", "relation: add/remove"),
    ("gp-rr-edge-ldp", "relation: add/remove", "relation: swap in a neighbour list"),
    ("federated-private-edge", "unit: private edge", "unit: undirected edge"),
    ("lpgnn-features", "unit: feature vector", "unit: one feature"),
    ("segcl-noisy-prototypes", "unit: support graph", "unit: node"),
    ("lppge-dpne", "unit: undirected edge", "unit: neighbour slot"),
    ("gp-eq-5", "tests/claims/test_graphprivatizer_claims.py::test_empty_candidate_set_releases_the_edge",
     "tests/claims/test_graphprivatizer_claims.py::test_degrees_with_a_set_union"),
]


def edited(name: str, old: str, new: str) -> claims.Claim:
    begin = TEXT.index(f"- id: {name}\n")
    end = TEXT.find("\n- id: ", begin + 1)
    entry = TEXT[begin:end if end > 0 else None]
    assert old in entry
    return claims.load_claims(entry.replace(old, new, 1))[name]


@pytest.mark.parametrize("name, old, new", EDITS)
def test_an_edit_of_the_register_alone_is_noticed(name, old, new):
    assert objections(edited(name, old, new))


def test_every_verdict_unit_and_relation_of_every_entry_is_bound():
    def others(claim):
        for verdict in (word for word in claims.VERDICTS if word not in (claim.verdict, "pending")):
            if claim.evidence or verdict in SILENT:  # without evidence the others are refused when they are read
                yield replace(claim, verdict=verdict)
        for unit, relation in product(UNITS, (*RELATIONS, "none")):
            if (unit, relation) != (claim.unit, claim.relation):
                yield replace(claim, unit=unit, relation=relation)
    missed = [(claim.id, other.verdict, other.unit, other.relation) for claim in REGISTER.values()
              for other in others(claim) if not verdict_or_unit(other)]
    assert missed == []


def verdict_or_unit(claim: claims.Claim) -> bool:
    """Whether the two cheap ones of the ``objections`` speak."""
    wrong = UNIT.get(claim.id, UNIT.get(claim.paper)) != (claim.unit, claim.relation)
    if not claim.evidence:
        return wrong or SILENTLY.get(claim.id) != claim.verdict
    return wrong or bool(claims.carries(claim, bearing.roles_of(ROOT, claim.id, claim.evidence)))


def test_every_number_and_formula_of_every_entry_is_bound():
    """Each with another digit, and each formula with a letter or a sign more."""
    missed, tried = [], 0
    for claim in REGISTER.values():
        for token in set(bound.tokens(claim, IDS)):
            if token.kind in ("number", bound.FORMULAS):
                other = token.text + "1" if token.kind == "number" else token.text + " + 1"
                tried += 1
                kept = {key: [other if text == token.text else text for text in texts]
                        for key, texts in TABLE[claim.id].items()}  # as if the text said so, and the table did not
                missed += [] if bound.faults(claim, kept, IDS) else [(claim.id, token.text)]
    assert missed == [] and tried > 1500


def test_an_edit_of_register_and_table_needs_a_test_that_has_the_number():
    for name, old, new in (("lppge-dpne", "1.88", "7.88"), ("gp-eq-6", ".322", ".232"),
                           ("gp-theorem-4-3", "148", "841")):
        table = {key: [new if text == old else text for text in texts] for key, texts in TABLE[name].items()}
        told = bound.faults(edited(name, old, new), table, IDS)
        assert told and all(f"{new} is no number of" in each for each in told)
