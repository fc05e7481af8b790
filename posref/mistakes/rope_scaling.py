"""Known wrong implementations of the operations in `spec/schemes/rope_scaling.md`."""

from typing import Final

from posref.mistakes import _resolve, _scaling_bands, _scaling_bases, _scaling_fixed, _scaling_yarn
from posref.mistakes._ignored import ignored

MISTAKES: Final = (
    *_scaling_bases.MISTAKES,
    *_scaling_yarn.MISTAKES,
    *_scaling_fixed.MISTAKES,
    *_scaling_bands.MISTAKES,
    *_resolve.MISTAKES,
    *ignored("rope_scaling"),
)
