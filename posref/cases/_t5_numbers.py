"""What ``t5.bucket`` and ``t5.bias`` share: their numbers, and the numbers that are refused."""

from collections.abc import Iterator, Mapping
from typing import Any

from posref.cases._build import Baseline
from posref.operation import Group

Numbers = tuple[int, int, bool]
"""num_buckets, max_distance, bidirectional."""


def numbered(numbers: Numbers) -> Mapping[str, Any]:
    """Return the parameters of a call."""
    return {"num_buckets": numbers[0], "max_distance": numbers[1], "bidirectional": numbers[2]}


def refused_numbers(base: Baseline) -> Iterator[Group]:
    """Yield the numbers that both operations refuse."""
    buckets, distance = ("INVALID_PARAMETER", "num_buckets"), ("INVALID_PARAMETER", "max_distance")
    yield base.refuse("odd", buckets, "t5.C1", "31 buckets for two sides.", num_buckets=31)
    yield base.refuse("one-a-side", buckets, "t5.C1", "One bucket a side.", num_buckets=2)
    yield base.refuse("one", buckets, "t5.C1", "One bucket in all.", num_buckets=1, bidirectional=False)
    yield base.refuse("all-exact", distance, "t5.C1", "The last distance is exact already.", max_distance=8)
    yield base.refuse(
        "all-exact-causal",
        distance,
        "t5.C1",
        "A decoder has 16 exact distances.",
        max_distance=16,
        bidirectional=False,
    )
    for name in ("num_buckets", "max_distance", "bidirectional"):
        short = name.replace("_", "-")
        missing, invalid = ("MISSING_PARAMETER", name), ("INVALID_PARAMETER", name)
        yield base.refuse(f"no-{short}", missing, "conventions.C6", "Left out.", without=(name,))
        wrong: dict[str, Any] = {name: "both" if name == "bidirectional" else 32.0}
        yield base.refuse(f"type-{short}", invalid, "conventions.C6", "Of another type.", **wrong)
