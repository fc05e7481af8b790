"""Bits, rows, parameters, hashes and canonical bytes, against independent computations."""

import hashlib
import json
import math
import random
import struct
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from posref import operation
from posref.corpus import bits, encode, lint, load, parameters
from posref.corpus.clauses import clauses, read
from posref.corpus.encode import Expected
from posref.corpus.strict import Place, parse
from posref.operation import Case, Group, Tensor

NUMPY = {"float64": ">f8", "float32": ">f4", "float16": ">f2"}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_every_short_value_round_trips(dtype: str) -> None:
    patterns = np.arange(2**16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        native = patterns.view(np.float16 if dtype == "float16" else ml_dtypes.bfloat16).astype(np.float64)
    number = ~np.isnan(native)
    text = "".join(f"{pattern:04x}" for pattern in patterns[number])
    values = bits.floats(text, dtype)
    assert np.array_equal(np.array(values), native[number])
    assert bits.hexadecimal(values, dtype) == text


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_long_values_round_trip(dtype: str) -> None:
    source = random.Random(3)
    digits = bits.DIGITS[dtype]
    words = [f"{source.getrandbits(digits * 4):0{digits}x}" for _ in range(2000)]
    native = np.frombuffer(bytes.fromhex("".join(words)), NUMPY[dtype])
    kept = [word for word, value in zip(words, native, strict=True) if not math.isnan(value)]
    values = bits.floats("".join(kept), dtype)
    assert list(values) == [float(value) for value in native if not math.isnan(value)]
    assert bits.hexadecimal(values, dtype) == "".join(kept)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (0.1, "float32"),
        (1 + 2.0**-8, "bfloat16"),
        (1e300, "float32"),
        (65520.0, "float16"),
        (2.0**-30, "float16"),
    ],
)
def test_an_inexact_value_is_refused(value: float, dtype: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        bits.hexadecimal([value], dtype)


def test_signed_zeros_and_infinities_keep_their_bits() -> None:
    assert bits.hexadecimal([0.0, -0.0, -math.inf], "bfloat16") == "00008000ff80"
    assert math.copysign(1, bits.floats("8000", "float16")[0]) == -1


def test_bounds_are_rounded_up_to_the_next_bfloat16() -> None:
    source = random.Random(4)
    values = [math.ldexp(source.random(), source.randint(-160, 120)) for _ in range(3000)]
    values += [0.0, 2.0**-133, 2.0**-134, 5e-324, 1.0, 1 + 2.0**-52, math.ldexp(255, 120)]
    for value in values:
        rounded = bits.round_up(value)
        word = int(bits.hexadecimal([rounded], "bfloat16"), 16)
        assert Fraction(rounded) >= Fraction(value)
        below = struct.unpack(">f", struct.pack(">HH", word - 1, 0))[0] if word else -1.0
        assert Fraction(below) < Fraction(value)


@pytest.mark.parametrize("value", [-1.0, math.inf, math.nan])
def test_what_is_no_bound(value: float) -> None:
    with pytest.raises(ValueError, match="bound"):
        bits.round_up(value)


@pytest.mark.parametrize(
    ("shape", "rows"),
    [
        ((), [[1]]),
        ((3,), [[1, 2, 3]]),
        ((2, 2), [[1, 2], [3, 4]]),
        ((2, 1, 3), [[1, 2, 3], [4, 5, 6]]),
        ((3, 1), [[1], [2], [3]]),
        ((0,), []),
        ((0, 4), []),
        ((4, 0), []),
    ],
)
def test_rows_are_the_innermost_axis(shape: tuple[int, ...], rows: list[list[int]]) -> None:
    data = tuple(value for row in rows for value in row)
    assert encode.tensor(Tensor("int64", shape, data))["data"] == rows
    if math.prod(shape):
        with pytest.raises(ValueError, match="values"):
            encode.tensor(Tensor("int64", shape, data[1:]))


def test_parameters_by_the_signature() -> None:
    entry = operation.signature("rope.apply")
    given = {"base": 10000, "pairing": "half", "rotary_dim": 4}
    written = parameters.encode(entry, given, loose=False)
    assert list(written) == ["rotary_dim", "rotary_start", "base", "pairing", "scaling", "seq_len"]
    assert written["base"] == {"float64": "40c3880000000000", "decimal": "10000.0"}
    assert (written["rotary_dim"], written["rotary_start"], written["scaling"]) == (4, 0, None)
    back = parameters.decode(Place(written, "file"), entry)
    assert back == {"rotary_start": 0, "scaling": None, "seq_len": None, **given}
    assert type(back["base"]) is float
    with pytest.raises(ValueError, match=r"rope\.apply has"):
        parameters.encode(entry, {"base": 10000.0}, loose=False)


def test_parameters_of_an_invalid_file_may_be_anything() -> None:
    entry = operation.signature("rope.apply")
    given = {
        "base": -math.inf,
        "pairing": None,
        "rotary_dim": 4.5,
        "theta": True,
        "scaling": {"rope_type": "x"},
    }
    written = parameters.encode(entry, given, loose=True)
    assert written["rotary_dim"] == {"float64": "4012000000000000", "decimal": "4.5"}
    back = {name: parameters.decode_anything(Place(value, "file")) for name, value in written.items()}
    assert back == {"rotary_start": 0, "seq_len": None, **given}
    assert list(written)[-1] == "theta"


def test_scaling_has_every_key() -> None:
    written = parameters.scaling({"rope_type": "yarn", "factor": 4, "truncate": True, "short_factor": [1.0]})
    assert list(written) == list(parameters.SCALING)
    assert written["factor"] == {"float64": "4010000000000000", "decimal": "4.0"}
    assert written["short_factor"] == [{"float64": "3ff0000000000000", "decimal": "1.0"}]
    assert written["beta_fast"] is None
    with pytest.raises(ValueError, match="no theta"):
        parameters.scaling({"theta": 1.0})


def test_canonical_bytes() -> None:
    value = {"b": {"shape": [], "data": [], "rows": [[1, 2], [3]]}, "a": ["x"], "c": [{"k": None}], "d": {}}
    assert encode.dump(value) == (
        b'{\n "b": {\n  "shape": [],\n  "data": [],\n  "rows": [\n   [1, 2],\n   [3]\n  ]\n },\n'
        b' "a": [\n  "x"\n ],\n "c": [\n  {\n   "k": null\n  }\n ],\n "d": {}\n}\n'
    )
    assert json.loads(encode.dump(value)) == value
    assert encode.dump({"text": "\u03c9"}) == b'{\n "text": "\\u03c9"\n}\n'
    with pytest.raises(TypeError, match="JSON float"):
        encode.dump({"x": 0.5})


def case(name: str) -> Case:
    return Case(name, "Why.", {}, ("rope.C1",))


def expected() -> dict[str, dict[str, Expected]]:
    data = Tensor("float32", (1,), (1.0,))
    return {"inv_freq": {"float32": Expected(data, "0", (2.0**-20,))}}


def test_a_group_sorts_its_tests_and_hashes_them() -> None:
    group = Group("all", "rope.inv_freq", {"rotary_dim": 2, "base": 10.0}, (case("b"), case("a")))
    values = {"a": expected(), "b": expected()}
    written = encode.group(group, values, {"name": "by hand", "version": "0.1.0"})
    assert [test["id"] for test in written["tests"]] == ["a", "b"]
    content = (
        '{"expected":{"inv_freq":{"float32":{"data":["3f800000"],"dtype":"float32","residual":["0"],'
        '"shape":[1]}}},"inputs":{},"operation":"rope.inv_freq","params":{"base":{"decimal":"10.0",'
        '"float64":"4024000000000000"},"rotary_dim":2}}'
    )
    assert written["tests"][0]["case_hash"] == hashlib.sha256(content.encode()).hexdigest()[:16]
    assert written["tests"][0]["expected"]["inv_freq"]["float32"]["bound"] == ["3580"]


def test_the_hash_leaves_bounds_out_and_takes_all_else(small: Any) -> None:
    document = small.content["core/rope/inv_freq.json"]
    params, test = document["groups"][0]["params"], document["groups"][0]["tests"][0]
    before = encode.case_hash("rope.inv_freq", params, test)
    assert before == test["case_hash"]
    test["expected"]["inv_freq"]["float32"]["bound"] = ["3f803f80"]
    assert encode.case_hash("rope.inv_freq", params, test) == before
    assert encode.case_hash("rope.inv_freq", {**params, "rotary_dim": 6}, test) != before
    test["expected"]["inv_freq"]["float32"]["residual"] = ["00"]
    assert encode.case_hash("rope.inv_freq", params, test) != before


def test_what_is_read_is_written_again(small: Any) -> None:
    tests = load.load_vectors(small.root, "alibi.bias").tests
    document = small.content["core/alibi/bias.json"]
    group = Group(
        tests[0].group,
        tests[0].operation,
        tests[0].params,
        tuple(Case(test.id, test.comment, test.inputs, test.clauses, test.flags) for test in tests),
    )
    values = {test.id: test.expected for test in tests}
    assert encode.group(group, values, tests[0].source) == document["groups"][0]


def test_shipped_files_are_canonical_and_agree_with_the_specification() -> None:
    corpus = load.load_vectors()
    for file in corpus.files:
        tests = [test for test in corpus.tests if test.file == file.path]
        played = [test for test in corpus.scenarios if test.file == file.path]
        printed = [test for test in corpus.golden if test.file == file.path]
        fresh = lint.rewrite_scenarios(played) if played else b""
        fresh = lint.rewrite_golden(printed) if printed else fresh
        fresh = lint.rewrite(tests) if tests else fresh
        assert fresh == (corpus.root / file.path).read_bytes(), file.path


def test_header_is_summary_and_clauses() -> None:
    text = encode.header("rope.inv_freq")
    assert text.startswith("The ladder of frequencies. rope.C1 (frequencies): ")
    assert "\n" not in text
    for name in operation.signatures():
        encode.header(name).encode("ascii")


def test_clauses_of_a_page() -> None:
    page = (
        "# t\n\n**a.C1** (one (really)). First\nline.\n\n- item\n\n**a.C2** (two). Last.\n\n## Next\n\nNo.\n"
    )
    first, second = read(page)
    assert (first.id, first.title, first.paragraph) == ("a.C1", "one (really)", "First line. - item")
    assert (second.id, second.title, second.text) == ("a.C2", "two", "Last.")


def test_every_clause_of_a_signature_is_written() -> None:
    for name, entry in operation.signatures().items():
        assert set(entry.clauses) <= clauses().keys(), name
    assert all(clause.text for clause in clauses().values())


def test_pointer_escapes() -> None:
    place = parse(b'{"a/b": {"~": [1]}}', "f").at("a/b").at("~").at(0)
    assert place.pointer == "/a~1b/~0/0"
