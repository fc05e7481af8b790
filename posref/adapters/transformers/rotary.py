"""Rotary modules: Llama, GPT-NeoX and HunYuan turn half pairs, GLM adjacent ones."""

from collections.abc import Mapping
from typing import Any

import transformers
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense as hunyuan
from transformers.models.llama import modeling_llama as llama

from posref.adapters import Unsupported
from posref.adapters.transformers.parameters import head, parameters, table_length


def llama_rotary(width: int, base: float, scaling: Mapping[str, Any] | None = None) -> Any:
    """Return Llama's rotary module for heads of `width`."""
    rope = parameters(scaling, base)
    return llama.LlamaRotaryEmbedding(transformers.LlamaConfig(**head(width, scaling), rope_parameters=rope))


def hunyuan_rotary(width: int, base: float, scaling: Mapping[str, Any]) -> Any:
    """Return HunYuan's rotary module, the one that changes the base by a fixed factor."""
    rope = parameters(scaling, base)
    return hunyuan.HunYuanDenseV1RotaryEmbedding(
        transformers.HunYuanDenseV1Config(**head(width, scaling), rope_parameters=rope)
    )


def partial_rotary(module: Any, head_dim: int, rotary_dim: int, base: float, scaling: Any) -> Any:
    """Return the rotary module of GPT-NeoX or GLM, which rotate a leading part of the head."""
    factor = rotary_dim / head_dim
    if int(head_dim * factor) != rotary_dim:
        raise Unsupported(f"no partial_rotary_factor that gives {rotary_dim} of {head_dim} is known")
    rope = {"partial_rotary_factor": factor, **parameters(scaling, base)}
    shape = {"hidden_size": head_dim, "num_attention_heads": 1, "rope_parameters": rope}
    shape["max_position_embeddings"] = table_length(scaling)
    if module is gpt_neox:
        return gpt_neox.GPTNeoXRotaryEmbedding(transformers.GPTNeoXConfig(**shape))
    return glm.GlmRotaryEmbedding(transformers.GlmConfig(**shape, head_dim=head_dim))


def chosen(width: int, rotary_dim: int, base: float, pairing: str, scaling: Any) -> tuple[Any, Any]:
    """Return the model that turns heads in this way, and its rotary module."""
    whole = pairing == "half" and rotary_dim == width
    if scaling is not None and scaling["rope_type"] == "ntk":
        if not whole:
            raise Unsupported("the model that changes the base by a factor turns half pairs of whole heads")
        return hunyuan, hunyuan_rotary(width, base, scaling)
    if whole:
        return llama, llama_rotary(width, base, scaling)
    module = {"half": gpt_neox, "adjacent": glm}[pairing]
    return module, partial_rotary(module, width, rotary_dim, base, scaling)
