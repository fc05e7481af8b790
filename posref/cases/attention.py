"""Cases of the operations in `spec/schemes/attention.md`."""

from posref.cases._attention_mask import causal_mask
from posref.cases._attention_output import output
from posref.cases._attention_scores import scores
from posref.cases._attention_terms import score_terms

__all__ = ["causal_mask", "output", "score_terms", "scores"]
