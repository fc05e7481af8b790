"""Name the mistake that explains how scenarios went wrong.

Each scenario is played again with the mistake in the place of its operation and the reference for the
rest. A mistake is named only if every failing scenario stops with it at the same step in the same way,
every passing one goes through to the end, and the outputs of all steps lie within the claim's bound
around those of the mistake.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.adapters import Implementation
from posref.bounds import model
from posref.conformance.claims import default_claim
from posref.conformance.diagnose import Diagnosis, close
from posref.conformance.scenario import Played, play
from posref.corpus.load import ScenarioTest
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import DTYPES, Mistake, StaleMistake, find, mistakes, stale_mistakes

Array = NDArray[Any]
Wrong = StaleMistake | Mistake

PLAYED: Final = ("pass", "fail")
"""Verdicts of a scenario that can be compared with a mistake; an exception cannot."""


def name_stale(played: Sequence[Played]) -> Diagnosis:
    """Return the mistake that explains all failing scenarios and agrees with the passing ones, or the pair.

    Parameters
    ----------
    played : sequence of Played
        Scenarios of one kind in one dtype.

    Returns
    -------
    Diagnosis
        One, two, or none where nothing known explains the failures. What keeps too much comes before
        what is wrong in every call.
    """
    judged = [one for one in played if one.result.verdict in PLAYED]
    failing = [one for one in judged if one.result.verdict == "fail"]
    if not failing:
        return Diagnosis()
    fits = _Fits()
    known = _known(failing)
    for one in known:
        if all(fits.found(one, case) for case in (*failing, *judged)):
            return Diagnosis((one,))
    candidates = [one for one in known if any(fits.found(one, case) for case in failing)]
    for pair in combinations(candidates, 2):
        if all(any(fits.found(one, case) for one in pair) for case in judged):
            return Diagnosis(pair)
    return Diagnosis()


def _known(failing: Sequence[Played]) -> list[Wrong]:
    names = dict.fromkeys(name for one in failing for name in one.test.operations)
    stale: list[Wrong] = [one for name in names for one in stale_mistakes(name)]
    return stale + [one for name in names for one in mistakes(name)]


@dataclass
class _Fits:
    """How scenarios fit the mistakes; each pair is tried once."""

    tried: dict[tuple[str, str, str], bool] = field(default_factory=dict)

    def found(self, mistake: Wrong, played: Played) -> bool:
        """Whether the scenario went as it goes with the mistake."""
        key = (mistake.operation, mistake.name, played.test.id)
        if key not in self.tried:
            self.tried[key] = mistake.operation in played.test.operations and _fits(mistake, played)
        # a mistake in an operation that a passing scenario does not call has no say in it
        absent = mistake.operation not in played.test.operations and played.result.verdict == "pass"
        return absent or self.tried[key]


def _fits(mistake: Wrong, played: Played) -> bool:
    result = played.result
    claim = result.claim if result.claim in model.MODELS else default_claim(result.dtype)
    implementation = faulty(mistake, played.test, result.dtype)
    [again] = play(implementation, [played.test], result.dtype, result.claim, ranked=False)
    if again.result.verdict != result.verdict or len(again.evidence) != len(played.evidence):
        return False
    compared = result.verdict == "pass" or result.worst_error is not None
    if not compared and again.result.reason != result.reason:
        return False
    return all(
        close(own, name, wrong.got[name], claim).agrees
        for own, wrong in zip(played.evidence, again.evidence, strict=True)
        for name in own.want
    )


def faulty(mistake: Wrong, test: ScenarioTest, dtype: str) -> Implementation:
    """Return an implementation of the scenario's operations in `dtype`, one of them the mistake.

    Its tensors are arrays of float64, rounded once to `dtype` where a call returns them.
    """
    operations = {name: _rounded(find("reference", name), dtype) for name in test.operations}
    sessions = {}
    if isinstance(mistake, StaleMistake):
        made = mistake.session
        sessions[mistake.operation] = lambda **params: _rounded(made(**params), dtype)
    else:
        operations[mistake.operation] = _rounded(mistake.function, dtype)
    return Implementation(
        mistake.name,
        operations,
        write=lambda values, _: values,
        read=lambda values: (dtype if values.dtype == np.float64 else values.dtype.name, values),
        sessions=sessions,
    )


def _rounded(function: Callable[..., Any], dtype: str) -> Callable[..., Any]:
    """Return `function` with its float results rounded to `dtype`, where they stand."""

    def call(*inputs: Any, **named: Any) -> Any:
        named.pop("dtype", None)
        with np.errstate(all="ignore"):
            answer = function(*inputs, **named)
        several = isinstance(answer, tuple)
        parts = [_round(np.asarray(part), dtype) for part in (answer if several else (answer,))]
        return tuple(parts) if several else parts[0]

    return call


def _round(values: Array, dtype: str) -> Array:
    """Round in place, as a buffer that is used again must stay one; what cannot be written is copied."""
    if values.dtype != np.float64 or dtype not in DTYPES:
        return values
    rounded = decode_bits(round_bits(values, dtype), dtype)
    if not values.flags.writeable:
        return rounded
    values[...] = rounded
    return values
