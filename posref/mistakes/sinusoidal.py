"""Known wrong implementations of the operations in `spec/schemes/sinusoidal.md`."""

from typing import Final

from posref.mistakes import _sinusoidal_encode, _sinusoidal_generators
from posref.mistakes._ignored import ignored

MISTAKES: Final = (*_sinusoidal_generators.MISTAKES, *_sinusoidal_encode.MISTAKES, *ignored("sinusoidal"))
