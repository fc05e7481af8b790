"""What joins two arguments of a rotary operation, drawn together."""

from collections.abc import Callable
from math import floor, log
from typing import Final

import numpy as np

from posref.testing import _scalings
from posref.testing._draft import Draft
from posref.testing._numbers import st, values

Rule = Callable[[Draft], None]

RATES: Final = st.sampled_from((1.0, 0.1, 1e-4, 2.0**-20, 0.5, 0.0, -0.25, 3.0)) | values("float32", 4.0)
"""Frequencies: any finite number is one."""


def _slice(d: Draft) -> int:
    """Draw a rotated slice and the width around it."""
    pairs = d.between(1, 3)
    start = d.whole("rotary_start", 0, 0, 1, 2)
    d.sizes["D"] = start + 2 * pairs + d.pick(0, 1, 3)
    return pairs


def _pairs(d: Draft) -> None:
    d.params["rotary_dim"] = 2 * _slice(d)


def _scaled(d: Draft, *, short: bool = False) -> None:
    """Draw width, base, scaling and length."""
    kind = d.pick(None, None, *_scalings.KINDS)
    pairs = _slice(d)
    if kind in _scalings.WIDE and pairs == 1:
        pairs, d.sizes["D"] = 2, d.sizes["D"] + 2
    base = _scalings.base_of(d, kind or "")
    scaling = _scalings.scaling(d, base, pairs, kind)
    length = _scalings.length(d, kind or "", scaling or {}, short=short)
    d.params |= {"rotary_dim": 2 * pairs, "base": base, "scaling": scaling, "seq_len": length}


def _rerotate(d: Draft) -> None:
    _scaled(d, short=True)
    tokens = d.size("T")
    shape = d.pick((), (*d.fitting(), tokens))
    d.put_integers("delta", d.integers(shape, -d.farthest, d.farthest))


def _tables(d: Draft) -> None:
    """Draw cosines and sines of one shape, any numbers, for a slice that they fit."""
    pairs = _slice(d)
    shape = (*d.fitting(), d.size("T"), pairs)
    for name in ("cos", "sin"):
        d.put_table(name, values("float32", 2.0), shape)


def _ladder(d: Draft) -> None:
    d.put_table("inv_freq", RATES, (d.size("h"),))


def _of_axes(d: Draft) -> None:
    _ladder(d)
    d.put_integers("axis_of_channel", d.list_of(st.integers(0, d.size("A") - 1), (d.size("h"),)))


def _axes(d: Draft) -> None:
    if d.choose("frequencies") == "shared_even_odd":
        d.sizes["A"] = 2
        d.params["axis_dims"] = [d.pick(2, 4, 6)] * 2
    else:
        d.params["axis_dims"] = [2 * d.between(1, 3) for _ in range(d.size("A"))]


def _sections(d: Draft) -> None:
    time, rows, columns = (d.between(0, 4) for _ in range(3))
    if d.choose("arrangement") == "hw_then_t":
        columns = rows
    d.params["mrope_section"] = [time, rows, columns] if time + rows + columns else [1, 0, 0]


def _stored(d: Draft) -> None:
    offset = d.whole("offset", 0, 1, 2)
    length = d.whole("length", 1, 0, 2, 3)
    d.sizes["N"] = max(1, offset + length + d.pick(0, 1))


def _weight(d: Draft) -> None:
    heads = d.whole("num_heads", 1, 2, 3)
    pairs = d.between(1, 2)
    d.params["rotary_dim"] = 2 * pairs
    d.sizes["N"] = heads * (2 * pairs + d.pick(0, 1, 2))


def _decay(d: Draft) -> None:
    """Draw positions near the center, where no scale leaves the range of the dtype."""
    gamma, span, center = (d.real(name) for name in ("gamma", "scale_base", "center"))
    room = {"float16": log(1000.0), "float64": 600.0}.get(d.dtype, 70.0)
    far = room * span / _decay_rate(gamma)
    d.sizes.setdefault("D", 2 * d.between(1, 3) + d.pick(0, 1))
    d.params["rotary_dim"] = 2 * d.between(1, d.sizes["D"] // 2)
    d.put_positions("positions", floor(center - far) + 1, floor(center + far))


def _decay_rate(gamma: float) -> float:
    """Return the largest decay of a pair over one `scale_base`: -log of gamma / (1 + gamma)."""
    return log((1 + gamma) / gamma)


def _scaling_of(kind: str) -> Rule:
    """Return the rule of one operation of `rope_scaling`."""

    def rule(d: Draft) -> None:
        pairs = d.between(2 if kind in _scalings.WIDE else 1, 4)
        base = _scalings.base_of(d, kind)
        found = _scalings.keys(d, kind, base, pairs)
        if kind == "linear":
            _ladder(d)
        else:
            found |= {"base": base, "head_dim" if kind == "proportional" else "rotary_dim": 2 * pairs}
        if kind in _scalings.OF_LENGTH:
            found["seq_len"] = _scalings.length(d, kind, found)
        for name in ("short_factor", "long_factor"):
            if name in found:
                factors = found.pop(name)
                dtype = d.pick("float64", "float32") if d.library.wide else "float32"
                d.tensors[name] = np.array(factors, dtype=dtype).astype(np.float64), dtype
        d.params |= found

    return rule


RULES: Final[dict[str, Rule]] = {
    "axial_rope.cos_sin": _axes,
    "mrope.axis_of_channel": _sections,
    "mrope.cos_sin": _of_axes,
    "rope.apply": _scaled,
    "rope.apply_qk": _scaled,
    "rope.apply_vjp": _scaled,
    "rope.cos_sin": _ladder,
    "rope.permute": _pairs,
    "rope.permute_weight": _weight,
    "rope.rerotate": _rerotate,
    "rope.rotate": _tables,
    "rope.rotate_vjp": _tables,
    "rope.score": _scaled,
    "rope.table_slice": _stored,
    **{f"rope_scaling.{kind}": _scaling_of(kind) for kind in _scalings.KINDS},
    "rope_scaling.resolve": _scalings.config,
    "xpos.apply": _decay,
    "xpos.scale": _decay,
}
