"""Cases of the operations in `spec/schemes/temperature.md`."""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, slug
from posref.cases._refused import complete
from posref.cases._rope_common import refused_positions
from posref.operation import Case, Group, Tensor

Choice = tuple[float, int, bool]
"""Strength, tokens a step, whether one is added."""

FORMULA = ("step-first", "step-logarithm", "strength-place", "growth-alone")
EDGE = ("step-edge", "step-origin")


@complete
def scale() -> Iterator[Group]:
    """Yield the cases of ``temperature.scale``."""
    yield from grouped("temperature.scale", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    choice: Choice,
    positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("temperature.C1",),
) -> Row:
    beta, length, plus_one = choice
    params = {"beta": beta, "floor_scale": length, "plus_one": plus_one}
    shown = f"b{slug(beta)}-f{length}-{'plus-one' if plus_one else 'plain'}-{name}"
    return params, Case(f"temperature-scale-{shown}", comment, {"positions": positions}, clauses, flags)


def _values() -> Iterator[Row]:
    for plus_one in (False, True):
        yield from _near(plus_one)
        yield from _far(plus_one)
    yield _case(
        "minus-one",
        "Position -1 counts 0 tokens.",
        (0.1, 4, True),
        integers((-1, 0, 2, 3, 11)),
        *EDGE,
        *FORMULA,
    )
    batch = integers((9000, 3, 17000, 40, 8191, 123_456, 24_575, 8192), (2, 4))
    rows = ("batch-rows", "restarted-positions", *EDGE, *FORMULA)
    clauses = ("temperature.C1", "conventions.C5")
    yield _case("batch", "A row of positions a sequence.", (0.1, 8192, True), batch, *rows, clauses=clauses)
    one = integers((7, 20, 600), (3, 1))
    yield _case("batch-one", "One token a row.", (0.75, 8, False), one, "batch-rows", *FORMULA)
    yield _case("none", "Strength 0: no scale.", (0.0, 8192, True), integers((0, 8191, 70_000)))
    yield _case("empty", "No token.", (0.1, 8192, False), integers(()), "empty")


def _near(plus_one: bool) -> Iterator[Row]:
    edges = [8192 * k + rest for k in (1, 2, 3, 16) for rest in (-2, -1, 0, 1)]
    flags = (*EDGE, "position-zero", "step-floor", *FORMULA)
    text = "Around the edges of steps; the token before a multiple tells the two rules apart."
    yield _case("released", text, (0.1, 8192, plus_one), integers((0, 1, *edges)), *flags)
    single = ("position-zero", "step-length", "shifted-step", *FORMULA[:2], *FORMULA[3:])
    yield _case(
        "single", "Steps of one token.", (1.0, 1, plus_one), integers(range(12)), *single, "step-origin"
    )
    text = "Steps whose length is no power of two."
    yield _case(
        "odd", text, (0.5, 7, plus_one), integers(range(5, 23)), *EDGE, "step-floor", "step-length", *FORMULA
    )
    offset = ("step-length", "restarted-positions", *FORMULA[1:])
    text = "A chunk of a prompt, another strength."
    yield _case("chunk", text, (0.3, 4096, plus_one), integers((131_000, 131_072, 140_001)), *offset)
    yield _case(
        "strong",
        "The growth outweighs the one.",
        (37.5, 100, plus_one),
        integers((99, 100, 101, 5000)),
        *EDGE,
        *FORMULA,
    )
    yield _case(
        "weak",
        "A strength that only float64 and float32 can see.",
        (2.0**-13, 64, plus_one),
        integers((63, 64, 1000, 4095)),
        "step-edge",
    )


def _far(plus_one: bool) -> Iterator[Row]:
    rounded = [2**n + rest for n in (24, 25, 26, 27) for rest in (-1, 0, 1)]
    yield _case(
        "beyond-float32",
        "Edges of steps where a float32 position is rounded into the next one.",
        (0.1, 8192, plus_one),
        integers(rounded),
        "step-edge",
    )
    length = 2**25
    long = [length * k + rest - int(plus_one) for k in (1, 2) for rest in (-1, 0, 1)]
    text = "The same where a step is long: it shows in every dtype."
    choice = (1.0, length, plus_one)
    yield _case("long", text, choice, integers(long), *EDGE, "position-rounding", "step-length", *FORMULA[:2])
    length, limit = 1_000_003, 2**53
    places = (length * 5 - 1, length * 5, limit - 1, limit)
    clauses = ("temperature.C1", "conventions.C4")
    text = "Up to the largest position."
    yield _case("limit", text, (0.1, length, plus_one), integers(places), *EDGE, clauses=clauses)
    yield _case("limit", text, (0.1, 1, plus_one), integers(places), "step-length", clauses=clauses)
    text = "A step longer than any position."
    yield _case("never", text, (0.1, 10**17, plus_one), integers((0, limit)), "step-length")


def _refused() -> Iterator[Group]:
    params: dict[str, Any] = {"beta": 0.1, "floor_scale": 8192, "plus_one": True}
    base = Baseline("temperature.scale", {"positions": integers((8190, 8191, 8192))}, params)
    yield from refused_positions(base, fractional=False)

    def refuse(
        name: str, parameter: str, comment: str, clause: str = "temperature.C1", **wrong: Any
    ) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    for least, plus_one in product((0, -1), (False, True)):
        if (least == -1) == plus_one:
            yield base.refuse(
                f"below-{'minus-one' if plus_one else 'zero'}",
                ("OUT_OF_RANGE", "positions"),
                "temperature.C1",
                "A negative count has no logarithm.",
                inputs={"positions": integers((5, least - 1, 9))},
                plus_one=plus_one,
            )
    yield refuse("beta-negative", "beta", "Later queries would shrink.", beta=-0.1)
    yield refuse("beta-infinite", "beta", "An infinite strength.", beta=inf)
    yield refuse("beta-text", "beta", "A word.", "conventions.C6", beta="0.1")
    yield refuse("length-0", "floor_scale", "Steps of no token.", floor_scale=0)
    yield refuse("length-negative", "floor_scale", "A negative step.", floor_scale=-8192)
    yield refuse("length-float", "floor_scale", "Tokens are counted.", "conventions.C6", floor_scale=8192.0)
    yield refuse("plus-one-integer", "plus_one", "A number is no boolean.", "conventions.C6", plus_one=1)
    for name in params:
        missing = ("MISSING_PARAMETER", name)
        shown = name.replace("_", "-")
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "Left out.", without=(name,))
