"""Where the book can be had, from one setting: ``repository`` and ``html: baseurl`` in _config.yml.

From it come the links of pages to Binder and to their source, the badges of README.md, and the addresses of the
package; while it is empty there are none, as a link to nowhere is worse. `make sync` writes the two files, between
their lines "Addresses" and "End of addresses"; a test compares them, and finds any other place that says an address.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = "book.yml"
REGION = re.compile(r"(^[^\n]*\bAddresses: [^\n]*\n)(.*?)(^[^\n]*\bEnd of addresses\b)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Addresses:
    """Of the repository and of the published site; "" for what is not public yet."""

    repository: str = ""
    branch: str = "main"
    site: str = ""

    def __post_init__(self):
        if not re.fullmatch(r"(https://github\.com/[\w-]+/[\w.-]*[\w-])?", self.repository):
            sys.exit(f"repository: url in _config.yml must be https://github.com/OWNER/NAME or empty, "
                     f"got {self.repository!r}")
        if not re.fullmatch(r"(https://\S+/)?", self.site):
            sys.exit(f"html: baseurl in _config.yml must be https://.../ or empty, got {self.site!r}")

    def binder(self, path: str = "") -> str:
        """Where a file of the repository opens in a JupyterLab that somebody else runs."""
        owner_and_name = self.repository.removeprefix("https://github.com/")
        opened = f"?urlpath=lab/tree/{path}" if path else ""
        return f"https://mybinder.org/v2/gh/{owner_and_name}/{quote(self.branch, safe='')}{opened}"

    def launches(self, chapter: str) -> dict[str, str]:
        """Text -> address of where else a chapter can be run or read."""
        path = f"chapters/{chapter}.md"
        return {"Binder": self.binder(path), "source": f"{self.repository}/blob/{self.branch}/{path}"
                } if self.repository else {}

    def badges(self) -> str:
        """What README.md shows below its title."""
        workflow = f"{self.repository}/actions/workflows/{WORKFLOW}"
        found = [f"[![Tests and book]({workflow}/badge.svg?branch={quote(self.branch, safe='')})]({workflow})",
                 f"[![Binder](https://mybinder.org/badge_logo.svg)]({self.binder()})"] if self.repository else []
        found += [f"[Read the book]({self.site})"] if self.site else []
        return "\n".join(found) + "\n" if found else ""

    def urls(self) -> str:
        """The table of pyproject.toml that package indexes show."""
        found = {"Documentation": self.site, "Repository": self.repository}
        lines = [f'{name} = "{address}"' for name, address in found.items() if address]
        return "\n".join(["[project.urls]", *lines]) + "\n" if lines else ""


def setting(config: Path = ROOT / "_config.yml") -> Addresses:
    found = yaml.safe_load(config.read_text(encoding="utf-8"))
    return Addresses(found["repository"]["url"], found["repository"]["branch"], found["html"]["baseurl"])


def expected(addresses: Addresses) -> dict[Path, str]:
    """Path -> text of each file that says addresses, with those of the setting."""
    return {path: REGION.sub(lambda found, said=said: found[1] + said + found[3], path.read_text(encoding="utf-8"))
            for path, said in ((ROOT / "README.md", addresses.badges()), (ROOT / "pyproject.toml", addresses.urls()))}


def main() -> None:
    for path, text in expected(setting()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
