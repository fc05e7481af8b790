"""Rotations after the rotation: keys shifted in a cache, and cotangents on their way back."""

from typing import Any, NamedTuple

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given, broadcast
from posref.numerics.phase import tables
from posref.numerics.rotation import pairs, place, turned
from posref.numerics.sums import summed
from posref.numerics.tokens import Rows, Table
from posref.reference._rope_scaling import Scaling, scaled
from posref.reference._rope_tables import CLAUSES
from posref.reference._scaled_ladders import Ladder


class Cotangents(NamedTuple):
    """Cotangents of the inputs of a rotation."""

    grad_x: Any
    grad_cos: Any
    grad_sin: Any


def rerotate(
    k: Any,
    delta: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Scaling | None = None,
    seq_len: int | None = None,
) -> Any:
    r"""Shift keys that are rotated already: from position :math:`p` to :math:`p + \delta`.

    Parameters
    ----------
    k : array of float, shape (..., T, D)
        Rotated keys, as a cache holds them.
    delta : array of int, rank 0 or shape (..., T)
        Shift :math:`\delta`, in tokens, of all or of each; leading axes broadcast into those of `k`.
    rotary_dim : int
        Rotated width, in coordinates; even, at least 2.
    rotary_start : int, default 0
        First rotated coordinate.
    base : float
        Base of the ladder of frequencies, finite and above 1.
    pairing : {"adjacent", "half"}
        Which two coordinates form a pair.
    scaling : mapping, optional
        The context extension that the keys were rotated with. Its magnitude factor is in them already and
        is not applied again.
    seq_len : int, optional
        Current length in tokens, which dynamic and longrope need.

    Returns
    -------
    array of float, shape (..., T, D)
        In the dtype and library of `k`.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope.C2, rope.C4, rope.C8), the slice exceeds the width of
        `k` (rope.C2), `delta` does not fit (rope.C14), or the frequencies of `scaling` change with a
        length beyond the trained one (rope.C14).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, section 3.2.2: rotations compose by adding positions.

    Examples
    --------
    A key at position 5 that becomes the key at position 3:

    >>> import numpy as np
    >>> from posref import rope
    >>> options = {"rotary_dim": 2, "base": 10000.0, "pairing": "half"}
    >>> cached = rope.apply(np.array([[1.0, 0.0]]), np.array([5]), **options)
    >>> rerotate(cached, np.array(-2), **options)
    array([[-0.9899925 ,  0.14112001]])
    """
    given = admit("rope.rerotate", {**CLAUSES, "delta": "rope.C14"}, locals(), ("k",))
    _check_delta(given)
    check_slice(given)
    frequencies, _ = scaled(given)
    _check_constant(given)

    return turned_by(given, ("k",), "delta", Ladder(frequencies))[0]


def _check_delta(given: Given) -> None:
    shape, tokens = (tuple(given.stored[name].shape) for name in ("delta", "k"))
    tokens = tokens[:-1]
    if shape and (shape[-1] != tokens[-1] or broadcast(shape, tokens) != tokens):
        message = f"must have rank 0 or be per token, (..., {tokens[-1]}) into {tokens}; got shape {shape}"
        raise SpecError("rope.C14", "delta", message, "INVALID_SHAPE")


def _check_constant(given: Given) -> None:
    """Refuse a scaling whose frequencies are not those of every earlier length."""
    if given.scaling is None or given.scaling["rope_type"] not in ("dynamic", "longrope"):
        return
    length = given.scaling["original_max_position_embeddings"]
    if given.seq_len > length:
        kind = given.scaling["rope_type"]
        message = f"{kind} has other frequencies at length {given.seq_len} than up to {length}: no shift"
        raise SpecError("rope.C14", "scaling", message)


def check_slice(given: Given) -> None:
    """Refuse a slice that exceeds the width."""
    start, rotary_dim, width = given.rotary_start, given.rotary_dim, given.axes["D"]
    if start + rotary_dim > width:
        message = f"rotary_start {start} + rotary_dim {rotary_dim} exceed the width {width}"
        raise SpecError("rope.C2", "rotary_dim", message, "INVALID_SHAPE")


def turned_by(
    given: Given, tensors: tuple[str, ...], positions: str, ladder: Ladder, *, back: bool = False
) -> tuple[Any, ...]:
    """Return inputs with their pairs turned by the angles of a ladder at some positions, or turned back."""

    def make(rows: Rows) -> tuple[Any, Any]:
        cos, sin = tables(given.space, rows(positions), *ladder, given.dtype)
        return cos, -sin if back else sin

    table = Table(given, (positions,), len(ladder.frequencies), make)
    pairing, start = given.pairing, given.rotary_start
    return turned(given, tensors, table, pairing_in=pairing, pairing_out=pairing, rotary_start=start)


@np.errstate(all="ignore")
def rotate_vjp(
    grad_y: Any, x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0
) -> Cotangents:
    r"""Return the cotangents of `rotate`: the pair turns back, and the tables get their share.

    For cotangents :math:`(g, g')` of a rotated pair, :math:`\bar u = c g + s g'` and
    :math:`\bar w = -s g + c g'`, :math:`\bar c = \sum g u + g' w`, :math:`\bar s = \sum -g w + g' u`.

    Parameters
    ----------
    grad_y : array of float, shape (..., T, D)
        Cotangent of the result.
    x : array of float, shape (..., T, D)
        What was rotated; dtype and shape of `grad_y`.
    cos, sin : arrays of float64 or float32, shape (..., T, h)
        Tables as given to `rotate`; leading axes broadcast into those of `x`.
    pairing_in, pairing_out : {"adjacent", "half"}
        Where `rotate` reads a pair and where it writes it.
    rotary_start : int, default 0
        First rotated coordinate.

    Returns
    -------
    Cotangents
        `grad_x` of the shape of `x`, `grad_cos` and `grad_sin` of that of the tables, summed over the axes
        that the tables broadcast over; all in the dtype and library of `grad_y`.

    Raises
    ------
    SpecError
        As in `rotate`, and if the shapes (conventions.C5) or dtypes (conventions.C3) of `grad_y` and `x`
        differ.
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    The transpose of Su et al. 2021, equation 34.

    Examples
    --------
    >>> import numpy as np
    >>> g, x, c, s = (np.array([row]) for row in ([1.0, 0.0], [3.0, 5.0], [0.5], [0.25]))
    >>> rotate_vjp(g, x, c, s, pairing_in="half", pairing_out="half")
    Cotangents(grad_x=array([[ 0.5 , -0.25]]), grad_cos=array([[3.]]), grad_sin=array([[-5.]]))
    """
    given = admit("rope.rotate_vjp", CLAUSES, locals())
    given.same_leading("grad_y", "x")
    given.same_leading("cos", "sin")
    given.fits("cos", "x")
    width, start, count = given.axes["D"], given.rotary_start, given.axes["h"]
    if start + 2 * count > width:
        message = f"rotary_start {start} + 2 * {count} coordinates exceed the {width} of x"
        raise SpecError("rope.C12", "cos", message, "INVALID_SHAPE")

    ways = {"pairing_in": given.pairing_out, "pairing_out": given.pairing_in, "rotary_start": start}
    table = Table(given, ("cos", "sin"), count, lambda rows: (rows("cos"), -rows("sin")))
    (grad_x,) = turned(given, ("grad_y",), table, **ways)

    return Cotangents(grad_x, *_table_cotangents(given))


def _table_cotangents(given: Given) -> tuple[Any, Any]:
    """Return what flows back into the cosines and the sines: sums over the tokens that share an entry."""
    count = given.axes["h"]

    def products(part: Given) -> tuple[Any, Any]:
        first, second = _members(part, part.grad_y, part.pairing_out, count)
        u, w = _members(part, part.x, part.pairing_in, count)
        return first * u + second * w, second * u - first * w

    return summed(given, products, ("grad_y", "x"), onto="cos")


def _members(given: Given, values: Any, pairing: str, count: int) -> tuple[Any, Any]:
    """Return the first and the second coordinates of all pairs."""
    columns = [[given.rotary_start + column for column in pair] for pair in pairs(pairing, count)]
    read = place(given.space, values, columns)
    return read[..., 0], read[..., 1]


def apply_vjp(
    grad_y: Any,
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
    r"""Return the cotangent of `apply`: every pair of `grad_y` turned back by its angle.

    Parameters
    ----------
    grad_y : array of float, shape (..., T, D)
        Cotangent of the result.
    x : array of float, shape (..., T, D)
        What was rotated; dtype and shape of `grad_y`. The result does not depend on its values.
    positions : array of int, float64 or float32, shape (..., T)
        Position of each token, in tokens; leading axes broadcast into those of `x`.
    rotary_dim, rotary_start, base, pairing, scaling, seq_len
        As in `apply`; the magnitude factor of a scaling multiplies here too.

    Returns
    -------
    array of float, shape (..., T, D)
        In the dtype and library of `grad_y`; on coordinates that pass through, `grad_y` bit for bit.

    Raises
    ------
    SpecError
        As in `apply`, and if the shapes (conventions.C5) or dtypes (conventions.C3) of `grad_y` and `x`
        differ.
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, equation 15: the inverse of a rotation is its transpose.

    Examples
    --------
    >>> import numpy as np
    >>> g, x = np.array([[1.0, 0.0]]), np.array([[3.0, 5.0]])
    >>> apply_vjp(g, x, np.array([1]), rotary_dim=2, base=10000.0, pairing="half")
    array([[ 0.54030231, -0.84147098]])
    """
    given = admit("rope.apply_vjp", CLAUSES, locals(), unchecked=("grad_y",))
    given.same_leading("grad_y", "x")
    given.fits("positions", "x")
    check_slice(given)

    return turned_by(given, ("grad_y",), "positions", scaled(given), back=True)[0]
