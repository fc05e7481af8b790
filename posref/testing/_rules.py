"""What joins two arguments of an operation that does not rotate, drawn together."""

from math import prod
from typing import Any, Final

import numpy as np

from posref.testing._draft import Draft
from posref.testing._numbers import LARGEST, st, values, whole
from posref.testing._rules_rotary import RULES as ROTARY
from posref.testing._rules_rotary import Rule


def _share(d: Draft) -> None:
    heads = d.whole("num_heads", 1, 2, 3, 4, 5, 8, 12)
    start = d.whole("head_start", *range(min(3, heads)))
    d.params["head_count"] = d.pick(None, 1, heads - start)


def _penalties(d: Draft) -> None:
    """Draw positions at which no bias overflows."""
    d.put_table("slopes", values("float32", 4.0), (d.size("H"),))
    most = 2**12 if d.dtype == "float16" else LARGEST
    for name in ("q_positions", "k_positions"):
        d.put_positions(name, -most, most)


def _attention(d: Draft) -> None:
    """Draw a mask and a bias that leave one key to every query."""
    tokens = (d.size("Q"), d.size("K"))
    if tokens[1] == 0:
        d.sizes["K"] = d.pick(1, 2) if tokens[0] else 0
    key = d.between(0, max(0, d.sizes["K"] - 1))
    for name, strategy, dtype in (
        ("bias", values(d.dtype, 4.0) | st.just(-np.inf), d.dtype),
        ("mask", st.booleans(), "bool"),
    ):
        field = next(one for one in d.entry.inputs if one.name == name)
        shape = d.shape(field)
        if d.pick(False, True) and prod(shape):
            array = np.array(d.list_of(strategy, shape)).reshape(shape)
            array[..., key if shape[-1] > 1 else 0] = 0 if name == "bias" else 1
            d.tensors[name] = array, dtype
        else:
            d.tensors[name] = None


def _pick_rows(d: Draft) -> None:
    shape = d.size("Q"), d.size("K")
    rows = np.array(d.list_of(st.integers(0, d.size("N") - 1), shape), dtype=np.int64)
    d.put_integers("index", rows.reshape(shape))


def _lookup(d: Draft) -> None:
    offset = d.whole("offset", 0, 2, 1)
    d.sizes["N"] = offset + d.pick(1, 2, 3, 5)
    d.put_positions("positions", 0, d.sizes["N"] - offset - 1)


def _media(d: Draft) -> None:
    """Draw runs of text between images and videos, which may stand side by side."""
    merge = d.whole("spatial_merge_size", 1, 2)
    types: list[int] = [0] * d.between(0, 2)
    grids, intervals = [], []
    for _ in range(d.between(0, 3)):
        kind = d.pick(1, 2)
        frames, rows, columns = d.pick(1, 2, 3) if kind == 2 else 1, d.pick(1, 2), d.pick(1, 2)
        types += [kind] * (frames * rows * columns) + [0] * d.pick(0, 1, 2)
        grids.append([frames, rows * merge, columns * merge])
        intervals += [[d.pick(1, 2, 25), d.pick(1, 2, 3)]] if kind == 2 else []
    d.put_integers("token_types", types)
    d.put_integers("grids", np.array(grids, dtype=np.int64).reshape(-1, 3))
    d.put_integers("temporal_interval", np.array(intervals, dtype=np.int64).reshape(-1, 2))


def _padding(d: Draft) -> None:
    rule = d.choose("rule")
    shape = d.size("B"), d.size("T")
    d.put_integers("attention_mask", np.array(d.list_of(st.integers(0, 1), shape)).reshape(shape))
    d.params["pad_value"] = d.pick(0, 1, -1, -LARGEST) if rule == "cumsum" else None
    d.params["padding_idx"] = d.pick(1, 0, 7, LARGEST - 8) if rule == "roberta" else None


def _documents(d: Draft) -> None:
    lengths = d.draw(st.lists(st.sampled_from((1, 0, 2, 5)), max_size=4))
    d.put_integers("cu_seqlens", np.cumsum([0, *lengths]))


def _ranks(d: Draft) -> None:
    ranks = d.whole("world_size", 1, 2, 3)
    d.whole("rank", *range(ranks))
    d.sizes["T"] = ranks * (2 if d.choose("scheme") == "zigzag" else 1) * d.pick(1, 0, 2)


def _width(d: Draft) -> None:
    """Draw a width that leaves two frequencies where the exponent needs them."""
    dim, ladder = d.pick(2, 3, 4, 5, 6, 7, 8), d.choose("denominator")
    odd = d.choose("odd") if any(one.name == "odd" for one in d.entry.parameters) else "error"
    dim += dim % 2 if odd == "error" else 0
    pairs = (dim + 1) // 2 if odd == "extra_sine" else dim // 2
    d.params["dim"] = dim + 2 if ladder == "count_minus_1" and pairs < 2 else dim


def _grid_width(d: Draft) -> None:
    d.params["dim"] = d.pick(8, 12) if d.choose("denominator") == "count_minus_1" else d.pick(4, 8, 12)


def _step_width(d: Draft) -> None:
    dim = d.pick(2, 3, 4, 5, 6, 8)
    dim += dim % 2 if d.choose("odd") == "error" else 0
    d.params["dim"] = dim
    d.real("freq_shift", 0.0, dim // 2 - 1.0, -0.5, dim / 4)
    most = 1000.0 if d.dtype != "bfloat16" else 1024.0
    d.put_main("timesteps", (d.size("T"),), d.pick(1024.0, 16.0, most))


def _windows(d: Draft) -> None:
    window = d.params["window"] = [d.between(1, 3), d.between(1, 3)]
    trained = [d.between(1 if size == 1 else 2, 4) for size in window]
    d.params["pretrained_window"] = d.pick(None, trained)


def _bucket_limits(d: Draft) -> tuple[int, int]:
    """Draw bucket numbers of T5; return the first inexact distance and the last."""
    both = d.choose("bidirectional")
    side = d.pick(2, 3, 4, 16)
    d.params["num_buckets"] = 2 * side if both else side
    first = side // 2
    most = d.pick(first + 1, first + 5, max(128, 2 * first), LARGEST)
    d.params["max_distance"] = most
    return first, most


def _near(d: Draft, name: str, edges: list[int], most: int = 2 * LARGEST) -> None:
    """Draw relative positions, many of them beside an edge."""
    largest = most if d.library.wide else min(most, d.farthest)
    beside = {s * (n + k) for n in edges for k in (-1, 0, 1) for s in (1, -1)}
    usual = sorted((n for n in beside if abs(n) <= largest), key=lambda n: (abs(n), n < 0))
    shape = (*d.lead, *d.pick((), (d.pick(1, 3, 4),)))
    drawn = d.list_of(st.sampled_from(usual) | whole(-largest, largest), shape)
    d.put_integers(name, np.array(drawn, dtype=np.int64).reshape(shape))


def _t5_bucket(d: Draft) -> None:
    _near(d, "relative_position", [0, *_bucket_limits(d)])


def _t5_bias(d: Draft) -> None:
    first, most = _bucket_limits(d)
    d.sizes["N"] = d.params["num_buckets"]
    near = d.pick(first + 1, min(2 * most, d.farthest))
    for name in ("q_positions", "k_positions"):
        d.put_positions(name, -near, near)


def _signed_bucket(d: Draft) -> None:
    middle = d.pick(2, 1, 4, 16)
    limit = d.pick(middle + 2, middle + 6, 4 * middle + 2, LARGEST)
    d.params |= {"position_buckets": 2 * middle, "max_relative_positions": limit}
    most = 2 * LARGEST if middle < 16 else 16 * limit  # narrow buckets that go on are many
    _near(d, "relative_position", [0, middle, limit - 1], min(most, 2 * LARGEST))


def _since_start(d: Draft) -> None:
    steps = d.whole("floor_scale", 1, 2, 7, 8192)
    least = -1 if d.choose("plus_one") else 0
    most = d.pick(2 * steps + 1, LARGEST)
    d.put_positions("positions", least, most)


def _distances(d: Draft) -> None:
    """Draw positions, and a row for each distance between them and for some others, in any order."""
    near = d.pick(4, d.farthest // 2)
    start = d.draw(whole(-near, near))
    places: dict[str, Any] = {}
    for name, letter in (("q_positions", "Q"), ("k_positions", "K")):
        offsets = d.integers((d.size(letter),), -3, 3)
        places[name] = d.put_integers(name, start + offsets)
    needed = {int(n) for n in np.subtract.outer(*places.values()).flat}
    rows = sorted(needed | set(d.list_of(st.integers(-9, 9), (d.pick(1, 2),))))
    rows = d.draw(st.permutations(rows))
    d.sizes["N"] = len(rows)
    d.put_integers("distances", rows)


RULES: Final[dict[str, Rule]] = ROTARY | {
    "alibi.bias": _penalties,
    "alibi.slopes": _share,
    "attention.output": _attention,
    "deberta.bucket": _signed_bucket,
    "deberta.scores": _pick_rows,
    "learned.lookup": _lookup,
    "learned.resize": lambda d: d.params.update(length=d.pick(1, 2, 3, 7)),
    "mrope.position_ids": _media,
    "positions.from_lengths": _documents,
    "positions.from_mask": _padding,
    "positions.shard": _ranks,
    "shaw.output": _pick_rows,
    "shaw.scores": _pick_rows,
    "sincos2d.encode": _grid_width,
    "sinusoidal.encode": _width,
    "sinusoidal.inv_freq": _width,
    "sinusoidal.shift_matrix": _width,
    "swin.log_coords": _windows,
    "t5.bias": _t5_bias,
    "t5.bucket": _t5_bucket,
    "temperature.scale": _since_start,
    "timestep.encode": _step_width,
    "transformer_xl.scores": _distances,
}
"""By operation; the others are as free as the registry says."""
