r"""ALiBi: a bias on the scores, proportional to the distance between query and key.

Axis letters: ``H`` heads, ``Q`` queries, ``K`` keys. Normative text: ``spec/schemes/alibi.md``.
"""

from fractions import Fraction
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics import fused
from posref.numerics.checks import admit
from posref.numerics.distances import from_lines, has_lines, offsets
from posref.numerics.given import Given, Masked
from posref.numerics.slopes import by_slope, sloped
from posref.numerics.wide import ladder

CLAUSES: Final = {
    "num_heads": "alibi.C4",
    "bias_max": "alibi.C4",
    "head_start": "alibi.C3",
    "head_count": "alibi.C3",
    "form": "alibi.C5",
    "future": "alibi.C6",
    "slopes": "alibi.C8",
}


def slopes(
    *,
    num_heads: int,
    bias_max: float,
    head_start: int = 0,
    head_count: int | None = None,
    dtype: Any = "float64",
    like: Any = None,
) -> Any:
    r"""Return the slope of each head, a geometric sequence.

    With :math:`n = 2^{\lfloor \log_2 H \rfloor}` and :math:`\beta` = `bias_max`, the first
    :math:`n` heads have :math:`2^{-\beta k / n}`, :math:`k = 1, \dots, n`, and head :math:`n + j`
    has :math:`2^{-\beta (2j + 1) / (2n)}`.

    Parameters
    ----------
    num_heads : int
        Heads :math:`H` of the whole model, at least 1.
    bias_max : float
        Exponent of the last slope, above 0; 8 in every released model.
    head_start : int, default 0
        First head of this share (a tensor-parallel rank's).
    head_count : int, optional
        Heads in this share; all that follow by default.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    array of `dtype`, shape (H,)
        Bias per token of distance, within one ulp; exact where it is a power of two.

    Raises
    ------
    SpecError
        If a count or `bias_max` is out of its domain (alibi.C4), the share leaves the heads
        (alibi.C3), or `dtype` is no float (conventions.C2).

    References
    ----------
    Press et al. 2021, section 3, and `get_slopes` of their released code.

    Examples
    --------
    >>> slopes(num_heads=4, bias_max=8.0)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    given = admit("alibi.slopes", CLAUSES, locals())
    heads, start = given.num_heads, given.head_start
    if start >= heads:
        raise SpecError("alibi.C3", "head_start", f"must be < num_heads {heads}, got {start}")
    count = heads - start if given.head_count is None else given.head_count
    if count > heads - start:
        raise SpecError("alibi.C3", "head_count", f"must be <= {heads - start}, got {count}")

    power = 1 << (heads.bit_length() - 1)
    shares = [Fraction(k, power) for k in range(1, power + 1)]
    shares += [Fraction(2 * j + 1, 2 * power) for j in range(heads - power)]
    exponents = [Fraction(given.bias_max) * share for share in shares[start : start + count]]

    return given.round(given.space.constant([float(slope) for slope in ladder(2.0, exponents)]))


def bias(
    q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: Any = "float64"
) -> Any:
    r"""Return the bias of every head, query and key, to be added to the scaled scores.

    With query position :math:`q`, key position :math:`k` and slope :math:`m`: :math:`-m (q - k)`
    ("neg_distance"), :math:`-m |q - k|` ("neg_abs") or :math:`m k` ("key_index").

    Parameters
    ----------
    q_positions : array of int, shape (..., Q)
        Absolute positions of the queries, in tokens.
    k_positions : array of int, shape (..., K)
        Absolute positions of the keys, in tokens.
    slopes : array of float64 or float32, shape (H,)
        Bias per token of distance, used as given.
    form : {"neg_distance", "neg_abs", "key_index"}
        Which multiple of the slope.
    future : {"neg_inf", "keep"}
        What a key after the query gets: -inf, or the value of `form`.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    array of `dtype`, shape (..., H, Q, K)
        In the library of the inputs.

    Raises
    ------
    SpecError
        If a position is not an integer of at most 2**53 in size (conventions.C4), `slopes` has not
        rank 1 (alibi.C8), a convention is unknown (alibi.C5, alibi.C6) or a bias overflows `dtype`
        (conventions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Press et al. 2021, section 3; "key_index" is the form of BLOOM.

    Examples
    --------
    >>> import numpy as np
    >>> bias(np.array([6]), np.array([0, 6, 7]), np.array([0.5]), form="neg_distance", future="neg_inf")
    array([[[ -3.,   0., -inf]]])
    """
    given = admit("alibi.bias", CLAUSES, locals())
    given.meet("q_positions", "k_positions")

    if given.space.library == "cupy":
        return fused.bias(given)
    if given.form != "key_index" and has_lines(given):
        return from_lines(given, _line)
    return by_slope(given, lambda part: _multiples(part, offsets(part)))


def _line(part: Given, offset: Any) -> Any:
    """Return the bias for keys that lie `offset` after their queries."""
    return sloped(_multiples(part, offset), part.slopes[:, None, None])


def _multiples(part: Given, offset: Any) -> Any:
    """Return what multiplies the slopes for keys that lie `offset` after their queries."""
    xp = part.xp
    if part.form == "key_index":
        multiple = part.k_positions[..., None, None, :] + xp.zeros_like(offset)
    else:
        multiple = -xp.abs(offset) if part.form == "neg_abs" else offset
    values = xp.astype(multiple, xp.float64)
    return Masked(values, offset > 0) if part.future == "neg_inf" else values
