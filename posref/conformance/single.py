"""Judge one output on the caller's own inputs, with the reference in the place of the vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posref.adapters import read_numpy
from posref.bounds import model
from posref.conformance import arguments, sizes
from posref.conformance.claims import applies, check_claim, default_claim, ladder
from posref.conformance.compare import Evidence, Want, assess
from posref.conformance.diagnose import describe, name_mistakes
from posref.conformance.exchange import MismatchError, check_form
from posref.conformance.kinds import where_wrong
from posref.conformance.pieces import pieces
from posref.conformance.verdict import Worst, Wrong
from posref.errors import SpecError
from posref.numerics.rounding import FORMATS, on_grid, ulp
from posref.operation import Signature, find, signature, signatures

Array = NDArray[Any]


@dataclass(frozen=True)
class Verdict:
    """The judgement of one output. True if it keeps the claim.

    Attributes
    ----------
    operation, dtype, claim : str
        What was judged, and how.
    passed : bool
        Whether every element keeps the claim.
    reason : str
        How it fails; empty for a pass.
    worst_error : Worst or None
        The worst element, where elements were compared.
    first_wrong : Wrong or None
        The first element in row-major order that breaks the claim.
    elements, uninformative : int
        Elements compared, and elements whose bound says nothing.
    strongest_claim : str
        The strongest claim that holds, or ``"none"``.
    diagnosis : str
        The mistake that explains a failure, and which elements are wrong; empty for a pass.
    """

    operation: str
    dtype: str
    claim: str
    passed: bool
    reason: str = ""
    worst_error: Worst | None = None
    first_wrong: Wrong | None = None
    elements: int = 0
    uninformative: int = 0
    strongest_claim: str = "none"
    diagnosis: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = [f"{self.operation} in {self.dtype}: {'pass' if self.passed else 'fail'} under {self.claim}"]
        if self.reason:
            lines.append(f"  {self.reason}")
        elif self.worst_error is not None:
            lines.append(f"  worst element: {self.worst_error}")
        if self.first_wrong is not None:
            lines.append(f"  first wrong element: {self.first_wrong}")
        lines.append(
            f"  {self.elements} elements, {self.uninformative} more are uninformative; "
            f"strongest claim: {self.strongest_claim}"
        )
        if self.diagnosis:
            lines.append(f"  diagnosis: {self.diagnosis}")
        return "\n".join(lines)


def judge(
    operation: str,
    inputs: Mapping[str, Any] | Sequence[Any],
    output: Any,
    params: Mapping[str, Any],
    claim: str | None = None,
    *,
    dtype: str | None = None,
) -> Verdict:
    """Judge one output on your own inputs.

    The expected values come from the reference in float64. Its own error (1 ulp of float64 for tables
    and ladders, the bound of ``f64-angle`` for the rest) is added to what the claim allows, so
    that claims about float64 itself are decided only to that accuracy.

    Parameters
    ----------
    operation : str
        A name such as ``"rope.apply"``.
    inputs : mapping or sequence
        The inputs by name, or in the order of the signature; None for an absent optional one.
    output : array, tuple or mapping
        What the implementation gave; several outputs in the order of the signature, or by name.
    params : mapping
        The parameters; those with a default may be left out.
    claim : str, optional
        How close is right; default: the default claim of the output's dtype.
    dtype : str, optional
        The dtype that the output must have; default: that of the main inputs, or whatever the output
        has where there are none.

    Returns
    -------
    Verdict
        True if the output keeps the claim.

    Raises
    ------
    ValueError
        If the operation, the claim, the dtype or the name of an input or parameter is unknown, or a
        width or count is far beyond the arrays; as SpecError if the specification refuses the inputs.
    TypeError
        If a parameter without a default is left out, or an input is no array.

    Examples
    --------
    >>> import numpy as np, posref
    >>> verdict = posref.judge(
    ...     "rope.inv_freq", {}, np.array([1.0, 0.01]), {"rotary_dim": 4, "base": 10000.0}
    ... )
    >>> verdict.passed, verdict.worst_error.error
    (True, 0.0)
    """
    if operation not in signatures():
        raise ValueError(f"no operation {operation!r}; posref list shows them all")
    entry = signature(operation)
    arrays = arguments.inputs(entry, inputs)
    full = arguments.params(entry, params)
    try:
        outputs = arguments.outputs(entry, output)
        target = arguments.output_dtype(entry, arrays, outputs, dtype)
    except MismatchError as mismatch:
        return Verdict(operation, dtype or "", claim or "", passed=False, reason=str(mismatch))
    chosen = claim if claim is not None and not entry.integer else default_claim(target)
    check_claim(chosen)
    sizes.check(entry, full, (*arrays.values(), *outputs.values()))
    if not applies(chosen, target):
        raise ValueError(f"the claim {chosen} is not made for {target}")
    blank = Verdict(operation, target, chosen, passed=False)
    try:
        return _judge(entry, arrays, outputs, full, blank)
    except MismatchError as mismatch:
        return replace(blank, reason=str(mismatch))


def _judge(
    entry: Signature,
    arrays: Mapping[str, Array],
    outputs: Mapping[str, Array],
    params: Mapping[str, Any],
    blank: Verdict,
) -> Verdict:
    passed, elements, uninformative = True, 0, 0
    worst: Worst | None = None
    wrong: list[Wrong] = []
    failing: list[Evidence] = []
    claims, order = ladder(blank.dtype), [one.name for one in entry.outputs]
    parts = list(pieces(entry, arrays, outputs))
    first, tried = 0, []
    for some_inputs, some_outputs, start in parts:
        evidence = gather(entry, some_inputs, some_outputs, params, blank.dtype)
        outcome = assess(evidence, blank.claim)
        passed = passed and outcome.passed
        elements += outcome.elements
        uninformative += outcome.uninformative
        if outcome.worst is not None and (worst is None or outcome.worst.ratio > worst.ratio):
            worst = replace(outcome.worst, index=_moved(outcome.worst.index, start))
        if outcome.first is not None:
            wrong.append(replace(outcome.first, index=_moved(outcome.first.index, start)))
        first = _next(evidence, claims, first)
        tried.append(first)
        if not outcome.passed and not failing:
            failing.append(evidence)
    while first < len(claims) and min(tried, default=first) < first:  # a weaker claim, not yet tried there
        late = tried.index(min(tried))
        evidence = gather(entry, *parts[late][:2], params, blank.dtype)
        tried[late] = first = _next(evidence, claims, first)
    diagnosis = "" if passed else describe(name_mistakes(entry.name, failing, (), blank.claim))
    if not passed and len(parts) == 1:
        diagnosis = "; ".join(filter(None, (diagnosis, where_wrong(failing, (), blank.claim))))
    return replace(
        blank,
        passed=passed,
        reason="" if passed else str(worst),
        worst_error=worst,
        first_wrong=min(wrong, key=lambda one: (order.index(one.output), one.index), default=None),
        elements=elements,
        uninformative=uninformative,
        strongest_claim=claims[first] if first < len(claims) else "none",
        diagnosis=diagnosis,
    )


def _next(evidence: Evidence, claims: Sequence[str], first: int) -> int:
    """Return the place of the first claim, from `first` on, that holds."""
    return next((at for at in range(first, len(claims)) if evidence.holds(claims[at])), len(claims))


def _moved(index: tuple[int, ...], start: tuple[int, ...]) -> tuple[int, ...]:
    lead = tuple(at + first for at, first in zip(index, start, strict=False))
    return lead + index[len(lead) :]


def gather(
    entry: Signature,
    arrays: Mapping[str, Array],
    outputs: Mapping[str, Array],
    params: Mapping[str, Any],
    dtype: str,
) -> Evidence:
    """Return the evidence on one call, expected values from the reference in float64."""
    values = {name: read_numpy(array)[1] for name, array in arrays.items()}
    answer = _reference(entry, values, params)
    got = {}
    for one in entry.outputs:
        found, got[one.name] = read_numpy(outputs[one.name])
        wanted = dtype if one.dtype == "float" else {"int": "int64"}.get(one.dtype, "bool")
        check_form(one.name, found, got[one.name].shape, wanted, answer[one.name].shape)
    if entry.integer:
        want = {name: Want(dtype, real, None, real) for name, real in answer.items()}
    else:
        want = _wanted(entry, values, params, answer, dtype)
    return Evidence(entry.name, dtype, values, params, want, got)


def _reference(entry: Signature, values: Mapping[str, Array], params: Mapping[str, Any]) -> dict[str, Array]:
    named = {"dtype": "float64"} if entry.generator else {}
    inputs = [values.get(one.name) for one in entry.inputs]
    answer = find("reference", entry.name)(*inputs, **params, **named)
    parts = answer if isinstance(answer, tuple) else (answer,)
    return {one.name: np.asarray(part) for one, part in zip(entry.outputs, parts, strict=True)}


def _wanted(
    entry: Signature,
    values: Mapping[str, Array],
    params: Mapping[str, Any],
    real: dict[str, Array],
    dtype: str,
) -> dict[str, Want]:
    bounds = model.bound(entry.name, default_claim("float64"), values, params, real, "float64")
    want = {}
    for name, answer in real.items():
        if answer.dtype.kind in "iub":
            want[name] = Want("bool" if answer.dtype.kind == "b" else "int64", answer, None, answer)
            continue
        own = np.broadcast_to(bounds[name][0], answer.shape)
        if entry.generator:
            own = np.minimum(own, np.nan_to_num(ulp(answer, "float64")))
        data = np.asarray(on_grid(answer, dtype))
        _check_range(name, data, answer, dtype)
        want[name] = Want(dtype, data, None, answer, own=own)
    return want


def _check_range(name: str, data: Array, real: Array, dtype: str) -> None:
    top = 3 - FORMATS[dtype].least  # the exponent of what overflows, as frexp counts it
    over = np.isfinite(real) & (np.frexp(data)[1] >= top)
    if bool(over.any()):
        value = float(np.abs(real[over]).max())
        raise SpecError("conventions.C2", name, f"{value:.3g} overflows {dtype}", "OUT_OF_RANGE")
