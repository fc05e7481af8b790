"""A call while it is drawn: the registry says what an argument may be, a rule what joins two of them."""

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from posref.numerics.rounding import on_grid
from posref.operation import Input, Parameter, Signature
from posref.testing import _numbers
from posref.testing.libraries import Library

st = _numbers.st

TOKENS: Final = ("T", "Q", "K")
LEADS: Final = ((), (1,), (2,), (3,), (2, 3), (1, 2), (2, 1))
"""Leading axes: batches of one and two, and as many heads as there are tokens, or not."""


class Draft:
    """Arguments of one call; what a rule has not set, `fill` draws by type and role.

    `sizes` are those of the named axes, `lead` the leading axes, `tensors` values with their dtype.
    """

    def __init__(self, draw: Any, entry: Signature, dtype: str, library: Library) -> None:
        self.draw = draw
        self.entry = entry
        self.dtype = dtype
        self.library = library
        self.sizes: dict[str, int] = {}
        self.params: dict[str, Any] = {}
        self.tensors: dict[str, tuple[np.ndarray, str] | None] = {}
        self.lead: tuple[int, ...] = self.pick(*LEADS)

    @property
    def farthest(self) -> int:
        """The largest position that the library's integers hold."""
        return _numbers.LARGEST if self.library.wide else 2**31 - 1

    def pick(self, *choices: Any) -> Any:
        """Draw one of `choices`; the first is the simplest."""
        return self.draw(st.sampled_from(choices))

    def between(self, least: int, most: int) -> int:
        """Draw a small integer."""
        return int(self.draw(st.integers(least, most)))

    def size(self, letter: str) -> int:
        """Return the size of a named axis, drawn when it is first asked for."""
        if letter not in self.sizes:
            tokens = (1, 2, 3, 4, 0) if letter in TOKENS else (1, 2, 3, 5)
            self.sizes[letter] = int(letter) if letter.isdecimal() else self.pick(*tokens)
        return self.sizes[letter]

    def real(self, name: str, *only: float) -> float:
        """Draw a real parameter; `only` replaces the usual choices."""
        found = self.pick(*only) if only else self.draw(_numbers.real(name))
        self.params[name] = float(found)
        return float(found)

    def whole(self, name: str, *only: int) -> int:
        """Set an integer parameter to one of `only`."""
        self.params[name] = chosen = int(self.pick(*only))
        return chosen

    def choose(self, name: str) -> Any:
        """Draw a parameter by its type and domain."""
        if name not in self.params:
            field = next(one for one in self.entry.parameters if one.name == name)
            self.params[name] = self.parameter(field)
        return self.params[name]

    def parameter(self, field: Parameter) -> Any:
        """Return a value of one parameter by its type and domain alone."""
        if field.nullable and self.pick(True, False):
            return None
        if field.type == "real":
            return self.real(field.name)
        if field.type == "integers":
            step, least = 2 if field.even else 1, int(field.at_least or 0)
            return [least + step * self.between(0, 3) for _ in range(field.count or self.size("A"))]
        return self.draw(_numbers.of_parameter(field))

    def list_of(self, strategy: Any, shape: Sequence[int]) -> list[Any]:
        """Draw as many elements as `shape` holds."""
        count = prod(shape)
        return list(self.draw(st.lists(strategy, min_size=count, max_size=count)))

    def integers(self, shape: Sequence[int], least: int, most: int) -> np.ndarray:
        """Draw integers: any, or a run of consecutive ones along the last axis."""
        last = shape[-1] if shape else 1
        if shape and most - least >= last and self.pick(True, False):
            start = self.draw(_numbers.whole(least, most - last))
            return np.broadcast_to(start + np.arange(last), tuple(shape)).copy()
        drawn = self.list_of(_numbers.whole(least, most), shape)
        return np.array(drawn, dtype=np.int64).reshape(tuple(shape))

    def put_integers(self, name: str, values: Any) -> np.ndarray:
        """Set an integer input."""
        array = np.array(values, dtype=np.int64)
        self.tensors[name] = array, "int64"
        return array

    def put_positions(self, name: str, least: int | None = None, most: int | None = None) -> np.ndarray:
        """Draw an input of integer positions within limits."""
        field = next(one for one in self.entry.inputs if one.name == name)
        least = -self.farthest if least is None else max(least, -self.farthest)
        most = self.farthest if most is None else min(most, self.farthest)
        return self.put_integers(name, self.integers(self.shape(field), least, most))

    def put_table(self, name: str, strategy: Any, shape: Sequence[int]) -> np.ndarray:
        """Draw a table of float32 or float64."""
        dtype = self.pick("float64", "float32") if self.library.wide else "float32"
        drawn = np.array(self.list_of(strategy, shape), dtype=np.float64).reshape(tuple(shape))
        array = np.asarray(on_grid(drawn, dtype))
        self.tensors[name] = array, dtype
        return array

    def put_main(self, name: str, shape: Sequence[int], most: float = 16.0) -> np.ndarray:
        """Draw a tensor of the dtype under test."""
        drawn = self.list_of(_numbers.values(self.dtype, most), shape)
        array = np.array(drawn, dtype=np.float64).reshape(tuple(shape))
        self.tensors[name] = array, self.dtype
        return array

    def shape(self, field: Input, lead: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Return a shape of one input; leading axes of a main one are those of the call."""
        letters = field.shape.split()
        named = tuple(self.size(letter) for letter in letters if letter != "...")
        if field.stretch:
            named = tuple(self.pick(size, 1) for size in named)
        if letters[:1] != ["..."]:
            return named
        full = self.lead if field.role == "main" and not field.stretch else self.fitting()
        return (*(full if lead is None else lead), *named)

    def fitting(self) -> tuple[int, ...]:
        """Draw leading axes that broadcast into those of the call."""
        kept = self.lead[self.pick(*range(len(self.lead) + 1)) :]
        return tuple(self.pick(size, 1) for size in kept)

    def fill(self) -> None:
        """Draw what no rule has set."""
        for field in self.entry.parameters:
            self.choose(field.name)
        for one in self.entry.inputs:
            if one.name not in self.tensors:
                self._input(one)

    def _input(self, field: Input) -> None:
        if field.optional and self.pick(True, False):
            self.tensors[field.name] = None
        elif field.role == "main":
            self.put_main(field.name, self.shape(field))
        elif field.role == "table":
            self.put_table(field.name, _numbers.values("float32", 4.0), self.shape(field))
        elif field.role == "mask":
            shape = self.shape(field)
            drawn = self.list_of(st.booleans(), shape)
            self.tensors[field.name] = np.array(drawn, dtype=bool).reshape(shape), "bool"
        elif field.dtype == "int_or_float" and self.pick(False, True):
            dtype = self.pick("float64", "float32") if self.library.wide else "float32"
            shape = self.shape(field)
            drawn = self.list_of(_numbers.fractional(dtype), shape)
            self.tensors[field.name] = np.array(drawn, dtype=np.float64).reshape(shape), dtype
        else:
            self.put_positions(field.name)
