r"""Axial RoPE: each coordinate of a token turns a block of pairs of its own.

Axis letters: ``T`` tokens, ``A`` coordinates, ``h`` pairs of all axes together.
Normative text: ``spec/schemes/axial_rope.md``.
"""

from fractions import Fraction
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.phase import tables
from posref.numerics.pieces import TABLE
from posref.numerics.wide import Frequencies, ladder
from posref.reference._rope_tables import CosSin

CLAUSES: Final = {
    "positions": "axial_rope.C2",
    "axis_dims": "axial_rope.C2",
    "base": "axial_rope.C2",
    "frequencies": "axial_rope.C1",
}


def cos_sin(
    positions: Any, *, axis_dims: list[int], base: float, frequencies: str, dtype: Any = "float64"
) -> CosSin:
    r"""Return the cosines and sines of every coordinate, one axis after the other.

    With :math:`R_a` the widths and :math:`R` their sum:

    - ``reset``: axis :math:`a` has the ladder :math:`b^{-2j/R_a}`;
    - ``shared_even_odd``: of the ladder :math:`b^{-2i/R}` axis 0 has the even :math:`i`, axis 1 the odd.

    Parameters
    ----------
    positions : array of int, float64 or float32, shape (T, A)
        Coordinates of each token, in patches or frames, in the order of `axis_dims`; negative and
        fractional ones are legal.
    axis_dims : list of ints
        Rotated width :math:`R_a` of each axis, in coordinates of a head; even, at least 2.
    base : float
        Base :math:`b` of the ladder of frequencies, finite and above 1.
    frequencies : {"reset", "shared_even_odd"}
        Whether each axis has its own ladder or two axes of equal width share one.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    CosSin
        `cos` and `sin`, each of shape (T, h), in the library of `positions`; within one ulp.

    Raises
    ------
    SpecError
        If a width is odd or below 2, `positions` have another number of coordinates, the shared
        ladder has not two equal widths, or `base` is out of its domain (axial_rope.C2), or a position
        is boolean or too large (conventions.C4).
    TypeError
        If `positions` is not an array.

    Notes
    -----
    Which coordinate comes first is the caller's choice, and models differ: row, column in Pixtral;
    column, row in Llama 4; time, row, column in video models.

    References
    ----------
    transformers Qwen2-VL vision tower ("reset"), `modeling_pixtral` ("shared_even_odd"); diffusers
    `get_2d_rotary_pos_embed`.

    Examples
    --------
    >>> import numpy as np
    >>> cos_sin(np.array([[0, 1]]), axis_dims=[2, 2], base=100.0, frequencies="shared_even_odd").sin
    array([[0.        , 0.09983342]])
    """
    given = admit("axial_rope.cos_sin", CLAUSES, locals())
    ladders = _ladders(given)
    if len(ladders) != given.axes["A"]:
        message = f"have {given.axes['A']} coordinates for {len(ladders)} widths"
        raise SpecError("axial_rope.C2", "positions", message, "INVALID_SHAPE")

    def table(part: Given) -> tuple[Any, Any]:
        parts = (
            tables(part.space, part.positions[:, axis], own, dtype=part.dtype)
            for axis, own in enumerate(ladders)
        )
        cos, sin = (part.xp.concat(blocks, axis=-1) for blocks in zip(*parts, strict=True))
        return cos, sin

    return CosSin(*given.by_pieces(table, "T", each=sum(given.axis_dims) // 2, most=TABLE))


def _ladders(given: Given) -> list[Frequencies]:
    """Return the frequencies of each axis."""
    widths = given.axis_dims
    if given.frequencies == "reset":
        return [ladder(given.base, [Fraction(2 * j, own) for j in range(own // 2)]) for own in widths]
    if len(widths) != 2 or widths[0] != widths[1]:
        message = f'must be two equal widths where frequencies is "shared_even_odd", got {widths}'
        raise SpecError("axial_rope.C2", "axis_dims", message)
    pairs = widths[0]
    return [ladder(given.base, [Fraction(i, pairs) for i in range(axis, pairs, 2)]) for axis in (0, 1)]
