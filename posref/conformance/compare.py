"""Whether outputs keep a claim, element by element.

The claims about rounding are decided from the stored value and its residual, which says on which side
of it the real value lies; no division and no higher precision is needed. Claims about an error model
compare with the bound of `posref.bounds`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.bounds import model
from posref.conformance.claims import INTEGERS, check_claim, default_claim, ladder, ulps
from posref.conformance.elements import Compared
from posref.conformance.verdict import Worst, Wrong
from posref.numerics.rounding import ulp

Array = NDArray[Any]
Allowance = tuple[Array, Array]

_SIDES: Final = {"+": 1, "-": -1, "0": 0}


@dataclass(frozen=True)
class Want:
    """What one output must be.

    Attributes
    ----------
    dtype : str
        Dtype of the output.
    data : array of float64, int64 or bool
        The stored value: the real one, correctly rounded to `dtype`.
    side : array of int8 or None
        1 where the real value lies above `data`, -1 below, 0 where it is `data`; None where that is
        not known because the value comes from the reference.
    real : array of float64
        The value as near to the real one as is known.
    bound : array of float64 or None
        The stored bound under the default claim of `dtype`.
    own : array of float64 or None
        How far `real` itself may be from the real value; None where `data` is certified.
    """

    dtype: str
    data: Array
    side: Array | None
    real: Array
    bound: Array | None = None
    own: Array | None = None


def sides(residual: str, shape: tuple[int, ...]) -> Array:
    """Return a residual string as an array of 1, -1 and 0."""
    return np.array([_SIDES[mark] for mark in residual], dtype=np.int8).reshape(shape)


@dataclass
class Evidence:
    """One call: what it was given, what it must give, what it gave.

    `earlier` says of which call, and of which of its outputs, an input is the output: it may be off by
    what that call was allowed.
    """

    operation: str
    dtype: str
    inputs: Mapping[str, Array]
    params: Mapping[str, Any]
    want: Mapping[str, Want]
    got: Mapping[str, Array]
    strict_zero: bool = False
    earlier: Mapping[str, tuple["Evidence", str]] = field(default_factory=dict, repr=False)
    _allowed: dict[str, dict[str, Allowance]] = field(default_factory=dict, repr=False)

    def allowed(self, claim: str) -> dict[str, Allowance]:
        """Return for each output the distance that `claim`, a model, allows, and where that says nothing."""
        if claim not in self._allowed:
            real = {name: want.real for name, want in self.want.items() if want.dtype not in INTEGERS}
            errors = {
                name: one.allowed(claim)[output][0]
                for name, (one, output) in self.earlier.items()
                if one.want[output].dtype not in INTEGERS
            }
            bounds = model.bound(self.operation, claim, self.inputs, self.params, real, self.dtype, errors)
            self._allowed[claim] = {name: self._stored(name, claim, *bounds[name]) for name in real}
        return self._allowed[claim]

    def _stored(self, name: str, claim: str, distance: Array, silent: Array) -> Allowance:
        want = self.want[name]
        if want.bound is not None and claim == default_claim(want.dtype):
            distance = want.bound
        if want.own is not None:
            distance = distance + want.own
        return np.broadcast_to(distance, want.data.shape), np.broadcast_to(silent, want.data.shape)

    def holds(self, claim: str) -> bool:
        """Return whether every output keeps `claim`."""
        return all(bool(self.kept(name, claim).all()) for name in self.want)

    def kept(self, name: str, claim: str) -> Array:
        """Return where the output `name` keeps `claim`."""
        want, got = self.want[name], self.got[name]
        if want.dtype in INTEGERS:
            return np.asarray(got == want.data)
        same = got == want.data
        number = np.isfinite(got) & np.isfinite(want.data)
        with np.errstate(over="ignore", invalid="ignore"):
            kept: Array = self._near(name, claim, same, number) & ~self._wrong_zero(name)
        return kept

    def _near(self, name: str, claim: str, same: Array, number: Array) -> Any:
        want, got = self.want[name], self.got[name]
        if claim in model.MODELS:
            distance, silent = self.allowed(claim)[name]
            return same | (number & (silent | (np.abs(got - want.data) <= distance)))
        if want.side is None:
            return same & ~number | number & (np.abs(got - want.real) <= self.limit(name, claim))
        if claim == "exact":
            return same & (want.side == 0)
        if claim == "correctly_rounded":
            return same
        step = step_at_real(want.data, want.side, want.dtype)
        if claim == "faithful":
            return same | (number & (got == want.data + want.side * step))
        return same | (number & _within(got - want.data, want.side, ulps(claim), step))

    def _wrong_zero(self, name: str) -> Array:
        """Where a moved value lost the sign of its zero."""
        want, got = self.want[name], self.got[name]
        if not self.strict_zero or want.bound is None:
            return np.zeros(want.data.shape, dtype=bool)
        moved = (want.data == 0) & (want.bound == 0)
        return np.asarray(moved & (np.signbit(got) != np.signbit(want.data)))

    def limit(self, name: str, claim: str) -> Array:
        """Return the largest error that `claim` allows each element of `name`, for a report."""
        want = self.want[name]
        if want.dtype in INTEGERS:
            return np.zeros(want.data.shape)
        if claim in model.MODELS:
            return self.allowed(claim)[name][0]
        count = {"exact": 0.0, "correctly_rounded": 0.5, "faithful": 1.0}.get(claim, ulps(claim))
        spacing = np.nan_to_num(ulp(want.data, want.dtype)) * count
        return spacing if want.own is None else spacing + want.own

    def silent(self, name: str, claim: str) -> Array:
        """Return where the bound of `claim` says nothing about the output `name`."""
        if claim in model.MODELS and self.want[name].dtype not in INTEGERS:
            return self.allowed(claim)[name][1]
        return np.zeros(self.want[name].data.shape, dtype=bool)

    def strongest(self) -> str:
        """Return the strongest claim that every output keeps, or ``"none"``."""
        return next((claim for claim in ladder(self.dtype) if self.holds(claim)), "none")


def step_at_real(data: Array, side: Array, dtype: str) -> Array:
    """Return the spacing of `dtype` at the real value, which lies on `side` of the stored one.

    Just below a power of two it is half the spacing above.
    """
    spacing = ulp(np.where(np.isfinite(data), data, 0.0), dtype)
    inwards = (side * np.sign(data) < 0) & (np.abs(np.frexp(data)[0]) == 0.5)
    least = ulp(np.zeros(()), dtype)
    return np.where(inwards, np.maximum(spacing / 2, least), spacing)


def _within(difference: Array, side: Array, count: int, step: Array) -> Array:
    """Return where the real value, within half a step on `side`, is `count` steps or less away.

    Towards the real value the whole count is allowed, away from it half a step less: a value of the
    dtype that far away is on the grid, so nothing lies between.
    """
    towards = side * difference
    limit = count * step
    return np.where(towards > 0, towards <= limit, np.abs(difference) <= limit - np.abs(side) * step / 2)


@dataclass(frozen=True)
class Outcome:
    """How one call fares under one claim."""

    passed: bool
    elements: int
    uninformative: int
    worst: Worst | None
    first: Wrong | None = None


def assess(evidence: Evidence, claim: str) -> Outcome:
    """Return how `evidence` fares under `claim` (integer outputs: always ``exact``)."""
    check_claim(claim)
    elements, uninformative = 0, 0
    found: list[tuple[float, Worst]] = []
    first: Wrong | None = None
    for name, want in evidence.want.items():
        kept = evidence.kept(name, claim)
        silent = evidence.silent(name, claim) & kept
        uninformative += int(silent.sum())
        elements += silent.size - int(silent.sum())
        if want.data.size > silent.sum():
            compared = Compared(name, want.dtype, want.data, evidence.got[name], evidence.limit(name, claim))
            found.append(compared.worst(kept, silent))
            first = first or compared.first_wrong(kept)
    worst = max(found, key=lambda entry: entry[0])[1] if found else None
    return Outcome(first is None, elements, uninformative, worst, first)
