"""Measures the prose of the book: one line a page, and exit status 1 where a page is over a limit.

    python3 tools/prose.py                      # chapters/*.md and book/*.md of the folder it is run in
    python3 tools/prose.py chapters/02_*.md     # some pages (Markdown, or notebooks, to measure other books)
    python3 tools/prose.py --show 11_server     # what counts against these pages: sentences, words, captions, links

Standard library only. What is measured is sentences: no code, tables, formulas, headings, front matter; a formula, a
name in code and a glued number count as one word each.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

# What a page may have: where nine of ten pages of well-written textbooks lie.
LIMITS = {"short": 9.0,      # % of sentences with fewer than SHORT words, at most
          "so": 3.5,         # % of sentences that begin with So, And or But, at most
          "start": 14.0,     # % of sentences that begin with So, And, But, It or This, at most
          "median": (13, 20),  # words of the median sentence
          "long": 5.0,       # % of sentences with more than LONG words, at most
          "colon": 12.0,     # % of sentences with a colon or a semicolon inside, at most
          "why": 5.0,        # because, however, for example, ... (REASONS) in a thousand words, at least
          "what": 4.0,       # "what" in a thousand words, at most: it stands where a noun should
          "she": 4.0,        # she, her, he, his, him in a thousand words, at most
          "house": 0,        # words of the house (HOUSE)
          "capt": 0,         # captions without a verb, of two sentences, or (where there are axes) without a number
          "link": 0}         # links in sentences whose text has more than LINK words
SHORT, LONG, LINK = 6, 40, 6
SPARE = 1                    # a page may be over so many of the shares, as five of six pages of good textbooks are
STRICT = ("house", "capt", "link")  # but over none of these
FEW = 25                     # pages with fewer sentences are judged by words, captions and links alone

SO = re.compile(r"(?:So|And|But)\b")
STARTS = re.compile(r"(?:So|And|But|It|This)\b")
PEOPLE = re.compile(r"\b(?:she|her|hers|herself|he|his|him|himself)\b", re.IGNORECASE)
REASONS = re.compile(r"\b(?:because|since|although|though|however|therefore|thus|hence|whereas|for example|for instance"
                     r"|such as|e\.g\.|that is|i\.e\.|in other words|in contrast|in particular)(?!\w)", re.IGNORECASE)
HOUSE = {                    # the word of the house: what the field says
    r"(?<!fair )(?<!flip )\bcoins\b": "randomness, seeds, random bits (fair coins, if coins are flipped)",
    r"\blaws?\b(?! of large)": "distribution",
    r"\b(?:a|the|that|this|no|all|of|another|each|every|only) turns?\b(?! of (?:events|phrase))": "rotation",
    r"\bthe text\b(?! (?:box|above|below|from above|that we have))|\btext's\b": "the dissertation, the paper",
    r"\b(?:hears?|heard)\b": "receives",
    r"\bspeaks? (?:of|for)\b": "covers, refers to, holds for",
    r"\b(?:tells?|told) (?:nothing |little |something |much )?of\b": "reveals (about)",
    r"\b(?:people|one|her|their)(?:'s|s')? own hands\b|\bpeople's hands\b": "leaves the device, is sent",
    r"\bby lot\b": "at random",
    r"\bmend(?:s|ed|ing)?\b": "repair, fix",
    r"\bbites?\b": "has an effect, detects",
    r"\bshak(?:e|es|en|ing)\b": "perturb",
    r"\bimpostors?\b": "control",
    r"\bdoors?\b": "channel, interface",
    r"\bthe (?:judge|floor)\b": "the selection criterion; the baseline",
    r"\bheaps?\b": "unit of mass",
    r"\bmirrors?\b": "reflection",
    r"\bstretch(?:es)?\b": "scaling, singular value",
    r"(?<!standard )(?<!absolute )\bdeviations?\b": "standard deviation",
    r"\bmean (?:squared )?way\b": "mean (squared) distance",
    r"\b(?:at|of|its|with) (?:the |equal |same )*use\b(?! of)|\bmore use\b(?! of)|\bequal use\b": "utility",
    r"\b(?:can|could|to|is|are) (?:all )?(?:be )?had\b": "available, achievable, obtained",
    r"\bas it came\b|\bas they came\b": "unchanged, without alignment",
    r"\bnamed rightly\b|\bname(?:s|d)? (?:graphs|every graph|people's classes|the class|the classes)\b":
        "classify, predict",
    r"\b(?:both|two) worlds\b": "both inputs, both data sets",
    r"\bwith(?:out)? a look\b|\banother look\b": "without using, without access to",
    r"\b(?:numbers?|rows?|bits?|lines?|folds?|layers?|values|columns?|seeds?|words|reports?|fields?|terms?|classe?s?"
    r"|sums?|minutes|epochs?|friends?) an? (?:person|round|row|cell|label|column|minute|run|client|friend|pair|user"
    r"|page|graph|seed)\b(?! ha[sd])": "per",
    r"^Who(?:ever)?\b[^?]*$": "anyone who, a user who (a sentence does not begin with a free relative)"}

# No parser of English: a caption must hold one of these. Add the verb that is missing.
VERB = re.compile(r"\b(?:" + "|".join("""
    is are was were has have had does do did can cannot could may might must will would should hardly
    falls? rises? stays? keeps? lies? grows? drops? shrinks? reach(?:es)? exceeds? needs? leaks? moves? makes? lowers?
    raises? bounds? hides? tells? shows? gives? takes? gains? loses? wins? beats? costs? bends? meets? follows?
    separates? overlaps? matters? helps? hurts? identif(?:y|ies) reveals? finds? adds? removes? becomes? remains?
    depends? differs? agrees? ends? starts? crosses crossed doubles? halves saves? sees? knows? fails? holds? works?
    leaves? brings? smooths? covers? carries carry protects? scores? pulls? regains? recovers? changes?
""".split()) + r"|\w+n't)\b")
AXES = re.compile(r"[xy]label|imshow|show\.band|\.barh?\(|\.errorbar\(|set_xlabel")

DROPPED = {"code-cell", "code", "code-block", "csv-table", "image", "button-ref", "math", "toctree", "list-table",
           "figure", "eval-rst", "bibliography"}
FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})\s*(?:\{([^}]*)\})?\s*(.*)$")
FORMULA = re.compile(r"\s*\$\$(.*?)\$\$(?:[ \t]*\([\w-]+\))?\s*", re.DOTALL)
ABBREVIATED = re.compile(r"\b(e\.g|i\.e|eq|eqs|fig|figs|cf|etc|vs|al|dr|prof|sec|ch|resp|approx|mr|ms|st)\.",
                         re.IGNORECASE)
END = re.compile(r"(?<=[.?!])([\"”’')\]*_]*)\s+(?=[\"“‘'(\[*_]*[A-Z0-9])")


def source(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def without_fences(text: str) -> str:
    """Without code, and without the lines that open and close a directive, or set its options."""
    kept, open_fences, dropping = [], [], None
    for line in text.split("\n"):
        match = FENCE.match(line)
        mark = match and match[1]
        bare = match and not match[2] and not match[3].strip()
        if dropping:
            if bare and mark.startswith(dropping):
                dropping = None
        elif bare and open_fences and open_fences[-1] == mark:
            open_fences.pop()
            kept.append("")
        elif match and mark[0] != ":" and (not match[2] or match[2] in DROPPED or match[2].startswith((".", "/"))):
            dropping = mark
            kept.append("")
        elif match:
            open_fences.append(mark)
            kept.append("")
        elif not re.match(r"^\s*:[\w-]+:(?:\s|$)", line):
            kept.append(line)
    return "\n".join(kept)


def title(page: Path, target: str) -> str:
    """The heading that Sphinx prints for a link without a text of its own."""
    found = page.parent / f"{target}.md"
    heading = found.exists() and re.search(r"^# (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1] if heading else Path(target).name.replace("_", " ")


def links(text: str, page: Path) -> list[str]:
    """What a reader sees of each link that stands in a sentence."""
    seen = [title(page, target) if target else shown.strip()
            for shown, target in re.findall(r"\{doc\}`(?:([^`<]+)<[^`>]+>|([^`<]+))`", text)]
    seen += [shown.strip() for shown in re.findall(r"\{ref\}`([^`<]+)<", text)]
    return seen + re.findall(r"(?<!!)\[([^\]\[]+)\]\([^)\s]+\)", text) + re.findall(r"<a [^>]*>([^<]+)</a>", text)


def plain(text: str) -> str:
    """Roles, links and formulas as the words they stand for."""
    text = FORMULA.sub(lambda match: " X. " if match[1].strip().endswith(".") else " X ", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>\n]+>", " ", text)
    text = re.sub(r"\{glue:text\}`[^`]*`", "7", text)
    text = re.sub(r"\{cite(?::\w)?\}`[^`]*`|:(?:cite|citet|label|eqlabel|width|begin_tab|end_tab)\w*:`[^`]*`", "", text)
    text = re.sub(r"\{doc\}`[^`<]+`|\{(?:prf:)?ref\}`[^`<]+`|\{eq\}`[^`]*`|:\w+:`[^`]*`|\{\{[^}]*\}\}", "Page", text)
    text = re.sub(r"\{[\w:]+\}`([^`<]+)(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]\[]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``[^`]*``|`[^`]*`", "Code", text)
    text = re.sub(r"(?<![\\$])\$(?:\\.|[^$\\])+\$", "X", text)
    return re.sub(r"\s+([.,;:?!])", r"\1", re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", text))


def paragraphs(text: str) -> list[str]:
    """Blocks of running text, without headings, tables, comments, labels."""
    text = re.sub(r"\A---\n.*?\n---\n|<!--.*?-->", "", text, flags=re.DOTALL)
    text = FORMULA.sub(lambda match: " " + match[0].strip() + "\n", without_fences(text))
    found, block = [], []
    for line in [*text.split("\n"), ""]:
        item = re.match(r"^\s*(?:[-*+]|\d+\.|\(\w\))\s+", line)
        if not line.strip() or re.match(r"^\s*(?:#|%|\||>|\([\w-]+\)=$)", line) or item or (
                block and line[:2] == "  " and block[-1][:2] != "  " and not re.match(r"^\s*[-*+\d]", block[0])):
            found.append("\n".join(block))
            block = []
        if line.strip() and not re.match(r"^\s*(?:#|%|\||\([\w-]+\)=$)", line):
            block.append(line)
    return [one for one in found if one.strip()]


def sentences(text: str) -> list[str]:
    found = []
    for block in paragraphs(text):
        if re.match(r"^\W*(?:You need|Further reading)\b", block):
            continue
        block = re.sub(r"^\s*(?:[-*+>]|\d+\.|\(\w\))\s+", "", block)
        block = re.sub(r"^\*?\*\*[^*]+[.:?]\*\*|^\*\(With a checker\.\)\*", "", block.strip())
        block = ABBREVIATED.sub(lambda match: match[0][:-1] + "\0", " ".join(plain(block).split()))
        parts = re.sub(END, lambda match: match[1] + "\n", block).split("\n")
        found += [one.replace("\0", ".") for one in (part.strip() for part in parts)
                  if re.search(r"[.?!:][\"”’')\]]*$", one) and re.match(r"[\"“‘'(\[]*[A-Z0-9]", one)]
    return found


def words(sentence: str) -> int:
    return len(re.findall(r"[^\W_][\w'’.,%-]*", sentence))


def faults_of_captions(text: str) -> list[str]:
    found = []
    figure = re.compile(r"^% Figure: ([^\n]*)\n(`{3,}\{code-cell\}.*?^`{3,}$)", re.MULTILINE | re.DOTALL)
    for caption, cell in figure.findall(text):
        faults = ["no verb"] * (not VERB.search(caption))
        faults += ["no number"] * bool(AXES.search(cell) and not re.search(r"\d|glue:text", caption))
        faults += ["two sentences"] * bool(END.search(caption))
        if faults:
            found.append(f"{caption} ({', '.join(faults)})")
    return found


def look(page: Path) -> tuple[dict, dict[str, list[str]]]:
    """The figures of a page, and what counts against it."""
    text = source(page)
    found = sentences(text)
    lengths = [words(one) for one in found]
    n, total = max(1, len(found)), max(1, sum(lengths))
    inside = re.compile(r"[:;](?=\s+\S)")
    seen = {"short": [one for one, length in zip(found, lengths, strict=True) if length < SHORT],
            "so": [one for one in found if SO.match(one)],
            "start": [one for one in found if STARTS.match(one)],
            "long": [one for one, length in zip(found, lengths, strict=True) if length > LONG],
            "colon": [one for one in found if inside.search(one)],
            "house": [
                f"{match[0][:40]!r} -> {instead}: {one[:90]}" for pattern, instead in HOUSE.items() for one in found
                for match in re.finditer(pattern, one, re.IGNORECASE if pattern[0] != "^" else 0)],
            "capt": faults_of_captions(text),
            "link": [one for block in paragraphs(text) for one in links(block, page) if len(one.split()) > LINK]}
    figures = {"page": page.stem, "n": len(found), "median": statistics.median(lengths) if lengths else 0}
    figures |= {name: 100 * len(seen[name]) / n for name in ("short", "so", "start", "long", "colon")}
    joined = " ".join(found)
    figures |= {name: 1000 * len(pattern.findall(joined)) / total for name, pattern in
                (("why", REASONS), ("what", re.compile(r"\bwhat\b", re.IGNORECASE)), ("she", PEOPLE))}
    return figures | {name: len(seen[name]) for name in STRICT}, seen


def over(figures: dict) -> list[str]:
    """The names of the limits that a page breaks."""
    found = []
    for name, limit in LIMITS.items():
        value = figures[name]
        if figures["n"] < FEW and name not in STRICT:
            continue
        low, high = limit if isinstance(limit, tuple) else (limit, 1e9) if name == "why" else (0, limit)
        if not low <= round(value, 1) <= high:
            found.append(name)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("pages", nargs="*", help="files; none: chapters/*.md and book/*.md")
    parser.add_argument("--show", action="store_true", help="print what counts against the pages")
    given = parser.parse_args()
    every = [page for folder in ("chapters", "book") for page in sorted(Path(folder).glob("*.md"))]
    pages = [Path(name) for name in given.pages] or every
    pages = [page if page.suffix else Path("chapters") / f"{page.name}.md" for page in pages]
    columns = ["n", *LIMITS]
    print(f"{'page':34}" + "".join(f"{name:>7}" for name in columns) + "  over")
    bad = 0
    for page in pages:
        figures, seen = look(page)
        names = over(figures)
        fails = any(name in STRICT for name in names) or len(names) > SPARE
        bad += fails
        whole = ("n", "median", *STRICT)
        cells = (f"{figures[name]:>7.{0 if name in whole else 1}f}" for name in columns)
        print(f"{page.stem[:33]:34}" + "".join(cells) + ("  FAILS " if fails else "  ") + " ".join(names))
        if given.show:
            for name, all_seen in seen.items():
                print(*(f"    {name}: {one}" for one in all_seen), sep="\n", end="\n" * bool(all_seen))
    print(f"{bad} of {len(pages)} pages fail")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
