"""What the HTML itself shows: alternative texts, numbers of chapters, nothing loaded from outside."""

import re

import pytest
from built_site import SITE

import site_extension
from published import ROOT, soup

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src", "object": "data"}
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch", "prefetch", "manifest"}


def outside(address: str) -> bool:
    return bool(re.match(r"(https?:)?//", address))


def test_nothing_is_loaded_from_outside(page):
    addresses = [tag.get(name, "") for kind, name in LOADED.items() for tag in soup(page).find_all(kind)]
    addresses += [tag["href"] for tag in soup(page).find_all("link", href=True) if LOADED_LINKS & set(tag["rel"])]
    assert [address for address in addresses if outside(address)] == []


def test_style_sheets_load_nothing_from_outside():
    sheets = SITE.rglob("*.css")
    assert [sheet.name for sheet in sheets if re.search(r"url\(['\"]?(https?:)?//", sheet.read_text("utf8"))] == []


def test_a_chapter_has_the_number_of_its_file(page):
    """In its title, and where the contents and other pages name it."""
    if found := re.match(r"(\d\d)_", page.name):
        title = soup(page).select_one("main h1 .section-number").text
        assert title.split(".")[0] == str(int(found[1]))
    for link in soup(page).select("main a:has(> span.doc)"):
        target = (page.parent / link["href"].partition("#")[0]).resolve()
        if re.match(r"\d\d_", target.name):
            title = soup(target).select_one("main h1").find(string=True, recursive=False)
            assert link.text != title, f"{link} says no number"


def test_a_claim_in_a_title_leads_to_the_register(page):
    """And its verdict is a badge; ``tools/published.py`` has seen that the link leads there."""
    for title in soup(page).select("main .admonition-title"):
        if "verdict: " in title.text:
            assert title.select("a[href*='14_claims.html#'] code") and len(title.select(".verdict")) == 1, title


def test_the_site_is_light():
    """On disk: pages and what they load, and beside them what one can download. Nothing is for the theme's authors."""
    if not SITE.is_dir():
        pytest.skip("there is no built site: `make book`")
    files = [path for path in SITE.rglob("*") if path.is_file()]
    downloads = [path for path in files if path.is_relative_to(SITE / "notebooks")]
    weight, carried = (sum(path.stat().st_size for path in some) for some in (files, downloads))
    assert weight - carried < 15e6 and carried < 7e6
    assert [path.name for path in files if path.suffix == ".map"] == []


def test_no_formula_has_letters_whose_font_was_left_out():
    written = [path for folder in ("chapters", "book", "assignments", "lib") for path in (ROOT / folder).rglob("*")
               if path.suffix in (".md", ".yml", ".py") and "_build" not in path.parts]
    assert len(written) > 300
    asked = re.compile(rf"\\(?:math|text)?(?:{'|'.join(site_extension.NO_LETTERS.values())})\b")
    assert [path.name for path in written if asked.search(path.read_text(encoding="utf-8"))] == []
    assert all(asked.search(f"${command}{{x}}$") for command in (r"\mathsf", r"\mathfrak", r"\texttt", r"\boldsymbol"))


def test_the_icons_of_a_page_are_there(page):
    """Most of two thousand are left out. A class ``fa-`` of style or size names none."""
    drawn = SITE / "_static/scripts/fontawesome.js"
    found = list(site_extension.ICON.finditer(drawn.read_text(encoding="utf-8")))
    known = {name for icon in found for name in (icon["name"], *site_extension.ALIAS.findall(icon["aliases"]))}
    asked = {name.removeprefix("fa-") for tag in soup(page).find_all("i") for name in tag.get("class", [])
             if name.startswith("fa-")}
    assert asked - known <= {"solid", "regular", "brands", "lg"} and len(found) < 100


def test_a_folded_cell_says_what_it_holds(page):
    lids = [lid.get_text(" ", strip=True) for lid in soup(page).select("details.hide > summary")]
    assert [lid for lid in lids if not re.match(r"Show the (code|imports)\b", lid)] == []


def test_images_have_alternative_texts(page):
    """A file's name, which is what an output gets that was given no text, does not count."""
    images = soup(page).select("main img, article img")
    bare = [image.get("src") for image in images
            if not image.get("alt", "").strip() or re.search(r"\.(png|svg|jpe?g)$", image["alt"])]
    assert bare == []
