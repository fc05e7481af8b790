"""Vector files and exports read with plain code into one form, to be compared.

A tensor is (dtype, shape, values), a value the text of a Python number: NaN and -0 have one too. The
parameters are those of the vector file, so that the flat form is turned back into it.
"""

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Form = tuple[str, tuple[int, ...], tuple[str, ...]]

CODES = {"float64": ("d", 16), "float32": ("f", 8), "float16": ("e", 4), "bfloat16": ("f", 4)}


@dataclass
class Record:
    """A test of one call, or one step of a scenario."""

    operation: str
    params: Json
    inputs: dict[str, Any]
    dtype: str = ""
    expected: dict[str, Form] = field(default_factory=dict)
    bound: dict[str, Form] = field(default_factory=dict)
    error: tuple[str, str] | None = None
    requires: tuple[str, ...] = ()
    signed_zero: str = "ignore"


def number(word: str, dtype: str) -> str:
    """Return the number whose bits `word` holds, as text."""
    return numbers([word], dtype)[0]


def numbers(words: list[str], dtype: str) -> tuple[str, ...]:
    """Return the numbers whose bits the words hold, as texts."""
    tail = "0000" if dtype == "bfloat16" else ""
    data = bytes.fromhex("".join(word + tail for word in words))
    return tuple(map(repr, struct.unpack(f">{len(words)}{CODES[dtype][0]}", data)))


def cut(text: str, digits: int) -> list[str]:
    return [text[start : start + digits] for start in range(0, len(text), digits)]


def tensor(entry: Json) -> Form:
    """Return a tensor of the vector format."""
    dtype, shape = entry["dtype"], tuple(entry["shape"])
    if dtype not in CODES:
        return dtype, shape, tuple(str(one) for row in entry["data"] for one in row)
    return dtype, shape, numbers(cut("".join(entry["data"]), CODES[dtype][1]), dtype)


def put(form: Form, dtype: str) -> Form | None:
    """Return a float tensor in another dtype, None where a value is not exact in it."""
    stored, shape, values = form
    code, digits = CODES[dtype]
    try:
        data = struct.pack(f">{len(values)}{code}", *map(float, values)).hex()
    except OverflowError:
        return None
    words = [word[:digits] for word in cut(data, 8 if dtype == "bfloat16" else digits)]
    return (dtype, shape, values) if stored == dtype or numbers(words, dtype) == values else None


def vectors(root: Path) -> tuple[dict[str, Record], dict[str, Json]]:
    """Return the tests and the scenarios of a corpus as they are stored, `expected` by dtype."""
    tests: dict[str, Record] = {}
    scenarios: dict[str, Json] = {}
    for folder in ("core", "models", "hard"):
        for path in sorted((root / folder).rglob("*.json")):
            document = json.loads(path.read_text("ascii"))
            for group in document["groups"]:
                said = {
                    "requires": tuple(group["requires"]),
                    "signed_zero": group["compare"]["signed_zero"],
                }
                for test in group["tests"]:
                    if document["kind"] == "scenario":
                        scenarios[test["id"]] = {**test, **said, "name": document["scenario"]}
                        continue
                    error = test.get("error")
                    tests[test["id"]] = Record(
                        group.get("operation") or document["operation"],
                        group["params"],
                        {name: tensor(one) for name, one in test["inputs"].items()},
                        expected=test.get("expected", {}),
                        error=error and (error["class"], error["parameter"]),
                        **said,
                    )
    return tests, scenarios


def answers(stored: Json, dtype: str) -> tuple[dict[str, Form], dict[str, Form]] | None:
    """Return expected outputs and bounds in a dtype; None where an output is not stored in it."""
    expected, bound = {}, {}
    for name, by_dtype in stored.items():
        own = next(iter(by_dtype)) if "float64" not in by_dtype else dtype
        if own not in by_dtype:
            return None
        entry = by_dtype[own]
        expected[name] = tensor({key: entry[key] for key in ("dtype", "shape", "data")})
        if "bound" in entry:
            bound[name] = tensor({**entry, "dtype": "bfloat16", "data": entry["bound"]})
    return expected, bound


# ---- the flat form ----


def kind_value(kind: str, text: str) -> Any:
    """Return a value of the flat wire as it stands in a vector file."""
    words = text.split(" ")
    many = {"integers": int, "choices": str, "reals": real}
    if kind in many:
        assert int(words[0]) == len(words) - 1
        return [many[kind](word) for word in words[1:]]
    readers: Any = {
        "null": lambda _: None,
        "integer": int,
        "real": real,
        "boolean": {"true": True, "false": False}.__getitem__,
        "choice": str,
        "string": json.loads,
        "json": json.loads,
    }
    return readers[kind](text)


def real(word: str) -> Json:
    return {"float64": word, "decimal": number(word, "float64")}


def add_param(params: Json, name: str, kind: str, text: str) -> None:
    """Add a parameter; one with a point in its name is a key of an object."""
    value = kind_value(kind, text)
    outer, point, inner = name.partition(".")
    if point:
        params.setdefault(outer, {})[inner] = value
    else:
        params[name] = value


class Flat:
    """Reads an export of lines of words."""

    def __init__(self, path: Path) -> None:
        self.lines = iter(path.read_text("ascii").splitlines())
        word, seq, protocol, *self.head = next(self.lines).split(" ")
        assert (word, seq, protocol) == ("export", "0", "1")
        self.seq = 0
        self.tests: dict[str, Record] = {}
        self.scenarios: dict[str, Any] = {}
        while not (line := self.begin()).startswith("stop "):
            word, _, *words = line.split(" ")
            if word == "run":
                test, operation, dtype = words
                self.tests[test] = self.record(operation, dtype)
            else:
                assert word == "scenario"
                test, dtype, objects, steps = words
                about = self.record("", dtype)
                made = dict(self.made() for _ in range(int(objects)))
                calls = [self.step(made) for _ in range(int(steps))]
                self.scenarios[test] = (about.requires, about.signed_zero, made, calls)
        assert next(self.lines, None) is None

    def begin(self) -> str:
        """Return the first line of a record, whose number is the next."""
        self.seq += 1
        line = next(self.lines)
        assert line.split(" ")[1] == str(self.seq), line
        return line

    def made(self) -> tuple[str, Any]:
        word, _, name, operation = self.begin().split(" ")
        assert word == "open"
        found = self.record(operation, "")
        return name, (operation, found.params)

    def step(self, made: Any) -> tuple[str, Record]:
        word, _, _, name, dtype = self.begin().split(" ")
        assert word == "step"
        return name, self.record(made[name][0], dtype)

    def record(self, operation: str, dtype: str) -> Record:
        found = Record(operation, {}, {}, dtype)
        want: dict[str, str] = {}
        requires: list[str] = []
        while not (line := next(self.lines)).startswith("end "):
            word, *words = line.split(" ")
            if word == "param":
                add_param(found.params, words[0], words[1], " ".join(words[2:]))
            elif word in ("input", "expect", "bound"):
                into = {"input": found.inputs, "expect": found.expected, "bound": found.bound}[word]
                into[words[0]] = self.tensor(words[1:])
            elif word == "from_step":
                found.inputs[words[0]] = (int(words[1]), words[2])
            elif word == "seq_len":
                found.params["seq_len"] = int(words[0])
            elif word == "want":
                want[words[0]] = words[1]
            elif word == "error":
                found.error = (words[0], words[1])
            elif word == "requires":
                requires.append(words[0])
            else:
                assert line == "signed_zero strict"
                found.signed_zero = "strict"
        assert line == f"end {self.seq}"
        assert found.error or not found.expected or want == {k: v[0] for k, v in found.expected.items()}
        found.requires = tuple(requires)
        return found

    def tensor(self, words: list[str]) -> Form:
        dtype, rank, *axes = words
        shape = tuple(map(int, axes))
        assert int(rank) == len(shape)
        count = 1
        for size in shape[:-1]:
            count *= size
        rows = [next(self.lines).split(" ") for _ in range(count if 0 not in shape else 0)]
        assert all(len(row) == (shape[-1] if shape else 1) for row in rows)
        values = [one for row in rows for one in row]
        return dtype, shape, numbers(values, dtype) if dtype in CODES else tuple(values)
