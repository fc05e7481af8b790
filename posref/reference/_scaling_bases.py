"""Scalings that treat every frequency alike: one divisor, another base, or zeros."""

from decimal import Decimal
from typing import Any

from posref.numerics.checks import admit
from posref.reference import _scaled_ladders as ladders
from posref.reference._scaling_common import CLAUSES, Scaled, rounded


def linear(inv_freq: Any, *, factor: float, dtype: Any = "float64") -> Scaled:
    r"""Position Interpolation: divide every frequency by the factor, :math:`\omega'_i = \omega_i / s`.

    Dividing positions by :math:`s` is the same in exact arithmetic.

    Parameters
    ----------
    inv_freq : array of float64 or float32, shape (h,)
        Frequencies :math:`\omega`, in radians per token, used as given.
    factor : float
        Ratio :math:`s` of the target length to the trained one, at least 1.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    Scaled
        `inv_freq` (h,), within one ulp, and `attention_factor`, 1.

    Raises
    ------
    SpecError
        If `factor` is below 1 (rope_scaling.C1) or `inv_freq` has not rank 1 (rope_scaling.C2).
    TypeError
        If `inv_freq` is not an array.

    References
    ----------
    Chen et al. 2023, arXiv 2306.15595, equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> linear(np.array([1.0, 0.1]), factor=4.0).inv_freq
    array([0.25 , 0.025])
    """
    given = admit("rope_scaling.linear", CLAUSES, locals())

    exact = tuple(Decimal.from_float(entry) for entry in given.space.host(given.inv_freq))

    return rounded(given, ladders.linear(exact, given.factor))


def ntk(*, rotary_dim: int, base: float, factor: float, dtype: Any = "float64", like: Any = None) -> Scaled:
    r"""NTK-aware scaling: the base becomes :math:`b\,s^{R/(R-2)}`.

    The fastest pair keeps its frequency, the slowest is divided by exactly :math:`s`.

    Parameters
    ----------
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, above 2.
    base : float
        Base :math:`b` of the ladder, finite and above 1.
    factor : float
        Ratio :math:`s` of the target length to the trained one, at least 1.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    Scaled
        `inv_freq` (R/2,), within one ulp, and `attention_factor`, 1.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope_scaling.C1) or the width is 2 (rope_scaling.C3).

    References
    ----------
    Peng et al. 2023 (YaRN), arXiv 2309.00071, definition 1.

    Examples
    --------
    >>> ntk(rotary_dim=4, base=10000.0, factor=4.0).inv_freq
    array([1.    , 0.0025])
    """
    given = admit("rope_scaling.ntk", CLAUSES, locals())

    return rounded(given, ladders.ntk(given.rotary_dim, given.base, given.factor))


def dynamic(
    *,
    rotary_dim: int,
    base: float,
    factor: float,
    original_max_position_embeddings: int,
    seq_len: int | None = None,
    dtype: Any = "float64",
    like: Any = None,
) -> Scaled:
    r"""Dynamic NTK: `ntk` with the factor :math:`m = s \max(N, L)/L - (s - 1)` of the current length.

    Up to the trained length nothing changes.

    Parameters
    ----------
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, above 2.
    base : float
        Base :math:`b` of the ladder, finite and above 1.
    factor : float
        Factor :math:`s`, at least 1.
    original_max_position_embeddings : int
        Trained length :math:`L`, in tokens.
    seq_len : int
        Current length :math:`N`, in tokens; must be given.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    Scaled
        `inv_freq` (R/2,), within one ulp, and `attention_factor`, 1.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope_scaling.C1), the width is 2 or `seq_len` is missing
        (rope_scaling.C4).

    References
    ----------
    transformers `_compute_dynamic_ntk_parameters`.

    Examples
    --------
    >>> model = {"rotary_dim": 4, "base": 10000.0, "factor": 2.0}
    >>> dynamic(**model, original_max_position_embeddings=2048, seq_len=4096).inv_freq[1] * 300
    np.float64(1.0)
    """
    given = admit("rope_scaling.dynamic", CLAUSES, locals())

    trained = given.original_max_position_embeddings

    return rounded(given, ladders.dynamic(given.rotary_dim, given.base, given.factor, trained, given.seq_len))


def proportional(
    *,
    head_dim: int,
    base: float,
    partial_rotary_factor: float,
    factor: float,
    dtype: Any = "float64",
    like: Any = None,
) -> Scaled:
    r"""Keep the first part of the ladder over the whole head; the other pairs stand still.

    This is not partial rotation: exponents run over the head, and pairs lie over all of it.

    Parameters
    ----------
    head_dim : int
        Head width :math:`D`, in coordinates; even, at least 2.
    base : float
        Base :math:`b` of the ladder, finite and above 1.
    partial_rotary_factor : float
        Share :math:`p` of the pairs that turn, above 0, at most 1.
    factor : float
        Divisor :math:`s` of the frequencies, at least 1.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    Scaled
        `inv_freq` (D/2,), within one ulp, zero from pair :math:`\lfloor pD \rfloor / 2` on, and
        `attention_factor`, 1.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope_scaling.C1, rope_scaling.C11).

    References
    ----------
    transformers `_compute_proportional_rope_parameters`.

    Examples
    --------
    >>> proportional(head_dim=8, base=10000.0, partial_rotary_factor=0.5, factor=1.0).inv_freq
    array([1. , 0.1, 0. , 0. ])
    """
    given = admit("rope_scaling.proportional", CLAUSES, locals())

    return rounded(
        given, ladders.proportional(given.head_dim, given.base, given.partial_rotary_factor, given.factor)
    )
