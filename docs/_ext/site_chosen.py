"""Which cases of the vector files the pages show, and what is worked out from them."""

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


CHOSEN: dict[str, tuple[Chosen, ...]] = {
    "attention": (
        Chosen(
            "attention-causal-mask-chunk",
            "A causal mask by positions",
            "A chunk of a prompt against a longer cache: by indices it would be another matrix.",
        ),
        Chosen(
            "attention-scores-w2-fixed-root-f64",
            "Scores",
            "The scale is a parameter and is not $1/\\sqrt D$ here.",
        ),
        Chosen(
            "attention-output-one-left-f32",
            "Output under a mask",
            "With one key left, the output is its value.",
            "float32",
        ),
    ),
    "positions": (
        Chosen(
            "positions-relative-prefill",
            "Queries and keys from 0",
            "The sign: keys in the past are negative.",
        ),
        Chosen("positions-relative-decode", "One decoded token", "Its position is 7, and the row says so."),
    ),
    "sinusoidal": (
        Chosen(
            "sinusoidal-encode-d8-interleaved-dim-from-0",
            "Five rows of width 8",
            "The frequencies are exactly 1, 1/10, 1/100 and 1/1000.",
            derived=rows_of_8,
        ),
        Chosen(
            "rope-inv-freq-w128-b10000",
            "The ladder at width 128",
            "RoPE has the same ladder as `denominator: dim`.",
            limit=4,
            derived=waves,
        ),
    ),
    "rope": (
        Chosen(
            "rope-apply-w4-adjacent-b10000-report-bf16",
            "Adjacent pairs",
            "Coordinates 0 and 1 turn by 1 radian, 2 and 3 by 1/100.",
        ),
        Chosen(
            "rope-apply-w4-half-b10000-report-bf16",
            "Split halves",
            "The same vector and position; now coordinates 0 and 2 turn by 1 radian.",
        ),
        Chosen(
            "rope-matrix-w2-adjacent-b10000-near",
            "The matrix of one pair",
            "At positions 1, 2 and 5; cosine, minus sine, sine, cosine.",
        ),
        Chosen(
            "rope-inv-freq-w8-b10000",
            "A ladder without rounding on paper",
            "1/10 is no binary number: the last column says so.",
        ),
    ),
    "alibi": (
        Chosen("alibi-slopes-h8", "Slopes of 8 heads", "Powers of two: exact in every format."),
        Chosen(
            "alibi-slopes-h12",
            "Slopes of 12 heads",
            "The last four are the geometric means that were left out.",
        ),
        Chosen(
            "alibi-bias-decode",
            "One decoded token",
            "The first two heads: the query has its own position, so the newest key is penalized least.",
            limit=24,
        ),
    ),
}
