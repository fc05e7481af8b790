"""Learned tables, as BERT and OPT look them up."""

from typing import Any

import torch
import transformers
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding

from posref.adapters import Unsupported


def lookup(table: Any, positions: Any, *, offset: int = 0) -> Any:
    """Look rows up as BERT does, or as OPT does, whose positions start at row 2."""
    rows, width = table.shape
    if not isinstance(offset, int):
        raise Unsupported("an offset is part of a model")
    if offset == 0:
        config = transformers.BertConfig(
            vocab_size=1,
            hidden_size=width,
            num_attention_heads=1,
            max_position_embeddings=rows,
            type_vocab_size=1,
        )
        module = BertEmbeddings(config).position_embeddings
    elif offset == 2 and rows > 2:
        module = OPTLearnedPositionalEmbedding(rows - 2, width)
    else:
        raise Unsupported("an offset is 0 or 2")
    module.weight = torch.nn.Parameter(table)
    if offset:
        return module(None, position_ids=positions)
    return module(positions)


OPERATIONS = {"learned.lookup": lookup}
