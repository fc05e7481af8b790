"""Cases of the operations in `spec/schemes/rope.md`."""

from posref.cases._rope_apply import apply
from posref.cases._rope_apply_qk import apply_qk
from posref.cases._rope_rotate import rotate
from posref.cases._rope_score import score
from posref.cases._rope_tables import cos_sin, inv_freq, matrix

__all__ = ["apply", "apply_qk", "cos_sin", "inv_freq", "matrix", "rotate", "score"]
