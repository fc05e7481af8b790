"""Cases of the operations in `spec/schemes/deberta.md`."""

from posref.cases._deberta_bucket import bucket
from posref.cases._deberta_scores import scores

__all__ = ["bucket", "scores"]
