r"""xPos: a rotation and a decay, so that a score fades with distance.

Queries are multiplied by :math:`\zeta_i^{p/B}`, keys by the reciprocal at their own position: a score bears
:math:`\zeta_i^{(p_q - p_k)/B}`.

Axis letters: ``T`` tokens, ``D`` head width, ``R`` rotated width, ``h = R / 2`` pairs. Normative text:
``spec/schemes/xpos.md``.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.decay import exponents, power_of_two, rates
from posref.numerics.doubled import Doubled
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.rotation import rotate
from posref.reference._rope_tables import frequencies

CLAUSES: Final = {
    "rotary_dim": "rope.C2",
    "base": "rope.C2",
    "pairing": "rope.C4",
    "gamma": "xpos.C1",
    "scale_base": "xpos.C1",
    "center": "xpos.C1",
    "role": "xpos.C2",
}

LEAST: Final = 2.0**-1022
"""The smallest normal number."""


def scale(
    positions: Any,
    *,
    rotary_dim: int,
    gamma: float,
    scale_base: float,
    center: float,
    dtype: Any = "float64",
) -> Any:
    r"""Return the decay of each pair, :math:`\zeta_i^{(p_t - c)/B}`.

    .. math::

        \zeta_i = \frac{2i + \gamma R}{(1 + \gamma) R}

    Parameters
    ----------
    positions : array of int, shape (..., T)
        Positions :math:`p`, in tokens.
    rotary_dim : int
        Width :math:`R`, in coordinates; even, at least 2.
    gamma : float
        Offset :math:`\gamma` of the decay, above 0, dimensionless; 0.4 where published.
    scale_base : float
        Tokens :math:`B` per unit of the exponent, above 0; 512 where published.
    center : float
        Position :math:`c` of scale 1, in tokens.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (..., T, h)
        Factors on queries, in the library of `positions`; within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2, xpos.C1), a position is fractional or too large
        (conventions.C4), or a scale leaves the normal range of float64 (xpos.C1).
    TypeError
        If `positions` is not an array.

    References
    ----------
    Sun et al. 2022, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> scale(np.array([0, 10]), rotary_dim=4, gamma=0.5, scale_base=10.0, center=0.0)
    array([[1.        , 1.        ],
           [0.33333333, 0.66666667]])
    """
    given = admit("xpos.scale", CLAUSES, locals())

    per_token = _rates(given)

    return given.by_pieces(
        lambda part: _checked(part, _exponent(part, per_token)).value(), "T", each=given.rotary_dim // 2
    )


def apply(
    x: Any,
    positions: Any,
    *,
    role: str,
    rotary_dim: int,
    base: float,
    gamma: float,
    scale_base: float,
    center: float,
    pairing: str,
) -> Any:
    r"""Rotate queries or keys and multiply them by the scale or its reciprocal.

    Parameters
    ----------
    x : array of float, shape (..., T, D)
        Queries or keys after projection.
    positions : array of int, shape (..., T)
        Position of each token, in tokens; leading axes broadcast into those of `x`.
    role : {"query", "key"}
        Queries take the scale, keys its reciprocal.
    rotary_dim : int
        Rotated width, in coordinates from the first; even, at least 2.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    gamma, scale_base, center : float
        As in `scale`; the angle is not shifted by the center.
    pairing : {"adjacent", "half"}
        Which two coordinates form a pair.

    Returns
    -------
    array of float, shape (..., T, D)
        In the dtype and library of `x`; coordinates beyond `rotary_dim` unchanged, bit for bit.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2, rope.C4, xpos.C1, xpos.C2), `rotary_dim` exceeds the
        width of `x` (xpos.C2), positions do not fit (conventions.C5), are fractional or too large
        (conventions.C4), or a scale leaves the normal range of float64 (xpos.C1).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Sun et al. 2022, algorithm 1; microsoft/torchscale `xpos_relative_position`.

    Examples
    --------
    >>> import numpy as np
    >>> options = {"rotary_dim": 2, "base": 10000.0, "gamma": 1.0, "scale_base": 5.0, "center": 0.0}
    >>> apply(np.array([[1.0, 0.0]]), np.array([5]), role="key", pairing="half", **options)
    array([[ 0.56732437, -1.91784855]])
    """
    given = admit("xpos.apply", CLAUSES, locals())
    given.fits("positions", "x")
    if given.rotary_dim > given.axes["D"]:
        message = f"{given.rotary_dim} exceeds the width {given.axes['D']}"
        raise SpecError("xpos.C2", "rotary_dim", message, "INVALID_SHAPE")

    per_token, omega, pairing = _rates(given), frequencies(given), given.pairing

    def scaled(part: Given) -> Any:
        (cos, sin), factors = part.kept(
            "positions",
            lambda positions: (
                tables(part.space, positions, omega, dtype=part.dtype),
                _factors(part, per_token),
            ),
        )
        decayed = _decayed(part, factors)
        return rotate(part.xp, decayed, cos, sin, pairing_in=pairing, pairing_out=pairing)

    return given.by_pieces(scaled, "T", each=given.axes["D"])


@np.errstate(all="ignore")
def _factors(given: Given, per_token: list[Decimal]) -> list[Any]:
    """Return what both coordinates of each pair are multiplied by, one after the other."""
    exponent = _exponent(given, per_token)
    if given.role == "query":
        power = _checked(given, exponent)
    else:
        _checked(given, exponent)
        power = power_of_two(given.space, Doubled(-exponent.high, -exponent.low))
    return [_on_coordinates(given, factor) for factor in (power.significand * power.half, power.rest)]


@np.errstate(all="ignore")
def _decayed(given: Given, factors: list[Any]) -> Any:
    """Return `x` with its pairs multiplied; the other coordinates are moved."""
    x = given.x
    part = x[..., : given.rotary_dim]
    for factor in factors:
        part = part * factor
    return given.xp.concat((part, x[..., given.rotary_dim :]), axis=-1)


def _on_coordinates(given: Given, factor: Any) -> Any:
    """Return the factors of the pairs at both coordinates of each."""
    xp = given.xp
    if given.pairing == "half":
        return xp.concat((factor, factor), axis=-1)
    return xp.reshape(xp.stack((factor, factor), axis=-1), (*factor.shape[:-1], given.rotary_dim))


def _rates(given: Given) -> list[Decimal]:
    """Return how much the binary logarithm of each scale grows per token."""
    width, gamma = given.rotary_dim, Fraction(given.gamma)
    zeta = [(i + gamma * width) / ((1 + gamma) * width) for i in range(0, width, 2)]
    return rates(zeta, given.scale_base)


def _exponent(given: Given, per_token: list[Decimal]) -> Doubled:
    """Return the binary logarithms of the scales."""
    return exponents(given.space, given.positions, given.center, per_token)


@np.errstate(all="ignore")
def _checked(given: Given, exponent: Doubled) -> Any:
    """Return the scales as powers; refuse one outside the normal range of binary64."""
    xp, power = given.xp, power_of_two(given.space, exponent)
    found = power.value()
    if not bool(xp.all(xp.isfinite(found) & (found >= LEAST))):
        message = f"a scale leaves the normal range of binary64, center {given.center}"
        message += f" and scale_base {given.scale_base}"
        raise SpecError("xpos.C1", "positions", message, "OUT_OF_RANGE")
    return power
