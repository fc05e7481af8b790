"""Tests of the corpus made in memory, from exact rational numbers."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from posref.corpus.encode import Expected
from posref.corpus.load import Test
from posref.operation import DTYPES, Refusal, Tensor

DIGITS = {"float64": 53, "float32": 24, "bfloat16": 8, "float16": 11}
LEAST = {"float64": -1022, "float32": -126, "bfloat16": -126, "float16": -14}


def rounded(real: Fraction | float, dtype: str) -> tuple[float, str]:
    """Round an exact number to `dtype` in rational arithmetic; say on which side it lies."""
    if real in (0, -math.inf):
        return float(real), "0"
    real = Fraction(real)
    exponent = math.frexp(float(real))[1] - 1
    step = Fraction(2) ** (max(exponent, LEAST[dtype]) - DIGITS[dtype] + 1)
    value = round(real / step) * step
    return float(value), "+" if real > value else "-" if real < value else "0"


def expected(
    reals: Sequence[Fraction | float], shape: tuple[int, ...], dtype: str, bound: float | Sequence[float]
) -> Expected:
    pairs = [rounded(real, dtype) for real in reals]
    bounds = tuple(bound) if isinstance(bound, Sequence) else (bound,) * len(pairs)
    return Expected(
        Tensor(dtype, shape, tuple(value for value, _ in pairs)), "".join(side for _, side in pairs), bounds
    )


def value_test(
    operation: str,
    params: Mapping[str, Any],
    inputs: Mapping[str, Tensor],
    outputs: Mapping[str, tuple[Sequence[Any], tuple[int, ...]]],
    *,
    name: str = "made",
    dtypes: Sequence[str] = DTYPES,
    bound: float | Sequence[float] = 0.0,
    **fields: Any,
) -> Test:
    if dtypes[0] in ("int64", "bool"):
        stored = {
            output: {dtypes[0]: Expected(Tensor(dtypes[0], shape, tuple(data)), "", ())}
            for output, (data, shape) in outputs.items()
        }
    else:
        stored = {
            output: {dtype: expected(data, shape, dtype, bound) for dtype in dtypes}
            for output, (data, shape) in outputs.items()
        }
    return made(operation, "value", params, inputs, stored, name=name, **fields)


def invalid_test(
    operation: str, params: Mapping[str, Any], inputs: Mapping[str, Tensor], error: Refusal, **fields: Any
) -> Test:
    return made(operation, "invalid", params, inputs, {}, error=error, **fields)


def made(
    operation: str,
    kind: str,
    params: Mapping[str, Any],
    inputs: Mapping[str, Tensor],
    stored: Mapping[str, Any],
    *,
    error: Refusal | None = None,
    name: str = "made",
    flags: tuple[str, ...] = (),
    signed_zero: str = "ignore",
) -> Test:
    return Test(
        id=name,
        operation=operation,
        kind=kind,
        params=params,
        inputs=inputs,
        expected=stored,
        error=error,
        flags=flags,
        clauses=("rope.C1",),
        comment="Made by hand.",
        requires=(),
        signed_zero=signed_zero,
        file="core/made.json",
        group="made",
        source={"name": "made", "version": "1.0.0"},
        case_hash="0" * 16,
    )


LADDER = {"rotary_dim": 4, "base": 10000.0}
