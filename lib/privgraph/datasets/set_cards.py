"""A card for every set of graphs with classes, as ``cards`` has one for every single graph."""

from dataclasses import dataclass

from .cards import card_of


@dataclass(frozen=True)
class SetCard:
    """Facts about a set of graphs. ``file`` is what ``PRIVGRAPH_DATA`` must hold for it; None: it is generated.

    ``sha256`` is ``graph_sets.fingerprint_of``; a generated set has none, as torch may change its random numbers.
    ``private`` says what in it would be, ``printed`` what the dissertation calls it: of a generated set nothing, as it
    never stands for the published one.

    :param title: as a reader sees it.
    :param source: where it was published.
    :param licence: of the data.
    :param remark: what else is to be known.
    """

    name: str
    title: str
    private: str
    source: str
    licence: str
    file: str | None = None
    sha256: str | None = None
    remark: str = ""
    printed: tuple[str, ...] = ()


INVENTED = "nothing: every graph is invented"
NO_LICENCE = "none stated for the data"
OURS = "MIT"

_ALL = [
    SetCard("triangles-sample", "TRIANGLES, the sample of 2,010 graphs with 1 to 10 triangles", INVENTED,
            "Knyazev, Taylor and Amer (2019); sample and classes of Chauhan, Nathani and Kaul (2020)", NO_LICENCE,
            file="triangles_fewshot.npz",
            sha256="5c3ebbe5dc3002b0b63a28ee77c94c4f620a041a7c99d7cc5dd7cb9f18308dea", printed=("TRIANGLES",),
            remark="the dissertation prints 2,000 graphs of 20.85 nodes and 35.50 edges; these have 15.08 and 24.55"),
    SetCard("letter-high", "Letter-High, fifteen letters of straight lines drawn badly", INVENTED,
            "Riesen and Bunke (2008); classes of Chauhan, Nathani and Kaul (2020)",
            "ECL-2.0 (of the repository)", file="letter_high.npz",
            sha256="b0403fefbce5c0e3e9d4497cc8158f5f887591438eb4e9ac09d6a0e86ecea53f", printed=("Letter-High",),
            remark="classes are the file's own numbers; ``LETTERS`` names those of the generated letters only"),
    SetCard("amazon-clothing", "Neighbourhoods of goods that were looked at together",
            "what a shopper looked at, which can expose habits and needs",
            "McAuley, Pandey and Leskovec (2015); network of Ding et al. (2020); our neighbourhoods", NO_LICENCE,
            file="amazon_clothing_partial.npz",
            sha256="03ee6f5bb739dfa0662d2e8d7cf0a0c26662a8933d5e5fe1091eedcb45855c70",
            remark="our own choice of graphs, from the 20 of 77 kinds of goods whose words are at hand; the "
                   "dissertation's 2,000 graphs are not published"),
    SetCard("triangles", "Generated graphs with 1 to 10 triangles", INVENTED, "graph_sets/triangle_graphs.py", OURS),
    SetCard("letters", "Generated drawings of fifteen letters", INVENTED, "graph_sets/letter_graphs.py", OURS),
    SetCard("neighbourhoods-twin", "Neighbourhoods in a generated shop", INVENTED, "graph_sets/shop_network.py", OURS),
    SetCard("neighbourhoods-small", "Fewer neighbourhoods in the same shop", INVENTED, "graph_sets/shop_network.py",
            OURS, remark="20 graphs of each class, for chapters"),
]

SETS = {card.name: card for card in _ALL}
PRINTED_SETS = {name: card.name for card in _ALL for name in card.printed}  # the name in a table -> that of the card


def set_card(name: str) -> SetCard:
    """The card of a named set of graphs.

    :raises ValueError: for a name of no set.
    """
    return card_of(SETS, name, "set of graphs", "GraphSet makes one of your own graphs")
