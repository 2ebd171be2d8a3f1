"""Where random numbers come from: a seed that somebody may know, or the operating system, whose numbers nobody can.

Every random function of the library takes a ``torch.Generator``; nothing reads or leaves behind a global seed. There
are two kinds of generators.

``seeded(seed)``  *public*. The same numbers each time, which experiments need: runs can be repeated and paired. Whoever
                  knows or guesses the seed draws the same noise and takes it off. No seed is too large to be guessed:
                  torch keeps 32 bits of it. Nor would a state of the generator filled with secret bits do: 312 of its
                  outputs of 64 bits give away all others, and people know their own rows.
``secret()``      *secret*. Noise is read from the operating system's cryptographic generator, a fresh part of its
                  stream for each number. Nothing drawn from it can be drawn again, by us neither.

Noise is drawn through ``mechanisms.drawing``, which reads a ``Secret`` in its own way. For all else (initial weights,
dropout, the order of walks, which has no secret to keep) a ``Secret`` is an ordinary generator that starts where the
operating system says.
"""

import secrets
from contextlib import contextmanager

import torch

from .checks import check_count, check_generator

LARGEST = 2**64 - 1  # that torch takes for a seed
KINDS = ("secret", "public")


class Secret(torch.Generator):
    """A generator whose noise comes from the operating system, and can neither be guessed nor drawn again."""

    def __init__(self):
        self.manual_seed(secrets.randbits(64))  # of what it draws as an ordinary generator


def secret() -> Secret:
    """Randomness for what leaves for good: a release that is saved or sent.

    >>> torch.equal(torch.rand(3, generator=secret()), torch.rand(3, generator=secret()))
    False
    """
    return Secret()


def seeded(seed: int, device: str = "cpu") -> torch.Generator:
    """A generator that starts at ``seed``, for experiments.

    :param device: where it draws.

    >>> int(torch.randint(100, (1,), generator=seeded(7))) == int(torch.randint(100, (1,), generator=seeded(7)))
    True
    """
    return torch.Generator(device).manual_seed(check_count(seed, "seed", high=LARGEST))


def coins(seed: int | None) -> torch.Generator:
    """A generator that starts at ``seed``, or a secret one where none is said."""
    return secret() if seed is None else seeded(seed)


def kind_of(generator: torch.Generator) -> str:
    """``"secret"`` or ``"public"``: whether somebody else may draw the same numbers.

    >>> kind_of(secret()), kind_of(seeded(0))
    ('secret', 'public')
    """
    return KINDS[not isinstance(check_generator(generator), Secret)]


def seed_of(generator: torch.Generator) -> int | None:
    """The seed that a generator started at; None for a secret one."""
    return None if kind_of(generator) == "secret" else generator.initial_seed()


def place(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Where a generator is, to be kept and ``put_back`` later; nothing of randomness that cannot be repeated.

    >>> kept = place(first := seeded(1))
    >>> put_back(again := seeded(2), kept)
    >>> torch.equal(torch.rand(3, generator=first), torch.rand(3, generator=again))
    True
    """
    return {} if kind_of(generator) == "secret" else {"place": generator.get_state()}


def put_back(generator: torch.Generator, kept: dict) -> None:
    """Bring a generator to where it was kept, if it was.

    :param kept: with its "place", or without.
    """
    if "place" in kept:
        generator.set_state(kept["place"])


def draw_seed(generator: torch.Generator) -> int:
    """A seed drawn from ``generator``, to start another generator or a library that wants a number."""
    return int(torch.randint(2**62, (1,), generator=check_generator(generator), device=generator.device))


def draw_seeds(generator: torch.Generator, count: int) -> list[int | None]:
    """Seeds for ``count`` generators that ``coins`` makes. Of a secret one all are None, as a seed is no secret."""
    if kind_of(generator) == "secret":
        return [None] * count
    return [draw_seed(generator) for _ in range(count)]


@contextmanager
def torch_seeded(generator: torch.Generator):
    """Run a block whose randomness torch takes from its global state (dropout, initial weights).

    The state is seeded from ``generator`` on entry and put back on exit.
    """
    on_gpu = check_generator(generator).device.type == "cuda"
    with torch.random.fork_rng(devices=[generator.device] if on_gpu else []):
        # Seeding all devices takes a millisecond where there is no GPU, the CPU's generator alone a microsecond.
        (torch.manual_seed if on_gpu else torch.default_generator.manual_seed)(draw_seed(generator))
        yield
