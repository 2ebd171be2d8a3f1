"""Claims decided for every epsilon: the committed certificates, verified by the checker,
and their weights beside the library.

A certificate speaks of polynomials. So each test also looks that these are the chances that the library's mechanisms
state (or, for RGNN's equation 4 read as coins, those of the mechanism in ``weights``, as the library has none).
"""

import math

import pytest

from privbook.prover import interval_proofs, statements
from privbook.prover.certificates import verify
from privbook.prover.weights import CoinWeights


def verified(family: str, record_property, verdict: str = "holds"):
    """The family's certificates, all of one verdict, after the checker and a look at the library's chances."""
    found = []
    for statement, certificate in statements.with_certificates(family):
        assert verify(statement, certificate) and agrees_with_the_library(statement) and certificate.verdict == verdict
        found.append(certificate)
    record_property("witness", f"{family}: {len(found)} statements, each {'true' if verdict == 'holds' else 'false'} "
                               "by a certificate: "
                               + "; ".join(certificate.name for certificate in found[:8]) + ("; ..." if len(found) > 8
                                                                                             else ""))
    return found


def agrees_with_the_library(statement) -> bool:
    """The weights over their sum are the mechanism's chances, to nine digits,
    at four budgets and up to six inputs all through."""
    inputs = statement.inputs[::max(1, len(statement.inputs) // 5)]
    for factor in (1.001, 1.3, 3.0, 20.0):
        t = float(statement.start) * factor if statement.end is None else float(
            statement.start + (statement.end - statement.start) / factor)
        mechanism = statement.mechanism.at(t)
        for x in (*inputs, statement.inputs[-1]):
            weights, chances = statement.mechanism.weights(x, t), mechanism.distribution(x)
            total = sum(weights.values())
            assert {o: w / total for o, w in weights.items()
                    if w} == pytest.approx({o: p for o, p in chances.items() if p}, rel=1e-9)
    return True


@pytest.mark.bears("proof", "dp-randomised-response")
def test_randomised_response_for_every_epsilon(record_property):
    verified("randomised-response", record_property)


@pytest.mark.bears("proof", "lpgnn-features")
def test_multi_bit_for_every_epsilon(record_property):
    verified("multi-bit", record_property)


@pytest.mark.bears("beside", "rgnn-theorem-1")
def test_grr_fs_costs_m_eps_for_every_epsilon(record_property):
    verified("grr-fs-any-two", record_property)


@pytest.mark.bears("against", "rgnn-theorem-1")
def test_theorem_1_fails_for_every_epsilon(record_property):
    """From one sampled feature to all but one: false at every epsilon, not only at those that were tried."""
    assert all(c.always_negative for c in verified("grr-fs-theorem-1", record_property, "breaks"))


@pytest.mark.bears("proof", "grr-fs-one-feature")
def test_one_feature_of_grr_fs_for_every_epsilon(record_property):
    verified("grr-fs-one-feature", record_property)


@pytest.mark.bears("proof", "grr-fs-one-feature")
def test_mixed_domains_exceed_the_formula_for_every_epsilon(record_property):
    assert all(c.always_negative for c in verified("grr-fs-one-feature-mixed", record_property, "breaks"))


@pytest.mark.bears("repair", "rgnn-equation-4")
def test_where_the_coins_of_equation_4_exceed_m_eps(record_property):
    """Two values: nowhere. Three and four: at every eps_x up to 1.567 and 2.502, and nowhere beyond;
    certified on both sides."""
    pairs = statements.with_certificates("grr-fs-coins")
    assert all(verify(*pair) and agrees_with_the_library(pair[0]) for pair in pairs)
    assert [(c.verdict, bool(c.always_negative)) for _, c in pairs] == [("holds", False),
                                                                        *[("breaks", True), ("holds", False)] * 2]
    for size, said, (below, _), (beyond, _) in ((3, "1.567", *pairs[1:3]), (4, "2.502", *pairs[3:5])):
        assert below.mechanism == beyond.mechanism == CoinWeights((size,) * 3, (1, 3))
        assert below.start == 1 and beyond.end is None and beyond.start - below.end == statements.LAST_DIGIT
        assert f"{math.log(below.end):.3f}" == f"{math.log(beyond.start):.3f}" == said
        record_property("witness", f"{size} values, d = 3, m = 1 on average: above m eps_x for all eps_x up to "
                                   f"{math.log(below.end):.6f}")


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_symmetric_response_for_every_epsilon(record_property):
    verified("symmetric-response", record_property)


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_degree_preserving_response_for_every_epsilon(record_property):
    verified("degree-preserving-response", record_property)


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_blink_for_every_epsilon(record_property):
    verified("blink", record_property)


@pytest.mark.bears("beside", "privgnn-per-query")
def test_gumbel_arg_max_for_every_epsilon(record_property):
    verified("gumbel-arg-max", record_property)


@pytest.mark.bears("proof", "replacement-loss")
def test_neighbour_replacement_for_every_epsilon(record_property):
    """A person's own report: epsilon where both neighbours have one closed set,
    and elsewhere an outcome that one cannot give."""
    verified("neighbour-replacement", record_property)
    assert all(c.always_negative for c in verified("neighbour-replacement-elsewhere", record_property, "breaks"))


@pytest.mark.bears("against", "privgnn-per-query")
def test_laplace_arg_max_on_whole_intervals(record_property):
    """Three to fifty classes are above 1 / beta on whole intervals of the noise;
    two to fifty are nowhere above 1.1733 / beta."""
    within, above = {}, {}
    for pieces in statements.load_laplace():
        assert interval_proofs.verify(pieces)
        (above if pieces.above else within)[pieces.num_classes] = pieces
    assert set(within) == set(range(2, 50 + 1)) and {p.factor for p in within.values()} == {"1.1733"}
    assert set(above) == set(range(3, 50 + 1)) and {p.factor for p in above.values()} == {"1"}
    for c, pieces in above.items():  # the intervals end where the claim becomes true, to a hundredth
        assert float(pieces.last) <= interval_proofs.crossing(c) < float(pieces.last) + 0.01
    assert [above[c].last for c in (3, 4, 5, 6, 7, 10, 47)] == ["1.85", "2.48", "2.88", "3.16", "3.38", "3.85", "5.58"]
    record_property("witness", "the loss of one noisy label is above 1/beta for all 0 < 1/beta <= " +
                    ", ".join(f"{above[c].last} ({c} classes)" for c in (3, 7, 10, 47))
                    + "; at most 1.1733/beta for all beta, 2 to 50 classes")
