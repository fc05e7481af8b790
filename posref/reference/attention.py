r"""Scaled dot-product attention, on which every positional scheme acts.

Axis letters: ``Q`` queries, ``K`` keys, ``D`` head width, ``E`` value width.
Normative text: ``spec/schemes/attention.md``.
"""

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.products import against, row_sizes, score_sizes, weighed

CLAUSES: Final = {
    "scale": "attention.C1",
    "q": "attention.C6",
    "k": "attention.C6",
    "v": "attention.C6",
    "bias": "attention.C6",
    "mask": "attention.C6",
    "content_q": "attention.C8",
    "position_q": "attention.C8",
    "content_k": "attention.C8",
    "position_k": "attention.C8",
}

TERMS: Final = (
    ("content_q", "content_k"),
    ("content_q", "position_k"),
    ("position_q", "content_k"),
    ("position_q", "position_k"),
)
"""The query part and the key part of each of the four terms."""


class ScoreTerms(NamedTuple):
    """The four terms of a score, each of shape (..., Q, K); their sum is the whole score."""

    content_content: Any
    content_position: Any
    position_content: Any
    position_position: Any


def causal_mask(q_positions: Any, k_positions: Any) -> Any:
    r"""Return which keys a query may see: :math:`M_{ij} = [k_j \le q_i]`, by position.

    Parameters
    ----------
    q_positions : array of int, shape (..., Q)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (..., K)
        Positions of the keys, in tokens; leading axes broadcast against those of `q_positions`.

    Returns
    -------
    array of bool, shape (..., Q, K)
        True where the key may be attended to. A query sees its own position.

    Raises
    ------
    SpecError
        If a position is fractional, boolean or too large (conventions.C4), or the shapes do not
        fit (conventions.C5).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Vaswani et al. 2017, section 3.2.3.

    Examples
    --------
    One query at position 2 against a cache of four keys:

    >>> import numpy as np
    >>> causal_mask(np.array([2]), np.arange(4))
    array([[ True,  True,  True, False]])
    """
    given = admit("attention.causal_mask", CLAUSES, locals())
    given.meet("q_positions", "k_positions")

    mask = given.k_positions[..., None, :] <= given.q_positions[..., :, None]

    return given.space.give(mask)


def scores(q: Any, k: Any, *, scale: float) -> Any:
    r"""Return scaled dot products, :math:`s_{ij} = c \sum_a q_{ia} k_{ja}` with `scale` :math:`c`.

    Parameters
    ----------
    q : array of float, shape (..., Q, D)
        Queries after projection.
    k : array of float, shape (..., K, D)
        Keys after projection; dtype and leading axes of `q`.
    scale : float
        Factor on the finished sum, dimensionless; usually ``1 / sqrt(D)``, never assumed.

    Returns
    -------
    array of float, shape (..., Q, K)
        In the dtype and library of `q`, before bias, mask and softmax.

    Raises
    ------
    SpecError
        If `scale` is not finite (attention.C1), shapes do not fit (attention.C6), the dtype is no
        float or differs (conventions.C3), or a score overflows the dtype (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Vaswani et al. 2017, section 3.2.1, equation 1.

    Examples
    --------
    >>> import numpy as np
    >>> scores(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]), scale=0.5)
    array([[1.5, 3.5]])
    """
    given = admit("attention.scores", CLAUSES, locals())
    given.same_leading("q", "k")

    return given.by_pieces(lambda part: _scores(part, "q", "k"), "Q K", **score_sizes(given))


def score_terms(
    content_q: Any, position_q: Any, content_k: Any, position_k: Any, *, scale: float
) -> ScoreTerms:
    r"""Return the four terms of a score of content plus position.

    Where a position is added to a token before the projections, the score is

    .. math::

        c\,(q^c_i + q^p_i) \cdot (k^c_j + k^p_j) =
        c\,q^c_i \cdot k^c_j + c\,q^c_i \cdot k^p_j + c\,q^p_i \cdot k^c_j + c\,q^p_i \cdot k^p_j .

    Parameters
    ----------
    content_q, position_q : arrays of float, shape (..., Q, D)
        The two parts of the queries, projected already; one shape.
    content_k, position_k : arrays of float, shape (..., K, D)
        The two parts of the keys, projected already; one shape; leading axes of the queries.
    scale : float
        Factor on every term, dimensionless; usually ``1 / sqrt(D)``, never assumed.

    Returns
    -------
    ScoreTerms
        ``content_content``, ``content_position``, ``position_content``, ``position_position``: query
        part first; arrays of float, shape (..., Q, K), in the dtype and library of `content_q`.

    Raises
    ------
    SpecError
        If `scale` is not finite (attention.C1), shapes do not fit (attention.C8), dtypes differ
        (conventions.C3), or a term overflows the dtype (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    Notes
    -----
    Only the last term is free of content, and it is a bilinear form in two encodings: a function of
    the distance only if the projections leave it one. Factors on tokens or encodings before they are
    added (``sqrt(d)``, a learned one) are the caller's and belong to the inputs.

    References
    ----------
    Vaswani et al. 2017, sections 3.2.1 and 3.5; the terms as Transformer-XL counts them, Dai et al.
    2019, section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> one, two = np.array([[1.0, 2.0]]), np.array([[3.0, 5.0]])
    >>> [float(term[0, 0]) for term in score_terms(one, two, one, two, scale=1.0)]
    [5.0, 13.0, 13.0, 34.0]
    """
    given = admit("attention.score_terms", CLAUSES, locals())
    given.same_leading("content_q", "position_q", "content_k", "position_k")

    return ScoreTerms(
        *(given.by_pieces(partial(_scores, q=q, k=k), "Q K", **score_sizes(given)) for q, k in TERMS)
    )


def output(q: Any, k: Any, v: Any, bias: Any = None, mask: Any = None, *, scale: float) -> Any:
    r"""Return softmax attention with an optional bias and mask.

    With scores :math:`s` as in `scores`, `bias` :math:`b` and `mask` :math:`M`:

    .. math::

        y_{ie} = \sum_j p_{ij} v_{je}, \qquad
        p_{ij} = \frac{[M_{ij}]\, e^{s_{ij} + b_{ij}}}{\sum_l [M_{il}]\, e^{s_{il} + b_{il}}}

    Parameters
    ----------
    q : array of float, shape (..., Q, D)
        Queries after projection.
    k : array of float, shape (..., K, D)
        Keys after projection; dtype and leading axes of `q`.
    v : array of float, shape (..., K, E)
        Values; dtype and leading axes of `q`.
    bias : array of float, shape (..., Q, K), optional
        Added to the scaled scores, in the dtype of `q`; ``-inf`` means masked.
    mask : array of bool, shape (..., Q, K), optional
        True where the key may be attended to.
    scale : float
        Factor on the dot products, dimensionless; usually ``1 / sqrt(D)``.

    Returns
    -------
    array of float, shape (..., Q, E)
        In the dtype and library of `q`.

    Raises
    ------
    SpecError
        If a query may see no key at all (attention.C5), an element is NaN or infinite other than
        -inf in `bias` (attention.C4), shapes do not fit (attention.C6), `mask` is not boolean
        (attention.C7) or dtypes differ (conventions.C3).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Vaswani et al. 2017, section 3.2.1, equation 1.

    Examples
    --------
    Two equal scores, one of them masked:

    >>> import numpy as np
    >>> q, k, v = np.ones((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]])
    >>> output(q, k, v, scale=1.0), output(q, k, v, None, np.array([[True, False]]), scale=1.0)
    (array([[2.]]), array([[1.]]))
    """
    given = admit("attention.output", CLAUSES, locals())
    given.same_leading("q", "k", "v")
    given.fits("bias", "q")
    given.fits("mask", "q")

    def rows(part: Given) -> Any:
        return _weigh(part, _masked(part, _scores(part, "q", "k")))

    return given.by_pieces(rows, "Q", **row_sizes(given, given.axes["D"] + given.axes["E"]))


@np.errstate(all="ignore")
def _scores(given: Given, q: str, k: str) -> Any:
    """Return the scaled dot products of two inputs."""
    return against(given, getattr(given, q), k) * given.scale


def _masked(given: Given, z: Any) -> Any:
    """Return scores with bias, -inf where masked; a query that sees nothing is refused."""
    xp, bias, mask = given.xp, given.bias, given.mask
    if bias is not None:
        z = z + bias
    if mask is not None:
        z = xp.where(mask, z, given.space.constant(-float("inf")))
    alive = xp.any(z != -float("inf"), axis=-1)
    if not bool(xp.all(alive)):
        message = f"{int(xp.sum(xp.astype(~alive, xp.int64)))} queries have no key to attend to"
        raise SpecError("attention.C5", "mask", message)
    return z


@np.errstate(all="ignore")
def _weigh(given: Given, z: Any) -> Any:
    """Return the values weighed by the softmax of `z`, the largest score subtracted first."""
    xp = given.xp
    if z.shape[-2] == 0:
        return given.space.zeros((*z.shape[:-1], given.axes["E"]))
    weights = xp.exp(z - xp.max(z, axis=-1, keepdims=True))
    return weighed(given, weights, "v") / xp.sum(weights, axis=-1, keepdims=True)
