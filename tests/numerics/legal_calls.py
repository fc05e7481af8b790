"""Legal arguments of every operation, made from the registry: tensors by role, parameters by type.

What no rule of the registry can say, because it joins two arguments, stands in `TOGETHER`.
"""

import math
from typing import Any, Final

import numpy as np

from posref.operation import Input, Parameter, Signature, find, signature, signatures

NAMES: Final = tuple(signatures())
SIZES: Final = {
    "T": 3, "Q": 2, "K": 3, "D": 4, "E": 5, "h": 2, "H": 2, "A": 2, "F": 3, "N": 8, "V": 1, "B": 2, "d": 4,
}  # fmt: skip
USUAL: Final[dict[str, Any]] = {"rotary_dim": 4, "dim": 4, "head_dim": 4}
"""Widths that fit the sizes."""

TOGETHER: Final[dict[str, dict[str, Any]]] = {
    "deberta.bucket": {"position_buckets": 8, "max_relative_positions": 20},
    "mrope.position_ids": {
        "token_types": np.array([0, 1, 2]),
        "grids": np.array([[1, 3, 3], [1, 3, 3]]),
        "temporal_interval": np.array([[1, 1]]),
    },
    "positions.from_lengths": {"cu_seqlens": np.array([0, 2, 5])},
    "positions.shard": {"rank": 1},
    "rope.permute_weight": {"num_heads": 2},
    "rope.table_slice": {"offset": 1, "length": 3},
    "rope_scaling.dynamic": {"seq_len": 5},
    "rope_scaling.llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "rope_scaling.longrope": {"seq_len": 5},
    "rope_scaling.proportional": {"partial_rotary_factor": 0.5},
    "rope_scaling.resolve": {"config": {"rope_theta": 10000.0, "head_dim": 4}},
    "rope_scaling.yarn": {
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "truncate": True,
        "extrapolation_factor": 1.0,
        "mscale_rule": "none",
    },
    "t5.bias": {"num_buckets": 8, "max_distance": 20},
    "t5.bucket": {"num_buckets": 8, "max_distance": 20},
    "timestep.encode": {"freq_shift": 0.0},
    "transformer_xl.scores": {"distances": np.arange(5, -3, -1)},
    "xpos.apply": {"gamma": 0.5, "scale_base": 512.0, "center": 0.0},
    "xpos.scale": {"gamma": 0.5, "scale_base": 512.0, "center": 0.0},
}
"""Arguments that must fit others."""

NEEDED: Final = {
    ("rope_scaling.dynamic", "seq_len"),
    ("rope_scaling.longrope", "seq_len"),
    ("rope_scaling.yarn", "truncate"),
    ("rope_scaling.yarn", "mscale_rule"),
}
"""Parameters that may be null, though not beside the others made here."""

BOUNDED: Final = {
    "learned.lookup": "positions",
    "temperature.scale": "positions",
    "transformer_xl.scores": "distances",
    "xpos.apply": "positions",
    "xpos.scale": "positions",
}
"""Operations that refuse some legal positions, and the input they then name."""


def letters(field: Input) -> list[str]:
    """Return the named axes of an input."""
    return field.shape.replace("...", "").split()


def valid_input(name: str, field: Input) -> np.ndarray:
    """Return a legal tensor for one input of an operation."""
    if field.name in TOGETHER.get(name, {}):
        return np.array(TOGETHER[name][field.name])
    shape = tuple(int(letter) if letter.isdecimal() else SIZES[letter] for letter in letters(field))
    count = math.prod(shape)
    if field.role == "positions":
        return np.arange(1, count + 1).reshape(shape)
    if field.role == "index":
        return np.arange(count).reshape(shape) % 2
    if field.role == "mask":
        return np.ones(shape, dtype=bool)
    return np.linspace(0.25, 1.0, count).reshape(shape)


def valid_parameter(name: str, field: Parameter) -> Any:
    """Return a legal value for one parameter of an operation."""
    if field.name in TOGETHER.get(name, {}):
        return TOGETHER[name][field.name]
    if field.name in USUAL:
        return USUAL[field.name]
    if not field.required:
        return field.default
    if field.nullable:
        return None
    if field.type == "choices":
        return list(field.values)
    if field.type == "integers":
        return [4] * (field.count or SIZES["A"])
    return {"integer": 3, "real": 8.0, "boolean": True, "choice": (*field.values, None)[0]}[field.type]


def valid(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return legal inputs and parameters of an operation."""
    entry: Signature = signature(name)
    inputs = {field.name: valid_input(name, field) for field in entry.inputs}
    return inputs, {field.name: valid_parameter(name, field) for field in entry.parameters}


def call(name: str, inputs: dict[str, Any], params: dict[str, Any]) -> Any:
    """Call the reference."""
    return find("reference", name)(*inputs.values(), **params)


def outputs(result: Any) -> list[np.ndarray]:
    """Return the outputs of a call as a list."""
    return [np.asarray(entry) for entry in (result if isinstance(result, tuple) else (result,))]
