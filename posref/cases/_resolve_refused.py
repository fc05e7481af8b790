"""Configurations that ``rope_scaling.resolve`` refuses."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from posref.cases._build import Baseline
from posref.operation import Group

HEADS: Final = {"hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 8192}
CALL: Final = {"config": HEADS, "seq_len": None, "layer_type": None, "layer_index": None}
BASE: Final = Baseline("rope_scaling.resolve", {}, CALL)
LLAMA3: Final = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 4096}
YARN: Final = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
LISTS: Final = {"type": "longrope", "factor": 4.0, "original_max_position_embeddings": 4096}


def refused() -> Iterator[Group]:
    """Yield the refusals."""
    yield from _objects()
    yield from _values()
    yield from _widths()
    yield from _layers()


def _config(name: str, clause: str, comment: str, change: Mapping[str, Any], **rest: Any) -> Group:
    refusal = ("INVALID_PARAMETER", "config")
    config = {key: value for key, value in {**HEADS, **change}.items() if value != "left out"}
    return BASE.refuse(name, refusal, f"rope_scaling.{clause}", comment, config=config, **rest)


def _rope(name: str, clause: str, comment: str, rope: Any, **rest: Any) -> Group:
    return _config(name, clause, comment, {"rope_scaling": rope}, **rest)


def _objects() -> Iterator[Group]:
    wrong = ("INVALID_PARAMETER", "config")
    yield BASE.refuse("text", wrong, "rope_scaling.C12", "A path is no configuration.", config="config.json")
    missing = ("MISSING_PARAMETER", "config")
    yield BASE.refuse("no-config", missing, "conventions.C6", "Left out.", without=("config",))
    yield _rope("rope-text", "C12", "A word is no rope object.", "linear")
    yield _rope("unknown-type", "C12", "A type of another engine.", {"type": "ntk", "factor": 2.0})
    yield _rope("type-number", "C12", "A type is a name.", {"type": 2, "factor": 2.0})
    yield _rope("type-list", "C12", "A list of types.", {"type": ["linear"], "factor": 2.0})
    text = "Two types that disagree."
    yield _rope(
        "two-types", "C12", text, {"rope_type": "linear", "type": "dynamic", "factor": 2.0}, seq_len=9
    )
    text = "A key that changes the base in the model that has it: not passed over."
    yield _rope("alpha", "C17", text, {"type": "dynamic", "factor": 2.0, "alpha": 1000.0}, seq_len=9)
    text = "A key of another type: what is meant?"
    yield _rope("other-type-key", "C12", text, {"type": "linear", "factor": 2.0, "beta_fast": 32})
    text = "Parameters without a type."
    yield _rope("no-type", "C12", text, {"factor": 2.0})
    text = "A mistyped key."
    yield _rope("mistyped", "C12", text, {**YARN, "beta_faster": 32})
    text = "A base for some layers, under a name that this version does not read."
    yield _config("unknown-outside", "C17", text, {"compress_rope_theta": 160000})


def _values() -> Iterator[Group]:
    yield _rope("no-factor", "C15", "No factor.", {"type": "linear"})
    yield _rope(
        "factor-below-1", "C12", "A value that the operation refuses.", {"type": "linear", "factor": 0.5}
    )
    yield _rope("factor-text", "C12", "A factor is a number.", {"type": "linear", "factor": "2"})
    text = "Edges that meet, as one published configuration has them."
    yield _rope("edges", "C12", text, {**LLAMA3, "low_freq_factor": 1.0, "high_freq_factor": 1.0})
    yield _rope("betas", "C12", "Betas exchanged.", {**YARN, "beta_fast": 1, "beta_slow": 32})
    text = "A word where a boolean is meant."
    yield _rope("truncate", "C12", text, {**YARN, "truncate": "false"})
    text = "No trained length anywhere."
    yield _rope("no-length", "C15", text, {"type": "yarn", "factor": 4.0})
    text = "One factor a coordinate instead of one a pair."
    lists = {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8}
    yield _rope("lists", "C12", text, {**LISTS, **lists}, seq_len=9)
    yield _rope("one-list", "C12", "One list only.", {**LISTS, "short_factor": [1.0] * 4}, seq_len=9)
    yield _config("base-1", "C12", "All frequencies would be 1.", {"rope_theta": 1.0})
    yield _config("base-text", "C12", "A base is a number.", {"rope_theta": "10000"})
    missing = ("MISSING_PARAMETER", "seq_len")
    config = {**HEADS, "rope_scaling": {"type": "dynamic", "factor": 2.0}}
    text = "Null is not given: no length is guessed."
    yield BASE.refuse("dynamic-without-length", missing, "rope_scaling.C4", text, config=config)
    wrong = ("INVALID_PARAMETER", "seq_len")
    yield BASE.refuse("zero-length", wrong, "rope_scaling.C1", "A length of no token.", seq_len=0)


def _widths() -> Iterator[Group]:
    yield _config("no-width", "C13", "Heads of no width.", {"hidden_size": "left out"})
    yield _config("uneven", "C13", "A hidden size that the heads do not divide.", {"hidden_size": 30})
    yield _config("boolean-width", "C13", "A boolean is no width.", {"head_dim": True})
    yield _config("boolean-heads", "C13", "Nor a number of heads.", {"num_attention_heads": True})
    yield _config("heads-0", "C13", "No head.", {"num_attention_heads": 0})
    yield _config("nothing", "C13", "A share of no coordinate.", {"head_dim": 4, "rotary_pct": 0.2})
    yield _config("odd-width", "C13", "Three of twelve coordinates.", {"head_dim": 12, "rotary_pct": 0.25})
    yield _config("no-part", "C13", "A share that leaves nothing.", {"head_dim": 4, "rotary_pct": 0.25})
    yield _config("share-above-1", "C13", "More than the head has.", {"partial_rotary_factor": 1.5})
    text = "A width and a share that gives another."
    yield _config("two-widths", "C13", text, {"rotary_dim": 8, "partial_rotary_factor": 0.5})


def _layers() -> Iterator[Group]:
    nested = {"full_attention": {"rope_type": "default"}, "sliding_attention": {"rope_type": "default"}}
    config = {**HEADS, "rope_parameters": nested}
    missing, wrong = (("MISSING_PARAMETER", "layer_type"), ("INVALID_PARAMETER", "layer_type"))
    yield BASE.refuse("no-layer-type", missing, "rope_scaling.C12", "Which one?", config=config)
    text = "A layer type that the configuration has not."
    yield BASE.refuse(
        "unknown-layer-type", wrong, "rope_scaling.C12", text, config=config, layer_type="chunked"
    )
    older = {**HEADS, "rope_local_base_freq": 10000.0}
    yield BASE.refuse("no-layer-type-older", missing, "rope_scaling.C14", "Which base?", config=older)
    yield BASE.refuse(
        "unknown-layer-type-older", wrong, "rope_scaling.C14", text, config=older, layer_type="local"
    )
    text = "A layer type is a name."
    yield BASE.refuse("layer-type-number", wrong, "conventions.C6", text, config=config, layer_type=1)
    beyond = ("OUT_OF_RANGE", "layer_index")
    listed = {**HEADS, "no_rope_layers": [1, 0]}
    yield BASE.refuse("layer-beyond", beyond, "rope_scaling.C14", "Two layers.", config=listed, layer_index=2)
    negative = ("INVALID_PARAMETER", "layer_index")
    yield BASE.refuse(
        "negative-layer", negative, "rope_scaling.C14", "Counted from 0.", config=listed, layer_index=-1
    )
    yield _config("layers-text", "C14", "A list of 0 and 1.", {"no_rope_layers": "all"}, layer_index=0)
    yield _config("layers-number", "C14", "A number of layers.", {"no_rope_layers": 3}, layer_index=0)
    yield _config(
        "layers-indices", "C14", "Indices where 0 and 1 are meant.", {"no_rope_layers": [3, 7]}, layer_index=0
    )
    yield _config(
        "interval-0", "C14", "An interval of no layer.", {"no_rope_layer_interval": 0}, layer_index=0
    )
