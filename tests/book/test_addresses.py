"""Addresses come from one setting: no file says another one, and nothing leads to nowhere while there is none."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import addresses
from addresses import Addresses

ROOT = addresses.ROOT
PUBLIC = Addresses("https://github.com/a/b.c", "main", "https://a.example/b/")
# Where somebody's repository, site or launch button is, whatever the scheme before it.
HOST = re.compile(r"(github\.com|githubusercontent\.com|github\.io|mybinder\.org|colab\.research\.google\.com)(?=[/:])")
# Other people's graphs; tests' own examples; and where addresses are made from the setting.
ELSEWHERE = re.compile(r"lib/privgraph/datasets/|tests/|tools/addresses\.py$|_config\.yml$")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def saying(name: str, text: str, known: Addresses) -> list[str]:
    """The lines of a file that say an address which does not come from the setting."""
    own = [address.removeprefix("https://") for address in (known.repository, known.site) if address]
    if not HOST.search(text) and not any(address in text for address in own):
        return []
    lines = addresses.REGION.sub("", text).splitlines()
    return [f"{name}: {line.strip()}" for line in lines
            if HOST.search(line) and not ELSEWHERE.match(name) or name != "_config.yml" and any(a in line for a in own)]


def test_files_say_the_addresses_of_the_setting():
    for path, text in addresses.expected(addresses.setting()).items():
        assert addresses.REGION.search(text), f"{path.name} has no place for addresses"
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make sync`"


def test_no_other_file_says_an_address():
    known, found = addresses.setting(), []
    for name in tracked():
        try:
            found += saying(str(name), (ROOT / name).read_text(encoding="utf-8"), known)
        except UnicodeDecodeError:
            continue  # a graph, or a picture
    assert found == []


@pytest.mark.parametrize("name, line", [
    ("README.md", "[![Binder](https://mybinder.org/badge_logo.svg)](x)"), ("chapters/01_x.md", "https://a.github.io/b"),
    ("book/intro.md", "git clone git@github.com:a/b"), ("lib/privgraph/datasets/cards.py", "https://github.com/a/b.c"),
    ("tests/x.py", "at https://a.example/b/chapters"), (".github/workflows/book.yml", "url: https://a.example/b/")])
def test_an_address_written_by_hand_would_be_found(name, line):
    assert saying(name, f"before\n{line}\nafter", PUBLIC) == [f"{name}: {line}"]
    assert saying("lib/privgraph/datasets/cards.py", "https://github.com/others/graphs", PUBLIC) == []
    assert saying("README.md", f"<!-- Addresses: -->\n{line}\n<!-- End of addresses -->", PUBLIC) == []


def test_without_an_address_nothing_leads_there():
    nothing = Addresses()
    assert (nothing.launches("08_x"), nothing.badges(), nothing.urls()) == ({}, "", "")
    readme, package = addresses.expected(nothing).values()
    assert not HOST.search(readme) and "urls" not in tomllib.loads(package)["project"]


def test_with_an_address_all_is_made_from_it():
    assert PUBLIC.launches("08_x") == {
        "Binder": "https://mybinder.org/v2/gh/a/b.c/main?urlpath=lab/tree/chapters/08_x.md",
        "source": "https://github.com/a/b.c/blob/main/chapters/08_x.md"}
    readme, package = addresses.expected(PUBLIC).values()
    assert "(https://github.com/a/b.c/actions/workflows/book.yml/badge.svg?branch=main)" in readme
    assert "(https://mybinder.org/v2/gh/a/b.c/main)" in readme and "(https://a.example/b/)" in readme
    assert tomllib.loads(package)["project"]["urls"] == {"Documentation": PUBLIC.site, "Repository": PUBLIC.repository}
    assert "/gh/a/b/new%2Fone?" in Addresses("https://github.com/a/b", "new/one").binder("x")


@pytest.mark.parametrize("wrong", [dict(repository="https://github.com/a/b/"), dict(repository="git@github.com:a/b"),
                                   dict(repository="OWNER/NAME"), dict(site="a.example"), dict(site="https://a.example")])
def test_an_address_that_would_make_broken_links_is_refused(wrong):
    with pytest.raises(SystemExit, match="in _config.yml must be"):
        Addresses(**wrong)


def test_the_theme_offers_no_buttons_of_its_own():
    """They would lead to the theme's default repository, and copy sources with solutions into the site."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert "launch_buttons" not in config and not [name for name in config["html"] if name.endswith("_button")]
