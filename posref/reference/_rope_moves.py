"""What moves rotary data without touching a number: rows of tables, and pairs from one order to the other."""

from typing import Any

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.rotation import pairs, place
from posref.numerics.rows import rows_at
from posref.reference._rope_tables import CLAUSES, CosSin

MOVES = {
    **CLAUSES,
    "offset": "rope.C13",
    "length": "rope.C13",
    "sin": "rope.C13",
    "source": "rope.C15",
    "target": "rope.C15",
    "num_heads": "rope.C16",
}


def table_slice(cos: Any, sin: Any, *, offset: int, length: int) -> CosSin:
    """Return the rows of a table that a chunk of tokens needs.

    Parameters
    ----------
    cos, sin : arrays of float, shape (N, h)
        Rows of cosines and sines, one a position from 0.
    offset : int
        Position of the first token, in tokens, at least 0.
    length : int
        Number of tokens, at least 0.

    Returns
    -------
    CosSin
        Rows `offset` to ``offset + length - 1`` of each, shape (length, h), in the dtype and library of
        `cos`, bit for bit.

    Raises
    ------
    SpecError
        If `offset` or `length` is negative or the table ends before ``offset + length`` (rope.C13).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Su et al. 2021, section 3.4.2: a position has one row, whatever the call it comes in.

    Examples
    --------
    >>> import numpy as np
    >>> cos = np.array([[1.0], [0.5], [0.25]])
    >>> table_slice(cos, -cos, offset=1, length=2).sin
    array([[-0.5 ],
           [-0.25]])
    """
    given = admit("rope.table_slice", MOVES, locals())
    rows, stop = given.axes["N"], given.offset + given.length
    if given.offset < 0:
        raise _outside("offset", f"must be at least 0, got {given.offset}")
    if given.length < 0:
        raise _outside("length", f"must be at least 0, got {given.length}")
    if stop > rows:
        raise _outside("length", f"{given.offset} + {given.length} rows exceed the {rows} of the table")

    parts = (given.stored[name][given.offset : stop, :] for name in ("cos", "sin"))
    return CosSin(*(given.moved(given.xp.asarray(part, copy=True)) for part in parts))


def _outside(name: str, message: str) -> SpecError:
    return SpecError("rope.C13", name, message, "OUT_OF_RANGE")


def permute(x: Any, *, source: str, target: str, rotary_dim: int, rotary_start: int = 0) -> Any:
    r"""Re-lay the rotated slice: pair :math:`i` moves from where `source` has it to where `target` has it.

    Parameters
    ----------
    x : array of float, shape (..., D)
        Anything with pairs in its last axis.
    source, target : {"adjacent", "half"}
        Order of the input and of the result.
    rotary_dim : int
        Width of the slice, in coordinates; even, at least 2.
    rotary_start : int, default 0
        Its first coordinate.

    Returns
    -------
    array of float, shape (..., D)
        In the dtype and library of `x`, bit for bit.

    Raises
    ------
    SpecError
        If an order is unknown (rope.C15) or the slice does not fit (rope.C2).
    TypeError
        If `x` is not an array.

    References
    ----------
    transformers `convert_llama_weights_to_hf.permute`.

    Examples
    --------
    >>> import numpy as np
    >>> permute(np.array([1.0, 2.0, 3.0, 4.0]), source="adjacent", target="half", rotary_dim=4)
    array([1., 3., 2., 4.])
    """
    given = admit("rope.permute", MOVES, locals())

    order = _order(given, given.axes["D"], given.rotary_start)

    return given.by_pieces(lambda part: place(part.space, part.stored["x"], order), each=len(order))


def permute_weight(weight: Any, *, num_heads: int, source: str, target: str, rotary_dim: int) -> Any:
    r"""Re-lay the rows of a projection inside each head, so that its outputs come re-laid.

    Parameters
    ----------
    weight : array of float, shape (N, d)
        Projection, a row an output coordinate, head after head.
    num_heads : int
        Heads of this projection, at least 1: key heads for a key projection.
    source, target : {"adjacent", "half"}
        Order of the rows now and afterwards.
    rotary_dim : int
        Rotated width of a head, in coordinates from its first; even, at least 2.

    Returns
    -------
    array of float, shape (N, d)
        In the dtype and library of `weight`, bit for bit.

    Raises
    ------
    SpecError
        If an order is unknown (rope.C15), the rows do not divide into `num_heads` (rope.C16) or a head
        is narrower than `rotary_dim` (rope.C2).
    TypeError
        If `weight` is not an array.

    References
    ----------
    transformers `convert_llama_weights_to_hf.permute`.

    Examples
    --------
    Two heads of four rows:

    >>> import numpy as np
    >>> rows = np.arange(8.0).reshape(8, 1)
    >>> permute_weight(rows, num_heads=2, source="half", target="adjacent", rotary_dim=4).reshape(8)
    array([0., 2., 1., 3., 4., 6., 5., 7.])
    """
    given = admit("rope.permute_weight", MOVES, locals())
    rows, heads = given.axes["N"], given.num_heads
    if rows % heads:
        message = f"{rows} rows do not divide into {heads} heads"
        raise SpecError("rope.C16", "weight", message, "INVALID_SHAPE")

    order = _order(given, rows // heads, 0)
    inside = [head * len(order) + row for head in range(heads) for row in order]

    index = given.space.constant(inside, "int64")
    return given.moved(rows_at(given, "weight", index))


def _order(given: Given, width: int, start: int) -> list[int]:
    """Return, for each coordinate of a head, the one whose value it gets."""
    rotary_dim = given.rotary_dim
    if start + rotary_dim > width:
        message = f"rotary_start {start} + rotary_dim {rotary_dim} exceed the width {width}"
        raise SpecError("rope.C2", "rotary_dim", message, "INVALID_SHAPE")
    order = list(range(width))
    both = (pairs(given.source, rotary_dim // 2), pairs(given.target, rotary_dim // 2))
    for read, write in zip(*both, strict=True):
        for source, target in zip(read, write, strict=True):
            order[start + target] = start + source
    return order
