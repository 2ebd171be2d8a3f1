"""What a change moves in each noisy call, and what that costs: by hand, on a few numbers."""

import math

import pytest
import torch
from torch_geometric.data import Data

from privgraph.audit.replaying import Recording
from privgraph.audit.spending import between, epsilon_of, moved, spent, stretches, used_twice
from privgraph.graph import to_undirected
from privgraph.mechanisms import (
    GRRFS,
    Gaussian,
    Laplace,
    NeighbourReplacement,
    NoisyMean,
    NoisyVotes,
    PrivateEndResponse,
    RandomisedResponse,
    RowNoise,
    SensitiveResponse,
    SymmetricResponse,
    dealt,
    poisson_sample,
)
from privgraph.mechanisms.drawing import drawing
from privgraph.mechanisms.tape import Call, Tape
from privgraph.privacy import Budget, GaussianPair, LaplacePair, Step, gdp_epsilon
from privgraph.randomness import seeded

ZEROS = torch.zeros(3, dtype=torch.double)


def epsilon(mechanism, x, other, delta=0.0):
    return spent(mechanism.between(x, other), delta)


def test_laplace_noise_costs_the_l1_distance_whatever_the_sensitivity_says():
    mechanism, other = Laplace(1.0, sensitivity=2.0), torch.tensor([0.5, -1.5, 0.0], dtype=torch.double)
    assert mechanism.between(ZEROS, other) == (Step(LaplacePair(1.0)),)
    assert epsilon(mechanism, ZEROS, 3 * other) == 3.0 and mechanism.between(ZEROS, ZEROS) == ()


def test_gaussian_noise_costs_the_l2_distance():
    mechanism, other = Gaussian(1.0, 1e-5, sensitivity=5.0), torch.tensor([3.0, 4.0, 0.0], dtype=torch.double)
    assert epsilon(mechanism, ZEROS, other, 1e-5) == pytest.approx(1.0, rel=1e-6, abs=0)
    assert epsilon(mechanism, ZEROS, other) == math.inf


def test_two_rounds_of_gaussian_noise_are_one_of_the_root_of_two():
    steps = [Step(GaussianPair(2.0)), Step(GaussianPair(1.0))]
    assert spent(steps, 1e-5) == pytest.approx(gdp_epsilon(math.hypot(0.5, 1.0), 1e-5), rel=1e-6, abs=0)


def test_row_noise_costs_the_sum_of_the_rows_lengths():
    other = torch.tensor([[3.0, 4.0], [0.0, 0.0], [0.0, 1.0]])
    assert epsilon(RowNoise(2.0, sensitivity=3.0), torch.zeros(3, 2), other) == pytest.approx(2.0 * 6 / 3)


def test_a_noisy_mean_costs_what_its_means_do():
    mechanism = NoisyMean(1.0, 1e-5, clip=1.0, shots=2)
    rows, other = torch.tensor([[[1.0], [0.0]]]), torch.tensor([[[-1.0], [0.0]]])
    assert epsilon(mechanism, rows, other, 1e-5) == pytest.approx(1.0, rel=1e-3,
                                                                  abs=0)  # the most that one graph can do
    assert epsilon(mechanism, rows, 5 * rows, 1e-5) == 0  # it is shortened


def test_reports_of_people_cost_once_for_each_row_that_differs():
    mechanism, y = RandomisedResponse(1.5, 4), torch.tensor([0, 1, 2, 3])
    assert [epsilon(mechanism, y, other) for other in (y, torch.tensor([0, 1, 2, 0]), y.flip(0))] == [0, 1.5, 6.0]
    x = torch.zeros(3, 3, dtype=torch.long)
    one, both = x.clone(), x.clone()
    one[0, 0], both[0, :2] = 1, 1
    grr = GRRFS(1.0, (2, 2, 2), 2)
    assert epsilon(grr, x, one) == grr.one_feature_guarantee.epsilon < epsilon(grr, x, both) == 2.0


@pytest.mark.parametrize("noise, vote", [("laplace", 2.0), ("gumbel", 2.0)])
def test_a_vote_more_costs_a_vote_and_two_cost_two(noise, vote):
    votes, mechanism = torch.tensor([[3.0, 1.0], [2.0, 2.0]]), NoisyVotes(1.0, noise)
    moved_one, moved_two = votes.clone(), votes.clone()
    moved_one[0] = torch.tensor([2.0, 2.0])
    moved_two[0] = torch.tensor([1.0, 3.0])
    assert [epsilon(mechanism, votes, other) for other in (votes, moved_one, moved_two)] == [0, vote, 2 * vote]
    assert mechanism.between(votes, moved_one) == mechanism.steps(1)


def graph(*pairs, x=None):
    edges = to_undirected(torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t(), 4)
    return Data(edge_index=edges, num_nodes=4, x=x)


def called(mechanism, x):
    state = seeded(0).get_state()
    return Call(mechanism, x, None, state, state)


def test_edges_cost_the_cheapest_way_from_one_graph_to_the_other():
    slot, path = SymmetricResponse(1.0), graph((0, 1), (1, 2))
    edge = next(g.epsilon for g in slot.guarantees if g.unit == "undirected edge")
    assert epsilon(slot, path, graph((0, 1))) == edge and epsilon(slot, path, path) == 0
    assert epsilon(slot, path, graph((0, 3), (1, 2))) == 2 * edge
    directed = Data(edge_index=path.edge_index[:, 1:], num_nodes=4)
    assert epsilon(slot, path, directed) == next(g.epsilon for g in slot.guarantees if g.unit == "neighbour slot"
                                                 and g.relation == "add/remove")


def test_an_edge_is_a_sensitive_link_or_a_private_edge_only_where_it_is_known_as_one():
    pair, known = graph((0, 1), (1, 2)), torch.tensor([False, False, True, True])
    for mechanism, field, value in ((SensitiveResponse(1.0), "sensitive_users", known),
                                    (PrivateEndResponse(1.0), "num_public", 2)):
        pair[field] = value
        hidden, open_ = (graph((0, 1), (1, 2), more) for more in ((2, 3), (0, 1)))
        open_.edge_index = open_.edge_index[:, (open_.edge_index.sum(0) != 1)]  # without 0-1
        assert epsilon(mechanism, pair, hidden) == 1.0 and epsilon(mechanism, pair, open_) == math.inf


def test_what_a_mechanism_of_edges_reads_besides_is_found_by_trying():
    same, other = torch.eye(4), torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    wide = torch.cat([other, torch.zeros(4, 2)], 1)
    pairs = (0, 1), (1, 2), (2, 3), (0, 2)
    seen = [called(mechanism, graph(*pairs, x=x)) for mechanism in (NeighbourReplacement(1.0), SymmetricResponse(1.0))
            for x in (same, wide)]
    assert spent(between(*seen[:2])) == math.inf and between(*seen[2:]) == ()


def test_inputs_of_two_forms_tell_themselves_apart():
    mechanism = Laplace(1.0)
    assert spent(between(called(mechanism, ZEROS), called(mechanism, ZEROS[:2]))) == math.inf


# Whole runs.

def run(pipeline, x, other, delta=0.0):
    comparison = Recording(pipeline, x).against(other)
    assert comparison.leaks == []
    return epsilon_of(comparison.tape, delta)


def test_calls_that_are_not_reached_cost_nothing():
    def halves(x, generator):
        return [RandomisedResponse(1.0, 2)(part, generator=generator) for part in x.split(2)]
    x = torch.tensor([0, 1, 0, 1])
    assert run(halves, x, torch.tensor([1, 1, 0, 1])) == 1.0
    assert run(halves, x, torch.tensor([1, 1, 1, 1])) == 2.0 and run(halves, x, x.clone()) == 0


def test_a_call_again_costs_again_and_its_input_is_that_of_the_same_past():
    def chain(x, generator):
        first = Laplace(1.0)(x, generator=generator)
        return first, Laplace(1.0)(x + first, generator=generator)
    assert run(chain, ZEROS, ZEROS + torch.tensor([1.0, 0.0, 0.0])) == 2.0


RATE, NOISE = 0.5, RandomisedResponse(1.0, 3)


def subsampled(rows, fresh=True, peeks=False):
    """Whether more than half of a sample's members are 1, in as many samples; of all people where it ``peeks``."""
    def pipeline(x, generator):
        first, told = None, []
        for _ in range(rows):
            first = chosen = poisson_sample(RATE, len(x), generator=generator) if fresh or first is None else first
            told.append(int(2 * x[chosen].sum() > chosen.sum()) + int(peeks and x.sum() > 2))
        return NOISE(torch.tensor(told), generator=generator)
    return pipeline


def test_rows_of_fresh_samples_cost_what_sampling_leaves():
    x, other = torch.tensor([0, 0, 1, 0, 1]), torch.tensor([0, 0, 1, 0])
    found = max(epsilon_of(Recording(subsampled(4), x, seed).against(other).tape) for seed in range(20))
    assert found == pytest.approx(4 * math.log(1 + RATE * (math.e - 1)))


def test_rows_of_one_sample_are_charged_as_one_sample():
    x, other = torch.tensor([0, 0, 1, 0, 1]), torch.tensor([0, 0, 1, 0])
    found = max(epsilon_of(Recording(subsampled(4, fresh=False), x, seed).against(other).tape) for seed in range(20))
    assert found == pytest.approx(Budget((Step(NOISE.row_pair, 4),), RATE).epsilon(0.0).optimistic)
    assert found > 4 * math.log(1 + RATE * (math.e - 1))


def test_rows_that_know_who_was_not_drawn_are_not_amplified():
    x, other = torch.tensor([1, 1, 0, 0, 1]), torch.tensor([1, 1, 0, 0])
    found = max(epsilon_of(Recording(subsampled(4, peeks=True), x, seed).against(other).tape) for seed in range(20))
    assert found == 4.0


LAST_IS_IN = 1  # a seed with which person 4 of five is in both samples


def of_samples(x, generator, calls, rates=(RATE, RATE)):
    """What ``calls`` say of the numbers of those who are in a sample of their own, one call after the other."""
    told = [call(x[poisson_sample(rate, len(x), generator=generator)], generator)
            for call, rate in zip(calls, rates, strict=True)]
    assert len(told) == 2
    return told


def cost_of_leaving(calls, rates=(RATE, RATE), numbers=(0.0, 0.0, 0.0, 0.0, 1.0), delta=0.0, one=False):
    """For the last of five; all calls may be of one sample."""
    def pipeline(x, generator):
        if not one:
            return of_samples(x, generator, calls, rates)
        mine = x[poisson_sample(RATE, len(x), generator=generator)]
        return [call(mine, generator) for call in calls]
    recording = Recording(pipeline, torch.tensor(numbers), LAST_IS_IN)
    assert recording.error is None and all(sample.chosen[-1] for sample in recording.tape.samples)
    return epsilon_of(recording.against(torch.tensor(numbers[:-1])).tape, delta)


def amplified(epsilon, count=2):
    return count * math.log(1 + RATE * (math.exp(epsilon) - 1))


def total(epsilon, times=1.0):
    """The noisy sum of a sample."""
    return lambda x, generator: Laplace(epsilon)(times * x.sum(0, keepdim=True), generator=generator)


def labels(*columns):
    """As many noisy labels of one sample, in a call."""
    return lambda x, generator: NOISE((x.sum() * torch.tensor(columns)).long(), generator=generator)


def test_a_call_for_each_sample_costs_what_sampling_leaves_of_the_dearest():
    assert cost_of_leaving([total(1.0), total(1.0)]) == pytest.approx(amplified(1.0), rel=1e-9, abs=0)
    assert cost_of_leaving([total(1.0, 0.1), total(1.0, 0.5)]) == pytest.approx(amplified(0.5), rel=1e-9, abs=0)
    assert cost_of_leaving([total(1.0, 0.5), total(1.0, 0.1)]) == pytest.approx(amplified(0.5), rel=1e-9, abs=0)


@pytest.mark.parametrize("one", [True, False], ids=["of one sample", "of two"])
@pytest.mark.parametrize("mechanism, pair", [(Laplace(1.0), LaplacePair(1.0)), (Gaussian(1.0, 1e-5), None)])
def test_with_a_delta_calls_cost_what_the_accountants_say_of_exactly_their_noise(mechanism, pair, one):
    """Not what any mechanism of that epsilon may cost, and for Gaussian noise there is none."""
    def noisy_total(x, generator):
        return mechanism(x.sum(0, keepdim=True), generator=generator)
    pair = pair or GaussianPair(mechanism.sigma)
    budget = Budget((Step(pair, 2),), RATE) if one else Budget((Step(pair.poisson(RATE), 2),))
    found = cost_of_leaving([noisy_total, noisy_total], delta=1e-3, one=one)
    assert found == pytest.approx(budget.epsilon(1e-3).optimistic, rel=1e-6, abs=0)


def test_a_call_with_two_labels_of_one_sample_costs_two_before_sampling():
    assert cost_of_leaving([labels(1, 0), labels(1, 0)]) == pytest.approx(amplified(1.0))
    assert cost_of_leaving([labels(1, 1), labels(1, 0)]) == pytest.approx(amplified(2.0))


def test_samples_of_two_rates_and_calls_of_two_mechanisms_are_not_amplified():
    assert cost_of_leaving([total(1.0), total(1.0)], (0.5, 0.9)) == 2.0
    assert cost_of_leaving([total(0.1), total(1.0)]) == pytest.approx(1.1)


def test_a_call_may_be_of_one_number():
    def number(x, generator):
        return Laplace(1.0)(x.sum(), generator=generator)
    assert cost_of_leaving([number, number]) == pytest.approx(amplified(1.0), rel=1e-9, abs=0)


def test_a_sample_is_drawn_as_ever_and_stays_that_of_the_same_people():
    drawn = poisson_sample(0.3, 50, generator=seeded(4))
    assert torch.equal(drawn, drawing(seeded(4)).happens(0.3, (50,), None)) and drawn.dtype == torch.bool
    places = dealt(3, 50, generator=seeded(4))
    assert torch.equal(places, torch.randint(3, (50,), generator=seeded(4)))
    tape = Tape()
    with tape.running(playing=False):
        first = (poisson_sample(0.3, 5, generator=(g := seeded(1))), dealt(3, 5, generator=g),
                 torch.rand(1, generator=g))
    for n in (4, 6):
        with tape.rewound().running(playing=True):
            again = (poisson_sample(0.3, n, generator=(g := seeded(9))), dealt(3, n, generator=g),
                     torch.rand(1, generator=g))
        assert [len(part) for part in again[:2]] == [n, n] and torch.equal(first[2], again[2])
        assert all(torch.equal(a[:4], b[:4]) for a, b in zip(first[:2], again[:2], strict=True))


@pytest.mark.parametrize("between, shared", [(0, True), (1, True), (3, False)])
def test_numbers_that_are_drawn_twice_are_seen(between, shared):
    """Three numbers, then ``between`` of them again from the start of the same seed."""
    def pipeline(x, generator):
        state = generator.get_state()
        first = RandomisedResponse(1.0, 2)(x, generator=generator)
        generator.set_state(state)
        torch.rand(2 * between, generator=generator)  # doubles take two
        return first, RandomisedResponse(1.0, 2)(x, generator=generator)
    found = used_twice(Recording(pipeline, torch.tensor([0, 1, 0])).tape)
    assert (found is not None) == shared and (not shared or "noisy call 1" in found[1])


@pytest.mark.parametrize("gone, taken", [(0, 3), (3, 5), (0, 624), (3, 621), (3, 622), (620, 10), (624, 3), (1000, 7)])
def test_which_numbers_of_a_generator_were_drawn_is_counted_to_one(gone, taken):
    generator = seeded(5)
    torch.rand(gone, generator=generator)
    before = generator.get_state()
    torch.rand(taken, generator=generator)
    found = stretches(Call(NOISE, None, None, before, generator.get_state()))
    assert sum(high - low for _, low, high in found) == taken
    assert all(0 <= low <= high <= 624 for _, low, high in found)
    assert found[0][1] == (gone % 624 or 624)


def test_numbers_that_are_drawn_one_after_the_other_are_not_drawn_twice_in_whatever_order():
    def pipeline(x, generator):
        start = generator.get_state()
        torch.rand(4, generator=generator)
        told = [NOISE(x, generator=generator)]
        after = generator.get_state()
        generator.set_state(start)
        torch.rand(4 - used, generator=generator)
        told.append(NOISE(x, generator=generator))  # ends where the first began
        generator.set_state(after)
        return [*told, NOISE(x, generator=generator)]  # begins where it ended
    tape = Tape()
    with tape.running(playing=False):
        NOISE(torch.tensor([0, 1]), generator=seeded(0))
    (_, _, used), = stretches(tape.entries[0])[1:]
    assert used_twice(Recording(pipeline, torch.tensor([0, 1])).tape) is None


def test_a_quiet_tape_says_that_zeros_came_out_of_added_noise_and_of_nothing_else():
    def pipeline(x, generator):
        return Laplace(1.0)(x, generator=generator), NOISE(torch.ones(9, dtype=torch.long), generator=generator)
    noisy, quiet = (Recording(pipeline, ZEROS + 1, quiet=quiet).release for quiet in (False, True))
    assert not quiet[0].any() and noisy[0].all() and torch.equal(noisy[1], quiet[1])


def test_all_calls_are_asked():
    def pipeline(x, generator):
        return [Laplace(1.0)(x, generator=generator) for _ in range(3)]
    assert len(moved(Recording(pipeline, ZEROS).against(ZEROS + 1).tape)) == 3
