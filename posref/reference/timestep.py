r"""The sinusoid over a diffusion step: which noise level, not which token.

The formula is that of `posref.sinusoidal` with a free end of the ladder, a factor on the angle and
fractional steps. Axis letters: ``T`` steps. Normative text: ``spec/schemes/timestep.md``.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.pieces import TABLE
from posref.numerics.stretched import stretched

CLAUSES: Final = {
    "dim": "timestep.C1",
    "max_period": "timestep.C1",
    "freq_shift": "timestep.C1",
    "scale": "timestep.C2",
}

LARGEST: Final = 2.0**53
"""The largest step that is a position as it stands."""


def encode(
    timesteps: Any,
    *,
    dim: int,
    max_period: float,
    freq_shift: float,
    flip_sin_to_cos: bool,
    scale: float,
    odd: str,
) -> Any:
    r"""Return one row a step: sines, then cosines, of :math:`\mathrm{scale}\cdot t\cdot\omega_j`.

    With :math:`h = \lfloor \mathrm{dim}/2 \rfloor`,
    :math:`\omega_j = \mathrm{max\_period}^{-j/(h - \mathrm{freq\_shift})}`.

    Parameters
    ----------
    timesteps : array of float, shape (T,)
        Diffusion steps :math:`t`, whole or fractional, of either sign.
    dim : int
        Width of a row, at least 2.
    max_period : float
        Longest period over :math:`2\pi`, above 1; 10000 in every released model.
    freq_shift : float
        Subtracted from the count in the exponent, below :math:`h`: 1 makes the last frequency
        ``1 / max_period``, 0 leaves it short of that.
    flip_sin_to_cos : bool
        Whether the cosines come first.
    scale : float
        Factor on the angle: 1, or 1000 where steps run from 0 to 1.
    odd : {"error", "zero_pad"}
        What an odd `dim` means: an error, or a last column of zeros.

    Returns
    -------
    array of float, shape (T, dim)
        In the dtype and library of `timesteps`; within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain or `freq_shift` is :math:`h` or more (timestep.C1),
        `scale` is not finite (timestep.C2), `dim` is odd and `odd` is "error" (timestep.C3), or the
        dtype is no float (conventions.C3).
    TypeError
        If `timesteps` is not an array.

    References
    ----------
    Ho et al. 2020 (shift 1, sines first); openai/guided-diffusion `timestep_embedding` (shift 0,
    cosines first); diffusers `get_timestep_embedding` (every parameter here).

    Examples
    --------
    >>> import numpy as np
    >>> encode(np.array([1.0]), dim=4, max_period=10000.0, freq_shift=0.0, flip_sin_to_cos=False,
    ...        scale=1.0, odd="error")
    array([[0.84147098, 0.00999983, 0.54030231, 0.99995   ]])
    """
    given = admit("timestep.encode", CLAUSES, locals())
    if given.dim % 2 and given.odd == "error":
        raise SpecError("timestep.C3", "dim", f'must be even where odd is "error", got {given.dim}')
    exponents = _exponents(given)
    return given.by_pieces(lambda part: _table(part, exponents), "T", each=given.dim, most=TABLE)


def _table(given: Given, exponents: list[Fraction]) -> Any:
    parts = [_tables(given, *run, exponents) for run in _runs(given)]
    cos, sin = (given.xp.concat(found, axis=0) for found in zip(*parts, strict=True))
    blocks = [cos, sin] if given.flip_sin_to_cos else [sin, cos]
    if given.dim % 2:
        blocks.append(given.xp.zeros_like(sin[:, :1]))

    return given.xp.concat(blocks, axis=-1)


def _exponents(given: Given) -> list[Fraction]:
    count = given.dim // 2
    span = count - Fraction(given.freq_shift)
    if span <= 0:
        message = f"must be below {count}, the number of frequencies, got {given.freq_shift}"
        raise SpecError("timestep.C1", "freq_shift", message)
    return [j / span for j in range(count)]


def _runs(given: Given) -> Iterator[tuple[Any, int]]:
    """Yield steps and a power of two that multiplies them, so that no step is above 2**53.

    They come in one piece, unless one is larger: then one by one.
    """
    steps = given.timesteps
    if steps.shape[0] == 0 or float(given.xp.max(given.xp.abs(steps))) <= LARGEST:
        yield steps, 0
        return
    for n, step in enumerate(given.space.host(steps)):
        shift = max(0, math.frexp(step)[1] - 53)
        yield steps[n : n + 1] * 2.0**-shift, shift


def _tables(given: Given, steps: Any, shift: int, exponents: list[Fraction]) -> tuple[Any, Any]:
    factor = Fraction(given.scale) * 2**shift
    return tables(given.space, steps, stretched(given.max_period, exponents, factor), dtype=given.dtype)
