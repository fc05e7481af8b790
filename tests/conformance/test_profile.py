"""Where errors are large, along tokens and across them, worked out by hand."""

import math

import numpy as np
import pytest

from posref.conformance.compare import Evidence, Want
from posref.conformance.profile import MOST, errors, profile
from posref.conformance.verdict import Line

PARAMS = {"rotary_dim": 4, "rotary_start": 0, "base": 10000.0, "pairing": "half", "scaling": None}


def rotated(error: np.ndarray, positions: list[int], bound: float = 0.5) -> Evidence:
    """A call of rope.apply whose output is off by `error`, each element allowed `bound`."""
    data = np.ones(error.shape)
    want = Want("float64", data, np.zeros(error.shape, np.int8), data, np.full(error.shape, bound))
    inputs = {"x": data, "positions": np.array(positions)}
    return Evidence("rope.apply", "float64", inputs, PARAMS, {"y": want}, {"y": data + error})


def test_the_largest_at_each_position_and_column() -> None:
    error = np.zeros((2, 3, 4))  # heads, tokens, columns
    error[0, 1, 3] = 1.0
    error[1, 1, 0] = 4.0
    error[1, 2, 3] = -2.0
    found = profile(rotated(error, [9, 70000, 5]), "y", "f64-angle")
    assert found.output == "y"
    assert found.lines == (
        Line("positions", (5.0, 9.0, 70000.0), (4.0, 0.0, 8.0)),
        Line("index along D", (0.0, 1.0, 2.0, 3.0), (8.0, 0.0, 0.0, 4.0)),
    )


def test_tokens_at_the_same_position_are_one_place() -> None:
    error = np.zeros((3, 4))
    error[:, 1] = [1.0, 3.0, 2.0]
    assert profile(rotated(error, [7, 7, 0]), "y", "f64-angle").lines[0] == Line(
        "positions", (0.0, 7.0), (4.0, 6.0)
    )


def test_what_is_no_number_or_not_allowed_at_all_has_no_size() -> None:
    error = np.zeros((1, 4))
    error[0, 2] = math.nan
    assert profile(rotated(error, [0]), "y", "f64-angle").lines[1].error == (0.0, 0.0, math.inf, 0.0)
    error[0, 2] = 1e-9
    line = profile(rotated(error, [0], bound=0.0), "y", "f64-angle").lines[1]
    assert line.error == (0.0, 0.0, math.inf, 0.0)


@pytest.mark.parametrize("excess", [1e-12, 0.004, 0.02])
def test_rounding_never_makes_a_wrong_element_look_right(excess: float) -> None:
    error = np.zeros((1, 4))
    error[0, 0] = 0.5 * (1 + excess)
    error[0, 1] = 0.5
    line = profile(rotated(error, [0]), "y", "f64-angle").lines[1]
    assert line.error[0] > 1 >= line.error[1] > 0.99


def test_a_long_line_is_cut_and_keeps_its_peaks() -> None:
    number = 5 * MOST + 3
    error = np.zeros((number, 4))
    error[777, 1], error[-1, 1] = 6.0, 2.0
    line = profile(rotated(error, list(range(number))), "y", "f64-angle").lines[0]
    assert len(line.at) <= MOST
    found = dict(zip(line.at, line.error, strict=True))
    assert (found[777.0], found[float(number - 1)]) == (12.0, 4.0)
    assert sum(one > 0 for one in found.values()) == 2


def test_a_bias_runs_along_the_distance_and_the_heads() -> None:
    data = np.zeros((2, 2, 3))  # heads, queries, keys
    got = data.copy()
    got[1, 0, 2] = 3.0  # key 12 from query 4
    got[1, 1, 0] = 1.0  # key 3 from query 11
    want = Want("float64", data, np.zeros(data.shape, np.int8), data, np.ones(data.shape))
    params = {"form": "neg_distance", "future": "keep"}
    inputs = {
        "slopes": np.ones(2),
        "q_positions": np.array([4, 11]),
        "k_positions": np.array([3, 10, 12]),
    }
    evidence = Evidence("alibi.bias", "float64", inputs, params, {"bias": want}, {"bias": got})
    assert profile(evidence, "bias", "f64-angle").lines == (
        Line("k_positions - q_positions", (-8.0, -1.0, 1.0, 6.0, 8.0), (1.0, 0.0, 0.0, 0.0, 3.0)),
        Line("index along H", (0.0, 1.0), (0.0, 3.0)),
    )


def test_a_table_without_positions_runs_along_its_axes() -> None:
    data = np.ones(3)
    want = Want("float64", data, np.zeros(3, np.int8), data, np.ones(3))
    got, params = np.array([1.0, 1.0, 3.0]), {"rotary_dim": 6, "base": 10000.0}
    evidence = Evidence("rope.inv_freq", "float64", {}, params, {"inv_freq": want}, {"inv_freq": got})
    [line] = profile(evidence, "inv_freq", "f64-angle").lines
    assert (line.at, line.error) == ((0.0, 1.0, 2.0), (0.0, 0.0, 2.0))


def test_the_lost_sign_of_a_zero_is_wrong_though_no_distance() -> None:
    data = np.array([[0.0, -0.0, 0.0, 0.0]])
    want = Want("float64", data, np.zeros(data.shape, np.int8), data, np.zeros(data.shape))
    inputs = {"x": data, "positions": np.array([0])}
    evidence = Evidence(
        "rope.apply", "float64", inputs, PARAMS, {"y": want}, {"y": np.zeros((1, 4))}, strict_zero=True
    )
    assert errors(evidence, "y", "f64-angle").tolist() == [[0.0, math.inf, 0.0, 0.0]]
