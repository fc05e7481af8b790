"""Verification by building again: one flipped digit is found, by bytes or in the sample."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from posref import operation
from posref.corpus import certified, generate
from posref.corpus.generate import build
from posref.corpus.verify import chosen, verify
from posref.errors import FormatError
from posref.operation import Group

NAME = "rope.inv_freq"
FILE = "core/rope/inv_freq.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built") / "v"
    build(root, operations=NAME)
    (root / "README.md").write_text("By hand.\n")
    build(root, operations=NAME)
    return root


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "v"))


def flip(root: Path) -> None:
    """Change the last digit of one expected float64 by one."""
    content = json.loads((root / FILE).read_bytes())
    rows = content["groups"][0]["tests"][0]["expected"]["inv_freq"]["float64"]["data"]
    rows[0] = rows[0][:-1] + f"{int(rows[0][-1], 16) ^ 1:x}"
    (root / FILE).write_bytes(generate.encode.dump(content))


def sign(root: Path) -> None:
    """Make hashes and check sums right again after a change, as a careless hand would."""
    content = json.loads((root / FILE).read_bytes())
    for group in content["groups"]:
        for test in group["tests"]:
            test["case_hash"] = generate.encode.case_hash(content["operation"], group["params"], test)
    (root / FILE).write_bytes(generate.encode.dump(content))
    (root / "SHA256SUMS").write_bytes(generate.manifest.sums(root))
    made = generate.manifest.make(root, generate.CORPUS_VERSION)
    (root / "manifest.json").write_bytes(generate.encode.dump(made))


def test_nothing_differs(corpus: Path) -> None:
    assert verify(corpus, operations=NAME) == []
    assert verify(corpus, operations=NAME, engine="arb") == []
    assert verify(corpus, operations=NAME, sample=1) == []


def test_one_flipped_digit(corpus: Path) -> None:
    flip(corpus)
    (found,) = verify(corpus, operations=NAME)
    assert found.startswith(f"{FILE}: line ")


@pytest.mark.parametrize("offset", [0, 100, -2])
def test_one_flipped_bit_anywhere(corpus: Path, offset: int) -> None:
    data = bytearray((corpus / FILE).read_bytes())
    data[offset] ^= 1
    (corpus / FILE).write_bytes(data)
    (found,) = verify(corpus, operations=NAME)
    assert FILE in found


def test_a_flipped_digit_that_is_signed_again(corpus: Path) -> None:
    flip(corpus)
    sign(corpus)
    found = verify(corpus, operations=NAME)
    assert {line.partition(":")[0] for line in found} == {FILE, "SHA256SUMS", "manifest.json"}
    identity = json.loads((corpus / FILE).read_bytes())["groups"][0]["tests"][0]["id"]
    for engine in ("mpmath", "arb"):
        assert verify(corpus, operations=NAME, engine=engine, sample=1) == [
            f"{FILE}: test {identity} differs"
        ]


def test_a_sample_reads_the_corpus_strictly(corpus: Path) -> None:
    flip(corpus)
    with pytest.raises(FormatError, match="SHA-256"):
        verify(corpus, operations=NAME, sample=1)


def test_a_missing_and_a_further_file(corpus: Path) -> None:
    (corpus / FILE).unlink()
    shutil.copy(corpus / "core/rope/inv_freq_invalid.json", corpus / "core/rope/other.json")
    found = verify(corpus, operations=NAME)
    assert f"{FILE}: only a new build has it" in found
    assert any(line.startswith("manifest.json: ") for line in found)


def test_a_test_that_is_not_built_any_more(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = certified.group

    def fewer(group: Group, engine: str) -> Any:
        return {**real(group, engine), "tests": []}

    monkeypatch.setattr(certified, "group", fewer)
    found = verify(corpus, operations=NAME, sample=1)
    assert found
    assert all(line.endswith("is not built any more") for line in found)


def test_the_generator_is_not_compared_but_the_rest_of_the_manifest_is(corpus: Path) -> None:
    path = corpus / "manifest.json"
    content = json.loads(path.read_bytes())
    content["generator"] = {"posref": "9.9.9"}
    path.write_bytes(generate.encode.dump(content))
    assert verify(corpus, operations=NAME) == []
    content["corpus_version"] = "9.9.9"
    path.write_bytes(generate.encode.dump(content))
    (found,) = verify(corpus, operations=NAME)
    assert found.startswith("manifest.json: line")


def test_a_distribution_without_check_sums(corpus: Path) -> None:
    (corpus / "SHA256SUMS").unlink()
    (corpus / "README.md").unlink()
    assert verify(corpus, operations=NAME) == []


def test_the_sample_is_chosen_by_the_hash_alone() -> None:
    groups = [group for name in operation.signatures() for group in operation.find("cases", name)()]
    tenth = [group for group in groups if chosen(group, 10)]
    assert 0 < len(tenth) < len(groups) / 4
    assert tenth == [group for group in groups if chosen(group, 10)]
    assert all(chosen(group, 1) for group in groups)


def test_second_engine_agrees_on_a_tenth_of_the_shipped_corpus() -> None:
    assert verify(operation.home("vectors"), engine="arb", sample=10) == []


@pytest.mark.full
@pytest.mark.parametrize("engine", ["mpmath", "arb"])
def test_both_engines_build_the_shipped_corpus(engine: str) -> None:
    assert verify(operation.home("vectors"), engine=engine, jobs=2) == []
