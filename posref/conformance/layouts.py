"""How the float inputs of a case lie in memory.

A kernel may read its input as if every element followed the last one. So the same values can be handed
over as views of larger or differently ordered buffers, made with the library's own slices. What lies in
a buffer beside the view is NaN: whoever reads it shows it, and whoever writes there is caught.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.adapters import Implementation
from posref.conformance.exchange import MismatchError, SkippedError
from posref.operation import DTYPES

Array = NDArray[Any]
Cut = Callable[[Any], Any]

_APART: Final = 3
"""How many elements lie between two rows of a wider buffer."""


def _strided(values: Array) -> tuple[Array, Cut]:
    """Take every second element of rows twice as wide."""
    buffer = np.full((*values.shape[:-1], 2 * values.shape[-1]), np.nan)
    buffer[..., ::2] = values
    return buffer, lambda tensor: tensor[..., ::2]


def _sliced(values: Array) -> tuple[Array, Cut]:
    """Take the front of wider rows, as queries in a joint projection are."""
    width = values.shape[-1]
    buffer = np.full((*values.shape[:-1], width + _APART), np.nan)
    buffer[..., :width] = values
    return buffer, lambda tensor: tensor[..., :width]


def _transposed(values: Array) -> tuple[Array, Cut]:
    """Store tokens before heads, a matrix column by column."""
    axes = (-3, -2) if values.ndim > 2 else (-2, -1) if values.ndim == 2 else (0, 0)
    return np.swapaxes(values, *axes).copy(), lambda tensor: tensor.swapaxes(*axes)


def _reversed(values: Array) -> tuple[Array, Cut]:
    """Store the last element of a row first."""
    return values[..., ::-1].copy(), lambda tensor: tensor[..., ::-1]


LAYOUTS: Final[Mapping[str, Callable[[Array], tuple[Array, Cut]] | None]] = {
    "contiguous": None,
    "strided": _strided,
    "sliced": _sliced,
    "transposed": _transposed,
    "reversed": _reversed,
}
"""What a buffer holds for given values, and how the view of these is cut out of it."""


def laid_out(implementation: Implementation, layout: str) -> Implementation:
    """Return `implementation` with every float input written as a view that lies as `layout` says.

    Scalars and empty tensors have but one layout. Its callables raise `MismatchError` where a call
    changed what lies beside a view; writing raises `SkippedError` where the library has no such view.

    Raises
    ------
    ValueError
        If there is no such layout.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    spread = LAYOUTS[layout]
    if spread is None:
        return implementation
    views = _Views(implementation, layout, spread)
    made = {name: _opening(views, one) for name, one in implementation.sessions.items()}
    return replace(
        implementation,
        name=f"{implementation.name} ({layout} inputs)",
        operations={name: views.guarded(one) for name, one in implementation.operations.items()},
        write=views.write,
        sessions=made,
    )


def _opening(views: "_Views", made: Callable[..., Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    return lambda **params: views.guarded(made(**params))


@dataclass
class _Views:
    """The views written since the last call, each with its buffer and what this held."""

    implementation: Implementation
    layout: str
    spread: Callable[[Array], tuple[Array, Cut]]
    written: list[tuple[Any, bytes]] = field(default_factory=list)

    def write(self, values: Array, dtype: str) -> Any:
        """Write a tensor as `Implementation.write` does, as a view."""
        if dtype not in DTYPES or values.ndim == 0 or values.size == 0:
            return self.implementation.write(values, dtype)
        buffer, cut = self.spread(values)
        tensor = self.implementation.write(buffer, dtype)
        try:
            view = cut(tensor)
            strides = view.strides if hasattr(view, "strides") else view.stride()
        except Exception:  # each library says in its own way that it has no such view
            kind = f"{type(tensor).__module__.partition('.')[0]}.{type(tensor).__name__}"
            raise SkippedError(f"{kind} has no {self.layout} view") from None
        if len(strides) != values.ndim:
            raise SkippedError(f"the library has no {self.layout} view")
        self.written.append((tensor, self._held(tensor)))
        return view

    def _held(self, tensor: Any) -> bytes:
        return self.implementation.read(tensor)[1].tobytes()

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` with a look at the buffers after each call."""

        def call(*inputs: Any, **named: Any) -> Any:
            written, self.written = self.written, []
            answer = function(*inputs, **named)
            if any(self._held(tensor) != held for tensor, held in written):
                raise MismatchError("the call wrote to the memory of its inputs")
            return answer

        return call
