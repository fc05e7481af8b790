"""Rotation by given tables, with the function of the model that has the pairing."""

from typing import Any

import torch
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from posref.adapters import Unsupported
from posref.adapters._torch import leading, rows

ROWS = 4096


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Rotate by given tables, with the function of the model that has the pairing."""
    leading(rotary_start)
    if torch.promote_types(x.dtype, cos.dtype) != x.dtype:
        raise Unsupported("tables are taken in the dtype of x")
    whole = 2 * cos.shape[-1] == x.shape[-1]
    if (pairing_in, pairing_out) == ("adjacent", "adjacent"):
        return gptj_rotate(x, sin, cos)
    if (pairing_in, pairing_out) == ("half", "half"):
        function = llama.apply_rotary_pos_emb if whole else gpt_neox.apply_rotary_pos_emb
    elif (pairing_in, pairing_out) == ("adjacent", "half") and whole:
        function = deepseek_v3.apply_rotary_pos_emb_interleave
    else:
        raise Unsupported(f"no model reads {pairing_in} pairs and writes {pairing_out} ones here")
    cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
    return function(x[None], x[None], cos, sin, unsqueeze_dim=0)[0][0]


def gptj_rotate(x: Any, sin: Any, cos: Any) -> Any:
    """Rotate the leading part of x as GPT-J's attention layer does, one head to a batch entry."""
    width = 2 * sin.shape[-1]
    tables = [rows(table, x.shape[:-2]) for table in (sin, cos)]
    heads = rows(x[..., :width], x.shape[:-2])[:, :, None]
    rotated = gptj.apply_rotary_pos_emb(heads, *tables).reshape(*x.shape[:-1], width)
    return torch.cat((rotated, x[..., width:]), dim=-1)


def in_table(positions: Any) -> bool:
    """Whether all positions are rows of a table of `ROWS` rows."""
    if positions.is_floating_point():
        return False
    return bool(((positions >= 0) & (positions < ROWS)).all())


OPERATIONS = {"rope.rotate": rotate}
