"""Checks of a privacy claim that do not take anybody's word for it.

exact        all outcomes of a small case, with a witness
relations    which small graphs are neighbours
lists        reported lists, one person's and everybody's, and how many adjacent lists have a finite loss
statistical  lower bounds on epsilon from runs, with confidence
replaying    what else was computed from private data
checking     all that a mechanism promises, tried on small inputs: check_mechanism (refuting: the part about privacy)
accountants  properties that every accountant must have: check_accountant
promises     what each of them promises, read off the code, and what nothing here promises
claims       the registry of claims, and running its evidence again

For every epsilon at once (import these modules by name; they need sympy and mpmath, which torch brings along):

weights      the chances of finite mechanisms as polynomials of e^epsilon
certificates what proves a statement, and the checker that verifies it
for_all      the prover
intervals    the Laplace arg max on whole intervals of its noise
statements   what has been decided; its certificates lie in book/certificates
"""

from . import relations, statistical
from .accountants import check_accountant
from .contract import CheckReport, check_mechanism
from .exact import Independent, WorstCase, delta_curve, finite_pair, worst_case
from .neighbour_lists import AdjacentPairs, ListReport, adjacent_pairs, everybody
from .refuting import CheckFailed
from .replaying import Leak, replay

__all__ = ["AdjacentPairs", "CheckFailed", "CheckReport", "Independent", "Leak", "ListReport", "WorstCase",
           "adjacent_pairs", "check_accountant", "check_mechanism", "delta_curve", "everybody", "finite_pair",
           "relations", "replay", "statistical", "worst_case"]
