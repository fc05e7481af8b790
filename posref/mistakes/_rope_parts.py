"""Wrong rotations of one tensor, which several rotary operations share."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.mistakes._alter import Array
from posref.reference import rope
from posref.reference._rope_scaling import scaled_ladder

OTHER: Final = {"adjacent": "half", "half": "adjacent"}
Rotary = dict[str, Any]
"""The parameters that the rotary operations share."""


def rotary(arguments: dict[str, Any]) -> Rotary:
    """Return these parameters, with the defaults of those left out."""
    return {
        "rotary_dim": arguments["rotary_dim"],
        "rotary_start": arguments.get("rotary_start", 0),
        "base": arguments["base"],
        "pairing": arguments["pairing"],
        "scaling": arguments.get("scaling"),
        "seq_len": arguments.get("seq_len"),
    }


def _scaled(rotary: Rotary) -> tuple[Array, float]:
    """Return the right frequencies and the magnitude factor."""
    names = ("rotary_dim", "base", "seq_len")
    found = scaled_ladder(rotary["scaling"], **{name: rotary[name] for name in names})
    return np.array([float(entry) for entry in found.frequencies]), float(found.factor)


def ladder(rotary: Rotary) -> Array:
    """Return the right frequencies."""
    return _scaled(rotary)[0]


def magnitude(rotary: Rotary) -> float:
    """Return the magnitude factor."""
    return _scaled(rotary)[1]


def climbed(rotary: Rotary, change: Callable[[Array], Array], width: int | None = None) -> Array:
    """Return the frequencies with the plain ladder changed, and scaled as the right one is."""
    plain = np.asarray(rope.inv_freq(rotary_dim=rotary["rotary_dim"], base=rotary["base"]))
    wide = plain if width is None else np.asarray(rope.inv_freq(rotary_dim=width, base=rotary["base"]))
    return np.asarray(change(wide[: plain.size]) * (ladder(rotary) / plain))


def table(positions: Array, omega: Array, rotary: Rotary) -> tuple[Array, Array]:
    """Return cosines and sines for any frequencies, with the magnitude factor."""
    cos, sin = rope.cos_sin(positions, omega, attention_factor=magnitude(rotary))
    return np.asarray(cos), np.asarray(sin)


def turned(x: Array, positions: Array, omega: Array, rotary: Rotary) -> Array:
    """Rotate by any frequencies."""
    cos, sin = table(positions, omega, rotary)
    pairing, start = rotary["pairing"], rotary["rotary_start"]
    return np.asarray(rope.rotate(x, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start))


def over_head(x: Array, positions: Array, rotary: Rotary) -> Array:
    """Run the ladder over the width of the head instead of the slice."""
    width = x.shape[-1] + x.shape[-1] % 2
    return turned(x, positions, climbed(rotary, np.asarray, width), rotary)


def twice(x: Array, positions: Array, rotary: Rotary) -> Array:
    """Rotate what is already rotated."""
    once = rope.apply(x, positions, **rotary)
    return np.asarray(rope.apply(once, positions, **rotary))


def whole_head(x: Array, positions: Array, rotary: Rotary) -> Array:
    """Rotate every coordinate, as if the slice were the head."""
    width = x.shape[-1] - x.shape[-1] % 2
    try:
        return np.asarray(rope.apply(x, positions, **{**rotary, "rotary_dim": width, "rotary_start": 0}))
    except SpecError:  # a scaling with a list a pair is right for one width only
        return np.asarray(rope.apply(x, positions, **rotary))


def rest_dropped(y: Array, start: int, width: int) -> Array:
    """Put zeros where coordinates pass through."""
    kept = np.zeros(y.shape[-1], bool)
    kept[start : start + width] = True
    return np.where(kept, y, 0.0)


def distant_partner(x: Array, cos: Array, sin: Array, start: int) -> Array:
    """Take the partner half a head away instead of half a slice; other pairs are right."""
    h, far = cos.shape[-1], x.shape[-1] // 2
    if start + far + h > x.shape[-1]:
        far = h
    y = np.array(np.broadcast_to(x, np.broadcast_shapes(x.shape, (*cos.shape[:-1], 1))))
    u, w = x[..., start : start + h], x[..., start + far : start + far + h]
    y[..., start : start + h], y[..., start + far : start + far + h] = u * cos - w * sin, u * sin + w * cos
    return y


def padded_sine(cos: Array, sin: Array) -> Array:
    """Read the sines of a row [cos, sin] where its width, rounded up to a power of two, would put them."""
    h = cos.shape[-1]
    row = np.concatenate([cos, sin, np.zeros((*cos.shape[:-1], 2 * h))], axis=-1)
    offset = 1 << (2 * h - 1).bit_length() >> 1
    return row[..., offset : offset + h]


def in_place(x: Array, cos: Array, sin: Array, start: int, pairing: str) -> Array:
    """Use the first result, already stored, in the second: u sin is taken of the new u."""
    h = cos.shape[-1]
    steps = (start + 2 * np.arange(h), start + 2 * np.arange(h) + 1)
    halves = (start + np.arange(h), start + h + np.arange(h))
    first, second = steps if pairing == "adjacent" else halves
    y = np.array(x, np.float64)
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = y[..., first] * sin + x[..., second] * cos
    return y


def first_row(values: Array) -> Array:
    """Return the first row's values for every row of the batch."""
    return np.broadcast_to(values[:1], values.shape)


def positions_by_head(positions: Array, x: Array) -> Array:
    """Take a token's position by the index of its head, the same at every token."""
    if x.ndim < 3 or x.shape[-2] == 0:
        return positions
    full, heads = np.broadcast_to(positions, x.shape[:-1]), np.arange(x.shape[-3])
    return np.broadcast_to(full[..., heads, heads % x.shape[-2], None], full.shape)


def table_by_head(table: Array, x: Array) -> Array:
    """Take a token's row of a table by the index of its head, the same at every token."""
    if x.ndim < 3 or x.shape[-2] == 0:
        return table
    full = np.broadcast_to(table, (*x.shape[:-1], table.shape[-1]))
    heads = np.arange(x.shape[-3])
    return np.broadcast_to(full[..., heads, heads % x.shape[-2], :][..., None, :], full.shape)


def rows_left(y: Array, tokens: int) -> Array:
    """Leave the rows after the first unwritten, when there is one token."""
    if tokens != 1 or y.ndim < 3:
        return y
    return np.concatenate([y[:1], np.zeros_like(y[1:])])
