"""Counts, truth, text and JSON of a report; check and judge as they are called from Python."""

import json
import math
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from in_memory import LADDER, invalid_test, value_test

from posref.conformance import pieces, suite
from posref.conformance.report import Report
from posref.conformance.suite import check
from posref.conformance.text import WIDTH
from posref.corpus.load import Test
from posref.errors import FormatError
from posref.operation import Refusal, Tensor, signature

Install = Callable[..., None]
ODD = invalid_test(
    "rope.inv_freq",
    {"rotary_dim": 3, "base": 10000.0},
    {},
    Refusal("INVALID_PARAMETER", "rotary_dim"),
    name="odd",
)
POSITIONS = Tensor("int64", (2,), (3, 5))
RELATIVE = value_test(
    "positions.relative",
    {},
    {"q_positions": POSITIONS, "k_positions": POSITIONS},
    {"relative_position": ([0, 2, -2, 0], (2, 2))},
    dtypes=["int64"],
    name="relative",
)


def ladder(*, rotary_dim: int, base: float, dtype: Any) -> Any:
    if rotary_dim % 2:
        raise ValueError("odd")
    real = np.array([base ** (-2 * i / rotary_dim) for i in range(rotary_dim // 2)])
    return real.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def relative(q: Any, k: Any) -> Any:
    return k[None, :] - q[:, None]


GOOD = {"rope.inv_freq": ladder, "positions.relative": relative}


class TestCheck:
    def test_counts(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test, ODD, RELATIVE)
        report = check(GOOD)
        assert report
        counts = (
            report.selected,
            report.executed,
            report.passed,
            report.failed,
            report.errors,
            report.skipped,
        )
        assert counts == (9, 9, 9, 0, 0, 0)  # two cases in four dtypes, the integers once
        assert {result.dtype for result in report.results} == {
            "float64",
            "float32",
            "bfloat16",
            "float16",
            "int64",
        }
        assert report.corpus_version == "1.2.3"

    def test_a_failure_and_an_error_are_no_pass(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test, RELATIVE)
        wrong = check({**GOOD, "positions.relative": lambda q, k: -relative(q, k)}, dtype="float32")
        assert not wrong
        assert (wrong.passed, wrong.failed) == (1, 1)
        broken = check({**GOOD, "positions.relative": lambda *_: 1 // 0}, dtype="float32")
        assert not broken
        assert (broken.passed, broken.failed, broken.errors, broken.executed) == (1, 0, 1, 2)

    def test_nothing_that_ran_is_no_pass(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test)
        report = check({"positions.relative": relative})
        assert not report
        assert (report.executed, report.skipped) == (0, 4)
        corpus_of()
        assert not check(GOOD)

    def test_an_uninformative_case_is_not_executed(self, corpus_of: Install) -> None:
        inputs = {
            "positions": Tensor("int64", (1,), (2**31 - 1,)),
            "inv_freq": Tensor("float32", (1,), (1.0,)),
        }
        angle = 2**31 - 1
        outputs = {"cos": ([Fraction(math.cos(angle))], (1, 1)), "sin": ([Fraction(math.sin(angle))], (1, 1))}
        corpus_of(value_test("rope.cos_sin", {"attention_factor": 1.0}, inputs, outputs, bound=99.0))
        half = lambda *_, dtype, **__: (np.full((1, 1), 0.5, dtype), np.full((1, 1), 0.5, dtype))  # noqa: E731
        report = check({"rope.cos_sin": half}, dtype="float32")
        assert not report
        assert (report.selected, report.executed, report.uninformative) == (1, 0, 1)
        assert report.operations[0].uninformative_elements == 2
        assert report.operations[0].elements == 0
        assert (report.elements, report.uninformative_elements) == (0, 2)
        assert "float32 0 (2 more uninformative)" in report.to_text()
        assert report.last_line.endswith(" elements=0 uninformative_elements=2")

    def test_a_claim_of_ones_own(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test)
        off = lambda **p: np.nextafter(ladder(**p), np.float32(1))  # noqa: E731
        assert check({"rope.inv_freq": off}, dtype="float32", claim="ulp:2")
        assert not check({"rope.inv_freq": off}, dtype="float32", claim="correctly_rounded")
        assert not check({"rope.inv_freq": off}, dtype="float32", claim="exact")

    def test_the_strongest_claim_of_the_operation_holds_in_every_case(
        self, corpus_of: Install, ladder_test: Test
    ) -> None:
        powers = value_test(
            "rope.inv_freq",
            {"rotary_dim": 4, "base": 16.0},
            {},
            {"inv_freq": ([1, Fraction(1, 4)], (2,))},
            name="powers",
        )
        corpus_of(ladder_test, powers)
        report = check(GOOD, dtype="float32")
        assert {result.strongest_claim for result in report.results} == {"exact", "correctly_rounded"}
        assert report.operations[0].strongest_claim == "correctly_rounded"

    def test_a_claim_for_some_dtypes_leaves_out_the_others(
        self, corpus_of: Install, ladder_test: Test
    ) -> None:
        corpus_of(ladder_test)
        report = check(GOOD, claim="f32-angle-bf16")
        assert {result.dtype for result in report.results} == {"bfloat16"}
        with pytest.raises(ValueError, match="the claim f32-angle-bf16 is not made for float32"):
            check(GOOD, dtype="float32", claim="f32-angle-bf16")

    def test_several_globs_and_dtypes(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test, ODD, RELATIVE)
        report = check(GOOD, ["rope.*", "alibi.slopes"], dtype=["float32", "float64"])
        assert report.selected == 4

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"operations": "rope.nothing"}, "no operation matches 'rope.nothing'"),
            ({"operations": ["rope.*", "hope.*"]}, r"no operation matches 'hope.\*'"),
            ({"dtype": "float8"}, "no dtype 'float8'; there are float64"),
            ({"claim": "near"}, "no claim 'near'"),
        ],
    )
    def test_unknown_names_are_said(
        self, corpus_of: Install, ladder_test: Test, arguments: dict[str, Any], message: str
    ) -> None:
        corpus_of(ladder_test)
        with pytest.raises(ValueError, match=message):
            check(GOOD, **arguments)


class TestTargets:
    def test_an_object_with_schemes(self, corpus_of: Install, ladder_test: Test) -> None:
        corpus_of(ladder_test, RELATIVE)
        target = types.SimpleNamespace(rope=types.SimpleNamespace(inv_freq=ladder))
        report = check(target, dtype="float32")
        assert report
        assert (report.passed, report.skipped) == (1, 1)

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            ("no_such_adapter", "'no_such_adapter' is neither an adapter .*reference.* nor a module"),
            ("os.path:nothing", "os.path has no 'nothing'"),
            ("os.path", "has no operation to judge"),
            ({}, "the mapping has no operation"),
            ({"rope.aply": ladder}, "no operation 'rope.aply'"),
            ({"rope.apply": 3}, "rope.apply is not callable but a int"),
            (object(), "object has no operation to judge"),
        ],
    )
    def test_what_cannot_be_judged_is_said(self, target: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            check(target)


@pytest.fixture
def mixed(corpus_of: Install, ladder_test: Test) -> Report:
    """A report with a pass, failures, an error, skips and a remark."""
    wide = value_test(
        "alibi.slopes",
        {"num_heads": 1, "bias_max": 8.0, "head_start": 0, "head_count": None},
        {},
        {"slopes": ([Fraction(1, 256)], (1,))},
        name="slopes",
    )
    corpus_of(ladder_test, ODD, RELATIVE, wide)
    nan = lambda **p: ladder(**p) * np.array([1, np.nan], "float32")  # noqa: E731
    return check({"rope.inv_freq": nan, "positions.relative": lambda *_: 1 // 0}, dtype="float32")


class TestText:
    def test_the_last_line_is_machine_readable(self, mixed: Report) -> None:
        assert mixed.to_text().splitlines()[-1] == (
            "posref: selected=4 executed=3 passed=1 failed=1 errors=1 skipped=1 uninformative=0 "
            "expected_failures=0 unexpected_passes=0 elements=2 uninformative_elements=0"
        )

    def test_a_hundred_columns_but_for_the_last_line(self, mixed: Report) -> None:
        assert max(map(len, mixed.to_text().splitlines()[:-1])) <= WIDTH

    def test_it_says_what_differs_and_why(self, mixed: Report) -> None:
        text = " ".join(mixed.to_text().split())
        for part in (
            "inv_freq[1]: got nan",
            "first wrong: inv_freq[1]: got nan (nan, bits 7fc00000), expected 0.01 (0x1.47ae140000000p-7, "
            "bits 3c23d70a)",
            "elements compared: float32 2 (0 more uninformative)",
            "made in float32 (rope.C1)",
            "Made by hand.",
            "ZeroDivisionError",
            "skipped 1: operation not offered",
            "nothing ran: alibi.slopes",
            "diagnosis:",
        ):
            assert part in text

    def test_long_lists_are_cut(self, corpus_of: Install, ladder_test: Test) -> None:
        cases = [
            value_test(
                "rope.inv_freq", LADDER, {}, {"inv_freq": ([1, Fraction(1, 100)], (2,))}, name=f"case-{n}"
            )
            for n in range(200)
        ]
        corpus_of(*cases)
        report = check({"rope.inv_freq": lambda **_: np.zeros(2, np.float32)}, dtype="float32")
        lines = report.to_text().splitlines()
        assert report.failed == 200
        assert len(lines) < 40
        assert any("and 197 more cases" in line for line in lines)


class TestJson:
    def test_round_trip(self, mixed: Report) -> None:
        text = mixed.to_json()
        again = Report.from_json(text)
        assert again.to_json() == text
        assert again.to_text() == mixed.to_text()
        assert bool(again) is bool(mixed)

    def test_it_is_strict_json(self, mixed: Report) -> None:
        def refuse(constant: str) -> Any:
            raise AssertionError(constant)

        document = json.loads(mixed.to_json(), parse_constant=refuse)
        assert (document["format"], document["format_version"]) == ("posref-report", 1)
        assert document["summary"]["failed"] == 1
        worst = next(record["worst_error"] for record in document["results"] if record["verdict"] == "fail")
        assert (worst["got"], worst["index"]) == ("nan", [1])
        first = next(record["first_wrong"] for record in document["results"] if record["verdict"] == "fail")
        assert (first["output"], first["index"], first["bounds"]) == ("inv_freq", [1], "inf")
        assert first["expected"] == {
            "decimal": "0.01",
            "hexfloat": "0x1.47ae140000000p-7",
            "bits": "3c23d70a",
        }
        assert document["summary"]["elements"] == 2

    @pytest.mark.parametrize(
        "text", ["", "{}", "[]", '{"format": "posref-report", "format_version": 2}', "nonsense"]
    )
    def test_what_is_no_report_is_refused(self, text: str) -> None:
        with pytest.raises(FormatError):
            Report.from_json(text)


def test_check_reads_the_corpus_it_is_given(tmp_path: Any) -> None:
    with pytest.raises(FormatError, match="manifest"):
        suite.check({"rope.inv_freq": ladder}, root=tmp_path)


class TestPieces:
    def entry(self, name: str) -> Any:
        return signature(name)

    @pytest.mark.parametrize("most", [1, 7, 24, 10**6])
    def test_they_cover_the_call_once(self, most: int) -> None:
        x = np.arange(2 * 3 * 4 * 2).reshape(2, 3, 4, 2)
        inputs = {"x": x, "positions": np.arange(8).reshape(2, 1, 4)}
        seen = np.zeros(x.shape, dtype=int)
        for some, outputs, (batch, head) in pieces.pieces(self.entry("rope.apply"), inputs, {"y": x}, most):
            part = outputs["y"]
            assert np.array_equal(some["x"], part)
            assert np.array_equal(some["positions"], inputs["positions"][batch : batch + part.shape[0]])
            seen[batch : batch + part.shape[0], head : head + part.shape[1]] += 1
        assert (seen == 1).all()

    def test_axes_that_differ_are_not_cut(self) -> None:
        q, k = np.zeros((2, 8, 3, 4)), np.zeros((2, 2, 3, 4))
        inputs = {"q": q, "k": k, "positions": np.zeros((3,))}
        parts = list(pieces.pieces(self.entry("rope.apply_qk"), inputs, {"q": q, "k": k}, 1))
        assert [outputs["q"].shape for _, outputs, _ in parts] == [(1, 8, 3, 4)] * 2
        assert [outputs["k"].shape for _, outputs, _ in parts] == [(1, 2, 3, 4)] * 2
