"""Hugging Face transformers: the positional code of its models, one module a kind of code.

Each operation is answered by the function or module of the model that has the convention asked for;
what no model has is `Unsupported`.
"""

from collections.abc import Callable
from typing import Any

import torch
import transformers

from posref.adapters import Implementation
from posref.adapters.transformers import (
    biases,
    configs,
    multimodal,
    positions,
    rotary,
    scaling,
    tables,
    temperature,
)
from posref.adapters.transformers.tensors import read, write

OPERATIONS: dict[str, Callable[..., Any]] = {
    "positions.from_mask": positions.from_mask,
    "sinusoidal.encode": tables.encode,
    "sincos2d.encode": tables.grid,
    "learned.lookup": tables.lookup,
    "rope.inv_freq": rotary.inv_freq,
    "rope.cos_sin": rotary.cos_sin,
    "rope.rotate": rotary.rotate,
    "rope.apply": rotary.apply,
    "rope.apply_qk": rotary.apply_qk,
    "rope_scaling.ntk": scaling.ntk,
    "rope_scaling.dynamic": scaling.dynamic,
    "rope_scaling.yarn": scaling.yarn,
    "rope_scaling.llama3": scaling.llama3,
    "rope_scaling.longrope": scaling.longrope,
    "rope_scaling.proportional": scaling.proportional,
    "rope_scaling.resolve": configs.resolve,
    "mrope.axis_of_channel": multimodal.axis_of_channel,
    "mrope.cos_sin": multimodal.cos_sin,
    "mrope.position_ids": multimodal.position_ids,
    "temperature.scale": temperature.scale,
    "alibi.slopes": biases.slopes,
    "alibi.bias": biases.bias,
    "t5.bucket": biases.bucket,
    "t5.bias": biases.t5_bias,
    "deberta.bucket": biases.log_bucket,
    "shaw.index": biases.shaw_index,
    "swin.index": biases.swin_index,
    "swin.log_coords": biases.log_coords,
}

REMARKS = {
    "sinusoidal.encode": "DistilBERT, Marian, M2M-100, Whisper, MusicGen.",
    "sincos2d.encode": "y first: ViT-MAE's table before its axes are exchanged; x first: OmDet-Turbo.",
    "learned.lookup": "Offset 0: BERT; 2: OPT.",
    "rope.apply": "half: Llama, GPT-NeoX, HunYuan (ntk); adjacent: GPT-J, GLM. Angles are float32.",
    "rope_scaling.resolve": "The class of the model_type, or of the form; float32.",
    "mrope.position_ids": "Qwen2.5-VL.",
    "temperature.scale": "Ministral 3.",
    "alibi.bias": "key_index: BLOOM, Falcon (bfloat16 slopes); neg_distance: MPT.",
}


def load() -> Implementation:
    """Return the models of transformers as one implementation."""
    version = f"{transformers.__version__} with torch {torch.__version__}"
    return Implementation(
        "transformers", OPERATIONS, version=version, write=write, read=read, remarks=REMARKS
    )
