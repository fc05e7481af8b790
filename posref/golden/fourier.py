"""fourier, from spec/schemes/fourier.md."""

from typing import Any

from posref.golden._nested import dot, over


def encode(real: Any, x: Any, weights: Any, *, two_pi: bool, include_input: bool) -> Any:
    """fourier.C1: sines, then cosines, of x W, in radians or in turns; C2: `x` (..., A) before them."""
    columns = [list(column) for column in zip(*weights, strict=True)]

    def features(x: list[Any]) -> list[Any]:
        waves = [_cos_sin(real, dot(x, column), two_pi) for column in columns]
        kept = list(x) if include_input else []
        return kept + [sin for _, sin in waves] + [cos for cos, _ in waves]

    return over(features, (x, 1))


def _cos_sin(real: Any, z: Any, turns: bool) -> tuple[Any, Any]:
    """Return cosine and sine; at whole quarters of a turn, and only there, they are exact (Niven).

    The numbers are sums of products of binary ones, so that no third of a quarter turn occurs.
    """
    if not turns:
        return real.cos(z), real.sin(z)
    quarters = real.exact(4) * z
    if quarters.denominator == 1:
        cosines = [real.exact(n) for n in (1, 0, -1, 0)]
        quarter = int(quarters.numerator) % 4
        return cosines[quarter], cosines[quarter - 1]
    angle = 2 * real.pi() * z
    return real.cos(angle), real.sin(angle)
