"""Where the built site lies, and its pages."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "book" / "_build" / "html"
SCREENSHOTS = ROOT / "build" / "screenshots"
FRONT_DOOR = SITE / "index.html"  # no page: it sends the reader on to the landing page
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html")
               if path != FRONT_DOOR and "_static" not in path.parts)
