"""Known wrong implementations of the operations in `spec/schemes/rope.md`."""

from typing import Final

from posref.mistakes import _rope_apply, _rope_apply_qk, _rope_rotate, _rope_score, _rope_tables

MISTAKES: Final = (
    *_rope_tables.MISTAKES,
    *_rope_rotate.MISTAKES,
    *_rope_apply.MISTAKES,
    *_rope_apply_qk.MISTAKES,
    *_rope_score.MISTAKES,
)
