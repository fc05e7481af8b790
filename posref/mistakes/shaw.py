"""Known wrong implementations of the operations in `spec/schemes/shaw.md`."""

from typing import Final

from posref.mistakes import _shaw_index, _shaw_terms

MISTAKES: Final = (*_shaw_index.MISTAKES, *_shaw_terms.MISTAKES)
