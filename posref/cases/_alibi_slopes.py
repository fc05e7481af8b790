"""Cases of ``alibi.slopes``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped
from posref.cases._refused import complete
from posref.operation import Case, Group


@complete
def slopes() -> Iterator[Group]:
    """Yield the cases of ``alibi.slopes``."""
    yield from grouped("alibi.slopes", _slopes())
    yield from _slopes_refused()


def _slope(
    name: str,
    comment: str,
    num_heads: int,
    *flags: str,
    clauses: tuple[str, ...] = ("alibi.C2",),
    bias_max: float = 8.0,
    head_start: int = 0,
    head_count: int | None = None,
) -> Row:
    params = {
        "num_heads": num_heads,
        "bias_max": bias_max,
        "head_start": head_start,
        "head_count": head_count,
    }
    return params, Case(f"alibi-slopes-{name}", comment, {}, clauses, flags)


def _slopes() -> Iterator[Row]:
    power, other = ("alibi.C1",), ("slope-start", "slope-rule", "slope-order")
    yield _slope("h1", "One head: 2^-8.", 1, "one-head", "slope-start", clauses=power)
    for heads in (2, 4, 8, 16, 32, 64):
        yield _slope(f"h{heads}", "A power of two: plain geometric.", heads, "slope-start", clauses=power)
    yield _slope("h128", "A power of two of big models.", 128, "slope-start", clauses=power)
    yield _slope("h3", "The smallest count with an extra head.", 3, *other)
    yield _slope("h5", "One extra head.", 5, *other)
    yield _slope("h6", "Two extra heads, the count of the public report.", 6, *other)
    yield _slope("h7", "One short of a power of two: the extra heads run to the end.", 7, *other)
    yield _slope("h12", "The count of small published models.", 12, *other)
    yield _slope("h20", "Four extra heads.", 20, *other)
    yield _slope("h25", "One short of no pattern: nine extra heads.", 25, *other)
    yield _slope("h40", "Eight extra heads, a 13B model.", 40, *other)
    yield _slope("h71", "An odd count of a published model.", 71, *other)
    yield _slope("h112", "BLOOM: 48 extra heads.", 112, *other)
    yield from _slopes_max()
    yield from _slopes_share()


def _slopes_max() -> Iterator[Row]:
    both, largest = ("alibi.C2", "alibi.C4"), ("bias-max", "slope-start")
    yield _slope(
        "h8-max4", "A smaller largest exponent.", 8, *largest, clauses=("alibi.C1", "alibi.C4"), bias_max=4.0
    )
    yield _slope("h12-max16", "A larger one, with extra heads.", 12, *largest, clauses=both, bias_max=16.0)
    yield _slope(
        "h6-max10.5",
        "A fractional one: no slope is a power of two.",
        6,
        *largest,
        clauses=both,
        bias_max=10.5,
    )
    yield _slope("h20-max0.1", "A tiny one: all slopes near 1.", 20, "bias-max", clauses=both, bias_max=0.1)
    yield _slope(
        "h4-max140",
        "Exponents to -140: the last slope underflows in the half formats.",
        4,
        "bias-max",
        "slope-start",
        clauses=("alibi.C1", "conventions.C2"),
        bias_max=140.0,
    )


def _slopes_share() -> Iterator[Row]:
    clauses, share = ("alibi.C3",), ("slope-share", "share-start")
    text = "A rank's share: the rule sees all heads of the model."
    yield _slope("h16-share", text, 16, *share, clauses=clauses, head_start=4, head_count=4)
    yield _slope("h12-first-share", text, 12, "slope-share", clauses=clauses, head_count=6)
    yield _slope("h12-last-share", text, 12, *share, clauses=clauses, head_start=6, head_count=6)
    yield _slope("h112-share", text, 112, *share, clauses=clauses, head_start=56, head_count=28)
    yield _slope("h20-rest", "No count: all heads that follow.", 20, *share, clauses=clauses, head_start=13)
    yield _slope(
        "h40-max6-share",
        "Everything at once.",
        40,
        *share,
        "bias-max",
        clauses=("alibi.C3", "alibi.C4"),
        bias_max=6.0,
        head_start=30,
        head_count=10,
    )


def _slopes_refused() -> Iterator[Group]:
    params = {"num_heads": 12, "bias_max": 8.0, "head_start": 0, "head_count": None}
    base = Baseline("alibi.slopes", {}, params)

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("no-heads", "num_heads", "alibi.C4", "No head.", num_heads=0)
    yield refuse("negative-heads", "num_heads", "alibi.C4", "A negative count.", num_heads=-4)
    yield refuse("float-heads", "num_heads", "conventions.C6", "A count is an integer.", num_heads=8.0)
    yield refuse("boolean-heads", "num_heads", "conventions.C6", "A boolean is no count.", num_heads=True)
    yield refuse("zero-max", "bias_max", "alibi.C4", "All slopes would be 1.", bias_max=0.0)
    yield refuse("negative-max", "bias_max", "alibi.C4", "A bonus for distance.", bias_max=-8.0)
    yield refuse("negative-start", "head_start", "alibi.C3", "A share before head 0.", head_start=-1)
    yield refuse("late-start", "head_start", "alibi.C3", "A share after the last head.", head_start=12)
    yield refuse("empty-share", "head_count", "alibi.C3", "A share of no head.", head_count=0)
    yield refuse(
        "long-share", "head_count", "alibi.C3", "A share past the last head.", head_start=8, head_count=5
    )
    for name in ("num_heads", "bias_max"):
        missing = ("MISSING_PARAMETER", name)
        yield base.refuse(
            f"missing-{name.replace('_', '-')}", missing, "conventions.C6", "Left out.", without=(name,)
        )
