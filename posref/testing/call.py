"""One call of an operation: exact inputs, written anew for each use in the caller's array library."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posref.adapters import read_numpy
from posref.conformance import Verdict, judge
from posref.conformance.exchange import MismatchError, check_untouched
from posref.operation import Signature, signature
from posref.testing.libraries import Library


@dataclass(frozen=True)
class Call:
    """The inputs and the parameters of one call.

    Attributes
    ----------
    operation, dtype : str
        Which operation, and the floating dtype under test.
    params : mapping
        Every parameter by name.
    tensors : mapping
        The values of each input, exact, and the dtype that it is handed over in; None where an
        optional input is absent.
    library : Library
        Whose arrays the inputs are.
    broken : str
        The one rule that the call breaks; empty for a legal call.
    """

    operation: str
    dtype: str
    params: Mapping[str, Any]
    tensors: Mapping[str, tuple[np.ndarray, str] | None]
    library: Library = field(default_factory=lambda: Library("numpy"))
    broken: str = ""

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs by name, made anew each time; None for an absent optional one."""
        return {
            name: None if tensor is None else self.library.write(tensor[0].copy(), tensor[1])
            for name, tensor in self.tensors.items()
        }

    @property
    def signature(self) -> Signature:
        """The signature of the operation."""
        return signature(self.operation)

    def on(self, function: Callable[..., Any]) -> Any:
        """Return what `function` gives: inputs by position, parameters and a generator's dtype by keyword.

        An AssertionError says which input it changed, if it changed one.
        """
        given = self.inputs
        params = dict(self.params) | ({"dtype": self.dtype} if self.signature.generator else {})
        answer = function(*(given.get(one.name) for one in self.signature.inputs), **params)
        try:
            check_untouched(_values(self.inputs), _values(given))
        except MismatchError as changed:
            raise AssertionError(f"{self.operation}: {changed}") from None
        return answer

    def judge(self, output: Any, claim: str | None = None) -> Verdict:
        """Return the verdict of `posref.judge` on an output of this call."""
        dtype = None if self.signature.integer else self.dtype
        return judge(self.operation, self.inputs, output, self.params, claim, dtype=dtype)

    def __repr__(self) -> str:
        parts = [f"{name}={_shown(tensor)}" for name, tensor in self.tensors.items()]
        parts += [f"{name}={value!r}" for name, value in self.params.items()]
        rule = f"  # {self.broken}" if self.broken else ""
        return f"{self.operation}({', '.join(parts)}){rule}"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))  # Hypothesis shows a failing example so


def _values(given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: read_numpy(array)[1] for name, array in given.items() if array is not None}


def _shown(tensor: tuple[np.ndarray, str] | None) -> str:
    if tensor is None:
        return "None"
    values, dtype = tensor
    size = f".reshape{values.shape}" if values.size == 0 else ""
    return f"{dtype}({values.tolist()}){size}"
