"""Cases of ``learned.lookup``."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

SIGNED = (-0.0, 1.5, 0.0, -2.0, 0.0, -0.0, 0.75, -0.0, -1.0, 0.0, -0.0, 3.0)
"""Zeros of both signs in four rows of three."""


@complete
def lookup() -> Iterator[Group]:
    """Yield the cases of ``learned.lookup``; those with zeros of both signs are compared by bits."""
    yield from grouped("learned.lookup", _values())
    for group in grouped("learned.lookup", _signed()):
        yield replace(group, name=f"{group.name}-signed-zero", signed_zero="strict")
    yield from _refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    shape: tuple[int, int],
    offset: int,
    positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("learned.C1",),
) -> Row:
    case_id = f"learned-lookup-{name}-{SUFFIX[kind]}"
    inputs = {"table": draw(case_id, "table", shape, kind), "positions": positions}
    return {"offset": offset}, Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    moved = ("shifted-position", "end-alignment")
    yield _case(
        "prefill",
        "A prompt from position 0; the table is longer.",
        "bfloat16",
        (9, 6),
        0,
        integers(range(5)),
        *moved,
        "padding-row",
        "embedding-scale",
    )
    yield _case(
        "decode",
        "One token at the last position: the last row.",
        "float32",
        (11, 6),
        0,
        integers((10,)),
        "last-row",
        "restarted-positions",
        "embedding-scale",
    )
    yield _case(
        "scattered",
        "Unsorted positions, some twice.",
        "float64",
        (13, 5),
        0,
        integers((7, 0, 12, 7, 3, 1)),
        "last-row",
        "restarted-positions",
        "end-alignment",
        "padding-row",
        "embedding-scale",
    )
    for kind in ("bfloat16", "float32", "float64"):
        yield _case(
            "offset-2",
            "Two rows before position 0, up to the last row.",
            kind,
            (10, 7),
            2,
            integers((0, 1, 4, 7)),
            "table-offset",
            "last-row",
            "restarted-positions",
            "end-alignment",
            "embedding-scale",
        )
    yield _case(
        "offset-5",
        "Five rows before position 0.",
        "float32",
        (16, 4),
        5,
        integers((9, 8, 0, 2)),
        "table-offset",
        "restarted-positions",
        *moved,
    )
    yield from _batches()
    yield _case("wide", "A usual width.", "bfloat16", (6, 80), 1, integers((3, 0)), "table-offset", *moved)
    yield _case("one-row", "A table of one row.", "float32", (1, 8), 0, integers((0,)), "last-row")
    yield _case("empty", "No token.", "float64", (4, 3), 2, integers(()), "empty")


def _batches() -> Iterator[Row]:
    for kind in ("bfloat16", "float32"):
        yield _case(
            "batch",
            "Left-padded rows: each has positions of its own.",
            kind,
            (12, 6),
            2,
            integers((0, 0, 1, 2, 5, 6, 7, 8), (2, 4)),
            "batch-rows",
            "table-offset",
            "restarted-positions",
            *("end-alignment", "shifted-position"),
        )
    yield _case(
        "batch-heads",
        "Two batch axes, one token each.",
        "float64",
        (9, 4),
        0,
        integers((3, 8, 0, 5, 1, 7), (2, 3, 1)),
        "batch-rows",
        "restarted-positions",
        "last-row",
        "padding-row",
        clauses=("learned.C1", "conventions.C5"),
    )


def _signed() -> Iterator[Row]:
    text = "Zeros of both signs: a row is moved, so each keeps its sign."
    for kind in ("bfloat16", "float32", "float64"):
        for offset in (0, 1):
            inputs = {"table": tensor(kind, SIGNED, (4, 3)), "positions": integers((2, 0, 1))}
            case_id = f"learned-lookup-signed-zero-{offset}-{SUFFIX[kind]}"
            flags = ("table-offset", "restarted-positions") if offset else ("restarted-positions",)
            case = Case(case_id, text, inputs, ("learned.C1", "conventions.C2"), flags)
            yield {"offset": offset}, case


def _refused() -> Iterator[Group]:
    prefix = "learned-lookup-invalid"
    inputs = {"table": draw(prefix, "table", (6, 4), "bfloat16"), "positions": integers((0, 3))}
    base = Baseline("learned.lookup", inputs, {"offset": 2})

    def places(name: str, kind: str, clause: str, comment: str, given: Tensor, **params: Any) -> Group:
        return base.refuse(name, (kind, "positions"), clause, comment, inputs={"positions": given}, **params)

    outside, clause = "OUT_OF_RANGE", "learned.C2"
    yield places("beyond", outside, clause, "The first row that is not there.", integers((0, 4)))
    yield places("far-beyond", outside, clause, "Row 1000 of a short table.", integers((1000,)))
    yield places("beyond-plain", outside, clause, "As many as there are rows.", integers((6,)), offset=0)
    yield places("negative", outside, clause, "No row is counted from the end.", integers((0, -1)), offset=0)
    yield places("negative-inside", outside, clause, "Row 1 exists, position -1 does not.", integers((-1,)))
    yield base.refuse(
        "offset-beyond", (outside, "positions"), clause, "An offset past the table.", offset=2**60
    )
    yield places("fractional", "INVALID_DTYPE", "conventions.C4", "Between rows.", tensor("float64", (0.5,)))
    yield places("boolean", "INVALID_DTYPE", "conventions.C4", "A padding mask.", tensor("bool", (0, 1)))
    yield places("rank-0", "INVALID_SHAPE", "conventions.C5", "No token axis.", integers((3,), ()))
    yield places("limit", outside, "conventions.C4", "One beyond 2^53.", integers((2**53 + 1,)))
    invalid = ("INVALID_PARAMETER", "offset")
    yield base.refuse("negative-offset", invalid, clause, "Rows before position 0 are counted.", offset=-1)
    yield base.refuse("float-offset", invalid, "conventions.C6", "Rows are counted.", offset=2.0)
    table = {"table": tensor("bfloat16", (0.5, 1.0, 2.0))}
    yield base.refuse("rank", ("INVALID_SHAPE", "table"), "conventions.C5", "A single row.", inputs=table)
    table = {"table": integers(range(12), (6, 2))}
    yield base.refuse("integer", ("INVALID_DTYPE", "table"), "conventions.C3", "Integers.", inputs=table)
