"""Reports in files: whole or not there, checked before the run, never half written."""

import errno
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from posref import conformance
from posref.cli import main
from posref.conformance.report import Report
from posref.corpus.writing import check_writable, write_text

Output = pytest.CaptureFixture[str]
COMMAND = ("check", "reference", "--operation", "alibi.slopes", "--dtype", "float32")
FULL = Path("/dev/full")


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where anything is judged."""

    def run(*_: Any, **__: Any) -> Any:
        raise AssertionError("ran")

    monkeypatch.setattr(conformance, "check", run)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_all_forms_at_once(tmp_path: Path, capsys: Output) -> None:
    places = {form: tmp_path / f"report.{form}" for form in ("json", "junit", "html")}
    assert (
        main([*COMMAND, *(word for form, path in places.items() for word in (f"--{form}", str(path)))]) == 0
    )
    report = Report.from_json(places["json"].read_text("ascii"))
    assert capsys.readouterr().out.splitlines()[-1] == report.last_line
    assert ET.parse(places["junit"]).getroot().get("tests") == str(report.selected)
    assert places["html"].read_text("ascii").startswith("<!DOCTYPE html>")
    HTMLParser().feed(places["html"].read_text("ascii"))
    assert names(tmp_path) == ["report.html", "report.json", "report.junit"]


@pytest.mark.parametrize(("form", "start"), [("json", "{"), ("junit", "<?xml"), ("html", "<!DOCTYPE html>")])
def test_to_the_screen(form: str, start: str, capsys: Output) -> None:
    assert main([*COMMAND, f"--{form}", "-"]) == 0
    assert capsys.readouterr().out.startswith(start)


@pytest.mark.usefixtures("never")
class TestBeforeTheRun:
    @pytest.mark.parametrize("form", ["json", "junit", "html"])
    def test_a_folder_that_does_not_exist(self, form: str, tmp_path: Path, capsys: Output) -> None:
        assert main([*COMMAND, f"--{form}", str(tmp_path / "absent" / "report")]) == 2
        assert "absent/report cannot be written: No such file or directory" in capsys.readouterr().err

    def test_a_folder_in_its_place(self, tmp_path: Path, capsys: Output) -> None:
        assert main([*COMMAND, "--html", str(tmp_path)]) == 2
        assert f"{tmp_path} cannot be written: is a folder" in capsys.readouterr().err

    def test_a_file_where_a_folder_must_be(self, tmp_path: Path, capsys: Output) -> None:
        (tmp_path / "file").touch()
        assert main([*COMMAND, "--json", str(tmp_path / "file" / "report")]) == 2
        assert "cannot be written: Not a directory" in capsys.readouterr().err

    def test_two_forms_in_one_place(self, tmp_path: Path, capsys: Output) -> None:
        for place in ("-", str(tmp_path / "report")):
            assert main([*COMMAND, "--json", place, "--html", place]) == 2
            assert f"--json and --html both go to {place}" in capsys.readouterr().err
        assert names(tmp_path) == []

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anywhere")
    def test_no_permission(self, tmp_path: Path, capsys: Output) -> None:
        tmp_path.chmod(0o500)
        assert main([*COMMAND, "--json", str(tmp_path / "report")]) == 2
        assert "cannot be written: Permission denied" in capsys.readouterr().err


def test_an_interrupt_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(conformance, "check", interrupted)
    assert main([*COMMAND, "--json", str(tmp_path / "a"), "--html", str(tmp_path / "b")]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert names(tmp_path) == []


class TestFullDisk:
    @pytest.fixture
    def full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fsync(_: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", fsync)

    @pytest.mark.usefixtures("full")
    def test_the_old_report_stays_and_the_new_one_is_on_the_screen(
        self, tmp_path: Path, capsys: Output
    ) -> None:
        old = tmp_path / "report.json"
        old.write_text("old")
        assert main([*COMMAND, "--json", str(old), "--html", str(tmp_path / "report.html")]) == 2
        output = capsys.readouterr()
        assert output.out.splitlines()[-1].startswith("posref: selected=")
        assert output.err.count("cannot be written: No space left on device") == 2
        assert "Traceback" not in output.err
        assert old.read_text() == "old"
        assert names(tmp_path) == ["report.json"]

    @pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
    def test_a_full_device(self, tmp_path: Path, capsys: Output) -> None:
        page = tmp_path / "report.html"
        assert main([*COMMAND, "--json", str(FULL), "--html", str(page)]) == 2
        assert "/dev/full cannot be written: No space left on device" in capsys.readouterr().err
        assert page.read_text("ascii").endswith("</html>\n")
        assert FULL.is_char_device()


class TestWrite:
    @pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
    def test_whatever_stops_it_leaves_nothing(
        self, stop: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fsync(_: int) -> None:
            raise stop

        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(stop):
            write_text(tmp_path / "report", "text")
        assert names(tmp_path) == []

    def test_what_a_link_points_to_is_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "far").mkdir()
        link = tmp_path / "report"
        link.symlink_to(tmp_path / "far" / "report")
        check_writable(link)
        write_text(link, "new")
        assert link.is_symlink()
        assert (tmp_path / "far" / "report").read_text() == "new"
        assert names(tmp_path / "far") == ["report"]

    def test_a_pipe_is_written_into_and_not_opened_before(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        check_writable(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_text(pipe, "text")
            assert os.read(reader, 100) == b"text"
        finally:
            os.close(reader)
        assert names(tmp_path) == ["pipe"]
