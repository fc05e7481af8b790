"""Cases and hard cases of the operations in `spec/schemes/deberta.md`."""

from posref.cases._deberta_bucket import bucket
from posref.cases._deberta_scores import scores
from posref.cases._hard_buckets import DEBERTA as HARD

__all__ = ["HARD", "bucket", "scores"]
