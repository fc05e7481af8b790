"""Cases of the operations in `spec/schemes/t5.md`."""

from posref.cases._t5_bias import bias
from posref.cases._t5_bucket import bucket

__all__ = ["bias", "bucket"]
