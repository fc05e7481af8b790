r"""Positions: which index a token has, and how two sequences of indices relate.

Axis letters: ``Q`` queries, ``K`` keys. Normative text: ``spec/schemes/positions.md``.
"""

from typing import Any, Final

from posref.numerics.checks import admit

CLAUSES: Final = {"q_positions": "positions.C2", "k_positions": "positions.C2"}


def relative(q_positions: Any, k_positions: Any) -> Any:
    r"""Return key position minus query position, :math:`r_{ij} = k_j - q_i`.

    Parameters
    ----------
    q_positions : array of int, shape (..., Q)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (..., K)
        Positions of the keys, in tokens; leading axes broadcast against those of `q_positions`.

    Returns
    -------
    array of int64, shape (..., Q, K)
        Tokens; negative where the key lies in the past.

    Raises
    ------
    SpecError
        If a position is fractional or boolean (conventions.C4), too large (conventions.C4), or the
        shapes do not fit (positions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Shaw et al. 2018, section 3.2, where the key's index is `j` and the query's `i`.

    Examples
    --------
    >>> import numpy as np
    >>> relative(np.array([2, 3]), np.array([0, 1, 2, 3]))
    array([[-2, -1,  0,  1],
           [-3, -2, -1,  0]])
    """
    given = admit("positions.relative", CLAUSES, locals())
    given.meet("q_positions", "k_positions")

    difference = given.k_positions[..., None, :] - given.q_positions[..., :, None]

    return given.space.give(difference)
