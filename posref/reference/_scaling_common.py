"""What the scaling operations share: the clauses of their parameters, and their result."""

from typing import Any, Final, NamedTuple

from posref.numerics.given import Given
from posref.reference._scaled_ladders import Ladder

CLAUSES: Final = {
    "rotary_dim": "rope_scaling.C1",
    "base": "rope_scaling.C1",
    "factor": "rope_scaling.C1",
    "original_max_position_embeddings": "rope_scaling.C1",
    "seq_len": "rope_scaling.C1",
    "inv_freq": "rope_scaling.C2",
    "ramp": "rope_scaling.C5",
    "truncate": "rope_scaling.C5",
    "extrapolation_factor": "rope_scaling.C7",
    "beta_fast": "rope_scaling.C7",
    "beta_slow": "rope_scaling.C7",
    "mscale": "rope_scaling.C8",
    "mscale_all_dim": "rope_scaling.C8",
    "mscale_rule": "rope_scaling.C8",
    "attention_factor": "rope_scaling.C8",
    "low_freq_factor": "rope_scaling.C9",
    "high_freq_factor": "rope_scaling.C9",
    "short_factor": "rope_scaling.C10",
    "long_factor": "rope_scaling.C10",
    "head_dim": "rope_scaling.C11",
    "partial_rotary_factor": "rope_scaling.C11",
    "config": "rope_scaling.C12",
    "layer_type": "rope_scaling.C12",
    "layer_index": "rope_scaling.C14",
}


class Scaled(NamedTuple):
    """Frequencies in radians per token, shape (h,), and the magnitude factor, rank 0."""

    inv_freq: Any
    attention_factor: Any


def rounded(given: Given, ladder: Ladder) -> Scaled:
    """Return a ladder rounded once to the dtype of the call."""
    return Scaled(
        given.round(given.space.constant([float(entry) for entry in ladder.frequencies])),
        given.round(given.space.constant(float(ladder.factor))),
    )
