"""Hard cases of ``t5.bucket`` and ``deberta.bucket``: whole tables, so that no edge is left out."""

from collections.abc import Iterator
from typing import Final

from posref.cases._build import Row, hard, integers
from posref.cases._t5_numbers import numbered
from posref.operation import Case

EDGES: Final = ("position-zero", "bucket-edge")


def _t5() -> Iterator[Row]:
    """Yield the tables that the core has not: it holds those of 32 buckets to 128."""
    for name, bidirectional, last in (("encoder", True, 257), ("decoder", False, 8)):
        text = "64 buckets to 256, every distance to one beyond the last edge."
        inputs = {"relative_position": integers(range(-257, last + 1))}
        case = Case(f"hard-t5-bucket-64-256-{name}", text, inputs, ("t5.C1", "t5.C2"), EDGES)
        yield numbered((64, 256, bidirectional)), case


def _deberta() -> Iterator[Row]:
    for name, clamp_first in (("v3", False), ("v3-clamped", True)):
        text = "The released model, every distance to one beyond the last."
        inputs = {"relative_position": integers(range(-513, 514))}
        numbers = {"position_buckets": 256, "max_relative_positions": 512, "clamp_first": clamp_first}
        yield numbers, Case(f"hard-deberta-bucket-{name}", text, inputs, ("deberta.C1",), EDGES)


T5: Final = hard("t5.bucket", _t5())
DEBERTA: Final = hard("deberta.bucket", _deberta())
