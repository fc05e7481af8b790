"""torchscale: xPos, T5's buckets and bias.

Its metadata pins old releases of timm and fairscale, which these modules do not use: it is installed
without its dependencies.
"""

from importlib.metadata import version
from typing import Any

import torch
from torchscale.component.relative_position_bias import RelativePositionBias
from torchscale.component.xpos_relative_position import XPOS

from posref.adapters import Implementation, Unsupported
from posref.adapters._torch import counted, first, read, rows, write


def xpos(
    x: Any, positions: Any, *, role: str, rotary_dim: int, pairing: str, scale_base: float, **given: Any
) -> Any:
    """Run XPOS on the tokens that end a sequence, which is counted from 0."""
    offset, tokens = first(positions), positions.shape[-1]
    if (given["base"], given["gamma"], pairing, rotary_dim) != (10000, 0.4, "adjacent", x.shape[-1]):
        raise Unsupported("adjacent pairs of the whole width, base 10000, gamma 0.4")
    if offset < 0 or given["center"] != (offset + tokens + 1) // 2:
        raise Unsupported("the exponent is centred on half of the length, rounded up")
    module = XPOS(rotary_dim, scale_base)
    return module(rows(x, x.shape[:-2]), offset=offset, downscale=role == "key").reshape(x.shape)


def bucket(relative_position: Any, **params: Any) -> Any:
    """Run the bucket function."""
    return RelativePositionBias._relative_position_bucket(relative_position, **params)


def bias(table: Any, q_positions: Any, k_positions: Any, **params: Any) -> Any:
    """Run the module for queries that follow each other."""
    if not counted(k_positions):
        raise Unsupported("keys are counted from 0, for all sequences alike")
    module = RelativePositionBias(n_heads=table.shape[1], **params)
    module.relative_attention_bias.weight = torch.nn.Parameter(table)
    return module.compute_bias(len(q_positions), len(k_positions), step=first(q_positions))[0]


def load() -> Implementation:
    """Return the modules as an implementation."""
    return Implementation(
        "torchscale",
        {"xpos.apply": xpos, "t5.bucket": bucket, "t5.bias": bias},
        version=f"{version('torchscale')} with torch {torch.__version__}",
        write=write,
        read=read,
    )
