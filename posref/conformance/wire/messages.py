"""The records of the conversation, the same on both wires (wire-protocol.C2 to C7)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.corpus.bits import DIGITS

Array = NDArray[Any]

PROTOCOL: Final = 1
AXES: Final = ("bhsd", "bshd", "thd")
INTEGERS: Final = {
    "int64": (-(2**63), 2**63 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint8": (0, 255),
    "bool": (0, 1),
}
"""Dtypes that an integer output may have, with the range of each."""

REPLY_DTYPES: Final = (*DIGITS, *INTEGERS)


@dataclass(frozen=True)
class Block:
    """A tensor on its way: its dtype and its exact values, as float64, int64 or bool."""

    dtype: str
    values: Array


@dataclass(frozen=True)
class Start:
    """The first request: who are you."""

    posref: str
    corpus: str


@dataclass(frozen=True)
class Run:
    """One call, with all its parameters."""

    test: str
    operation: str
    params: Mapping[str, Any]
    dtype: str
    inputs: Mapping[str, Block]
    want: Mapping[str, str]


@dataclass(frozen=True)
class Open:
    """Make an object with these parameters and keep it."""

    object: str
    operation: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One call of an object."""

    test: str
    object: str
    dtype: str
    inputs: Mapping[str, Block]
    want: Mapping[str, str]
    seq_len: int | None = None


@dataclass(frozen=True)
class Close:
    """Forget an object."""

    object: str


@dataclass(frozen=True)
class Stop:
    """End; the one request without a reply."""


Request = Start | Run | Open | Step | Close | Stop


@dataclass(frozen=True)
class Facts:
    """The reply to `Start`."""

    name: str
    language: str
    version: str
    operations: tuple[str, ...]
    dtypes: tuple[str, ...]
    claims: Mapping[str, str] = field(default_factory=dict)
    axes: str = "bhsd"
    sessions: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    flush_subnormals: bool = False


@dataclass(frozen=True)
class Outputs:
    """The outputs of a call by name."""

    tensors: Mapping[str, Block]


@dataclass(frozen=True)
class Refusal:
    """What was asked is refused: an error class, the parameter at fault, perhaps more."""

    kind: str
    parameter: str
    message: str = ""


@dataclass(frozen=True)
class Skip:
    """There is no way to be asked for this."""

    reason: str


@dataclass(frozen=True)
class Done:
    """An object was opened, or closed."""


Reply = Facts | Outputs | Refusal | Skip | Done


def array(dtype: str, shape: tuple[int, ...], data: tuple[Any, ...]) -> Array:
    """Return the values of a tensor as float64, int64 or bool."""
    kind = np.float64 if dtype in DIGITS else np.bool_ if dtype == "bool" else np.int64
    return np.array(data, dtype=kind).reshape(shape)
