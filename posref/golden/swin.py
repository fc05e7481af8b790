"""swin, from spec/schemes/swin.md."""

from itertools import product
from typing import Any


def index(real: Any, *, window: list[int]) -> Any:
    """swin.C1: the place of each pair's offset, query minus key, in the list of all offsets in order."""
    tokens = list(product(*(range(size) for size in window)))
    offsets = list(product(*(_offsets(size) for size in window)))
    places = {offset: place for place, offset in enumerate(offsets)}
    return [[places[y - y_key, x - x_key] for y_key, x_key in tokens] for y, x in tokens]


def log_coords(real: Any, *, window: list[int], pretrained_window: list[int] | None) -> Any:
    """swin.C2: (2h - 1, 2w - 1, 2), for dy and dx each the sign of c times log2(1 + |c|)/3."""
    axes = [
        [_coordinate(real, offset, trained) for offset in _offsets(size)]
        for size, trained in zip(window, pretrained_window or window, strict=True)
    ]
    return [[[dy, dx] for dx in axes[1]] for dy in axes[0]]


def _offsets(size: int) -> range:
    return range(1 - size, size)


def _coordinate(real: Any, offset: int, trained: int) -> Any:
    if offset < 0:
        return -_coordinate(real, -offset, trained)
    return _log2(real, 1 + real.exact(8 * offset, trained - 1)) / 3 if offset else real.exact(0)


def _log2(real: Any, x: Any) -> Any:
    """Return the binary logarithm of a rational number above 1, exact for a power of two, and only then."""
    power, exponent = 1, 0
    while power < x:
        power, exponent = 2 * power, exponent + 1
    return real.exact(exponent) if power == x else real.log(x) / real.log(real.exact(2))
