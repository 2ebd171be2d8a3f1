"""Benchmarks report ratios of two ways within one run: seconds depend on the machine, ratios hardly do."""

import statistics
import time

import pytest
import torch

RATIOS: list[tuple[str, float, float | None]] = []


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def note():
    """``note(name, number)``: a line of the closing table."""
    return lambda name, number, at_least=None: RATIOS.append((name, number, at_least))


@pytest.fixture
def compare(benchmark, note):
    """``compare(name, slow, fast, at_least)``: interleaved rounds, ratio of medians, asserted."""
    def run(name, slow, fast, at_least: float | None = None, rounds: int = 7) -> float:
        slow(), fast()
        seconds = {slow: [], fast: []}
        for _ in range(rounds):
            for function in (slow, fast):
                start = time.perf_counter()
                function()
                seconds[function].append(time.perf_counter() - start)
        ratio = statistics.median(seconds[slow]) / statistics.median(seconds[fast])
        note(name, ratio, at_least)
        benchmark.extra_info["ratio"] = ratio
        benchmark.pedantic(fast, rounds=3)
        assert at_least is None or ratio >= at_least, f"{name}: {ratio:.1f} times, {at_least} wanted"
        return ratio
    return run


def pytest_terminal_summary(terminalreporter):
    if RATIOS:
        terminalreporter.section("ratios (slow / fast, medians of one run)")
        for name, ratio, at_least in RATIOS:
            wanted = "" if at_least is None else f"   at least {at_least:g}"
            terminalreporter.write_line(f"{name:74} {ratio:7.1f}{wanted}")
