"""The golden set: certified digits against other arithmetic and the stored bits, and faults in its files."""

import json
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import posref
from posref import operation
from posref.corpus import golden_set, load_vectors, manifest
from posref.corpus.certify import CertificationError, Uncertain
from posref.corpus.diff import diff
from posref.corpus.encode import dump
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.corpus.generate import build
from posref.corpus.lint import lint, rewrite_golden
from posref.corpus.load import HEAD, GoldenTest
from posref.corpus.read_golden import DIGITS, Decimals
from posref.corpus.verify import verify
from posref.errors import FormatError

FILE = "golden/rope/apply.json"
ENGINES = [MpmathReal, ArbReal]
OPERATIONS = ("rope.apply", "rope.inv_freq", "rope_scaling.resolve", "sinusoidal.encode", "t5.bias")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("golden") / "vectors"
    for name in OPERATIONS:
        build(root, operations=name)
    return root


@pytest.fixture(scope="module")
def golden(corpus: Path) -> dict[str, GoldenTest]:
    return {test.id: test for test in load_vectors(corpus).golden}


def test_the_set_has_every_operation_with_float_outputs() -> None:
    floating = {
        entry.name
        for entry in operation.signatures().values()
        if any(output.dtype == "float" for output in entry.outputs)
    }
    assert set(golden_set.chosen()) == floating
    for name, chosen in golden_set.chosen().items():
        assert 1 <= len(chosen) <= 3
        found = [case for group in golden_set.groups(name) for case in group.cases]
        assert {case.id for case in found} == {f"golden-{one}" for one in chosen}


@pytest.mark.parametrize("name", golden_set.chosen())
def test_the_engines_agree(name: str) -> None:
    for group in golden_set.groups(name):
        assert dump(golden_set.group(group, "mpmath")) == dump(golden_set.group(group, "arb"))


def test_known_numbers(golden: dict[str, GoldenTest]) -> None:
    """Sine and cosine of 1 and of 1/100, and an exact ladder."""
    (table,) = golden["golden-sinusoidal-encode-d4-interleaved-dim-report"].expected.values()
    assert table.shape == (1, 4)
    with mpmath.workdps(80):
        for text, value in zip(
            table.data,
            (mpmath.sin(1), mpmath.cos(1), mpmath.sin(mpmath.mpf(1) / 100), mpmath.cos(mpmath.mpf(1) / 100)),
            strict=True,
        ):
            assert (
                abs(mpmath.mpf(text) - value)
                <= mpmath.mpf(10) ** (mpmath.floor(mpmath.log10(value)) - 49) / 2
            )
    assert table.data[0] == "8.4147098480789650665250232163029899962256306079837e-1"
    (ladder,) = golden["golden-rope-inv-freq-w8-b10000"].expected.values()
    zeros = "0" * (DIGITS - 1)
    assert ladder.data == tuple(f"1.{zeros}e{exponent}" for exponent in (0, -1, -2, -3))


def test_rotation_of_the_report(golden: dict[str, GoldenTest]) -> None:
    """1, 2, 3, 4 at position 1, adjacent pairs: the two rotations written out."""
    (y,) = golden["golden-rope-apply-w4-adjacent-b10000-report-bf16"].expected.values()
    with mpmath.workdps(80):
        one, slow = mpmath.mpf(1), mpmath.mpf(1) / 100
        found = [
            mpmath.cos(one) - 2 * mpmath.sin(one),
            mpmath.sin(one) + 2 * mpmath.cos(one),
            3 * mpmath.cos(slow) - 4 * mpmath.sin(slow),
            3 * mpmath.sin(slow) + 4 * mpmath.cos(slow),
        ]
        for text, value in zip(y.data, found, strict=True):
            assert abs(mpmath.mpf(text) / value - 1) < mpmath.mpf(10) ** -49


def rounded(text: str) -> tuple[float, str]:
    """Return a decimal rounded to binary64, and on which side of that it lies."""
    exact = Fraction(Decimal(text))
    value = exact.numerator / exact.denominator  # the quotient of integers is correctly rounded
    return value, "0" if exact == Fraction(value) else "+" if exact > Fraction(value) else "-"


def test_decimals_read_back_as_the_stored_bits(corpus: Path, golden: dict[str, GoldenTest]) -> None:
    core = {test.id: test for test in load_vectors(corpus).tests}
    seen = set()
    for test in golden.values():
        other = core[test.core]
        assert test.inputs == other.inputs
        assert repr(test.params) == repr(other.params)
        for name, value in test.expected.items():
            if not isinstance(value, Decimals):
                assert value == other.expected[name]["int64"].tensor
                continue
            stored = other.expected[name]["float64"]
            assert value.shape == stored.tensor.shape
            for text, bits, residual in zip(value.data, stored.tensor.data, stored.residual, strict=True):
                found, side = rounded(text)
                assert found == bits
                with localcontext(prec=DIGITS):  # an exact value may have more digits
                    assert side == residual or (residual == "0" and Decimal(text) == +Decimal(bits))
                seen.add(residual)
    assert seen == {"+", "-", "0"}


def test_the_reference_gives_the_digits(golden: dict[str, GoldenTest]) -> None:
    for test in golden.values():
        if test.operation.startswith("rope."):
            inputs = {name: np.array(one.data).reshape(one.shape) for name, one in test.inputs.items()}
            found = operation.find("reference", test.operation)(**inputs, **test.params)
            for value, text in zip(
                np.asarray(found).ravel(), *(one.data for one in test.expected.values()), strict=True
            ):
                np.testing.assert_allclose(value, float(text), rtol=1e-14)


@given(st.integers(-(10**60), 10**60), st.integers(1, 10**60), st.sampled_from([1, 2, 3, 17, DIGITS]))
def test_both_roundings_are_right(top: int, bottom: int, digits: int) -> None:
    number = Fraction(top, bottom)
    texts = {engine(160).decimal(engine(160).exact(top, bottom), digits) for engine in ENGINES}
    (text,) = texts
    error = abs(Fraction(Decimal(text)) - number)
    if number:
        exponent = int(text.partition("e")[2])
        assert error <= Fraction(10) ** (exponent - digits + 1) / 2
        assert len(text.partition("e")[0].replace("-", "").replace(".", "")) == digits
    else:
        assert text == "0"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("top", "bottom", "text"),
    [
        (1, 8, "1.2e-1"),
        (135, 100, "1.4e0"),
        (-125, 100, "-1.2e0"),
        (9999, 1000, "1.0e1"),
        (-995, 10**5, "-1.0e-2"),
        (10**30, 1, "1.0e30"),
        (0, 1, "0"),
    ],
)
def test_ties_go_to_even_and_carries_move_the_exponent(engine: Any, top: int, bottom: int, text: str) -> None:
    real = engine(160)
    assert real.decimal(real.exact(top, bottom), 2) == text


@pytest.mark.parametrize("engine", ENGINES)
def test_an_enclosure_that_does_not_decide_is_uncertain(engine: Any) -> None:
    real = engine(64)
    with pytest.raises(Uncertain):
        real.decimal(real.pi(), 50)
    text = engine(200).decimal(engine(200).pi(), 50)
    assert text == "3.1415926535897932384626433832795028841971693993751e0"  # the next digits are 0582
    low, high = real.ends(real.pi())
    with localcontext(prec=60):
        assert Decimal(low.numerator) / low.denominator < Decimal(high.numerator) / high.denominator
    assert low < Fraction(Decimal("3.1415926535897932384626433832795")) < high


def test_digits_that_no_precision_decides_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_set, "DIGITS", 2000)
    with pytest.raises(CertificationError, match="2000 digits"):
        golden_set.certify_decimals(
            "mpmath", "sinusoidal.inv_freq", {}, {"dim": 6, "base": 500000.0, "denominator": "dim"}
        )


def test_files_are_canonical_linted_and_not_judged(corpus: Path, golden: dict[str, GoldenTest]) -> None:
    loaded = load_vectors(corpus)
    files = [file for file in loaded.files if file.path.startswith("golden/")]
    assert len(files) == len(OPERATIONS)
    for file in files:
        tests = [test for test in loaded.golden if test.file == file.path]
        assert rewrite_golden(tests) == (corpus / file.path).read_bytes()
        assert file.tests == len(tests)
    assert not [problem for problem in lint(corpus).problems if problem.startswith("golden/")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = posref.check(posref, "rope.apply", "float64", root=corpus)
    assert report
    assert not {result.case_id for result in report.results} & golden.keys()
    assert {test.operation for test in load_vectors(corpus, "rope.*").golden} == {
        "rope.apply",
        "rope.inv_freq",
    }


def test_building_again_gives_the_same(corpus: Path) -> None:
    for name in ("rope.inv_freq", "rope_scaling.resolve"):
        assert verify(corpus, operations=name, engine="arb") == []
        assert verify(corpus, operations=name, sample=1) == []


def edited(corpus: Path, tmp_path: Path, edit: Any, *paths: str) -> Path:
    """Return a corpus of a few files, the first of them edited and hashed, with a manifest that agrees."""
    root = tmp_path / "edited"
    for path in paths or (FILE,):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        content = json.loads((corpus / path).read_text("ascii"))
        if path == (paths or (FILE,))[0]:
            edit(content)
        (root / path).write_bytes(dump(content))
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_bytes(dump(manifest.make(root, "0.1.0")))
    return root


def first(content: Any) -> Any:
    return content["groups"][0]["tests"][0]


def numbers(content: Any) -> Any:
    return first(content)["expected"]["y"]["decimal"]


PLACE = "/groups/0/tests/0"
DATA = f"{PLACE}/expected/y/decimal/data"


def put(text: Any) -> Any:
    def edit(content: Any) -> None:
        numbers(content)["data"][0][0] = text

    return edit


@pytest.mark.parametrize(
    ("edit", "pointer", "structural"),
    [
        (lambda c: c.update(kind="value"), "/kind", True),
        (lambda c: c.update(operation="rope.score"), "/operation", False),
        (lambda c: first(c).update(id="rope-apply-mine"), f"{PLACE}/id", True),
        (lambda c: first(c).update(hardness=None), f"{PLACE}/hardness", True),
        (lambda c: first(c)["expected"].update(z={}), f"{PLACE}/expected/z", True),
        (lambda c: first(c)["expected"]["y"].update(float64={}), f"{PLACE}/expected/y/float64", True),
        (lambda c: first(c)["expected"]["y"].pop("decimal"), f"{PLACE}/expected/y", True),
        (lambda c: numbers(c).update(dtype="decimal"), f"{PLACE}/expected/y/decimal/dtype", True),
        (lambda c: numbers(c)["data"].append([]), DATA, True),
        (lambda c: numbers(c)["data"][0].pop(), f"{DATA}/0", False),
        (lambda c: numbers(c)["shape"].append(1), DATA, False),
        (put(1), f"{DATA}/0/0", True),
        (put("1.5"), f"{DATA}/0/0", True),
        (put(f"1.{'5' * 48}e0"), f"{DATA}/0/0", True),
        (put(f"0.{'5' * 49}e0"), f"{DATA}/0/0", True),
        (put(f"1.{'5' * 49}e+1"), f"{DATA}/0/0", True),
        (put(f"1.{'5' * 49}e-0"), f"{DATA}/0/0", True),
        (put("-0"), f"{DATA}/0/0", True),
        (put("inf"), f"{DATA}/0/0", True),
        (put(f"1.{'5' * 49}e0"), f"{PLACE}/case_hash", False),
    ],
)
def test_a_wrong_file_is_refused(
    corpus: Path, tmp_path: Path, edit: Any, pointer: str, structural: bool
) -> None:
    try:
        root = edited(corpus, tmp_path, edit)
    except (KeyError, StopIteration, TypeError):  # no shape is left to be counted
        root = tmp_path / "edited"
        made = manifest.make(corpus, "0.1.0")
        data = (root / FILE).read_bytes()
        made["files"] = [
            {**entry, "bytes": len(data), "sha256": manifest.digest(data)}
            for entry in made["files"]
            if entry["path"] == FILE
        ]
        made["totals"] = {
            "files": 1,
            **{key: made["files"][0][key] for key in ("bytes", "tests", "elements")},
        }
        (root / manifest.SUMS).unlink()
        (root / manifest.MANIFEST).write_bytes(dump(made))
    with pytest.raises(FormatError) as caught:
        load_vectors(root)
    assert caught.value.pointer == pointer
    schema = json.loads((operation.home("spec") / "schema/golden.json").read_text("ascii"))
    Draft202012Validator.check_schema(schema)
    refused = bool(list(Draft202012Validator(schema).iter_errors(json.loads((root / FILE).read_text()))))
    assert refused is structural
    assert schema["required"] == list(HEAD)


def rehash(content: Any) -> None:
    for group in content["groups"]:
        for test in group["tests"]:
            test["case_hash"] = golden_set.encode.case_hash(content["operation"], group["params"], test)


def test_a_wrong_digit_that_is_hashed_again_is_found_by_building_and_by_diff(
    corpus: Path, tmp_path: Path
) -> None:
    def edit(content: Any) -> None:
        text = numbers(content)["data"][0][0]
        head, _, exponent = text.partition("e")
        numbers(content)["data"][0][0] = f"{head[:-1]}{(int(head[-1]) + 1) % 10}e{exponent}"
        rehash(content)

    root = edited(corpus, tmp_path / "a", edit, FILE, "core/rope/apply.json")
    name = first(json.loads((corpus / FILE).read_text("ascii")))["id"]
    assert any(f"test {name} differs" in line for line in verify(root, operations="rope.apply", sample=1))
    found = diff(edited(corpus, tmp_path / "b", lambda c: None, FILE, "core/rope/apply.json"), root)
    assert found.required == "PATCH"
    assert found.corrected == (name,)


def test_lint_finds_a_test_that_repeats_none_of_the_core(corpus: Path, tmp_path: Path) -> None:
    def rename(content: Any) -> None:
        first(content)["id"] = "golden-mine"
        content["groups"][0]["tests"].sort(key=lambda test: test["id"])

    def move(content: Any) -> None:
        first(content)["inputs"]["positions"]["data"][0][0] += 1
        rehash(content)

    paths = (FILE, "core/rope/apply.json")
    found = lint(edited(corpus, tmp_path / "a", rename, *paths)).problems
    assert f"{FILE}: golden-mine repeats no test of the core" in found
    found = lint(edited(corpus, tmp_path / "b", move, *paths)).problems
    assert any("has not the parameters and inputs of" in problem for problem in found)
