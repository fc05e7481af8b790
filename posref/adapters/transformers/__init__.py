"""Hugging Face transformers: the positional code of its models, one module a kind of code.

Each operation is answered by the function or module of the model that has the convention asked for;
what no model has is `Unsupported`.
"""

from types import ModuleType

import torch
import transformers

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.transformers import (
    alibi,
    application,
    distances,
    learned,
    mrope,
    mrope_ids,
    positions,
    resolver,
    rotary_tables,
    rotation,
    scaling,
    sincos2d,
    sinusoidal,
    swin,
    t5,
    temperature,
)

MODULES: tuple[ModuleType, ...] = (alibi, application, distances, learned, mrope, mrope_ids, positions)
MODULES += (resolver, rotary_tables, rotation, scaling, sincos2d, sinusoidal, swin, t5, temperature)

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
    return Implementation(
        "transformers",
        {name: call for module in MODULES for name, call in module.OPERATIONS.items()},
        version=f"{transformers.__version__} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
        sessions=application.SESSIONS,
    )
