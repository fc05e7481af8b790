"""One case of the vector files on a page, and what is worked out from stored values."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LENGTH = 2048
SHOWN_PAIRS = (0, 20, 40, 62)


@dataclass(frozen=True)
class Chosen:
    """One case on one page."""

    case: str
    title: str
    remark: str
    dtype: str = "float64"
    output: str = ""
    limit: int = 40
    """Elements of a float output, or rows of an integer one, that are shown; with 0 the table is left out."""

    derived: Callable[[Any], str] | None = None


def waves(test: Any) -> str:
    """Return wavelengths, and how much of a cycle a training length shows, from stored frequencies."""
    frequencies = test.expected["inv_freq"]["float64"].tensor.data
    rows = [
        f"Wavelengths $2\\pi/\\omega_i$ from the stored frequencies, and the cycles seen in {LENGTH} tokens:",
        "",
        "| pair | tokens a cycle | cycles seen |",
        "|---|---|---|",
    ]
    for pair in SHOWN_PAIRS:
        wave = 2 * math.pi / frequencies[pair]
        rows.append(f"| {pair} | {wave:.9g} | {LENGTH / wave:.9g} |")
    return "\n".join(rows)


def squares(test: Any) -> str:
    """Return the squared norm of each row, from the stored values."""
    tensor = test.expected["table"]["float64"].tensor
    width = tensor.shape[-1]
    norms = [
        math.fsum(v * v for v in tensor.data[at : at + width]) for at in range(0, len(tensor.data), width)
    ]
    shown = ", ".join(f"{norm:.15g}" for norm in norms)
    return f"Squared norms of these rows: {shown} ({{prf:ref}}`thm-sinusoidal-norm` says {width // 2})."


def last_angle(test: Any) -> str:
    """Return the angle of the last pair at the last position, in radians and turns."""
    params, last = test.params, test.inputs["positions"].data[-1]
    angle = last * params["base"] ** -((params["dim"] - 2) / params["dim"])
    turns = angle / (2 * math.pi)
    return f"At position {last} the last pair has turned by {angle:.6g} radians, that is {turns:.6g} turns."


def rows_of_8(test: Any) -> str:
    """Return what is worked out from the five rows of the narrow table."""
    return f"{squares(test)}\n\n{last_angle(test)}"


def first_distances(test: Any) -> str:
    """Return the first distance of each bucket into the past, from stored buckets."""
    distances, buckets = test.inputs["relative_position"].data, test.expected["bucket"]["int64"].tensor.data
    first: dict[int, int] = {}
    for distance, bucket in sorted((-r, b) for r, b in zip(distances, buckets, strict=True) if r <= 0):
        first.setdefault(bucket, distance)
    rows = ["| bucket | " + " | ".join(map(str, first)) + " |", "|---" * (len(first) + 1) + "|"]
    rows.append("| first distance into the past | " + " | ".join(map(str, first.values())) + " |")
    return "\n".join(rows)


def pairs(name: str, output: str) -> Callable[[Any], str]:
    """Return a writer of an integer operation as a table of input and output."""

    def write(test: Any) -> str:
        given, found = test.inputs[name].data, test.expected[output]["int64"].tensor.data
        rows = [f"| `{name}` | " + " | ".join(map(str, given)) + " |", "|---" * (len(given) + 1) + "|"]
        return "\n".join([*rows, f"| `{output}` | " + " | ".join(map(str, found)) + " |"])

    return write
