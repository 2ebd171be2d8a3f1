"""A card for every graph: where it comes from, what is in it, and what in it would be private."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """Facts about a graph. ``edges`` counts undirected edges; ``sha256`` is ``datasets.fingerprint``; where
    what is published has more digits than the copy that was read, ``structure`` and ``sums`` are of that copy, too
    (``fingerprints``).

    ``feature_range`` are public bounds, known from what a feature *is*, and ``classes`` is a public number;
    ``files`` are where PyG gets it, used only when the user asks for a download, which must have this ``sha256``.
    One rule says what of the features was computed from all people's records together. What the *columns* stand for,
    which words or categories there are, is taken as public, as all papers take it: ``columns`` says how it came about,
    and where it was read off these data nothing here protects somebody's only word. ``unaccounted`` are *values*
    computed from other people's records too (TF-IDF, a scale), or edges computed from features: no guarantee covers
    them, and every release repeats them. ``printed`` are the names that papers print in their tables for this graph.

    :param title: as a reader sees it.
    :param nodes: how many.
    :param features: how many columns.
    :param private: what in it would be private.
    :param source: where it was published.
    :param licence: of the data.
    :param remark: what else is to be known.
    """

    name: str
    title: str
    nodes: int
    edges: int
    features: int
    classes: int
    private: str
    source: str
    licence: str
    feature_range: tuple[float, float] = (0.0, 1.0)
    sha256: str | None = None
    structure: str | None = None
    sums: tuple[float, ...] | None = None
    files: tuple[str, ...] = ()
    remark: str = ""
    columns: str = ""
    unaccounted: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()

    @property
    def stated(self) -> dict:
        """What ``make_data`` must be told and may not read off the data."""
        return {"feature_range": self.feature_range, "num_classes": self.classes, "unaccounted": self.unaccounted}


def planetoid(name: str) -> tuple[str, ...]:
    """The addresses of the files that make up a graph of Planetoid."""
    folder = "https://github.com/kimiyoung/planetoid/raw/master/data"
    return tuple(f"{folder}/ind.{name}.{part}" for part in ("allx", "tx", "ally", "ty", "graph", "test.index"))


AMAZON = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/amazon_electronics_{}.npz"
PLANETOID = "Yang, Cohen and Salakhudinov (2016), from the citation data of Sen et al. (2008)"
CITATIONS = "in a citation network nothing is secret; read papers as people and citations as contacts"
SHOP = "which goods are bought together, which can expose a shopper's habits"
NO_LICENCE = "none stated for the data"
EDGES = "the edges: built from the similarity of the features"
CATEGORIES = "one for each category that occurs in the data, as RGNN's loader makes them, and for each bin of a number"
WORDS = "one for each word of a vocabulary made from the texts of these nodes"
FREQUENT = f"{WORDS}: without stop words, and without words that occur in fewer than ten papers"
TF_IDF = "the values of the features: TF-IDF, so each person's numbers hold how many others use her words"
DENSE = ("the values of the features: 128 numbers in place of words, by a reduction (not documented) "
         "that was fitted to all")
SIMILAR = "The edges are built from the similarity of the features, so publishing the graph leaks them"
RGNN_EDGES = "edges of Bhaila, Wu and Wu (2022), as RGNN ships them"
STUDENTS = ("who is whose friend, and a student's status, gender, major, dormitory, year and school. They are real "
            "people of 2005, whose names were taken out, which makes nobody anonymous: show numbers, and no person")
FACEBOOK = "Traud, Mucha and Porter (2012), Facebook100"
ATTRIBUTES = ("one for each value that occurs of seven attributes; the class year, which is the label, is one of "
              "them, so it stands in the features too")
RGNN_BINS = "RGNN writes of quantiles; its loader cuts numbers at fixed points and makes a 0/1 column of every category"

_ALL = [
    Card("cora", "Cora, papers on machine learning", 2708, 5278, 1433, 7, CITATIONS, PLANETOID, NO_LICENCE,
         sha256="a4851934c9845e6f791220fd4ef5d6cf34a24de3a0d1f3bf6ea5d9026571be27",
         files=planetoid("cora"), columns=FREQUENT, printed=("Cora",)),
    Card("citeseer", "Citeseer, papers in computer science", 3327, 4552, 3703, 6, CITATIONS, PLANETOID, NO_LICENCE,
         sha256="c6d1b2136cdf643e59ede75283654c9f84b7211f9346eb2ceab257278a4405d0",
         files=planetoid("citeseer"), columns=FREQUENT,
         remark="48 isolated nodes; 15 of them have neither words nor a label of their own (they are given class 0)",
         printed=("Citeseer",)),
    Card("pubmed", "PubMed, papers on diabetes", 19717, 44324, 500, 3, CITATIONS, PLANETOID, NO_LICENCE,
         sha256="c06c6624f86a4beac242f10f1d511613581c20a1a85249177ac8846eb42601a7",
         files=planetoid("pubmed"), columns=WORDS, unaccounted=(TF_IDF,),
         structure="69ff5f0fbc6adcdaf72c7b65b66abef376d7d7830ef761831483fbd4481c95ac",
         sums=(38716.2950, -54.2860, 43.7007, -38.2343, -29.7702, 10.2510),
         remark="TF-IDF weights; 4 of 988,031 exceed 1 and are clamped. Most were read off a copy with six digits: "
                "Planetoid's own files count as this graph if all else is equal", printed=("PubMed",)),
    Card("facebook-pages", "Facebook pages that like each other", 22470, 170823, 4714, 4,
         "which page likes which, and what its description says",
         "Rozemberczki, Allen and Sarkar (2021)", "GPL-3.0 (of the repository)",
         sha256="ef37e404811b6e8a45919c9e4f63440bd80ffbc55db277cb14aeb94b65ef768b", columns=WORDS,
         remark="papers print 170,912 edges, which counts each of 179 self loops as half an edge",
         printed=("Facebook",)),
    Card("facebook-pages-128", "Facebook pages, with 128 dense features", 22470, 170823, 128, 4,
         "as facebook-pages", "Rozemberczki, Allen and Sarkar (2021), as PyG ships it", "GPL-3.0 (of the repository)",
         feature_range=(-10.0, 10.0), columns="none has a meaning of its own", unaccounted=(DENSE,),
         remark="another graph than the papers' (4,714 words); its feature bounds are a generous guess. We have no "
                "hash to check a download against"),
    Card("amazon-photo", "Amazon Photo, goods bought together", 7650, 119081, 745, 8, SHOP,
         "Shchur et al. (2018)", NO_LICENCE,
         sha256="6094d47e78ffa6fbb9e53de62be948b247b512be6cbbfb25de626264e6a0cc25",
         files=(AMAZON.format("photo"),), remark="115 isolated nodes", columns=WORDS, printed=("Amazon Photo",)),
    Card("amazon-computers", "Amazon Computers, goods bought together", 13752, 245861, 767, 10, SHOP,
         "Shchur et al. (2018)", NO_LICENCE,
         sha256="2579acd1289431ab6a9c433924dc7e6c517cf22f8dea730a7afda3dab74db84e",
         files=(AMAZON.format("computers"),), remark="281 isolated nodes", columns=WORDS, printed=("Amazon",)),
    Card("dblp", "DBLP, papers in computer science", 17716, 52867, 1639, 4, CITATIONS,
         "Bojchevski and Günnemann (2018)", NO_LICENCE,
         sha256="0148aa59eecc31fd29e4cdd481c7eaf1a8f8faa5928d475a1b5cdd601008e4d0",
         files=("https://github.com/abojchevski/graph2gauss/raw/master/data/dblp.npz",), columns=WORDS,
         printed=("DBLP",)),
    Card("german-rgnn", "German credit, applicants joined to similar ones", 955, 9990, 46, 2,
         f"a bank client's money, job, household and loan, and whether she was a good customer. {SIMILAR}",
         f"table of Hofmann (1994); {RGNN_EDGES}", NO_LICENCE,
         sha256="d286647d63fb1ff8d274075841ec7c8b045f4c98683e565a8e855bf65b7b7ddb",
         remark=f"the paper prints 9,900 edges, the file holds 9,990. {RGNN_BINS}", columns=CATEGORIES,
         unaccounted=(EDGES,), printed=("German",)),
    Card("student-rgnn", "Pupils of two Portuguese schools joined to similar ones", 577, 4243, 60, 2,
         f"a pupil's family, habits and earlier marks, and the final grade. {SIMILAR}",
         f"table of Cortez and Silva (2008); {RGNN_EDGES}", NO_LICENCE,
         sha256="2ba2589a4f8276564ba7a4c8da0c371e3955813831a4152057e6b318cfb3c8b5", remark=RGNN_BINS,
         columns=CATEGORIES, unaccounted=(EDGES,), printed=("Student",)),
    Card("credit-nifty", "Credit card clients joined to similar ones", 30000, 137377, 13, 2,
         f"a client's age, schooling, bills and payments, and whether she failed to pay. {SIMILAR}",
         "table of Yeh and Lien (2009); edges of Agarwal, Lakkaraju and Zitnik (2021), NIFTY", NO_LICENCE,
         feature_range=(0.0, 1e6), sha256="661e386ad7a976cc782efcd8cce8f1370f60bb8a90dd47af91b95b40074a4ca9",
         remark="raw numbers, whose bounds are a generous guess; papers print 152,377 edges, which counts each of "
                "30,000 self loops that their loader adds as half an edge",
         columns="the fields of a client's record, which the bank knows beforehand", unaccounted=(EDGES,),
         printed=("Credit",)),
    Card("fb100-yale", "Students of Yale who are friends on Facebook", 8578, 405450, 3009, 35, STUDENTS, FACEBOOK,
         NO_LICENCE, sha256="672c57d20884529836ccfdd7a7896f3a46a28954d382203be5735eb66b6d9693", columns=ATTRIBUTES,
         remark="1,183 people give no class year; the dissertation prints 8,758 nodes, two digits exchanged, and "
                "counts 7 attributes", printed=("Yale",)),
    Card("fb100-rochester", "Students of Rochester who are friends on Facebook", 4563, 161404, 2077, 19, STUDENTS,
         FACEBOOK, NO_LICENCE, sha256="b18980ee56454d50b9befca18b745d971f10174c0e4774a4e139b9ab4cbac04d",
         columns=ATTRIBUTES,
         remark="418 people give no class year; the dissertation prints 167,653 links and counts 7 attributes",
         printed=("Rochester",)),
    Card("cora-twin", "A generated graph that behaves like Cora", 2708, 5196, 1433, 7,
         "nothing: every node is invented", "datasets/synthetic.py", "MIT",
         sha256="abee02cdc841c353c54b0f67c88c7c5541d3a7dca4f01a36b6ee1d8d6f44acba",
         remark="always at hand; chapters use it where Cora is not", columns="words without a meaning, invented too"),
    Card("blocks", "A generated graph on which private features help", 2000, 9953, 8, 4,
         "nothing: every node is invented", "datasets/block_model.py", "MIT",
         remark="LPGNN with one hop gains over features of others here",
         columns="bits without a meaning, invented too"),
    Card("karate", "Zachary's karate club", 34, 78, 34, 2,
         "friendships, and which side a member took", "Zachary (1977), through networkx", NO_LICENCE,
         columns="one for each member"),
    Card("patients", "Breast-cancer records joined to nearest neighbours", 569, 0, 30, 2,
         "the measurements and the diagnosis. The edges are computed from the measurements, "
         "so publishing the graph leaks them", "Street, Wolberg and Mangasarian (1993), through scikit-learn",
         "CC BY 4.0 (UCI)", remark="features are scaled with the extreme values in the data, which is not "
                                   "accounted for",
         columns="thirty measurements, chosen beforehand",
         unaccounted=(EDGES, "the scale of the features: the extreme values of each column")),
    Card("digits", "Handwritten digits joined to nearest neighbours", 1797, 0, 64, 10,
         "the handwriting. The edges are computed from it, so publishing the graph leaks it",
         "Alpaydin and Kaynak (1998), through scikit-learn", "CC BY 4.0 (UCI)",
         columns="the 64 pixels of an 8 x 8 grid", unaccounted=(EDGES,)),
]

CARDS = {card.name: card for card in _ALL}
PRINTED = {name: card.name for card in _ALL for name in card.printed}  # the name in a table -> that of the card


def card(name: str) -> Card:
    """The card of a named graph.

    :raises ValueError: for a name of no graph.
    """
    return card_of(CARDS, name, "graph", "For your own graph use datasets.from_npz")


def card_of(cards: dict, name: str, kind: str, otherwise: str):
    """One of the cards of a kind of data, or a refusal that says which there are, and what to do where it is none."""
    if not isinstance(name, str) or name not in cards:
        raise ValueError(f"name must be that of a known {kind}, got {name!r}; known are {', '.join(cards)}. "
                         f"{otherwise}")
    return cards[name]
