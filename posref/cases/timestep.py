"""Cases of the operations in `spec/schemes/timestep.md`."""

from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor


class Choice(NamedTuple):
    """Parameters of a case; the defaults are those of the first public model."""

    dim: int
    max_period: float = 10000.0
    freq_shift: float = 1.0
    flip_sin_to_cos: bool = False
    scale: float = 1.0
    odd: str = "error"


GUIDED: dict[str, Any] = {"freq_shift": 0.0, "flip_sin_to_cos": True}
"""Cosines first, the ladder short of its end."""

ORDER = ("sine-cosine-order", "sine-layout")
LADDER = ("frequency-exponent", "freq-shift")


@complete
def encode() -> Iterator[Group]:
    """Yield the cases of ``timestep.encode``."""
    yield from grouped("timestep.encode", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    choice: Choice,
    steps: tuple[float, ...],
    *flags: str,
    clauses: tuple[str, ...] = ("timestep.C1", "timestep.C2"),
) -> Row:
    order = "cos-sin" if choice.flip_sin_to_cos else "sin-cos"
    shift = slug(choice.freq_shift).replace("-", "minus")
    case_id = f"timestep-encode-d{choice.dim}-shift{shift}-{order}-{name}-{SUFFIX[kind]}"
    inputs = {"timesteps": tensor(kind, steps)}
    return choice._asdict(), Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    yield from _published()
    yield from _ladders()
    yield from _scaled()
    yield from _odd()
    yield from _far()


def _published() -> Iterator[Row]:
    whole = (1.0, 10.0, 250.0, 3.0)
    both = (*ORDER, *LADDER)
    yield _case("worked", "The worked row: step 10, width 8.", "bfloat16", Choice(8), (10.0,), *both)
    yield _case(
        "worked", "The same with cosines first, no shift.", "bfloat16", Choice(8, **GUIDED), (10.0,), *both
    )
    report = Choice(4, freq_shift=0.0)
    yield _case("report", "The input of the public reports: step 1.", "float32", report, (1.0,), *ORDER)
    flipped = report._replace(flip_sin_to_cos=True)
    yield _case("report", "The same, cosines first.", "float32", flipped, (1.0,), *ORDER)
    for choice in (Choice(6), Choice(6, **GUIDED), Choice(6, flip_sin_to_cos=True)):
        yield _case("near", "Whole steps.", "bfloat16", choice, (0.0, *whole), "position-zero", *both)
    for choice in (Choice(10), Choice(10, **GUIDED)):
        steps = (999.0, 500.25, 0.10000000149011612, 123.45600128173828)
        yield _case("thousand", "The range of the first models.", "float32", choice, steps, *both)
    wide = Choice(64, **GUIDED)
    yield _case("wide", "A usual width.", "float32", wide, (981.0, 1.0), *both)
    wide = Choice(96, flip_sin_to_cos=True)
    yield _case("wide", "No power of two.", "bfloat16", wide, (201.0,), *both)
    yield _case("wide", "A usual width.", "float64", Choice(80, freq_shift=0.0), (777.7,), *both)


def _ladders() -> Iterator[Row]:
    steps = (0.3, 41.7, -250.1)
    for shift in (0.5, -1.0, 2.75):
        choice = Choice(8, 500000.0, shift)
        text = "A shift that is neither 0 nor 1."
        yield _case("ladder", text, "float64", choice, steps, *ORDER, *LADDER, "fixed-base")
    short = (0.5, 3.0, 88.0)
    for flip in (False, True):
        choice = Choice(2, freq_shift=0.0, flip_sin_to_cos=flip)
        yield _case("pair", "One frequency.", "bfloat16", choice, short, "width-2", "sine-cosine-order")
    choice = Choice(6, 100.5, 1.0, True)
    yield _case("base", "A short period.", "bfloat16", choice, short, *ORDER, *LADDER, "fixed-base")


def _scaled() -> Iterator[Row]:
    unit = (0.5, 0.0078125, 0.99609375)
    flags = ("angle-scale", *ORDER, *LADDER)
    yield _case(
        "unit",
        "Steps from 0 to 1 with the factor they need.",
        "bfloat16",
        Choice(8, freq_shift=0.0, scale=1000.0),
        unit,
        *flags,
        "truncated-position",
    )
    fine = (0.1, 0.7310585786300049, 1 / 3)
    inexact = Choice(6, scale=0.1, **GUIDED)
    yield _case("fine", "A factor no binary format holds.", "float64", inexact, fine, *flags)
    choice = Choice(6, freq_shift=0.0, scale=-2.5)
    yield _case("minus", "A negative factor.", "bfloat16", choice, (1.0, 7.0, -20.0), *flags)
    choice = Choice(6, freq_shift=0.0, scale=0.0, flip_sin_to_cos=True)
    text = "The factor 0: every row is that of step 0."
    yield _case("zero", text, "float32", choice, (3.0, 1.5), "angle-scale", "sine-cosine-order")


def _odd() -> Iterator[Row]:
    steps = (2.0, 0.375, 129.0)
    for dim in (3, 5, 9):
        for flip in (False, True):
            choice = Choice(dim, freq_shift=0.0, flip_sin_to_cos=flip, odd="zero_pad")
            flags = ("odd-width", "odd-pad-side", "sine-cosine-order")
            text = "The even table and a column of exact zeros at the right."
            yield _case("pad", text, "bfloat16", choice, steps, *flags, clauses=("timestep.C3",))
    even = Choice(6, odd="zero_pad")
    yield _case("even", "An even width has no such column.", "float32", even, (2.5, 40.0), *ORDER)


def _far() -> Iterator[Row]:
    fractions = (0.5, -3.25, 20.125, 0.015625)
    flags = ("truncated-position", "unsigned-position", *ORDER)
    yield _case("fractions", "Between steps, of both signs.", "bfloat16", Choice(8), fractions, *flags)
    double = (0.1, -2.7, 1234.5678)
    yield _case("fractions", "Fractions of 53 bits.", "float64", Choice(8, **GUIDED), double, *flags)
    rounded = tuple(2.0**n + 2.0 ** (n - 7) for n in range(7, 14))
    choice = Choice(6, freq_shift=0.0)
    yield _case("angles", "Neighbours in a half format.", "bfloat16", choice, rounded, "angle-rounding")
    far = (2.0**16 - 2.0**8, -(2.0**15 - 2.0**7))
    text = "A million turns of a pair whose angle is a multiple of the step."
    choice = Choice(2, freq_shift=0.0, scale=128.0)
    yield _case("turns", text, "bfloat16", choice, far, "angle-reduction", "unsigned-position")
    large = (2.0**24 + 2, 1_000_003.0, -(2.0**31))
    yield _case("large", "Beyond any schedule.", "float32", Choice(6, **GUIDED), large)
    huge = (2.0**53, 6134899525417045.0, 1e22, -1.6e38)
    text = "Far beyond 2^53: the angle is reduced exactly."
    clauses = ("timestep.C2", "conventions.C1")
    yield _case("huge", text, "float64", Choice(4, freq_shift=0.0, scale=0.3), huge, clauses=clauses)
    small = (2.0**-149, -1.5 * 2.0**-126, 2.0**-60)
    yield _case("small", "Down to the end of float32.", "float32", Choice(4, freq_shift=0.0), small)
    yield _case("empty", "No step.", "float32", Choice(8), (), "empty")


def _refused() -> Iterator[Group]:
    inputs = {"timesteps": tensor("bfloat16", (0.0, 1.0, 250.0))}
    base = Baseline("timestep.encode", inputs, Choice(8)._asdict())

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("odd-error", "dim", "timestep.C3", "Odd, and told to refuse.", flags=("odd-width",), dim=7)
    clause = "timestep.C1"
    yield refuse("dim-1", "dim", clause, "No pair.", dim=1, odd="zero_pad")
    yield refuse("dim-0", "dim", clause, "No width.", dim=0)
    yield refuse("float-dim", "dim", "conventions.C6", "A width is an integer.", dim=8.0)
    yield refuse("shift-h", "freq_shift", clause, "Nothing is left to divide by.", freq_shift=4.0)
    yield refuse("shift-beyond", "freq_shift", clause, "Frequencies would grow.", freq_shift=5.0)
    yield refuse("one-frequency", "freq_shift", clause, "One frequency, shift 1.", flags=("width-2",), dim=2)
    yield refuse("shift-infinite", "freq_shift", clause, "An infinite shift.", freq_shift=-inf)
    yield refuse("period-1", "max_period", clause, "No ladder.", max_period=1.0)
    yield refuse("period-infinite", "max_period", clause, "An infinite period.", max_period=inf)
    yield refuse("scale-infinite", "scale", "timestep.C2", "An infinite factor.", scale=inf)
    yield refuse("flip-text", "flip_sin_to_cos", "conventions.C6", "A word.", flip_sin_to_cos="cos")
    yield refuse("odd-unknown", "odd", "conventions.C6", "The sinusoid's other rule.", odd="extra_sine")
    for name in ("dim", "max_period", "freq_shift", "flip_sin_to_cos", "scale", "odd"):
        shown, missing = name.replace("_", "-"), ("MISSING_PARAMETER", name)
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "Left out.", without=(name,))

    def steps(name: str, kind: str, clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, (kind, "timesteps"), clause, comment, inputs={"timesteps": given})

    yield steps(
        "rank-2", "INVALID_SHAPE", "conventions.C5", "A column.", tensor("float32", (1.0, 2.0), (2, 1))
    )
    yield steps(
        "integer", "INVALID_DTYPE", "conventions.C3", "Integers have no dtype to give.", integers((0, 5))
    )
    yield steps(
        "infinite", "INVALID_PARAMETER", "conventions.C3", "An infinite step.", tensor("float64", (inf,))
    )
