"""The export as one header of C99 and C++: arrays of bits and a table of cases (wire-protocol.C18)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from posref.conformance.exchange import as_array
from posref.conformance.export.jsonl import bounds
from posref.conformance.export.selection import Asked, Selection
from posref.conformance.wire import flat_request
from posref.conformance.wire.messages import Array, Block
from posref.numerics.rounding import round_bits
from posref.operation import DTYPES, home, signature

_TYPES: Final = {
    "float64": "uint64_t",
    "float32": "uint32_t",
    "bfloat16": "uint16_t",
    "float16": "uint16_t",
    "int64": "int64_t",
    "bool": "uint8_t",
}
_PER_LINE: Final = 8
_LEAST: Final = -(2**63)


def written(chosen: Selection) -> Iterator[bytes]:
    """Yield the text of a header."""
    writer = _Writer()
    cases = [_case(writer, asked) for asked in chosen.tests]
    scenes = [f"{{{_text(scene.test.id)}, {_text(scene.dtype)}}}" for scene in chosen.scenarios]
    before, _, after = _frame().partition("/* THE DATA */\n")
    yield before.encode("ascii")
    yield "\n".join(_facts(chosen)).encode("ascii") + b"\n\n"
    yield "".join(writer.lines).encode("ascii")
    yield _table("posref_case posref_cases", cases, 13)
    yield _table("posref_scenario posref_scenarios", scenes, 2)
    yield after.encode("ascii")


def _frame() -> str:
    """Return the part of the header that is the same for every export."""
    return (home("spec") / "export.h").read_text("ascii")


def _facts(chosen: Selection) -> list[str]:
    return [
        f"#define POSREF_CORPUS {_text(chosen.corpus)}",
        f"#define POSREF_TREE_SHA256 {_text(chosen.tree_sha256)}",
        f"#define POSREF_DTYPE {_text(chosen.dtype)}",
        f"#define POSREF_CASES {len(chosen.tests)}",
        f"#define POSREF_SCENARIOS {len(chosen.scenarios)}",
    ]


@dataclass
class _Writer:
    """The arrays written so far, each once."""

    lines: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def array(self, kind: str, entries: Sequence[str]) -> str:
        """Return the name of an array with these entries; an empty one is the null pointer."""
        if not entries:
            return "0"
        rows = [entries[start : start + _PER_LINE] for start in range(0, len(entries), _PER_LINE)]
        body = ",\n".join(f"    {', '.join(row)}" for row in rows)
        text = f"{kind} %s[] = {{\n{body}}};\n"
        if text not in self.known:
            self.known[text] = f"posref_{len(self.known)}"
            self.lines.append(f"static const {text % self.known[text]}")
        return self.known[text]

    def tensors(self, blocks: Mapping[str, Block], limits: Mapping[str, Block]) -> str:
        """Return the name of an array of tensors, those of `limits` being their bounds."""
        return self.array("struct posref_tensor", [self._tensor(*one, limits) for one in blocks.items()])

    def _tensor(self, name: str, block: Block, limits: Mapping[str, Block]) -> str:
        shape = self.array("int64_t", [str(size) for size in block.values.shape])
        bound = self._bits(limits[name]) if name in limits else "0"
        size, rank = block.values.size, block.values.ndim
        facts = f"{_text(name)}, {_text(block.dtype)}, {rank}, {shape}, {size}"
        return f"{{{facts}, {self._bits(block)}, {bound}}}"

    def _bits(self, block: Block) -> str:
        return self.array(_TYPES[block.dtype], _literals(block))


def _literals(block: Block) -> list[str]:
    if block.dtype in DTYPES:
        bits: Array = round_bits(block.values, block.dtype).ravel()
        return [f"UINT64_C({one:#x})" if block.dtype == "float64" else f"{one:#x}u" for one in bits.tolist()]
    values = np.asarray(block.values, np.int64).ravel().tolist()
    if block.dtype == "bool":
        return [str(one) for one in values]
    return [f"INT64_C({one})" if one != _LEAST else "INT64_MIN" for one in values]


def _case(writer: _Writer, asked: Asked) -> str:
    request, test = asked.call.request, asked.test
    expected = {
        name: Block(one.tensor.dtype, as_array(one.tensor)) for name, one in asked.call.expected.items()
    }
    found = {name: bounds(one) for name, one in asked.call.expected.items()}
    limits = {name: Block("bfloat16", as_array(one)) for name, one in found.items() if one is not None}
    params = _params(test.operation, test.params)
    fields = [
        *(_text(one) for one in (test.id, test.operation, request.dtype, " ".join(test.requires))),
        str(len(params)),
        writer.array("struct posref_param", params),
        str(len(request.inputs)),
        writer.tensors(request.inputs, {}),
        str(len(expected)),
        writer.tensors(expected, limits),
        str(int(test.signed_zero == "strict")),
        *(("0", "0") if test.error is None else (_text(test.error.kind), _text(test.error.parameter))),
    ]
    return f"{{{', '.join(fields)}}}"


def _params(operation: str, params: Mapping[str, Any]) -> list[str]:
    """Return parameters as name, kind and text of the flat wire, integers and reals as numbers besides."""
    published = {one.name for one in signature(operation).parameters if one.type == "config"}
    entries = []
    for key, value in params.items():
        for line in flat_request.param(key, value, whole=key in published):
            _, name, kind, *rest = line.split(" ", 3)
            text = rest[0] if rest else ""
            integer = {"integer": text, "boolean": str(int(text == "true"))}.get(kind, "0")
            integer = integer if -(2**63) < int(integer) < 2**63 else "0"
            bits = f"0x{text}" if kind == "real" else "0"
            entries.append(
                f"{{{_text(name)}, {_text(kind)}, {_text(text)}, INT64_C({integer}), UINT64_C({bits})}}"
            )
    return entries


def _text(text: str) -> str:
    """Return a string literal; trigraphs apart, JSON's of printable ASCII are those of C."""
    return json.dumps(text).replace("?", "\\?")


def _table(name: str, entries: Sequence[str], fields: int) -> bytes:
    """Return the definition of a table with an entry of zeros at its end."""
    rows = [*entries, f"{{{', '.join(['0'] * fields)}}}"]
    body = ",\n".join(f"    {row}" for row in rows)
    return f"static const struct {name}[] = {{\n{body}}};\n\n".encode("ascii")
