"""Calls of golden definitions with plain lists, and printed numbers to hold against the results."""

from decimal import Decimal
from fractions import Fraction

from posref.corpus.certify import certify
from posref.operation import DTYPES, Tensor

BINARY64 = Fraction(1, 2**53)

HALF, ADJACENT = {"pairing": "half"}, {"pairing": "adjacent"}
X4, X8 = [[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]
LADDER = {"rotary_dim": 8, "base": 10000.0}
YARN = {
    "factor": 4.0,
    "original_max_position_embeddings": 4096,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "attention_factor": None,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": "hf",
}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0} | {
    "original_max_position_embeddings": 8192
}
LONGROPE = {"factor": 32.0, "original_max_position_embeddings": 4096, "attention_factor": None}


def caller(engine):
    """Return a function that certifies an operation to binary64 and gives the values of its outputs."""

    def certified(name, params, **inputs):
        found = certify(engine, name, {key: tensor(value) for key, value in inputs.items()}, params, DTYPES)
        values = [next(iter(by_dtype.values()))[0] for by_dtype in found.values()]
        return values[0] if len(values) == 1 else values

    return certified


def tensor(nested):
    """Return nested lists of floats, ints or bools as a tensor."""
    shape, flat = [], [nested]
    while isinstance(flat[0], list):
        shape.append(len(flat[0]))
        flat = [entry for row in flat for entry in row]
    kind = {float: "float64", int: "int64", bool: "bool"}[type(flat[0])]
    return Tensor(kind, tuple(shape), tuple(int(x) if kind == "bool" else x for x in flat))


def near(output, printed, slack=0):
    """Check that each value lies within half a unit of the last printed digit (plus `slack`)."""
    texts = printed.split() if isinstance(printed, str) else printed
    assert len(output.data) == len(texts)
    for value, text in zip(output.data, texts, strict=True):
        half = Fraction(Decimal(1).scaleb(Decimal(text).as_tuple().exponent)) / 2
        error = abs(Fraction(value) - Fraction(Decimal(text)))
        assert error <= half + abs(Fraction(value)) * BINARY64 + Fraction(slack), (value, text)


def part(output, start, stop):
    """Return some of the values of an output as a tensor of rank 1."""
    return Tensor("float64", (len(output.data[start:stop]),), output.data[start:stop])
