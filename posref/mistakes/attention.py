"""Known wrong implementations of the operations in `spec/schemes/attention.md`."""

from typing import Final

from posref.mistakes import _attention_mask, _attention_output, _attention_scores, _attention_terms
from posref.mistakes._stale import ATTENTION as STALE

__all__ = ["MISTAKES", "STALE"]

MISTAKES: Final = (
    *_attention_mask.MISTAKES,
    *_attention_scores.MISTAKES,
    *_attention_terms.MISTAKES,
    *_attention_output.MISTAKES,
)
