r"""Shaw's relative positions: a learned vector per clipped offset, added to keys and to values.

Axis letters: ``Q`` queries, ``K`` keys, ``D`` head width, ``N`` rows of a table.
Normative text: ``spec/schemes/shaw.md``.
"""

from typing import Any, Final

import numpy as np

from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.products import LARGE, against, in_rows, key_spans, score_sizes, total, weighed
from posref.numerics.rows import check_rows, pick, take_rows

CLAUSES: Final = {
    "clip_left": "shaw.C1",
    "clip_right": "shaw.C1",
    "scale": "shaw.C2",
    "table_k": "shaw.C2",
    "table_v": "shaw.C3",
}


def index(q_positions: Any, k_positions: Any, *, clip_left: int, clip_right: int) -> Any:
    r"""Return the row of each offset: :math:`\mathrm{clip}(k_j - q_i, -l, r) + l`.

    Parameters
    ----------
    q_positions : array of int, shape (..., Q)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (..., K)
        Positions of the keys, in tokens; leading axes broadcast against those of `q_positions`.
    clip_left : int
        Farthest past offset :math:`l` that has a row of its own, in tokens, at least 0.
    clip_right : int
        Farthest future offset :math:`r`, at least 0.

    Returns
    -------
    array of int64, shape (..., Q, K)
        Rows from 0 (far past) to ``clip_left + clip_right`` (far future).

    Raises
    ------
    SpecError
        If a clip is negative (shaw.C1), a position is no integer or too large (conventions.C4), or
        the shapes do not fit (conventions.C5).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Shaw et al. 2018, section 3.2.

    Examples
    --------
    A distance of 40 counts as 16:

    >>> import numpy as np
    >>> index(np.array([40]), np.array([0, 39, 40, 99]), clip_left=16, clip_right=16)
    array([[ 0, 15, 16, 32]])
    """
    given = admit("shaw.index", CLAUSES, locals())
    given.meet("q_positions", "k_positions")

    def rows(part: Given) -> Any:
        offset = part.k_positions[..., None, :] - part.q_positions[..., :, None]
        return part.xp.clip(offset, -part.clip_left, part.clip_right) + part.clip_left

    return given.by_pieces(rows, "Q K", each=1)


def scores(q: Any, k: Any, table_k: Any, index: Any, *, scale: float) -> Any:
    r"""Return scaled scores with a vector per offset added to the keys.

    .. math::

        s_{ij} = c \left( q_i \cdot k_j + q_i \cdot a_{\mathrm{index}_{ij}} \right)

    Parameters
    ----------
    q : array of float, shape (..., Q, D)
        Queries after projection.
    k : array of float, shape (..., K, D)
        Keys after projection; dtype and leading axes of `q`.
    table_k : array of float, shape (N, D)
        Row :math:`a_n` of each clipped offset, shared by batch and heads; dtype of `q`.
    index : array of int, shape (Q, K)
        Row for each query and key.
    scale : float
        Factor :math:`c` on the sum of both terms, dimensionless; usually ``1 / sqrt(D)``.

    Returns
    -------
    array of float, shape (..., Q, K)
        In the dtype and library of `q`, before bias, mask and softmax.

    Raises
    ------
    SpecError
        If `index` names no row (shaw.C2), `scale` is not finite (shaw.C2), shapes do not fit
        (conventions.C5), dtypes differ (conventions.C3) or a score overflows (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Shaw et al. 2018, equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, table = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([[0.0, 0.0], [0.5, 1.0]])
    >>> scores(q, k, table, np.array([[1]]), scale=0.5)
    array([[6.75]])
    """
    given = admit("shaw.scores", CLAUSES, locals())
    given.same_leading("q", "k")
    check_rows(given, "index", "N", "shaw.C2")

    return given.by_pieces(_scores, "Q K", **score_sizes(given, "N"))


@np.errstate(all="ignore")
def _scores(part: Given) -> Any:
    content = against(part, part.q, "k")
    position = pick(part, against(part, part.q, "table_k"), part.index)
    return (content + position) * part.scale + 0.0


def output(weights: Any, v: Any, table_v: Any, index: Any) -> Any:
    r"""Return weighted sums of values with a vector per offset added.

    .. math::

        y_i = \sum_j w_{ij} \left( v_j + a_{\mathrm{index}_{ij}} \right)

    Parameters
    ----------
    weights : array of float, shape (..., Q, K)
        Attention weights :math:`w`, used as given.
    v : array of float, shape (..., K, D)
        Values; dtype and leading axes of `weights`.
    table_v : array of float, shape (N, D)
        Row :math:`a_n` of each clipped offset, shared by batch and heads; dtype of `weights`.
    index : array of int, shape (Q, K)
        Row for each query and key.

    Returns
    -------
    array of float, shape (..., Q, D)
        In the dtype and library of `weights`.

    Raises
    ------
    SpecError
        If `index` names no row (shaw.C3), shapes do not fit (conventions.C5), dtypes differ
        (conventions.C3) or a sum overflows (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Shaw et al. 2018, equation 3.

    Examples
    --------
    >>> import numpy as np
    >>> weights, v, table = np.array([[0.25, 0.75]]), np.array([[4.0], [8.0]]), np.array([[1.0], [2.0]])
    >>> output(weights, v, table, np.array([[0, 1]]))
    array([[8.75]])
    """
    given = admit("shaw.output", CLAUSES, locals())
    given.same_leading("weights", "v")
    check_rows(given, "index", "N", "shaw.C3")

    each = given.axes["K"] * given.axes["D"]
    return given.by_pieces(_output, "Q", each=each, base=each, most=LARGE)


@np.errstate(all="ignore")
def _output(part: Given) -> Any:
    content = weighed(part, part.weights, "v")
    position = total(_of_offsets(part, keys) for keys in key_spans(part))
    return content + position


def _of_offsets(part: Given, keys: slice) -> Any:
    """Return the weighed rows of the table for some of the keys."""
    offsets = take_rows(part, "table_v", part.index[:, keys])
    weights = in_rows(part, part.weights[..., :, None, keys])
    return part.xp.matmul(weights, in_rows(part, offsets))[..., 0, :]
