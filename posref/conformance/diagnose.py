"""Name the mistake that an implementation made.

A mistake is named only if it explains every failing case of the operation and agrees with every passing
one: the output must lie within the claim's bound around the mistake's own output. Where several do, the
one whose outputs lie nearest is named. Two mistakes are named where both made at once do this, or where
each case is explained by one of them. What is off by rounding, or at random, has no name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from posref.bounds import model
from posref.conformance.claims import INTEGERS, default_claim
from posref.conformance.compare import Evidence
from posref.numerics.rounding import decode_bits, round_bits, ulp
from posref.operation import Mistake, StaleMistake, mistakes, signature

Array = NDArray[Any]

UNKNOWN: Final = "no known mistake explains this"

TELLING: Final = 8
"""Wrong elements without which two mistakes at once are not named: so many pairs may fit by chance."""


@runtime_checkable
class Alteration(Protocol):
    """A wrong implementation that is another one with its arguments or its result altered."""

    def on(self, inner: Callable[..., Any], /) -> Callable[..., Any]:
        """Return `inner` altered in the same way."""


@dataclass(frozen=True)
class Diagnosis:
    """The mistakes that explain the failures: one, two, or none; two made `together`, or case by case."""

    mistakes: tuple[Mistake | StaleMistake, ...] = ()
    together: bool = False


@dataclass(frozen=True)
class _Fit:
    """How an output fits a mistake's own: whether it agrees, whether that is wrong, and how near it lies.

    `distance` is the sum of the squares of what is left, in units of what rounding may leave.
    """

    agrees: bool
    visible: bool = False
    distance: float = 0.0


_MISFIT: Final = _Fit(agrees=False)


@dataclass
class _Fits:
    """How the outputs of a few calls fit the registered mistakes; each pair is tried once."""

    claim: str
    found: dict[tuple[str, int], _Fit] = field(default_factory=dict)

    def of(self, mistake: Mistake, evidence: Evidence) -> _Fit:
        """Return how the output fits the mistake's own."""
        key = (mistake.name, id(evidence))
        if key not in self.found:
            self.found[key] = _fit(mistake, evidence, self.claim)
        return self.found[key]

    def agrees(self, mistake: Mistake, evidence: Evidence) -> bool:
        """Whether the output lies around the mistake's own."""
        return self.of(mistake, evidence).agrees

    def explains(self, mistake: Mistake, evidence: Evidence) -> bool:
        """Whether it does and the mistake shows in this case at all."""
        fit = self.of(mistake, evidence)
        return fit.agrees and fit.visible

    def whole(self, mistake: Mistake, failing: Iterable[Evidence], passing: Iterable[Evidence]) -> bool:
        """Whether the mistake explains all of `failing` and agrees with all of `passing`."""
        return all(self.explains(mistake, case) for case in failing) and all(
            self.agrees(mistake, case) for case in passing
        )

    def nearest(self, found: Sequence[Mistake], cases: Sequence[Evidence]) -> Mistake:
        """Return the mistake to which the outputs lie nearest, the first of equals."""
        return min(found, key=lambda one: sum(self.of(one, case).distance for case in cases))


def name_mistakes(
    operation: str, failing: Sequence[Evidence], passing: Sequence[Evidence], claim: str
) -> Diagnosis:
    """Return the mistake that explains all of `failing` and agrees with all of `passing`, or the pair.

    Parameters
    ----------
    operation : str
        The operation that all the calls are of.
    failing, passing : sequence of Evidence
        Calls that do not keep the claim, and calls that do.
    claim : str
        A model, whose bound is laid around the mistake's output; for any other claim the default one.

    Returns
    -------
    Diagnosis
        With one mistake, two, or none where nothing known explains the failures.
    """
    if not failing:
        return Diagnosis()
    fits = _Fits(claim if claim in model.MODELS else default_claim(failing[0].dtype))
    failing = sorted(failing, key=_size)  # most mistakes do not fit, and a small call says so sooner
    cases = (*failing, *passing)
    known = mistakes(operation)
    single = [one for one in known if fits.whole(one, failing, passing)]
    if single:
        return Diagnosis((fits.nearest(single, cases),))
    if sum(_wrong(case, fits.claim) for case in failing) >= TELLING:
        stacked = {
            one.name: (one, pair) for one, pair in _stacked(known) if fits.whole(one, failing, passing)
        }
        if stacked:
            nearest = fits.nearest([one for one, _ in stacked.values()], cases)
            return Diagnosis(stacked[nearest.name][1], together=True)
    return Diagnosis(next(_either(fits, known, failing, passing), ()))


def _either(
    fits: _Fits, known: Sequence[Mistake], failing: Sequence[Evidence], passing: Sequence[Evidence]
) -> Iterator[tuple[Mistake, Mistake]]:
    """Yield each two mistakes of which one or the other explains, or agrees with, every case."""
    for one in known:
        if not fits.explains(one, failing[0]):
            continue
        left = [case for case in failing if not fits.explains(one, case)]
        apart = [case for case in passing if not fits.agrees(one, case)]
        for other in known:
            if other is not one and fits.whole(other, left, apart):
                yield one, other


def _size(evidence: Evidence) -> int:
    return sum(got.size for got in evidence.got.values())


def _wrong(evidence: Evidence, claim: str) -> int:
    return sum(int((~evidence.kept(name, claim)).sum()) for name in evidence.want)


def _stacked(known: Iterable[Mistake]) -> Iterator[tuple[Mistake, tuple[Mistake, Mistake]]]:
    """Yield each two mistakes made at once: one alters the arguments or the result of the other."""
    for outer, inner in permutations(known, 2):
        both = stack(outer, inner)
        if both is not None:
            yield both, (outer, inner)


def stack(outer: Mistake, inner: Mistake) -> Mistake | None:
    """Return the mistake `outer` made on top of `inner`, or None where it cannot be put on another."""
    if not isinstance(outer.function, Alteration):
        return None
    name = f"{outer.name} on {inner.name}"
    function = outer.function.on(inner.function)
    return Mistake(name, outer.operation, outer.flag, outer.description, function)


def _fit(mistake: Mistake, evidence: Evidence, claim: str) -> _Fit:
    """Return how the output fits that of the mistake."""
    wrong = _output(mistake, evidence)
    if wrong is None:
        return _MISFIT
    visible, distance = False, 0.0
    for name in evidence.want:
        one = close(evidence, name, wrong[name], claim)
        if not one.agrees:
            return _MISFIT
        visible, distance = visible or one.visible, distance + one.distance
    return _Fit(True, visible, distance)


def _output(mistake: Mistake, evidence: Evidence) -> Mapping[str, Array] | None:
    """Return the mistake's own outputs, or None where it has none for this case."""
    entry = signature(evidence.operation)
    inputs = [evidence.inputs.get(one.name) for one in entry.inputs]
    try:
        with np.errstate(all="ignore"):
            answer = mistake.function(*inputs, **evidence.params)
    except Exception:  # a wrong program may well fail on an input that a right one takes
        return None
    parts = answer if isinstance(answer, tuple | list) else (answer,)
    if len(parts) != len(evidence.want):
        return None
    wrong = {name: np.asarray(part) for name, part in zip(evidence.want, parts, strict=True)}
    fits = all(wrong[name].shape == evidence.got[name].shape for name in wrong)
    return wrong if fits else None


def close(evidence: Evidence, name: str, wrong: Array, claim: str) -> _Fit:
    """Return how the output `name` fits what a mistake gives for it."""
    want, got = evidence.want[name], evidence.got[name]
    if want.dtype in INTEGERS:
        return _Fit(bool(np.array_equal(got, wrong)), not np.array_equal(wrong, want.data))
    wrong = wrong.astype(np.float64)
    bound, silent = evidence.allowed(claim)[name]
    with np.errstate(all="ignore"):
        written = decode_bits(round_bits(wrong, want.dtype), want.dtype)
        right = (written == want.data) | (np.abs(written - want.data) <= bound)
        same = (got == written) | (np.isnan(got) & np.isnan(wrong)) | (right & (got == want.data))
        limit = np.where(right, bound, _limit(bound, want.real, wrong, want.dtype))
        matches = silent | same | (np.isfinite(got) & np.isfinite(wrong) & (np.abs(got - wrong) <= limit))
        left = np.where(silent | (got == written), 0.0, np.abs(got - written) / limit)
    distance = float(np.square(left[np.isfinite(left)]).sum())
    return _Fit(bool(matches.all()), bool((~right & ~silent).any()), distance)


def _limit(bound: Array, real: Array, wrong: Array, dtype: str) -> Array:
    """Return how far an honest rounding of the mistake may be from it.

    The bound of an element belongs to the right formula. A mistake may put there what belongs to
    another element of the row, so the row's largest bound counts, absolute and relative, the smaller.
    """
    absolute = _row_max(bound)
    relative = _row_max(np.where(bound == 0, 0.0, bound / np.abs(real)))
    spread = np.minimum(absolute, np.where(np.isfinite(relative), relative * np.abs(wrong), np.inf))
    limit: Array = np.maximum(bound, spread) + np.nan_to_num(ulp(wrong, dtype))
    return limit


def _row_max(values: Array) -> Array:
    """Return the largest value of each row, to be broadcast along it."""
    rows = np.atleast_1d(values)
    largest: Array = rows.max(axis=-1, keepdims=True, initial=0.0)
    return largest.reshape((*values.shape[:-1], 1)[: values.ndim])


def describe(found: Diagnosis) -> str:
    """Return the sentence that names the mistakes, or says that none is known."""
    if not found.mistakes:
        return UNKNOWN
    names = []
    for one in found.mistakes:
        source = f"; see {one.report}" if one.report else ""
        names.append(f"{one.description} [{one.name}{source}]")
    if len(names) == 1:
        return names[0]
    if found.together:
        return f"two mistakes at once: {names[0]}; and {names[1]}"
    return f"in some cases {names[0]}; in the others {names[1]}"
