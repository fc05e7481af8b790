"""``posref vectors``: what it prints, where, and its exit codes."""

import argparse
import io
import shutil
from pathlib import Path
from typing import Any

import pytest

from posref.corpus import command, manifest
from posref.corpus.certify import CertificationError
from posref.corpus.generate import build

NAME = "positions.relative"
FILE = "core/positions/relative.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built") / "v"
    build(root, operations=NAME)
    for name in manifest.BY_HAND:
        (root / name).write_text("## 0.1.0\n\n- `*`\n")
    build(root, operations=NAME)
    return root


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "v"))


def run(*arguments: Any) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["vectors", *map(str, arguments)])
    code = args.run(args)
    assert isinstance(code, int)
    return code


def test_build_verify_lint_diff(tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ("--root", tmp_path / "new", "--operation", NAME, "--jobs", 1)
    assert run("build", *common) == 0
    assert "2 files" in capsys.readouterr().out
    assert run("verify", *common) == 0
    assert run("verify", *common, "--engine", "arb", "--sample", 1) == 0
    assert "is what arb builds, one group in 1" in capsys.readouterr().out
    assert run("lint", "--root", corpus) == 0
    assert FILE in capsys.readouterr().out
    assert run("diff", corpus, corpus) == 0
    assert capsys.readouterr().out == "0.1.0 -> 0.1.0, asks for: none\n"


def test_no_progress_bar_without_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", "--root", tmp_path / "new", "--operation", NAME, "--jobs", 1) == 0
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_progress_bar_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    assert run("build", "--root", tmp_path / "new", "--operation", NAME, "--jobs", 1) == 0
    shown = screen.getvalue().split("\r")
    assert shown[0] == ""
    assert shown[-1].startswith(f"building [{'#' * 24}] ")
    assert shown[-1].endswith("\n")
    assert NAME in shown[-1]


def test_a_mismatch_is_1(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = (corpus / FILE).read_bytes()
    (corpus / FILE).write_bytes(data.replace(b"-1", b"-2", 1))
    assert run("verify", "--root", corpus, "--operation", NAME, "--jobs", 1) == 1
    assert capsys.readouterr().out.startswith(f"{FILE}: line ")
    shutil.copy(corpus / "README.md", corpus / "OTHER.md")
    (corpus / FILE).write_bytes(data)
    assert run("lint", "--root", corpus) == 1
    assert "problem: SHA256SUMS" in capsys.readouterr().out


def test_a_bad_file_is_2(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (corpus / FILE).write_bytes((corpus / FILE).read_bytes()[:-9])
    for arguments in (
        ("lint", "--root", corpus),
        ("diff", corpus, corpus),
        ("verify", "--root", corpus, "--operation", NAME, "--sample", 1, "--jobs", 1),
    ):
        assert run(*arguments) == 2
        assert FILE in capsys.readouterr().err


def test_usage_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", "--root", tmp_path / "none") == 2
    assert "there is no folder" in capsys.readouterr().err
    assert run("build", "--root", tmp_path / "v", "--operation", "rop.*") == 2
    assert "no operation matches 'rop.*'" in capsys.readouterr().err
    for arguments in (("build", "--jobs", "0"), ("build", "--engine", "x"), (), ("verify", "--sample", "x")):
        with pytest.raises(SystemExit) as caught:
            run(*arguments)
        assert caught.value.code == 2


def test_an_interrupt_is_130_and_a_doubt_is_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raises(error: BaseException) -> Any:
        def function(*_: Any, **__: Any) -> None:
            raise error

        return function

    monkeypatch.setattr(command, "build", raises(KeyboardInterrupt()))
    assert run("build", "--root", tmp_path / "v") == 130
    doubt = CertificationError("4096 bits do not decide")
    doubt.add_note("in the case far-away")
    monkeypatch.setattr(command, "build", raises(doubt))
    assert run("build", "--root", tmp_path / "v") == 1
    assert "4096 bits do not decide in the case far-away" in capsys.readouterr().err


def test_an_installed_corpus_is_not_built_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.operation, "home", lambda folder: tmp_path / f"_{folder}")
    assert run("build") == 2
    assert "--root" in capsys.readouterr().err
