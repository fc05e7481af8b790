"""Cases of ``learned.resize``."""

from collections.abc import Iterator
from math import inf
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group


@complete
def resize() -> Iterator[Group]:
    """Yield the cases of ``learned.resize``."""
    yield from grouped("learned.resize", _values())
    yield from _refused()


def _case(
    name: str, comment: str, kind: Kind, shape: tuple[int, int], length: int, corners: bool, *flags: str
) -> Row:
    rule = "corners" if corners else "centres"
    case_id = f"learned-resize-{rule}-{shape[0]}-to-{length}-{name}-{SUFFIX[kind]}"
    inputs = {"table": draw(case_id, "table", shape, kind)}
    return {"length": length, "align_corners": corners}, Case(
        case_id, comment, inputs, ("learned.C3",), flags
    )


def _values() -> Iterator[Row]:
    for corners in (True, False):
        clamp = () if corners else ("resize-clamp",)
        every = (
            "corner-rule",
            "weights-exchanged",
            "interpolation-kind",
            "table-repeated",
            "resize-axis",
            "row-centres",
        )
        yield _case("grow", "Longer: 4 rows to 7.", "bfloat16", (4, 5), 7, corners, *every, *clamp)
        yield _case(
            "grow", "A ratio that is no binary fraction.", "float32", (7, 4), 10, corners, *every, *clamp
        )
        yield _case("grow", "More than twice as long.", "float64", (5, 3), 12, corners, *every, *clamp)
        yield _case("double", "Twice as long.", "bfloat16", (6, 4), 12, corners, *every, *clamp)
        yield _case("shrink", "Shorter: 10 rows to 4.", "float32", (10, 5), 4, corners, "corner-rule")
        yield _case("shrink", "Shorter, no binary fraction.", "float64", (9, 4), 7, corners, *every)
        yield _case(
            "same", "The same length: the table itself.", "float32", (6, 5), 6, corners, "same-length"
        )
        yield _case("one", "From one row: copies of it.", "bfloat16", (1, 6), 4, corners, "one-row")
        yield _case("first", "To one row.", "float64", (5, 4), 1, corners, "one-row", "corner-rule")
        text = "To two rows: the outermost ones, or one a half."
        yield _case("outer", text, "float32", (5, 4), 2, corners, "corner-rule")
        yield _case("both", "One row to one.", "float32", (1, 7), 1, corners, "one-row", "same-length")
        yield _case("two", "From two rows.", "float32", (2, 6), 9, corners, *every, *clamp)
        yield _case("long", "A longer table.", "bfloat16", (14, 3), 23, corners, *every, *clamp)


def _refused() -> Iterator[Group]:
    prefix = "learned-resize-invalid"
    inputs = {"table": draw(prefix, "table", (6, 4), "bfloat16")}
    base = Baseline("learned.resize", inputs, {"length": 9, "align_corners": True})
    invalid = "INVALID_PARAMETER"

    def refuse(name: str, parameter: str, clause: str, comment: str, **params: Any) -> Group:
        return base.refuse(name, (invalid, parameter), clause, comment, **params)

    yield refuse("length-0", "length", "learned.C3", "No row.", length=0)
    yield refuse("negative-length", "length", "learned.C3", "A negative length.", length=-3)
    yield refuse("float-length", "length", "conventions.C6", "Rows are counted.", length=8.5)
    yield refuse("corners-text", "align_corners", "conventions.C6", "A word.", align_corners="true")
    yield refuse("corners-1", "align_corners", "conventions.C6", "A number is no answer.", align_corners=1)
    missing = "MISSING_PARAMETER"
    for name in ("length", "align_corners"):
        text = "A parameter left out."
        shown = name.replace("_", "-")
        yield base.refuse(f"no-{shown}", (missing, name), "conventions.C6", text, without=(name,))

    def table(name: str, kind: str, clause: str, comment: str, given: Any) -> Group:
        return base.refuse(name, (kind, "table"), clause, comment, inputs={"table": given})

    shape = "INVALID_SHAPE"
    yield table("no-rows", shape, "conventions.C5", "A table without a row.", tensor("float32", (), (0, 4)))
    yield table("rank", shape, "conventions.C5", "A single row.", tensor("float32", (1.0, 2.0)))
    yield table("integer", "INVALID_DTYPE", "conventions.C3", "Integers.", integers(range(6), (3, 2)))
    infinite = tensor("float64", (inf, 1.0, 2.0, 3.0), (2, 2))
    yield table("infinite", invalid, "conventions.C3", "An infinite entry.", infinite)
