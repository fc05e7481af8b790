"""axial_rope, from spec/schemes/axial_rope.md."""

from typing import Any

from posref.golden import rope


def cos_sin(real: Any, positions: Any, *, axis_dims: list[int], base: Any, frequencies: str) -> Any:
    """axial_rope.C1: cosines and sines (T, h), the pairs of one axis after those of another.

    `positions` (T, A) in tokens or patches, integers or exact numbers.
    """
    if frequencies == "reset":
        ladders = [rope.inv_freq(real, rotary_dim=width, base=base) for width in axis_dims]
    else:
        whole = rope.inv_freq(real, rotary_dim=sum(axis_dims), base=base)
        ladders = [whole[0::2], whole[1::2]]

    def table(function: Any) -> Any:
        return [
            [function(p * w) for p, ladder in zip(token, ladders, strict=True) for w in ladder]
            for token in positions
        ]

    return table(real.cos), table(real.sin)
