"""What somebody may have meant by a word that is not known: a hint beside the refusal, and never taken for it."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

# Options that had another name, because it was a letter away from one that means something else.
RENAMED = {"--seeds": "--repeats says how often something is repeated, and --seed with which coins",
           "--feature-ranges": "--range-file names the file with the bounds of each column",
           "--eta": "--perturbation is the share of nodes that negative views lose",
           "--meta": "--class-loss trains with the loss of the classes",
           "--no-meta": "--no-class-loss trains without the loss of the classes"}

# What other programs call it.
ALIKE = ({"count", "epochs", "steps", "iterations", "compositions", "uses"}, {"graph", "dataset", "data", "input"},
         {"to", "save", "out", "output"}, {"repeats", "runs", "trials"}, {"people", "population", "users"},
         {"rate", "probability", "sampling", "q"})
DASHES = "-\u2010\u2012\u2013\u2014\u2212"  # and what text programs make of it
CHOICE = re.compile(r"invalid choice: '?(.*?)'? \(choose from (.*)\)")
ONE_OF = re.compile(r"\bone of ([^;]+); got '([^']*)'")
APART, WITHIN = re.compile(r"[\s,;+]+"), re.compile(r"[-_]")


def one_of(message: str) -> list[str]:
    """What may have been meant by a word that is none of those which the message lists."""
    choice = ONE_OF.search(message)
    return close(choice[2], choice[1].split(", ")) if choice else []


def several(word: str, known: Collection[str]) -> list[str]:
    """The names that a word holds with something between or behind them.

    >>> several("gap, progap", ["gap", "progap"]), several("gap,", ["gap"])
    (['gap', 'progap'], ['gap'])
    >>> several("gap", ["gap"]), several("x,gap", ["gap"])
    ([], [])
    """
    names = [name for name in APART.split(word) if name]
    return names if names not in ([], [word]) and {*names} <= {*known} else []


def close(word: str, known: Sequence[str]) -> list[str]:
    """What somebody may have meant, in a sentence; capital letters, and dashes of text programs, are no difference.

    A beginning, first letters or one of several words say more than letters that are alike.

    >>> close("--epsilon", ["--epsilon-x", "--epsilon-y", "--delta"])
    ['for --epsilon, did you mean --epsilon-x, --epsilon-y?']
    >>> close("-Delta", ["--epsilon-x", "--epsilon-y", "--delta"])
    ['for -Delta, did you mean --delta?']
    >>> close("--lr", ["--learning-rate", "--help"]), close("edge", ["node", "private edge"])
    (['for --lr, did you mean --learning-rate?'], ['for edge, did you mean private edge?'])
    >>> close("--sample-rate", ["--rate", "--delta"]), close("steps", ["count", "rate"])
    (['for --sample-rate, did you mean --rate?'], ['for steps, did you mean count?'])
    >>> close("-V", ["--version", "--help"]), close("--ways", ["--anyway", "--help"])
    (['for -V, did you mean --version?'], [])
    >>> close("discrete_gaussian", ["gaussian", "discrete-gaussian"]), close("cora-twins", ["cora", "cora-twin"])
    (['for discrete_gaussian, did you mean discrete-gaussian?'], ['for cora-twins, did you mean cora-twin?'])
    """
    plain = word.lstrip(DASHES).lower().strip().replace("_", "-")
    bare = {name.lstrip("-"): name for name in known if "help" not in name}
    alike = {name for group in ALIKE if plain in group for name in group}
    ways = ([plain], [name for name in bare if name.startswith(f"{plain}-")],
            get_close_matches(plain, bare, 1, 0.9),
            [name for name in bare if begins(plain, name, word[:1] in (*DASHES,))], [*filter(alike.__contains__, bare)],
            [name for name in bare if len(name) > 2 and name in WITHIN.split(plain)],
            get_close_matches(plain, bare, 3, 0.7))
    found = next((names for names in ways if bare.keys() >= {*names} > set()), ())
    return [f"for {word}, did you mean {', '.join(map(bare.get, found))}?"] if found else []


def begins(plain: str, name: str, dashed: bool) -> bool:
    """Whether letters are the beginning of a name, one of its words, or the first letters of all."""
    if len(plain) == 1:  # as -v, which is an option elsewhere; another letter says too little
        return dashed and name.startswith(plain)
    return len(plain) > 2 and name.startswith(plain) or bool(plain) and (
        plain in name.split() or plain == "".join(part[:1] for part in name.split("-")))
