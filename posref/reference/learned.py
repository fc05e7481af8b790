r"""A table of trained rows: looked up by position, or brought to another length.

Axis letters: ``N`` rows of the table, ``d`` model width, ``T`` tokens.
Normative text: ``spec/schemes/learned.md``.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.doubled import add, product, quotient
from posref.numerics.given import Given
from posref.numerics.rows import rows_at, take_rows

CLAUSES: Final = {"offset": "learned.C2", "length": "learned.C3"}


def lookup(table: Any, positions: Any, *, offset: int = 0) -> Any:
    """Return the rows ``positions + offset`` of a trained table, moved bit for bit.

    Parameters
    ----------
    table : array of float, shape (N, d)
        The table, a row a position.
    positions : array of int, shape (..., T)
        Positions, in tokens; none negative.
    offset : int, default 0
        Rows before position 0, at least 0: 2 in OPT and BART.

    Returns
    -------
    array of float, shape (..., T, d)
        In the dtype and library of `table`; the sign of a zero is kept.

    Raises
    ------
    SpecError
        If a position is negative or the table has no such row, or `offset` is negative (learned.C2);
        if a position is fractional, boolean or too large (conventions.C4).
    TypeError
        If the arguments are not arrays of one library.

    Notes
    -----
    A row that exists may never have been trained; no lookup can tell. Rows that start after a padding
    index are looked up by `positions.from_mask` with its rules "roberta" and "opt". Factors on the
    token embedding (``sqrt(d)``) or on the table (``d ** -0.5``) are the caller's.

    References
    ----------
    Devlin et al. 2018; transformers `OPTLearnedPositionalEmbedding` (offset 2).

    Examples
    --------
    >>> import numpy as np
    >>> lookup(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), np.array([1, 0]), offset=1)
    array([[4., 5.],
           [2., 3.]])
    """
    given = admit("learned.lookup", CLAUSES, locals())
    _check_positions(given)

    return given.by_pieces(
        lambda part: rows_at(part, "table", part.positions + part.offset), "T", each=given.axes["d"]
    )


def _check_positions(given: Given) -> None:
    """Refuse positions that have no row."""
    rows, positions = given.axes["N"], given.stored["positions"]
    if 0 in positions.shape:
        return
    least, most = given.space.extremes(positions)
    if least < 0:
        raise SpecError("learned.C2", "positions", f"must not be negative, got {least}", "OUT_OF_RANGE")
    if most + given.offset >= rows:
        message = f"the table ends at row {rows - 1}, got {most} with offset {given.offset}"
        raise SpecError("learned.C2", "positions", message, "OUT_OF_RANGE")


def resize(table: Any, *, length: int, align_corners: bool) -> Any:
    r"""Return a table of another length by linear interpolation along the rows.

    Row :math:`r` of the result reads the source coordinate :math:`s`,

    .. math::

        s = \begin{cases} r\,\dfrac{N - 1}{M - 1} & \text{align\_corners} \\[2ex]
        \min\bigl(\max\bigl((r + \tfrac12) \tfrac{N}{M} - \tfrac12, 0\bigr), N - 1\bigr)
        & \text{else} \end{cases}

    and is :math:`(1 - f)` times row :math:`a = \lfloor s \rfloor` plus :math:`f = s - a` times the next.

    Parameters
    ----------
    table : array of float, shape (N, d)
        The table, a row a position.
    length : int
        Rows :math:`M` of the result, at least 1.
    align_corners : bool
        True maps first row to first and last to last (a single row is the first); False maps the
        centres of rows, and coordinates outside the table are clamped to its ends.

    Returns
    -------
    array of float, shape (length, d)
        In the dtype and library of `table`; within one ulp. A zero is +0.

    Raises
    ------
    SpecError
        If `length` is below 1 (learned.C3), or the dtype is no float (conventions.C3).
    TypeError
        If `table` is not an array.

    References
    ----------
    PyTorch ``interpolate(mode="linear")``, both corner rules.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.array([[0.0], [4.0]]), length=4, align_corners=False).tolist()
    [[0.0], [1.0], [3.0], [4.0]]
    >>> resize(np.array([[0.0], [4.0]]), length=3, align_corners=True).tolist()
    [[0.0], [2.0], [4.0]]
    """
    given = admit("learned.resize", CLAUSES, locals())
    rows, count = given.axes["N"], given.length

    given.axes["M"] = count

    def between(part: Given) -> Any:
        places = range(count)[part.region.named.get("M", slice(None))]
        return _between(part, [_coordinate(r, rows, count, part.align_corners) for r in places])

    return given.by_pieces(between, "M", each=given.axes["d"])


def _coordinate(r: int, rows: int, count: int, align_corners: bool) -> Fraction:
    """Return the source coordinate of row `r`, exact and inside the table."""
    if align_corners:
        return Fraction(r * (rows - 1), count - 1) if count > 1 else Fraction(0)
    centre = Fraction((2 * r + 1) * rows - count, 2 * count)
    return min(max(centre, Fraction(0)), Fraction(rows - 1))


@np.errstate(all="ignore")
def _between(part: Given, where: list[Fraction]) -> Any:
    """Return the interpolated rows: ``((n - m) E_a + m E_b) / n`` for ``a + m/n``, rounded once.

    The weights are integers, so both products are exact. Large entries are halved often enough for
    that: their partner's lost bits are out of sight.
    """
    xp, space = part.xp, part.space
    below = [coordinate.__floor__() for coordinate in where]
    parts = [coordinate - floor for coordinate, floor in zip(where, below, strict=True)]
    upper = [floor + (part > 0) for floor, part in zip(below, parts, strict=True)]
    low, high = (take_rows(part, "table", space.constant(index, "int64")) for index in (below, upper))
    large = xp.maximum(xp.abs(low), xp.abs(high)) > 2.0**900
    shrink = xp.where(large, space.constant(2.0**-100), space.constant(1.0))
    right = space.constant([float(part.numerator) for part in parts])[:, None]
    whole = space.constant([float(part.denominator) for part in parts])[:, None]
    total = add(product(low * shrink, whole - right), product(high * shrink, right))
    return (quotient(total, whole) / shrink) + 0.0
