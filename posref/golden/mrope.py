"""mrope, from spec/schemes/mrope.md."""

from typing import Any

TEXT, IMAGE = 0, 1
"""Types of tokens; the third is video."""


def axis_of_channel(real: Any, *, mrope_section: list[int], arrangement: str) -> Any:
    """mrope.C1: channels are laid out for t, and those of h and w are put in their places."""
    t, h, w = mrope_section
    if arrangement == "chunked":
        return [0] * t + [1] * h + [2] * w
    if arrangement == "hw_then_t":
        return [1, 2] * h + [0] * t
    axes = [0] * sum(mrope_section)
    for axis, section in ((1, h), (2, w)):
        for channel in range(len(axes))[axis : 3 * section : 3]:
            axes[channel] = axis
    return axes


def cos_sin(real: Any, positions: Any, inv_freq: Any, axis_of_channel: Any, *, attention_factor: Any) -> Any:
    """mrope.C2: F cos(p w) and F sin(p w), each (T, h), the position of a channel's own axis.

    `positions` (A, T), `inv_freq` and `axis_of_channel` (h).
    """

    def table(function: Any) -> Any:
        return [
            [
                attention_factor * function(token[a] * w)
                for a, w in zip(axis_of_channel, inv_freq, strict=True)
            ]
            for token in zip(*positions, strict=True)
        ]

    return table(real.cos), table(real.sin)


def position_ids(
    real: Any, token_types: Any, grids: Any, temporal_interval: Any, *, spatial_merge_size: int, advance: str
) -> Any:
    """mrope.C3: the three axes (3, T), token by token; C4: the next position minus the count of tokens.

    `token_types` (T), `grids` (N, 3) in patches, `temporal_interval` (V, 2) as numerator and denominator.
    """
    media, intervals = iter(grids), iter(temporal_interval)
    first = 1 if advance == "max_hw" else 0
    ids: list[tuple[int, int, int]] = []
    start = 0
    while len(ids) < len(token_types):
        kind = token_types[len(ids)]
        if kind == TEXT:
            block = [(start, start, start)]
        else:
            step = (1, 1) if kind == IMAGE else next(intervals)
            block = _medium(start, next(media), step, spatial_merge_size)
        ids += block
        start = max(place for token in block for place in token[first:]) + 1
    return [[token[axis] for token in ids] for axis in range(3)], start - len(token_types)


def _medium(start: int, grid: Any, step: Any, merge: int) -> list[tuple[int, int, int]]:
    """Return the tokens of one medium, row-major; `step` is the temporal interval as a fraction."""
    times, height, width = grid
    top, bottom = step
    return [
        (start + k * top // bottom, start + y, start + x)
        for k in range(times)
        for y in range(height // merge)
        for x in range(width // merge)
    ]
