"""Claims decided for every epsilon: the committed certificates, verified by the checker, and their weights beside the library.

A certificate speaks of polynomials. So each test also looks that these are the chances that the library's mechanisms state.
"""

import math

import pytest

from privgraph.audit import for_all, intervals, statements
from privgraph.audit.certificates import verify


def verified(family: str, record_property, verdict: str = "holds"):
    """The family's certificates, all of one verdict, after the checker and a look at the library's chances."""
    found = []
    for statement, certificate in statements.with_certificates(family):
        assert verify(statement, certificate) and agrees_with_the_library(statement) and certificate.verdict == verdict
        found.append(certificate)
    record_property("witness", f"{family}: {len(found)} statements, each {'true' if verdict == 'holds' else 'false'} by a certificate: "
                               + "; ".join(certificate.name for certificate in found[:8]) + ("; ..." if len(found) > 8 else ""))
    return found


def agrees_with_the_library(statement) -> bool:
    """The weights over their sum are the mechanism's chances, at two budgets and the first and last inputs."""
    for t in (statement.start + 0.25, statement.start + 2.0):
        mechanism = statement.mechanism.at(t)
        for x in (statement.inputs[0], statement.inputs[-1]):
            weights, chances = statement.mechanism.weights(x, t), mechanism.distribution(x)
            total = sum(weights.values())
            assert {o: w / total for o, w in weights.items() if w} == pytest.approx({o: p for o, p in chances.items() if p})
    return True


def everywhere(certificate) -> bool:
    """Whether the statement is false for every epsilon."""
    return bool(certificate.everywhere) and certificate.regions == [[1.0, None]]


def test_randomised_response_for_every_epsilon(record_property):
    verified("randomised-response", record_property)


def test_multi_bit_for_every_epsilon(record_property):
    verified("multi-bit", record_property)


def test_grr_fs_costs_m_eps_for_every_epsilon(record_property):
    verified("grr-fs-any-two", record_property)


def test_theorem_1_fails_for_every_epsilon(record_property):
    """From one sampled feature to all but one: false at every epsilon, not only at those that were tried."""
    assert all(everywhere(c) for c in verified("grr-fs-theorem-1", record_property, "breaks"))


def test_one_feature_of_grr_fs_for_every_epsilon(record_property):
    verified("grr-fs-one-feature", record_property)


def test_mixed_domains_exceed_the_formula_for_every_epsilon(record_property):
    assert all(everywhere(c) for c in verified("grr-fs-one-feature-mixed", record_property, "breaks"))


def test_where_the_coins_of_equation_4_exceed_m_eps(record_property):
    """Two values: nowhere. Three and four: exactly below a root, eps_x = 1.567 and 2.502."""
    pairs = statements.with_certificates("grr-fs-coins")
    assert all(verify(*pair) and agrees_with_the_library(pair[0]) for pair in pairs)
    found = {certificate.name: certificate for _, certificate in pairs}
    assert [c.verdict for c in found.values()] == ["holds", "breaks", "holds", "breaks", "holds"]
    for name, end, start in (("domains 3x3x3", 1.5673, 5), ("domains 4x4x4", 2.5023, 13)):
        region, = for_all.regions(found[name])
        assert region.low == 0 and region.high == pytest.approx(end, abs=5e-5) and region.high < math.log(start)
        assert found[f"{name}, from {start} on"].verdict == "holds"
        record_property("witness", f"{name}, m = 1 on average: above m eps_x exactly for eps_x below {region.high:.4f}")


def test_symmetric_response_for_every_epsilon(record_property):
    verified("symmetric-response", record_property)


def test_degree_preserving_response_for_every_epsilon(record_property):
    verified("degree-preserving-response", record_property)


def test_blink_for_every_epsilon(record_property):
    verified("blink", record_property)


def test_gumbel_arg_max_for_every_epsilon(record_property):
    verified("gumbel-arg-max", record_property)


def test_neighbour_replacement_for_every_epsilon(record_property):
    """A person's own report: epsilon where both neighbours have one closed set, and elsewhere an outcome that one cannot give."""
    verified("neighbour-replacement", record_property)
    assert all(everywhere(c) for c in verified("neighbour-replacement-elsewhere", record_property, "breaks"))


def test_laplace_arg_max_on_whole_intervals(record_property):
    """Three to fifty classes are above 1 / beta on whole intervals of the noise; two to fifty are nowhere above 1.1733 / beta."""
    within, above = {}, {}
    for pieces in statements.load_laplace():
        assert intervals.verify(pieces)
        (above if pieces.above else within)[pieces.num_classes] = pieces
    assert set(within) == set(range(2, 51)) and {p.factor for p in within.values()} == {1.1733}
    assert set(above) == set(range(3, 51)) and {p.factor for p in above.values()} == {1.0}
    for c, pieces in above.items():  # the intervals end where the claim becomes true, to a hundredth
        assert pieces.last <= intervals.crossing(c) < pieces.last + 0.01
    assert [above[c].last for c in (3, 4, 5, 6, 7, 10, 47)] == [1.85, 2.48, 2.88, 3.16, 3.38, 3.85, 5.58]
    record_property("witness", "the loss of one noisy label is above 1/beta for all 0 < 1/beta <= " +
                    ", ".join(f"{above[c].last:g} ({c} classes)" for c in (3, 7, 10, 47)) + "; at most 1.1733/beta for all beta, 2 to 50 classes")
