"""Refusals of ``attention.output``."""

from collections.abc import Iterator, Mapping
from math import inf

from posref.cases._build import Baseline, tensor
from posref.cases._draw import draw
from posref.operation import Group, Tensor


def _legal(name: str = "attention-output-invalid") -> Mapping[str, Tensor]:
    return {
        "q": draw(name, "q", (2, 3, 4), "bfloat16"),
        "k": draw(name, "k", (2, 5, 4), "bfloat16"),
        "v": draw(name, "v", (2, 5, 6), "bfloat16"),
    }


def refused() -> Iterator[Group]:
    """Yield the calls of ``attention.output`` that must be refused."""
    base = Baseline("attention.output", _legal(), {"scale": 0.5})
    yield from _refused_rows(base)
    yield from _refused_tensors(base)
    yield base.refuse(
        "no-scale", ("MISSING_PARAMETER", "scale"), "conventions.C6", "No scale.", without=("scale",)
    )


def _refused_rows(base: Baseline) -> Iterator[Group]:
    kept = tensor("bool", (1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0), (3, 5))
    refusal = ("INVALID_PARAMETER", "mask")
    yield base.refuse("masked-row", refusal, "attention.C5", "Row 1 has no key left.", inputs={"mask": kept})
    minus = tensor("bfloat16", (0.5, 1.0, -inf, 2.0, -1.0, *(-inf,) * 5, -2.0, 0.25, 1.0, -0.5, 3.0), (3, 5))
    yield base.refuse(
        "minus-infinity-row",
        refusal,
        "attention.C5",
        "A bias of -inf at every key of row 1.",
        inputs={"bias": minus},
    )
    half = tensor("bfloat16", (*(0.5, 1.0, -0.25, 2.0, -1.0) * 2, -inf, -inf, 1.0, 0.5, -inf), (3, 5))
    rest = tensor("bool", (*(1, 1, 1, 0, 1) * 2, 1, 1, 0, 0, 1), (3, 5))
    yield base.refuse(
        "jointly-masked-row",
        refusal,
        "attention.C5",
        "Bias and mask leave no key to row 2 only together.",
        inputs={"bias": half, "mask": rest},
    )
    no_keys = {"k": tensor("bfloat16", (), (2, 0, 4)), "v": tensor("bfloat16", (), (2, 0, 6))}
    yield base.refuse("no-keys", refusal, "attention.C5", "Queries, but no key.", inputs=no_keys)


def _refused_tensors(base: Baseline) -> Iterator[Group]:
    name, shape = "attention-output-invalid", "INVALID_SHAPE"
    plus = tensor("bfloat16", (*(0.5, 1.0, -0.25, 2.0, -1.0) * 2, 1.5, inf, 1.0, 0.5, -2.0), (3, 5))
    yield base.refuse(
        "plus-infinity",
        ("INVALID_PARAMETER", "bias"),
        "attention.C4",
        "Only -inf is a legal infinity.",
        inputs={"bias": plus},
    )
    yield base.refuse(
        "float-mask",
        ("INVALID_DTYPE", "mask"),
        "attention.C7",
        "Zeros and ones as floats are a bias, not a mask.",
        inputs={"mask": tensor("float32", (1.0, 0.0, 1.0, 1.0, 1.0) * 3, (3, 5))},
    )
    yield base.refuse(
        "integer-mask",
        ("INVALID_DTYPE", "mask"),
        "attention.C7",
        "An integer mask.",
        inputs={"mask": tensor("int64", (1, 0, 1, 1, 1) * 3, (3, 5))},
    )
    yield base.refuse(
        "key-count",
        (shape, "v"),
        "attention.C6",
        "More values than keys.",
        inputs={"v": draw(name, "v", (2, 6, 6), "bfloat16")},
    )
    yield base.refuse(
        "width",
        (shape, "k"),
        "attention.C6",
        "Keys wider than queries.",
        inputs={"k": draw(name, "k", (2, 5, 8), "bfloat16")},
    )
    yield base.refuse(
        "batch",
        (shape, "k"),
        "attention.C6",
        "Heads of keys are not repeated for the caller.",
        inputs={"q": draw(name, "q", (4, 3, 4), "bfloat16")},
    )
    yield base.refuse(
        "bias-enlarges",
        (shape, "bias"),
        "attention.C6",
        "A bias with more heads than the scores.",
        inputs={"bias": draw(name, "bias", (3, 2, 3, 5), "bfloat16")},
    )
    yield base.refuse(
        "mask-enlarges",
        (shape, "mask"),
        "attention.C6",
        "A mask with more heads than the scores.",
        inputs={"mask": tensor("bool", (1,) * 90, (3, 2, 3, 5))},
    )
    yield base.refuse(
        "mask-shape",
        (shape, "mask"),
        "attention.C6",
        "A mask over four keys where there are five.",
        inputs={"mask": tensor("bool", (1, 0, 1, 1) * 3, (3, 4))},
    )
    yield base.refuse(
        "dtypes",
        ("INVALID_DTYPE", "v"),
        "conventions.C3",
        "Values of another dtype than queries.",
        inputs={"v": draw(name, "v", (2, 5, 6), "float32")},
    )
