"""What auditors and attackers share: the least share of wrong guesses, and a limit on a probability from a count."""

from scipy import special

from ..checks import check_number


def error_rate(epsilon: float, name: str = "epsilon") -> float:
    """1 / (1 + e^epsilon): the least share of wrong guesses that epsilon-DP allows."""
    return float(special.expit(-check_number(epsilon, name, low=0, allowed="be at least 0")))


def upper_limit(count: int, trials: int, error: float) -> float:
    """The upper Clopper-Pearson limit: the probability is larger in at most a share ``error`` of repeats."""
    return 1.0 if count == trials else float(special.betainccinv(count + 1, trials - count, error))
