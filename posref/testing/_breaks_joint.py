"""Rules that join two arguments, broken: by operation, each a name and a change of a drawn legal call."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from posref.testing._draft import Draft

Break = tuple[str, Callable[[Draft], Any]]
Breaks = Callable[[Draft], Iterator[Break]]


def put(**params: Any) -> Break:
    """Return the break that sets parameters."""
    return ", ".join(f"{name} = {value!r}" for name, value in params.items()), lambda d: d.params.update(
        params
    )


def element(d: Draft, name: str, value: float) -> Iterator[Break]:
    """Yield the break that puts `value` first in an input that has elements."""
    tensor = d.tensors[name]
    if tensor is not None and tensor[0].size:
        changed = tensor[0].copy()
        changed.flat[0] = value
        yield f"{name} holds {value}", lambda d: d.tensors.update({name: (changed, tensor[1])})


def _share(d: Draft) -> Iterator[Break]:
    heads, start = d.params["num_heads"], d.params["head_start"]
    yield put(head_start=heads)
    yield put(head_count=heads - start + 1)


def _no_key(d: Draft) -> Iterator[Break]:
    if d.size("Q"):
        mask = np.zeros((1, 1), dtype=bool)
        yield "every key is masked", lambda d: d.tensors.update(mask=(mask, "bool"))


def _axis_widths(d: Draft) -> Iterator[Break]:
    yield put(axis_dims=[*d.params["axis_dims"], 2])
    if d.size("A") == 2:
        yield put(axis_dims=[2, 4], frequencies="shared_even_odd")


def _index(d: Draft) -> Iterator[Break]:
    yield from element(d, "index", d.size("N"))
    yield from element(d, "index", -1)


def _rows(d: Draft) -> Iterator[Break]:
    yield from element(d, "positions", -1)
    yield from element(d, "positions", d.size("N") - d.params["offset"])


def _sections(d: Draft) -> Iterator[Break]:
    yield put(mrope_section=[0, 0, 0])
    yield put(mrope_section=[1, 1, 2], arrangement="hw_then_t")


def _channel_axis(d: Draft) -> Iterator[Break]:
    yield from element(d, "axis_of_channel", d.size("A"))
    yield from element(d, "axis_of_channel", -1)


def _media(d: Draft) -> Iterator[Break]:
    yield from element(d, "token_types", 3)
    yield from element(d, "grids", 0)
    yield from element(d, "temporal_interval", 0)
    for name, row in (("grids", [1, 2, 2]), ("temporal_interval", [1, 1])):
        tensor = d.tensors[name]
        if tensor is not None:
            yield f"{name} has a row too many", _joined(name, np.concatenate((tensor[0], [row])))


def _joined(name: str, longer: np.ndarray) -> Callable[[Draft], None]:
    return lambda d: d.tensors.update({name: (longer, "int64")})


def _padding(d: Draft) -> Iterator[Break]:
    yield from element(d, "attention_mask", 2)
    rule = d.params["rule"]
    yield put(pad_value=None if rule == "cumsum" else 0)
    yield put(padding_idx=None if rule == "roberta" else 0)


def _documents(d: Draft) -> Iterator[Break]:
    yield from element(d, "cu_seqlens", 1)
    yield "cu_seqlens decreases", lambda d: d.tensors.update(cu_seqlens=(np.array([0, 3, 2]), "int64"))


def _ranks(d: Draft) -> Iterator[Break]:
    yield put(rank=d.params["world_size"])
    yield put(rank=0, world_size=d.size("T") + 1 if d.size("T") else -1)


def _slice(d: Draft) -> Iterator[Break]:
    width, start = d.size("D"), d.params.get("rotary_start", 0)
    yield put(rotary_dim=width - start + 2 + (width - start) % 2)


def _table_slice(d: Draft) -> Iterator[Break]:
    tensor = d.tensors["cos"]
    if tensor is not None:
        yield put(rotary_start=d.size("D") - 2 * tensor[0].shape[-1] + 1)


def _scaled(d: Draft) -> Iterator[Break]:
    yield from _slice(d)
    scaling = d.params["scaling"]
    if scaling is None:
        return
    for key in set(scaling) - {"rope_type", "attention_factor"}:
        if scaling[key] is not None:
            less = {name: value for name, value in scaling.items() if name != key}
            yield put(scaling=less)
    yield put(scaling=scaling | {"factor": -1.0})
    yield put(scaling=scaling | {"unknown": 1.0})
    if scaling["rope_type"] in ("dynamic", "longrope"):
        yield put(seq_len=None)


def _rerotated(d: Draft) -> Iterator[Break]:
    yield from _scaled(d)
    scaling = d.params["scaling"]
    if scaling is not None and scaling["rope_type"] in ("dynamic", "longrope"):
        yield put(seq_len=scaling["original_max_position_embeddings"] + 1)


def _stored(d: Draft) -> Iterator[Break]:
    yield put(offset=-1)
    yield put(length=-1)
    yield put(length=d.size("N") - d.params["offset"] + 1)


def _weight(d: Draft) -> Iterator[Break]:
    rows, heads = d.size("N"), d.params["num_heads"]
    yield put(num_heads=rows + 1)
    yield put(rotary_dim=rows // heads + 2 - rows // heads % 2)


def _no_pair(d: Draft) -> Iterator[Break]:
    yield put(rotary_dim=2)


def _dynamic(d: Draft) -> Iterator[Break]:
    yield put(rotary_dim=2)
    yield put(seq_len=None)


def _yarn(d: Draft) -> Iterator[Break]:
    yield put(beta_slow=d.params["beta_fast"])
    yield put(beta_slow=0.0)
    yield put(truncate=None if d.params["ramp"] == "index" else True)
    yield put(attention_factor=None, mscale_rule=None, mscale=None, mscale_all_dim=None)
    yield put(attention_factor=1.0, mscale_rule="hf")
    yield put(attention_factor=None, mscale_rule="ratio", mscale=1.0, mscale_all_dim=None)


def _bands(d: Draft) -> Iterator[Break]:
    yield put(high_freq_factor=d.params["low_freq_factor"])
    yield put(low_freq_factor=0.0)


def _lists(d: Draft) -> Iterator[Break]:
    yield put(seq_len=None)
    yield put(rotary_dim=d.params["rotary_dim"] + 2)
    yield from element(d, "short_factor", 0.0)
    yield from element(d, "long_factor", -1.0)


def _config(d: Draft) -> Iterator[Break]:
    config = d.params["config"]
    yield put(config=config | {"rope_other": 1.0})
    yield put(config=config | {"rope_scaling": {"type": "other"}, "rope_parameters": None})
    yield put(config=config | {"head_dim": 3, "no_rope_layers": None, "no_rope_layer_interval": None})
    yield put(config=config | {"no_rope_layers": [2]})
    if "no_rope_layers" in config:
        yield put(layer_index=len(config["no_rope_layers"]))


def _no_frequency(d: Draft) -> Iterator[Break]:
    yield put(dim=2, denominator="count_minus_1")


def _odd_width(d: Draft) -> Iterator[Break]:
    yield put(dim=5, odd="error")
    if d.entry.scheme == "sinusoidal":
        yield from _no_frequency(d)
    else:
        yield put(freq_shift=float(d.params["dim"] // 2))


def _one_frequency(d: Draft) -> Iterator[Break]:
    yield put(dim=4, denominator="count_minus_1")


def _trained_window(d: Draft) -> Iterator[Break]:
    yield put(window=[2, 1], pretrained_window=[1, 1])


def _buckets(d: Draft) -> Iterator[Break]:
    side = d.params["num_buckets"] // (2 if d.params["bidirectional"] else 1)
    if side >= 2 and side // 2 >= 1:
        yield put(max_distance=side // 2)
    yield put(num_buckets=d.params["num_buckets"] // 2 * 2 + 1, bidirectional=True)
    yield put(num_buckets=2, bidirectional=True)


def _bucket_rows(d: Draft) -> Iterator[Break]:
    yield from _buckets(d)
    yield put(num_buckets=d.params["num_buckets"] + 2, max_distance=2**20)


def _signed(d: Draft) -> Iterator[Break]:
    yield put(max_relative_positions=d.params["position_buckets"] // 2 + 1)


def _before_start(d: Draft) -> Iterator[Break]:
    yield from element(d, "positions", -2 if d.params["plus_one"] else -1)


def _distances(d: Draft) -> Iterator[Break]:
    tensor = d.tensors["distances"]
    if tensor is None:
        return
    if d.size("Q") and d.size("K"):
        far = tensor[0] + 100 * (1 + np.ptp(tensor[0]))
        if np.abs(far).max() < 2**31:
            yield "distances has no row for one", lambda d: d.tensors.update(distances=(far, "int64"))
    if tensor[0].size > 1:
        yield from element(d, "distances", int(tensor[0][1]))


def _far(d: Draft) -> Iterator[Break]:
    """Yield a center so far away that a scale leaves the normal range."""
    if 0 not in _shape(d, "positions"):
        yield put(center=1e9, scale_base=1.0, gamma=0.5)
    if "D" in d.sizes and d.entry.main:
        yield from _slice(d)


def _shape(d: Draft, name: str) -> tuple[int, ...]:
    tensor = d.tensors[name]
    return () if tensor is None else tensor[0].shape


JOINT: Final[dict[str, Breaks]] = {
    "alibi.slopes": _share,
    "attention.output": _no_key,
    "axial_rope.cos_sin": _axis_widths,
    "deberta.bucket": _signed,
    "deberta.scores": _index,
    "learned.lookup": _rows,
    "mrope.axis_of_channel": _sections,
    "mrope.cos_sin": _channel_axis,
    "mrope.position_ids": _media,
    "positions.from_lengths": _documents,
    "positions.from_mask": _padding,
    "positions.shard": _ranks,
    "rope.apply": _scaled,
    "rope.apply_qk": _scaled,
    "rope.apply_vjp": _scaled,
    "rope.permute": _slice,
    "rope.permute_weight": _weight,
    "rope.rerotate": _rerotated,
    "rope.rotate": _table_slice,
    "rope.rotate_vjp": _table_slice,
    "rope.score": _scaled,
    "rope.table_slice": _stored,
    "rope_scaling.dynamic": _dynamic,
    "rope_scaling.llama3": _bands,
    "rope_scaling.longrope": _lists,
    "rope_scaling.ntk": _no_pair,
    "rope_scaling.resolve": _config,
    "rope_scaling.yarn": _yarn,
    "shaw.output": _index,
    "shaw.scores": _index,
    "sincos2d.encode": _one_frequency,
    "sinusoidal.encode": _odd_width,
    "sinusoidal.inv_freq": _no_frequency,
    "sinusoidal.shift_matrix": _no_frequency,
    "swin.log_coords": _trained_window,
    "t5.bias": _bucket_rows,
    "t5.bucket": _buckets,
    "temperature.scale": _before_start,
    "timestep.encode": _odd_width,
    "transformer_xl.scores": _distances,
    "xpos.apply": _far,
    "xpos.scale": _far,
}
