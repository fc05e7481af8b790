"""MLX LM: the rotary layers that its models make from the scaling of a configuration."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from mlx_lm.models.rope_utils import initialize_rope

from posref.adapters import Implementation, Unsupported
from posref.adapters.mlx.arrays import offset, read, turn, write

WHOLE = {"ramp": "index", "truncate": True, "extrapolation_factor": 1, "mscale_rule": "ratio"}


def config(scaling: Mapping[str, Any]) -> tuple[dict[str, Any], int | None]:
    """Return a scaling as models write it, and the largest length; what no layer reads is unsupported."""
    given = {key: value for key, value in scaling.items() if value is not None}
    if any(given.pop(key, value) != value for key, value in WHOLE.items()) or "attention_factor" in given:
        raise Unsupported("a ramp over whole pairs, and a magnitude factor that is computed, a ratio in YaRN")
    length = given.get("original_max_position_embeddings")
    if given["rope_type"] == "longrope":
        length *= given["factor"]
        if length != int(length):
            raise Unsupported("the factor is the ratio of two lengths")
    return given, None if length is None else int(length)


def rope(
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    scaling: Any = None,
    rotary_start: int = 0,
    seq_len: int | None = None,
) -> Any:
    """Return the layer as a function of heads and positions."""
    kind = "default" if scaling is None else scaling["rope_type"]
    if rotary_start or not isinstance(rotary_start, int) or kind == "ntk":
        raise Unsupported("the rotated slice is a leading one, and no scaling is static NTK")
    if kind == "longrope" and pairing == "adjacent":
        raise Unsupported("this layer turns half pairs")
    given, length = (None, None) if scaling is None else config(scaling)
    layer = initialize_rope(rotary_dim, base, pairing == "adjacent", given, length)

    def run(x: Any, positions: Any, seq_len: int | None = seq_len) -> Any:
        if kind == "dynamic" and (offset(positions) is None or int(positions[-1]) + 1 != seq_len):
            raise Unsupported("the length is that of a sequence of tokens from an offset")
        return turn(layer, x, positions)

    return run


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate heads by a layer made for the call."""
    return rope(**params)(x, positions)


def load() -> Implementation:
    """Return the layers as one implementation."""
    number = f"{version('mlx-lm')} with mlx {version('mlx')}"
    operations, sessions = {"rope.apply": apply}, {"rope.apply": rope}
    return Implementation("mlx_lm", operations, number, write=write, read=read, sessions=sessions)
