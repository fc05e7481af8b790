"""The loader: a small valid corpus is read exactly; each of many faults is refused, at its place."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corruptions import CORRUPTIONS, Corruption

from posref import operation
from posref.corpus import load_vectors
from posref.errors import FormatError
from posref.operation import Refusal, Tensor

INV_FREQ = "core/rope/inv_freq.json"


def by_id(root: Path, operations: str = "*") -> dict[str, Any]:
    return {test.id: test for test in load_vectors(root, operations).tests}


def test_small_corpus_is_read_exactly(small: Any) -> None:
    tests = by_id(small.root)
    assert len(tests) == 6
    ladder = tests["small-inv-freq"]
    assert (ladder.operation, ladder.kind, ladder.error) == ("rope.inv_freq", "value", None)
    assert ladder.params == {"rotary_dim": 4, "base": 10000.0}
    assert type(ladder.params["base"]) is float
    short = ladder.expected["inv_freq"]["bfloat16"]
    assert short.tensor == Tensor("bfloat16", (2,), (1.0, 164 / 2**14))
    assert (short.residual, short.bound) == ("0-", (2.0**-8, 1.5 * 2.0**-16))
    assert ladder.expected["inv_freq"]["float64"].tensor.data == (1.0, 0.01)
    bias = tests["small-bias"].expected["bias"]["float16"].tensor
    assert bias == Tensor("float16", (1, 1, 2), (-0.5, -math.inf))
    assert tests["small-output"].inputs["bias"].data == (0.0, -math.inf)
    refused = tests["small-inv-freq-odd"]
    assert refused.error == Refusal("INVALID_PARAMETER", "rotary_dim")
    assert refused.kind == "invalid"
    assert math.isnan(refused.params["base"])
    empty = tests["small-relative-empty"].expected["relative_position"]["int64"]
    assert empty.tensor == Tensor("int64", (0, 2), ())


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda entry: entry.name)
def test_corruption_is_refused(small: Any, corruption: Corruption) -> None:
    corruption.apply(small)
    with pytest.raises(FormatError) as caught:
        load_vectors(small.root)
    error = caught.value
    assert (error.file, error.pointer, error.case) == (corruption.file, corruption.pointer, corruption.case)
    assert corruption.message in str(error)
    for part in (error.file, error.pointer, error.case):
        assert part in str(error)


def test_only_matching_operations_are_read_but_all_are_verified(small: Any) -> None:
    assert {test.operation for test in load_vectors(small.root, "rope.*").tests} == {"rope.inv_freq"}
    data = (small.root / "core/alibi/bias.json").read_bytes()
    (small.root / "core/alibi/bias.json").write_bytes(data.replace(b"neg_inf", b"neg_inF"))
    with pytest.raises(FormatError, match="SHA-256") as caught:
        load_vectors(small.root, "rope.*")
    assert caught.value.file == "core/alibi/bias.json"


def test_an_unknown_operation_is_not_an_empty_corpus(small: Any) -> None:
    with pytest.raises(ValueError, match=r"rop\.\*"):
        load_vectors(small.root, "rop.*")


def test_truncated_and_altered_files(small: Any) -> None:
    path = small.root / INV_FREQ
    data = path.read_bytes()
    for wrong in (data[:-100], data + b"\n"):
        path.write_bytes(wrong)
        with pytest.raises(FormatError, match="bytes where manifest") as caught:
            load_vectors(small.root)
        assert caught.value.file == INV_FREQ
    path.write_bytes(data.replace(b"40c388", b"40c389"))
    with pytest.raises(FormatError, match="SHA-256"):
        load_vectors(small.root)


def test_listed_and_missing_or_there_and_unlisted(small: Any) -> None:
    shutil.copy(small.root / INV_FREQ, small.root / "core/rope/extra.json")
    with pytest.raises(FormatError, match="does not list") as caught:
        load_vectors(small.root)
    assert caught.value.file == "core/rope/extra.json"
    (small.root / "core/rope/extra.json").unlink()
    (small.root / INV_FREQ).unlink()
    with pytest.raises(FormatError, match="not there") as caught:
        load_vectors(small.root)
    assert caught.value.pointer == "/files/3/path"


def test_a_file_that_leads_out_of_the_folder(small: Any) -> None:
    outside = small.root.parent / "outside.json"
    shutil.move(small.root / INV_FREQ, outside)
    (small.root / INV_FREQ).symlink_to(outside)
    with pytest.raises(FormatError, match="leads out"):
        load_vectors(small.root)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/format", "posref-vectors"),
        ("/format_version", 2),
        ("/corpus_version", "1.0"),
        ("/license", "MIT"),
        ("/files/0/path", "core/../../secret.json"),
        ("/files/0/path", "/etc/secret.json"),
        ("/files/0/sha256", "00"),
        ("/files/0/bytes", -1),
        ("/totals/tests", 7),
        ("/totals/elements", 0),
        ("/totals/files", 4),
        ("/tree_sha256", "0" * 64),
    ],
)
def test_a_wrong_manifest(small: Any, pointer: str, value: Any) -> None:
    path = small.root / "manifest.json"
    content = json.loads(path.read_text("ascii"))
    place = content
    *keys, last = pointer[1:].split("/")
    for key in keys:
        place = place[int(key) if key.isdigit() else key]
    place[last] = value
    path.write_text(json.dumps(content), "ascii")
    with pytest.raises(FormatError) as caught:
        load_vectors(small.root)
    assert (caught.value.file, caught.value.pointer) == ("manifest.json", pointer)


def test_manifest_and_check_sums_must_agree(small: Any) -> None:
    sums = (small.root / "SHA256SUMS").read_bytes()
    (small.root / "SHA256SUMS").write_bytes(sums.replace(b"bias", b"bios"))
    with pytest.raises(FormatError, match="SHA256SUMS"):
        load_vectors(small.root)
    (small.root / "SHA256SUMS").unlink()
    assert len(load_vectors(small.root).tests) == 6


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no manifest"):
        load_vectors(tmp_path)


def test_folders_beside_the_core_may_be_left_out(small: Any) -> None:
    content = json.loads((small.root / "manifest.json").read_text("ascii"))
    entry = {"path": "hard/rope.json", "sha256": "0" * 64, "bytes": 10, "tests": 1, "elements": 2}
    content["files"].append(entry)
    content["totals"]["files"] += 1
    for key in ("bytes", "tests", "elements"):
        content["totals"][key] += entry[key]
    (small.root / "manifest.json").write_text(json.dumps(content), "ascii")
    (small.root / "SHA256SUMS").unlink()
    assert len(load_vectors(small.root).tests) == 6
    (small.root / "hard").mkdir()
    with pytest.raises(FormatError, match="not there"):
        load_vectors(small.root)


def test_shipped_corpus_has_every_operation() -> None:
    corpus = load_vectors()
    assert {test.operation for test in corpus.tests} == set(operation.signatures())
    for kind in ("value", "invalid"):
        found = {test.operation for test in corpus.tests if test.kind == kind}
        assert found == set(operation.signatures())


def test_an_identifier_is_unique_in_the_whole_corpus(make_small: Callable[[str], Any]) -> None:
    small = make_small("twice")
    small.content["core/alibi/bias.json"]["groups"][0]["tests"][0]["id"] = "small-inv-freq"
    small.write()
    with pytest.raises(FormatError, match=r"stands in core/alibi/bias\.json too") as caught:
        load_vectors(small.root)
    assert caught.value.file == INV_FREQ
    assert caught.value.pointer == "/groups/0/tests/0/id"
