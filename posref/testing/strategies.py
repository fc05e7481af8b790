"""Hypothesis strategies: the calls that an operation must answer, and the calls that it must refuse.

What the registry says of an argument by itself is drawn from it; a small table says what joins two
arguments. Sizes are small; positions lie at zero, on both sides of it, beside powers of two and up to
2**53; leading axes are absent, single, or more; conventions, scalings and absent inputs all occur.
"""

from typing import Any

from posref.conformance.claims import check_dtypes
from posref.operation import signature, signatures
from posref.testing import _breaks
from posref.testing._draft import Draft
from posref.testing._numbers import Strategy, st
from posref.testing._rules import RULES
from posref.testing.call import Call
from posref.testing.libraries import Library
from posref.testing.libraries import library as named_library

__all__ = ["calls", "invalid"]


def calls(operation: str, dtype: str = "float32", *, library: str = "numpy") -> Strategy[Call]:
    """Return a strategy of legal calls of an operation.

    Parameters
    ----------
    operation : str
        A name such as ``"rope.apply"``.
    dtype : {"float64", "float32", "bfloat16", "float16"}, default "float32"
        The dtype of main inputs and of a generator's result.
    library : {"numpy", "torch", "jax"}, default "numpy"
        Whose arrays the inputs are. Without 64-bit numbers positions stay below 2**31.

    Returns
    -------
    strategy of Call

    Raises
    ------
    ValueError
        If the operation, the dtype or the library is unknown, or the library has not the dtype.
    ImportError
        If Hypothesis or the library is not installed.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> import posref
    >>> @settings(max_examples=10, derandomize=True, database=None)
    ... @given(calls("alibi.slopes", "float64"))
    ... def slopes_fall_within_one_head(call):
    ...     assert call.judge(call.on(posref.alibi.slopes))
    >>> slopes_fall_within_one_head()
    """
    space = _space(operation, dtype, library)
    return st.composite(lambda draw: _call(_draft(draw, operation, dtype, space)))()


def invalid(operation: str, dtype: str = "float32", *, library: str = "numpy") -> Strategy[Call]:
    """Return a strategy of calls that must be refused: a legal one with one rule broken.

    Parameters
    ----------
    operation, dtype, library
        As in `calls`.

    Returns
    -------
    strategy of Call
        `Call.broken` says which rule.

    Raises
    ------
    ValueError, ImportError
        As in `calls`.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> import pytest
    >>> import posref
    >>> @settings(max_examples=10, derandomize=True, database=None)
    ... @given(invalid("alibi.slopes"))
    ... def bad_input_is_refused(call):
    ...     with pytest.raises((posref.SpecError, TypeError)):
    ...         call.on(posref.alibi.slopes)
    >>> bad_input_is_refused()
    """
    space = _space(operation, dtype, library)

    def drawn(draw: Any) -> Call:
        draft = _draft(draw, operation, dtype, space)
        name, broken = draw(st.sampled_from(list(_breaks.breaks(draft))))
        broken(draft)
        return _call(draft, name)

    return st.composite(drawn)()


def _space(operation: str, dtype: str, library: str) -> Library:
    if operation not in signatures():
        raise ValueError(f"no operation {operation!r}; posref list shows them all")
    check_dtypes((dtype,))
    space = named_library(library)
    if dtype not in space.dtypes and not signature(operation).integer:
        raise ValueError(f"{library} has no {dtype} here")
    return space


def _draft(draw: Any, operation: str, dtype: str, library: Library) -> Draft:
    draft = Draft(draw, signature(operation), dtype, library)
    rule = RULES.get(operation)
    if rule is not None:
        rule(draft)
    draft.fill()
    return draft


def _call(draft: Draft, broken: str = "") -> Call:
    entry = draft.entry
    tensors = {one.name: draft.tensors[one.name] for one in entry.inputs if one.name in draft.tensors}
    params = {one.name: draft.params[one.name] for one in entry.parameters if one.name in draft.params}
    return Call(entry.name, draft.dtype, params, tensors, draft.library, broken)
