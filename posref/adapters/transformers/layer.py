"""The positional part of an attention layer: its rotary module, and how it turns queries and keys."""

from functools import cached_property
from typing import Any

import transformers
from transformers.models.gptj import modeling_gptj as gptj

from posref.adapters._torch import leading
from posref.adapters.transformers.rotary import chosen
from posref.adapters.transformers.rotary_tables import tables
from posref.adapters.transformers.rotation import ROWS, gptj_rotate, in_table


class Layer:
    """The positional part of an attention layer with heads of one width."""

    def __init__(
        self,
        width: int,
        *,
        rotary_dim: int,
        rotary_start: int = 0,
        base: float,
        pairing: str,
        scaling: Any = None,
    ) -> None:
        leading(rotary_start)
        self.tabled = (pairing, base, scaling) == ("adjacent", 10000, None)
        self.shape = {"n_embd": width, "n_head": 1, "rotary_dim": rotary_dim, "n_positions": ROWS}
        self.cut = (width, rotary_dim, base, pairing, scaling)

    @cached_property
    def module(self) -> tuple[Any, Any]:
        """The model that turns heads in this way, and its rotary module."""
        return chosen(*self.cut)

    @cached_property
    def table(self) -> Any:
        """GPT-J's table of the first rows."""
        return gptj.GPTJRotaryEmbedding(transformers.GPTJConfig(**self.shape))

    def __call__(self, q: Any, k: Any, positions: Any, seq_len: int | None) -> Any:
        """Rotate queries and keys."""
        if self.tabled and in_table(positions):
            sin, cos = self.table(q, positions)
            return gptj_rotate(q, sin, cos), gptj_rotate(k, sin, cos)
        model, rotary = self.module
        cos, sin = tables(rotary, q, positions, seq_len)
        q, k = model.apply_rotary_pos_emb(q[None], k[None], cos, sin, unsqueeze_dim=0)
        return q[0], k[0]
