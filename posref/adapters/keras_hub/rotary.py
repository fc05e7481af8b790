"""Rotary layers of KerasHub: half pairs of whole heads."""

from math import prod
from typing import Any

import keras
from keras_hub.layers import RotaryEmbedding
from keras_hub.src.models.llama.llama_rotary_embedding import LlamaRotaryEmbedding
from keras_hub.src.models.phi3.phi3_rotary_embedding import Phi3SuScaledRotaryEmbedding

from posref.adapters import Unsupported

LENGTH = "original_max_position_embeddings"


def layer(scaling: Any, base: float, dtype: str) -> Any:
    """Return the layer that has the scaling."""
    kind = "default" if scaling is None else scaling["rope_type"]
    given = {key: value for key, value in (scaling or {}).items() if value is not None}
    if kind in {"default", "linear", "ntk"}:
        names = {"default": "linear", "linear": "linear", "ntk": "dynamic"}
        return RotaryEmbedding(base, given.get("factor", 1.0), rope_type=names[kind], dtype=dtype)
    if kind == "yarn":
        plain = (given["ramp"], given["extrapolation_factor"], given.get("mscale_rule")) == (
            "index",
            1,
            "log_only",
        )
        if not plain or "attention_factor" in given:
            raise Unsupported("a ramp over pairs, and the factor 1 + 0.1 ln s")
        keys = ("beta_fast", "beta_slow", LENGTH, "truncate")
        return RotaryEmbedding(base, given["factor"], "yarn", *(given[key] for key in keys), dtype=dtype)
    if kind == "llama3":
        bands = {key: given[key] for key in ("low_freq_factor", "high_freq_factor")}
        bands |= {
            "frequency_adjustment_factor": given["factor"],
            "pretraining_sequence_length": given[LENGTH],
        }
        return LlamaRotaryEmbedding(base, **bands, dtype=dtype)
    if kind == "longrope" and "attention_factor" not in given:
        lists, length = (given["short_factor"], given["long_factor"]), given[LENGTH]
        return Phi3SuScaledRotaryEmbedding(*lists, given["factor"] * length, length, base, dtype=dtype)
    raise Unsupported("no layer has this scaling")


def rope(
    *, rotary_dim: int, base: float, pairing: str, scaling: Any = None, seq_len: Any = None, **rest: Any
) -> Any:
    """Return a layer as a function of heads and positions."""
    if pairing != "half" or rest.get("rotary_start", 0) != 0:
        raise Unsupported("half pairs of whole heads")
    made: dict[str, Any] = {}

    def run(x: Any, positions: Any, seq_len: Any = seq_len) -> Any:
        if rotary_dim != x.shape[-1]:
            raise Unsupported("half pairs of whole heads")
        dtype = keras.backend.standardize_dtype(x.dtype)
        turn = made.setdefault(dtype, layer(scaling, base, dtype))
        flat = keras.ops.reshape(x, (prod(x.shape[:-2]), *x.shape[-2:]))
        if isinstance(turn, Phi3SuScaledRotaryEmbedding):
            return keras.ops.reshape(turn(flat, start_index=first(positions, seq_len)), x.shape)
        rows = keras.ops.broadcast_to(positions, x.shape[:-1])
        return keras.ops.reshape(turn(flat, positions=keras.ops.reshape(rows, flat.shape[:-1])), x.shape)

    return run


def first(positions: Any, seq_len: Any) -> int:
    """Return the offset of tokens that follow each other up to the end of the sequence."""
    row = keras.ops.convert_to_numpy(positions).tolist()
    if not row or row != list(range(seq_len - len(row), seq_len)):
        raise Unsupported("the length is that of a sequence of tokens from an offset")
    return int(seq_len) - len(row)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate heads by a layer made for the call."""
    return rope(**params)(x, positions)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries and keys by one layer."""
    run = rope(**params)
    return run(q, positions), run(k, positions)
