r"""Sinusoidal positions: sines and cosines of a geometric ladder of frequencies.

The pairs of small index are the fast, fine ones. A shift of the position is linear in the row.

Axis letters: ``T`` tokens, ``d`` model width. Normative text: ``spec/schemes/sinusoidal.md``.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.pieces import TABLE
from posref.numerics.rotation import place
from posref.numerics.wide import Frequencies, ladder

CLAUSES: Final = {
    "dim": "sinusoidal.C3",
    "base": "sinusoidal.C3",
    "denominator": "sinusoidal.C1",
    "layout": "sinusoidal.C4",
    "odd": "sinusoidal.C5",
    "offset": "sinusoidal.C6",
}


def inv_freq(*, dim: int, base: float, denominator: str, dtype: Any = "float64", like: Any = None) -> Any:
    r"""Return the ladder of frequencies, :math:`b^{-2i/d}` or :math:`b^{-i/(n-1)}`.

    Parameters
    ----------
    dim : int
        Width :math:`d` of a row; even, at least 2. There are :math:`n = d/2` frequencies.
    base : float
        Base :math:`b`, finite and above 1.
    denominator : {"dim", "count_minus_1"}
        What the exponent is divided by: the width, or :math:`n - 1`, which makes the last frequency
        exactly :math:`1/b`.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of `dtype`, shape (n,)
        Radians per token, within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (sinusoidal.C3), or there is one frequency only under
        "count_minus_1" (sinusoidal.C2).

    References
    ----------
    Vaswani et al. 2017, section 3.5; tensor2tensor `get_timing_signal_1d`.

    Examples
    --------
    >>> inv_freq(dim=8, base=10000.0, denominator="dim")
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    given = admit("sinusoidal.inv_freq", CLAUSES, locals())

    frequencies = _frequencies(given, given.dim // 2, given.dim)

    return given.round(given.space.constant([float(entry) for entry in frequencies]))


def encode(
    positions: Any,
    *,
    dim: int,
    base: float,
    denominator: str,
    layout: str,
    odd: str,
    dtype: Any = "float64",
) -> Any:
    r"""Return one row a position: sines and cosines of position times frequency.

    Parameters
    ----------
    positions : array of int, float64 or float32, shape (..., T)
        Positions, in tokens; negative and fractional ones are legal.
    dim : int
        Width of a row, at least 2.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    denominator : {"dim", "count_minus_1"}
        What the exponent is divided by.
    layout : {"interleaved", "sin_cos", "cos_sin"}
        Sine and cosine of a pair side by side, all sines first, or all cosines first.
    odd : {"error", "zero_pad", "extra_sine"}
        What an odd `dim` means: an error, a last column of zeros, or one more sine than cosines.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (..., T, dim)
        In the library of `positions`; within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (sinusoidal.C3), `dim` is odd and `odd` is "error"
        (sinusoidal.C5), there is one frequency only under "count_minus_1" (sinusoidal.C2), or a
        position is boolean or too large (conventions.C4).
    TypeError
        If `positions` is not an array.

    References
    ----------
    Vaswani et al. 2017, section 3.5 ("interleaved"); tensor2tensor `get_timing_signal_1d`
    ("sin_cos", "zero_pad"); transformers XLM `create_sinusoidal_embeddings` ("extra_sine").

    Examples
    --------
    >>> import numpy as np
    >>> encode(np.array([1]), dim=4, base=10000.0, denominator="dim", layout="interleaved", odd="error")
    array([[0.84147098, 0.54030231, 0.00999983, 0.99995   ]])
    """
    given = admit("sinusoidal.encode", CLAUSES, locals())
    if given.dim % 2 and given.odd == "error":
        raise SpecError("sinusoidal.C5", "dim", f'must be even where odd is "error", got {given.dim}')
    padded = given.dim % 2 == 1 and given.odd == "zero_pad"
    cosines = given.dim // 2
    sines = cosines if padded else given.dim - cosines

    frequencies = _frequencies(given, sines, given.dim - padded)
    sine_at, cosine_at = _columns(given.layout, sines, cosines)
    where = [2 * sines] * given.dim
    for i, column in enumerate(sine_at):
        where[column] = i
    for i, column in enumerate(cosine_at):
        where[column] = sines + i

    def table(part: Given) -> Any:
        cos, sin = tables(part.space, part.positions, frequencies, dtype=part.dtype)
        entries = part.xp.concat((sin, cos, part.xp.zeros_like(sin[..., :1])), axis=-1)
        return place(part.space, entries, where)

    return given.by_pieces(table, "T", each=given.dim, most=TABLE)


def shift_matrix(
    *,
    offset: int,
    dim: int,
    base: float,
    denominator: str,
    layout: str,
    dtype: Any = "float64",
    like: Any = None,
) -> Any:
    r"""Return the matrix :math:`M` with :math:`PE(p + k) = M\,PE(p)` for every :math:`p`.

    Parameters
    ----------
    offset : int
        Shift :math:`k`, in tokens, of either sign, at most 2**53 in size.
    dim : int
        Width of a row; even, at least 2.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    denominator : {"dim", "count_minus_1"}
        What the exponent is divided by.
    layout : {"interleaved", "sin_cos", "cos_sin"}
        Where the sines and cosines of a row stand.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of `dtype`, shape (dim, dim)
        Within one ulp; entries that join no pair are exact zeros.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (sinusoidal.C3, sinusoidal.C6), or there is one
        frequency only under "count_minus_1" (sinusoidal.C2).

    References
    ----------
    Vaswani et al. 2017, section 3.5.

    Examples
    --------
    >>> shift_matrix(offset=1, dim=2, base=10000.0, denominator="dim", layout="interleaved")
    array([[ 0.54030231,  0.84147098],
           [-0.84147098,  0.54030231]])
    """
    given = admit("sinusoidal.shift_matrix", CLAUSES, locals())
    count = given.dim // 2

    frequencies = _frequencies(given, count, given.dim)
    cos, sin = tables(given.space, given.space.constant([given.offset], "int64"), frequencies)
    zero = given.xp.zeros_like(cos[0, :1])
    entries = given.xp.concat((zero, cos[0, :], sin[0, :], 0.0 - sin[0, :]), axis=-1)

    where = np.zeros((given.dim, given.dim), dtype=np.int64)
    for i, (s, c) in enumerate(zip(*_columns(given.layout, count, count), strict=True)):
        where[s, s] = where[c, c] = 1 + i
        where[s, c], where[c, s] = 1 + count + i, 1 + 2 * count + i

    return given.round(place(given.space, entries, where))


def _frequencies(given: Given, count: int, width: int) -> Frequencies:
    """Return `count` frequencies; `width` is the denominator under "dim"."""
    if given.denominator == "dim":
        return ladder(given.base, [Fraction(2 * i, width) for i in range(count)])
    if count == 1:
        raise SpecError("sinusoidal.C2", "dim", f"one frequency has no count_minus_1 ladder, got {given.dim}")
    return ladder(given.base, [Fraction(i, count - 1) for i in range(count)])


def _columns(layout: str, sines: int, cosines: int) -> tuple[range, range]:
    """Return the columns of the sines and of the cosines."""
    return {
        "interleaved": (range(0, 2 * sines, 2), range(1, 2 * cosines, 2)),
        "sin_cos": (range(sines), range(sines, sines + cosines)),
        "cos_sin": (range(cosines, cosines + sines), range(cosines)),
    }[layout]
