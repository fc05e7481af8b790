r"""Swin: relative position of two tokens in a window, as a row of a table or as log-spaced coordinates.

Axis letters: ``S`` tokens of a window, ``V``, ``W`` offsets of the two axes, ``A`` = 2.
Normative text: ``spec/schemes/swin.md``.
"""

from fractions import Fraction
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.wide import WIDE, wide

CLAUSES: Final = {"window": "swin.C1", "pretrained_window": "swin.C2"}


def index(*, window: list[int], like: Any = None) -> Any:
    r"""Return the row of the bias table for each pair of tokens of a window.

    .. math::

        \mathrm{index}_{ij} = (y_i - y_j + h - 1)(2w - 1) + (x_i - x_j + w - 1)

    Parameters
    ----------
    window : list of two ints
        Height :math:`h` and width :math:`w` in tokens, at least 1; tokens are numbered row by row.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of int64, shape (h w, h w)
        Rows from 0 to ``(2 h - 1)(2 w - 1) - 1``, query first.

    Raises
    ------
    SpecError
        If `window` is not two positive integers (swin.C1).

    References
    ----------
    Liu et al. 2021, section 3.2.

    Examples
    --------
    >>> index(window=[1, 3])
    array([[2, 1, 0],
           [3, 2, 1],
           [4, 3, 2]])
    """
    given = admit("swin.index", CLAUSES, locals())
    height, width = given.window

    token = given.space.whole(slice(0, height * width))
    y, x = token // width, token % width
    dy, dx = y[:, None] - y[None, :], x[:, None] - x[None, :]

    return given.space.give((dy + height - 1) * (2 * width - 1) + (dx + width - 1))


def log_coords(
    *,
    window: list[int],
    pretrained_window: list[int] | None,
    dtype: Any = "float64",
    like: Any = None,
) -> Any:
    r"""Return log-spaced coordinates of every offset in a window.

    An offset :math:`\Delta` on an axis of size :math:`n` has the coordinate

    .. math::

        \mathrm{sign}(c)\, \frac{\log_2 (1 + |c|)}{3}, \qquad c = \frac{8 \Delta}{n_0 - 1}

    with :math:`n_0` the axis of the window of pretraining.

    Parameters
    ----------
    window : list of two ints
        Height :math:`h` and width :math:`w` in tokens, at least 1.
    pretrained_window : list of two ints, or None
        Window of pretraining, which normalises the offsets; None means `window`.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of `dtype`, shape (2 h - 1, 2 w - 1, 2)
        Coordinates in the order dy, dx, dimensionless, within one ulp; 0 on an axis of size 1.

    Raises
    ------
    SpecError
        If a window is not two positive integers (swin.C2), an axis of size 1 in pretraining is wider
        now (swin.C2), or `dtype` is no float (conventions.C2).

    References
    ----------
    Liu et al. 2022, section 3.3.

    Examples
    --------
    >>> log_coords(window=[1, 2], pretrained_window=[1, 9])[0, :, 1]
    array([-0.33333333,  0.        ,  0.33333333])
    """
    given = admit("swin.log_coords", CLAUSES, locals())
    sizes = given.window
    reference = sizes if given.pretrained_window is None else given.pretrained_window
    for axis, size, before in zip(("height", "width"), sizes, reference, strict=True):
        if before == 1 < size:
            message = f"must be above 1 where the {axis} is {size}, got 1"
            raise SpecError("swin.C2", "pretrained_window", message)

    dy, dx = (_axis(size, before) for size, before in zip(sizes, reference, strict=True))
    rows = [[(y, x) for x in dx] for y in dy]

    return given.round(given.space.constant(rows))


def _axis(size: int, before: int) -> list[float]:
    """Return the coordinates of the offsets of one axis, correctly rounded."""
    if size == 1:
        return [0.0]
    later = [_coordinate(Fraction(8 * offset, before - 1)) for offset in range(1, size)]
    return [-value for value in reversed(later)] + [0.0] + later


def _coordinate(c: Fraction) -> float:
    logarithm = WIDE.ln(wide(1 + c))
    return float(WIDE.divide(logarithm, WIDE.multiply(wide(3), WIDE.ln(wide(2)))))
