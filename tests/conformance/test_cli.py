"""The command line: what it prints, and above all its exit code."""

import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import posref
from posref import conformance
from posref.cli import main
from posref.conformance.report import Report
from posref.operation import home, signatures

Output = pytest.CaptureFixture[str]
LADDER = {"rotary_dim": 8, "base": 10000.0}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the working directory, right in float32 and in nothing else."""
    name = f"kernel_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(
        "import posref\n"
        "class rope:\n"
        "    @staticmethod\n"
        "    def inv_freq(*, dtype, **params):\n"
        "        return posref.rope.inv_freq(**params, dtype='float32')\n"
        "class box:\n"
        "    rope = rope\n"
    )
    monkeypatch.chdir(tmp_path)
    return name


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    root = tmp_path / "vectors"
    shutil.copytree(home("vectors"), root)
    return root


def last(output: Output) -> str:
    return output.readouterr().out.splitlines()[-1]


class TestCheck:
    def test_a_pass_is_0(self, capsys: Output) -> None:
        assert main(["check", "reference", "--operation", "rope.inv_freq", "--operation", "alibi.*"]) == 0
        line = last(capsys)
        assert line.startswith("posref: selected=")
        assert "failed=0 errors=0" in line

    def test_a_mismatch_is_1(self, kernel: str, capsys: Output) -> None:
        assert main(["check", kernel, "--operation", "rope.inv_freq", "--dtype", "float16"]) == 1
        assert "has dtype float32 where float16 is declared" in " ".join(capsys.readouterr().out.split())

    def test_a_module_and_an_object_in_it(self, kernel: str, capsys: Output) -> None:
        for target in (kernel, f"{kernel}:box"):
            command = ["check", target, "--operation", "rope.inv_freq", "--dtype", "float32"]
            assert main([*command, "--claim", "f32-angle"]) == 0
        assert kernel not in sys.path

    def test_a_kernel_that_checks_nothing_is_judged_by_its_values(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        name = f"unchecked_{tmp_path.name.replace('-', '_')}"
        (tmp_path / f"{name}.py").write_text(
            "import posref\n"
            "class rope:\n"
            "    @staticmethod\n"
            "    def inv_freq(*, dtype, **params):\n"
            "        try:\n"
            "            return posref.rope.inv_freq(**params, dtype=dtype)\n"
            "        except (TypeError, ValueError):\n"
            "            return 0\n"
        )
        monkeypatch.chdir(tmp_path)
        arguments = ["check", name, "--dtype", "float32"]
        assert main(arguments) == 1
        assert main([*arguments, "--kind", "invalid"]) == 1
        assert "passed=0" in last(capsys)
        assert main([*arguments, "--kind", "value"]) == 0
        assert main([*arguments, "--kind", "values"]) == 2
        assert "kind is value, invalid or scenario" in capsys.readouterr().err

    def test_nothing_that_ran_is_2(self, kernel: str, capsys: Output) -> None:
        assert main(["check", kernel, "--operation", "alibi.*"]) == 2
        output = capsys.readouterr()
        assert "executed=0" in output.out.splitlines()[-1]
        assert "nothing ran" in output.err

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["no_such_thing"], "'no_such_thing' is neither an adapter"),
            (["reference", "--operation", "rope.aply"], "no operation matches 'rope.aply'"),
            (["reference", "--dtype", "float8"], "no dtype 'float8'"),
            (["reference", "--claim", "near"], "no claim 'near'"),
            (["reference", "--root", "no/such/folder"], "no/such/folder"),
            (["os"], "os has no operation to judge"),
        ],
    )
    def test_usage_is_2_and_said_on_stderr(self, arguments: list[str], message: str, capsys: Output) -> None:
        assert main(["check", *arguments]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert message in output.err
        assert "Traceback" not in output.err

    def test_a_target_that_cannot_be_imported_is_2(self, kernel: str, capsys: Output) -> None:
        Path("broken_kernel.py").write_text("raise RuntimeError('no device')\n")
        assert main(["check", "broken_kernel"]) == 2
        assert "broken_kernel cannot be imported: RuntimeError: no device" in capsys.readouterr().err

    def test_a_progress_bar_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
        screen = io.StringIO()
        monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("sys.stderr", screen)
        assert (
            main(["check", "reference", "--operation", "positions.relative", "--operation", "alibi.slopes"])
            == 0
        )
        first, *shown = screen.getvalue().split("\r")
        tests = posref.load_vectors(operations="alibi.slopes").tests
        integer = posref.load_vectors(operations="positions.relative").tests
        total = 4 * len(tests) + len(integer)
        assert first == ""
        assert shown[-1].startswith(f"checking [{'#' * 24}] {total}/{total} ")
        assert shown[-1].endswith("\n")

    def test_no_progress_bar_without_a_terminal(self, capsys: Output) -> None:
        assert main(["check", "reference", "--operation", "alibi.slopes"]) == 0
        assert capsys.readouterr().err == ""

    def test_an_interrupt_is_130(self, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
        def interrupted(*_: Any, **__: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(conformance, "check", interrupted)
        assert main(["check", "reference"]) == 130
        assert "interrupted" in capsys.readouterr().err


class TestJson:
    def test_to_a_file(self, tmp_path: Path, capsys: Output) -> None:
        path = tmp_path / "report.json"
        assert main(["check", "reference", "--operation", "alibi.slopes", "--json", str(path)]) == 0
        report = Report.from_json(path.read_text("ascii"))
        assert report
        assert report.last_line == last(capsys)
        assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]

    def test_to_the_screen(self, capsys: Output) -> None:
        assert main(["check", "reference", "--operation", "alibi.slopes", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["summary"]["failed"] == 0

    def test_where_no_file_can_be_written(self, tmp_path: Path, capsys: Output) -> None:
        path = tmp_path / "absent" / "report.json"
        assert main(["check", "reference", "--operation", "alibi.slopes", "--json", str(path)]) == 2
        assert "absent" in capsys.readouterr().err


class TestBadCorpus:
    """A corpus that is not whole is an error, whatever is wrong with it, and never a pass."""

    def check(self, root: Path) -> int:
        return main(["check", "reference", "--operation", "alibi.*", "--root", str(root)])

    def test_the_whole_copy_passes(self, corpus: Path) -> None:
        assert self.check(corpus) == 0

    def test_a_truncated_file(self, corpus: Path, capsys: Output) -> None:
        path = corpus / "core" / "alibi" / "slopes.json"
        path.write_bytes(path.read_bytes()[:-100])
        assert self.check(corpus) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert "core/alibi/slopes.json" in output.err

    def test_an_altered_digit(self, corpus: Path, capsys: Output) -> None:
        path = corpus / "core" / "alibi" / "slopes.json"
        data = path.read_bytes()
        place = data.index(b'"data"') + 20
        path.write_bytes(
            data[:place] + (b"1" if data[place : place + 1] != b"1" else b"2") + data[place + 1 :]
        )
        assert self.check(corpus) == 2
        assert "core/alibi/slopes.json" in capsys.readouterr().err

    def test_a_file_that_is_gone(self, corpus: Path, capsys: Output) -> None:
        (corpus / "core" / "alibi" / "slopes.json").unlink()
        assert self.check(corpus) == 2
        assert "slopes.json" in capsys.readouterr().err

    def test_no_manifest(self, corpus: Path, capsys: Output) -> None:
        (corpus / "manifest.json").unlink()
        assert self.check(corpus) == 2
        assert "manifest.json" in capsys.readouterr().err

    def test_another_version(self, corpus: Path, capsys: Output) -> None:
        path = corpus / "manifest.json"
        path.write_text(
            path.read_text("ascii").replace('"format_version": 1', '"format_version": 2'), "ascii"
        )
        assert self.check(corpus) == 2
        assert "/format_version" in capsys.readouterr().err


class TestShow:
    def test_list(self, capsys: Output) -> None:
        assert main(["list"]) == 0
        text = capsys.readouterr().out
        assert all(name in text for name in signatures())
        assert "pairing: adjacent|half" in text
        assert max(map(len, text.splitlines())) <= 100

    def test_show(self, capsys: Output) -> None:
        test = next(one for one in posref.load_vectors(operations="rope.apply").tests if one.kind == "value")
        assert main(["show", test.id]) == 0
        text = capsys.readouterr().out
        for part in (test.id, "pairing = ", "input x: ", "expected y: float64", *test.clauses):
            assert part in text

    def test_show_a_refusal(self, capsys: Output) -> None:
        tests = posref.load_vectors(operations="rope.*").tests
        test = next(one for one in tests if one.kind == "invalid")
        assert main(["show", test.id]) == 0
        assert "must be refused: " in capsys.readouterr().out

    def test_show_what_is_not_there(self, capsys: Output) -> None:
        assert main(["show", "no-such-case"]) == 2
        assert "no case 'no-such-case'" in capsys.readouterr().err

    def test_explain_a_clause(self, capsys: Output) -> None:
        assert main(["explain", "rope.C5"]) == 0
        text = capsys.readouterr().out
        assert text.startswith("rope.C5 (rotation)")
        assert "rope.rotate" in text

    def test_explain_a_flag(self, capsys: Output) -> None:
        assert main(["explain", "negative-position"]) == 0
        assert capsys.readouterr().out.startswith("negative-position (edge_case)")

    def test_explain_neither(self, capsys: Output) -> None:
        assert main(["explain", "rope.C999"]) == 2
        assert "neither a clause" in capsys.readouterr().err

    def test_version(self, capsys: Output) -> None:
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"posref {posref.__version__}\n"

    @pytest.mark.parametrize("arguments", [[], ["nothing"], ["check"], ["judge", "rope.apply"]])
    def test_no_such_command_is_2(self, arguments: list[str], capsys: Output) -> None:
        assert main(arguments) == 2
        assert "usage: posref" in capsys.readouterr().err


class TestJudge:
    @pytest.fixture
    def call(self, tmp_path: Path) -> dict[str, Path]:
        x = np.random.default_rng(2).normal(size=(3, 8)).astype(ml_dtypes.bfloat16)
        positions = np.arange(3)
        params = {**LADDER, "pairing": "adjacent"}
        paths = {name: tmp_path / name for name in ("params.json", "in.npz", "out.npz")}
        paths["params.json"].write_text(json.dumps(params))
        np.savez(paths["in.npz"], x=x, positions=positions)
        np.savez(paths["out.npz"], y=posref.rope.apply(x, positions, **params))
        return paths

    def judge(self, call: dict[str, Path], *more: str) -> int:
        files = ["--params", call["params.json"], "--inputs", call["in.npz"], "--output", call["out.npz"]]
        return main(["judge", "rope.apply", *map(str, files), *more])

    def test_a_pass_is_0_in_bfloat16_too(self, call: dict[str, Path], capsys: Output) -> None:
        assert self.judge(call) == 0
        assert "rope.apply in bfloat16: pass" in capsys.readouterr().out

    def test_a_mismatch_is_1_and_diagnosed(self, call: dict[str, Path], capsys: Output) -> None:
        call["params.json"].write_text(json.dumps({**LADDER, "pairing": "half"}))
        assert self.judge(call) == 1
        output = capsys.readouterr().out
        assert "fail" in output
        assert "diagnosis: your output is what " in output

    @pytest.mark.parametrize(
        "text",
        [
            "{",
            "[1]",
            '{"base": NaN}',
            '{"base": 10000}',
            '{"rotary_dim": 8, "bas": 1}',
            '{"rotary_dim": 4, "rotary_dim": 8, "base": 10000, "pairing": "adjacent"}',
            '{"rotary_dim": 8, "base": 1' + 400 * "0" + ', "pairing": "adjacent"}',
            '{"rotary_dim": 8, "base": 9007199254740993, "pairing": "adjacent"}',
            100_000 * "[",
        ],
        ids=range(9),
    )
    def test_bad_parameters_are_2(self, call: dict[str, Path], text: str, capsys: Output) -> None:
        call["params.json"].write_text(text)
        assert self.judge(call) == 2
        assert capsys.readouterr().err.startswith("posref: ")

    def test_bad_archives_are_2(self, call: dict[str, Path], tmp_path: Path, capsys: Output) -> None:
        pickled = tmp_path / "pickled.npz"
        np.savez(pickled, y=np.array([object()], dtype=object))
        single = tmp_path / "single.npz"
        with single.open("wb") as file:
            np.save(file, np.zeros(3))
        text = tmp_path / "text.npz"
        text.write_text("nothing")
        no_array = tmp_path / "no-array.npz"
        with zipfile.ZipFile(no_array, "w") as archive:
            archive.writestr("y", "nothing")
        for path in (pickled, single, text, no_array, tmp_path / "absent.npz"):
            assert self.judge({**call, "out.npz": path}) == 2
            assert path.name in capsys.readouterr().err

    def test_a_claim_and_a_dtype(self, call: dict[str, Path], capsys: Output) -> None:
        assert self.judge(call, "--claim", "faithful") == 0
        assert self.judge(call, "--dtype", "float32") == 1
        assert self.judge(call, "--claim", "f32-angle-f16") == 2
        capsys.readouterr()

    def test_an_operation_without_inputs(self, call: dict[str, Path], capsys: Output) -> None:
        call["params.json"].write_text(json.dumps(LADDER))
        np.savez(call["out.npz"], posref.rope.inv_freq(**LADDER))
        files = ["--params", str(call["params.json"]), "--output", str(call["out.npz"])]
        assert main(["judge", "rope.inv_freq", *files]) == 0
        capsys.readouterr()


def test_the_module_runs_and_returns_the_code() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "posref", *arguments], capture_output=True, text=True, check=False
        )

    assert run("--version").stdout == f"posref {posref.__version__}\n"
    wrong = run("check", "no_such_thing")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Traceback" not in wrong.stderr


def test_a_reader_that_goes_away_is_no_pass() -> None:
    command = f"{sys.executable} -m posref list | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2)  # 0 where all was written before the reader closed
    assert "Traceback" not in done.stderr
