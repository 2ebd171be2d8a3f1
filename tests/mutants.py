"""Mutants that several tests share: plausible mistakes, each in a mechanism of the library that is right."""

import math

from privgraph.mechanisms import MultiBit, SymmetricResponse
from privgraph.mechanisms.edge_mechanism import graph_cases, reported_bits
from privgraph.mechanisms.law import together


class WholeBudgetABit(MultiBit):
    """Every bit spends the whole epsilon instead of epsilon / m."""

    @property
    def budgets(self):
        return (self.epsilon,)


class SamplesTheLargest(MultiBit):
    """Reports the m largest features instead of random ones."""

    def distribution(self, vector):
        largest = set(sorted(range(len(vector)), key=lambda i: -vector[i])[:self.sampled])
        table = {report: p for report, p in super().distribution(vector).items()
                 if {i for i, bit in enumerate(report) if bit} == largest}
        return {report: p * math.comb(len(vector), self.sampled) for report, p in table.items()}


class BothEndsReport(SymmetricResponse):
    """Both ends of a pair send a bit, as published code does, but the pair is accounted once."""

    def row_weights(self, v, friends, n, t, one):
        return together({0: one, 1: t} if u in friends else {0: t, 1: one} for u in range(n) if u != v)

    def audit_case(self):
        return graph_cases(lambda report: reported_bits(report, once=False), self.distribution)
