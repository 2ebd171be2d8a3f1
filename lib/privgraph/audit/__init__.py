"""Checks of a privacy claim that do not take anybody's word for it.

Its modules::

    exact            all outcomes of a small case, with a witness
    relations        which small graphs are neighbours
    neighbour_lists  reported lists, one person's and everybody's, and how many adjacent lists have a finite loss
    statistical      lower bounds on epsilon from runs, with confidence
    replaying        what else was computed from private data
    spending         what a change moves in the inputs of all noisy calls of a run, and what that costs together
    contract         all that a mechanism promises, tried on small inputs: check_mechanism
    refuting, sampled, crowds, added_noise, larger_graphs  the parts of it about privacy: by tables, by draws, ...
    refusals         what makes no sense is refused by its name
    verdict          the four words with which a check ends
    accountants      properties that every accountant must have: check_accountant
    promises         what each of them promises, read off the code, and what nothing here promises
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from . import relations, statistical
    from .accountants import check_accountant
    from .contract import CheckReport, check_mechanism
    from .exact import Independent, WorstCase, delta_curve, finite_pair, worst_case
    from .neighbour_lists import AdjacentPairs, ListReport, adjacent_pairs, everybody
    from .refuting import CheckFailed
    from .replaying import Leak, replay
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["AdjacentPairs", "CheckFailed", "CheckReport", "Independent", "Leak", "ListReport", "WorstCase",
           "adjacent_pairs", "check_accountant", "check_mechanism", "delta_curve", "everybody", "finite_pair",
           "relations", "replay", "statistical", "worst_case"]
