"""The entries of tables that come nearest to rounding boundaries: filtered, decided by golden, ranked."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from posref.corpus.certified import engine_class
from posref.corpus.certify import certify, decided, evaluate, flat
from posref.corpus.hardness import nearest
from posref.corpus.scan import LEAST, NEAR, near
from posref.numerics.wide import ladder, wide
from posref.operation import Tensor

BASES: Final = (10000.0, 150000.0, 500000.0, 1000000.0, 5000000.0, 10000000.0)
WIDTHS: Final = (64, 80, 96, 128)
POSITIONS: Final = 2**20
"""Positions 0 to 2^20 - 1 are scanned."""

KEPT: Final = {"rope.cos_sin": 24, "sinusoidal.encode": 12}
"""Operations, and the entries kept of each dtype; an entry of the second brings a whole row with it."""


@dataclass(frozen=True)
class Pair:
    """A frequency: pair `pair` of the ladder of `base` and `width`; `wide` is the number that is scanned."""

    base: float
    width: int
    pair: int
    wide: Decimal


@dataclass(frozen=True)
class Row:
    """An entry near a boundary of `dtype`, with its distance in ulp of `dtype`."""

    dtype: str
    distance: str
    base: float
    width: int
    pair: int
    frequency: float
    part: str
    position: int

    @property
    def entry(self) -> tuple[str, str, str]:
        """What tells entries apart: ten times the position at a tenth of the frequency is the same one."""
        return self.dtype, self.part, f"{self.position * self.frequency:.12e}"


def pairs(name: str) -> list[Pair]:
    """Return the different frequencies of the ladders, each by the first one that has it.

    ``sinusoidal.encode`` makes them itself: they are real numbers. ``rope.cos_sin`` gets them: they are
    rounded to float32, as models keep them.
    """
    found: dict[str, Pair] = {}
    for base in BASES:
        for width in WIDTHS:
            exponents = [Fraction(2 * pair, width) for pair in range(width // 2)]
            real = ladder(base, exponents)
            if name == "rope.cos_sin":
                params = {"rotary_dim": width, "base": base}
                rounded = certify(engine_class("mpmath"), "rope.inv_freq", {}, params, ["float32"])
                real = tuple(wide(value) for value in rounded["inv_freq"]["float32"][0].data)
            for pair, frequency in enumerate(real):
                found.setdefault(f"{frequency:.60e}", Pair(base, width, pair, frequency))
    return list(found.values())


def rows(name: str, chosen: Sequence[Pair], start: int = 0, count: int = POSITIONS) -> list[Row]:
    """Return the entries of some frequencies that are near a boundary by `NEAR`, the nearest first.

    Parameters
    ----------
    name : {"rope.cos_sin", "sinusoidal.encode"}
        The operation whose golden definition decides.
    chosen : sequence of Pair
        Frequencies.
    start, count : int
        Positions, whole blocks of the filter.
    """
    found = []
    for hit in near([pair.wide for pair in chosen], start, count):
        pair = chosen[hit.frequency]
        text = distance(name, pair, hit.part, hit.position, hit.dtype)
        if float(text) < NEAR[hit.dtype]:
            place = (pair.base, pair.width, pair.pair, float(pair.wide))
            found.append(Row(hit.dtype, text, *place, hit.part, hit.position))
    return sorted(found, key=lambda row: (row.dtype, float(row.distance), row.position, row.pair))


def distance(name: str, pair: Pair, part: str, position: int, dtype: str) -> str:
    """Return the certified distance of one entry, by the golden definition of `name`."""
    inputs = {"positions": Tensor("int64", (1,), (position,))}
    params: dict[str, Any]
    if name == "rope.cos_sin":
        inputs["inv_freq"] = Tensor("float32", (1,), (float(pair.wide),))
        params, place = {"attention_factor": 1.0}, ("cos", "sin").index(part)
    else:
        params = {"dim": pair.width, "base": pair.base, "denominator": "dim"}
        params |= {"layout": "sin_cos", "odd": "error"}
        place = pair.pair + (pair.width // 2 if part == "cos" else 0)

    def attempt(real: Any) -> str:
        entries = [entry for output in evaluate(real, name, inputs, params) for entry in flat(output)]
        return nearest(real, entries[place : place + 1], dtype)

    return decided(engine_class("mpmath"), attempt, f"{name}: position {position} of {pair}")


def search(name: str) -> list[Row]:
    """Return the hardest different entries of each dtype of one operation: the full scan."""
    every: dict[tuple[str, str, str], Row] = {}
    for row in rows(name, pairs(name)):
        every.setdefault(row.entry, row)
    return [
        row for dtype in NEAR for row in [one for one in every.values() if one.dtype == dtype][: KEPT[name]]
    ]


def document() -> str:
    """Return the text of ``posref/cases/hard_rows.json``: how rows are found, and one a line."""
    found = {name: [list(vars(row).values()) for row in search(name)] for name in KEPT}
    head = {
        "bases": BASES,
        "widths": WIDTHS,
        "positions": POSITIONS,
        "least": LEAST,
        "kept": KEPT,
        "columns": list(Row.__annotations__),
    }
    return "".join(_lines(head, found))


def _lines(head: dict[str, Any], found: dict[str, list[Any]]) -> Iterator[str]:
    yield "{\n"
    for key, value in head.items():
        yield f" {json.dumps(key)}: {json.dumps(value)},\n"
    blocks = []
    for name, entries in found.items():
        inner = ",\n  ".join(json.dumps(entry) for entry in entries)
        blocks.append(f" {json.dumps(name)}: [\n  {inner}\n ]")
    yield ",\n".join(blocks) + "\n}\n"
