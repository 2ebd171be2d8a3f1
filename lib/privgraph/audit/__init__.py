"""Checks of a privacy claim that do not take anybody's word for it."""

from .exact import Independent, WorstCase, delta_curve, finite_pair, worst_case
from .replay import Leak, replay

__all__ = ["Independent", "Leak", "WorstCase", "delta_curve", "finite_pair", "replay", "worst_case"]
