"""Real frameworks as implementations under test: one thin file each, the only place that knows them.

An adapter module has one function, ``load() -> Implementation``. It calls the framework's own public
code, reshapes, and repairs nothing. Where the framework has no way to ask for a convention, the
callable raises `Unsupported` with the reason, and the judge counts a skip.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posref.operation import DTYPES


class Unsupported(Exception):
    """The implementation has no way to be asked for this; the message says why."""


class BrokenError(Exception):
    """What was asked ended, hung or said what nobody can read: no answer, and never a refusal."""


def write_numpy(values: np.ndarray, dtype: str) -> Any:
    """Return `values` (float64, int64 or bool, exact in `dtype`) as a NumPy array of `dtype`."""
    from posref.numerics.rounding import native

    return native(values, dtype)


def read_numpy(array: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of an array and its values, exact, as float64, int64 or bool.

    The array is one of NumPy, torch or JAX, or anything that NumPy reads as an array.
    """
    from posref.numerics.arrays import host
    from posref.numerics.rounding import exact

    return exact(host(array))


@dataclass(frozen=True)
class Implementation:
    """Something to judge: a callable per operation, and how its tensors are written and read.

    A callable gets the signature's inputs by position (None for an absent optional one) and the
    parameters by keyword; a generator (`Signature.generator`) also gets ``dtype``, a name.
    Several outputs come back as a tuple in the signature's order.

    In scenarios an object is made once and called several times. What an implementation makes of an
    operation stands in `sessions`: a callable that takes the parameters by keyword and returns the
    object, itself a callable that gets the inputs by position and by keyword only the parameters that
    a call overrides (``seq_len``), and ``dtype`` for a generator. An operation without one is called
    anew with all its parameters each time.

    `claims` says of a dtype how close it promises to be, `lacks` which capabilities that a group of
    vectors requires it has not, `flush_subnormals` whether what lies below the normal range of its
    dtype comes back as zero. `around` is entered around each test, with its identifier and dtype, and
    `life` around the whole run; both are for what is asked by messages.
    """

    name: str
    operations: Mapping[str, Callable[..., Any]]
    version: str = ""
    dtypes: tuple[str, ...] = DTYPES
    write: Callable[[np.ndarray, str], Any] = write_numpy
    read: Callable[[Any], tuple[str, np.ndarray]] = read_numpy
    remarks: Mapping[str, str] = field(default_factory=dict)
    sessions: Mapping[str, Callable[..., Callable[..., Any]]] = field(default_factory=dict)
    claims: Mapping[str, str] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    flush_subnormals: bool = False
    around: Callable[[str, str], AbstractContextManager[Any]] = lambda test, dtype: nullcontext()
    life: AbstractContextManager[Any] = field(default_factory=nullcontext)


def names() -> tuple[str, ...]:
    """Return the names of all adapters, installed framework or not."""
    found = (entry.name for entry in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load(name: str) -> Implementation:
    """Return the adapter `name`; an ImportError names the framework that is missing."""
    if name not in names():
        raise KeyError(f"no adapter {name!r}; there are {', '.join(names())}")
    module = importlib.import_module(f"posref.adapters.{name}")
    implementation: Implementation = module.load()
    return implementation
