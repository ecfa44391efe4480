"""Frequencies against probabilities, without SciPy."""

from collections.abc import Mapping, Sequence

#: A standard score: by chance alone, one test in about 300,000 would exceed it.
FIRM = 4.5


def chi_square(counts: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's statistic."""
    return sum((n - e) ** 2 / e for n, e in zip(counts, expected, strict=True))


def firm_limit(degrees: int) -> float:
    """What the statistic exceeds with the probability of `FIRM` (Wilson and Hilferty)."""
    spread = 2 / (9 * degrees)
    return degrees * (1 - spread + FIRM * spread**0.5) ** 3


def assert_frequencies(counts: Mapping[int, int], probabilities: Mapping[int, float]) -> None:
    """The outcomes are the expected ones, and come as often as their probabilities say."""
    assert set(counts) <= set(probabilities), "an outcome that cannot come"
    total = sum(counts.values())
    expected = [probability * total for probability in probabilities.values()]
    assert min(expected) >= 5, "too few draws for a chi-square test"
    statistic = chi_square([counts.get(outcome, 0) for outcome in probabilities], expected)
    assert statistic < firm_limit(len(expected) - 1), f"{statistic:.1f}: {dict(counts)}"
