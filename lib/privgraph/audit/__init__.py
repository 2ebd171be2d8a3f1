"""Checks of a privacy claim that do not take anybody's word for it."""

from .exact import WorstCase, worst_case

__all__ = ["WorstCase", "worst_case"]
