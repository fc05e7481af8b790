"""Known wrong implementations of the operations in `spec/schemes/alibi.md`."""

from typing import Final

from posref.mistakes import _alibi_bias, _alibi_slopes

MISTAKES: Final = (*_alibi_slopes.MISTAKES, *_alibi_bias.MISTAKES)
