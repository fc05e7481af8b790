"""Which position a token has, from a padding mask: BERT, RoBERTa, OPT, generation."""

from typing import Any

import torch
from transformers import BertConfig, GenerationMixin
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posref.adapters import Unsupported


def from_mask(attention_mask: Any, *, rule: str, pad_value: int | None, padding_idx: int | None) -> Any:
    """Return the positions that a model counts."""
    if not bool(((attention_mask == 0) | (attention_mask == 1)).all()) or attention_mask.ndim != 2:
        raise Unsupported("a mask holds 0 and 1, a row a sequence")
    given = (rule, pad_value, padding_idx)
    if rule == "roberta" and padding_idx is not None and pad_value is None:
        if attention_mask.dtype != torch.int64:
            raise Unsupported("a mask is made into tokens")
        ids = torch.where(attention_mask.bool(), padding_idx + 1, padding_idx)
        return RobertaEmbeddings.create_position_ids_from_input_ids(ids, padding_idx)
    if given == ("opt", None, None):
        return opt(attention_mask)
    if given == ("arange", None, None):
        return bert(attention_mask)
    if given == ("cumsum", 0, None):
        keywords = {"attention_mask": attention_mask}
        return GenerationMixin()._prepare_position_ids_for_generation(attention_mask, keywords)
    raise Unsupported("rules are BERT's, RoBERTa's, OPT's, and that of generation, whose padding is at 0")


def bert(attention_mask: Any) -> Any:
    """Return the first of BERT's buffered positions, whatever the mask."""
    rows = attention_mask.shape[-1]
    config = BertConfig(
        vocab_size=1, hidden_size=1, num_attention_heads=1, max_position_embeddings=rows, type_vocab_size=1
    )
    return BertEmbeddings(config).position_ids.expand(attention_mask.shape)


def opt(attention_mask: Any) -> Any:
    """Return the rows of OPT's table that a mask looks up, by a table that holds their numbers."""
    rows = attention_mask.shape[-1]
    module = OPTLearnedPositionalEmbedding(rows, 1)
    module.weight = torch.nn.Parameter(torch.arange(rows + 2, dtype=torch.float64)[:, None])
    return module(attention_mask)[..., 0].detach().long()


OPERATIONS = {"positions.from_mask": from_mask}
