"""rope_scaling, from spec/schemes/rope_scaling.md."""

from collections.abc import Callable
from inspect import signature
from itertools import count
from typing import Any

from posref.golden import _published

PER_PAIR = 1000
"""A ramp whose ends are equal is 0.001 of a pair wide (C5): whole numbers cannot tell how narrow it is."""


def linear(real: Any, inv_freq: Any, *, factor: Any) -> Any:
    """rope_scaling.C2: every frequency of `inv_freq` (h) divided by the factor."""
    return [w / factor for w in inv_freq], real.exact(1)


def ntk(real: Any, *, rotary_dim: int, base: Any, factor: Any) -> Any:
    """rope_scaling.C3: b'^(-2i/R), taken as b^(-2i/R) times s^(-2i/(R - 2)), so that the ends are exact."""
    stretches = [real.pow(factor, real.exact(-2 * i, rotary_dim - 2)) for i in range(rotary_dim // 2)]
    plain = _ladder(real, rotary_dim, base)
    return [w * stretch for w, stretch in zip(plain, stretches, strict=True)], real.exact(1)


def dynamic(
    real: Any,
    *,
    rotary_dim: int,
    base: Any,
    factor: Any,
    original_max_position_embeddings: int,
    seq_len: int,
) -> Any:
    """rope_scaling.C4: as C3, by 1 plus the factor for every trained length beyond the first."""
    beyond = real.exact(max(seq_len - original_max_position_embeddings, 0), original_max_position_embeddings)
    return ntk(real, rotary_dim=rotary_dim, base=base, factor=1 + factor * beyond)


def yarn(
    real: Any,
    *,
    rotary_dim: int,
    base: Any,
    factor: Any,
    original_max_position_embeddings: int,
    beta_fast: Any,
    beta_slow: Any,
    ramp: str,
    truncate: bool | None,
    extrapolation_factor: Any,
    attention_factor: Any,
    mscale: Any,
    mscale_all_dim: Any,
    mscale_rule: str | None,
) -> Any:
    """rope_scaling.C7: a share of each plain frequency, the rest divided by the factor; C8: the magnitude."""
    plain = _ladder(real, rotary_dim, base)
    if ramp == "rotations":
        rotations = _rotations(real, plain, original_max_position_embeddings)
        kept = [_clip(real, (r - beta_slow) / (beta_fast - beta_slow)) for r in rotations]
    else:
        turn = 2 * real.pi()
        fast, slow = (
            rotary_dim * real.log(original_max_position_embeddings / (turn * beta)) / (2 * real.log(base))
            for beta in (beta_fast, beta_slow)
        )
        low, high = _ends(real, fast, slow, rotary_dim - 1, truncate)
        kept = [1 - _clip(real, (i - low) / (high - low)) for i in range(len(plain))]
    if attention_factor is None:
        attention_factor = _magnitude(real, real.log(factor), mscale, mscale_all_dim, mscale_rule)
    return _blend(plain, factor, [share * extrapolation_factor for share in kept]), attention_factor


def llama3(
    real: Any,
    *,
    rotary_dim: int,
    base: Any,
    factor: Any,
    low_freq_factor: Any,
    high_freq_factor: Any,
    original_max_position_embeddings: int,
) -> Any:
    """rope_scaling.C9: kept above the high number of rotations, divided below the low one, else blended."""
    plain = _ladder(real, rotary_dim, base)
    rotations = _rotations(real, plain, original_max_position_embeddings)
    band = high_freq_factor - low_freq_factor
    kept = [_clip(real, (r - low_freq_factor) / band) for r in rotations]
    return _blend(plain, factor, kept), real.exact(1)


def longrope(
    real: Any,
    short_factor: Any,
    long_factor: Any,
    *,
    rotary_dim: int,
    base: Any,
    factor: Any,
    original_max_position_embeddings: int,
    seq_len: int,
    attention_factor: Any,
) -> Any:
    """rope_scaling.C10: each frequency divided by its own factor, of the list that the length chooses."""
    divisors = long_factor if seq_len > original_max_position_embeddings else short_factor
    frequencies = [w / d for w, d in zip(_ladder(real, rotary_dim, base), divisors, strict=True)]
    if attention_factor is None:
        stretch = _log_ratio(real, max(factor, real.exact(1)), original_max_position_embeddings)
        attention_factor = real.sqrt(1 + stretch)
    return frequencies, attention_factor


def proportional(real: Any, *, head_dim: int, base: Any, partial_rotary_factor: Any, factor: Any) -> Any:
    """rope_scaling.C11: a share of the pairs of the whole head turn, divided by the factor; the rest rest."""
    rounded, _ = real.round(partial_rotary_factor * head_dim, "float64")
    turning = int(rounded) // 2
    plain = _ladder(real, head_dim, base)
    kept = [w / factor for w in plain[:turning]]
    return kept + [real.exact(0)] * (len(plain) - turning), real.exact(1)


def resolve(
    real: Any, *, config: Any, seq_len: int | None, layer_type: str | None, layer_index: int | None
) -> Any:
    """rope_scaling.C16: what a published configuration says about one layer, as read by C12 to C15."""
    layer = _published.read(real, config, layer_type, layer_index)
    one = real.exact(1)
    if not layer.rotated:
        return [], one, one, 0, layer.base
    found = _ladder(real, layer.width, layer.base), one
    softmax_factor = one
    if layer.scaling is not None:
        found = _scaled(real, layer.scaling, layer.width, layer.base, seq_len)
        if layer.mscale is not None:
            softmax_factor += _tenth(real, layer.mscale) * real.log(layer.scaling["factor"])
    return *found, softmax_factor * softmax_factor, layer.width, layer.base


def _scaled(real: Any, scaling: Any, rotary_dim: int, base: Any, seq_len: int | None) -> tuple[Any, Any]:
    """rope.C8: the operation that `scaling` names, called with what it takes of these."""
    kinds: tuple[Callable[..., Any], ...] = (linear, ntk, dynamic, yarn, llama3, longrope, proportional)
    function = {kind.__name__: kind for kind in kinds}[scaling["rope_type"]]
    values = {
        "real": real,
        "inv_freq": _ladder(real, rotary_dim, base),
        "rotary_dim": rotary_dim,
        "head_dim": rotary_dim,
        "base": base,
        "seq_len": seq_len,
        **scaling,
    }
    found: tuple[Any, Any] = function(**{name: values.get(name) for name in signature(function).parameters})
    return found


def _ladder(real: Any, width: int, base: Any) -> list[Any]:
    """Return the plain frequencies b^(-2i/R)."""
    return [real.pow(base, real.exact(-2 * i, width)) for i in range(width // 2)]


def _rotations(real: Any, frequencies: list[Any], length: int) -> list[Any]:
    """Return how often each pair turns within a length."""
    return [length * w / (2 * real.pi()) for w in frequencies]


def _blend(plain: list[Any], factor: Any, kept: list[Any]) -> list[Any]:
    """Return keep w + (1 - keep) w/s as w/s + keep (w - w/s): exact for s = 1."""
    return [w / factor + keep * (w - w / factor) for w, keep in zip(plain, kept, strict=True)]


def _clip(real: Any, x: Any) -> Any:
    return max(real.exact(0), min(real.exact(1), x))


def _ends(real: Any, fast: Any, slow: Any, last: int, truncate: bool | None) -> tuple[Any, Any]:
    """Return both ends of the ramp (C5), which are equal only where both are rounded."""
    if not truncate:
        return max(real.exact(0), fast), min(real.exact(last), slow)
    low, high = max(_above(fast) - 1, 0), min(_above(slow), last)
    return real.exact(low), high + real.exact(int(low == high), PER_PAIR)


def _above(bound: Any) -> int:
    """Return the least integer from 0 on above a bound of the ramp, which is none itself.

    At an integer, L/(2 pi beta) would be a power of the base with a rational exponent, and pi algebraic.
    """
    return next(n for n in count() if n > bound)


def _magnitude(real: Any, logarithm: Any, mscale: Any, mscale_all_dim: Any, rule: str | None) -> Any:
    """Return F by `mscale_rule` (C8); g(m)/g(a) = 1 + (m - a) 0.1 ln s / g(a) is exactly 1 for m = a."""
    if rule == "none":
        return real.exact(1)
    if rule == "log_only" or (rule == "hf" and not (mscale and mscale_all_dim)):
        return 1 + _tenth(real, 1) * logarithm
    below = 1 + _tenth(real, mscale_all_dim) * logarithm
    return 1 + _tenth(real, mscale - mscale_all_dim) * logarithm / below


def _tenth(real: Any, number: Any) -> Any:
    return number * real.exact(1, 10)


def _log_ratio(real: Any, top: Any, bottom: int) -> Any:
    """Return ln top / ln bottom of a number from 1 on and an integer from 2 on, exact where rational.

    The ratio is m/n where top^n = bottom^m. Then `top` is an integer, and the larger of the two is divisible
    by the smaller: Euclid's algorithm on the exponents finds m and n.
    """
    if top.denominator == 1:
        ratio = _exponents(int(top.numerator), bottom)
        if ratio is not None:
            return real.exact(*ratio)
    return real.log(top) / real.log(bottom)


def _exponents(top: int, bottom: int) -> tuple[int, int] | None:
    """Return m and n with top^n = bottom^m, or None if there are none."""
    if top == 1:
        return 0, 1
    if top < bottom:
        turned = _exponents(bottom, top)
        return turned and turned[::-1]
    ratio = None if top % bottom else _exponents(top // bottom, bottom)
    return ratio and (ratio[0] + ratio[1], ratio[1])
