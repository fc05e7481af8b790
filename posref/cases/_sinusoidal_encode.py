"""Cases of ``sinusoidal.encode``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.cases._sinusoidal_generators import DENOMINATOR, refused_bases
from posref.operation import Case, Group, Tensor

Convention = tuple[int, float, str, str, str]
"""Width, base, denominator as in an id, layout, rule for an odd width."""


@complete
def encode() -> Iterator[Group]:
    """Yield the cases of ``sinusoidal.encode``."""
    yield from grouped("sinusoidal.encode", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    convention: Convention,
    positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("sinusoidal.C4",),
) -> Row:
    dim, base, denominator, layout, odd = convention
    params = {
        "dim": dim,
        "base": base,
        "denominator": DENOMINATOR[denominator],
        "layout": layout,
        "odd": odd,
    }
    shown = f"d{dim}-{layout.replace('_', '-')}-{denominator}"
    return params, Case(
        f"sinusoidal-encode-{shown}-{name}", comment, {"positions": positions}, clauses, flags
    )


def _values() -> Iterator[Row]:
    yield from _small()
    yield from _wide()
    yield from _powers()
    yield from _far()
    yield from _fractions()
    yield from _odd()
    yield from _batches()


def _small() -> Iterator[Row]:
    near = integers((1, 2, 3, 5, 7))
    order, freq = ("sine-layout", "sine-cosine-order"), ("frequency-exponent", "ladder-end")
    moved = ("restarted-positions", "shifted-position")
    yield _case(
        "from-0",
        "The worked rows of the lecture notes: positions 0, 1, 2, 100, 10000.",
        (8, 10000.0, "dim", "interleaved", "error"),
        integers((0, 1, 2, 100, 10000)),
        "position-zero",
        *order,
        *freq,
        "restarted-positions",
        clauses=("sinusoidal.C1", "sinusoidal.C4"),
    )
    yield _case(
        "report",
        "The input of the public reports: width 4, position 1.",
        (4, 10000.0, "dim", "interleaved", "error"),
        integers((1,)),
        *order,
        *freq,
    )
    yield _case(
        "report",
        "The speech encoder's table there.",
        (4, 10000.0, "end", "sin_cos", "error"),
        integers((1,)),
        *order,
    )
    for layout in ("interleaved", "sin_cos", "cos_sin"):
        text = "One pair: sine and cosine of the position."
        yield _case(
            "pair",
            text,
            (2, 10000.0, "dim", layout, "zero_pad"),
            near,
            "width-2",
            "sine-cosine-order",
            *moved,
        )
    yield _case("near", "Halves.", (4, 500000.0, "dim", "sin_cos", "extra_sine"), near, *order, *freq, *moved)
    yield _case(
        "near", "Halves, cosines first.", (6, 1e7, "dim", "cos_sin", "error"), near, *order, *freq, *moved
    )
    yield _case(
        "near",
        "Pairs, end-point ladder, a base that is no integer.",
        (6, 160000.5, "end", "interleaved", "zero_pad"),
        near,
        *order,
        *freq,
        *moved,
        "fixed-base",
    )
    yield _case(
        "negative",
        "Both signs: the sine is odd, the cosine even.",
        (8, 500000.0, "end", "cos_sin", "error"),
        integers((-3, -1, 0, 4, -17)),
        "negative-position",
        "position-zero",
        "unsigned-position",
        *order,
    )


def _wide() -> Iterator[Row]:
    order, freq = ("sine-layout", "sine-cosine-order"), ("frequency-exponent", "ladder-end")
    yield _case(
        "wide",
        "A usual width.",
        (64, 10000.0, "dim", "interleaved", "error"),
        integers((3, 257, 2049)),
        *order,
        *freq,
        "position-rounding",
    )
    yield _case(
        "wide",
        "A width that is no power of two.",
        (80, 10000.0, "end", "sin_cos", "error"),
        integers((9, 4097)),
        *order,
        *freq,
        "position-rounding",
    )
    yield _case(
        "wide",
        "A width that is no power of two.",
        (96, 500000.0, "dim", "cos_sin", "error"),
        integers((21, 1025)),
        *order,
        *freq,
        "fixed-base",
    )
    yield _case(
        "wide",
        "A wide table: the slow end hardly moves.",
        (128, 10000.0, "end", "sin_cos", "error"),
        integers((1, 1499)),
        *order,
        *freq,
    )
    yield _case(
        "wide",
        "A wide table, interleaved.",
        (128, 1e7, "dim", "interleaved", "error"),
        integers((12, 8193)),
        *order,
        *freq,
        "fixed-base",
        "position-rounding",
    )


def _powers() -> Iterator[Row]:
    rounded = ("position-rounding", "angle-rounding", "restarted-positions", "sine-cosine-order")
    yield _case(
        "below-powers",
        "One below every power of two from 2^9 to 2^20.",
        (4, 10000.0, "dim", "interleaved", "error"),
        integers([2**n - 1 for n in range(9, 21)]),
        *rounded,
    )
    yield _case(
        "above-powers",
        "One above every power of two from 2^9 to 2^20.",
        (6, 500000.0, "end", "sin_cos", "error"),
        integers([2**n + 1 for n in range(9, 21)]),
        *rounded,
    )
    yield _case(
        "neighbours",
        "Consecutive positions far out: in a half format the whole row collapses.",
        (8, 10000.0, "dim", "cos_sin", "error"),
        integers(range(65536, 65543)),
        *rounded,
    )


def _far() -> Iterator[Row]:
    yield _case(
        "far",
        "Beyond a million and at 2^31 - 1: the fast columns only float64 can resolve.",
        (8, 160000.5, "dim", "interleaved", "error"),
        integers((1_000_003, 2**31 - 1, -1_000_003)),
        "negative-position",
        clauses=("sinusoidal.C4", "conventions.C1"),
    )
    yield _case(
        "near-zeros",
        "Near multiples of pi and pi/2: small sines and cosines.",
        (4, 10000.0, "dim", "sin_cos", "error"),
        integers((7, 11, 22, 355, 103_993)),
        "sine-cosine-order",
        clauses=("sinusoidal.C4", "conventions.C1"),
    )
    yield _case(
        "near-zeros-far",
        "Near multiples of pi at up to 2^53: only float64 can resolve them.",
        (2, 10000.0, "dim", "interleaved", "error"),
        integers((245_850_922, 6_134_899_525_417_045, 2**53, -(2**53))),
        clauses=("sinusoidal.C4", "conventions.C1", "conventions.C4"),
    )


def _fractions() -> Iterator[Row]:
    yield _case(
        "fractional",
        "Fractions, exact and not, of both signs.",
        (8, 10000.0, "dim", "sin_cos", "error"),
        tensor("float64", (0.5, 0.1, 2.75, -3.3, 1000.625)),
        "fractional-position",
        "truncated-position",
        "negative-position",
        "sine-layout",
        clauses=("sinusoidal.C4", "conventions.C4"),
    )
    yield _case(
        "fractional-f32",
        "Fractions handed over as float32.",
        (6, 500000.0, "end", "interleaved", "error"),
        tensor("float32", (0.25, 7.5, -0.125, 31.0625)),
        "fractional-position",
        "truncated-position",
        "sine-layout",
    )


def _odd() -> Iterator[Row]:
    """Both rules, both ladders, all layouts."""
    near = integers((1, 4, 9, -2))
    for layout in ("interleaved", "sin_cos", "cos_sin"):
        flags = ("odd-width", "odd-rule", "sine-cosine-order")
        yield _odd_case((5, 10000.0, "dim", layout, "zero_pad"), near, *flags, "sine-layout")
        yield _odd_case((5, 10000.0, "dim", layout, "extra_sine"), near, *flags, "odd-denominator")
        yield _odd_case((7, 500000.0, "end", layout, "zero_pad"), near, *flags, "sine-layout", "fixed-base")
        yield _odd_case((7, 160000.5, "end", layout, "extra_sine"), near, *flags, "sine-layout", "fixed-base")
    text = "An even width has no such column, whatever the rule."
    even: Convention = (6, 10000.0, "dim", "interleaved", "zero_pad")
    yield _case("zero-pad", text, even, near, "sine-layout", clauses=("sinusoidal.C5", "sinusoidal.C1"))
    rule = ("odd-width", "odd-rule")
    yield _odd_case((3, 10000.0, "dim", "interleaved", "zero_pad"), near, *rule)
    yield _odd_case((3, 10000.0, "dim", "cos_sin", "extra_sine"), near, *rule)
    yield _odd_case((3, 1e7, "end", "sin_cos", "extra_sine"), near, *rule)
    yield _odd_case((65, 10000.0, "dim", "sin_cos", "zero_pad"), integers((5, 300)), *rule, "sine-layout")
    yield _odd_case(
        (81, 10000.0, "dim", "interleaved", "extra_sine"), integers((5, 300)), *rule, "odd-denominator"
    )


def _odd_case(convention: Convention, positions: Tensor, *flags: str) -> Row:
    odd = convention[4]
    text = {
        "zero_pad": "The even table and a column of exact zeros.",
        "extra_sine": "One sine more than cosines, exponents over the odd width.",
    }
    clauses = ("sinusoidal.C5", "sinusoidal.C1")
    return _case(odd.replace("_", "-"), text[odd], convention, positions, *flags, clauses=clauses)


def _batches() -> Iterator[Row]:
    yield _case(
        "batch",
        "Left-padded rows: each has positions of its own.",
        (6, 10000.0, "dim", "interleaved", "error"),
        integers((3, 4, 5, 6, 0, 1, 2, 3), (2, 4)),
        "batch-rows",
        "sine-layout",
        clauses=("sinusoidal.C4", "conventions.C5"),
    )
    yield _case(
        "batch-single",
        "One token a row, two rows, with a head axis.",
        (4, 10000.0, "dim", "cos_sin", "error"),
        integers((5, 11), (2, 1, 1)),
        "batch-rows",
        "restarted-positions",
    )
    yield _case("empty", "No token.", (8, 10000.0, "dim", "sin_cos", "error"), integers(()), "empty")


def _refused() -> Iterator[Group]:
    params = {
        "dim": 8,
        "base": 10000.0,
        "denominator": "dim",
        "layout": "interleaved",
        "odd": "error",
    }
    base = Baseline("sinusoidal.encode", {"positions": integers((0, 1, 5))}, params)

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("odd-error", "dim", "sinusoidal.C5", "Odd, and told to refuse.", flags=("odd-width",), dim=7)
    yield refuse("dim-1-pad", "dim", "sinusoidal.C3", "No pair.", dim=1, odd="zero_pad")
    yield refuse("dim-1-sine", "dim", "sinusoidal.C5", "No pair.", dim=1, odd="extra_sine")
    yield refuse("dim-0", "dim", "sinusoidal.C3", "No width.", dim=0)
    yield refuse("negative-dim", "dim", "sinusoidal.C3", "A negative width.", dim=-4)
    yield refuse("float-dim", "dim", "conventions.C6", "A width is an integer.", dim=8.0)
    single = "The ladder to 1/base has no value for a single frequency."
    yield refuse("one-frequency", "dim", "sinusoidal.C2", single, dim=2, denominator="count_minus_1")
    wrong = {"dim": 3, "denominator": "count_minus_1", "odd": "zero_pad"}
    yield refuse("one-frequency-pad", "dim", "sinusoidal.C2", single, **wrong)
    yield from refused_bases(base, "sinusoidal.C3")
    for name in ("denominator", "layout", "odd"):
        yield refuse(f"unknown-{name}", name, "conventions.C6", "No such convention.", **{name: "other"})
        yield base.refuse(
            f"no-{name}",
            ("MISSING_PARAMETER", name),
            "conventions.C6",
            "A convention left out.",
            without=(name,),
        )
    yield from _refused_positions(base)


def _refused_positions(base: Baseline) -> Iterator[Group]:
    def refuse(
        name: str, kind: str, comment: str, positions: Tensor, clause: str = "conventions.C4"
    ) -> Group:
        return base.refuse(name, (kind, "positions"), clause, comment, inputs={"positions": positions})

    yield refuse("above-limit", "OUT_OF_RANGE", "One beyond 2^53.", integers((0, 2**53 + 1)))
    yield refuse("float-limit", "OUT_OF_RANGE", "2^53 + 2 as a float.", tensor("float64", (2.0**53 + 2.0,)))
    yield refuse(
        "infinite", "INVALID_PARAMETER", "An infinite position.", tensor("float32", (float("inf"), 1.0))
    )
    yield refuse("boolean", "INVALID_DTYPE", "A padding mask.", tensor("bool", (0, 1, 1)))
    yield refuse("rank-0", "INVALID_SHAPE", "No token axis.", integers((3,), ()), "conventions.C5")
