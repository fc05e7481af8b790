"""Known wrong implementations of the operations in `spec/schemes/rope.md`."""

from typing import Final

from posref.mistakes import (
    _rope_apply,
    _rope_apply_qk,
    _rope_apply_vjp,
    _rope_moves,
    _rope_rerotate,
    _rope_rotate,
    _rope_rotate_vjp,
    _rope_scaled,
    _rope_score,
    _rope_table_slice,
    _rope_tables,
    _rope_turns,
)
from posref.mistakes._ignored import ignored
from posref.mistakes._stale import ROPE as STALE

__all__ = ["MISTAKES", "STALE"]

MISTAKES: Final = (
    *_rope_tables.MISTAKES,
    *_rope_rotate.MISTAKES,
    *_rope_apply.MISTAKES,
    *_rope_apply_qk.MISTAKES,
    *_rope_score.MISTAKES,
    *_rope_scaled.APPLY,
    *_rope_scaled.APPLY_QK,
    *_rope_scaled.SCORE,
    *_rope_table_slice.MISTAKES,
    *_rope_moves.LAYOUTS,
    *_rope_moves.WEIGHTS,
    *_rope_rerotate.MISTAKES,
    *_rope_rotate_vjp.MISTAKES,
    *_rope_apply_vjp.MISTAKES,
    *_rope_turns.MISTAKES,
    *ignored("rope"),
)
