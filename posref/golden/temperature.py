"""temperature, from spec/schemes/temperature.md."""

from typing import Any

from posref.golden._nested import over


def scale(real: Any, positions: Any, *, beta: Any, floor_scale: int, plus_one: bool) -> Any:
    """temperature.C1: 1 + beta ln(1 + n), n whole steps of `floor_scale` before the position (..., T)."""
    return over(
        lambda position: 1 + beta * real.log(real.exact(1 + (position + int(plus_one)) // floor_scale)),
        (positions, 0),
    )
