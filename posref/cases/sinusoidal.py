"""Cases and hard cases of the operations in `spec/schemes/sinusoidal.md`."""

from posref.cases._hard_tables import ENCODE as HARD
from posref.cases._sinusoidal_encode import encode
from posref.cases._sinusoidal_generators import inv_freq, shift_matrix

__all__ = ["HARD", "encode", "inv_freq", "shift_matrix"]
