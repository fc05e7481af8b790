"""Cases and their certified values as the JSON of the vector format, in canonical bytes."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from posref import operation
from posref.corpus import parameters
from posref.corpus.bits import DIGITS, hexadecimal, round_up, rows
from posref.corpus.clauses import clauses
from posref.corpus.kinds import MODEL
from posref.operation import Case, Group, Scenario, Signature, Tensor

FORMAT: Final = "posref-vectors"
FORMAT_VERSION: Final = 1
LICENSE: Final = "CC0-1.0"

Json = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """One output in one dtype: the rounded values, a residual character and a bound for each."""

    tensor: Tensor
    residual: str = ""
    bound: tuple[float, ...] = ()


def tensor(value: Tensor) -> Json:
    """Return a tensor as JSON: dtype, shape and one row a line."""
    cut = rows(value.data, value.shape)
    data: list[Any]
    if value.dtype in DIGITS:
        data = [hexadecimal(row, value.dtype) for row in cut]
    else:
        data = [[int(entry) for entry in row] for row in cut]
    return {"dtype": value.dtype, "shape": list(value.shape), "data": data}


def expected(value: Expected) -> Json:
    """Return an expected output in one dtype as JSON, its bounds rounded up to bfloat16."""
    entry = tensor(value.tensor)
    if value.tensor.dtype in DIGITS:
        entry["residual"] = ["".join(row) for row in rows(value.residual, value.tensor.shape)]
        bounds = [round_up(bound) for bound in value.bound]
        entry["bound"] = [hexadecimal(row, "bfloat16") for row in rows(bounds, value.tensor.shape)]
    return entry


def case_hash(name: str, params: Json, test: Json) -> str:
    """Return the first 16 digits of the SHA-256 of what a test says, its bounds left out."""
    content: Json = {"operation": name, "params": params, "inputs": test["inputs"]}
    if "error" in test:
        content["error"] = test["error"]
    else:
        content["expected"] = without_bounds(test["expected"])
    return digest(content)


def without_bounds(expected: Json) -> Json:
    """Return the expected outputs of a call as a hash sees them."""
    return {
        output: {
            dtype: {key: part for key, part in entry.items() if key != "bound"}
            for dtype, entry in by_dtype.items()
        }
        for output, by_dtype in expected.items()
    }


def digest(content: Json) -> str:
    """Return the first 16 digits of the SHA-256 of compact JSON."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def case(
    signature: Signature,
    params: Json,
    entry: Case,
    values: Mapping[str, Mapping[str, Expected]],
    said: Json | None = None,
) -> Json:
    """Return one test as JSON; `values` are its expected outputs, empty where it must be refused.

    `said` are the members of a hard or golden test that others have not, or have otherwise.
    """
    order = [item.name for item in signature.inputs if item.name in entry.inputs]
    order += sorted(entry.inputs.keys() - set(order))
    test: Json = {**about(entry), "inputs": {name: tensor(entry.inputs[name]) for name in order}}
    if entry.error:
        test["error"] = {"class": entry.error.kind, "parameter": entry.error.parameter}
    elif values:
        test["expected"] = outputs(signature, values)
    test |= said or {}
    test["case_hash"] = case_hash(signature.name, params, test)
    return test


def about(entry: Case | Scenario) -> Json:
    """Return what a test says about itself."""
    return {
        "id": entry.id,
        "comment": entry.comment,
        "flags": sorted(entry.flags),
        "clauses": list(entry.clauses),
    }


def outputs(signature: Signature, values: Mapping[str, Mapping[str, Expected]]) -> Json:
    """Return the expected outputs of a call as JSON."""
    return {
        output.name: {
            dtype: expected(values[output.name][dtype])
            for dtype in (*operation.DTYPES, "int64", "bool")
            if dtype in values[output.name]
        }
        for output in signature.outputs
    }


def group(
    entry: Group,
    values: Mapping[str, Mapping[str, Mapping[str, Expected]]],
    source: Mapping[str, str],
    *,
    named: bool = False,
    said: Mapping[str, Json] | None = None,
) -> Json:
    """Return a group as JSON; `values` holds the expected outputs by the identifier of the case.

    A group that is `named` says its operation, as in the file of a model. `said` has what hard and golden
    tests say beyond others, by identifier.
    """
    signature = operation.signature(entry.operation)
    loose = any(item.error for item in entry.cases)
    params = parameters.encode(signature, entry.params, loose=loose)
    return {
        "group": entry.name,
        **({"operation": entry.operation} if named else {}),
        "source": {"name": source["name"], "version": source["version"]},
        "params": params,
        "requires": sorted(entry.requires),
        "compare": {"signed_zero": entry.signed_zero},
        "tests": [
            case(signature, params, item, values.get(item.id, {}), (said or {}).get(item.id))
            for item in sorted(entry.cases, key=lambda item: item.id)
        ],
    }


def header(name: str) -> str:
    """Return the definition of an operation in one paragraph: its summary and its clauses."""
    signature = operation.signature(name)
    texts = [clauses()[clause] for clause in signature.clauses]
    return " ".join([signature.summary, *(f"{text.id} ({text.title}): {text.paragraph}" for text in texts)])


def flags() -> dict[str, Json]:
    """Return what each flag means, from ``spec/flags.json``."""
    found: dict[str, Json] = json.loads((operation.home("spec") / "flags.json").read_text("ascii"))
    return found


def document(name: str, kind: str, groups: Iterable[Json]) -> Json:
    """Return a whole file of one operation as JSON."""
    return whole(name, kind, {"operation": name}, header(name), groups)


def model(name: str, title: str, source: Iterable[str], groups: Iterable[Json]) -> Json:
    """Return the whole file of a published model as JSON."""
    found = list(groups)
    used = sorted({entry["operation"] for entry in found})
    text = f"{title}, as published. {' '.join(f'{one}: {header(one)}' for one in used)}"
    return whole(name, MODEL, {MODEL: name, "source": list(source)}, text, found)


def whole(name: str, kind: str, subject: Json, text: str, groups: Iterable[Json]) -> Json:
    """Return a file as JSON, with `subject` for what it is about and `text` for its header."""
    ordered = sorted(groups, key=lambda entry: entry["group"])
    tests = [test for entry in ordered for test in entry["tests"]]
    known = flags()
    used = sorted({flag for test in tests for flag in test["flags"]})
    unknown = [flag for flag in used if flag not in known]
    if unknown:
        raise ValueError(f"{name}: spec/flags.json does not explain {', '.join(unknown)}")
    keys = ("bug_type", "description", "effect", "links")
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": kind,
        **subject,
        "license": LICENSE,
        "header": text,
        "notes": {flag: {key: known[flag][key] for key in keys} for flag in used},
        "number_of_tests": len(tests),
        "groups": ordered,
    }


def dump(value: Any) -> bytes:
    """Return canonical bytes: ASCII, LF, one key and one row a line, a final newline.

    Examples
    --------
    >>> print(dump({"shape": [1, 2], "data": ["3f80", "4000"]}).decode(), end="")
    {
     "shape": [1, 2],
     "data": [
      "3f80",
      "4000"
     ]
    }
    """
    return (_write(value, "\n") + "\n").encode("ascii")


def _write(value: Any, line: str) -> str:
    if isinstance(value, float):
        raise TypeError(f"a JSON float loses bits: {value!r}")
    inner = line + " "
    if isinstance(value, dict) and value:
        entries = [f"{json.dumps(key)}: {_write(part, inner)}" for key, part in value.items()]
        return "{" + inner + f",{inner}".join(entries) + line + "}"
    if isinstance(value, list) and not all(isinstance(part, int) for part in value):
        return "[" + inner + f",{inner}".join(_write(part, inner) for part in value) + line + "]"
    return json.dumps(value, ensure_ascii=True)
