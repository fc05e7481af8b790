"""Known wrong implementations of the operations in `spec/schemes/t5.md`."""

from typing import Final

from posref.mistakes import _t5_bias, _t5_bucket
from posref.mistakes._ignored import ignored

MISTAKES: Final = (*_t5_bucket.MISTAKES, *_t5_bias.MISTAKES, *ignored("t5"))
