"""Error models: what an honest implementation may lose, and the bound assembled from it.

A `Model` says in which precision each step is done. Each scheme module says, per element, how much
of each kind of loss an operation can collect (`Parts`). `bound` multiplies the two. Every formula is
derived in ``spec/precision.md``; clause numbers in this wing refer to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from posref import operation
from posref.bounds._size import DIGITS, LEAST, unit

Form = Literal["widest", "power", "expln", "iterated", "float64"]
SECOND_ORDER: Final = 1 + 2.0**-6


class Parts(NamedTuple):
    """Magnitudes per element, float64, broadcastable to the output (precision.C2).

    `angle` counts in u_a, `table` in kappa u_t + u_s, `arithmetic` in u_m. Where all three are zero
    the result is exact. `spread` is what a wrong answer can differ by; inf where there is no limit.
    """

    angle: np.ndarray
    table: np.ndarray
    arithmetic: np.ndarray
    spread: np.ndarray


@dataclass(frozen=True)
class Model:
    """The precision of each step of an implementation (precision.C3).

    `angle`, `trig`, `arithmetic` name the dtype of frequency and angle, of sine and cosine as
    computed, and of multiply-add; `stored` the dtype tables are rounded to once more, if at all.
    `kappa` is the error of sine and cosine in ulp of the real value, `k_p` that of pow, exp and log.
    `frequency` is the way a ladder is made. `dtypes` are the outputs the claim is meant for.
    `written` is the dtype of the output at hand; a rounding that only writes it is not counted twice.
    """

    angle: str
    trig: str
    arithmetic: str
    stored: str = ""
    kappa: float = 2.5
    k_p: float = 4.5
    frequency: Form = "widest"
    dtypes: tuple[str, ...] = operation.DTYPES[1:]
    written: str = ""

    @property
    def u_a(self) -> float:
        """Unit roundoff of frequency and angle."""
        return unit(self.angle)

    @property
    def u_t(self) -> float:
        """Unit roundoff of sine and cosine."""
        return unit(self.trig)

    @property
    def u_s(self) -> float:
        """Unit roundoff of the stored table; 0 where it is stored as computed."""
        return unit(self.stored) if self.stored else 0.0

    @property
    def u_m(self) -> float:
        """Unit roundoff of multiply-add."""
        return unit(self.arithmetic)

    @property
    def u_sum(self) -> float:
        """Unit roundoff of the accumulator of a sum: never narrower than float32 (precision.C9)."""
        return min(self.u_m, unit("float32"))

    @property
    def operand(self) -> str:
        """The dtype a table that is given as input is rounded to before it is used."""
        return self.stored if self.u_s > self.u_m else self.arithmetic

    @property
    def last(self) -> float:
        """1 where the last operation rounds besides the writing of the output, else 0."""
        return 0.0 if self.arithmetic == self.written else 1.0

    def table_unit(self) -> float:
        """Return kappa u_t + u_s, what `Parts.table` is multiplied by."""
        return self.kappa * self.u_t + self.u_s

    def stored_once(self) -> "Model":
        """Return the model for a table that is itself the output: storing it is writing it."""
        return replace(self, stored="") if self.stored == self.written else self


def _single(**changes: Any) -> Model:
    return replace(Model("float32", "float32", "float32"), **changes)


MODELS: Final[Mapping[str, Model]] = MappingProxyType(
    {
        "f64-angle": Model("float64", "float64", "float64", dtypes=operation.DTYPES),
        "f32-angle": _single(),
        "f32-angle-libm": _single(kappa=2.0, k_p=1.0),
        "f32-angle-f64freq": _single(frequency="float64"),
        "f32-angle-expln": _single(frequency="expln", k_p=2.5),
        "f32-angle-iterated": _single(frequency="iterated", k_p=1.0),
        "f32-angle-bf16cache": _single(stored="bfloat16"),
        "f32-angle-f16cache": _single(stored="float16"),
        "f32-angle-bf16": _single(stored="bfloat16", arithmetic="bfloat16", dtypes=("bfloat16",)),
        "f32-angle-f16": _single(stored="float16", arithmetic="float16", dtypes=("float16",)),
    }
)
"""The claims that are error models, by name."""

DEFAULT_CLAIM: Final[Mapping[str, str]] = MappingProxyType(
    {
        "float64": "f64-angle",
        "float32": "f32-angle",
        "bfloat16": "f32-angle-bf16",
        "float16": "f32-angle-f16",
        "int64": "exact",
        "bool": "exact",
    }
)
"""The claim an implementation is judged by when it makes none, by output dtype."""


def applies(claim: str, dtype: str) -> bool:
    """Return whether the model `claim` bounds outputs of `dtype`."""
    return dtype in MODELS[claim].dtypes


def bound(
    name: str,
    claim: str,
    inputs: Mapping[str, np.ndarray | None],
    params: Mapping[str, Any],
    real: Mapping[str, np.ndarray],
    dtype: str,
    errors: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return, per output, the largest allowed distance from the stored value, and where it says nothing.

    Parameters
    ----------
    name : str
        The operation; one with float outputs.
    claim : str
        A key of `MODELS`.
    inputs : mapping of str to ndarray
        Input tensors by name, float64, int64 or bool, exact; an absent optional one is missing or None.
    params : mapping
        Every parameter of the signature.
    real : mapping of str to ndarray of float64
        The real result by output name, known to half a unit in the last place of `dtype` or better; an
        output that is missing here is left out.
    dtype : str
        The dtype of the outputs that are judged.
    errors : mapping of str to ndarray of float64
        How far an input may be from the one given, where it is an earlier output (precision.C29).

    Returns
    -------
    dict of str to (ndarray of float64, ndarray of bool)
        The allowed ``|got - stored|``, and True where it is at least what a wrong answer can differ by.

    Raises
    ------
    KeyError
        If there is no such claim, or the operation takes no earlier output.
    ValueError
        If the claim is not meant for `dtype`.
    """
    if not applies(claim, dtype):
        raise ValueError(f"claim {claim} is not for {dtype}; it is for {', '.join(MODELS[claim].dtypes)}")
    entry = operation.signature(name)
    model = replace(MODELS[claim], written=dtype)
    tensors = [inputs.get(item.name) for item in entry.inputs]
    several = _parts(name, model, tensors, params)
    moved = np.zeros(())
    if errors:
        given = {key: value for key, value in inputs.items() if value is not None}
        moved = import_module("posref.bounds._carry").carried(name, model, given, params, errors)
        wider = [_grown(inputs.get(item.name), errors.get(item.name)) for item in entry.inputs]
        grown = _parts(name, model, wider, params)
        several = tuple(new._replace(spread=old.spread) for old, new in zip(several, grown, strict=True))
    return {
        output.name: _assemble(model, parts, np.asarray(real[output.name], dtype=np.float64), moved)
        for output, parts in zip(entry.outputs, several, strict=True)
        if output.name in real
    }


def _parts(name: str, model: Model, tensors: Sequence[Any], params: Mapping[str, Any]) -> tuple[Parts, ...]:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        found = operation.find("bounds", name)(model, *tensors, **params)
    return (found,) if isinstance(found, Parts) else tuple(found)


def _grown(tensor: np.ndarray | None, error: np.ndarray | None) -> np.ndarray | None:
    """Return a tensor whose elements are larger by what they may be off."""
    return tensor if tensor is None or error is None else np.where(tensor < 0, tensor - error, tensor + error)


def _assemble(
    model: Model, parts: Parts, real: np.ndarray, moved: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the allowed distance and where it is uninformative (precision.C2, C11, C29)."""
    exact = (parts.angle == 0) & (parts.table == 0) & (parts.arithmetic == 0)
    lost = model.u_a * parts.angle + model.table_unit() * parts.table + model.u_m * parts.arithmetic
    allowed = (lost + moved) * SECOND_ORDER + spacing(np.abs(real) + moved, model.written)
    allowed = np.where(exact, moved, allowed)
    allowed = np.where(np.isfinite(real), allowed, 0.0)
    return allowed, (allowed >= parts.spread) & (allowed > 0)


def spacing(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return the distance of neighbouring numbers of `dtype` in the binade of each value."""
    exponent = np.frexp(values)[1].astype(np.int64) - 1
    floor = LEAST[dtype]
    exponent = np.where(values == 0, floor, np.maximum(exponent, floor))
    return np.asarray(np.ldexp(1.0, exponent - (DIGITS[dtype] - 1)))
