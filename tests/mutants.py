"""Mutants that several tests share: plausible mistakes, each in a mechanism of the library that is right."""

import math

from privgraph.mechanisms import MultiBit, SymmetricResponse
from privgraph.mechanisms.edge_mechanism import bits_distribution, graph_cases, reported_bits


class WholeBudgetABit(MultiBit):
    """Every bit spends the whole epsilon instead of epsilon / m."""

    @property
    def slope(self):
        return math.tanh(self.epsilon / 2)


class SamplesTheLargest(MultiBit):
    """Reports the m largest features instead of random ones."""

    def distribution(self, vector):
        largest = set(sorted(range(len(vector)), key=lambda i: -vector[i])[:self.sampled])
        table = {report: p for report, p in super().distribution(vector).items()
                 if {i for i, bit in enumerate(report) if bit} == largest}
        return {report: p * math.comb(len(vector), self.sampled) for report, p in table.items()}


class BothEndsReport(SymmetricResponse):
    """Both ends of a pair send a bit, as published code does, but the pair is accounted once."""

    def row_distribution(self, v, friends, n):
        return bits_distribution(friends, [u for u in range(n) if u != v], self.keep, self.lie)

    def audit_case(self):
        return graph_cases(lambda report: reported_bits(report, once=False), self.distribution)
