"""RoPE's frequencies, tables and matrices: the part of `rope` that needs no tensor to rotate."""

from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np

from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import rounded_tables, tables
from posref.numerics.pieces import TABLE
from posref.numerics.rotation import pairs, place
from posref.numerics.wide import Frequencies
from posref.reference._scaled_ladders import plain

CLAUSES: Final = {
    "rotary_dim": "rope.C2",
    "base": "rope.C2",
    "rotary_start": "rope.C2",
    "attention_factor": "rope.C3",
    "pairing": "rope.C4",
    "pairing_in": "rope.C5",
    "pairing_out": "rope.C5",
    "scaling": "rope.C8",
    "seq_len": "rope.C8",
    "positions": "rope.C11",
    "q_positions": "rope.C11",
    "k_positions": "rope.C11",
    "inv_freq": "rope.C12",
    "cos": "rope.C12",
    "sin": "rope.C12",
}


class CosSin(NamedTuple):
    """Cosines and sines, each of shape (..., T, h)."""

    cos: Any
    sin: Any


def inv_freq(*, rotary_dim: int, base: float, dtype: Any = "float64", like: Any = None) -> Any:
    r"""Return the ladder of frequencies, :math:`\omega_i = b^{-2i/R}`.

    Parameters
    ----------
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, at least 2.
    base : float
        Base :math:`b`, finite and above 1 (``rope_theta`` in configurations).
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of `dtype`, shape (h,)
        Radians per token, within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2) or `dtype` is no float (conventions.C2).

    References
    ----------
    Su et al. 2021, section 3.2.2.

    Examples
    --------
    >>> inv_freq(rotary_dim=8, base=10000.0)
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    given = admit("rope.inv_freq", CLAUSES, locals())

    return given.round(given.space.constant([float(entry) for entry in frequencies(given)]))


def cos_sin(
    positions: Any, inv_freq: Any, *, attention_factor: float = 1.0, dtype: Any = "float64"
) -> CosSin:
    r"""Return :math:`F\cos(p_t\omega_i)` and :math:`F\sin(p_t\omega_i)`.

    Parameters
    ----------
    positions : array of int, float64 or float32, shape (..., T)
        Positions :math:`p`, in tokens; negative and fractional ones are legal.
    inv_freq : array of float64 or float32, shape (h,)
        Frequencies :math:`\omega`, in radians per token, used as given.
    attention_factor : float, default 1.0
        Magnitude factor :math:`F`, above 0, dimensionless.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    CosSin
        `cos` and `sin`, each of shape (..., T, h), in the library of the inputs; within one ulp.

    Raises
    ------
    SpecError
        If `attention_factor` is out of its domain (rope.C3), a position is boolean or too large
        (conventions.C4), or `inv_freq` has not rank 1 (rope.C12).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, section 3.4.2, equation 34.

    Examples
    --------
    >>> import numpy as np
    >>> cos_sin(np.array([0, 1]), np.array([1.0])).sin
    array([[0.        ],
           [0.84147098]])
    """
    given = admit("rope.cos_sin", CLAUSES, locals())

    exact = tuple(Decimal.from_float(entry) for entry in given.space.host(given.inv_freq))

    return CosSin(*rounded_tables(given, given.positions, exact, given.attention_factor))


def matrix(positions: Any, *, rotary_dim: int, base: float, pairing: str, dtype: Any = "float64") -> Any:
    r"""Return the block-diagonal rotation matrix :math:`R_t` of each position, :math:`y = R_t x`.

    Parameters
    ----------
    positions : array of int, shape (..., T)
        Positions, in tokens.
    rotary_dim : int
        Width :math:`R`, in coordinates; even, at least 2.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    pairing : {"adjacent", "half"}
        Which two coordinates form a pair.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (..., T, R, R)
        Within one ulp; entries that join no pair are exact zeros.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2, rope.C4) or a position is fractional or too
        large (conventions.C4).
    TypeError
        If `positions` is not an array.

    References
    ----------
    Su et al. 2021, equation 15.

    Examples
    --------
    >>> import numpy as np
    >>> matrix(np.array([1]), rotary_dim=2, base=10000.0, pairing="half")
    array([[[ 0.54030231, -0.84147098],
            [ 0.84147098,  0.54030231]]])
    """
    given = admit("rope.matrix", CLAUSES, locals())

    omega = frequencies(given)
    count = len(omega)
    where = np.zeros((2 * count, 2 * count), dtype=np.int64)
    for i, (a, b) in enumerate(pairs(given.pairing, count)):
        where[a, a] = where[b, b] = 1 + i
        where[b, a], where[a, b] = 1 + count + i, 1 + 2 * count + i

    def matrices(part: Given) -> Any:
        cos, sin = tables(part.space, part.positions, omega, dtype=part.dtype)
        entries = part.xp.concat((part.xp.zeros_like(cos[..., :1]), cos, sin, 0.0 - sin), axis=-1)
        return place(part.space, entries, where)

    return given.by_pieces(matrices, "T", each=given.rotary_dim**2, most=TABLE)


def frequencies(given: Given) -> Frequencies:
    """Return the plain frequencies that the parameters of a call ask for, as wide numbers."""
    return plain(given.rotary_dim, given.base).frequencies
