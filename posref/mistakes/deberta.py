"""Known wrong implementations of the operations in `spec/schemes/deberta.md`."""

from typing import Final

from posref.mistakes import _deberta_bucket, _deberta_scores
from posref.mistakes._ignored import ignored

MISTAKES: Final = (*_deberta_bucket.MISTAKES, *_deberta_scores.MISTAKES, *ignored("deberta"))
