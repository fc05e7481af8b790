"""Scalings that treat frequencies by what they are: by parts, by bands, or one by one."""

from typing import Any

from posref.numerics.checks import admit
from posref.reference import _scaled_ladders as ladders
from posref.reference._scaled_ladders import LongRope, Yarn
from posref.reference._scaling_common import CLAUSES, Scaled, rounded


def yarn(
    *,
    rotary_dim: int,
    base: float,
    factor: float,
    original_max_position_embeddings: int,
    beta_fast: float,
    beta_slow: float,
    ramp: str,
    truncate: bool | None,
    extrapolation_factor: float,
    attention_factor: float | None = None,
    mscale: float | None,
    mscale_all_dim: float | None,
    mscale_rule: str | None,
    dtype: Any = "float64",
    like: Any = None,
) -> Scaled:
    r"""YaRN: keep pairs that turn often in the trained length, divide slow ones, blend between.

    Parameters
    ----------
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, at least 2.
    base : float
        Base of the ladder, finite and above 1; it is not changed.
    factor : float
        Ratio :math:`s` of the target length to the trained one, at least 1.
    original_max_position_embeddings : int
        Trained length :math:`L`, in tokens.
    beta_fast, beta_slow : float
        Turns over the trained length above which a pair is kept, and below which it is divided.
    ramp : {"index", "rotations"}
        What the blend is linear in: the pair's index (shipped code) or its turns (the paper).
    truncate : bool or None
        Whether the ramp's ends are rounded to whole pairs; None for `ramp` "rotations".
    extrapolation_factor : float
        Weight of kept frequencies, 0 to 1; published models have 1.
    attention_factor : float, optional
        Magnitude factor; None: computed by `mscale_rule`.
    mscale, mscale_all_dim : float or None
        Coefficients :math:`k` of :math:`1 + 0.1\,k \ln s` in the numerator and the denominator.
    mscale_rule : {"hf", "ratio", "log_only", "none"} or None
        How the magnitude factor is computed; None where `attention_factor` is given.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.
    like : array, optional
        The result shares its library and device; NumPy by default.

    Returns
    -------
    Scaled
        `inv_freq` (R/2,) and `attention_factor`, each within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope_scaling.C1, C7), the ramp is empty (rope_scaling.C5),
        `truncate` does not go with `ramp` (rope_scaling.C5, C6), or the parameters of the magnitude
        factor contradict each other (rope_scaling.C8).

    References
    ----------
    Peng et al. 2023, arXiv 2309.00071, definitions 2 and 3; transformers `_compute_yarn_parameters`.

    Examples
    --------
    >>> model = {"rotary_dim": 8, "base": 10000.0, "factor": 4.0, "extrapolation_factor": 1.0}
    >>> model |= {"original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0}
    >>> model |= {"mscale": None, "mscale_all_dim": None, "mscale_rule": "hf"}
    >>> yarn(**model, ramp="index", truncate=True).attention_factor
    array(1.13862944)
    """
    given = admit("rope_scaling.yarn", CLAUSES, locals())

    parameters = Yarn(*(getattr(given, name) for name in Yarn._fields))

    return rounded(given, ladders.yarn(given.rotary_dim, given.base, parameters))


def llama3(
    *,
    rotary_dim: int,
    base: float,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: int,
    dtype: Any = "float64",
    like: Any = None,
) -> Scaled:
    r"""Llama 3.1: keep short wavelengths, divide long ones, blend between, linear in turns.

    Parameters
    ----------
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, at least 2.
    base : float
        Base of the ladder, finite and above 1.
    factor : float
        Divisor :math:`s` of long wavelengths, at least 1.
    low_freq_factor, high_freq_factor : float
        Turns over the trained length below which a pair is divided, and above which it is kept.
    original_max_position_embeddings : int
        Trained length :math:`L`, in tokens.
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
        If a parameter is out of its domain (rope_scaling.C1) or the edges are not in order
        (rope_scaling.C9).

    References
    ----------
    llama-models `apply_scaling`; transformers `_compute_llama3_parameters`.

    Examples
    --------
    >>> bands = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
    >>> llama3(rotary_dim=8, base=10000.0, factor=8.0, **bands).inv_freq
    array([1.00000000e+00, 1.00000000e-01, 1.00000000e-02, 2.13607544e-04])
    """
    given = admit("rope_scaling.llama3", CLAUSES, locals())

    edges = given.low_freq_factor, given.high_freq_factor
    trained = given.original_max_position_embeddings

    return rounded(given, ladders.llama3(given.rotary_dim, given.base, given.factor, *edges, trained))


def longrope(
    short_factor: Any,
    long_factor: Any,
    *,
    rotary_dim: int,
    base: float,
    factor: float,
    original_max_position_embeddings: int,
    seq_len: int | None = None,
    attention_factor: float | None = None,
    dtype: Any = "float64",
) -> Scaled:
    r"""LongRoPE: divide each frequency by a factor of its own, from one of two lists.

    Parameters
    ----------
    short_factor, long_factor : arrays of float64 or float32, shape (R/2,)
        Divisors up to the trained length, and beyond it; above 0.
    rotary_dim : int
        Rotated width :math:`R`, in coordinates; even, at least 2.
    base : float
        Base of the ladder, finite and above 1.
    factor : float
        Ratio :math:`s` of the target length to the trained one, above 0; at most 1 counts as 1.
    original_max_position_embeddings : int
        Trained length :math:`L`, in tokens, at least 2.
    seq_len : int
        Current length :math:`N`, in tokens; must be given. Beyond :math:`L` the long list holds.
    attention_factor : float, optional
        Magnitude factor; None: :math:`\sqrt{1 + \ln s / \ln L}`, at every length.
    dtype : str or dtype, default "float64"
        Floating dtype of the result.

    Returns
    -------
    Scaled
        `inv_freq` (R/2,) and `attention_factor`, each within one ulp.

    Raises
    ------
    SpecError
        If a parameter is out of its domain (rope_scaling.C1), or a list has not one element a pair, one
        is not above 0, or `seq_len` is missing (rope_scaling.C10).
    TypeError
        If the lists are not arrays of one library.

    References
    ----------
    Ding et al. 2024, arXiv 2402.13753; transformers `_compute_longrope_parameters`.

    Examples
    --------
    >>> import numpy as np
    >>> lists = np.array([1.0, 1.25]), np.array([1.0, 4.0])
    >>> model = {"rotary_dim": 4, "base": 10000.0, "factor": 16.0}
    >>> longrope(*lists, **model, original_max_position_embeddings=4096, seq_len=4097).inv_freq
    array([1.    , 0.0025])
    """
    given = admit("rope_scaling.longrope", CLAUSES, locals())

    lists = given.space.host(given.short_factor), given.space.host(given.long_factor)
    length, now = given.original_max_position_embeddings, given.seq_len
    parameters = LongRope(given.factor, length, *lists, now, given.attention_factor)

    return rounded(given, ladders.longrope(given.rotary_dim, given.base, parameters))
