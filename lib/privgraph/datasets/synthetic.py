"""Synthetic Cora: a citation graph that teaches the same lessons when the real data is absent.

Papers of seven classes cite each other and use words from a shared vocabulary.  Only the sizes are Cora's
(papers, words, rounded class shares).  The other constants were set so that typical seeds give a graph on
which an MLP, a GCN, label propagation and a features-only link attack score what they score on Cora
(`tools/calibrate_cora.py` prints the comparison).  A lesson fails without any one of these:

* Classes are split into communities, and papers cite inside them; some references are found in the
  papers already cited, which closes triangles.  Without either, average clustering falls from 0.24 to
  0.04, and an attacker who counts common neighbours learns little.
* Fame follows Zipf's law.  With equal fame the largest degree falls from 88 to 14, and what hurts at hubs
  (clipping, node-level sensitivity) looks harmless.
* Most papers make few references, so there are leaves: nodes with one link, the easiest to expose.
* Some papers straddle two communities: they cite the second as readily as their own.  Without them a GCN
  is always right.  Redrawing labels at random would cost it accuracy as well, but by errors that it
  cannot even memorise: it is no better in training than in testing, and a membership attack has
  nothing to find.  A straddling paper has mixed neighbours but honest words, which a GCN can memorise.
* Each class favours some words, but only mildly.  With favourites twice as strong an MLP scores 92%, more
  than a GCN, and the graph is not worth protecting.
* Some words are copied from linked papers.  Without that, linked papers resemble each other hardly more
  than any two of one class, and the features-only attack falls from an AUC of 0.81 to 0.59.

The same arrays appear on every machine: all weights are integers, all sorts are stable or of distinct
keys, and randomness comes only from `integers` and `random` of one PCG64 generator.
"""

import numpy as np

from ..checks import check_count

SEED = 2708  # fixed beforehand, not chosen among others
PAPERS = 2708
VOCABULARY = 1433

CLASS_PERCENT = (13, 8, 15, 30, 16, 11, 7)  # share of papers in each class
COMMUNITIES_PER_CLASS = 5
STRADDLING_SHARE = 0.38  # papers that belong to a second community as well
STRAY_SHARE = 0.55  # of a straddling paper's references, those that go to its second community

REFERENCES_WEIGHT = (41, 23, 17, 12, 7)  # chances of making 1, 2, 3, 4 or 5 references, in percent
CLOSURE_SHARE = 0.4  # of the references after a paper's first, those to a neighbour's neighbour
FAME_OFFSET = 5  # fame of the r-th most famous paper is 1 / (r + offset): lower means larger hubs

WORDS_PER_PAPER = (12, 27)  # fewest and most words drawn; repeated words count once
POPULARITY_OFFSET = 10  # popularity of the r-th commonest word is 1 / (r + offset)
FAVOURITE_EVERY = 13  # each class favours one word in every thirteen neighbouring popularity ranks
FAVOURITE_BOOST = 5  # how many times likelier a favoured word is
COPIED_SHARE = 0.2  # words taken from a linked paper instead of the class

WEIGHT_UNIT = 10**6  # weights are whole numbers, so that no rounding can differ between machines


def synthetic_cora(seed: int = SEED) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges [2, E] in both directions and sorted, words [papers, vocabulary] of 0 and 1, and classes.

    :param seed: of all that is drawn; another than the default gives another graph than ``cora-twin``.
    """
    rng = np.random.Generator(np.random.PCG64(check_count(seed, "seed")))
    home, second = communities(rng)
    label = home // COMMUNITIES_PER_CLASS
    links = citations(rng, home, second)
    return np.stack([links // PAPERS, links % PAPERS]), words(rng, label, links), label


# Small tools ------------------------------------------------------------------------------------------


def shuffled(rng, values):
    return values[np.argsort(rng.random(len(values)), kind="stable")]


def below(rng, bounds):
    """For each bound, a whole number drawn uniformly from 0 to bound - 1."""
    return (rng.random(len(bounds)) * bounds).astype(np.int64)


def zipf_weights(count, offset):
    return WEIGHT_UNIT // (np.arange(count, dtype=np.int64) + offset)


def draw_by_row(rng, weights, rows):
    """For each entry of `rows`, a column drawn in proportion to the integers in that row of `weights`."""
    upto = np.cumsum(weights, axis=1)
    columns = np.empty(len(rows), dtype=np.int64)
    for row in range(len(weights)):
        here = np.flatnonzero(rows == row)
        ticket = rng.integers(upto[row, -1], size=len(here))
        columns[here] = np.searchsorted(upto[row], ticket, side="right")
    return columns


# Who belongs where ------------------------------------------------------------------------------------


def communities(rng):
    """Every paper's home community, and its second one (the home again unless the paper straddles)."""
    upto = np.cumsum(CLASS_PERCENT) * PAPERS // 100
    label = shuffled(rng, np.searchsorted(upto, np.arange(PAPERS), side="right"))
    home = label * COMMUNITIES_PER_CLASS + rng.integers(COMMUNITIES_PER_CLASS, size=PAPERS)
    straddles = rng.random(PAPERS) < STRADDLING_SHARE
    return home, np.where(straddles, home[rng.integers(PAPERS, size=PAPERS)], home)


# Links: sorted codes `source * PAPERS + target`, one for each direction ----------------------------------


def citations(rng, home, second):
    """Let the papers make their references in rounds: all first references, then all second ones, ..."""
    fame = fame_by_community(rng, home)
    references = 1 + draw_by_row(rng, np.array([REFERENCES_WEIGHT]), np.zeros(PAPERS, dtype=np.int64))
    links = np.empty(0, dtype=np.int64)
    for turn in range(1, len(REFERENCES_WEIGHT) + 1):
        papers = np.flatnonzero(references >= turn)
        targets = famous_papers(rng, papers, home, second, fame)
        if turn > 1:
            closes = rng.random(len(papers)) < CLOSURE_SHARE
            two_steps_away = random_neighbours(rng, links, random_neighbours(rng, links, papers))
            targets = np.where(closes, two_steps_away, targets)
        links = with_links(links, papers, targets)
    return links


def fame_by_community(rng, home):
    """Weights [communities, papers]: a paper's fame in the row of its home community, 0 elsewhere."""
    fame = np.zeros((len(CLASS_PERCENT) * COMMUNITIES_PER_CLASS, PAPERS), dtype=np.int64)
    fame[home, np.arange(PAPERS)] = shuffled(rng, zipf_weights(PAPERS, FAME_OFFSET))
    return fame


def famous_papers(rng, papers, home, second, fame):
    """For each of `papers`, another paper of its home or second community, drawn by fame."""
    targets = papers.copy()
    while len(again := np.flatnonzero(targets == papers)):
        strays = rng.random(len(again)) < STRAY_SHARE
        community = np.where(strays, second[papers[again]], home[papers[again]])
        targets[again] = draw_by_row(rng, fame, community)
    return targets


def random_neighbours(rng, links, papers):
    """For each of `papers`, one of the papers it is linked to, in either direction."""
    first = np.searchsorted(links, papers * PAPERS)
    degree = np.searchsorted(links, (papers + 1) * PAPERS) - first
    return links[first + below(rng, degree)] % PAPERS


def with_links(links, papers, targets):
    """Add links in both directions; a link that exists already, or from a paper to itself, adds nothing."""
    papers, targets = papers[papers != targets], targets[papers != targets]
    return np.unique(np.concatenate([links, papers * PAPERS + targets, targets * PAPERS + papers]))


# Words ------------------------------------------------------------------------------------------------


def words(rng, label, links):
    """0/1 matrix of the words in every paper: most drawn from its class, some copied from linked papers."""
    fewest, most = WORDS_PER_PAPER
    slots = rng.integers(fewest, most + 1, size=PAPERS)
    paper = np.repeat(np.arange(PAPERS), slots)
    word = draw_by_row(rng, word_weights(rng), label[paper])
    linked = random_neighbours(rng, links, paper)
    slot_of_linked = (np.cumsum(slots) - slots)[linked] + below(rng, slots[linked])
    word = np.where(rng.random(len(paper)) < COPIED_SHARE, word[slot_of_linked], word)
    x = np.zeros((PAPERS, VOCABULARY), dtype=np.float32)
    x[paper, word] = 1
    return x


def word_weights(rng):
    """Weights [classes, vocabulary]: common popularity, boosted for the words that a class favours."""
    classes, blocks = len(CLASS_PERCENT), -(-VOCABULARY // FAVOURITE_EVERY)
    favourite = np.arange(blocks) * FAVOURITE_EVERY + rng.integers(FAVOURITE_EVERY, size=(classes, blocks))
    boost = np.ones((classes, blocks * FAVOURITE_EVERY), dtype=np.int64)
    np.put_along_axis(boost, favourite, FAVOURITE_BOOST, axis=1)
    by_rank = boost[:, :VOCABULARY] * zipf_weights(VOCABULARY, POPULARITY_OFFSET)
    return by_rank[:, shuffled(rng, np.arange(VOCABULARY))]
