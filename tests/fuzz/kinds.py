"""What posref reads, each kind with good examples, ways to damage them, and what must hold of the damaged.

`check` takes the bytes of a damaged file. It returns whether they were accepted; it lets FormatError and
SpecError through, and fails where bytes that say something else than the good ones are taken for them.
"""

import io
import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutations
import numpy as np
import pytest
import small_roots

from posref import operation
from posref.configuration import resolved
from posref.conformance import archive, check, expected
from posref.conformance.results import Results
from posref.conformance.wire import flat, jsonl
from posref.conformance.wire.messages import Close, Done, Open, Outputs, Run, Start
from posref.corpus import bits, load_vectors, manifest, sweep_state
from posref.corpus.strict import read_object
from posref.corpus.sweep_state import Tally
from posref.errors import FormatError

Check = Callable[[Path, bytes], None]


@dataclass(frozen=True)
class Kind:
    """A kind of file, or of message.

    `check` gets a folder of its own, a good example and damaged bytes.
    """

    good: Callable[[], tuple[bytes, ...]]
    damaged: Callable[[bytes], mutations.Strategy]
    check: Callable[[Path, bytes, bytes], None]


VECTOR_FILES = {
    "value": "core/rope/inv_freq.json",
    "indices": "core/swin/index.json",
    "invalid": "core/rope/inv_freq_invalid.json",
    "model": "models/deberta-v3.json",
    "scenario": "core/rope/shards_scenario.json",
    "hard": "hard/rope/cos_sin.json",
    "threshold": "hard/t5/bucket.json",
    "golden": "golden/rope/permute.json",
    "decimals": "golden/sinusoidal/shift_matrix.json",
}


def vectors(path: str) -> Kind:
    """A vector file: refused, or each test as before; refused in any case while it is not signed again."""

    def inspect(root: Path, good: bytes, data: bytes) -> None:
        counts = small_roots.counted({path: good})
        small_roots.write(root, {path: good}, counts)
        meaning = small_roots.loaded(root)
        if data != good:
            (root / path).write_bytes(data)
            refused(lambda: load_vectors(root), path)
        small_roots.write(root, {path: data}, counts)
        assert small_roots.loaded(root) == meaning

    return Kind(lambda: (small_roots.cut(path),), mutations.json_file, inspect)


def refused(call: Callable[[], Any], file: str) -> None:
    with pytest.raises(FormatError) as failure:
        call()
    assert failure.value.file == file


PAIR = ("core/rope/inv_freq.json", "models/deberta-v3.json")


def _manifest() -> tuple[bytes, ...]:
    return (small_roots.signed(PAIR)[manifest.MANIFEST],)


def _inspect_manifest(root: Path, good: bytes, data: bytes) -> None:
    small_roots.lay(root, PAIR)
    before, meaning = manifest.read(root), small_roots.loaded(root)
    (root / manifest.MANIFEST).write_bytes(data)
    assert small_roots.loaded(root) == meaning
    after = manifest.read(root)
    assert (after.files, after.tree_sha256) == (before.files, before.tree_sha256)


def _inspect_sums(root: Path, good: bytes, data: bytes) -> None:
    small_roots.lay(root, PAIR)
    (root / manifest.SUMS).write_bytes(data)
    manifest.read(root)
    assert data == good


REPLIES: dict[str, Any] = {
    "facts": {
        "seq": 0, "name": "a", "language": "C", "version": "1", "operations": ["rope.apply"],
        "dtypes": ["float32"], "claims": {"float32": "ulp:2"}, "axes": "thd", "sessions": ["rope.apply"],
        "lacks": ["positions-2p53"], "flush_subnormals": True,
    },
    "outputs": {
        "seq": 3,
        "outputs": {
            "y": {"dtype": "float32", "shape": [2, 1], "data": ["3f800000", "BF80000A"]},
            "index": {"dtype": "int32", "shape": [], "data": [[-7]]},
        },
    },
    "error": {"seq": 3, "error": {"class": "INVALID_SHAPE", "parameter": "x", "message": "no"}},
    "skipped": {"seq": 3, "skipped": {"reason": "no kernel"}},
    "opened": {"seq": 3, "opened": True},
    "closed": {"seq": 3, "closed": True},
}  # fmt: skip
FLAT_REPLIES = {
    "facts": "name a\nlanguage C\nversion 1\noperation rope.apply\ndtype float32\nclaim float32 ulp:2\n"
    "axes thd\nsession rope.apply\nlacks positions-2p53\nflush_subnormals true\nend 0\n",
    "outputs": "output y float32 2 2 1\n3f800000\nBF80000A\noutput index int32 0\n-7\nend 3\n",
    "error": "error 3 INVALID_SHAPE x\n",
    "skipped": "skipped 3 no kernel\n",
    "opened": "opened 3\n",
    "closed": "closed 3\n",
}
ASKED: dict[str, Any] = {
    **dict.fromkeys(REPLIES, Run("a", "rope.apply", {}, "float32", {}, {"y": "float32", "index": "int64"})),
    "facts": Start("0.1.0", "0.1.0"),
    "opened": Open("a", "rope.apply", {}),
    "closed": Close("a"),
}


def tensors(reply: Any) -> dict[str, Any]:
    """Return the outputs of a reply as they stand in JSON, digits in lower case."""
    return {
        name: {
            "dtype": block.dtype,
            "shape": list(block.values.shape),
            "data": [
                bits.hexadecimal(row, block.dtype)
                if block.dtype in bits.DIGITS
                else [int(one) for one in row]
                for row in bits.rows(block.values.ravel().tolist(), block.values.shape)
            ],
        }
        for name, block in reply.tensors.items()
    }


def _inspect_reply(_: Path, good: bytes, data: bytes) -> None:
    """A reply on the JSON wire: refused, or read as an independent reader of JSON reads it."""
    name = next(one for one, record in REPLIES.items() if json.loads(good) == record)
    reply = jsonl.decode(data, ASKED[name], json.loads(good)["seq"])
    record = json.loads(data)
    if isinstance(reply, Outputs):
        assert lower(record["outputs"]) == tensors(reply)
    elif "name" in record:
        assert {"seq": 0, **given(reply, record)} == record
    elif isinstance(reply, Done):
        assert record in (REPLIES["opened"], REPLIES["closed"])
    else:
        assert said(reply, record) == record


def lower(outputs: Any) -> Any:
    return {
        name: {**one, "data": [row.lower() if isinstance(row, str) else row for row in one["data"]]}
        for name, one in outputs.items()
    }


def given(facts: Any, record: Any) -> Any:
    plain = {**vars(facts), "claims": dict(facts.claims)}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in plain.items()
        if key in record
    }


def said(reply: Any, record: Any) -> Any:
    kind = type(reply).__name__
    if kind == "Refusal":
        own = {"message": reply.message} if "message" in record["error"] else {}
        return {"seq": 3, "error": {"class": reply.kind, "parameter": reply.parameter, **own}}
    return {"seq": 3, "skipped": {"reason": reply.reason}}


def _inspect_flat(_: Path, good: bytes, data: bytes) -> None:
    """A reply on the flat wire: refused, or written again it is what was read."""
    name = next(one for one, text in FLAT_REPLIES.items() if text.encode() == good)
    reply = flat.decode(data, ASKED[name], 0 if name == "facts" else 3)
    text = data.decode("ascii")
    text = text if text.endswith("\n") else f"{text}\n"
    if isinstance(reply, Outputs):
        assert written(reply) == text.lower()
    elif name == "facts":
        assert sorted(fact_lines(reply, text)) == sorted(text.splitlines())
    elif type(reply).__name__ == "Skip":
        assert text == f"skipped 3 {reply.reason}\n"
    elif type(reply).__name__ == "Refusal":
        assert text == f"{' '.join(filter(None, ('error 3', reply.kind, reply.parameter)))}\n"
    else:
        assert text in ("opened 3\n", "closed 3\n")


def written(reply: Any) -> str:
    lines = []
    for name, one in tensors(reply).items():
        lines.append(" ".join(map(str, ("output", name, one["dtype"], len(one["shape"]), *one["shape"]))))
        width = bits.DIGITS.get(one["dtype"])
        for row in one["data"]:
            words = [row[at : at + width] for at in range(0, len(row), width)] if width else map(str, row)
            lines.append(" ".join(words))
    return "".join(f"{line}\n" for line in [*lines, "end 3"])


def fact_lines(facts: Any, text: str) -> list[str]:
    lines = [f"name {facts.name}", f"language {facts.language}", "end 0"]
    lines += [f"version {facts.version}"] if facts.version else []
    lines += [f"axes {facts.axes}"] if "\naxes " in f"\n{text}" else []
    if "\nflush_subnormals " in f"\n{text}":
        lines.append(f"flush_subnormals {str(facts.flush_subnormals).lower()}")
    for key, values in (
        ("operation", facts.operations), ("dtype", facts.dtypes),
        ("session", facts.sessions), ("lacks", facts.lacks),
    ):  # fmt: skip
        lines += [f"{key} {one}" for one in values]
    return lines + [f"claim {dtype} {claim}" for dtype, claim in facts.claims.items()]


def _configs() -> tuple[bytes, ...]:
    names = ("deepseek-v3", "gpt-neox", "llama-3.1", "phi-3.5", "qwen-2.5-yarn", "qwen3-vl")
    models = operation.home("spec") / "models"
    found = [json.loads((models / f"{name}.json").read_bytes())["config"] for name in names]
    return tuple(json.dumps(config, indent=1).encode() for config in found)


def _inspect_config(folder: Path, good: bytes, data: bytes) -> None:
    """A configuration: refused, or its numbers are finite and from what an independent reader reads."""
    file = folder / "config.json"
    file.write_bytes(data)
    config = read_object(file)
    assert config == json.loads(data.decode("utf-8"), object_pairs_hook=once)
    found, _ = resolved(file, 4096)
    assert all(np.isfinite(np.asarray(part)).all() for part in found)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    assert len(found) == len(pairs)
    return found


TABLES = {"x": np.arange(6.0).reshape(2, 3), "positions": np.arange(2), "mask": np.array([True, False])}


def _archives() -> tuple[bytes, ...]:
    found = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, **TABLES, half=np.ones((2, 2), "float16").T)
        found.append(file.getvalue())
    return tuple(found)


def _inspect_archive(folder: Path, good: bytes, data: bytes) -> None:
    file = folder / "a.npz"
    file.write_bytes(data)
    found = archive.read(file)
    half = np.ones((2, 2), "float16")
    assert found.keys() == {*TABLES, "half"}
    for name, array in {**TABLES, "half": half}.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


EXPECTED = b"""# what is known
[[expected]]
case = "rope-*"
reason = "half a ladder"
link = "https://example.org/7"
operation = "rope.*"
dtype = "float32"

[[expected]]
case = 'relative'
reason = "unwritten"
"""


def _inspect_expected(folder: Path, good: bytes, data: bytes) -> None:
    """A file of known failures: refused, or what an independent reader of TOML reads."""
    file = folder / "known.toml"
    file.write_bytes(data)
    found = expected.read(file)
    tables = tomllib.loads(data.decode("utf-8"))["expected"]
    defaults = {"link": "", "operation": "*", "dtype": "*"}
    assert [vars(one) for one in found] == [{**defaults, **table} for table in tables]


def _state() -> tuple[bytes, ...]:
    return (small_roots.state(),)


def _inspect_state(folder: Path, good: bytes, data: bytes) -> None:
    file = folder / "state.json"
    file.write_bytes(data)
    found = sweep_state.read(file)
    assert found == {"float32 10000.0 4 0 50": Tally(200, 3, 2, 1, 1.5)}


RUN_OF = ("core/rope/inv_freq.json", "core/swin/index.json")


def _results() -> tuple[bytes, ...]:
    return (small_roots.results(RUN_OF),)


def _inspect_results(root: Path, good: bytes, data: bytes) -> None:
    """A file of results: refused, or what passes exactly has the bits that were right."""
    small_roots.lay(root, RUN_OF)
    file = root / "results.jsonl"
    file.write_bytes(data)
    report = check(Results(file), dtype="float32", claim="correctly_rounded", root=root)
    right, now = (small_roots.answers(text) for text in (good, data))
    for one in report.results:
        if one.verdict == "pass":
            key = one.case_id, one.dtype
            assert now[key] == right[key], key


KINDS: dict[str, Kind] = {
    **{f"vectors-{name}": vectors(path) for name, path in VECTOR_FILES.items()},
    "manifest": Kind(_manifest, mutations.json_file, _inspect_manifest),
    "sums": Kind(lambda: (small_roots.signed(PAIR)[manifest.SUMS],), mutations.text_file, _inspect_sums),
    "results": Kind(_results, mutations.json_lines, _inspect_results),
    "reply-json": Kind(
        lambda: tuple(json.dumps(one).encode() for one in REPLIES.values()),
        mutations.json_file,
        _inspect_reply,
    ),
    "reply-flat": Kind(
        lambda: tuple(text.encode() for text in FLAT_REPLIES.values()), mutations.text_file, _inspect_flat
    ),
    "config": Kind(_configs, mutations.json_file, _inspect_config),
    "npz": Kind(_archives, mutations.bytes_of, _inspect_archive),
    "known-failures": Kind(lambda: (EXPECTED,), mutations.text_file, _inspect_expected),
    "sweep-state": Kind(_state, mutations.json_file, _inspect_state),
}
