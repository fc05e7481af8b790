"""Cases and hard cases of the operations in `spec/schemes/t5.md`."""

from posref.cases._hard_buckets import T5 as HARD
from posref.cases._t5_bias import bias
from posref.cases._t5_bucket import bucket

__all__ = ["HARD", "bias", "bucket"]
