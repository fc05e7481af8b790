"""``rope_scaling.resolve``: from a published configuration to frequencies."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from posref.errors import ConfigWarning, SpecError
from posref.numerics.checks import admit
from posref.numerics.wide import WIDE
from posref.reference._rope_scaling import scaled_ladder
from posref.reference._scaled_ladders import ONE, Ladder, magnitude
from posref.reference._scaling_common import CLAUSES, rounded
from posref.reference._settings import Settings, settings


class Resolved(NamedTuple):
    """What a configuration comes to: frequencies (h,), and four numbers of rank 0."""

    inv_freq: Any
    attention_factor: Any
    softmax_factor: Any
    rotary_dim: Any
    base: Any


def resolve(
    *,
    config: Mapping[str, Any],
    seq_len: int | None = None,
    layer_type: str | None = None,
    layer_index: int | None = None,
    dtype: Any = "float64",
    like: Any = None,
) -> Resolved:
    r"""Return the frequencies that a published configuration asks for.

    Parameters
    ----------
    config : mapping
        A ``config.json`` as published: older ``rope_scaling`` and newer ``rope_parameters`` forms, flat
        or nested by layer type.
    seq_len : int, optional
        Current length, in tokens, which dynamic and longrope need.
    layer_type : str, optional
        Layer type, for configurations that differ by it.
    layer_index : int, optional
        Index of the layer, from 0, for configurations with layers without rotation; None asks for a
        layer with rotation.
    dtype : str or dtype, default "float64"
        Floating dtype of the results.
    like : array, optional
        The results share its library and device; NumPy by default.

    Returns
    -------
    Resolved
        `inv_freq` (R/2,), in radians per token, `attention_factor` (on cosine and sine),
        `softmax_factor` (on the softmax scale) and `base`, each within one ulp; `rotary_dim`, an
        integer. A layer without rotation has no frequency and `rotary_dim` 0.

    Raises
    ------
    SpecError
        If a key is unknown, missing, contradicts another or has a value that is refused
        (rope_scaling.C12 to C15, C17), or a length or a layer that it needs is missing.

    Warns
    -----
    ConfigWarning
        For each key that is legal and changes nothing (rope_scaling.C17).

    References
    ----------
    transformers `modeling_rope_utils`.

    Examples
    --------
    >>> model = {"hidden_size": 32, "num_attention_heads": 4, "rope_theta": 10000.0}
    >>> resolve(config=model | {"rope_scaling": {"type": "linear", "factor": 4.0}}).inv_freq
    array([0.25   , 0.025  , 0.0025 , 0.00025])
    """
    given = admit("rope_scaling.resolve", CLAUSES, locals())

    found = settings(given.config, given.layer_type, given.layer_index)
    for key, reason in found.ignored.items():
        warnings.warn(ConfigWarning(key, reason), stacklevel=2)
    inv_freq, factor = rounded(given, _ladder(found, given.seq_len))
    softmax = WIDE.power(magnitude(*found.softmax), 2) if found.softmax else ONE

    return Resolved(
        inv_freq,
        factor,
        given.round(given.space.constant(float(softmax))),
        given.space.give(given.space.constant(found.rotary_dim, "int64")),
        given.round(given.space.constant(found.base)),
    )


def _ladder(found: Settings, seq_len: int | None) -> Ladder:
    if not found.rotary_dim:
        return Ladder(())
    try:
        return scaled_ladder(found.scaling, rotary_dim=found.rotary_dim, base=found.base, seq_len=seq_len)
    except SpecError as error:
        if error.parameter == "seq_len":
            raise
        raise SpecError("rope_scaling.C12", "config", str(error)) from error
