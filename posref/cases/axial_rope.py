"""Cases of the operations in `spec/schemes/axial_rope.md`."""

from collections.abc import Iterator
from math import inf
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Widths = list[int]
RESET, SHARED = "reset", "shared_even_odd"
PAIRS = ("axis-order", "axis-lost", "sine-cosine-order", "rotation-sign", "shifted-position")
LADDER = ("axis-ladder", "axis-width", "axis-blocks", "frequency-exponent")


@complete
def cos_sin() -> Iterator[Group]:
    """Yield the cases of ``axial_rope.cos_sin``."""
    yield from grouped("axial_rope.cos_sin", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    ladder: tuple[Widths, float, str],
    positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("axial_rope.C1",),
) -> Row:
    widths, base, frequencies = ladder
    params = {"axis_dims": widths, "base": base, "frequencies": frequencies}
    shown = f"{slug(widths)}-b{slug(base)}-{frequencies.replace('_', '-')}-{name}"
    if base != 10000.0 and max(widths) > 2:
        flags = (*flags, "fixed-base")
    if frequencies == SHARED and "axis-order" in flags:
        flags = (*flags, "axis-parity")
    if "axis-width" in flags and len(set(widths)) == 1:
        flags = (*flags, "axis-rule")
    return params, Case(f"axial-rope-cos-sin-{shown}", comment, {"positions": positions}, clauses, flags)


def _places(*rows: tuple[int, ...]) -> Tensor:
    """Return the coordinates of tokens."""
    return integers([value for row in rows for value in row], (len(rows), len(rows[0])))


def _values() -> Iterator[Row]:
    for frequencies in (RESET, SHARED):
        yield _case(
            "worked",
            "The worked angles: coordinates 3 and 5, width 8.",
            ([4, 4], 10000.0, frequencies),
            _places((3, 5)),
            *PAIRS,
            *LADDER,
        )
        yield _case(
            "report",
            "Row 1, column 2: one frequency an axis.",
            ([2, 2], 10000.0, frequencies),
            _places((1, 2)),
            "axis-order",
            "axis-lost",
            "shifted-position",
            "sine-cosine-order",
        )
        grid = [(y, x) for y in range(2) for x in range(3)]
        yield _case(
            "grid",
            "A grid that is not square, from its corner.",
            ([8, 8], 500000.0, frequencies),
            _places(*grid),
            "position-zero",
            *PAIRS,
            *LADDER,
        )
        yield _case(
            "wide",
            "A usual head.",
            ([32, 32], 10000.0, frequencies),
            _places((31, 7), (2, 27)),
            *PAIRS,
            *LADDER,
        )
        yield from _far(frequencies)
    yield from _many_axes()


def _many_axes() -> Iterator[Row]:
    split = ("axis-split", *PAIRS, *LADDER)
    frames = _places((1, 2, 5), (4, 0, 3), (7, 6, 1))
    text = "Time, row and column; time has the rest of the width."
    yield _case("video", text, ([24, 20, 20], 10000.0, RESET), frames, *split)
    yield _case("video", "Another split.", ([4, 6, 6], 256.5, RESET), frames, *split)
    yield _case("video", "Narrow time.", ([2, 4, 8], 1e6, RESET), frames, *split)
    line = _places((1,), (5,), (-40,))
    text = "One axis: RoPE itself."
    yield _case("line", text, ([8], 10000.0, RESET), line, "sine-cosine-order", "rotation-sign")
    four = _places((1, 2, 3, 4), (9, 0, -2, 5))
    yield _case("four", "Four axes.", ([4, 2, 2, 6], 100.5, RESET), four, "axis-split", *PAIRS)


def _far(frequencies: str) -> Iterator[Row]:
    short = ([4, 4], 10000.0, frequencies)
    sign = ("negative-position", "unsigned-position", *PAIRS, *LADDER)
    negative = _places((-3, 5), (4, -1), (-17, -300))
    yield _case("negative", "Coordinates of both signs.", short, negative, *sign)
    halves = tensor("float64", (0.5, -1.25, 2.75, 0.1, -3.3, 40.625), (3, 2))
    fraction = ("truncated-position", *PAIRS, *LADDER)
    yield _case("fractions", "Between patches.", ([6, 6], 100.0, frequencies), halves, *fraction)
    single = tensor("float32", (0.25, 7.5, -0.125, 31.0625), (2, 2))
    text = "Fractions handed over as float32, as resized grids make them."
    yield _case("fractions-f32", text, short, single, *fraction)
    powers = _places(*((2**n + 1, 2 ** (n + 1) - 1) for n in range(8, 13)))
    rounded = ("position-rounding", "angle-rounding", *PAIRS)
    yield _case("powers", "Neighbours of powers of two.", short, powers, *rounded)
    far = _places((2**53, 355), (-1_000_003, 6_134_899_525_417_045))
    clauses = ("axial_rope.C1", "conventions.C4")
    text = "Near multiples of pi, up to 2^53: only float64 can resolve them."
    yield _case("far", text, short, far, clauses=clauses)
    yield _case("empty", "No token.", short, integers((), (0, 2)), "empty")


def _refused() -> Iterator[Group]:
    params: dict[str, Any] = {"axis_dims": [4, 4], "base": 10000.0, "frequencies": RESET}
    base = Baseline("axial_rope.cos_sin", {"positions": _places((0, 1), (2, 5), (7, 3))}, params)

    def refuse(name: str, parameter: str, comment: str, clause: str = "axial_rope.C2", **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("odd-width", "axis_dims", "An odd width has no pairs.", axis_dims=[4, 3])
    yield refuse("zero-width", "axis_dims", "An axis without a pair.", axis_dims=[0, 4])
    yield refuse("negative-width", "axis_dims", "A negative width.", axis_dims=[4, -2])
    yield refuse("no-axis", "axis_dims", "No axis.", axis_dims=[])
    yield refuse("one-number", "axis_dims", "An integer, no list.", axis_dims=8)
    yield refuse("float-width", "axis_dims", "A width is an integer.", "conventions.C6", axis_dims=[4, 4.0])
    shared: dict[str, Any] = {"frequencies": SHARED}
    yield refuse(
        "shared-unequal", "axis_dims", "One ladder for two unequal axes.", axis_dims=[4, 8], **shared
    )
    three = {"positions": _places((0, 1, 2))}
    yield base.refuse(
        "shared-three",
        ("INVALID_PARAMETER", "axis_dims"),
        "axial_rope.C2",
        "Even and odd are two.",
        inputs=three,
        axis_dims=[4, 4, 4],
        **shared,
    )
    yield refuse("base-1", "base", "All frequencies would be 1.", base=1.0)
    yield refuse("base-negative", "base", "A negative base.", base=-10000.0)
    yield refuse("base-infinite", "base", "An infinite base.", base=inf)
    yield refuse("unknown-rule", "frequencies", "No such rule.", "conventions.C6", frequencies="continued")
    for name in params:
        missing = ("MISSING_PARAMETER", name)
        shown = name.replace("_", "-")
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "Left out.", without=(name,))
    yield from _refused_positions(base, three["positions"])


def _refused_positions(base: Baseline, three: Tensor) -> Iterator[Group]:
    def refuse(name: str, kind: str, clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, (kind, "positions"), clause, comment, inputs={"positions": given})

    clause = "axial_rope.C2"
    yield refuse("more-axes", "INVALID_SHAPE", clause, "Three coordinates, two widths.", three)
    yield refuse("fewer-axes", "INVALID_SHAPE", clause, "One coordinate, two widths.", _places((3,), (5,)))
    yield refuse("rank-1", "INVALID_SHAPE", "conventions.C5", "A single token, no axis.", integers((3, 5)))
    clause = "conventions.C4"
    yield refuse("above-limit", "OUT_OF_RANGE", clause, "One beyond 2^53.", _places((0, 2**53 + 1)))
    infinite = tensor("float64", (0.0, inf), (1, 2))
    yield refuse("infinite", "INVALID_PARAMETER", clause, "An infinite coordinate.", infinite)
    yield refuse("boolean", "INVALID_DTYPE", clause, "A mask.", tensor("bool", (0, 1), (1, 2)))
