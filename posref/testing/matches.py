"""A function held against the reference on drawn calls."""

from collections.abc import Callable
from typing import Any

from posref.adapters import Unsupported
from posref.conformance.claims import check_claim
from posref.testing.call import Call
from posref.testing.libraries import need


def assert_matches_reference(
    function: Callable[..., Any],
    operation: str,
    dtype: str = "float32",
    *,
    claim: str | None = None,
    library: str = "numpy",
    max_examples: int = 100,
) -> None:
    """Draw calls of an operation, run `function` on each and judge what it gives by the reference.

    Hypothesis draws the calls, the same ones in every run, and shrinks one that fails to a small one.

    Parameters
    ----------
    function : callable
        Gets the inputs of the signature by position, the parameters by keyword and, where no input says
        it, ``dtype``. `posref.adapters.Unsupported` passes a call over.
    operation : str
        A name such as ``"rope.apply"``.
    dtype : str, default "float32"
        The floating dtype under test.
    claim : str, optional
        How close is right; default: the default claim of the dtype.
    library : {"numpy", "torch", "jax"}, default "numpy"
        Whose arrays the inputs are.
    max_examples : int, default 100
        Calls to draw.

    Raises
    ------
    AssertionError
        The verdict on the smallest failing call found; or every call was passed over.
    ImportError
        If Hypothesis is not installed.

    Examples
    --------
    >>> import posref
    >>> from posref.testing import assert_matches_reference
    >>> assert_matches_reference(posref.alibi.slopes, "alibi.slopes", max_examples=10)
    """
    if claim is not None:
        check_claim(claim)
    hypothesis = need("hypothesis", "posref.testing.assert_matches_reference", "testing")
    from posref.testing.strategies import calls

    judged = 0

    def agrees(call: Call) -> None:
        nonlocal judged
        try:
            output = call.on(function)
        except Unsupported:
            hypothesis.reject()
        judged += 1
        verdict = call.judge(output, claim)
        if not verdict:
            raise AssertionError(f"{verdict}\n  call: {call!r}")

    passed_over = [hypothesis.HealthCheck.filter_too_much, hypothesis.HealthCheck.too_slow]
    profile = hypothesis.settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=passed_over,
    )
    try:
        profile(hypothesis.given(calls(operation, dtype, library=library))(agrees))()
    except hypothesis.errors.Unsatisfiable:
        judged = 0
    if not judged:
        raise AssertionError(f"{operation}: every call drawn was passed over as not supported")
