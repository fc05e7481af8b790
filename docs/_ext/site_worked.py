"""Worked numbers: cases of the vector files, written out in decimal and in bits."""

import struct
from collections.abc import Iterator
from itertools import product
from typing import Any

from site_chosen import CHOSEN
from site_derived import Chosen

from posref.corpus import load_vectors
from posref.operation import Tensor

CODES = {"float64": ">d", "float32": ">f", "float16": ">e"}
DIGITS = {"float64": 17, "float32": 9, "bfloat16": 4, "float16": 5}
LISTED = 12
"""Values of an input that are written out."""

NAMES = {"+": "above", "-": "below", "0": "exact"}


def bits(value: float, dtype: str) -> str:
    """Return the IEEE bits of `value` in hex."""
    if dtype == "bfloat16":
        return struct.pack(">f", value).hex()[:4]
    return struct.pack(CODES[dtype], value).hex()


def cells(tensor: Tensor) -> Iterator[tuple[str, Any]]:
    """Yield the index of each element, as text, and the element."""
    for index, value in zip(product(*map(range, tensor.shape)), tensor.data, strict=True):
        yield ",\N{NO-BREAK SPACE}".join(map(str, index)), value


def short(tensor: Tensor) -> str:
    """Return an input on one line."""
    digits = [f"{value:g}" if float(f"{value:g}") == value else repr(value) for value in tensor.data]
    shown = ", ".join(digits[:LISTED]) + (", ..." if len(digits) > LISTED else "")
    shape = " x ".join(map(str, tensor.shape)) or "scalar"
    return f"{tensor.dtype} ({shape}): {shown}"


def given(test: Any) -> list[str]:
    """Return a line for each input and one for the parameters."""
    lines = [f"- `{name}`, {short(tensor)}" for name, tensor in test.inputs.items()]
    parameters = {name: "null" if value is None else value for name, value in test.params.items()}
    if parameters:
        lines.append("- " + ", ".join(f"`{name}` {value}" for name, value in parameters.items()))
    return lines


def floats(name: str, expected: Any, limit: int) -> list[str]:
    """Return the table of a float output."""
    tensor = expected.tensor
    rows = [f"`{name}`, {tensor.dtype}:", "", "| index | value | bits | real value |", "|---|---|---|---|"]
    for (index, value), side in list(zip(cells(tensor), expected.residual, strict=True))[:limit]:
        number = "-∞" if value == float("-inf") else f"{value:.{DIGITS[tensor.dtype]}g}"
        rows.append(f"| {index} | {number} | `{bits(value, tensor.dtype)}` | {NAMES[side]} |")
    return rows


def integers(name: str, tensor: Tensor, limit: int) -> list[str]:
    """Return the table of an integer output, a row a query."""
    if not tensor.shape:
        return [f"`{name}` is {int(tensor.data[0])}."]
    width = tensor.shape[-1]
    head = f"| row | {' | '.join(map(str, range(width)))} |"
    rows = [f"`{name}`:", "", head, "|---" * (width + 1) + "|"]
    for start in range(0, min(len(tensor.data), limit * width), width):
        values = " | ".join(map(str, map(int, tensor.data[start : start + width])))
        rows.append(f"| {start // width} | {values} |")
    return rows


def block(chosen: Chosen, test: Any) -> str:
    """Return the text of one case."""
    lines = [
        f"### {chosen.title}",
        "",
        chosen.remark,
        "",
        f"Case `{test.id}` of `{test.operation}`:",
        "",
        *given(test),
    ]
    for name, dtypes in test.expected.items():
        if chosen.output not in ("", name) or not chosen.limit:
            continue
        if "int64" in dtypes or "bool" in dtypes:
            lines += ["", *integers(name, next(iter(dtypes.values())).tensor, chosen.limit)]
            continue
        expected = dtypes[chosen.dtype]
        lines += ["", *floats(name, expected, chosen.limit)]
        if len(expected.tensor.data) > chosen.limit:
            lines += ["", f"The first {chosen.limit} of {len(expected.tensor.data)} elements."]
    extra = chosen.derived(test) if chosen.derived else ""
    return "\n".join([*lines, "", extra]) + "\n"


def pages() -> dict[str, str]:
    """Return the worked numbers of each scheme as pages to include."""
    tests = {test.id: test for test in load_vectors().tests}
    found = {}
    for scheme, entries in CHOSEN.items():
        missing = [entry.case for entry in entries if entry.case not in tests]
        if missing:
            raise LookupError(f"docs show cases that the vectors do not have: {', '.join(missing)}")
        found[f"{scheme}-worked.md"] = "\n".join(block(entry, tests[entry.case]) for entry in entries)
    return found
