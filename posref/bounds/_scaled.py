"""Scaled ladders and how far an honest implementation may be from them: precision.C17 to C19."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import trunc
from typing import Any, Final, NamedTuple

import numpy as np

from posref.bounds._ladder import condition, ladder, log
from posref.bounds._size import inexact, power_of_two
from posref.bounds.model import Model

_EXACT: Final = Context(prec=40, Emin=-999999, Emax=999999)
_TURN: Final = Decimal("6.283185307179586476925286766559005768394338798750211641949889")
"""2 pi."""

Scaling = Mapping[str, Any]


class Ladder(NamedTuple):
    """Frequencies with their relative errors, the magnitude factor with its own, in units of u_a."""

    frequency: np.ndarray
    error: np.ndarray
    factor: float = 1.0
    off: float = 0.0


def rounds(model: Model, value: float) -> float:
    """Return 1.0 where a number has to be rounded to the precision of the angle."""
    return float(inexact(np.array(value), model.angle))


def plain(model: Model, width: int, base: float, off: float | None = None) -> Ladder:
    """Return the ladder of a base, which is itself off by `off` if that is given."""
    step, count = Fraction(2, width), width // 2
    return Ladder(ladder(base, step, count), condition(model, base, step, count, off))


def scaled(model: Model, scaling: Scaling | None, width: int, base: float, seq_len: int | None) -> Ladder:
    """Return the ladder of a scaling (precision.C17, C18)."""
    if scaling is None:
        return plain(model, width, base)
    kind = scaling["rope_type"]
    if kind in ("ntk", "dynamic"):
        found = _rebased(model, scaling, width, base, seq_len)
    elif kind in ("yarn", "llama3"):
        found = _blended(model, scaling, width, base)
    else:
        found = divided(model, plain(model, width, base), _divisors(scaling, width, seq_len))
        found = found._replace(frequency=np.where(_still(scaling, width), 0.0, found.frequency))
    if model.frequency == "float64":
        found = found._replace(error=np.where(found.error == 0, 0.0, 1.0))
    return found._replace(**_magnitude(model, scaling)._asdict())


def divided(model: Model, given: Ladder, by: np.ndarray) -> Ladder:
    """Return a ladder divided by `by`: one more rounding, or two by the reciprocal."""
    cost = np.where(power_of_two(by), 0.0, 2.0 + inexact(by, model.angle))
    return Ladder(given.frequency / by, given.error + cost)


def _divisors(scaling: Scaling, width: int, seq_len: int | None) -> np.ndarray:
    if scaling["rope_type"] != "longrope":
        return np.full(width // 2, float(scaling["factor"]))
    long = (seq_len or 1) > scaling["original_max_position_embeddings"]
    return np.array(scaling["long_factor" if long else "short_factor"], dtype=np.float64)


def _still(scaling: Scaling, width: int) -> np.ndarray:
    """Return the pairs that do not turn at all."""
    if scaling["rope_type"] != "proportional":
        return np.zeros(width // 2, dtype=bool)
    first = trunc(scaling["partial_rotary_factor"] * width) // 2
    return np.asarray(np.arange(width // 2) >= first)


def _rebased(model: Model, scaling: Scaling, width: int, base: float, seq_len: int | None) -> Ladder:
    """Return the ladder of the base ``b m**q``; the base is off by what m and the power lose."""
    factor, share = float(scaling["factor"]), width / (width - 2)
    if scaling["rope_type"] == "ntk":
        growth, lost = factor, rounds(model, factor)
    else:
        growth, lost = _growth(model, factor, scaling["original_max_position_embeddings"], seq_len or 1)
    new = (
        float(base) if growth == 1 else float(_EXACT.exp(_EXACT.ln(Decimal(base)) + _stretch(growth, share)))
    )
    off = rounds(model, base)
    if growth != 1 or lost:
        off += share * (lost + log(growth)) + 2 * model.k_p + 1
    return plain(model, width, new, off)


def _stretch(growth: float, share: float) -> Decimal:
    return _EXACT.multiply(_EXACT.ln(Decimal(growth)), Decimal(share))


def _growth(model: Model, factor: float, length: int, seq_len: int) -> tuple[float, float]:
    """Return m and its relative error: ``s max(N, L) / L - (s - 1)`` cancels."""
    now = max(seq_len, length)
    part = factor * now / length
    growth = part - (factor - 1)
    if now == length:
        growth = 1.0
    lost = 2 * part + (factor - 1) + growth
    lost += part * (rounds(model, float(now)) + rounds(model, float(length)) + rounds(model, factor))
    return growth, lost / growth


def _blended(model: Model, scaling: Scaling, width: int, base: float) -> Ladder:
    """Return the ladder of which each frequency is kept by a weight and else divided."""
    omega = plain(model, width, base)
    if scaling["rope_type"] == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        kept = _by_turns(model, omega, scaling, float(low), float(high))
    elif scaling["ramp"] == "rotations":
        kept = _by_turns(model, omega, scaling, float(scaling["beta_slow"]), float(scaling["beta_fast"]))
    else:
        kept = _by_index(model, scaling, width, base)
    weight, off, inside = _weighted(model, kept, float(scaling.get("extrapolation_factor") or 0.0), scaling)
    factor = float(scaling["factor"])
    value = omega.frequency * (weight + (1 - weight) / factor)
    slow = divided(model, Ladder(omega.frequency, np.zeros(width // 2)), np.full(width // 2, factor))
    one = omega.frequency * (1 - 1 / factor) * off
    lost = one + weight * omega.frequency + (1 - weight) * slow.frequency * (slow.error + 2) + value
    lost = np.where(inside, lost, (1 - weight) * slow.frequency * slow.error)
    return Ladder(value, omega.error + lost / value)


class Kept(NamedTuple):
    """The share of each frequency that is kept, its absolute error, and where it has one."""

    weight: np.ndarray
    off: np.ndarray
    inside: np.ndarray


def _weighted(model: Model, kept: Kept, extrapolation: float, scaling: Scaling) -> Kept:
    """Return the weights multiplied by the extrapolation factor."""
    if scaling["rope_type"] == "llama3" or extrapolation == 1:
        return kept
    weight = kept.weight * extrapolation
    product = weight * (1 - float(power_of_two(np.array(extrapolation))) + rounds(model, extrapolation))
    return Kept(weight, kept.off * extrapolation + product, kept.inside | ((weight > 0) & (weight < 1)))


def _by_index(model: Model, scaling: Scaling, width: int, base: float) -> Kept:
    """Return the shares of a ramp over the index; whole ends are exact, others rounded once."""
    low, high = _ends(scaling, width, base)
    ends_off = [0.0 if end == np.rint(end) else end for end in (low, high)]
    raw = (np.arange(width // 2) - low) / (high - low)
    ramp = np.minimum(np.maximum(raw, 0.0), 1.0)
    off = (ends_off[0] * (1 - ramp) + ends_off[1] * ramp) / (high - low)
    margin = [2 * end * model.u_a / (high - low) for end in ends_off]
    inside = (raw > -margin[0]) & (raw < 1 + margin[1])
    return Kept(1 - ramp, np.where(inside, off + 3 * ramp + (1 - ramp), 0.0), inside)


def _ends(scaling: Scaling, width: int, base: float) -> tuple[float, float]:
    ends = []
    for name, rounding in (("beta_fast", ROUND_FLOOR), ("beta_slow", ROUND_CEILING)):
        turns = Decimal(scaling["original_max_position_embeddings"]) / Decimal(float(scaling[name]))
        top = _EXACT.multiply(_EXACT.ln(_EXACT.divide(turns, _TURN)), Decimal(width))
        pair = _EXACT.divide(top, _EXACT.multiply(Decimal(2), _EXACT.ln(Decimal(float(base)))))
        ends.append(pair.to_integral_value(rounding) if scaling["truncate"] else pair)
    low, high = max(float(ends[0]), 0.0), min(float(ends[1]), width - 1.0)
    return low, high + 0.001 if low == high else high


def _by_turns(model: Model, omega: Ladder, scaling: Scaling, low: float, high: float) -> Kept:
    """Return the shares of a ramp over turns ``L omega / (2 pi)``: three roundings besides the frequency."""
    length = float(scaling["original_max_position_embeddings"])
    turns = omega.frequency * (length / float(_TURN))
    share = np.minimum(np.maximum((turns - low) / (high - low), 0.0), 1.0)
    lost = turns * (omega.error + 3 + rounds(model, length))
    lost = lost + low * rounds(model, low) * (1 - share) + high * rounds(model, high) * share
    margin = 2 * lost * model.u_a
    inside = (turns > low - margin) & (turns < high + margin)
    return Kept(share, np.where(inside, lost / (high - low) + 4 * share, 0.0), inside)


class Magnitude(NamedTuple):
    """A magnitude factor and its relative error in units of u_a."""

    factor: float = 1.0
    off: float = 0.0


def _magnitude(model: Model, scaling: Scaling) -> Magnitude:
    """Return the magnitude factor (precision.C19)."""
    if scaling["rope_type"] not in ("yarn", "longrope"):
        return Magnitude()
    given, factor = scaling.get("attention_factor"), float(scaling["factor"])
    if given is not None:
        found = Magnitude(float(given), rounds(model, float(given)))
    elif factor <= 1:
        found = Magnitude()
    elif scaling["rope_type"] == "longrope":
        found = _root(model, factor, float(scaling["original_max_position_embeddings"]))
    else:
        found = _ruled(model, scaling, factor)
    if model.frequency == "float64":
        return found._replace(off=0.0 if found.factor == 1 else 1.0)
    return found


def growing(model: Model, coefficient: float, factor: float) -> Magnitude:
    """Return ``1 + 0.1 k ln s``: a logarithm, two products and a sum."""
    part = 0.1 * coefficient * log(factor)
    lost = abs(part) * (2 * model.k_p + 3 + rounds(model, coefficient)) + abs(0.1 * coefficient) * rounds(
        model, factor
    )
    return Magnitude(1 + part, 0.0 if part == 0 else lost / (1 + part) + 1)


def _ruled(model: Model, scaling: Scaling, factor: float) -> Magnitude:
    rule, pair = scaling["mscale_rule"], [scaling.get(name) for name in ("mscale", "mscale_all_dim")]
    if rule == "none":
        return Magnitude()
    if rule == "log_only" or (rule == "hf" and not all(pair)):
        return growing(model, 1.0, factor)
    upper, lower = (growing(model, float(entry or 0.0), factor) for entry in pair)
    if upper == lower:
        return Magnitude()
    return Magnitude(upper.factor / lower.factor, upper.off + lower.off + 1)


def _root(model: Model, factor: float, length: float) -> Magnitude:
    """Return ``sqrt(1 + ln s / ln L)``."""
    part = log(factor) / log(length)
    lost = part * (4 * model.k_p + 1) + rounds(model, factor) / log(length)
    lost += part * rounds(model, length) / log(length)
    return Magnitude(float(np.sqrt(1 + part)), (lost / (1 + part) + 1) / 2 + 1)
