"""Cases of the operations in `spec/schemes/shaw.md`."""

from posref.cases._shaw_index import index
from posref.cases._shaw_terms import output, scores

__all__ = ["index", "output", "scores"]
