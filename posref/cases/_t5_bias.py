"""Cases of ``t5.bias``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._t5_numbers import Numbers, numbered, refused_numbers
from posref.operation import Case, Group, Tensor


@complete
def bias() -> Iterator[Group]:
    """Yield the cases of ``t5.bias``."""
    for group in grouped("t5.bias", _biases()):
        yield Group(group.name, group.operation, group.params, group.cases, signed_zero="strict")
    inputs = {
        "table": draw("t5-bias-invalid", "table", (32, 3), "bfloat16"),
        "q_positions": integers((3, 4)),
        "k_positions": integers(range(5)),
    }
    base = Baseline("t5.bias", inputs, numbered((32, 128, True)))
    yield from refused_numbers(base)
    yield from _refused_tables(base)


def _bias(
    name: str,
    comment: str,
    numbers: Numbers,
    table: tuple[int, Kind],
    positions: tuple[Tensor, Tensor],
    *flags: str,
    clauses: tuple[str, ...] = ("t5.C3",),
) -> Row:
    heads, kind = table
    case_id = f"t5-bias-{name}-{SUFFIX[kind]}"
    values = draw(case_id, "table", (numbers[0], heads), kind)
    inputs = {"table": values, "q_positions": positions[0], "k_positions": positions[1]}
    return numbered(numbers), Case(case_id, comment, inputs, clauses, flags)


HEADS = ("bias-head", "table-axes")


def _biases() -> Iterator[Row]:
    yield _bias(
        "encoder",
        "Keys on both sides, three heads.",
        (32, 128, True),
        (3, "bfloat16"),
        (integers((0, 40, 200)), integers(range(0, 240, 11))),
        "bucket-side",
        "bucket-causal",
        "bucket-rounding",
        "bucket-clamp",
        "restarted-positions",
        "end-alignment",
        "relative-direction",
        *HEADS,
    )
    yield _bias(
        "decoder",
        "A causal table, five heads; future keys are at bucket 0.",
        (32, 128, False),
        (5, "float32"),
        (integers((3, 150)), integers((0, 2, 3, 4, 21, 30, 86, 134, 149, 150, 160))),
        "bucket-direction",
        "bucket-rounding",
        "relative-direction",
        "restarted-positions",
        *HEADS,
    )
    yield _bias(
        "decode",
        "One query at position 20 against its cache: buckets 17, 16, 12, 1, 0.",
        (32, 128, False),
        (2, "bfloat16"),
        (integers((20,)), integers((0, 4, 8, 19, 20))),
        "cross-lengths",
        "restarted-positions",
        "end-alignment",
        "decode-bias",
        "bucket-direction",
        *HEADS,
    )
    yield _bias(
        "other-distance",
        "64 buckets to 256, full float64.",
        (64, 256, True),
        (3, "float64"),
        (integers((300, 7)), integers((0, 44, 172, 236, 268, 284, 300, 332, 364, 428, 556))),
        "max-distance",
        "bucket-side",
        "restarted-positions",
        *HEADS,
    )
    yield _bias(
        "small",
        "Eight buckets, one head: every value is moved.",
        (8, 20, True),
        (1, "float32"),
        (integers((-3, 11)), integers(range(-9, 16, 3))),
        "bucket-side",
        "restarted-positions",
        "max-distance",
        clauses=("t5.C3", "conventions.C4"),
    )
    yield _bias(
        "batch",
        "Left-padded rows: each has positions of its own.",
        (16, 40, False),
        (3, "bfloat16"),
        (
            integers((24, 25, 26, 1, 2, 3), (2, 3)),
            integers((0, 3, 6, 12, 20, 24, 26, 1, 1, 1, 0, 1, 2, 3), (2, 7)),
        ),
        "batch-rows",
        "bucket-direction",
        *HEADS,
        clauses=("t5.C3", "conventions.C5"),
    )
    yield from _special()


def _special() -> Iterator[Row]:
    inputs = {
        "table": tensor("bfloat16", (-0.0, 1.5, 0.0, -2.0, -0.0, 256.0, 0.0, -0.5), (4, 2)),
        "q_positions": integers((6,)),
        "k_positions": integers((6, 5, 4, 0, 7)),
    }
    case = Case(
        "t5-bias-signed-zeros-bf16",
        "Zeros of both signs: what is moved keeps its bits.",
        inputs,
        ("t5.C3", "conventions.C2"),
        ("bias-head", "decode-bias", "cross-lengths"),
    )
    yield numbered((4, 5, False)), case
    empty = integers(())
    yield _bias(
        "no-queries", "No query.", (8, 20, True), (2, "float32"), (empty, integers(range(3))), "empty"
    )
    yield _bias("no-keys", "No key.", (8, 20, False), (2, "bfloat16"), (integers((4, 5)), empty), "empty")


def _refused_tables(base: Baseline) -> Iterator[Group]:
    shape = ("INVALID_SHAPE", "table")
    for rows, comment in ((31, "A row too few."), (16, "A table of one side."), (33, "A row too many.")):
        short = draw("t5-bias-invalid", "table", (rows, 3), "bfloat16")
        yield base.refuse(f"table-{rows}", shape, "t5.C3", comment, inputs={"table": short})
    rank = draw("t5-bias-invalid", "table", (32,), "bfloat16")
    yield base.refuse("table-rank", shape, "t5.C3", "A bias without heads.", inputs={"table": rank})
    yield base.refuse(
        "table-infinite",
        ("INVALID_PARAMETER", "table"),
        "conventions.C3",
        "An infinite bias.",
        inputs={"table": tensor("float32", (*(1.0, 2.0) * 31, 3.0, float("inf")), (32, 2))},
    )
    yield base.refuse(
        "table-integer",
        ("INVALID_DTYPE", "table"),
        "conventions.C3",
        "Integer biases.",
        inputs={"table": integers(range(64), (32, 2))},
    )
    yield base.refuse(
        "rows",
        ("INVALID_SHAPE", "k_positions"),
        "conventions.C5",
        "Two rows of queries, three of keys.",
        inputs={
            "q_positions": integers((3, 4, 5, 6), (2, 2)),
            "k_positions": integers(range(6), (3, 2)),
        },
    )
    yield base.refuse(
        "k-fractional",
        ("INVALID_DTYPE", "k_positions"),
        "conventions.C4",
        "A fractional position.",
        inputs={"k_positions": tensor("float64", (0.5, 2.0))},
    )
