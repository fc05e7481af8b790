"""Known wrong implementations of the operations in `spec/schemes/mrope.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes import _mrope_ids
from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ignored import ignored
from posref.mistakes._precision import Change, short, shortened
from posref.operation import Mistake

MAP, TABLE = "mrope.axis_of_channel", "mrope.cos_sin"
Sections = list[int]


def arranged(sections: Sections, arrangement: str) -> Array:
    """Return the axes for sections that need not be legal."""
    time, rows, columns = sections
    count = time + rows + columns
    if arrangement == "chunked":
        return np.repeat([0, 1, 2], sections)
    if arrangement == "hw_then_t":
        turns = [1, 2] * max(rows, columns)
        return np.array(turns[: rows + columns] + [0] * time, np.int64)
    i = np.arange(count)
    is_row, is_column = (i % 3 == 1) & (i < 3 * rows), (i % 3 == 2) & (i < 3 * columns)
    return np.where(is_row, 1, np.where(is_column, 2, 0))


def _mapped(compute: Callable[[Sections, str], Array]) -> Callable[..., Any]:
    return called(MAP, lambda a: compute(list(a["mrope_section"]), a["arrangement"]).astype(np.int64))


def other_arrangement(sections: Sections, arrangement: str) -> Array:
    """Exchange sections in blocks and in turn."""
    return arranged(sections, "interleaved" if arrangement == "chunked" else "chunked")


def rows_and_columns(sections: Sections, arrangement: str) -> Array:
    """Exchange the codes of rows and columns."""
    return np.array([0, 2, 1])[arranged(sections, arrangement)]


def read_hwt(sections: Sections, arrangement: str) -> Array:
    """Read the sections in the order h, w, t."""
    return arranged([sections[2], sections[0], sections[1]], arrangement)


def without_limit(sections: Sections, arrangement: str) -> Array:
    """Deal interleaved channels out to the end."""
    return np.arange(sum(sections)) % 3 if arrangement == "interleaved" else arranged(sections, arrangement)


def in_coordinates(sections: Sections, arrangement: str) -> Array:
    """Lay the sections over the coordinates of the head: each is twice as long."""
    return arranged([2 * section for section in sections], arrangement)[: sum(sections)]


def time_first(sections: Sections, arrangement: str) -> Array:
    """Put time before rows and columns in turn."""
    axes = arranged(sections, arrangement)
    return np.roll(axes, sections[0]) if arrangement == "hw_then_t" else axes


def in_blocks(sections: Sections, arrangement: str) -> Array:
    """Put all rows before all columns."""
    if arrangement != "hw_then_t":
        return arranged(sections, arrangement)
    return np.repeat([1, 2, 0], [sections[1], sections[2], sections[0]])


def own_ladders(arguments: Arguments) -> Arguments:
    """Start the ladder again on each axis."""
    axes = np.asarray(arguments["axis_of_channel"])
    rank = [int(np.sum(axes[:n] == axes[n])) for n in range(axes.size)]
    return {"inv_freq": np.asarray(arguments["inv_freq"])[rank]}


def spatial_exchanged(arguments: Arguments) -> Arguments:
    """Exchange rows and columns, where there are three axes."""
    places = np.asarray(arguments["positions"])
    return {"positions": places[[0, 2, 1]] if len(places) == 3 else places}


def changed(arguments: Arguments, frequency: Change, angle: Change) -> tuple[Array, Array]:
    """Return the tables with frequencies and angles changed."""
    where = np.asarray(arguments["positions"], np.float64)[np.asarray(arguments["axis_of_channel"])].T
    omega = frequency(np.asarray(arguments["inv_freq"], np.float64))
    theta, factor = angle(where * omega), arguments["attention_factor"]
    return factor * np.cos(theta), factor * np.sin(theta)


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def _sections(*sections: int, arrangement: str = "chunked") -> dict[str, Any]:
    return {"inputs": {}, "params": {"mrope_section": list(sections), "arrangement": arrangement}}


IMAGE: Final[dict[str, Any]] = {
    "inputs": {"positions": [[0], [1], [2]], "inv_freq": [1.0, 1.0], "axis_of_channel": [1, 2]},
    "params": {},
}
"""One token at row 1, column 2."""

MAPS: Final = (
    _mistake(
        MAP,
        "other-arrangement",
        "section-arrangement",
        "sections in blocks give where they take turns, or the reverse",
        _mapped(other_arrangement),
        "https://github.com/alibaba/MNN/issues/4133",
        **_sections(2, 1, 1),
        output=[0, 1, 2, 0],
    ),
    _mistake(
        MAP,
        "rows-and-columns-exchanged",
        "section-order",
        "rows and columns interchanged give",
        _mapped(rows_and_columns),
        **_sections(2, 1, 1),
        output=[0, 0, 2, 1],
    ),
    _mistake(
        MAP,
        "read-as-hwt",
        "section-listing",
        "sections read in the order h, w, t give",
        _mapped(read_hwt),
        **_sections(2, 1, 1),
        output=[0, 1, 1, 2],
    ),
    _mistake(
        MAP,
        "no-limit",
        "section-tail",
        "interleaved channels dealt out to the end give: the tail belongs to time",
        _mapped(without_limit),
        **_sections(3, 1, 1, arrangement="interleaved"),
        output=[0, 1, 2, 0, 1],
    ),
    _mistake(
        MAP,
        "sections-of-coordinates",
        "section-pairs",
        "sections laid over the coordinates give: they count pairs",
        _mapped(in_coordinates),
        **_sections(2, 1, 1),
        output=[0, 0, 0, 0],
    ),
    _mistake(
        MAP,
        "time-first",
        "section-time",
        "time before rows and columns gives where it comes after them",
        _mapped(time_first),
    ),
    _mistake(
        MAP,
        "rows-before-columns",
        "section-blocks",
        "all rows before all columns give where they alternate",
        _mapped(in_blocks),
    ),
    _mistake(
        MAP,
        "time-alone",
        "axis-lost",
        "time for every channel gives: plain RoPE",
        _mapped(lambda sections, _: np.zeros(sum(sections))),
        "https://github.com/ml-explore/mlx-lm/issues/1507",
    ),
)

TABLES: Final = (
    _mistake(
        TABLE,
        "time-alone",
        "axis-lost",
        "the first axis for every channel gives",
        altered(TABLE, lambda a: {"axis_of_channel": np.zeros_like(a["axis_of_channel"])}),
        **IMAGE,
        output=[1.0, 1.0, 0.0, 0.0],
    ),
    _mistake(
        TABLE,
        "axes-exchanged",
        "axis-order",
        "row and column interchanged give",
        altered(TABLE, spatial_exchanged),
        **IMAGE,
        output=[-0.416146837, 0.540302306, 0.909297427, 0.841470985],
    ),
    _mistake(
        TABLE,
        "own-ladders",
        "axis-rule",
        "a ladder that starts again on each axis gives",
        altered(TABLE, own_ladders),
    ),
    _mistake(
        TABLE,
        "factor-forgotten",
        "magnitude",
        "tables without the factor give",
        altered(TABLE, lambda a: {"attention_factor": 1.0}),
        "https://github.com/ml-explore/mlx-lm/issues/1507",
    ),
    _mistake(
        TABLE,
        "factor-squared",
        "magnitude",
        "the factor applied twice gives",
        altered(TABLE, lambda a: {"attention_factor": a.get("attention_factor", 1.0) ** 2}),
    ),
    _mistake(
        TABLE,
        "exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        replaced(TABLE, lambda tables, _: (tables[1], tables[0])),
    ),
    _mistake(
        TABLE,
        "sine-negated",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        replaced(TABLE, lambda tables, _: (tables[0], -tables[1])),
    ),
    _mistake(
        TABLE,
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(TABLE, lambda given: changed(given, np.asarray, short)),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *shortened(TABLE, changed),
    *moved(TABLE, "positions-plus-1", "positions-absolute", "positions-truncated", "positions-bfloat16"),
)

MISTAKES: Final = (*MAPS, *TABLES, *_mrope_ids.MISTAKES, *ignored("mrope"))
