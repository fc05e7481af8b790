"""The vectors as the judge in the browser reads them: one script, compressed.

A test keeps what a verdict needs: what it puts to whom, the expected values in float64 with their
residuals, from which every narrower dtype follows by one rounding, and the bounds of each dtype.
"""

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from site_results import samples

from posref.adapters import Implementation
from posref.bounds.model import DEFAULT_CLAIM, MODELS
from posref.conformance import exchange
from posref.conformance.claims import INTEGERS, default_claim
from posref.conformance.compare import Evidence
from posref.conformance.exchange import SkippedError, as_array
from posref.conformance.run import evidence
from posref.corpus import load_vectors, manifest
from posref.corpus.bits import hexadecimal
from posref.corpus.load import ScenarioTest, Test
from posref.corpus.read import CAPABILITIES
from posref.errors import KINDS
from posref.operation import DTYPES, FromStep, signature, signatures

Json = dict[str, Any]
NAME: Final = "posrefVectors"


def pages() -> dict[str, str]:
    """Return the script, under its name below the generated files."""
    text = json.dumps(document(), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    packed = base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
    return {"static/check/vectors.js": f'"use strict";\nvar {NAME} = "{packed}";\n'}


def document(root: str | Path | None = None) -> Json:
    """Return everything that a verdict depends on.

    Parameters
    ----------
    root : path, optional
        Folder of the corpus; default: the one that posref ships.
    """
    corpus = load_vectors(root)
    return {
        "corpus": corpus.version,
        "tree_sha256": manifest.read(corpus.root).tree_sha256,
        "operations": {name: _outputs(name) for name in signatures()},
        "models": {name: list(model.dtypes) for name, model in MODELS.items()},
        "defaults": {dtype: DEFAULT_CLAIM[dtype] for dtype in DTYPES},
        "capabilities": list(CAPABILITIES),
        "kinds": list(KINDS),
        "tests": [_test(test) for test in corpus.tests],
        "scenarios": [_scenario(test) for test in corpus.scenarios],
        "samples": samples(corpus),
    }


def _outputs(name: str) -> Json:
    entry = signature(name)
    return {"integer": entry.integer, "outputs": {one.name: one.dtype for one in entry.outputs}}


def _said(test: Test | ScenarioTest, comment: str) -> Json:
    folder = test.file.partition("/")[0]
    return {
        "id": test.id,
        "set": folder,
        "comment": comment,
        "requires": list(test.requires),
        "strict": test.signed_zero == "strict",
    }


def _test(test: Test) -> Json:
    """Return a test of one call."""
    record = {
        **_said(test, test.comment),
        "operation": test.operation,
        "kind": test.kind,
        "asked": _asked(test),
    }
    if test.error is not None:
        return {**record, "error": [test.error.kind, test.error.parameter]}
    return {
        **record,
        "expected": _expected(test, {dtype: _right(test, dtype, {}) for dtype in _stored(test)}),
    }


def _scenario(test: ScenarioTest) -> Json:
    """Return a scenario: of each step what it asks and what must come."""
    dtypes = [dtype for dtype in DTYPES if all(dtype in _stored(call) for call in test.calls)]
    played = {dtype: _played(test, dtype) for dtype in dtypes}
    steps = [
        {
            "operation": call.operation,
            "strict": call.signed_zero == "strict",
            "asked": _asked(call),
            "expected": _expected(call, {dtype: played[dtype][index] for dtype in dtypes}),
        }
        for index, call in enumerate(test.calls)
    ]
    named = {"operation": test.name, "operations": list(test.operations), "integer": test.integer}
    return {**_said(test, test.scenario.comment), **named, "steps": steps}


def _asked(test: Test) -> Json:
    """Return for each dtype which others its inputs need, which is not exact, which is subnormal."""
    dtypes = ("int64",) if signature(test.operation).integer else DTYPES
    return {dtype: _put(test, dtype) for dtype in dtypes}


def _put(test: Test, dtype: str) -> Json:
    needs: list[str] = []
    found: Json = {"needs": needs}

    def write(values: Any, chosen: str) -> Any:
        if chosen in DTYPES and chosen not in (dtype, *needs):
            needs.append(chosen)
        return values

    entry = signature(test.operation)
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    for key, flushes in (("inexact", False), ("subnormal", True)):
        reader = Implementation("page", {}, dtypes=DTYPES, write=write, flush_subnormals=flushes)
        try:
            exchange.write_inputs(reader, entry, test, values, dtype)
        except SkippedError as reason:
            if "inexact" not in found:
                found[key] = str(reason)
    return found


def _stored(test: Test) -> tuple[str, ...]:
    """Return the dtypes in which every output has a value; all of them where each is of integers."""
    outputs = test.expected.values()
    return tuple(d for d in DTYPES if all(exchange.judged_in(one, d) in one for one in outputs))


def _right(test: Test, dtype: str, earlier: Mapping[str, tuple[Evidence, str]]) -> Evidence:
    """Return the evidence of the right answer, which knows where bounds say nothing."""
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    for name, (one, output) in earlier.items():
        values[name] = one.want[output].real
    got = {}
    for name, stored in test.expected.items():
        got[name] = as_array(stored[exchange.judged_in(stored, dtype)].tensor)
    return evidence(test, values, got, dtype, earlier)


def _played(test: ScenarioTest, dtype: str) -> list[Evidence]:
    found: list[Evidence] = []
    for step, call in zip(test.scenario.steps, test.calls, strict=True):
        links = {
            name: (found[one.step], one.output)
            for name, one in step.inputs.items()
            if isinstance(one, FromStep)
        }
        found.append(_right(call, dtype, links))
    return found


def _expected(test: Test, right: Mapping[str, Evidence]) -> Json:
    found: Json = {}
    for name, stored in test.expected.items():
        own = next(iter(stored))
        tensor = stored[own].tensor
        if own in INTEGERS:
            found[name] = {
                "dtype": own,
                "shape": list(tensor.shape),
                "data": [str(int(one)) for one in tensor.data],
            }
            continue
        wide = stored["float64"]
        found[name] = {
            "shape": list(tensor.shape),
            "data": hexadecimal(wide.tensor.data, "float64"),
            "residual": wide.residual,
            "bound": {d: hexadecimal(stored[d].bound, "bfloat16") for d in DTYPES if d in stored},
            "silent": {d: where for d, one in right.items() if (where := _silent(one, name, d))},
        }
    return found


def _silent(one: Evidence, name: str, dtype: str) -> list[int]:
    return [int(at) for at in one.silent(name, default_claim(dtype)).reshape(-1).nonzero()[0]]
