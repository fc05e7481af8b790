"""Cases of ``mrope.axis_of_channel`` and ``mrope.cos_sin``."""

from collections.abc import Iterator
from math import inf
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

CHUNKED, INTERLEAVED, PAIRED = "chunked", "interleaved", "hw_then_t"
Sections = list[int]


@complete
def axis_of_channel() -> Iterator[Group]:
    """Yield the cases of ``mrope.axis_of_channel``."""
    yield from grouped("mrope.axis_of_channel", _maps())
    yield from _maps_refused()


def _map(arrangement: str, sections: Sections, comment: str, *flags: str) -> Row:
    name = f"mrope-axis-of-channel-{slug(sections)}-{arrangement.replace('_', '-')}"
    if "section-arrangement" in flags and arrangement != INTERLEAVED:
        flags = (*flags, "section-listing", *(("section-pairs",) if arrangement == CHUNKED else ()))
    params = {"mrope_section": sections, "arrangement": arrangement}
    return params, Case(name, comment, {}, ("mrope.C1",), flags)


def _maps() -> Iterator[Row]:
    two = ("section-arrangement", "section-order", "axis-lost")
    rows: tuple[tuple[Sections, str], ...] = (
        ([2, 1, 1], "The worked sections, width 8."),
        ([16, 24, 24], "Qwen2-VL."),
        ([8, 12, 12], "GLM-4V: columns reach the end of the channels."),
        ([11, 11, 10], "Qwen3.5."),
    )
    for sections, comment in rows:
        for arrangement in (CHUNKED, INTERLEAVED):
            yield _map(arrangement, sections, comment, *two)
    yield _map(INTERLEAVED, [24, 20, 20], "Qwen3-VL: the tail is time.", "section-tail", *two)
    yield _map(INTERLEAVED, [5, 1, 2], "A tail after one row and two columns.", "section-tail", *two)
    yield _map(INTERLEAVED, [1, 3, 0], "Rows alone; three times their section exceeds the width.")
    yield _map(CHUNKED, [3, 1, 2], "Three different sections.", *two)
    for arrangement in (CHUNKED, INTERLEAVED, PAIRED):
        yield _map(arrangement, [3, 0, 0], "Time alone.", "zero-section")
        yield _map(arrangement, [0, 2, 2], "No time in the sections.", "zero-section", "axis-lost")
    yield _map(CHUNKED, [2, 0, 3], "No rows.", "zero-section", "section-order", "axis-lost")
    yield _map(INTERLEAVED, [2, 3, 0], "No columns.", "zero-section", "section-order", "axis-lost")
    yield _map(CHUNKED, [0, 0, 1], "One channel.", "zero-section", "axis-lost")
    paired = ("section-arrangement", "section-order", "section-time", "section-blocks", "axis-lost")
    yield _map(PAIRED, [20, 22, 22], "Ernie-4.5-VL.", *paired)
    yield _map(PAIRED, [2, 3, 3], "More rows than time.", *paired)
    yield _map(PAIRED, [5, 2, 2], "More time than rows.", *paired)
    yield _map(PAIRED, [1, 1, 1], "One channel an axis.", "section-time")


def _maps_refused() -> Iterator[Group]:
    params: dict[str, Any] = {"mrope_section": [2, 1, 1], "arrangement": CHUNKED}
    base = Baseline("mrope.axis_of_channel", {}, params)

    def refuse(name: str, comment: str, clause: str = "mrope.C1", **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", next(iter(wrong))), clause, comment, **wrong)

    yield refuse("empty-sections", "No channel.", mrope_section=[0, 0, 0])
    yield refuse("negative-section", "A negative section.", mrope_section=[4, -1, 1])
    yield refuse("two-sections", "Two sections.", mrope_section=[2, 2])
    yield refuse("four-sections", "Four sections, as some runtimes have.", mrope_section=[2, 1, 1, 0])
    yield refuse("one-number", "An integer, no list.", mrope_section=4)
    yield refuse("float-section", "Channels are counted.", "conventions.C6", mrope_section=[2, 1.0, 1])
    yield base.refuse(
        "unequal-pairs",
        ("INVALID_PARAMETER", "mrope_section"),
        "mrope.C1",
        "Rows and columns cannot alternate.",
        mrope_section=[2, 2, 1],
        arrangement=PAIRED,
    )
    yield refuse("unknown", "Another library's word.", "conventions.C6", arrangement="contiguous")
    for name in params:
        missing = ("MISSING_PARAMETER", name)
        shown = name.replace("_", "-")
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "Left out.", without=(name,))


@complete
def cos_sin() -> Iterator[Group]:
    """Yield the cases of ``mrope.cos_sin``."""
    yield from grouped("mrope.cos_sin", _tables())
    yield from _tables_refused()


TENTHS = tensor("float64", (1.0, 0.1, 0.01, 0.001))
SINGLE = tensor("float32", (1.0, 13421773 * 2.0**-27, 10737418 * 2.0**-30, 8589935 * 2.0**-33))
AXES = {CHUNKED: integers((0, 0, 1, 2)), INTERLEAVED: integers((0, 1, 2, 0)), PAIRED: integers((1, 2, 0, 0))}
ROWS = ("axis-order", "axis-lost", "axis-rule", "sine-cosine-order", "rotation-sign", "shifted-position")


def _table(
    name: str,
    comment: str,
    positions: Tensor,
    axes: Tensor,
    inv_freq: Tensor | Kind,
    *flags: str,
    clauses: tuple[str, ...] = ("mrope.C2",),
    factor: float = 1.0,
) -> Row:
    case_id = f"mrope-cos-sin-{name}"
    if not isinstance(inv_freq, Tensor):
        inv_freq = draw(case_id, "inv_freq", axes.shape, inv_freq)
    inputs = {"positions": positions, "inv_freq": inv_freq, "axis_of_channel": axes}
    if factor != 1.0:
        flags = (*flags, "magnitude")
    return {"attention_factor": factor}, Case(case_id, comment, inputs, clauses, flags)


def places(*axes: tuple[int, ...]) -> Tensor:
    """Return the positions on each axis."""
    return integers([value for axis in axes for value in axis], (len(axes), len(axes[0])))


def _tables() -> Iterator[Row]:
    for name, axes in AXES.items():
        shown = name.replace("_", "-")
        text = "The worked angles: time 5, row 7, column 9."
        yield _table(f"worked-{shown}", text, places((5,), (7,), (9,)), axes, TENTHS, *ROWS)
        text = "An image after text: its rows and columns differ."
        image = places((0, 1, 2, 2, 2, 2, 5), (0, 1, 2, 2, 3, 3, 5), (0, 1, 2, 3, 2, 3, 5))
        flags = ("position-zero", *ROWS[1:])
        yield _table(f"image-{shown}", text, image, axes, SINGLE, *flags)
    text = "Text: all axes agree, and so do all arrangements."
    line = places(*((40, 41, 42),) * 3)
    plain = ("sine-cosine-order", "rotation-sign", "shifted-position")
    yield _table("text", text, line, AXES[CHUNKED], SINGLE, *plain)
    yield from _tables_shapes()
    yield from _tables_far()


def _tables_shapes() -> Iterator[Row]:
    frames = places((3, 3, 5, 5), (3, 4, 3, 4), (9, 8, 7, 6))
    axes = integers((0,) * 3 + (1,) * 5 + (2,) * 4)
    yield _table("wide-chunked", "12 channels, in blocks.", frames, axes, "float32", *ROWS)
    axes = integers((0, 1, 2) * 4 + (0, 0))
    yield _table("wide-interleaved", "14 channels, in turn.", frames, axes, "float64", *ROWS)
    text = "A magnitude factor."
    yield _table("factor", text, frames, AXES[INTERLEAVED], SINGLE, *ROWS, factor=1.1386294361119891)
    yield _table("factor-double", text, frames, AXES[CHUNKED], "float64", *ROWS, factor=0.75)
    two = places((5, 6, 2), (1, 0, 8))
    yield _table("two-axes", "Two axes.", two, integers((1, 0, 1)), "float32", "axis-lost", "axis-rule")
    four = places((5, 6), (1, 0), (8, 3), (-2, 11))
    yield _table("four-axes", "Four axes, one unread.", four, integers((3, 0, 1, 1)), "float64", "axis-lost")
    one = places((1, 7, -9))
    yield _table("one-axis", "One axis: the table of RoPE.", one, integers((0, 0)), "float32")
    nothing = integers((), (3, 0))
    yield _table("empty", "No token.", nothing, AXES[CHUNKED], SINGLE, "empty")


def _tables_far() -> Iterator[Row]:
    negative = places((-5, 4, -1), (-7, 2, 0), (9, -300, -17))
    flags = ("negative-position", "unsigned-position", *ROWS)
    yield _table("negative", "Positions of both signs.", negative, AXES[CHUNKED], SINGLE, *flags)
    parts = tensor("float64", (0.5, -1.25, 2.75, 0.1, -3.3, 40.625), (3, 2))
    fraction = ("truncated-position", *ROWS[1:])
    yield _table("fractions", "Between patches.", parts, AXES[INTERLEAVED], TENTHS, *fraction)
    single = tensor("float32", (0.25, 7.5, -0.125, 31.0625, 5.5, 9.25), (3, 2))
    yield _table("fractions-f32", "Fractions as float32.", single, AXES[PAIRED], SINGLE, *fraction)
    powers = [[2**n + rest for n in range(8, 13)] for rest in (1, 3, 5)]
    rounded = ("position-rounding", "angle-rounding", "axis-lost")
    near = integers([value for axis in powers for value in axis], (3, 5))
    yield _table("powers", "Above powers of two.", near, AXES[INTERLEAVED], SINGLE, *rounded)
    limit = 2**53
    far = places((limit, 355), (-1_000_003, 6_134_899_525_417_045), (22, -limit))
    clauses = ("mrope.C2", "conventions.C4")
    text = "Near multiples of pi, up to 2^53: only float64 can resolve them."
    yield _table("far", text, far, AXES[CHUNKED], TENTHS, clauses=clauses)


def _tables_refused() -> Iterator[Group]:
    inputs = {
        "positions": places((5, 6), (7, 8), (9, 4)),
        "inv_freq": SINGLE,
        "axis_of_channel": AXES[CHUNKED],
    }
    base = Baseline("mrope.cos_sin", inputs, {"attention_factor": 1.0})

    def refuse(name: str, fault: tuple[str, str], clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, fault, clause, comment, inputs={fault[1]: given})

    axis, where = "axis_of_channel", "positions"
    text = "A fourth axis of three."
    yield refuse("axis-beyond", ("OUT_OF_RANGE", axis), "mrope.C2", text, integers((0, 1, 3, 2)))
    yield refuse("axis-negative", ("OUT_OF_RANGE", axis), "mrope.C2", "Axis -1.", integers((0, -1, 2, 2)))
    yield refuse("axis-count", ("INVALID_SHAPE", axis), "mrope.C2", "Fewer axes.", integers((0, 1, 2)))
    halves = tensor("float32", (0.0, 1.0, 2.0, 0.0))
    yield refuse("axis-float", ("INVALID_DTYPE", axis), "conventions.C3", "No integers.", halves)
    yield refuse("one-row", ("INVALID_SHAPE", where), "mrope.C2", "Text without axes.", integers((5, 6)))
    text = "One beyond 2^53."
    beyond = places((0, 2**53 + 1), (1, 2), (3, 4))
    yield refuse("above-limit", ("OUT_OF_RANGE", where), "conventions.C4", text, beyond)
    infinite = tensor("float64", (0.0, inf, 1.0), (3, 1))
    yield refuse(
        "infinite", ("INVALID_PARAMETER", where), "conventions.C4", "An infinite position.", infinite
    )
    boolean = tensor("bool", (0, 1, 1), (3, 1))
    yield refuse("boolean", ("INVALID_DTYPE", where), "conventions.C4", "A mask.", boolean)
    for name, value in (("zero", 0.0), ("negative", -1.0), ("infinite", inf)):
        fault = ("INVALID_PARAMETER", "attention_factor")
        yield base.refuse(f"factor-{name}", fault, "mrope.C2", "No magnitude.", attention_factor=value)
