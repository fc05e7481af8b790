"""timestep, from spec/schemes/timestep.md."""

from typing import Any


def encode(
    real: Any,
    timesteps: Any,
    *,
    dim: int,
    max_period: Any,
    freq_shift: Any,
    flip_sin_to_cos: bool,
    scale: Any,
    odd: str,
) -> Any:
    """timestep.C2: sines and cosines of scale t w, for `timesteps` (T); C1: w = P^(-j/(h - shift)); C3."""
    half = dim // 2
    frequencies = [real.pow(max_period, -j / (half - freq_shift)) for j in range(half)]
    functions = (real.cos, real.sin) if flip_sin_to_cos else (real.sin, real.cos)

    def row(t: Any) -> list[Any]:
        pairs = [function(scale * t * w) for function in functions for w in frequencies]
        return pairs + [real.exact(0)] * (dim % 2)

    return [row(t) for t in timesteps]
