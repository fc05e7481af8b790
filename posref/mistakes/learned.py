"""Known wrong implementations of the operations in `spec/schemes/learned.md`."""

from typing import Final

from posref.mistakes import _learned_lookup, _learned_resize
from posref.mistakes._ignored import ignored

MISTAKES: Final = (*_learned_lookup.MISTAKES, *_learned_resize.MISTAKES, *ignored("learned"))
