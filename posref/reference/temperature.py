r"""Temperature: a query scale that grows with the position, in steps, as its logarithm.

Attention over many keys flattens; longer contexts get larger queries. Axis letters: ``T`` tokens.
Normative text: ``spec/schemes/temperature.md``.
"""

from decimal import Decimal
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.wide import wider

CLAUSES: Final = {
    "beta": "temperature.C1",
    "floor_scale": "temperature.C1",
    "plus_one": "temperature.C1",
    "positions": "temperature.C1",
}

FORTY: Final = wider(40)
"""Digits enough to round a float64 once: nothing cancels."""

LARGEST: Final = 2**54
"""A step longer than any position: as good as one that is longer still."""


def scale(positions: Any, *, beta: float, floor_scale: int, plus_one: bool, dtype: Any = "float64") -> Any:
    r"""Return :math:`1 + \beta \ln(1 + \lfloor (p_t + o) / f \rfloor)`.

    Parameters
    ----------
    positions : array of int, shape (..., T)
        Positions :math:`p`, in tokens; at least 0, or -1 with `plus_one`.
    beta : float
        Strength :math:`\beta`, finite, at least 0, dimensionless.
    floor_scale : int
        Tokens a step, :math:`f`, at least 1.
    plus_one : bool
        Whether :math:`o` is 1 or 0: which position is the first of a step.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (..., T)
        Factors on the queries, in the library of `positions`; within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain or a position is below the first step (temperature.C1),
        or a position is fractional, boolean or too large (conventions.C4).
    TypeError
        If `positions` is not an array.

    References
    ----------
    transformers `modeling_llama4` (plus one), Ministral 3 (no plus one).

    Examples
    --------
    >>> import numpy as np
    >>> scale(np.array([8190, 8191]), beta=0.1, floor_scale=8192, plus_one=True)
    array([1.        , 1.06931472])
    """
    given = admit("temperature.scale", CLAUSES, locals())
    return given.by_pieces(_scales, "T", each=1)


def _scales(given: Given) -> Any:
    """Return the scales of the tokens of a piece; each step that occurs is computed once."""
    xp, shape = given.xp, given.positions.shape
    count = xp.reshape(given.positions, (-1,)) + int(given.plus_one)
    if count.shape[0] == 0:
        return given.space.zeros(shape)
    if int(xp.min(count)) < 0:
        message = f"must be at least {-int(given.plus_one)}, got {int(xp.min(count)) - int(given.plus_one)}"
        raise SpecError("temperature.C1", "positions", message, "OUT_OF_RANGE")

    steps, where = xp.unique_inverse(count // min(given.floor_scale, LARGEST))
    factors = [_factor(given.beta, step) for step in given.space.host(steps)]
    scales = xp.take(given.space.constant(factors), xp.reshape(where, (-1,)), axis=0)

    return xp.reshape(scales, shape)


def _factor(beta: float, step: int) -> float:
    return float(FORTY.add(1, FORTY.multiply(Decimal.from_float(beta), FORTY.ln(1 + step))))
