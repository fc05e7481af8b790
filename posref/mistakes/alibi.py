"""Known wrong implementations of the operations in `spec/schemes/alibi.md`."""

from typing import Final

from posref.mistakes import _alibi_bias, _alibi_slopes
from posref.mistakes._ignored import ignored

MISTAKES: Final = (*_alibi_slopes.MISTAKES, *_alibi_bias.MISTAKES, *ignored("alibi"))
