"""Random streams have names, and the numbers that every row of the ledger was measured with."""

import pytest

from privgraph.streams import STREAMS, stream


def test_streams_start_where_they_always_did():
    starts = {name: stream(name, 7).initial_seed() for name in STREAMS}
    assert starts == {"split": 7, "controls": 1_000_007, "teachers": 1_000_007, "collect": 2_000_007,
                      "learn": 3_000_007,
                      "pairs": 4_000_007, "attack": 4_000_007, "queries": 5_000_007, "coin": 6_000_007,
                      "outsiders": 7_000_007, "released": 8_000_007, "untrained": 9_000_007,
                      "attacker": 10_000_007, "classifiers": 11_000_007, "shadow": 12_000_007,
                      "canaries": 13_000_007, "folds": 14_000_007, "tasks": 15_000_007, "generated": 16_000_007}


@pytest.mark.parametrize("name, seed, message", [
    ("noise", 0, "name must be one of attack, .*; got 'noise'"), ("learn", -1, "seed must be a whole number"),
    ("learn", 1_000_000, "seed must be a whole number, between 0 and 999999, got 1000000"),
    ("learn", 0.5, "seed must be")])
def test_a_seed_that_would_meet_the_next_stream_is_refused(name, seed, message):
    with pytest.raises(ValueError, match=message):
        stream(name, seed)
