"""What a privacy guarantee is, and how guarantees add up."""

from .guarantee import Guarantee, compose

__all__ = ["Guarantee", "compose"]
