"""Cases of ``rope.table_slice``; those with zeros of both signs are compared by bits."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group

KINDS: Final[tuple[Kind, ...]] = ("bfloat16", "float32", "float64")
SIGNED_ROWS: Final = (-0.0, 1.5, -2.0, 0.0, 0.75, -0.0, -0.0, 2.5, 0.0, -1.0, -0.0, 3.0)
"""Zeros of both signs in six rows of two, no row like the next."""


def strict(groups: Iterator[Group]) -> Iterator[Group]:
    """Yield groups whose zeros are compared by bits."""
    for group in groups:
        yield replace(group, name=f"{group.name}-signed-zero", signed_zero="strict")


@complete
def table_slice() -> Iterator[Group]:
    """Yield the cases of ``rope.table_slice``."""
    yield from grouped("rope.table_slice", _slices())
    yield from strict(grouped("rope.table_slice", _signed_slices()))
    yield from _refused_slices()


def _slice(
    name: str, comment: str, kind: Kind, shape: tuple[int, int], where: tuple[int, int], *flags: str
) -> Row:
    """Return a case; `where` is offset and length."""
    case_id = f"rope-table-slice-{name}-{SUFFIX[kind]}"
    inputs = {side: draw(case_id, side, shape, kind) for side in ("cos", "sin")}
    params = {"offset": where[0], "length": where[1]}
    return params, Case(case_id, comment, inputs, ("rope.C13",), flags)


ELSEWHERE: Final = ("restarted-positions", "end-alignment", "sine-cosine-order")


def _slices() -> Iterator[Row]:
    moved = ("shifted-position", *ELSEWHERE)
    text = "A prompt from position 0; the table is longer."
    prompt = ("shifted-position", "end-alignment", "sine-cosine-order", "row-repeated")
    yield _slice("prefill", text, "bfloat16", (9, 4), (0, 5), *prompt)
    yield _slice("prefill", text, "float64", (8, 3), (0, 6), *prompt)
    text = "One token after five: the row of its absolute position."
    for kind in KINDS:
        yield _slice("decode", text, kind, (9, 4), (5, 1), *moved)
    text = "The last row."
    last = ("last-row", "restarted-positions", "sine-cosine-order")
    yield _slice("last", text, "float32", (7, 6), (6, 1), *last)
    yield _slice("last", text, "float64", (11, 5), (10, 1), *last)
    text = "A chunk in the middle."
    for kind in KINDS:
        yield _slice("chunk", text, kind, (12, 5), (3, 6), *moved, "row-repeated")
    text = "A chunk that ends with the table."
    ends = ("last-row", "restarted-positions", "sine-cosine-order", "row-repeated")
    yield _slice("to-the-end", text, "bfloat16", (10, 6), (4, 6), *ends)
    text = "The whole table."
    yield _slice("whole", text, "float32", (6, 8), (0, 6), "last-row", "sine-cosine-order", "row-repeated")
    text = "A usual width."
    yield _slice("wide", text, "bfloat16", (6, 64), (2, 2), *moved, "row-repeated")
    yield _slice("one-column", "A single pair.", "float32", (14, 1), (9, 3), *moved, "row-repeated")
    yield _slice("empty", "No token, at the end of the table.", "float32", (5, 3), (5, 0), "empty")
    yield _slice("empty-inside", "No token, inside.", "bfloat16", (5, 3), (2, 0), "empty")


def _signed_slices() -> Iterator[Row]:
    text = "Zeros of both signs: a row is moved, so each keeps its sign."
    for kind in KINDS:
        inputs = {"cos": tensor(kind, SIGNED_ROWS, (6, 2)), "sin": tensor(kind, SIGNED_ROWS[::-1], (6, 2))}
        case_id = f"rope-table-slice-signed-zero-{SUFFIX[kind]}"
        clauses = ("rope.C13", "conventions.C2")
        yield {"offset": 2, "length": 3}, Case(case_id, text, inputs, clauses, ELSEWHERE)


def _refused_slices() -> Iterator[Group]:
    name = "rope-table-slice-invalid"
    inputs = {side: draw(name, side, (6, 4), "bfloat16") for side in ("cos", "sin")}
    base = Baseline("rope.table_slice", inputs, {"offset": 2, "length": 3})

    def outside(case: str, parameter: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(case, ("OUT_OF_RANGE", parameter), "rope.C13", comment, **wrong)

    text = "A sentinel of -1 is no position."
    yield outside("negative-offset", "offset", text, offset=-1, length=1)
    text = "No row is counted from the end, though three are there."
    yield outside("negative-inside", "offset", text, offset=-4, length=3)
    yield outside("negative-length", "length", "A length below 0.", length=-1)
    yield outside("one-short", "length", "One row more than there are.", offset=2, length=5)
    yield outside("beyond", "length", "A token after the last row.", offset=6, length=1)
    yield outside("far-beyond", "length", "An offset past the table, even for no token.", offset=7, length=0)
    yield outside("huge", "length", "An offset that overflows 32 bits.", offset=2**40, length=2)
    integer = "conventions.C6"
    for parameter in ("offset", "length"):
        wrong: dict[str, Any] = {parameter: 2.0}
        refusal = ("INVALID_PARAMETER", parameter)
        yield base.refuse(f"float-{parameter}", refusal, integer, "Rows are counted.", **wrong)
        missing = ("MISSING_PARAMETER", parameter)
        yield base.refuse(f"no-{parameter}", missing, integer, "Left out.", without=(parameter,))
    shape = "INVALID_SHAPE"
    one = {"sin": draw(name, "sin", (6, 3), "bfloat16")}
    yield base.refuse("unequal-widths", (shape, "sin"), "rope.C13", "Tables of two widths.", inputs=one)
    one = {"sin": draw(name, "sin", (5, 4), "bfloat16")}
    yield base.refuse("unequal-rows", (shape, "sin"), "rope.C13", "Tables of two lengths.", inputs=one)
    one = {"cos": draw(name, "cos", (2, 6, 4), "bfloat16")}
    yield base.refuse("rank", (shape, "cos"), "rope.C12", "A batch of tables.", inputs=one)
    one = {"cos": integers(range(24), (6, 4))}
    yield base.refuse("integer", ("INVALID_DTYPE", "cos"), "conventions.C3", "Integers.", inputs=one)
