"""The arguments of a call once they are admitted, and its results on their way out."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from posref.errors import SpecError
from posref.numerics import rounding
from posref.numerics.namespace import Space, dtype_name, stored_dtype
from posref.numerics.pieces import ELEMENTS, Region, blocks, leading_axes, letters, pieces
from posref.operation import Input, Signature

MASKING = {"bias": "attention.C4"}
"""Inputs in which -inf is legal, with the clause that says so."""


@dataclass(frozen=True)
class Masked:
    """Computed values, and where the result is -infinity whatever they are."""

    values: Any
    where: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        shape: tuple[int, ...] = self.values.shape
        return shape

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.values.dtype


class Given:
    """The admitted arguments of a call, as attributes.

    Parameters are Python values. An input is kept as it came and turned into an exact array of float64,
    int64 or bool whenever it is asked for, so that of a large one only pieces are ever wide; `stored` has
    it as it came. `space` is where inputs live and `axes` the sizes of the named axes.
    """

    def __init__(self, entry: Signature, clauses: Mapping[str, str], here: Space, dtype: Any) -> None:
        self.entry = entry
        self.clauses = clauses
        self.space = here
        self.xp = here.xp
        self.dtype = dtype
        self.axes: dict[str, int] = {}
        self.values: dict[str, Any] = {}
        self.stored: dict[str, Any] = {}
        self.dtypes: dict[str, str] = {}
        self.unchecked: tuple[str, ...] = ()
        self.region = Region((), {})
        self.memory: dict[str, tuple[Any, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("dtypes", ()):
            return self.space.widen(self.stored[name], self.dtypes[name])
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def has_leading(self, field: Input) -> bool:
        """Return whether an input was given and has leading axes."""
        return field.name in self.stored and field.shape.startswith("...")

    def leading(self, name: str) -> tuple[int, ...]:
        """Return the leading axes of an input, those that its signature calls ``...``."""
        shape: tuple[int, ...] = tuple(self.stored[name].shape)
        return shape[: len(shape) - len(letters(_input(self.entry, name).shape))]

    def part(self, region: Region) -> "Given":
        """Return a piece of the call: the same parameters with slices of the inputs."""
        piece = self.with_stored(
            {one.name: self._slice(one, region) for one in self.entry.inputs if one.name in self.stored}
        )
        piece.axes = self.axes | {name: place.stop - place.start for name, place in region.named.items()}
        piece.region = region
        return piece

    def with_stored(self, stored: dict[str, Any]) -> "Given":
        """Return the call with other inputs."""
        piece = copy(self)
        piece.stored = stored
        return piece

    def kept(self, name: str, function: Callable[[Any], Any]) -> Any:
        """Return what `function` makes of an input; pieces that follow with the same part of it share it."""
        if not self.space.is_numpy:
            return function(getattr(self, name))
        array = self.stored[name]
        part = (array.__array_interface__["data"][0], array.shape, array.strides)
        if self.memory.get(name, (None,))[0] != part:
            self.memory[name] = (part, function(getattr(self, name)))
        return self.memory[name][1]

    def _slice(self, field: Input, region: Region) -> Any:
        array = self.stored[field.name]
        return array[region.of(letters(field.shape), array.shape)]

    def by_pieces(
        self,
        function: Callable[["Given"], Any],
        along: str = "",
        *,
        each: int,
        base: int = 0,
        most: int = ELEMENTS,
        square: bool = False,
    ) -> Any:
        """Return what `function` computes from the call, rounded, piece by piece where NumPy computes.

        Parameters
        ----------
        function : callable
            Gets a piece of the call, returns its results as `round` takes them: float64, or integers and
            booleans where the operation has such results; a tuple if there are several.
        along : str, default ""
            Named axes that are independent of each other beside the leading ones, as ``"Q K"``.
        each : int
            Numbers that the largest temporary array has for each index of the axes that are cut.
        base : int, default 0
            Numbers that other temporary arrays have for each index of the leading axes.
        most : int, optional
            Numbers that these arrays may have in a piece.
        square : bool, default False
            Whether the longest of the named axes is cut first, not the first one named.

        Returns
        -------
        array, or tuple of arrays
            In the caller's library.
        """
        if not self.space.is_numpy:
            found = function(self)
            return tuple(map(self.finish, found)) if isinstance(found, tuple) else self.finish(found)
        results: list[Any] = []
        several = False
        for piece, region in pieces(self, along, each, base, most, square):
            found = function(piece)
            several = isinstance(found, tuple)
            values = found if several else (found,)
            results = results or [self._empty(n, value, region) for n, value in enumerate(values)]
            for n, value in enumerate(values):
                target = results[n][(*region.of(self._letters(n), results[n].shape), ...)]
                self.put(value, target)
        finished = tuple(self.space.leave(result, self.dtype or result.dtype) for result in results)
        return finished if several else finished[0]

    def _letters(self, n: int) -> tuple[str, ...]:
        return letters(self.entry.outputs[n].shape)

    def _empty(self, n: int, value: Any, region: Region) -> Any:
        """Return an array for output `n`, told from the first piece of it."""
        own, leading = self._letters(n), leading_axes(self)
        named = value.shape[len(value.shape) - len(own) :]
        sizes = [
            self.axes[letter] if letter in region.named else size
            for letter, size in zip(own, named, strict=True)
        ]
        return self.empty((*leading, *sizes), value.dtype)

    def empty(self, shape: tuple[int, ...], kind: Any = np.float64) -> Any:
        """Return an array for results of the call, as NumPy stores them."""
        return np.empty(shape, stored_dtype(dtype_name(self.dtype)) if kind == np.float64 else kind)

    @np.errstate(all="ignore")
    def put(self, values: Any, target: Any) -> None:
        """Write computed values into a part of a result, rounded once to the dtype of the call."""
        name = dtype_name(self.dtype)
        if values.dtype != np.float64:
            target[...] = values
        elif isinstance(values, Masked):
            self._put_masked(values, target)
        else:
            rounding.store(values, target, name)
            self.check(target)

    def _put_masked(self, values: Masked, target: Any) -> None:
        name = dtype_name(self.dtype)
        rounding.store(values.values, target, name)
        if not rounding.finite(target, name):
            rounding.store(np.where(values.where, 0.0, values.values), target, name)
            self.check(target)
        if name in ("float64", "float32"):  # adding -0 changes nothing
            target += np.where(values.where, -np.inf, -0.0).astype(name)
        else:
            infinity = rounding.round_bits(-np.inf, name).view(target.dtype)
            np.copyto(target, infinity, where=values.where)

    def check(self, target: Any) -> None:
        """Refuse the call if a stored result is no finite number."""
        if not rounding.finite(target, dtype_name(self.dtype)):
            raise self.overflow()

    def moved(self, stored: Any) -> Any:
        """Return values of a main input, stored as it is and put elsewhere, as the caller has them."""
        return self.space.leave(stored, self.dtype) if self.space.is_numpy else stored

    def finish(self, values: Any) -> Any:
        """Return results as the caller has them, rounded if they are floating."""
        if isinstance(values, Masked):
            return self.round(values.values, values.where)
        return self.round(values) if dtype_name(values.dtype) == "float64" else self.space.give(values)

    def overflow(self) -> SpecError:
        """Return why a result is not finite: an input that was left unchecked, or an overflow."""
        for name in self.unchecked:
            check_finite(self, name)
        fault = "dtype" if self.entry.generator else self.entry.main[0].name
        message = f"a value of the result overflows {dtype_name(self.dtype)}"
        return SpecError("conventions.C2", fault, message, "OUT_OF_RANGE")

    def same_leading(self, *names: str) -> None:
        """Refuse inputs whose leading axes differ from those of the first."""
        for name in names[1:]:
            if self.leading(name) != self.leading(names[0]):
                message = (
                    f"leading axes {self.leading(name)} differ from {self.leading(names[0])} of {names[0]}"
                )
                raise SpecError(self.clause(name, "conventions.C5"), name, message, "INVALID_SHAPE")

    def fits(self, name: str, onto: str) -> None:
        """Refuse an input whose leading axes do not broadcast into those of `onto`; None fits."""
        if name not in self.stored:
            return
        own, target = self.leading(name), self.leading(onto)
        if broadcast(own, target) != target:
            message = f"leading axes {own} do not broadcast into {target} of {onto}"
            raise SpecError(self.clause(name, "conventions.C5"), name, message, "INVALID_SHAPE")

    def meet(self, one: str, other: str) -> tuple[int, ...]:
        """Return what the leading axes of two inputs broadcast to; refuse the second if they do not."""
        shape = broadcast(self.leading(one), self.leading(other))
        if shape is None:
            message = f"leading axes {self.leading(other)} do not broadcast with {self.leading(one)} of {one}"
            raise SpecError(self.clause(other, "conventions.C5"), other, message, "INVALID_SHAPE")
        return shape

    def clause(self, name: str, otherwise: str) -> str:
        """Return the clause that rules the parameter or the shape of the input `name`."""
        return self.clauses.get(name, otherwise)

    def round(self, values: Any, masked: Any = None) -> Any:
        """Return a result rounded once to the dtype of the call, -inf where `masked`.

        A value that overflows is refused.
        """
        try:
            return self.space.round(values, self.dtype, masked)
        except OverflowError:
            raise self.overflow() from None


def check_finite(given: Given, name: str) -> None:
    """Refuse an input with a NaN or an infinity; where NumPy computes it is never wide as a whole."""
    array = given.stored[name]
    if not given.space.is_numpy:
        _refuse_infinite(given.xp, name, given.space.widen(array))
        return
    for block in blocks(array.shape, 2 * ELEMENTS):
        if not rounding.finite(array[block], given.dtypes[name]):
            _refuse_infinite(np, name, given.space.widen(array[block], given.dtypes[name]))


def _refuse_infinite(xp: Any, name: str, values: Any) -> None:
    legal = xp.isfinite(values)
    if name in MASKING:
        legal = legal | (values == -float("inf"))
    if not bool(xp.all(legal)):
        found = "nan" if bool(xp.any(xp.isnan(values))) else "an infinity"
        allowed = " or -inf" if name in MASKING else ""
        raise SpecError(MASKING.get(name, "conventions.C3"), name, f"must be finite{allowed}, got {found}")


def _input(entry: Signature, name: str) -> Input:
    return next(field for field in entry.inputs if field.name == name)


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape that `shapes` broadcast to, or None if they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None
