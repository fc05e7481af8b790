"""What each context extension does to a ladder of frequencies, in wide arithmetic throughout.

Every step is a `Decimal` of 120 digits or an exact fraction, the choices between branches too: a
frequency that met a float64 on the way would give an exact phase of the wrong frequency.
"""

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import trunc
from typing import Final, NamedTuple

from posref.errors import SpecError
from posref.numerics.wide import PI, WIDE, Frequencies, ladder, powers, wide

ONE: Final = Decimal(1)


class Ladder(NamedTuple):
    """Frequencies in radians per token, and the magnitude factor on cosine and sine."""

    frequencies: Frequencies
    factor: Decimal = ONE


def exponents(width: int) -> list[Fraction]:
    """Return ``2i / width`` for each pair `i`."""
    return [Fraction(2 * i, width) for i in range(width // 2)]


def plain(rotary_dim: int, base: float) -> Ladder:
    """Return the ladder without scaling (rope.C1)."""
    return Ladder(ladder(base, exponents(rotary_dim)))


def linear(frequencies: Frequencies, factor: float) -> Ladder:
    """Divide every frequency by the factor (rope_scaling.C2)."""
    return Ladder(tuple(WIDE.divide(entry, wide(factor)) for entry in frequencies))


def ntk(rotary_dim: int, base: float, factor: float) -> Ladder:
    """Change the base so that the slowest frequency is divided by the factor (rope_scaling.C3)."""
    return _rebased(rotary_dim, base, wide(factor), "rope_scaling.C3")


def dynamic(
    rotary_dim: int, base: float, factor: float, original_max_position_embeddings: int, seq_len: int | None
) -> Ladder:
    """Change the base by the current length (rope_scaling.C4)."""
    if seq_len is None:
        raise _missing("rope_scaling.C4", "seq_len", "the current length must be given")
    stretch, trained = Fraction(factor), original_max_position_embeddings
    growth = stretch * max(seq_len, trained) / trained - (stretch - 1)
    return _rebased(rotary_dim, base, wide(growth), "rope_scaling.C4")


def _rebased(rotary_dim: int, base: float, growth: Decimal, clause: str) -> Ladder:
    """Return the ladder of the base ``base * growth**(R / (R - 2))``."""
    if rotary_dim == 2:
        raise SpecError(clause, "rotary_dim", "must be above 2: the exponent divides by rotary_dim - 2")
    share = wide(Fraction(rotary_dim, rotary_dim - 2))
    logarithm = WIDE.fma(share, WIDE.ln(growth), WIDE.ln(wide(base)))
    return Ladder(powers(logarithm, exponents(rotary_dim)))


class Yarn(NamedTuple):
    """The parameters of YaRN beside width and base."""

    factor: float
    original_max_position_embeddings: int
    beta_fast: float
    beta_slow: float
    ramp: str
    truncate: bool | None
    extrapolation_factor: float
    attention_factor: float | None
    mscale: float | None
    mscale_all_dim: float | None
    mscale_rule: str | None


def yarn(rotary_dim: int, base: float, given: Yarn) -> Ladder:
    """Interpolate by parts (rope_scaling.C5 to C8)."""
    if given.beta_fast <= given.beta_slow:
        message = f"must be above beta_slow {given.beta_slow}, got {given.beta_fast}"
        raise SpecError("rope_scaling.C7", "beta_fast", message)
    omega = ladder(base, exponents(rotary_dim))
    kept = _by_index(rotary_dim, base, given) if given.ramp == "index" else _by_rotations(omega, given)
    weights = [WIDE.multiply(entry, wide(given.extrapolation_factor)) for entry in kept]
    return Ladder(_blended(omega, weights, given.factor), _yarn_factor(given))


def _blended(omega: Frequencies, weights: Sequence[Decimal], factor: float) -> Frequencies:
    """Return ``w omega + (1 - w) omega / s`` for each weight `w`, written ``omega (w + (1 - w) / s)``."""
    inverse = WIDE.divide(ONE, wide(factor))
    return tuple(
        WIDE.multiply(entry, WIDE.fma(WIDE.subtract(ONE, weight), inverse, weight))
        for entry, weight in zip(omega, weights, strict=True)
    )


def _by_index(rotary_dim: int, base: float, given: Yarn) -> list[Decimal]:
    """Return the share that each pair keeps, linear in its index (rope_scaling.C5)."""
    if given.truncate is None:
        raise _missing("rope_scaling.C5", "truncate", "must be a boolean for the ramp over the index")
    low, high = (_pair_of(beta, rotary_dim, base, given) for beta in (given.beta_fast, given.beta_slow))
    if given.truncate:
        low = low.to_integral_value(ROUND_FLOOR, WIDE)
        high = high.to_integral_value(ROUND_CEILING, WIDE)
    low, high = max(low, Decimal(0)), min(high, Decimal(rotary_dim - 1))
    if low > high:
        message = f"leaves no ramp: it would run from pair {low:.6g} to {high:.6g}"
        raise SpecError("rope_scaling.C5", "original_max_position_embeddings", message)
    if low == high:
        high = WIDE.add(high, Decimal("0.001"))
    width = WIDE.subtract(high, low)
    ramp = (WIDE.divide(WIDE.subtract(Decimal(i), low), width) for i in range(rotary_dim // 2))
    return [WIDE.subtract(ONE, _clipped(entry)) for entry in ramp]


def _pair_of(beta: float, rotary_dim: int, base: float, given: Yarn) -> Decimal:
    """Return the index at which a frequency makes `beta` turns over the trained length."""
    turns = WIDE.divide(wide(given.original_max_position_embeddings), wide(beta))
    logarithm = WIDE.ln(WIDE.divide(turns, WIDE.multiply(PI, Decimal(2))))
    scaled = WIDE.multiply(Decimal(rotary_dim), logarithm)
    return WIDE.divide(scaled, WIDE.multiply(Decimal(2), WIDE.ln(wide(base))))


def _by_rotations(omega: Frequencies, given: Yarn) -> list[Decimal]:
    """Return the share that each pair keeps, linear in its turns (rope_scaling.C6)."""
    if given.truncate is not None:
        message = f"must be None for the ramp over rotations, got {given.truncate}"
        raise SpecError("rope_scaling.C6", "truncate", message)
    turns = _turns(omega, given.original_max_position_embeddings)
    return [_clipped(entry) for entry in _shares(turns, given.beta_slow, given.beta_fast)]


def _turns(omega: Frequencies, length: int) -> list[Decimal]:
    """Return how often each frequency turns over a length."""
    unit = WIDE.divide(Decimal(length), WIDE.multiply(PI, Decimal(2)))
    return [WIDE.multiply(entry, unit) for entry in omega]


def _shares(turns: Sequence[Decimal], low: float, high: float) -> list[Decimal]:
    """Return where each number lies between `low` (0) and `high` (1)."""
    width = WIDE.subtract(wide(high), wide(low))
    return [WIDE.divide(WIDE.subtract(entry, wide(low)), width) for entry in turns]


def _clipped(share: Decimal) -> Decimal:
    return min(max(share, Decimal(0)), ONE)


def _yarn_factor(given: Yarn) -> Decimal:
    """Return the magnitude factor (rope_scaling.C8)."""
    rule, pair = given.mscale_rule, (given.mscale, given.mscale_all_dim)
    names = {"mscale": given.mscale, "mscale_all_dim": given.mscale_all_dim}
    if given.attention_factor is not None:
        _check_null("attention_factor is given", {**names, "mscale_rule": rule})
        return wide(given.attention_factor)
    if rule is None:
        raise _missing("rope_scaling.C8", "mscale_rule", "must be given, or attention_factor")
    if rule in ("log_only", "none"):
        _check_null(f"mscale_rule is {rule}", names)
    if rule == "ratio":
        for name, value in names.items():
            if value is None:
                raise _missing("rope_scaling.C8", name, "must be given where mscale_rule is ratio")
    if rule == "none":
        return ONE
    if rule == "ratio" or (rule == "hf" and all(pair)):
        upper, lower = (magnitude(float(entry or 0), given.factor) for entry in pair)
        return _positive(upper, lower)
    return magnitude(1.0, given.factor)


def magnitude(coefficient: float, factor: float) -> Decimal:
    """Return ``1 + 0.1 k ln s``, the 0.1 an exact decimal."""
    slope = WIDE.multiply(wide(coefficient), Decimal("0.1"))
    return WIDE.fma(slope, WIDE.ln(wide(factor)), ONE)


def _positive(upper: Decimal, lower: Decimal) -> Decimal:
    for name, value in (("mscale", upper), ("mscale_all_dim", lower)):
        if value <= 0:
            raise SpecError("rope_scaling.C8", name, f"gives 1 + 0.1 k ln s = {value:.6g}, not above 0")
    return WIDE.divide(upper, lower)


def _check_null(reason: str, values: Mapping[str, float | str | None]) -> None:
    for name, value in values.items():
        if value is not None:
            raise SpecError("rope_scaling.C8", name, f"must be None where {reason}, got {value!r}")


def llama3(
    rotary_dim: int,
    base: float,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: int,
) -> Ladder:
    """Keep short wavelengths, divide long ones, blend between (rope_scaling.C9)."""
    if high_freq_factor <= low_freq_factor:
        message = f"must be above low_freq_factor {low_freq_factor}, got {high_freq_factor}"
        raise SpecError("rope_scaling.C9", "high_freq_factor", message)
    omega = ladder(base, exponents(rotary_dim))
    shares = _shares(_turns(omega, original_max_position_embeddings), low_freq_factor, high_freq_factor)
    return Ladder(_blended(omega, [_clipped(entry) for entry in shares], factor))


class LongRope(NamedTuple):
    """The parameters of LongRoPE beside width and base."""

    factor: float
    original_max_position_embeddings: int
    short_factor: Sequence[float]
    long_factor: Sequence[float]
    seq_len: int | None
    attention_factor: float | None


def longrope(rotary_dim: int, base: float, given: LongRope) -> Ladder:
    """Divide each frequency by a factor of its own (rope_scaling.C10)."""
    for name, factors in (("short_factor", given.short_factor), ("long_factor", given.long_factor)):
        if len(factors) != rotary_dim // 2:
            message = f"must have {rotary_dim // 2} elements, one a pair, got {len(factors)}"
            raise SpecError("rope_scaling.C10", name, message, "INVALID_SHAPE")
        if min(factors) <= 0:
            raise SpecError("rope_scaling.C10", name, f"must be above 0, got {min(factors)}")
    if given.seq_len is None:
        raise _missing("rope_scaling.C10", "seq_len", "the current length must be given")
    length = given.original_max_position_embeddings
    divisors = given.long_factor if given.seq_len > length else given.short_factor
    omega = zip(ladder(base, exponents(rotary_dim)), divisors, strict=True)
    return Ladder(tuple(WIDE.divide(entry, wide(by)) for entry, by in omega), _longrope_factor(given))


def _longrope_factor(given: LongRope) -> Decimal:
    if given.attention_factor is not None:
        return wide(given.attention_factor)
    if given.factor <= 1:
        return ONE
    trained = WIDE.ln(wide(given.original_max_position_embeddings))
    return WIDE.sqrt(WIDE.add(ONE, WIDE.divide(WIDE.ln(wide(given.factor)), trained)))


def proportional(head_dim: int, base: float, partial_rotary_factor: float, factor: float) -> Ladder:
    """Return the first frequencies of the head's ladder, then zeros (rope_scaling.C11)."""
    turning = trunc(partial_rotary_factor * head_dim) // 2
    rotated = linear(ladder(base, exponents(head_dim)[:turning]), factor)
    return Ladder(rotated.frequencies + (Decimal(0),) * (head_dim // 2 - turning))


def _missing(clause: str, name: str, message: str) -> SpecError:
    return SpecError(clause, name, message, "MISSING_PARAMETER")
