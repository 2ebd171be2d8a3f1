"""Where random numbers come from.

Every random function of the library takes a ``torch.Generator``; nothing reads or leaves behind a
global seed. These are ordinary generators, good for science and teaching; they are not
cryptographically secure (see the page on sharp edges).
"""

import secrets
from contextlib import contextmanager

import torch

from .checks import check_count, check_generator

LARGEST = 2**64 - 1  # that torch takes for a seed


def seeded(seed: int, device: str = "cpu") -> torch.Generator:
    """A generator that starts at ``seed``.

    >>> int(torch.randint(100, (1,), generator=seeded(7))) == int(torch.randint(100, (1,), generator=seeded(7)))
    True
    """
    return torch.Generator(device).manual_seed(check_count(seed, "seed", high=LARGEST))


def coins(seed: int | None) -> torch.Generator:
    """A generator that starts at ``seed``, or where the operating system says and nobody can guess."""
    return seeded(secrets.randbits(64) if seed is None else seed)


def place(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Where a generator is, to be kept and ``put_back`` later; nothing of randomness that cannot be repeated.

    >>> kept = place(first := seeded(1))
    >>> put_back(again := seeded(2), kept)
    >>> torch.equal(torch.rand(3, generator=first), torch.rand(3, generator=again))
    True
    """
    return {"place": generator.get_state()} if isinstance(generator, torch.Generator) else {}


def put_back(generator: torch.Generator, kept: dict) -> None:
    """Bring a generator to where it was kept, if it was."""
    if "place" in kept and isinstance(generator, torch.Generator):
        generator.set_state(kept["place"])


def draw_seed(generator: torch.Generator) -> int:
    """A seed drawn from ``generator``, to start another generator or a library that wants a number."""
    return int(torch.randint(2**62, (1,), generator=check_generator(generator), device=generator.device))


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
