"""Cases of the operations in `spec/schemes/sinusoidal.md`."""

from posref.cases._sinusoidal_encode import encode
from posref.cases._sinusoidal_generators import inv_freq, shift_matrix

__all__ = ["encode", "inv_freq", "shift_matrix"]
