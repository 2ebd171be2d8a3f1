"""Text that somebody else wrote, made fit for a page: it may have mathematics and code, but never HTML.

Pages are rendered by MyST, where ``<`` can begin HTML and ``{`` a role or a template, both of which can run code. A
graph's name comes out of a file, a witness out of a test. So what is no whole `` `code` `` and no whole ``$formula$``
loses its special characters to entities (``&lt;``), which are shown as they were written and begin nothing.
"""

import re

TOKEN = re.compile(r"""
    \\(?P<escaped>[!-/:-@\[-`{-~])                      # a backslash that takes a character as it is
  | (?P<fence>`+)(?!`)(?P<code>.+?)(?<!`)(?P=fence)(?!`)
  | \$(?P<formula>(?:\\.|[^$`\\])+)\$
  | (?P<special>[<{`$]|!(?=\[))                         # HTML, a role, code or a formula that never ends, a picture
""", re.VERBOSE)
# TeX that MathJax turns into links, classes or styles of the page, or that loads more of MathJax.
PAGE_MACROS = re.compile(r"\\(href|class|style|cssId|data|require)(?![a-zA-Z])")


def entity(character: str) -> str:
    return f"&#{ord(character)};"


def inline(text: str) -> str:
    """One line of Markdown in which only emphasis, code and mathematics mean anything; twice does what once does."""
    return TOKEN.sub(_shown, " ".join(str(text).split()))


def _shown(token: re.Match) -> str:
    if token["code"]:
        pieces = re.split(r"(<|\{(?=\{))", token["code"])
        return "".join(entity(piece) if piece in ("<", "{") else token["fence"] + piece + token["fence"]
                       for piece in pieces if piece)
    if token["formula"]:
        return "$" + PAGE_MACROS.sub(r"\\mathrm{\1}", token["formula"].replace("<", r"\lt ").replace("{{", "{ {")) + "$"
    return entity(token["escaped"] or token["special"])


def plain(text: str) -> str:
    """A name: every character is shown as it is, and none means anything."""
    return re.sub(r"[^\w\s.,()/%+-]|_", lambda special: entity(special[0]), " ".join(str(text).split()))


def code(text: str) -> str:
    """A name as code."""
    return inline("`" + str(text).replace("`", "'") + "`")
