r"""M-RoPE: time, row and column share the channels of one ladder of frequencies.

Text has the same position on every axis, for which the table is RoPE's own.

Axis letters: ``T`` tokens, ``A`` axes, ``h`` pairs (channels), ``N`` images and videos, ``V`` videos.
Normative text: ``spec/schemes/mrope.md``.
"""

from decimal import Decimal
from typing import Any

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.pieces import TABLE
from posref.numerics.rows import check_rows
from posref.reference._mrope_ids import CLAUSES, PositionIds, position_ids
from posref.reference._rope_tables import CosSin

__all__ = ["CosSin", "PositionIds", "axis_of_channel", "cos_sin", "position_ids"]


def axis_of_channel(*, mrope_section: list[int], arrangement: str, like: Any = None) -> Any:
    r"""Return which position axis each channel reads: 0 time, 1 row, 2 column.

    Parameters
    ----------
    mrope_section : list of three ints
        Channels of time, row and column, in this order, at least 0; their sum is :math:`h`.
    arrangement : {"chunked", "interleaved", "hw_then_t"}
        One section after the other; row at every third channel from 1, column from 2, time
        elsewhere; or row and column in turn, then time.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of int64, shape (h,)

    Raises
    ------
    SpecError
        If `mrope_section` is not three integers of at least 0, all are 0, or rows and columns have
        different sections under "hw_then_t" (mrope.C1).

    Notes
    -----
    Interleaved sections say nothing about the pairing: models that interleave them rotate halves.
    The sections of "interleaved" are upper limits: where three times one of them exceeds :math:`h`,
    time has the rest.

    References
    ----------
    transformers Qwen2-VL (chunked), Qwen3-VL (interleaved), Ernie-4.5-VL (hw_then_t; its
    configuration lists the sections in the order h, w, t).

    Examples
    --------
    >>> axis_of_channel(mrope_section=[2, 1, 1], arrangement="interleaved")
    array([0, 1, 2, 0])
    """
    given = admit("mrope.axis_of_channel", CLAUSES, locals())
    time, rows, columns = given.mrope_section
    if not sum(given.mrope_section):
        raise SpecError("mrope.C1", "mrope_section", "must have a sum of at least 1, got 0")
    if given.arrangement == "hw_then_t" and rows != columns:
        message = f'must be equal for h and w where arrangement is "hw_then_t", got {given.mrope_section}'
        raise SpecError("mrope.C1", "mrope_section", message)

    if given.arrangement == "chunked":
        axes = [0] * time + [1] * rows + [2] * columns
    elif given.arrangement == "hw_then_t":
        axes = [1, 2] * rows + [0] * time
    else:
        axes = [0] * (time + rows + columns)
        axes[1 : 3 * rows : 3] = [1] * len(axes[1 : 3 * rows : 3])
        axes[2 : 3 * columns : 3] = [2] * len(axes[2 : 3 * columns : 3])

    return given.space.give(given.space.constant(axes, "int64"))


def cos_sin(
    positions: Any,
    inv_freq: Any,
    axis_of_channel: Any,
    *,
    attention_factor: float = 1.0,
    dtype: Any = "float64",
) -> CosSin:
    r"""Return :math:`F\cos(p_{a(i),t}\,\omega_i)` and the sines.

    Parameters
    ----------
    positions : array of int, float64 or float32, shape (A, T)
        Positions :math:`p` on each axis, in tokens; negative and fractional ones are legal.
    inv_freq : array of float64 or float32, shape (h,)
        Frequencies :math:`\omega`, in radians per token, used as given.
    axis_of_channel : array of int, shape (h,)
        Axis :math:`a(i)` of each channel, as `axis_of_channel` returns it.
    attention_factor : float, default 1.0
        Magnitude factor :math:`F`, above 0, dimensionless.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    CosSin
        `cos` and `sin`, each of shape (T, h), in the library of the inputs; within one ulp.

    Raises
    ------
    SpecError
        If a channel reads an axis that is not there, shapes do not fit, `attention_factor` is out of
        its domain (mrope.C2), or a position is boolean or too large (conventions.C4).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Qwen2-VL (transformers `apply_multimodal_rotary_pos_emb`).

    Examples
    --------
    >>> import numpy as np
    >>> where, axes = np.array([[0], [1], [2]]), np.array([0, 1, 2])
    >>> cos_sin(where, np.array([1.0, 1.0, 1.0]), axes).sin
    array([[0.        , 0.84147098, 0.90929743]])
    """
    given = admit("mrope.cos_sin", CLAUSES, locals())
    check_rows(given, "axis_of_channel", "A", "mrope.C2")
    xp, exact = given.xp, [Decimal.from_float(entry) for entry in given.space.host(given.inv_freq)]

    chosen = given.space.host(given.axis_of_channel)
    readers = [[i for i, axis in enumerate(chosen) if axis == a] for a in range(given.axes["A"])]
    ladders = [tuple(exact[i] for i in own) for own in readers]
    order = [i for own in readers for i in own]
    back = given.space.constant([order.index(i) for i in range(len(order))], "int64")

    def table(part: Given) -> tuple[Any, Any]:
        parts = (
            tables(part.space, part.positions[a, :], ladder, part.attention_factor, part.dtype)
            for a, ladder in enumerate(ladders)
            if ladder
        )
        cos, sin = (xp.take(xp.concat(found, axis=-1), back, axis=-1) for found in zip(*parts, strict=True))
        return cos, sin

    return CosSin(*given.by_pieces(table, "T", each=len(exact), most=TABLE))
