"""Name the mistake that an implementation made.

A mistake is named only if it explains every failing case of the operation and agrees with every passing
one: the output must lie within the claim's bound around the mistake's own output. A pair of mistakes is
named where each case is explained by one of them and neither explains all. What is off by rounding, or
at random, has no name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.bounds import model
from posref.conformance.claims import INTEGERS, default_claim
from posref.conformance.compare import Evidence
from posref.numerics.rounding import decode_bits, round_bits, ulp
from posref.operation import Mistake, mistakes, signature

Array = NDArray[Any]

UNKNOWN: Final = "no known mistake explains this"


@dataclass
class _Fits:
    """How the outputs of a few calls fit the registered mistakes; each pair is tried once."""

    claim: str
    found: dict[tuple[str, int], tuple[bool, bool]] = field(default_factory=dict)

    def agrees(self, mistake: Mistake, evidence: Evidence) -> bool:
        """Whether the output lies around the mistake's own."""
        return self._fit(mistake, evidence)[0]

    def explains(self, mistake: Mistake, evidence: Evidence) -> bool:
        """Whether it does and the mistake shows in this case at all."""
        return all(self._fit(mistake, evidence))

    def _fit(self, mistake: Mistake, evidence: Evidence) -> tuple[bool, bool]:
        key = (mistake.name, id(evidence))
        if key not in self.found:
            self.found[key] = _fit(mistake, evidence, self.claim)
        return self.found[key]


def name_mistakes(
    operation: str, failing: Sequence[Evidence], passing: Sequence[Evidence], claim: str
) -> tuple[Mistake, ...]:
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
    tuple of Mistake
        One, two, or none where nothing known explains the failures.
    """
    if not failing:
        return ()
    fits = _Fits(claim if claim in model.MODELS else default_claim(failing[0].dtype))
    known = mistakes(operation)
    for one in known:
        if all(fits.explains(one, case) for case in failing) and all(
            fits.agrees(one, case) for case in passing
        ):
            return (one,)
    candidates = [one for one in known if any(fits.explains(one, case) for case in failing)]
    for pair in combinations(candidates, 2):
        if _pair_fits(fits, pair, failing, passing):
            return pair
    return ()


def _pair_fits(
    fits: _Fits, pair: tuple[Mistake, ...], failing: Iterable[Evidence], passing: Iterable[Evidence]
) -> bool:
    return all(any(fits.explains(one, case) for one in pair) for case in failing) and all(
        any(fits.agrees(one, case) for one in pair) for case in passing
    )


def _fit(mistake: Mistake, evidence: Evidence, claim: str) -> tuple[bool, bool]:
    """Return whether the output agrees with the mistake's, and whether that differs from the right one."""
    wrong = _output(mistake, evidence)
    if wrong is None:
        return False, False
    visible = False
    for name in evidence.want:
        matches, differs = _close(evidence, name, wrong[name], claim)
        if not matches:
            return False, False
        visible = visible or differs
    return True, visible


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


def _close(evidence: Evidence, name: str, wrong: Array, claim: str) -> tuple[bool, bool]:
    want, got = evidence.want[name], evidence.got[name]
    if want.dtype in INTEGERS:
        return bool(np.array_equal(got, wrong)), not np.array_equal(wrong, want.data)
    wrong = wrong.astype(np.float64)
    bound, silent = evidence.allowed(claim)[name]
    with np.errstate(all="ignore"):
        written = decode_bits(round_bits(wrong, want.dtype), want.dtype)
        right = (written == want.data) | (np.abs(written - want.data) <= bound)
        same = (got == written) | (np.isnan(got) & np.isnan(wrong)) | (right & (got == want.data))
        limit = np.where(right, bound, _limit(bound, want.real, wrong, want.dtype))
        matches = silent | same | (np.isfinite(got) & np.isfinite(wrong) & (np.abs(got - wrong) <= limit))
    return bool(matches.all()), bool((~right & ~silent).any())


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


def describe(found: Sequence[Mistake]) -> str:
    """Return the sentence that names the mistakes, or says that none is known."""
    if not found:
        return UNKNOWN
    names = []
    for one in found:
        source = f"; see {one.report}" if one.report else ""
        names.append(f"{one.description} [{one.name}{source}]")
    return names[0] if len(names) == 1 else f"in some cases {names[0]}; in the others {names[1]}"


def common_ground(failing: Sequence[frozenset[str]], passing: Sequence[frozenset[str]], most: int = 4) -> str:
    """Return in words which features all the failing cases share, best those that no passing one has.

    Examples
    --------
    >>> common_ground([frozenset({"far", "half"}), frozenset({"half"})], [frozenset({"far"})])
    'all 2 failing cases, and no passing one, have: half'
    """
    if not failing:
        return ""
    shared = frozenset.intersection(*failing)
    only = shared - frozenset().union(*passing)
    count, have = (
        (f"all {len(failing)} failing cases", "have") if failing[1:] else ("the failing case", "has")
    )
    if only and passing:
        return f"{count}, and no passing one, {have}: {', '.join(sorted(only)[:most])}"
    telling = shared - frozenset.intersection(*passing) if passing else frozenset()
    if not telling:
        return ""
    return f"{count} {have}: {', '.join(sorted(telling)[:most])}"
