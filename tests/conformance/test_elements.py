"""The first wrong element, in the notations of a report."""

import numpy as np
import pytest

from posref.conformance.elements import Compared, written
from posref.conformance.single import judge
from posref.conformance.verdict import Written


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (0.1, "float64", Written("0.1", "0x1.999999999999ap-4", "3fb999999999999a")),
        (0.10000000149011612, "float32", Written("0.1", "0x1.99999a0000000p-4", "3dcccccd")),
        (3.140625, "bfloat16", Written("3.14", "0x1.9200000000000p+1", "4049")),
        (-65504.0, "float16", Written("-65500.0", "-0x1.ffc0000000000p+15", "fbff")),
        (-0.0, "float16", Written("-0.0", "-0x0.0p+0", "8000")),
        (2.0**-149, "float32", Written("1e-45", "0x1.0000000000000p-149", "00000001")),
        (-np.inf, "bfloat16", Written("-inf", "-inf", "ff80")),
        (np.nan, "float64", Written("nan", "nan", "7ff8000000000000")),
        (2**53 + 1, "int64", Written("9007199254740993")),
        (True, "bool", Written("1")),
    ],
)
def test_a_value_in_three_notations(value, dtype, expected):
    assert written(value, dtype) == expected


def test_the_first_is_the_first_and_not_the_worst():
    data, got = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.5], [3.0, 9.0]])
    compared = Compared("y", "float32", data, got, np.full((2, 2), 0.25))
    kept = np.array([[True, False], [True, False]])
    first, (_, worst) = compared.first_wrong(kept), compared.worst(kept, np.zeros((2, 2), dtype=bool))
    assert first is not None
    assert (first.output, first.index, first.error, first.ulp, first.bounds) == (
        "y",
        (0, 1),
        0.5,
        2.0**21,
        2.0,
    )
    assert worst.index == (1, 1)
    assert str(first) == (
        "y[0, 1]: got 2.5 (0x1.4000000000000p+1, bits 40200000), expected 2.0 (0x1.0000000000000p+1, "
        "bits 40000000); error 2.1e+06 ulp of float32, 2 times the bound"
    )
    assert compared.first_wrong(np.ones((2, 2), dtype=bool)) is None


def test_an_integer_is_plain():
    data, got = np.array([1, 2**60]), np.array([1, 2**60 + 1])
    first = Compared("bucket", "int64", data, got, np.zeros(2)).first_wrong(data == got)
    assert str(first) == "bucket[1]: got 1152921504606846977, expected 1152921504606846976"


def test_where_nothing_is_allowed_that_is_said():
    one = np.ones(1)
    first = Compared("y", "float32", one, one + 1, np.zeros(1)).first_wrong(np.zeros(1, dtype=bool))
    assert str(first).endswith("ulp of float32, none is allowed")


def test_judge_gives_the_first_of_all_pieces(monkeypatch):
    """The pieces of a large call are not in the order of the output."""
    x = np.ones((2, 3, 4, 2), dtype=np.float32)
    positions = np.zeros(4, dtype=np.int64)
    y = x.copy()
    y[0, 2, 1, 0] = y[1, 0, 0, 0] = 7.0
    params = {"rotary_dim": 2, "base": 10000.0, "pairing": "half"}
    whole = judge("rope.apply", {"x": x, "positions": positions}, y, params)
    monkeypatch.setattr("posref.conformance.pieces.pieces.__defaults__", (8,))
    cut = judge("rope.apply", {"x": x, "positions": positions}, y, params)
    assert whole.first_wrong == cut.first_wrong
    assert cut.first_wrong is not None
    assert cut.first_wrong.index == (0, 2, 1, 0)
    assert "first wrong element: y[0, 2, 1, 0]: got 7.0 (0x1.c000000000000p+2, bits 40e00000)" in str(cut)


def test_judge_gives_none_for_a_pass():
    verdict = judge("positions.relative", [np.arange(2), np.arange(2)], np.array([[0, 1], [-1, 0]]), {})
    assert verdict
    assert verdict.first_wrong is None
