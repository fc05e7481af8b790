r"""Sinusoids of a row and a column, as image models use them.

Half of a row of the table encodes one coordinate, half the other; which comes first, where sines and
cosines stand and what the exponent is divided by differ among the released models.

Axis letters: ``T`` tokens. Normative text: ``spec/schemes/sincos2d.md``.
"""

from fractions import Fraction
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.pieces import TABLE
from posref.numerics.wide import Frequencies, ladder

CLAUSES: Final = {
    "dim": "sincos2d.C1",
    "base": "sincos2d.C1",
    "rows": "sincos2d.C3",
    "cols": "sincos2d.C3",
}


def encode(
    rows: Any,
    cols: Any,
    *,
    dim: int,
    base: float,
    denominator: str,
    axis_order: str,
    layout: str,
    dtype: Any = "float64",
) -> Any:
    r"""Return one row a token: sines and cosines of its row and of its column.

    With :math:`n = \mathrm{dim}/4` frequencies :math:`\omega_j` an axis, first axis :math:`a` and
    second axis :math:`b`:

    - ``axis_major``: :math:`\sin a\omega, \cos a\omega, \sin b\omega, \cos b\omega`;
    - ``component_major``: :math:`\sin a\omega, \sin b\omega, \cos a\omega, \cos b\omega`.

    Parameters
    ----------
    rows : array of int, shape (T,)
        Row :math:`y` of each token, in patches, of either sign; no grid is assumed.
    cols : array of int, shape (T,)
        Column :math:`x` of each token, in patches, of either sign.
    dim : int
        Width of a row of the table, a multiple of 4.
    base : float
        Base :math:`b` of the ladder of frequencies, finite and above 1.
    denominator : {"dim", "count_minus_1"}
        Frequencies :math:`b^{-j/n}` or :math:`b^{-j/(n-1)}`.
    axis_order : {"x_first", "y_first"}
        Which coordinate is :math:`a`: the column or the row.
    layout : {"axis_major", "component_major"}
        Whether the blocks of a coordinate, or the blocks of sines, stand together.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (T, dim)
        In the library of `rows`; within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain or there is one frequency only under "count_minus_1"
        (sincos2d.C1), `rows` and `cols` differ in shape (sincos2d.C3), or a position is fractional,
        boolean or too large (conventions.C4).
    TypeError
        If the positions are not arrays of one library.

    Notes
    -----
    The exponent runs over half of `dim`, the share of one axis, not over `dim`. Fractional, centred
    or rescaled coordinates are not covered.

    References
    ----------
    facebookresearch/mae `get_2d_sincos_pos_embed` ("x_first", "axis_major", "dim"; its variable
    ``emb_h`` holds the column); google-research/big_vision `posemb_sincos_2d` ("x_first",
    "axis_major", "count_minus_1"); timm `build_sincos2d_pos_embed` ("y_first", "component_major",
    "dim").

    Examples
    --------
    >>> import numpy as np
    >>> encode(np.array([0]), np.array([2]), dim=4, base=10000.0, denominator="dim",
    ...        axis_order="x_first", layout="axis_major")
    array([[ 0.90929743, -0.41614684,  0.        ,  1.        ]])
    """
    given = admit("sincos2d.encode", CLAUSES, locals())
    frequencies = _frequencies(given)

    return given.by_pieces(lambda part: _table(part, frequencies), "T", each=given.dim, most=TABLE)


def _table(given: Given, frequencies: Frequencies) -> Any:
    rows_first = given.axis_order == "y_first"
    first, second = (given.rows, given.cols) if rows_first else (given.cols, given.rows)
    (cos_a, sin_a), (cos_b, sin_b) = (
        tables(given.space, axis, frequencies, dtype=given.dtype) for axis in (first, second)
    )
    blocks = {
        "axis_major": (sin_a, cos_a, sin_b, cos_b),
        "component_major": (sin_a, sin_b, cos_a, cos_b),
    }[given.layout]

    return given.xp.concat(blocks, axis=-1)


def _frequencies(given: Given) -> Frequencies:
    count = given.dim // 4
    if given.denominator == "dim":
        return ladder(given.base, [Fraction(j, count) for j in range(count)])
    if count == 1:
        raise SpecError("sincos2d.C1", "dim", f"one frequency has no count_minus_1 ladder, got {given.dim}")
    return ladder(given.base, [Fraction(j, count - 1) for j in range(count)])
