r"""T5: a scalar bias per head, looked up by the bucket of the relative position.

Axis letters: ``N`` buckets, ``H`` heads, ``Q`` queries, ``K`` keys.
Normative text: ``spec/schemes/t5.md``.
"""

from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.buckets import Levels, Scale, span
from posref.numerics.checks import admit
from posref.numerics.distances import by_distance
from posref.numerics.given import Given

CLAUSES: Final = {
    "num_buckets": "t5.C1",
    "max_distance": "t5.C1",
    "bidirectional": "t5.C1",
    "table": "t5.C3",
}


def bucket(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    r"""Return the bucket of each relative position: exact ones first, then wider and wider ones.

    With :math:`m` buckets a side, :math:`e = \lfloor m/2 \rfloor` of them exact, a distance :math:`n`
    has bucket :math:`n` below :math:`e`, and from there

    .. math::

        \min\left( m - 1,\; e + \left\lfloor (m - e)
        \frac{\ln (n/e)}{\ln (\mathrm{max\_distance}/e)} \right\rfloor \right)

    by exact integer comparison, never by a floating logarithm.

    Parameters
    ----------
    relative_position : array of int, any shape
        Key position minus query position, in tokens; at most 2**54 in size.
    num_buckets : int
        Buckets in all, 32 in every released model. Bidirectional, half of them are for keys after
        the query.
    max_distance : int
        Distance, in tokens, from which all share the last bucket; above the exact ones.
    bidirectional : bool
        Whether keys after the query have buckets of their own (encoder), or all share bucket 0
        (decoder).

    Returns
    -------
    array of int64, same shape
        Rows of the bias table.

    Raises
    ------
    SpecError
        If `num_buckets` is odd and bidirectional, leaves fewer than two a side, or `max_distance` is
        not above the exact ones (t5.C1), or a relative position is no integer or too large
        (conventions.C4).
    TypeError
        If `relative_position` is no array.

    References
    ----------
    Raffel et al. 2020, section 2.1; `_relative_position_bucket` of mesh-tensorflow.

    Examples
    --------
    >>> import numpy as np
    >>> bucket(np.array([-128, -16, 0, 1, 64]), num_buckets=32, max_distance=128, bidirectional=True)
    array([15, 10,  0, 17, 30])
    """
    given = admit("t5.bucket", CLAUSES, locals())
    relative = given.stored["relative_position"]
    levels = _levels(given, span(given, relative, relative))

    return given.by_pieces(lambda part: _bucket(part, part.relative_position, levels), each=1)


def bias(
    table: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    num_buckets: int,
    max_distance: int,
    bidirectional: bool,
) -> Any:
    r"""Return the bias of every head, query and key, to be added to scores that T5 does not scale.

    Parameters
    ----------
    table : array of float, shape (N, H)
        A row a bucket, a column a head.
    q_positions : array of int, shape (..., Q)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (..., K)
        Positions of the keys, in tokens; leading axes broadcast against those of `q_positions`.
    num_buckets, max_distance, bidirectional
        As in `bucket`.

    Returns
    -------
    array of float, shape (..., H, Q, K)
        Entries of `table`, moved: in its dtype and library, bit for bit.

    Raises
    ------
    SpecError
        As in `bucket`, and if `table` has not `num_buckets` rows (t5.C3).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Raffel et al. 2020, section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[0.5], [1.0], [1.5], [2.0]])
    >>> arguments = {"num_buckets": 4, "max_distance": 8, "bidirectional": False}
    >>> bias(table, np.array([9]), np.array([0, 7, 8, 9, 10]), **arguments)
    array([[[2. , 1.5, 1. , 0.5, 0.5]]])
    """
    given = admit("t5.bias", CLAUSES, locals())
    given.meet("q_positions", "k_positions")
    _side(given)
    if given.axes["N"] != given.num_buckets:
        message = f"must have num_buckets = {given.num_buckets} rows, got {given.axes['N']}"
        raise SpecError("t5.C3", "table", message, "INVALID_SHAPE")

    levels = _levels(given, span(given, given.stored["q_positions"], given.stored["k_positions"]))

    return by_distance(given, lambda part, offset: _entries(part, _bucket(part, offset, levels)))


def _entries(part: Given, rows: Any) -> Any:
    """Return the entries of all heads in these rows of the table: (..., H, Q, K) for (..., 1, Q, K)."""
    xp = part.xp
    flat = xp.take(xp.matrix_transpose(part.table), xp.reshape(rows, (-1,)), axis=1)
    heads = xp.reshape(flat, (flat.shape[0], *rows.shape[:-3], *rows.shape[-2:]))
    return xp.moveaxis(heads, 0, -3)


def _levels(given: Given, farthest: int) -> Levels:
    """Return the wider and wider buckets, as far as any distance reaches."""
    side = _side(given)
    exact = side // 2
    scale = Scale(exact, given.max_distance, side - exact)
    return Levels(lambda n: min(scale.height(n)[0], scale.steps - 1), exact, farthest)


def _bucket(given: Given, relative: Any, levels: Levels) -> Any:
    xp = given.xp
    side = _side(given)
    exact = side // 2
    if given.bidirectional:
        distance = xp.abs(relative)
        offset = xp.astype(relative > 0, xp.int64) * side
    else:
        distance = xp.where(relative < 0, -relative, xp.zeros_like(relative))
        offset = xp.zeros_like(relative)

    below = xp.where(distance < exact, distance, xp.full_like(distance, exact))

    return offset + below + levels.passed(given.space, distance)


def _side(given: Given) -> int:
    """Return the buckets a side; refuse numbers that leave none to the logarithm."""
    buckets: int = given.num_buckets
    if given.bidirectional and buckets % 2:
        raise SpecError("t5.C1", "num_buckets", f"must be even when bidirectional, got {buckets}")
    side = buckets // 2 if given.bidirectional else buckets
    if side < 2:
        raise SpecError("t5.C1", "num_buckets", f"must leave at least 2 buckets a side, got {buckets}")
    if given.max_distance <= side // 2:
        message = f"must be above the {side // 2} exact distances, got {given.max_distance}"
        raise SpecError("t5.C1", "max_distance", message)
    return side
