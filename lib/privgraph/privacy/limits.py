"""What auditors and attackers share: the least share of wrong guesses, and a limit on a probability from a count."""

from scipy import special


def error_rate(epsilon: float, name: str = "epsilon") -> float:
    """1 / (1 + e^epsilon): the least share of wrong guesses that epsilon-DP allows."""
    if not epsilon >= 0:
        raise ValueError(f"{name} must be at least 0, got {epsilon!r}")
    return float(special.expit(-epsilon))


def upper_limit(count: int, trials: int, error: float) -> float:
    """The upper Clopper-Pearson limit: the probability is larger in at most a share ``error`` of repeats."""
    return 1.0 if count == trials else float(special.betainccinv(count + 1, trials - count, error))
