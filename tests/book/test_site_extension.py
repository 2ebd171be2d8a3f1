"""What the site's own extension makes of titles and addresses; the built pages are tested in tests/site."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

import site_extension


@pytest.mark.parametrize("title, badge", [
    ("Claim: Theorem 1 (claim x, verdict: refuted)", "refuted"), ("What a verdict means", None), ("refuted", None),
    ("(claim x, verdict: empirical only)", "empirical only")])
def test_a_verdict_in_a_title_is_a_badge(title, badge):
    page = new_document("page")
    page += nodes.section("", nodes.title(title, title))
    site_extension.show_verdicts(SimpleNamespace(), page, "page")
    badges = [(found.astext(), found["classes"]) for found in page.findall(nodes.inline)]
    assert badges == ([] if badge is None else [(badge, ["verdict", badge.split()[0]])])
    assert page.next_node(nodes.title).astext() == title


def test_the_badge_leads_where_the_claim_does_and_marks_its_box():
    page = new_document("page")
    link = nodes.reference("", "", nodes.literal("", "x"), refuri="14_claims.html#x")
    title = nodes.title("", "", nodes.Text("Claim: A (claim "), link, nodes.Text(", verdict: refuted)"))
    page += nodes.admonition("", title)
    site_extension.show_verdicts(SimpleNamespace(), page, "page")
    badge, = (found for found in page.findall(nodes.inline) if "verdict" in found["classes"])
    assert badge.parent["refuri"] == "14_claims.html#x"
    assert page[0]["classes"] == ["is-refuted"] and title.astext() == "Claim: A (claim x, verdict: refuted)"


def test_indents_are_taken_off_where_they_mean_nothing():
    page = ("<p>one\n   two</p>\n\n  <pre>three\n   four</pre>\n <script>\n  let a;\n</script>\n  <textarea>\n"
            "  x</textarea>")
    assert site_extension.flush_left(page) == (
        "<p>one\ntwo</p>\n<pre>three\n   four</pre>\n<script>\n  let a;\n</script>\n<textarea>\n  x</textarea>")
