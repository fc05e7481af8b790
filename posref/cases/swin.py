"""Cases of the operations in `spec/schemes/swin.md`."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped
from posref.cases._refused import complete
from posref.operation import Case, Group

Window = list[int]

ALWAYS = ("offset-direction", "window-origin", "window-unsigned")
OBLONG = (*ALWAYS, "window-axes", "window-stride", "window-flatten")


@complete
def index() -> Iterator[Group]:
    """Yield the cases of ``swin.index``."""
    rows: tuple[tuple[Window, str, tuple[str, ...]], ...] = (
        ([1, 1], "A single token: row 0.", ("axis-1",)),
        ([1, 4], "One row.", ("axis-1", *ALWAYS)),
        ([3, 1], "One column.", ("axis-1", *ALWAYS)),
        ([2, 2], "The worked square: row dy * 3 + dx + 4.", (*ALWAYS, "window-axes", "window-flatten")),
        ([2, 3], "Wider than high.", OBLONG),
        ([3, 2], "Higher than wide.", OBLONG),
        ([4, 5], "20 tokens.", OBLONG),
    )
    values = (_index(*row) for row in rows)
    yield from grouped("swin.index", values)
    yield from _refused_windows(Baseline("swin.index", {}, {"window": [2, 3]}), "window", "swin.C1")


def _index(window: Window, comment: str, flags: tuple[str, ...]) -> Row:
    name = f"swin-index-{window[0]}-{window[1]}"
    return {"window": window}, Case(name, comment, {}, ("swin.C1",), flags)


@complete
def log_coords() -> Iterator[Group]:
    """Yield the cases of ``swin.log_coords``."""
    yield from grouped("swin.log_coords", _coordinates())
    base = Baseline("swin.log_coords", {}, {"window": [4, 6], "pretrained_window": [3, 5]})
    yield from _refused_windows(base, "window", "swin.C2")
    yield from _refused_windows(base, "pretrained_window", "swin.C2")
    fault = ("INVALID_PARAMETER", "pretrained_window")
    for axis, before in (("height", [1, 5]), ("width", [3, 1])):
        comment = f"A {axis} of 1 in pretraining, more now: nothing to normalise by."
        yield base.refuse(f"pretrained-{axis}", fault, "swin.C2", comment, pretrained_window=before)


def _case(
    name: str,
    comment: str,
    window: Window,
    pretrained: Window | None,
    *flags: str,
    clauses: tuple[str, ...] = ("swin.C2",),
) -> Row:
    params = {"window": window, "pretrained_window": pretrained}
    return params, Case(f"swin-log-coords-{name}", comment, {}, clauses, flags)


def _coordinates() -> Iterator[Row]:
    logarithm = (
        "log-normalisation",
        "log-base",
        "log-scale",
        "log-missing",
        "window-unsigned",
    )
    scaled = ("window-size", "window-axes", *logarithm)
    yield _case("8-8", "The released window, normalised by itself.", [8, 8], None, "position-zero", *scaled)
    yield _case("2-5", "Wider than high.", [2, 5], None, *scaled)
    yield _case("4-3", "Higher than wide: order dy, dx.", [4, 3], None, *scaled)
    yield _case(
        "finer", "A finer window than that of pretraining.", [4, 3], [12, 9], "pretrained-ignored", *scaled
    )
    yield _case(
        "wider",
        "A wider window: coordinates beyond those of pretraining.",
        [5, 3],
        [2, 3],
        "pretrained-ignored",
        *scaled,
    )
    yield _case(
        "exact",
        "c is a whole number: 1, 3 and 7 give thirds and 1.",
        [2, 8],
        [5, 9],
        "pretrained-ignored",
        *scaled,
        clauses=("swin.C2", "conventions.C1"),
    )
    yield _case(
        "one-row", "One row: its coordinate is 0, not 0/0.", [1, 5], None, "axis-1", "window-size", *logarithm
    )
    yield _case(
        "one-column-pretrained",
        "One column, as in pretraining; the height is normalised by another.",
        [3, 1],
        [6, 1],
        "axis-1",
        "pretrained-ignored",
        "window-size",
        *logarithm,
    )
    yield _case("one-token", "A single token.", [1, 1], [4, 7], "axis-1", "position-zero")
    yield _case(
        "tiny",
        "Small offsets of a huge window: 1 + |c| needs more than half precision.",
        [2, 3],
        [4097, 1000],
        "log-precision",
        "pretrained-ignored",
        "window-axes",
        *logarithm,
    )


def _refused_windows(base: Baseline, name: str, clause: str) -> Iterator[Group]:
    fault, short = ("INVALID_PARAMETER", name), name.replace("_", "-")
    wrong: tuple[tuple[str, str, Any], ...] = (
        ("zero", "An axis without a token.", [0, 3]),
        ("negative", "A negative axis.", [3, -2]),
        ("one-number", "One number for both axes.", [7]),
        ("three", "Three axes.", [2, 7, 7]),
    )
    for label, comment, value in wrong:
        yield base.refuse(f"{short}-{label}", fault, clause, comment, **{name: value})
    scalar: dict[str, Any] = {name: 7}
    yield base.refuse(f"{short}-scalar", fault, "conventions.C6", "An integer, no list.", **scalar)
    missing = ("MISSING_PARAMETER", name)
    yield base.refuse(f"{short}-missing", missing, "conventions.C6", "Left out.", without=(name,))
