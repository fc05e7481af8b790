"""Building: deterministic, whole or not at all, and readable by the strict loader."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import posref
from posref import operation
from posref.corpus import certified, generate, load_vectors, swap
from posref.corpus.generate import build
from posref.operation import Case, Group, Refusal, Tensor

OPERATION = "positions.relative"
FLOATING = "rope.inv_freq"

KILLED = """
import sys, time
from posref.corpus.generate import build

def progress(done, total, label):
    print("busy", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    build(sys.argv[1], operations="positions.relative", jobs=int(sys.argv[2]), progress=progress)
"""


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which a child process finds this very package."""
    return {**os.environ, "PYTHONPATH": str(Path(posref.__file__).parent.parent), **more}


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_build_is_read_back_and_counts_agree(tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    build(tmp_path / "v", operations=FLOATING, progress=lambda *step: steps.append(step))
    corpus = load_vectors(tmp_path / "v")
    assert [file.path for file in corpus.files] == [
        "core/rope/inv_freq.json",
        "core/rope/inv_freq_invalid.json",
        "golden/rope/inv_freq.json",
    ]
    cases = [case for group in operation.find("cases", FLOATING)() for case in group.cases]
    assert sorted(test.id for test in corpus.tests) == sorted(case.id for case in cases)
    assert [step[0] for step in steps] == list(range(1, len(steps) + 1))
    assert {step[1:] for step in steps} == {(len(steps), FLOATING)}
    by_id = {test.id: test for test in corpus.tests}
    for case in cases:
        test = by_id[case.id]
        assert (test.comment, test.clauses, test.error) == (case.comment, case.clauses, case.error)
        assert set(test.flags) == set(case.flags)
        assert set(test.inputs) == set(case.inputs)
    assert list(tmp_path.iterdir()) == [tmp_path / "v"]


def test_every_value_of_every_dtype_has_residual_and_bound(tmp_path: Path) -> None:
    build(tmp_path / "v", operations=FLOATING)
    values = [test for test in load_vectors(tmp_path / "v").tests if test.kind == "value"]
    assert values
    for test in values:
        assert list(test.expected["inv_freq"]) == list(operation.DTYPES)
        for expected in test.expected["inv_freq"].values():
            assert len(expected.residual) == len(expected.bound) == len(expected.tensor.data)
            assert expected.tensor.data[0] == 1
            assert expected.residual[0] == "0"


def test_the_same_bytes_with_two_processes_another_engine_and_another_hash_seed(tmp_path: Path) -> None:
    build(tmp_path / "one", operations=FLOATING)
    build(tmp_path / "two", operations=FLOATING, jobs=2)
    build(tmp_path / "arb", operations=FLOATING, engine="arb")
    code = "import sys; from posref.corpus.generate import build; build(sys.argv[1], operations=sys.argv[2])"
    command = [sys.executable, "-c", code, tmp_path / "seed", FLOATING]
    subprocess.run(command, check=True, env=environment(PYTHONHASHSEED="77"), timeout=120)
    whole = tree(tmp_path / "one")
    assert len(whole) == 5
    for name in ("two", "arb", "seed"):
        assert tree(tmp_path / name) == whole


def test_hand_kept_files_and_other_operations_stay(tmp_path: Path) -> None:
    root = tmp_path / "v"
    build(root, operations=FLOATING)
    (root / "README.md").write_text("By hand.\n")
    before = tree(root)
    build(root, operations=OPERATION)
    after = tree(root)
    changed = {"manifest.json", "SHA256SUMS"}
    assert {name: after[name] for name in before.keys() - changed} == {
        name: before[name] for name in before.keys() - changed
    }
    assert after["README.md"] == b"By hand.\n"
    assert b"  README.md\n" in after["SHA256SUMS"]
    assert after.keys() - before.keys() == {
        "core/positions/relative.json",
        "core/positions/relative_invalid.json",
    }
    assert {test.operation for test in load_vectors(root).tests} == {FLOATING, OPERATION}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_build_leaves_the_old_corpus_whole(tmp_path: Path, jobs: int) -> None:
    root = tmp_path / "v"
    build(root, operations=FLOATING)
    before = tree(root)
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    command = [sys.executable, script, root, str(jobs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "busy\n"
        leftovers = list(tmp_path.glob(".v.building-*"))
        child.send_signal(signal.SIGKILL)
        assert child.wait(60) == -signal.SIGKILL
    assert [path.is_dir() for path in leftovers] == [True]
    assert tree(root) == before
    load_vectors(root)
    build(root, operations=FLOATING)
    assert tree(root) == before
    assert not list(tmp_path.glob(".v.building-*"))


def test_a_running_build_is_not_disturbed(tmp_path: Path) -> None:
    other = tmp_path / f".v.building-{os.getppid()}"
    other.mkdir()
    build(tmp_path / "v", operations=OPERATION)
    assert other.is_dir()


def test_a_build_that_fails_leaves_the_old_corpus_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "v"
    build(root, operations=OPERATION)
    before = tree(root)

    def broken(group: Group, engine: str) -> Any:
        raise ArithmeticError(f"{group.name} {engine}")

    monkeypatch.setattr(certified, "group", broken)
    with pytest.raises(ArithmeticError):
        build(root, operations=OPERATION)
    assert tree(root) == before
    assert list(tmp_path.iterdir()) == [root]


def test_a_corpus_that_would_not_load_is_not_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "v"
    build(root, operations=OPERATION)
    before = tree(root)
    real = certified.group

    def wrong(group: Group, engine: str) -> Any:
        return {**real(group, engine), "requires": ["gpu"]}

    monkeypatch.setattr(certified, "group", wrong)
    with pytest.raises(ValueError, match="gpu"):
        build(root, operations=OPERATION)
    assert tree(root) == before


def test_folders_change_places_where_one_step_is_not_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for exchange in (True, False):
        if not exchange:
            monkeypatch.setattr(swap, "_exchange", lambda first, second: False)
        old, new = tmp_path / f"old{exchange}", tmp_path / f"new{exchange}"
        for folder in (old, new):
            folder.mkdir()
            (folder / "name").write_text(folder.name)
        swap.replace(new, old)
        assert (old / "name").read_text() == new.name
        assert (new / "name").read_text() == old.name


@pytest.mark.parametrize(("engine", "extra"), [("mpmath", "posref[golden]"), ("arb", "posref[test]")])
def test_a_missing_library_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, f"posref.corpus.engine_{engine}", None)
    with pytest.raises(ImportError) as caught:
        build(tmp_path / "v", operations=OPERATION, engine=engine)
    assert extra in str(caught.value)
    assert not (tmp_path / "v").exists()


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="engine must be one of mpmath, arb"):
        build(tmp_path / "v", operations=OPERATION, engine="float")
    with pytest.raises(KeyError, match="no operation matches"):
        build(tmp_path / "v", operations="rop.*")


def group_of(*cases: Case) -> Group:
    return Group("g", OPERATION, {}, cases)


def test_a_group_is_all_values_or_all_refusals() -> None:
    positions = {name: Tensor("int64", (1,), (1,)) for name in ("q_positions", "k_positions")}
    value = Case("a", "Why.", positions, ("positions.C1",))
    refused = Case("b", "Why.", {}, ("positions.C3",), (), Refusal("INVALID_DTYPE", "q_positions"))
    for cases in ((value, refused), ()):
        with pytest.raises(ValueError, match="values and refusals, or nothing"):
            generate.certify([group_of(*cases)], "mpmath", 1, None)


def test_a_failure_names_its_case() -> None:
    broken = Case("far-away", "Why.", {}, ("positions.C1",))
    with pytest.raises((TypeError, AttributeError)) as caught:
        certified.group(group_of(broken), "mpmath")
    assert "far-away" in "".join(caught.value.__notes__)


def test_outputs_are_stored_in_the_dtypes_that_the_main_input_allows(tmp_path: Path) -> None:
    build(tmp_path / "v", operations="attention.scores")
    kept = {"bfloat16": 4, "float32": 2, "float64": 1}
    seen = set()
    for test in load_vectors(tmp_path / "v").tests:
        if test.kind == "value":
            main = test.inputs["q"].dtype
            seen.add(main)
            found = list(test.expected["scores"])
            assert found == [dtype for dtype in operation.DTYPES[: kept[main]] if dtype in found]
            assert found[0] == "float64"
    assert seen == set(kept)


def test_the_manifest_names_the_tool_and_nothing_else_does(tmp_path: Path) -> None:
    build(tmp_path / "v", operations=OPERATION)
    content = json.loads((tmp_path / "v/manifest.json").read_bytes())
    assert list(content["generator"]) == ["posref"]
    assert content["corpus_version"] == generate.CORPUS_VERSION
