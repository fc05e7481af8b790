"""Whatever a program does: a clear line, the right exit code, no traceback, the rest goes on, no orphan."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from heeding import HEEDING
from processes import gone, living
from wire_runs import PROGRAMS, command, words

from posref.cli import main
from posref.conformance import Report, check

ROOT = PROGRAMS.parents[2]
Output = pytest.CaptureFixture[str]
Play = Callable[..., Report]


@pytest.fixture
def play(tmp_path: Path, mark: str) -> Play:
    """Judge a faulty program whose fault shows once."""

    def judge(fault: str, wire: str = "json", **limits: float) -> Report:
        once = str(tmp_path / "once")
        made = command(
            "faulty", fault, "--once", once, "--mark", mark, wire=wire, **{"timeout": 20.0, **limits}
        )
        return check(made, "rope.inv_freq")

    return judge


def the_one(report: Report, verdict: str) -> str:
    """Return the reason of the one case that did not pass."""
    [bad] = [one for one in report.results if one.verdict != "pass"]
    assert bad.verdict == verdict
    assert report.passed == report.selected - 1 > 20
    assert not report
    return bad.reason


BROKEN = {
    "hang": "no reply within 2 s",
    "die": "whole; standard error ends 'no such kernel last words'",
    "crash": "it was killed by SIGSEGV before its reply was whole",
    "widow": "it ended with exit code 9 before its reply was whole",
    "closed": "it closed its standard input or output",
    "noise": "'loading weights ...",
    "out-of-order": "malformed reply at ",
    "endless": "its reply has more than 1000000 bytes; it wrote 'xxxxx",
    "no-newline": "no reply within 2 s; it wrote '{\"seq\":3'",
    "digits": "malformed reply at ",
    "rows": "malformed reply at ",
    "letters": "malformed reply at ",
    "binary": "malformed reply: byte 0 is not ASCII; it wrote '???[31m'",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_reply_is_one_error(fault: str, play: Play) -> None:
    waits = fault in ("hang", "no-newline")
    reason = the_one(play(fault, timeout=2.0 if waits else 20.0, max_reply=1_000_000), "error")
    assert reason.startswith("seq 3: ")
    assert BROKEN[fault] in reason
    assert reason.isprintable()


@pytest.mark.parametrize(
    "fault", ["hang", "die", "widow", "noise", "out-of-order", "endless", "digits", "letters", "axes"]
)
def test_a_broken_reply_on_the_flat_wire(fault: str, play: Play) -> None:
    reason = the_one(
        play(fault, "flat", timeout=2.0 if fault == "hang" else 20.0, max_reply=1_000_000), "error"
    )
    assert reason.startswith("seq 3: ")


@pytest.mark.parametrize(("fault", "message"), [
    ("key", "/outputs/inv_freq/strides: unknown key 'strides'"),
    ("float-json", "a JSON float is not exact: 0.5"),
    ("axes", "/outputs/inv_freq/shape: has more than 32 axes"),
    ("out-of-order", "/seq: must be 3, got 4"),
    ("digits", "/outputs/inv_freq/data/0: must be "),
])  # fmt: skip
def test_a_malformed_reply_is_quoted(fault: str, message: str, play: Play) -> None:
    reason = the_one(play(fault), "error")
    assert message in reason
    assert '; it wrote \'{"seq": ' in reason


@pytest.mark.parametrize(("fault", "message"), [
    ("shape", "is declared"),
    ("dtype", "inv_freq has dtype float32 where float64 is declared"),
    ("nan", "got nan"),
    ("infinity", "got inf"),
])  # fmt: skip
@pytest.mark.parametrize("wire", ["json", "flat"])
def test_a_wrong_answer_is_one_failure(fault: str, message: str, wire: str, play: Play) -> None:
    assert message in the_one(play(fault, wire), "fail")


def test_a_line_after_the_reply_is_an_error_of_this_test_or_the_next(play: Play) -> None:
    reason = the_one(play("chatter"), "error")
    assert reason.startswith("seq 3: it wrote more than its reply") or (
        reason.startswith("seq 4: malformed reply: not JSON") and reason.endswith("it wrote 'done'")
    )


def test_the_pipe_of_standard_error_does_not_block(play: Play) -> None:
    assert play("talkative")


def test_a_long_reply_is_not_kept(play: Play) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    the_one(play("endless", max_reply=4 << 20), "error")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_a_breakdown_is_no_refusal(mark: str) -> None:
    report = check(command("faulty", "doomed", "--mark", mark), "rope.inv_freq", kind="invalid")
    assert report.errors == report.selected > 5
    assert report.passed == 0


def test_a_program_that_always_breaks_is_given_up(mark: str) -> None:
    report = check(command("faulty", "doomed", "--mark", mark), "rope.inv_freq")
    reasons = [one.reason for one in report.results]
    assert reasons[:3] == ["seq 1: it ended with exit code 1 before its reply was whole"] * 3
    assert set(reasons[3:]) == {f"given up after 3 failures in a row: {reasons[0]}"}


def test_a_program_that_breaks_now_and_then_is_not(mark: str) -> None:
    report = check(command("faulty", "die", "--mark", mark), "rope.inv_freq")
    assert report.errors == report.selected // 3
    assert report.passed == report.selected - report.errors


def test_whoever_refuses_or_skips_everything(mark: str) -> None:
    for wire in ("json", "flat"):
        report = check(command("faulty", "refuses", "--mark", mark, wire=wire), "rope.inv_freq")
        values = [one for one in report.results if one.kind == "value"]
        assert {(one.verdict, one.reason) for one in values} == {("error", "Refused: OUT_OF_RANGE")}
        assert {one.verdict for one in report.results if one.kind == "invalid"} == {"pass"}
        report = check(command("faulty", "skips", "--mark", mark, wire=wire), "rope.inv_freq")
        assert report.skipped == report.selected
        assert {one.reason for one in report.results} == {
            "no kernel for this" if wire == "json" else "no kernel"
        }


def run(*arguments: str, program: str = "faulty", fault: str = "", more: tuple[str, ...] = ()) -> int:
    text = " ".join(words(program, *filter(None, [fault]), *arguments))
    return main(["check", "--cmd", text, "--operation", "rope.inv_freq", *more])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("dead", "seq 0: it ended with exit code 3 before its reply was whole; standard error ends 'libk"),
        ("noise-at-start", "cannot be judged: seq 0: "),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_started_right_is_2(
    fault: str, message: str, mark: str, capsys: Output
) -> None:
    assert run("--mark", mark, fault=fault) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err
    assert output.err.count("\n") == 1


def test_no_such_program_is_2(tmp_path: Path, capsys: Output) -> None:
    plain = tmp_path / "plain"
    plain.write_text("nothing")
    for name, reason in (("./no_such_impl", "No such file"), (str(plain), "Permission denied")):
        assert main(["check", "--cmd", name]) == 2
        output = capsys.readouterr()
        assert output.err.startswith(f"posref: {name} cannot be started: {reason}")
        assert (output.out, output.err.count("\n")) == ("", 1)
    plain.chmod(0o755)
    assert main(["check", "--cmd", str(plain)]) == 2
    assert "cannot be started: Exec format error" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cmd", ""], "--cmd names no program"),
        (["--cmd", "./a 'b"], "No closing quotation"),
        (["--cmd", "x", "reference"], "not allowed with argument"),
        (["--cmd", "x", "--results", "y"], "not allowed with argument"),
        (["--cmd", "x", "--wire", "xml"], "invalid choice"),
        (["--cmd", "x", "--timeout", "0"], "must be above 0"),
        (["--cmd", "x", "--max-reply", "0"], "must be at least 1"),
        (["reference", "--timeout", "3"], "--timeout goes with --cmd"),
        (["reference", "--max-reply", "3"], "--max-reply goes with --cmd"),
        ([], "usage: posref"),
    ],
)
def test_usage_is_2(arguments: list[str], message: str, capsys: Output) -> None:
    assert main(["check", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("ignores-stop", "it did not end when told to stop, and was killed"),
        ("exit-code", "told to stop, it ended with exit code 5"),
        ("parent", ""),
    ],
)
def test_how_it_ends_changes_no_verdict(fault: str, message: str, mark: str, capsys: Output) -> None:
    assert run("--mark", mark, fault=fault, more=("--timeout", "4")) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if line]
    assert said == ([f"posref: {sys.executable}: {message}"] if message else [])
    assert gone(mark)


def started(mark: str, *more: str) -> subprocess.Popen[str]:
    """Start posref on a program that hangs, and wait until that has been asked."""
    text = " ".join(words("faulty", "hang", "--mark", mark, *more))
    return subprocess.Popen(
        [sys.executable, "-c", HEEDING, "check", "--cmd", text, "--operation", "rope.inv_freq"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)],
)
def test_a_signal_leaves_no_orphan(number: int, code: int, mark: str, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    posref = started(mark, "--once", str(asked))
    until = time.monotonic() + 60
    while not asked.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert living(mark)
    posref.send_signal(number)
    out, err = posref.communicate(timeout=60)
    said = "posref: interrupted\n" if number == signal.SIGINT else ""
    assert (posref.returncode, out, err) == (code, "", said)
    assert gone(mark)


def test_an_error_of_the_judge_leaves_no_orphan(mark: str) -> None:
    with pytest.raises(ValueError, match="no dtype"):
        check(command("faulty", "none", "--mark", mark), "rope.inv_freq", "float8")
    with pytest.raises(ValueError, match="no layout"):
        check(command("faulty", "none", "--mark", mark), "rope.inv_freq", layout="folded")
    assert gone(mark)


def test_a_layout_is_nothing_that_a_message_has(mark: str) -> None:
    report = check(
        command("honest", "--mark", mark), "rope.permute", "float32", kind="value", layout="strided"
    )
    assert report.failed == report.errors == 0
    assert report.skipped > 0
