r"""RoPE: turn each coordinate pair of a query or key by an angle proportional to its position.

Plane rotations compose by adding angles, :math:`R_m^\top R_n = R_{n-m}`, so a score sees two positions
only through their difference.

Axis letters: ``T`` tokens, ``Q`` queries, ``K`` keys, ``D`` head width, ``R`` rotated width,
``h = R / 2`` pairs. Normative text: ``spec/schemes/rope.md``.
"""

from typing import Any, NamedTuple

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.products import in_rows, score_sizes
from posref.numerics.rotation import rotate as turn
from posref.numerics.rotation import turned
from posref.numerics.tokens import Table
from posref.reference._rope_back import Cotangents, apply_vjp, check_slice, rerotate, rotate_vjp, turned_by
from posref.reference._rope_moves import permute, permute_weight, table_slice
from posref.reference._rope_scaling import Scaling, scaled
from posref.reference._rope_tables import CLAUSES, CosSin, cos_sin, inv_freq, matrix
from posref.reference._scaled_ladders import Ladder

__all__ = [
    "CosSin",
    "Cotangents",
    "Rotated",
    "apply",
    "apply_qk",
    "apply_vjp",
    "cos_sin",
    "inv_freq",
    "matrix",
    "permute",
    "permute_weight",
    "rerotate",
    "rotate",
    "rotate_vjp",
    "score",
    "table_slice",
]


class Rotated(NamedTuple):
    """Rotated queries and keys."""

    q: Any
    k: Any


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    r"""Rotate coordinate pairs by given cosines and sines.

    Pair :math:`(u, w)` of a token becomes :math:`(u c - w s,\; u s + w c)`.

    Parameters
    ----------
    x : array of float, shape (..., T, D)
        Queries or keys after projection.
    cos, sin : arrays of float64 or float32, shape (..., T, h)
        Tables, used as given, with any magnitude factor in them; leading axes broadcast into those
        of `x`.
    pairing_in, pairing_out : {"adjacent", "half"}
        Where a pair is read and where it is written.
    rotary_start : int, default 0
        First rotated coordinate.

    Returns
    -------
    array of float, shape (..., T, D)
        In the dtype and library of `x`; coordinates outside the slice unchanged, bit for bit.

    Raises
    ------
    SpecError
        If a pairing is unknown (rope.C5), `rotary_start` is negative (rope.C2), or shapes do not
        fit (rope.C12).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, equation 34 (adjacent); transformers `rotate_half` (half).

    Examples
    --------
    A quarter turn of the one pair; the last coordinate passes through:

    >>> import numpy as np
    >>> x, cos, sin = np.array([[1.0, 0.0, 5.0]]), np.array([[0.0]]), np.array([[1.0]])
    >>> rotate(x, cos, sin, pairing_in="adjacent", pairing_out="adjacent")
    array([[0., 1., 5.]])
    """
    given = admit("rope.rotate", CLAUSES, locals(), unchecked=("x", "cos", "sin"))
    given.same_leading("cos", "sin")
    given.fits("cos", "x")
    width, start = given.axes["D"], given.rotary_start
    if start + 2 * given.axes["h"] > width:
        message = f"rotary_start {start} + 2 * {given.axes['h']} coordinates exceed the {width} of x"
        raise SpecError("rope.C12", "cos", message, "INVALID_SHAPE")

    ways = {"pairing_in": given.pairing_in, "pairing_out": given.pairing_out, "rotary_start": start}

    table = Table(given, ("cos", "sin"), given.axes["h"], lambda rows: (rows("cos"), rows("sin")))

    return turned(given, ("x",), table, **ways)[0]


def apply(
    x: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Scaling | None = None,
    seq_len: int | None = None,
) -> Any:
    r"""Rotate `x` by its positions: frequencies, table and rotation in one.

    Parameters
    ----------
    x : array of float, shape (..., T, D)
        Queries or keys after projection.
    positions : array of int, float64 or float32, shape (..., T)
        Position of each token, in tokens; leading axes broadcast into those of `x`.
    rotary_dim : int
        Rotated width, in coordinates; even, at least 2.
    rotary_start : int, default 0
        First rotated coordinate.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    pairing : {"adjacent", "half"}
        Which two coordinates form a pair.
    scaling : mapping, optional
        Context extension: a ``rope_type`` and the parameters of that `rope_scaling` operation. Its
        magnitude factor multiplies the rotated coordinates.
    seq_len : int, optional
        Current length in tokens, which dynamic and longrope need.

    Returns
    -------
    array of float, shape (..., T, D)
        In the dtype and library of `x`.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2, rope.C4, rope.C8), the slice exceeds the width
        of `x` (rope.C2), positions do not fit (rope.C11) or are too large (conventions.C4).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> apply(np.array([[1.0, 0.0]]), np.array([1]), rotary_dim=2, base=10000.0, pairing="half")
    array([[0.54030231, 0.84147098]])
    """
    given = admit("rope.apply", CLAUSES, locals(), unchecked=("x",))
    given.fits("positions", "x")
    check_slice(given)

    return turned_by(given, ("x",), "positions", scaled(given))[0]


def apply_qk(
    q: Any,
    k: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Scaling | None = None,
    seq_len: int | None = None,
) -> Rotated:
    r"""Rotate queries and keys together, by the same positions.

    Parameters
    ----------
    q : array of float, shape (..., T, D)
        Queries after projection.
    k : array of float, shape (..., T, D)
        Keys after projection; leading axes may differ from those of `q` (grouped heads).
    positions : array of int, float64 or float32, shape (..., T)
        Position of each token, in tokens; leading axes broadcast into those of `q` and of `k`.
    rotary_dim, rotary_start, base, pairing, scaling, seq_len
        As in `apply`.

    Returns
    -------
    Rotated
        `q` and `k`, each with the shape, dtype and library of its input.

    Raises
    ------
    SpecError
        As in `apply`.
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> q, k = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> apply_qk(q, k, np.array([1]), rotary_dim=2, base=10000.0, pairing="half").k
    array([[-0.84147098,  0.54030231]])
    """
    given = admit("rope.apply_qk", CLAUSES, locals(), unchecked=("q", "k"))
    given.fits("positions", "q")
    given.fits("positions", "k")
    check_slice(given)

    return Rotated(*turned_by(given, ("q", "k"), "positions", scaled(given)))


@np.errstate(all="ignore")
def score(
    q: Any,
    k: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Scaling | None = None,
    seq_len: int | None = None,
) -> Any:
    r"""Return dot products of rotated queries and keys, :math:`(R_{p_i} q_i) \cdot (R_{r_j} k_j)`.

    Parameters
    ----------
    q : array of float, shape (..., Q, D)
        Queries after projection.
    k : array of float, shape (..., K, D)
        Keys after projection; dtype and leading axes of `q`.
    q_positions : array of int, shape (..., Q)
        Positions :math:`p` of the queries, in tokens.
    k_positions : array of int, shape (..., K)
        Positions :math:`r` of the keys, in tokens.
    rotary_dim, rotary_start, base, pairing, scaling, seq_len
        As in `apply`.

    Returns
    -------
    array of float, shape (..., Q, K)
        In the dtype and library of `q`; not multiplied by ``1 / sqrt(D)``.

    Raises
    ------
    SpecError
        As in `apply`, and if a position is fractional (conventions.C4).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, equation 16.

    Examples
    --------
    Only the difference of positions counts:

    >>> import numpy as np
    >>> q, k = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> score(q, k, np.array([0]), np.array([1]), rotary_dim=2, base=10000.0, pairing="half")
    array([[-0.84147098]])
    """
    given = admit("rope.score", CLAUSES, locals())
    given.same_leading("q", "k")
    given.fits("q_positions", "q")
    given.fits("k_positions", "k")
    check_slice(given)

    ladder = scaled(given)

    def product(part: Given) -> Any:
        queries, keys = (in_rows(part, _turn(part, name, ladder)) for name in ("q", "k"))
        return part.xp.matmul(queries, part.xp.matrix_transpose(keys))

    return given.by_pieces(product, "Q K", **score_sizes(given))


def _turn(part: Given, side: str, ladder: Ladder) -> Any:
    def made(positions: Any) -> tuple[Any, Any]:
        return tables(part.space, positions, *ladder, part.dtype)

    cos, sin = part.kept(f"{side}_positions", made)
    pairing, start = part.pairing, part.rotary_start
    return turn(
        part.xp, getattr(part, side), cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start
    )
