"""Cases, hard cases and scenarios of the operations in `spec/schemes/rope.md`."""

from posref.cases._hard_scaling import ROTATIONS
from posref.cases._hard_tables import COS_SIN
from posref.cases._rope_apply import apply
from posref.cases._rope_apply_qk import apply_qk
from posref.cases._rope_moves import permute, permute_weight
from posref.cases._rope_rerotate import rerotate
from posref.cases._rope_rotate import rotate
from posref.cases._rope_scenarios import SCENARIOS
from posref.cases._rope_score import score
from posref.cases._rope_table_slice import table_slice
from posref.cases._rope_tables import cos_sin, inv_freq, matrix
from posref.cases._rope_vjp import apply_vjp, rotate_vjp

HARD = (*ROTATIONS, *COS_SIN)

__all__ = [
    "HARD",
    "SCENARIOS",
    "apply",
    "apply_qk",
    "apply_vjp",
    "cos_sin",
    "inv_freq",
    "matrix",
    "permute",
    "permute_weight",
    "rerotate",
    "rotate",
    "rotate_vjp",
    "score",
    "table_slice",
]
