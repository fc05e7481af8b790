"""Pairs of runs that follow one another, so that a machine that is slow for a while is slow for both."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

Call = Callable[[], Any]


def seconds(call: Call) -> float:
    """Return how long a call takes."""
    start = perf_counter()
    call()
    return perf_counter() - start


def pairs(call: Call, other: Call, rounds: int) -> list[tuple[float, float]]:
    """Return how long both took in each round, after one run of each unmeasured."""
    call(), other()
    return [(seconds(call), seconds(other)) for _ in range(rounds)]


def ratios(call: Call, other: Call, rounds: int) -> list[float]:
    """Return how many times longer `call` takes than `other`, sorted."""
    return sorted(own / its for own, its in pairs(call, other, rounds))


def medians(call: Call, other: Call, rounds: int) -> tuple[float, float, float]:
    """Return the median times of both, and the median of the ratios of pairs."""
    found = pairs(call, other, rounds)
    owns, others = zip(*found, strict=True)
    return median(owns), median(others), median(own / its for own, its in found)
