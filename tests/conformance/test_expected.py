"""Expected failures: their file, the verdicts they change, and what passes then."""

from collections.abc import Callable
from pathlib import Path

import faulty
import pytest

from posref.cli import main
from posref.conformance.expected import read
from posref.conformance.report import Report
from posref.conformance.verdict import Expectation
from posref.errors import FormatError

Install = Callable[..., None]
Output = pytest.CaptureFixture[str]

GOOD = """
[[expected]]
case = "other-*"
operation = "rope.*"
dtype = "float32"
reason = "half a ladder"
link = "https://example.org/7"

[[expected]]
case = "relative"
reason = "unwritten"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "known.toml"
    path.write_text(GOOD, "utf-8")
    return path


@pytest.fixture(autouse=True)
def made(corpus_of: Install) -> None:
    corpus_of(*faulty.TESTS)


def verdicts(report: Report) -> dict[str, str]:
    return {result.case_id: result.verdict for result in report.results}


class TestFile:
    def test_what_it_says(self, file: Path) -> None:
        assert read(file) == (
            Expectation("other-*", "half a ladder", "https://example.org/7", "rope.*", "float32"),
            Expectation("relative", "unwritten"),
        )

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", r"/expected: must have tables \[\[expected\]\]"),
            ("expected = 3", "/expected: must have tables"),
            ("expected = [3]", "/expected/0: must be a table"),
            ('[expected]\ncase = "a"', "/expected: must have tables"),
            ("[[expected]\n", "is not TOML"),
            ("\xff", "is not UTF-8"),
            ("expected = " + 100_000 * "[", "is (nested too deeply|not TOML)"),
            ('[[expected]]\ncase = "a"', "/expected/0: 'reason' is missing"),
            ('[[expected]]\nreason = "a"', "/expected/0: 'case' is missing"),
            ('[[expected]]\ncase = "a"\nreason = " "', "/expected/0/reason: must be a string"),
            ('[[expected]]\ncase = ["a"]\nreason = "b"', "/expected/0/case: must be a string"),
            ('[[expected]]\ncase = "a"\nreason = "b"\nwhy = "c"', "/expected/0/why: unknown key"),
            ('version = 1\n[[expected]]\ncase = "a"\nreason = "b"', "/version: unknown key"),
            (
                '[[expected]]\ncase = "a"\nreason = "b"\nlink = "javascript:alert(1)"',
                "/expected/0/link: must",
            ),
            ('[[expected]]\ncase = "a"\nreason = "b"\ndtype = "float8"', "/expected/0/dtype: must be one of"),
            ('[[expected]]\ncase = "a"\nreason = "b"\noperation = "rop.*"', "no operation matches 'rop"),
        ],
    )
    def test_anything_else_is_refused(self, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "known.toml"
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(FormatError, match=message) as raised:
            read(path)
        assert str(path) in str(raised.value)


class TestVerdicts:
    def test_failures_and_errors_count_apart(self, file: Path) -> None:
        plain, known = faulty.run(), faulty.run(expected=file)
        assert not plain
        assert known
        changed = {"other-ladder": "expected-fail", "relative": "expected-fail"}
        assert verdicts(known) == {**verdicts(plain), **changed}
        assert (known.failed, known.errors, known.expected_failures, known.executed) == (0, 0, 2, 4)
        assert plain.executed == known.executed
        counts = {one.operation: one.expected_failures for one in known.operations}
        assert counts == {"rope.inv_freq": 1, "positions.relative": 1, "alibi.slopes": 0}
        assert known.unmatched == ()

    def test_the_reason_of_the_failure_is_kept(self, file: Path) -> None:
        [result] = [one for one in faulty.run(expected=file).results if one.case_id == "other-ladder"]
        assert "got 0.0099" in result.reason
        assert result.expected == read(file)[0]

    def test_only_unexpected_failures_are_diagnosed(self) -> None:
        report = faulty.run(expected=[Expectation("relative", "unwritten")])
        assert {one.operation for one in report.operations if one.diagnosis} == {"rope.inv_freq"}

    @pytest.mark.parametrize(
        "entry",
        [
            Expectation("other-ladder", "r", operation="alibi.*"),
            Expectation("other-ladder", "r", dtype="bfloat16"),
            Expectation("OTHER-*", "r"),
        ],
    )
    def test_another_operation_or_dtype_is_not_meant(self, entry: Expectation) -> None:
        report = faulty.run(expected=[entry])
        assert report.failed == 1
        assert report.unmatched == (entry,)

    def test_a_pass_that_was_to_fail(self) -> None:
        known = [Expectation("*ladder", "half"), Expectation("relative", "unwritten")]
        report, strict = faulty.run(expected=known), faulty.run(expected=known, strict=True)
        assert verdicts(report)["ladder"] == "unexpected-pass"
        assert (report.unexpected_passes, report.passed) == (1, 1)
        assert report
        assert not strict
        assert "passes unexpectedly: ladder in float32, expected to fail: half" in report.to_text()

    def test_a_refusal_can_be_expected_to_fail_and_a_skip_stays_one(self) -> None:
        report = faulty.run(expected=[Expectation("odd", "r"), Expectation("slopes", "r")])
        assert verdicts(report)["odd"] == "unexpected-pass"
        assert verdicts(report)["slopes"] == "skipped"
        assert report.unmatched == ()

    def test_the_first_entry_counts_and_all_are_of_use(self) -> None:
        known = [Expectation("other-ladder", "first"), Expectation("*", "second")]
        report = faulty.run(expected=known)
        [result] = [one for one in report.results if one.case_id == "other-ladder"]
        assert result.expected == known[0]
        assert report.unmatched == ()

    def test_a_report_keeps_them(self, file: Path) -> None:
        report = faulty.run(expected=[*read(file), Expectation("gone", "r")], strict=True)
        again = Report.from_json(report.to_json())
        assert again == report
        assert again.unmatched == (Expectation("gone", "r"),)
        assert "expected failure of no case: gone" in again.to_text()


def test_a_scenario_can_be_expected_to_fail(corpus_of: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the corpus that posref ships
    known = [Expectation("*", "no tables", operation="rope.offset_scenario")]
    from posref.conformance.suite import check

    def broken(*_: object, **__: object) -> object:
        raise RuntimeError("none")

    target = {"rope.apply": broken, "rope.cos_sin": broken, "rope.inv_freq": broken}
    plain = check(target, "rope.offset_scenario", dtype="float32", kind="scenario")
    report = check(target, "rope.offset_scenario", dtype="float32", kind="scenario", expected=known)
    assert plain.errors > 0
    assert report.expected_failures == plain.errors
    assert report.errors == 0


class TestCommand:
    COMMAND = ("check", "faulty_target", "--dtype", "float32")

    @pytest.fixture(autouse=True)
    def target(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "faulty_target.py").write_text(
            "import faulty\n"
            "class rope: inv_freq = staticmethod(faulty.half_right)\n"
            "class positions: relative = staticmethod(faulty.broken)\n"
        )

    def test_exit_codes(self, file: Path, capsys: Output) -> None:
        assert main([*self.COMMAND]) == 1
        assert main([*self.COMMAND, "--xfail", str(file)]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == (
            "posref: selected=5 executed=4 passed=2 failed=0 errors=0 skipped=1 uninformative=0 "
            "expected_failures=2 unexpected_passes=0 elements=4 uninformative_elements=0"
        )
        file.write_text(GOOD + '[[expected]]\ncase = "ladder"\nreason = "r"\n')
        assert main([*self.COMMAND, "--xfail", str(file)]) == 0
        assert main([*self.COMMAND, "--xfail", str(file), "--strict"]) == 1

    def test_a_bad_file_is_2_before_anything_runs(self, file: Path, capsys: Output) -> None:
        file.write_text("[[expected]]\n")
        assert main([*self.COMMAND, "--xfail", str(file)]) == 2
        assert main([*self.COMMAND, "--xfail", "absent.toml"]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert "known.toml at /expected/0: 'case' is missing" in output.err
        assert "absent.toml" in output.err

    def test_fewer_tests_than_wanted_are_2(self, file: Path, capsys: Output) -> None:
        assert main([*self.COMMAND, "--xfail", str(file), "--min-tests", "4"]) == 0
        capsys.readouterr()
        assert main([*self.COMMAND, "--xfail", str(file), "--min-tests", "5"]) == 2
        assert "4 ran, where at least 5 were to run: this is no pass" in capsys.readouterr().err
        assert main([*self.COMMAND, "--min-tests", "0"]) == 2
        assert "must be at least 1" in capsys.readouterr().err
