"""What failing calls have in common, and which of their elements are wrong."""

from typing import Any

import numpy as np
import pytest
from in_memory import value_test

from posref.conformance.compare import Evidence
from posref.conformance.exchange import as_array
from posref.conformance.ground import calls, common_ground
from posref.conformance.kinds import Judged, telling, where_wrong
from posref.conformance.run import evidence
from posref.operation import Tensor

Array = np.ndarray[Any, Any]


@pytest.mark.parametrize(
    ("failing", "passing", "text"),
    [
        ([{"a", "b"}], [{"b"}], "the failing case, and no passing one, has: a"),
        ([{"a", "b"}, {"a"}], [{"b"}], "all 2 failing cases, and no passing one, have: a"),
        ([{"a"}, {"a"}], [{"a"}, {"b"}], "all 2 failing cases have: a"),
        ([{"a"}, {"b"}], [{"c"}], ""),
        ([{"a"}], [], ""),
        (
            [{"a far one", "b = 2", "c"}],
            [set()],
            "the failing case, and no passing one, has: b = 2, c, a far one",
        ),
        ([{"a far one"}], [{"a far one"}, set()], ""),
    ],
)
def test_common_ground(failing: list[set[str]], passing: list[set[str]], text: str) -> None:
    assert common_ground([*map(frozenset, failing)], [*map(frozenset, passing)]) == text


def test_what_is_special_about_a_call() -> None:
    inputs = {"x": np.zeros((2, 3, 8)), "positions": np.array([[5, 6, 7], [-1, 300, 301]])}
    found = calls("rope.apply", inputs, {"rotary_dim": 4})
    assert {
        "x wider than rotary_dim",
        "length above 1 of x along leading axis -1",
        "positions that do not start at 0",
        "positions that do not go up one by one",
        "positions that differ between rows",
        "some positions below 0",
        "some positions beyond 256",
        "some positions that bfloat16 does not hold",
    } <= found
    assert not found & {"some positions beyond 2048", "some positions that float16 does not hold"}
    plain = calls("rope.apply", {"x": np.zeros((3, 4)), "positions": np.arange(3)}, {"rotary_dim": 4})
    assert plain == {
        "length above 1 of x along T",
        "length above 1 of x along D",
        "length above 1 of positions along T",
        "some positions other than 0",
        "some positions above 0",
        "some positions that are odd",
    }


def call(wrong: Array, positions: list[int], **params: Any) -> Evidence:
    """A call of rope.apply whose right result is 0 everywhere, wrong by 1 where `wrong` says."""
    shape = wrong.shape
    test = value_test(
        "rope.apply",
        params,
        {
            "x": Tensor("float64", shape, (0.0,) * wrong.size),
            "positions": Tensor("int64", (len(positions),), tuple(positions)),
        },
        {"y": ([0] * wrong.size, shape)},
        bound=0.5,
    )
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    return evidence(test, values, {"y": wrong.astype(np.float64)}, "float32")


PLACES = [0, 5, 256, 257, 258, 300]
CLAIM = "ulp:1"


def rows(*places: int) -> Array:
    wrong = np.zeros((len(PLACES), 4), dtype=bool)
    wrong[list(places), 1] = True
    return wrong


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (rows(3, 4, 5), "positions beyond 256"),
        (rows(1, 2, 3, 4, 5), "positions other than 0"),
        (rows(1, 3), "positions that are odd"),
        (rows(3), "positions that bfloat16 does not hold"),
        (np.arange(24).reshape(6, 4) % 2 == 1, "odd indices along D"),
        (np.arange(24).reshape(6, 4) % 4 >= 2, "the second half along D"),
        (np.arange(24).reshape(6, 4) % 4 == 3, "the last index along D"),
    ],
)
def test_the_wrong_elements_are_told(wrong: Array, said: str) -> None:
    text = where_wrong([call(wrong, PLACES)], [], CLAIM)
    assert text.startswith("wrong only, and always, at ")
    assert said in text


def test_an_exception_silences_a_property() -> None:
    beyond = call(rows(3, 4, 5), PLACES)
    assert where_wrong([beyond, call(rows(1), PLACES)], [], CLAIM) == ""
    right = call(rows(), PLACES)
    assert where_wrong([beyond], [right], CLAIM).startswith(
        "in the failing cases wrong only, and always, at "
    )
    near = call(rows(), [0, 1, 2, 3, 4, 5])
    assert where_wrong([beyond], [near], CLAIM).startswith("wrong only, and always, at positions beyond 256")


def test_rows_of_a_batch_and_slices() -> None:
    batch = np.zeros((3, 6, 4), dtype=bool)
    batch[1:] = True
    assert "indices from 1 on along leading axis -1" in where_wrong([call(batch, PLACES)], [], CLAIM)
    slice_ = np.zeros((6, 8), dtype=bool)
    slice_[2, 4:6] = True
    found = where_wrong([call(slice_, PLACES, rotary_dim=4, rotary_start=2)], [], CLAIM)
    assert "the second half of the rotated coordinates" in found


def test_nothing_is_said_where_all_is_wrong_or_all_is_right() -> None:
    assert where_wrong([call(np.ones((6, 4), dtype=bool), PLACES)], [], CLAIM) == ""
    assert telling([]) == []
    right = call(rows(), PLACES)
    kept = np.ones((6, 4), dtype=bool)
    assert telling([Judged(right, "y", ~kept, kept)]) == []


def test_what_was_not_judged_says_nothing() -> None:
    """At positions beyond 256 one element is wrong, the others cannot be judged."""
    one = call(rows(), PLACES)
    wrong = rows(3, 4, 5)
    far = np.array(PLACES)[:, None] > 256
    assert "positions beyond 256" in telling([Judged(one, "y", wrong, ~far & ~wrong)])
    near = np.array(PLACES)[:, None] <= 5
    assert telling([Judged(one, "y", rows(1, 3), near & ~rows(1, 3))]) != []
