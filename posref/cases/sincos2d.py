"""Cases of the operations in `spec/schemes/sincos2d.md`."""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Convention = tuple[str, str, str]
"""Denominator, order of the axes, layout."""

CONVENTIONS: tuple[Convention, ...] = tuple(
    product(("dim", "count_minus_1"), ("x_first", "y_first"), ("axis_major", "component_major"))
)
ORDER = ("axis-order", "sincos-blocks", "sine-cosine-order")
LADDER = ("frequency-exponent", "ladder-end", "axis-width", "sine-layout")


@complete
def encode() -> Iterator[Group]:
    """Yield the cases of ``sincos2d.encode``."""
    yield from grouped("sincos2d.encode", _values())
    yield from _refused()


def _grid(height: int, width: int) -> tuple[Tensor, Tensor]:
    """Return rows and columns of a grid, row by row."""
    places = list(product(range(height), range(width)))
    return integers(y for y, _ in places), integers(x for _, x in places)


def _case(
    name: str,
    comment: str,
    width: tuple[int, float],
    convention: Convention,
    places: tuple[Tensor, Tensor],
    *flags: str,
    clauses: tuple[str, ...] = ("sincos2d.C1", "sincos2d.C2"),
) -> Row:
    denominator, order, layout = convention
    params = {
        "dim": width[0],
        "base": width[1],
        "denominator": denominator,
        "axis_order": order,
        "layout": layout,
    }
    ladder = "end" if denominator == "count_minus_1" else "dim"
    shown = f"d{width[0]}-b{slug(width[1])}-{ladder}-{order}-{layout}".replace("_", "-")
    inputs = {"rows": places[0], "cols": places[1]}
    return params, Case(f"sincos2d-encode-{shown}-{name}", comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    released = (CONVENTIONS[0], CONVENTIONS[4], CONVENTIONS[3])
    for convention in released:
        yield _case(
            "worked",
            "The worked row: row 1, column 2, width 8.",
            (8, 10000.0),
            convention,
            (integers((1,)), integers((2,))),
            *ORDER,
            "shifted-position",
        )
    for n, convention in enumerate(CONVENTIONS):
        width = ((8, 10000.0), (12, 500000.0), (16, 100.5))[n % 3]
        yield _case(
            "grid",
            "A grid that is not square, from its corner.",
            width,
            convention,
            _grid(2, 3) if n % 2 else _grid(3, 2),
            "position-zero",
            *ORDER,
            *LADDER,
            "axis-lost",
            "shifted-position",
            *(("fixed-base",) if width[1] != 10000.0 else ()),
            clauses=("sincos2d.C1", "sincos2d.C2", "sincos2d.C3"),
        )
    for order, layout in product(("x_first", "y_first"), ("axis_major", "component_major")):
        yield _case(
            "pair",
            "One frequency an axis.",
            (4, 10000.0),
            ("dim", order, layout),
            (integers((0, 3, 5)), integers((2, 1, 9))),
            "width-4",
            *ORDER,
            "axis-lost",
        )
    yield from _far()


def _far() -> Iterator[Row]:
    negative = (integers((-3, 4, 0, -17)), integers((5, -1, -2, 300)))
    sign = ("unsigned-position", "axis-lost", *ORDER)
    yield _case("negative", "No grid: both signs.", (8, 500000.0), CONVENTIONS[6], negative, *sign)
    wide = (integers((31, 7)), integers((2, 27)))
    yield _case("wide", "A usual width.", (64, 10000.0), CONVENTIONS[0], wide, *ORDER, *LADDER)
    yield _case("wide", "No power of two.", (96, 10000.0), CONVENTIONS[5], wide, *ORDER, *LADDER)
    powers = (integers([2**n + 1 for n in range(8, 13)]), integers([2**n - 1 for n in range(9, 14)]))
    rounded = ("position-rounding", "angle-rounding", *ORDER)
    yield _case("powers", "Neighbours of powers of two.", (8, 10000.0), CONVENTIONS[2], powers, *rounded)
    far = (integers((2**53, 355, -1_000_003)), integers((6_134_899_525_417_045, 22, 2**31 - 1)))
    text = "Near multiples of pi, up to 2^53: only float64 can resolve them."
    clauses = ("sincos2d.C2", "conventions.C4")
    yield _case("far", text, (4, 10000.0), CONVENTIONS[1], far, clauses=clauses)
    nothing = (integers(()), integers(()))
    yield _case("empty", "No token.", (8, 10000.0), CONVENTIONS[7], nothing, "empty")


def _refused() -> Iterator[Group]:
    params: dict[str, Any] = {
        "dim": 8,
        "base": 10000.0,
        "denominator": "dim",
        "axis_order": "x_first",
        "layout": "axis_major",
    }
    inputs = {"rows": integers((0, 1, 5)), "cols": integers((2, 0, 1))}
    base = Baseline("sincos2d.encode", inputs, params)

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    clause = "sincos2d.C1"
    yield refuse("dim-6", "dim", clause, "Two axes and two components need a multiple of 4.", dim=6)
    yield refuse("dim-7", "dim", clause, "An odd width.", dim=7)
    yield refuse("dim-0", "dim", clause, "No width.", dim=0)
    single = {"dim": 4, "denominator": "count_minus_1"}
    yield refuse("one-frequency", "dim", clause, "One frequency has no end.", flags=("width-4",), **single)
    yield refuse("float-dim", "dim", "conventions.C6", "A width is an integer.", dim=8.0)
    yield refuse("base-1", "base", clause, "No ladder.", base=1.0)
    yield refuse("base-negative", "base", clause, "A negative base.", base=-10000.0)
    yield refuse("base-infinite", "base", clause, "An infinite base.", base=inf)
    for name in ("denominator", "axis_order", "layout"):
        shown = name.replace("_", "-")
        yield refuse(f"unknown-{shown}", name, "conventions.C6", "No such convention.", **{name: "other"})
        missing = ("MISSING_PARAMETER", name)
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "A convention left out.", without=(name,))

    def places(name: str, kind: str, axis: str, clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, (kind, axis), clause, comment, inputs={axis: given})

    shape = "INVALID_SHAPE"
    yield places("lengths", shape, "cols", "sincos2d.C3", "Fewer columns than rows.", integers((2, 0)))
    yield places("rank", shape, "rows", "sincos2d.C3", "A grid of rows.", integers((0, 0, 1), (3, 1)))
    for axis in ("rows", "cols"):
        half, beyond = tensor("float64", (0.5, 1.0, 2.0)), integers((0, 1, 2**53 + 1))
        yield places(f"{axis}-half", "INVALID_DTYPE", axis, "conventions.C4", "Between patches.", half)
        yield places(f"{axis}-limit", "OUT_OF_RANGE", axis, "conventions.C4", "One beyond 2^53.", beyond)
