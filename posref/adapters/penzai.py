"""Penzai: the rotary layers, on arrays with named axes."""

from importlib.metadata import version
from typing import Any

import numpy as np
from penzai import pz

from posref.adapters import Implementation, Unsupported
from posref.adapters.equinox import write


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate the leading part of each head, or all of it."""
    start, width = params.get("rotary_start", 0), params["rotary_dim"]
    if (
        params["pairing"] != "half"
        or params.get("scaling") is not None
        or start
        or not isinstance(start, int)
    ):
        raise Unsupported("half pairs of a leading slice, and no scaling")
    axes = [f"axis_{number}" for number in range(x.ndim - 1)]
    names = {"embedding_axis": "width", "max_wavelength": params["base"], "positions_input_name": "positions"}
    layer = pz.nn.ApplyRoPE(**names)
    if width != x.shape[-1]:
        layer = pz.nn.ApplyRoPEToSubset(**names, rope_subset_size=width)
    tokens = pz.nx.wrap(np.broadcast_to(positions, x.shape[:-1])).tag(*axes)
    return layer(pz.nx.wrap(x).tag(*axes, "width"), positions=tokens).unwrap(*axes, "width")


def load() -> Implementation:
    """Return the layers as an implementation."""
    dtypes = ("float32", "bfloat16", "float16")
    return Implementation("penzai", {"rope.apply": apply}, version("penzai"), dtypes, write=write)
