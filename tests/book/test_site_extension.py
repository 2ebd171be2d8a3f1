"""What the site's own extension makes of titles and addresses; the built pages are tested in tests/site."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes
from docutils.utils import new_document

import site_extension


def test_links_to_other_places_wait_for_an_address():
    assert site_extension.elsewhere("", "08_x") == []
    for address in ("https://github.com/a/b", "https://github.com/a/b/"):
        binder, source = site_extension.elsewhere(address, "08_x")
        assert 'href="https://mybinder.org/v2/gh/a/b/main?urlpath=lab/tree/chapters/08_x.md"' in binder
        assert 'href="https://github.com/a/b/blob/main/chapters/08_x.md"' in source
    config = yaml.safe_load((Path(__file__).parents[2] / "_config.yml").read_text(encoding="utf-8"))
    assert config["sphinx"]["config"]["repository_address"] == "", "now that there is one, README should say it too"


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
