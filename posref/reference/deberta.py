r"""DeBERTa: scores with content-to-position and position-to-content terms.

Axis letters: ``H`` heads, ``Q`` queries, ``K`` keys, ``D`` head width, ``N`` rows of the tables.
Normative text: ``spec/schemes/deberta.md``.
"""

from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.numerics.buckets import Levels, Scale, span
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.products import against, score_sizes
from posref.numerics.rows import check_rows, pick

CLAUSES: Final = {
    "position_buckets": "deberta.C1",
    "max_relative_positions": "deberta.C1",
    "terms": "deberta.C2",
    "scale": "deberta.C2",
}


def bucket(
    relative_position: Any, *, position_buckets: int, max_relative_positions: int, clamp_first: bool
) -> Any:
    r"""Return the signed bucket of each relative position.

    With :math:`mid = B/2`, distances up to :math:`mid` are their own bucket; beyond, the bucket is
    :math:`\mathrm{sign}(d)` times

    .. math::

        mid + \left\lceil (mid - 1) \frac{\ln (|d| / mid)}{\ln ((M - 1) / mid)} \right\rceil

    by exact integer comparison.

    Parameters
    ----------
    relative_position : array of int, any shape
        Query position minus key position, in tokens (the opposite sign of T5); at most 2**54 in size.
    position_buckets : int
        Buckets :math:`B` of both sides, even, at least 2; 256 in DeBERTa-v3.
    max_relative_positions : int
        :math:`M`, one more than the distance of the last bucket; ``M - 1`` is above ``B / 2``.
    clamp_first : bool
        Whether the distance is first clamped to ``M - 1``, so that no bucket is beyond ``B - 1``.

    Returns
    -------
    array of int64, same shape
        Negative where the key is after the query. The caller adds its span and clips.

    Raises
    ------
    SpecError
        If a number is out of its domain (deberta.C1) or a relative position is no integer or too
        large (conventions.C4).
    TypeError
        If `relative_position` is no array.

    References
    ----------
    He et al. 2021; `make_log_bucket_position` of microsoft/DeBERTa.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = {"position_buckets": 256, "max_relative_positions": 512}
    >>> bucket(np.array([-129, 128, 200, 511]), **numbers, clamp_first=False)
    array([-129,  128,  169,  255])
    """
    given = admit("deberta.bucket", CLAUSES, locals())
    middle, top = given.position_buckets // 2, given.max_relative_positions - 1
    if top <= middle:
        message = f"must be above position_buckets / 2 + 1 = {middle + 1}, got {top + 1}"
        raise SpecError("deberta.C1", "max_relative_positions", message)

    relative = given.stored["relative_position"]
    farthest = span(given, relative, relative)
    scale = Scale(middle, top, middle - 1)
    farthest = min(top, farthest) if given.clamp_first else farthest
    levels = Levels(lambda n: _climbed(scale, n), middle + 1, farthest)

    return given.by_pieces(lambda part: _bucket(part, levels), each=1)


def _bucket(part: Given, levels: Levels) -> Any:
    """Return the buckets of the relative positions; `levels` are the logarithmic ones."""
    xp, middle, top = part.xp, part.position_buckets // 2, part.max_relative_positions - 1
    offset = part.relative_position
    if part.clamp_first:
        offset = xp.clip(offset, -top, top)
    distance = xp.abs(offset)
    below = xp.where(distance < middle, distance, xp.full_like(distance, middle))
    return xp.sign(offset) * (below + levels.passed(part.space, distance))


def _climbed(scale: Scale, distance: int) -> int:
    """Return the steps up to a distance, a step that is begun included."""
    if not scale.steps:
        return 0
    whole, exact = scale.height(distance)
    return whole if exact else whole + 1


def scores(q: Any, k: Any, pos_q: Any, pos_k: Any, index: Any, *, terms: list[str], scale: float) -> Any:
    r"""Return the scaled sum of the chosen terms.

    .. math::

        s_{ij} = c \left( q_i \cdot k_j + q_i \cdot pos^k_{\mathrm{index}_{ij}}
        + k_j \cdot pos^q_{\mathrm{index}_{ij}} \right)

    Parameters
    ----------
    q : array of float, shape (H, Q, D)
        Queries.
    k : array of float, shape (H, K, D)
        Keys, of the dtype of `q`.
    pos_q, pos_k : array of float, shape (H, N, D)
        Projected positions, ``N`` = 2 span, of the dtype of `q`.
    index : array of int, shape (Q, K)
        Row for each query and key, ``clip(bucket + span, 0, 2 span - 1)``; both terms use it.
    terms : list of {"c2c", "c2p", "p2c"}
        Which terms are summed: content to content, content to position, position to content.
    scale : float
        Factor :math:`c` on the sum, dimensionless; the model uses ``1 / sqrt(D * len(terms))``.

    Returns
    -------
    array of float, shape (H, Q, K)
        In the dtype and library of `q`, before mask and softmax.

    Raises
    ------
    SpecError
        If `terms` is empty, repeats itself or has an unknown name (deberta.C2), `index` names no row
        (deberta.C2), shapes do not fit (conventions.C5), dtypes differ (conventions.C3) or a score
        overflows (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    He et al. 2021, section 3.1; `disentangled_att_bias` of microsoft/DeBERTa.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, one = np.array([[[2.0]]]), np.array([[[3.0]]]), np.array([[[10.0], [100.0]]])
    >>> scores(q, k, one, one, np.array([[1]]), terms=["c2c", "p2c"], scale=1.0)
    array([[[306.]]])
    """
    given = admit("deberta.scores", CLAUSES, locals())
    check_rows(given, "index", "N", "deberta.C2")

    return given.by_pieces(_scores, "H Q K", **score_sizes(given, "N"))


@np.errstate(all="ignore")
def _scores(part: Given) -> Any:
    turn = part.xp.matrix_transpose
    total = part.space.zeros((part.axes["H"], part.axes["Q"], part.axes["K"]))
    if "c2c" in part.terms:
        total = total + against(part, part.q, "k")
    if "c2p" in part.terms:
        total = total + pick(part, against(part, part.q, "pos_k"), part.index)
    if "p2c" in part.terms:
        total = total + turn(pick(part, against(part, part.k, "pos_q"), turn(part.index)))
    return total * part.scale + 0.0
