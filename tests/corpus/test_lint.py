"""What lint finds beyond the loader, and the report on sizes."""

import json
import shutil
from pathlib import Path

import pytest

from posref import operation
from posref.corpus import encode, lint, manifest
from posref.corpus.generate import CORPUS_VERSION, build

NAME = "attention.causal_mask"
FILE = "core/attention/causal_mask.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built") / "v"
    for name in (NAME, "alibi.bias"):
        build(root, operations=name)
    for name in manifest.BY_HAND:
        (root / name).write_text("By hand.\n")
    build(root, operations=NAME)
    return root


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "v"))


def sign(root: Path) -> None:
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_bytes(encode.dump(manifest.make(root, CORPUS_VERSION)))


def problems(root: Path) -> list[str]:
    sign(root)
    return list(lint.lint(root).problems)


def test_a_fresh_build_is_clean(corpus: Path) -> None:
    assert lint.lint(corpus).problems == ()


def test_the_shipped_corpus_is_clean() -> None:
    assert lint.lint(operation.home("vectors")).problems == ()


def test_the_report_shows_the_fattest_file_first(corpus: Path) -> None:
    lines = lint.lint(corpus).text().splitlines()
    sizes = {path: (corpus / path).stat().st_size for path in manifest.vector_files(corpus)}
    fattest = max(sizes, key=lambda path: sizes[path])
    assert lines[1].split()[:2] == [fattest, str(sizes[fattest])]
    assert str(sum(sizes.values())) in lines[-1]


def test_key_order_and_white_space_are_canonical(corpus: Path) -> None:
    path = corpus / FILE
    data = path.read_bytes()
    content = json.loads(data)
    content["groups"][0]["tests"][0] = dict(reversed(content["groups"][0]["tests"][0].items()))
    for wrong in (encode.dump(content), data + b"\n", data.replace(b"\n ", b"\n  ", 1)):
        path.write_bytes(wrong)
        (found,) = problems(corpus)
        assert found.startswith(f"{FILE}: line ")


def test_order_of_tests_and_groups(corpus: Path) -> None:
    content = json.loads((corpus / FILE).read_bytes())
    content["groups"][0]["tests"].reverse()
    (corpus / FILE).write_bytes(encode.dump(content))
    (found,) = problems(corpus)
    assert found.startswith(f"{FILE}: line ")


def test_a_stale_header_or_note(corpus: Path) -> None:
    content = json.loads((corpus / FILE).read_bytes())
    flag = next(iter(content["notes"]))
    content["notes"][flag]["effect"] = "Something else."
    (corpus / FILE).write_bytes(encode.dump(content))
    (found,) = problems(corpus)
    assert found.startswith(f"{FILE}: line ")


def test_sizes(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint, "CORE_BYTES", 1000)
    monkeypatch.setattr(lint, "NAME_LENGTH", 12)
    found = problems(corpus)
    assert any("more than 1000" in line for line in found)
    assert any(f"{FILE}: a file name has at most 12" in line for line in found)


def test_hand_kept_files(corpus: Path) -> None:
    (corpus / "README.md").unlink()
    assert problems(corpus) == ["README.md is missing"]


def test_check_sums_of_hand_kept_files(corpus: Path) -> None:
    (corpus / "README.md").write_text("Changed.\n")
    assert list(lint.lint(corpus).problems) == ["SHA256SUMS is not what the files hash to"]


def test_a_clause_that_no_page_has(corpus: Path) -> None:
    content = json.loads((corpus / FILE).read_bytes())
    test = content["groups"][0]["tests"][0]
    test["clauses"] = ["attention.C99"]
    (corpus / FILE).write_bytes(encode.dump(content))
    (found,) = problems(corpus)
    assert found == f"{FILE}: {test['id']} cites attention.C99, which no page of the specification has"


def test_conventions_and_edges_that_no_test_has(corpus: Path) -> None:
    path = corpus / "core/alibi/bias.json"
    content = json.loads(path.read_bytes())
    content["groups"] = [group for group in content["groups"] if group["params"]["form"] != "key_index"]
    for group in content["groups"]:
        for test in group["tests"]:
            test["flags"] = [flag for flag in test["flags"] if flag != "empty"]
    used = {flag for group in content["groups"] for test in group["tests"] for flag in test["flags"]}
    content["notes"] = {flag: note for flag, note in content["notes"].items() if flag in used}
    content["number_of_tests"] = sum(len(group["tests"]) for group in content["groups"])
    path.write_bytes(encode.dump(content))
    assert problems(corpus) == [
        "alibi.bias: no value test has form 'key_index'",
        "alibi.bias: no test raises the edge 'empty'",
    ]
