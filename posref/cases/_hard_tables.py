"""Hard cases of ``rope.cos_sin`` and ``sinusoidal.encode``: the rows nearest to rounding boundaries.

``hard_rows.json`` holds the rows that ``posref vectors scan`` found among all positions below 2^20.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from posref.cases._build import Row, hard, integers, slug, tensor
from posref.operation import Case

FOUND: Final = json.loads((Path(__file__).parent / "hard_rows.json").read_text("ascii"))
SHORT: Final = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}
TEXT: Final = "The {} of pair {} lies {} ulp of {} from the middle of two neighbours."


def _rows(name: str) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield the rows of an operation, each with the name of its case and the comment."""
    for entry in FOUND[name]:
        row = dict(zip(FOUND["columns"], entry, strict=True))
        pair = f"w{row['width']}-b{slug(row['base'])}-i{row['pair']}"
        case_id = f"hard-{name.replace('.', '-').replace('_', '-')}-{SHORT[row['dtype']]}-{pair}"
        part = {"cos": "cosine", "sin": "sine"}[row["part"]]
        text = TEXT.format(part, row["pair"], row["distance"], row["dtype"])
        yield row, f"{case_id}-{row['part']}-p{row['position']}", text


def _cos_sin() -> Iterator[Row]:
    for row, case_id, text in _rows("rope.cos_sin"):
        inputs = {
            "positions": integers((row["position"],)),
            "inv_freq": tensor("float32", (row["frequency"],)),
        }
        case = Case(case_id, text, inputs, ("rope.C3",), hardness=row["dtype"])
        yield {"attention_factor": 1.0}, case


def _encode() -> Iterator[Row]:
    for row, case_id, text in _rows("sinusoidal.encode"):
        params = {"dim": row["width"], "base": row["base"], "denominator": "dim"}
        params |= {"layout": "sin_cos", "odd": "error"}
        inputs = {"positions": integers((row["position"],))}
        yield params, Case(case_id, text, inputs, ("sinusoidal.C4",), hardness=row["dtype"])


COS_SIN: Final = hard("rope.cos_sin", _cos_sin())
ENCODE: Final = hard("sinusoidal.encode", _encode())
