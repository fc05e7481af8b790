r"""Fourier features: sines and cosines of projected coordinates.

Axis letters: ``T`` points, ``A`` coordinates, ``F`` frequencies. Normative text: ``spec/schemes/fourier.md``.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.numerics.checks import admit
from posref.numerics.doubled import Doubled, add, product, times
from posref.numerics.given import Given
from posref.numerics.turns import RADIAN, circle_points, fraction_of_turn

CLAUSES: Final = {"x": "fourier.C3", "weights": "fourier.C3"}

REACH: Final = 2.0**32
"""Projections beyond this are formed in exact rational numbers."""

PRODUCTS: Final = (2.0**-450, 2.0**450)
"""Factors between these in size have products that double-double forms exactly."""


def encode(x: Any, weights: Any, *, two_pi: bool, include_input: bool) -> Any:
    r"""Return sines, then cosines, of :math:`z_f = \sum_a x_a W_{af}`, times :math:`2\pi` if asked.

    Parameters
    ----------
    x : array of float, shape (..., T, A)
        Coordinates of each point.
    weights : array of float64 or float32, shape (A, F)
        A column a frequency: drawn at random once, or the bands of a ladder.
    two_pi : bool
        Whether the projections are in turns, to be multiplied by :math:`2\pi`, or in radians.
    include_input : bool
        Whether `x` itself stands before the sines, moved bit for bit.

    Returns
    -------
    array of float, shape (..., T, 2 F) or (..., T, A + 2 F)
        In the dtype and library of `x`; of claim ``f64-angle``: a projection is a sum, which may cancel.

    Raises
    ------
    SpecError
        If the last axis of `x` is not the first of `weights`, or an axis is empty (fourier.C3), or the
        dtype of an input is wrong (conventions.C3).
    TypeError
        If the arguments are not arrays of one library.

    Notes
    -----
    Bands (1, 2, 4, ... of NeRF, or evenly spaced ones), a factor :math:`\pi` and separate axes are all
    columns of `weights`; a learned or random `weights` is data of the model.

    References
    ----------
    Tancik et al. 2020 (arXiv 2006.10739), section 5; diffusers `GaussianFourierProjection`.

    Examples
    --------
    >>> import numpy as np
    >>> encode(np.array([[0.25, 1.0]]), np.array([[1.0], [0.0]]), two_pi=True, include_input=True)
    array([[0.25, 1.  , 1.  , 0.  ]])
    """
    given = admit("fourier.encode", CLAUSES, locals())

    return given.by_pieces(_features, "T", each=2 * given.axes["F"] + given.axes["A"])


def _features(part: Given) -> Any:
    cos, sin = circle_points(part.xp, _turns(part))
    blocks = (part.x, sin, cos) if part.include_input else (sin, cos)
    return part.xp.concat(blocks, axis=-1)


@np.errstate(all="ignore")
def _turns(given: Given) -> Doubled:
    """Return the projections in turns."""
    xp, x, weights = given.xp, given.x, given.weights
    if not (_usual(xp, x) and _usual(xp, weights) and _near(xp, x, weights)):
        return _exact_turns(given)
    total = product(x[..., 0, None], weights[0, :])
    for axis in range(1, given.axes["A"]):
        total = add(total, product(x[..., axis, None], weights[axis, :]))
    return total if given.two_pi else times(total, RADIAN)


def _usual(xp: Any, values: Any) -> bool:
    """Whether all values are zero or of a size whose products are exact."""
    size, (least, most) = xp.abs(values), PRODUCTS
    return bool(xp.all((size == 0.0) | ((size >= least) & (size <= most))))


def _near(xp: Any, x: Any, weights: Any) -> bool:
    return bool(xp.all(xp.matmul(xp.abs(x), xp.abs(weights)) <= REACH))


def _exact_turns(given: Given) -> Doubled:
    """Return the projections in turns, each from exact rational numbers."""
    xp, axes, bands = given.xp, given.axes["A"], given.axes["F"]
    flat = xp.reshape(given.x, (-1, axes))
    rows = [[Fraction(value) for value in row] for row in given.space.host(flat)]
    weights = given.space.host(given.weights)
    columns = [[Fraction(weights[a][f]) for a in range(axes)] for f in range(bands)]
    found = [
        fraction_of_turn(
            sum((p * w for p, w in zip(row, column, strict=True)), Fraction(0)), radians=not given.two_pi
        )
        for row in rows
        for column in columns
    ]
    shape = (*given.x.shape[:-1], bands)
    high, low = (xp.reshape(given.space.constant(list(part)), shape) for part in zip(*found, strict=True))
    return Doubled(high, low)
