"""How most mistakes are made: the reference, with its arguments or its result altered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.errors import SpecError
from posref.operation import Mistake, find, signature

Array = NDArray[Any]
Arguments = dict[str, Any]
Implementation = Callable[..., Any]


def bound(operation: str, inputs: tuple[Any, ...], named: Mapping[str, Any]) -> Arguments:
    """Return all arguments of a call by name; inputs may come by position."""
    names = [entry.name for entry in signature(operation).inputs]
    return {**dict(zip(names, inputs, strict=False)), **named}


def reference(operation: str, arguments: Arguments) -> Any:
    """Return the reference's result for arguments by name."""
    return applied(operation, find("reference", operation), arguments)


def applied(operation: str, implementation: Implementation, arguments: Arguments) -> Any:
    """Return the result of `implementation` for arguments by name."""
    names = [entry.name for entry in signature(operation).inputs]
    inputs = [arguments.get(name) for name in names]
    return implementation(*inputs, **{key: value for key, value in arguments.items() if key not in names})


def called(operation: str, compute: Callable[[Arguments], Any]) -> Implementation:
    """Return an implementation of `operation` that hands `compute` its arguments by name."""

    def wrong(*inputs: Any, **named: Any) -> Any:
        return compute(bound(operation, inputs, named))

    return wrong


@dataclass(frozen=True)
class Altered:
    """An implementation that is another one with its arguments, its result or both altered.

    Called as it is, that other one is the reference; `on` puts it around any. Where an argument is
    `optional` to alter and the specification refuses the altered ones, they stay as they are.
    """

    operation: str
    before: Callable[[Arguments], Arguments] = lambda _: {}
    after: Callable[[Any, Arguments], Any] = lambda result, _: result
    optional: bool = False

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        return self.on(find("reference", self.operation))(*inputs, **named)

    def on(self, inner: Implementation) -> Implementation:
        """Return `inner` with its arguments and its result altered."""
        return called(self.operation, lambda arguments: self._result(inner, arguments))

    def _result(self, inner: Implementation, arguments: Arguments) -> Any:
        changed = {**arguments, **self.before(arguments)}
        try:
            result = applied(self.operation, inner, changed)
        except SpecError:
            if not self.optional:
                raise
            result = applied(self.operation, inner, arguments)
        return self.after(result, arguments)


def altered(operation: str, change: Callable[[Arguments], Arguments], *, optional: bool = False) -> Altered:
    """Return the reference of `operation` called with the arguments that `change` returns."""
    return Altered(operation, before=change, optional=optional)


def replaced(operation: str, change: Callable[[Any, Arguments], Any]) -> Altered:
    """Return the reference of `operation` with its result changed by `change`."""
    return Altered(operation, after=change)


def significant(values: Any, bits: int) -> Array:
    """Return the values rounded to nearest even with `bits` significant bits, as float64."""
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits))


BFLOAT16, FLOAT16, FLOAT32 = 8, 11, 24
"""Significant bits of the narrow formats."""

LIMIT = 2**53
"""The largest position."""


def whole(values: Array) -> Array:
    """Return whole numbers as integers; positions stay positions."""
    return values.astype(np.int64) if np.all(values == np.trunc(values)) else values


def consecutive(positions: Array) -> Array:
    """Count on by ones from the first position of every row."""
    if not positions.shape[-1]:
        return positions
    return np.minimum(positions[..., :1] + np.arange(positions.shape[-1]), LIMIT)


Move = Callable[[Array], Array]

MOVES: Final[Mapping[str, tuple[str, Move, str]]] = {
    "positions-from-0": (
        "restarted-positions",
        lambda p: np.broadcast_to(np.arange(p.shape[-1]), p.shape),
        "positions counted from 0 again, whatever the offset, give",
    ),
    "positions-plus-1": (
        "shifted-position",
        lambda p: np.where(p < LIMIT, p + 1, p),
        "positions one too high (counted from 1) give",
    ),
    "positions-absolute": (
        "unsigned-position",
        np.abs,
        "negative positions without their sign give",
    ),
    "positions-truncated": (
        "truncated-position",
        lambda p: np.trunc(p).astype(np.int64),
        "fractional positions cut to integers give",
    ),
    "positions-of-row-0": (
        "batch-rows",
        lambda p: np.broadcast_to(p[:1], p.shape) if p.ndim > 1 else p,
        "the positions of the first row used for every row of the batch give",
    ),
    "positions-bfloat16": (
        "position-rounding",
        lambda p: whole(significant(p, BFLOAT16)),
        "positions held in bfloat16 (exact to 256 only) give",
    ),
    "positions-float16": (
        "position-rounding",
        lambda p: whole(significant(p, FLOAT16)),
        "positions held in float16 (exact to 2048 only) give",
    ),
    "positions-minus-1": (
        "shifted-position",
        lambda p: np.where(p > -LIMIT, p - 1, p),
        "positions one too low give: the -1 that marks no cache was added",
    ),
    "positions-consecutive": (
        "position-gaps",
        consecutive,
        "positions counted on from the first, over every gap, give: rows kept, not tokens seen",
    ),
    "positions-of-last-token": (
        "position-repeated",
        lambda p: np.broadcast_to(p[..., -1:], p.shape) if p.shape[-1] else p,
        "the position of the last token for every token gives",
    ),
    "positions-to-4095": (
        "table-end",
        lambda p: np.minimum(p, 4095),
        "a table of 4096 rows gives: its last row serves every position beyond",
    ),
}
"""Name -> flag, what becomes of the positions, how the diagnosis begins."""

REPORTS: Final[Mapping[str, str]] = {
    "positions-from-0": "https://github.com/Blaizzy/mlx-vlm/issues/1983",
    "positions-of-row-0": "https://github.com/microsoft/onnxruntime/issues/29618",
    "positions-bfloat16": "https://github.com/NVIDIA/Megatron-LM/issues/535",
    "positions-float16": "https://github.com/huggingface/transformers/issues/26602",
    "positions-minus-1": "https://github.com/OpenNMT/CTranslate2/issues/1572",
    "positions-of-last-token": "https://github.com/NVIDIA/TransformerEngine/issues/536",
    "positions-consecutive": "https://github.com/rajveer43/VeloxQuant-MLX/issues/389",
    "positions-to-4095": "https://github.com/pegainfer-project/pegainfer/issues/220",
}


def moved(
    operation: str, *names: str, checks: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Mistake]:
    """Return the mistakes of `MOVES` named, for every input of `operation` that holds positions."""
    inputs = [entry.name for entry in signature(operation).inputs if entry.role == "positions"]
    found = []
    for name in names:
        flag, move, text = MOVES[name]
        function = altered(operation, _moving(inputs, move))
        report, check = REPORTS.get(name, ""), (checks or {}).get(name, {})
        description = f"your output is what {text}"
        found.append(Mistake(name, operation, flag, description, function, report, check))
    return found


def _moving(inputs: list[str], move: Move) -> Callable[[Arguments], Arguments]:
    return lambda arguments: {name: move(np.asarray(arguments[name])) for name in inputs}
