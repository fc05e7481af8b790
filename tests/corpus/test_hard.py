"""The hard set: the filter against brute force, distances against mpmath, thresholds, faults in its files."""

import json
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from jsonschema import Draft202012Validator

import posref
from posref import operation
from posref.cases._hard_scaling import BANDS, RAMPS
from posref.corpus import hard_rows, hard_set, hardness, load_vectors, manifest, scan
from posref.corpus.certify import Uncertain
from posref.corpus.diff import diff
from posref.corpus.encode import dump
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.corpus.generate import build, cases
from posref.corpus.hard_set import HardGroup
from posref.corpus.lint import lint, rewrite
from posref.corpus.load import HEAD
from posref.corpus.verify import verify
from posref.errors import FormatError
from posref.numerics.phase import tables
from posref.numerics.wide import ladder

FOUND = json.loads((Path(hard_rows.__file__).parents[1] / "cases/hard_rows.json").read_text("ascii"))
ROWS = {name: [hard_rows.Row(*row) for row in FOUND[name]] for name in hard_rows.KEPT}
FILE = "hard/rope/cos_sin.json"
PRECISION = {"float32": 24, "bfloat16": 8, "float16": 11}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the hard set of the operations that have one, with what else they have."""
    root = tmp_path_factory.mktemp("hard") / "vectors"
    for name in ("rope.cos_sin", "t5.bucket", "rope_scaling.dynamic"):
        build(root, operations=name)
    return root


def distance_of(number: Any, dtype: str) -> Any:
    """Return the distance of an mpmath number from the middle of its neighbours."""
    size = abs(number)
    spacing = mpmath.mpf(2) ** (mpmath.floor(mpmath.log(size, 2)) - PRECISION[dtype] + 1)
    steps = size / spacing
    return abs(steps - mpmath.floor(steps) - 0.5)


def entry_of(name: str, row: hard_rows.Row) -> Any:
    frequency = mpmath.mpf(row.frequency)
    if name == "sinusoidal.encode":
        frequency = mpmath.power(row.base, mpmath.mpf(-2 * row.pair) / row.width)
    return getattr(mpmath, row.part)(row.position * frequency)


@pytest.mark.parametrize("name", hard_rows.KEPT)
def test_distances_of_the_rows_are_right(name: str) -> None:
    with mpmath.workprec(300):
        for row in ROWS[name]:
            found = distance_of(entry_of(name, row), row.dtype)
            last = mpmath.mpf(10) ** (mpmath.floor(mpmath.log10(found)) - 2)
            assert abs(found - mpmath.mpf(row.distance)) <= last / 2


@pytest.mark.parametrize("name", hard_rows.KEPT)
def test_rows_are_ranked_and_distinct(name: str) -> None:
    for dtype in scan.NEAR:
        rows = [row for row in ROWS[name] if row.dtype == dtype]
        assert len(rows) == hard_rows.KEPT[name] == FOUND["kept"][name]
        assert [float(row.distance) for row in rows] == sorted(float(row.distance) for row in rows)
        assert float(rows[-1].distance) < scan.NEAR[dtype] / 2
        assert len({row.entry for row in rows}) == len(rows)
    assert FOUND["columns"] == list(hard_rows.Row.__annotations__)
    assert tuple(FOUND["bases"]) == hard_rows.BASES
    assert tuple(FOUND["widths"]) == hard_rows.WIDTHS
    assert (FOUND["positions"], FOUND["least"]) == (hard_rows.POSITIONS, scan.LEAST)


def agree(name: str, pairs: list[hard_rows.Pair], start: int, count: int) -> int:
    """Check that the stored rows in a part of the scan are those that the scan finds; return how many."""
    places = {(pair.base, pair.width, pair.pair) for pair in pairs}
    worst = {row.dtype: float(row.distance) for row in ROWS[name]}
    every = hard_rows.rows(name, pairs, start, count)
    fresh = {row for row in every if float(row.distance) < worst[row.dtype]}
    stored = {
        row
        for row in ROWS[name]
        if (row.base, row.width, row.pair) in places and start <= row.position < start + count
    }
    assert {row for row in stored if float(row.distance) < worst[row.dtype]} <= fresh
    assert {row.entry for row in fresh} <= {row.entry for row in ROWS[name]}
    return len(stored)


@pytest.mark.parametrize("name", hard_rows.KEPT)
def test_the_stored_rows_are_the_hardest_of_a_sample(name: str) -> None:
    """All positions of a few frequencies, and a sixteenth of the positions of a whole base."""
    pairs = hard_rows.pairs(name)
    places = {(row.base, row.width, row.pair) for row in ROWS[name][:3]}
    chosen = [pair for pair in pairs if (pair.base, pair.width, pair.pair) in places]
    assert agree(name, chosen, 0, hard_rows.POSITIONS) >= 3
    start = ROWS[name][0].position // 2**16 * 2**16
    assert agree(name, [pair for pair in pairs if pair.base == ROWS[name][0].base], start, 2**16) >= 1


@pytest.mark.full
def test_the_whole_scan_gives_the_stored_file() -> None:
    path = Path(hard_rows.__file__).parents[1] / "cases/hard_rows.json"
    assert hard_rows.document() == path.read_text("ascii")


def test_the_filter_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every entry computed by itself, without blocks and tests on bits; near is wider, to have more."""
    monkeypatch.setattr(scan, "NEAR", dict.fromkeys(scan.NEAR, 2.0**-18))
    frequencies = ladder(500000.0, [Fraction(2 * pair, 96) for pair in range(0, 48, 6)])
    count = 2**17
    fast = {(one.dtype, one.frequency, one.part, one.position) for one in scan.near(frequencies, 0, count)}
    slow = set()
    for index, frequency in enumerate(frequencies):
        both = tables(scan.HOST, np.arange(count), (frequency,))
        for part, values in zip(("cos", "sin"), both, strict=True):
            for dtype, bits in PRECISION.items():
                size = np.abs(values[:, 0])
                steps = size * 2.0 ** (bits - np.frexp(size)[1])
                away = np.abs(steps - np.floor(steps) - 0.5)
                near = (away <= scan.NEAR[dtype] + 2.0 ** (bits - 53)) & (size >= scan.LEAST)
                slow |= {(dtype, index, part, position) for position in np.flatnonzero(near).tolist()}
    assert fast == slow
    assert len(fast) > 30
    assert {dtype for dtype, *_ in fast} == set(PRECISION)


def test_the_error_of_a_turned_block_is_within_its_bound() -> None:
    frequencies = ladder(10000.0, [Fraction(pair, 8) for pair in range(8)])
    heads = np.arange(0, 2**20, 2**16)
    turn = [part[:, None, :] for part in tables(scan.HOST, heads, frequencies)]
    body = [part[None, :, :] for part in tables(scan.HOST, np.arange(scan.BLOCK), frequencies)]
    real = tables(scan.HOST, heads[:, None] + np.arange(scan.BLOCK), frequencies)
    cos = turn[0] * body[0] - turn[1] * body[1]
    sin = turn[1] * body[0] + turn[0] * body[1]
    worst = max(np.abs(cos - real[0]).max(), np.abs(sin - real[1]).max())
    assert 2.0**-54 < worst < scan.ERROR / 2


def test_whole_blocks_are_scanned() -> None:
    for start, count in ((-1, scan.BLOCK), (0, scan.BLOCK + 1)):
        with pytest.raises(ValueError, match="whole blocks"):
            next(scan.near((Decimal(1),), start, count))


@pytest.mark.parametrize("engine", [MpmathReal, ArbReal])
@pytest.mark.parametrize(
    ("number", "dtype", "text"),
    [
        (Fraction(1), "float32", "5.00e-01"),
        (1 + Fraction(1, 2**24), "float32", "0.00e+00"),
        (-1 - Fraction(3, 2**10), "float16", "5.00e-01"),
        (1 + Fraction(3, 2**9), "bfloat16", "2.50e-01"),
        (Fraction(1, 2**26), "float16", "2.50e-01"),
        (Fraction(0), "float16", "5.00e-01"),
    ],
)
def test_distances_worked_by_hand(engine: Any, number: Fraction, dtype: str, text: str) -> None:
    real = engine(160)
    assert hardness.nearest(real, [real.exact(number.numerator, number.denominator)], dtype) == text
    assert hardness.agrees(text, [float(number)], dtype)
    assert not hardness.agrees("1.00e-01", [float(number)], dtype)


def test_an_enclosure_that_does_not_decide() -> None:
    one, step = Fraction(1), Fraction(1, 2**24)
    for low, high in ((one - step, one + step), (one + step / 2, one + 3 * step), (-step, step)):
        with pytest.raises(Uncertain):
            hardness.between(low, high, "float32")
    assert hardness.between(-one - step / 2, -one - step / 4, "float32") == (Fraction(1, 4), Fraction(3, 8))


def test_the_engines_agree_on_distances() -> None:
    groups = [group for group in hard_set.groups("*") if group.operation in hard_rows.KEPT]
    for group in groups[:6]:
        for case in group.cases[:12:2]:
            found = {
                hardness.certify_distance(engine, group.operation, case.inputs, group.params, case.hardness)
                for engine in (MpmathReal, ArbReal)
            }
            assert len(found) == 1
            assert found.pop() in case.comment


@pytest.mark.parametrize("ramp", RAMPS)
def test_ends_of_ramps_lie_where_the_comment_says(ramp: Any) -> None:
    width, base, _, length, text = ramp
    beta = 32 if "fast" in text else 1
    with mpmath.workprec(100):
        end = width * mpmath.log(mpmath.mpf(length) / (beta * 2 * mpmath.pi)) / (2 * mpmath.log(base))
        assert mpmath.nstr(end, 7) in text
        assert str(int(mpmath.floor(end) if beta == 32 else mpmath.ceil(end))) == text.split()[-1].strip(".")
        assert 1e-5 < abs(end - mpmath.nint(end)) < 5e-4


@pytest.mark.parametrize("band", BANDS)
def test_pairs_turn_as_often_as_the_comment_says(band: Any) -> None:
    width, base, _, length, text = band
    words = text.split()
    pair, edge, sign, away = int(words[1]), int(words[3]), words[4], float(words[5])
    with mpmath.workprec(100):
        turns = length * mpmath.power(base, mpmath.mpf(-2 * pair) / width) / (2 * mpmath.pi)
        assert float(turns - edge) == pytest.approx(away if sign == "+" else -away, rel=0.05)


def test_buckets_are_whole_tables() -> None:
    for group in hard_set.groups("*"):
        if group.operation.endswith(".bucket"):
            for case in group.cases:
                data = case.inputs["relative_position"].data
                last = group.params.get("max_distance", group.params.get("max_relative_positions"))
                assert list(data) == list(range(-last - 1, data[-1] + 1))
                assert data[-1] == (last + 1 if group.params.get("bidirectional", True) else 8)


def test_every_file_is_built_loaded_and_judged(corpus: Path) -> None:
    loaded = load_vectors(corpus)
    hard = [test for test in loaded.tests if test.file.startswith("hard/")]
    groups = [group for group in cases("rope.cos_sin") if isinstance(group, HardGroup)]
    assert {case.id for group in groups for case in group.cases} <= {test.id for test in hard}
    assert {test.operation for test in hard} == {"rope.cos_sin", "t5.bucket", "rope_scaling.dynamic"}
    for test in hard:
        assert (test.hardness is None) == (test.operation != "rope.cos_sin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = posref.check(posref, root=corpus)
    assert report.failed == report.errors == 0
    judged = {result.case_id for result in report.results if result.verdict == "pass"}
    assert {test.id for test in hard} <= judged


@pytest.mark.parametrize(("dtype", "through"), [("float32", "float64"), ("float16", "float32")])
def test_rounding_twice_is_seen_to_be_no_correct_rounding(corpus: Path, dtype: str, through: str) -> None:
    """The point of the set: a cast from a wider format is wrong on some rows, and the reference on none."""

    def twice(positions: Any, inv_freq: Any, *, attention_factor: float, dtype: str) -> Any:
        found = posref.rope.cos_sin(positions, inv_freq, attention_factor=attention_factor, dtype=through)
        return tuple(part.astype(dtype) for part in found)

    def failing(function: Any) -> set[str]:
        operations = {"rope.cos_sin": function}
        report = posref.check(operations, "rope.cos_sin", dtype, "correctly_rounded", corpus, kind="value")
        return {result.case_id for result in report.results if result.verdict == "fail"}

    short = {"float32": "f32", "float16": "f16"}[dtype]
    assert any(name.startswith(f"hard-rope-cos-sin-{short}") for name in failing(twice))


def test_files_are_canonical_and_linted(corpus: Path) -> None:
    loaded = load_vectors(corpus)
    for file in loaded.files:
        if file.path.startswith("hard/"):
            tests = [test for test in loaded.tests if test.file == file.path]
            assert rewrite(tests) == (corpus / file.path).read_bytes()
    assert not [problem for problem in lint(corpus).problems if problem.startswith("hard/")]


def test_both_engines_write_the_same_bytes(corpus: Path) -> None:
    assert verify(corpus, operations="rope.cos_sin", engine="arb") == []


def edited(corpus: Path, tmp_path: Path, edit: Any, path: str = FILE) -> Path:
    """Return a corpus whose one file is edited, with a manifest that agrees."""
    root = tmp_path / "edited"
    (root / path).parent.mkdir(parents=True)
    content = json.loads((corpus / path).read_text("ascii"))
    edit(content)
    (root / path).write_bytes(dump(content))
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_bytes(dump(manifest.make(root, "0.1.0")))
    return root


def first(content: Any) -> Any:
    return content["groups"][0]["tests"][0]


PLACE = "/groups/0/tests/0"
HARDNESS = f"{PLACE}/hardness"


@pytest.mark.parametrize(
    ("edit", "pointer", "structural"),
    [
        (lambda c: c.update(kind="value"), "/kind", True),
        (lambda c: c.update(operation="rope.matrix"), "/operation", False),
        (lambda c: first(c).pop("hardness"), PLACE, True),
        (lambda c: first(c).update(hardness="float32"), HARDNESS, True),
        (lambda c: first(c)["hardness"].pop("dtype"), HARDNESS, True),
        (lambda c: first(c)["hardness"].update(dtype="int64"), f"{HARDNESS}/dtype", True),
        (lambda c: first(c)["hardness"].update(ulp="1"), f"{HARDNESS}/ulp", True),
        (lambda c: first(c)["hardness"].update(distance_ulp="1.6e-09"), f"{HARDNESS}/distance_ulp", True),
        (lambda c: first(c)["hardness"].update(distance_ulp=1), f"{HARDNESS}/distance_ulp", True),
        (lambda c: first(c)["hardness"].update(distance_ulp="4.00e-01"), f"{HARDNESS}/distance_ulp", False),
        (lambda c: first(c)["hardness"].update(distance_ulp="1.63e-02"), f"{HARDNESS}/distance_ulp", False),
        (lambda c: first(c).update(error={}), f"{PLACE}/error", True),
    ],
)
def test_a_wrong_file_is_refused(
    corpus: Path, tmp_path: Path, edit: Any, pointer: str, structural: bool
) -> None:
    root = edited(corpus, tmp_path, edit)
    with pytest.raises(FormatError) as caught:
        load_vectors(root)
    assert caught.value.pointer == pointer
    schema = json.loads((operation.home("spec") / "schema/hard.json").read_text("ascii"))
    Draft202012Validator.check_schema(schema)
    refused = bool(list(Draft202012Validator(schema).iter_errors(json.loads((root / FILE).read_text()))))
    assert refused is structural
    assert schema["required"] == list(HEAD)


def narrow(content: Any) -> Any:
    """Return a test whose distance float64 cannot tell from less."""
    return next(one for one in content["groups"][0]["tests"] if one["hardness"]["dtype"] == "float32")


def bump(content: Any) -> None:
    """Change the last digit of a distance."""
    stored = narrow(content)["hardness"]
    text = stored["distance_ulp"]
    stored["distance_ulp"] = text[:3] + str((int(text[3]) + 1) % 10) + text[4:]


def test_a_distance_that_float64_cannot_tell_is_found_by_building_again(corpus: Path, tmp_path: Path) -> None:
    root = edited(corpus, tmp_path, bump)
    load_vectors(root)
    found = verify(root, operations="rope.cos_sin", sample=1)
    assert any(narrow(json.loads((corpus / FILE).read_text("ascii")))["id"] in line for line in found)


def test_a_changed_distance_asks_for_a_patch(corpus: Path, tmp_path: Path) -> None:
    same = edited(corpus, tmp_path / "a", lambda c: None)
    other = edited(corpus, tmp_path / "b", bump)
    found = diff(same, other)
    assert found.required == "PATCH"
    assert found.rebounded == (narrow(json.loads((corpus / FILE).read_text("ascii")))["id"],)


def test_the_set_may_be_left_out_as_a_whole_only(corpus: Path, tmp_path: Path) -> None:
    root = edited(corpus, tmp_path, lambda c: None)
    (root / manifest.SUMS).unlink()
    (root / FILE).unlink()
    with pytest.raises(FormatError, match="listed and not there"):
        load_vectors(root)
    (root / "hard/rope").rmdir()
    (root / "hard").rmdir()
    assert load_vectors(root).tests == ()
