"""xpos, from spec/schemes/xpos.md."""

from typing import Any

from posref.golden import rope
from posref.golden._nested import over


def scale(real: Any, positions: Any, *, rotary_dim: int, gamma: Any, scale_base: Any, center: Any) -> Any:
    """xpos.C1: zeta_i^((p - c)/B), (..., T, h), for `positions` (..., T) in tokens."""
    zetas = [(2 * i + gamma * rotary_dim) / ((1 + gamma) * rotary_dim) for i in range(rotary_dim // 2)]
    return over(
        lambda position: [real.pow(zeta, (position - center) / scale_base) for zeta in zetas], (positions, 0)
    )


def apply(
    real: Any,
    x: Any,
    positions: Any,
    *,
    role: str,
    rotary_dim: int,
    base: Any,
    gamma: Any,
    scale_base: Any,
    center: Any,
    pairing: str,
) -> Any:
    """xpos.C2: `x` (..., T, D) rotated, a query times the scale of C1, a key divided by it."""
    sign = 1 if role == "query" else -1
    frequencies = rope.inv_freq(real, rotary_dim=rotary_dim, base=base)
    scales = scale(
        real, positions, rotary_dim=rotary_dim, gamma=gamma, scale_base=sign * scale_base, center=center
    )

    def table(function: Any) -> Any:
        return over(
            lambda position, row: [z * function(position * w) for z, w in zip(row, frequencies, strict=True)],
            (positions, 0),
            (scales, 1),
        )

    return rope.rotate(
        real,
        x,
        table(real.cos),
        table(real.sin),
        pairing_in=pairing,
        pairing_out=pairing,
        rotary_start=0,
    )
