"""Cases of ``sinusoidal.inv_freq`` and ``sinusoidal.shift_matrix``."""

from collections.abc import Iterator
from typing import Any, Final

from posref.cases._build import Baseline, Row, grouped, slug
from posref.cases._refused import complete
from posref.operation import Case, Group

DENOMINATOR: Final = {"dim": "dim", "end": "count_minus_1"}
"""How a denominator is written in an id."""


@complete
def inv_freq() -> Iterator[Group]:
    """Yield the cases of ``sinusoidal.inv_freq``."""
    yield from grouped("sinusoidal.inv_freq", _ladders())
    params = {"dim": 8, "base": 10000.0, "denominator": "dim"}
    base = Baseline("sinusoidal.inv_freq", {}, params)
    yield from refused_ladders(base)
    yield base.refuse(
        "one-frequency",
        ("INVALID_PARAMETER", "dim"),
        "sinusoidal.C2",
        "The ladder to 1/base has no value for a single frequency.",
        flags=("width-2",),
        dim=2,
        denominator="count_minus_1",
    )


def _ladder(dim: int, base: float, denominator: str, comment: str, *flags: str) -> Row:
    params = {"dim": dim, "base": base, "denominator": DENOMINATOR[denominator]}
    case_id = f"sinusoidal-inv-freq-d{dim}-b{slug(base)}-{denominator}"
    return params, Case(case_id, comment, {}, ("sinusoidal.C1",), flags)


def _ladders() -> Iterator[Row]:
    shape, based = ("frequency-exponent", "ladder-end"), ("frequency-exponent", "ladder-end", "fixed-base")
    yield _ladder(2, 10000.0, "dim", "One frequency, exactly 1.", "width-2")
    yield _ladder(2, 1.5, "dim", "One frequency, whatever the base.", "width-2")
    yield _ladder(4, 10000.0, "dim", "1 and 1/100.", *shape)
    yield _ladder(4, 160000.5, "end", "Two frequencies: 1 and exactly 1/base, no power of ten.", *based)
    yield _ladder(6, 500000.0, "dim", "A cube root.", *based)
    yield _ladder(6, 10000.0, "end", "1, 1/100, 1/10000.", *shape)
    yield _ladder(8, 65536.0, "dim", "Powers of 1/16, all exact.", *based)
    yield _ladder(8, 1e7, "end", "Roots of a large base.", *based)
    yield _ladder(12, 160000.5, "dim", "A base that is no integer.", *based)
    yield _ladder(64, 10000.0, "dim", "A usual width.", *shape)
    yield _ladder(64, 500000.0, "end", "31 steps to 1/base.", *based)
    yield _ladder(80, 1e7, "dim", "A width that is no power of two.", *based)
    yield _ladder(80, 10000.0, "end", "39 steps.", *shape)
    yield _ladder(96, 500000.0, "dim", "A width that is no power of two.", *based)
    yield _ladder(96, 160000.5, "end", "47 steps, a base that is no integer.", *based)
    yield _ladder(128, 10000.0, "end", "63 steps: the ladder of speech encoders at this width.", *shape)
    yield _ladder(128, 1e7, "dim", "A long-context base.", *based)
    yield _ladder(256, 10000.0, "dim", "The width of small translation models.", *shape)
    yield _ladder(384, 10000.0, "end", "The narrowest published speech encoder.", *shape)


def refused_ladders(base: Baseline) -> Iterator[Group]:
    """Yield what every operation with an even `dim`, a base and a denominator refuses."""

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("odd-dim", "dim", "sinusoidal.C3", "An odd width has no pairs.", dim=7)
    yield refuse("zero-dim", "dim", "sinusoidal.C3", "No width.", dim=0)
    yield refuse("negative-dim", "dim", "sinusoidal.C3", "A negative width.", dim=-8)
    yield refuse("float-dim", "dim", "conventions.C6", "A width is an integer.", dim=8.0)
    yield from refused_bases(base, "sinusoidal.C3")
    yield refuse("unknown-denominator", "denominator", "conventions.C6", "No such rule.", denominator="half")
    yield base.refuse(
        "no-denominator",
        ("MISSING_PARAMETER", "denominator"),
        "conventions.C6",
        "The convention left out.",
        without=("denominator",),
    )


def refused_bases(base: Baseline, clause: str) -> Iterator[Group]:
    """Yield the bases that every ladder refuses."""
    refusal = ("INVALID_PARAMETER", "base")
    yield base.refuse("base-1", refusal, clause, "All frequencies would be 1.", base=1.0)
    yield base.refuse("base-0", refusal, clause, "A base of 0.", base=0.0)
    yield base.refuse("base-below-1", refusal, clause, "Frequencies would grow.", base=0.5)
    yield base.refuse("negative-base", refusal, clause, "A negative base.", base=-10000.0)
    yield base.refuse(
        "no-base", ("MISSING_PARAMETER", "base"), "conventions.C6", "No base.", without=("base",)
    )


@complete
def shift_matrix() -> Iterator[Group]:
    """Yield the cases of ``sinusoidal.shift_matrix``."""
    yield from grouped("sinusoidal.shift_matrix", _shifts())
    yield from _shifts_refused()


def _shift(offset: int, ladder: tuple[int, float, str], layout: str, comment: str, *flags: str) -> Row:
    dim, base, denominator = ladder
    params = {
        "offset": offset,
        "dim": dim,
        "base": base,
        "denominator": DENOMINATOR[denominator],
        "layout": layout,
    }
    sign = "m" if offset < 0 else "p"
    case_id = f"sinusoidal-shift-matrix-{sign}{abs(offset)}-d{dim}-{layout.replace('_', '-')}-{denominator}"
    return params, Case(case_id, comment, {}, ("sinusoidal.C6",), flags)


def _shifts() -> Iterator[Row]:
    turn, layout, ladder = "rotation-sign", "sine-layout", ("frequency-exponent", "ladder-end")
    shifted, most = "shifted-position", ("rotation-sign", "sine-layout", "shifted-position")
    negative = ("negative-position", "unsigned-position")
    yield _shift(0, (4, 10000.0, "dim"), "interleaved", "No shift: the identity.", "position-zero", shifted)
    yield _shift(0, (6, 500000.0, "end"), "cos_sin", "No shift: the identity.", "position-zero", shifted)
    for order in ("interleaved", "sin_cos", "cos_sin"):
        yield _shift(3, (2, 10000.0, "dim"), order, "One pair.", "width-2", turn, shifted)
    yield _shift(1, (4, 10000.0, "dim"), "interleaved", "One token.", *most, *ladder)
    yield _shift(2, (4, 500000.0, "end"), "sin_cos", "Two tokens, two frequencies.", *most, "fixed-base")
    yield _shift(-1, (4, 1e7, "dim"), "cos_sin", "One token back.", turn, layout, *negative)
    yield _shift(7, (6, 10000.0, "end"), "sin_cos", "Three frequencies.", *most, *ladder)
    yield _shift(
        5, (6, 160000.5, "dim"), "cos_sin", "A base that is no integer.", *most, *ladder, "fixed-base"
    )
    yield _shift(-17, (6, 10000.0, "dim"), "interleaved", "Seventeen back.", *most, *negative, *ladder)
    yield _shift(31, (8, 10000.0, "dim"), "sin_cos", "Below a power of two.", *most, *ladder)
    yield _shift(33, (8, 1e7, "end"), "interleaved", "Above a power of two.", *most, *ladder, "fixed-base")
    yield _shift(257, (8, 500000.0, "dim"), "cos_sin", "Beyond exact bfloat16 integers.", *most, *ladder)
    yield _shift(
        2049, (8, 10000.0, "end"), "cos_sin", "Beyond exact float16 integers.", turn, layout, *ladder
    )
    yield _shift(-65535, (8, 160000.5, "dim"), "interleaved", "Far back.", turn, layout, *negative)
    yield _shift(1048577, (6, 500000.0, "dim"), "sin_cos", "Above 2^20.", turn, layout)
    yield _shift(1000003, (4, 1e7, "end"), "interleaved", "Beyond a million.", turn)
    yield _shift(2**31 - 1, (4, 10000.0, "dim"), "interleaved", "Only float64 can resolve it.")
    yield _shift(-(2**53), (4, 160000.5, "dim"), "sin_cos", "The limit; only float64 can resolve it.")
    yield _shift(6134899525417045, (2, 10000.0, "dim"), "cos_sin", "Near a zero of the sine; float64 only.")
    yield _shift(9, (12, 10000.0, "end"), "sin_cos", "Wider, six frequencies.", *most, *ladder)
    yield _shift(11, (12, 1e7, "dim"), "interleaved", "Wider.", *most, *ladder, "fixed-base")
    yield _shift(-6, (12, 500000.0, "dim"), "cos_sin", "Wider, back.", *most, *ladder, *negative)


def _shifts_refused() -> Iterator[Group]:
    params = {
        "offset": 3,
        "dim": 8,
        "base": 10000.0,
        "denominator": "dim",
        "layout": "interleaved",
    }
    base = Baseline("sinusoidal.shift_matrix", {}, params)
    yield from refused_ladders(base)
    yield base.refuse(
        "one-frequency",
        ("INVALID_PARAMETER", "dim"),
        "sinusoidal.C2",
        "The ladder to 1/base has no value for a single frequency.",
        dim=2,
        denominator="count_minus_1",
    )
    offset = ("INVALID_PARAMETER", "offset")
    yield base.refuse("float-offset", offset, "conventions.C6", "A shift by half a token.", offset=0.5)
    yield base.refuse("above-limit", offset, "sinusoidal.C6", "One beyond 2^53.", offset=2**53 + 1)
    yield base.refuse("below-limit", offset, "sinusoidal.C6", "One beyond -2^53.", offset=-(2**53) - 1)
    layout = ("INVALID_PARAMETER", "layout")
    yield base.refuse("unknown-layout", layout, "conventions.C6", "No such layout.", layout="sin_only")
    missing = ("MISSING_PARAMETER", "layout")
    yield base.refuse("no-layout", missing, "conventions.C6", "The layout left out.", without=("layout",))
