r"""Transformer-XL: a vector per distance, and two global queries.

Axis letters: ``H`` heads, ``Q`` queries, ``K`` keys, ``D`` head width, ``N`` distances.
Normative text: ``spec/schemes/transformer_xl.md``.
"""

from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.products import against, row_sizes
from posref.numerics.rows import pick

CLAUSES: Final = {"scale": "transformer_xl.C1", "distances": "transformer_xl.C2"}


def scores(
    q: Any,
    k: Any,
    r: Any,
    distances: Any,
    u: Any,
    v: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    scale: float,
) -> Any:
    r"""Return scaled scores of content and of distance.

    .. math::

        s_{hij} = c \left( (q_i + u_h) \cdot k_j + (q_i + v_h) \cdot r_{h, n} \right), \qquad
        \mathrm{distances}_n = \mathrm{pos}(q_i) - \mathrm{pos}(k_j)

    Parameters
    ----------
    q : array of float, shape (H, Q, D)
        Queries.
    k : array of float, shape (H, K, D)
        Keys, of the dtype of `q`.
    r : array of float, shape (H, N, D)
        Projected vector of each distance, of the dtype of `q`.
    distances : array of int, shape (N,)
        The distance, query minus key, in tokens, that each row of `r` serves; in any order.
    u, v : array of float, shape (H, D)
        Global queries for content and for position, of the dtype of `q`.
    q_positions : array of int, shape (Q,)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (K,)
        Positions of the keys.
    scale : float
        Factor :math:`c` on the sum, dimensionless; usually ``1 / sqrt(D)``.

    Returns
    -------
    array of float, shape (H, Q, K)
        In the dtype and library of `q`, before mask and softmax.

    Raises
    ------
    SpecError
        If a distance has no row or two (transformer_xl.C2), shapes do not fit (conventions.C5),
        dtypes differ (conventions.C3) or a score overflows (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Dai et al. 2019, section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, r = np.array([[[1.0]]]), np.array([[[2.0], [3.0]]]), np.array([[[10.0], [100.0]]])
    >>> u, v, rows = np.array([[0.5]]), np.array([[1.0]]), np.array([0, 1])
    >>> scores(q, k, r, rows, u, v, np.array([7]), np.array([6, 7]), scale=1.0)
    array([[[203. ,  24.5]]])
    """
    given = admit("transformer_xl.scores", CLAUSES, locals())

    return given.by_pieces(_scores, "Q H", **row_sizes(given, given.axes["N"]))


@np.errstate(all="ignore")
def _scores(part: Given) -> Any:
    rows = _rows(part, part.q_positions[:, None] - part.k_positions[None, :])
    content = against(part, part.q + part.u[:, None, :], "k")
    of_distance = against(part, part.q + part.v[:, None, :], "r")
    return (content + pick(part, of_distance, rows)) * part.scale + 0.0


def _rows(given: Given, wanted: Any) -> Any:
    """Return which row serves each distance; refuse a distance with none or two."""
    xp = given.xp
    order = xp.argsort(given.distances)
    ascending = xp.take(given.distances, order)
    repeated = ascending[1:] == ascending[:-1]
    if bool(xp.any(repeated)):
        first = int(ascending[int(xp.argmax(xp.astype(repeated, xp.int64)))])
        raise SpecError("transformer_xl.C2", "distances", f"must differ, got {first} twice")
    flat = xp.reshape(wanted, (wanted.shape[0] * wanted.shape[1],))
    place = xp.clip(xp.searchsorted(ascending, flat), 0, given.axes["N"] - 1)
    absent = xp.take(ascending, place) != flat
    if bool(xp.any(absent)):
        first = int(flat[int(xp.argmax(xp.astype(absent, xp.int64)))])
        message = f"must hold every distance that occurs, {first} is missing"
        raise SpecError("transformer_xl.C2", "distances", message, "OUT_OF_RANGE")
    return xp.reshape(xp.take(order, place), wanted.shape)
