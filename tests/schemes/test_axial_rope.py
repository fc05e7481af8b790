"""axial_rope: requirement G1, worked angles of released models, and every entry by mpmath."""

from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import axial_rope, rope
from posref.numerics.rounding import ulp

RESET, SHARED = "reset", "shared_even_odd"


def tables(positions: Any, widths: list[int], frequencies: str, base: float = 10000.0, **more: Any) -> Any:
    return axial_rope.cos_sin(
        np.asarray(positions), axis_dims=widths, base=base, frequencies=frequencies, **more
    )


@pytest.mark.parametrize(
    ("frequencies", "angles"),
    [(RESET, [3, 0.03, 5, 0.05]), (SHARED, [3, 0.03, 0.5, 0.005])],
    ids=["qwen", "pixtral"],
)
def test_g1_the_patch_at_3_5_in_two_released_models(frequencies: str, angles: list[float]) -> None:
    """Width 8: Pixtral's rows have the frequencies 1 and 0.01, its columns 0.1 and 0.001."""
    cos, sin = tables([[3, 5]], [4, 4], frequencies)
    assert np.abs(cos[0] - np.cos(angles)).max() <= 1e-15
    assert np.abs(sin[0] - np.sin(angles)).max() <= 1e-15


def test_b148_which_coordinate_comes_first_is_seen_in_the_rotation() -> None:
    """Row 1, column 2, x = [1, 0, 1, 0], adjacent pairs."""
    x = np.array([[1.0, 0.0, 1.0, 0.0]])
    turn: dict[str, Any] = {"pairing_in": "adjacent", "pairing_out": "adjacent"}
    row_first = rope.rotate(x, *tables([[1, 2]], [2, 2], RESET), **turn)
    column_first = rope.rotate(x, *tables([[2, 1]], [2, 2], RESET), **turn)
    assert np.abs(row_first - [0.540302306, 0.841470985, -0.416146837, 0.909297427]).max() <= 5e-10
    assert np.abs(column_first - [-0.416146837, 0.909297427, 0.540302306, 0.841470985]).max() <= 5e-10


def test_b149_tokens_that_differ_in_one_coordinate_differ() -> None:
    _, sin = tables([[y, x] for y in range(2) for x in range(3)], [4, 4], RESET)
    assert len({row.tobytes() for row in sin}) == 6


@pytest.mark.parametrize("frequencies", [RESET, SHARED])
@pytest.mark.parametrize(
    "places", [[[0, 3], [5, -2]], [[2**53, -6134899525417045]], [[355, 22], [-1, 103993]]]
)
def test_g1_entries_by_the_words_of_the_clause(frequencies: str, places: list[list[int]]) -> None:
    widths, base = [6, 6], 10000.0
    cos, sin = tables(places, widths, frequencies, base)
    with mpmath.workdps(60):
        if frequencies == RESET:
            powers = [[mpmath.mpf(2 * j) / 6 for j in range(3)]] * 2
        else:
            powers = [[mpmath.mpf(2 * i) / 12 for i in range(axis, 6, 2)] for axis in (0, 1)]
        for t, place in enumerate(places):
            angles = [place[a] * mpmath.mpf(base) ** -power for a in (0, 1) for power in powers[a]]
            for c, angle in enumerate(angles):
                for got, real in ((cos[t, c], mpmath.cos(angle)), (sin[t, c], mpmath.sin(angle))):
                    assert abs(mpmath.mpf(float(got)) - real) <= float(ulp(float(real), "float64"))


def test_g1_each_axis_is_a_table_of_rope() -> None:
    places = np.array([[1, 2, 5], [4, 0, 3], [-7, 6, 300]])
    cos, sin = tables(places, [4, 2, 6], RESET)
    start = 0
    for axis, width in enumerate([4, 2, 6]):
        own = rope.cos_sin(places[:, axis], rope.inv_freq(rotary_dim=width, base=10000.0))
        stop = start + width // 2
        # a frequency of rope.inv_freq is rounded, one of axial_rope is not
        assert np.abs(cos[:, start:stop] - own.cos).max() <= 300 * 2.0**-52
        assert np.abs(sin[:, start:stop] - own.sin).max() <= 300 * 2.0**-52
        start = stop


def test_g1_one_axis_is_rope_itself() -> None:
    x = np.linspace(-1, 1, 24).reshape(3, 8)
    at = np.array([2, 5, 40])
    plain = rope.apply(x, at, rotary_dim=8, base=10000.0, pairing="half")
    cos, sin = tables(at[:, None], [8], RESET)
    assert np.abs(rope.rotate(x, cos, sin, pairing_in="half", pairing_out="half") - plain).max() <= 2.0**-52


def test_g1_the_shared_ladder_is_ropes_ladder_dealt_out_by_turns() -> None:
    """At equal coordinates, both axes together have the angles of RoPE at that position."""
    _, sin = tables([[7, 7]], [6, 6], SHARED)
    ladder = rope.inv_freq(rotary_dim=12, base=10000.0)
    one = rope.cos_sin(np.array([7]), ladder).sin
    assert np.allclose(sin[0], one[0, [0, 2, 4, 1, 3, 5]], rtol=0, atol=1e-15)


def test_g1_scores_depend_on_both_offsets_only() -> None:
    """Rotations of vectors of norm 1: 12 products, each off by a few roundings."""
    r = np.random.default_rng(5)
    q, k = (vector / np.linalg.norm(vector) for vector in r.standard_normal((2, 12)))

    def score(query: tuple[int, int], key: tuple[int, int], frequencies: str) -> float:
        turned = tables([query, key], [6, 6], frequencies)
        y = rope.rotate(np.stack([q, k]), *turned, pairing_in="half", pairing_out="half")
        return float(y[0] @ y[1])

    for frequencies in (RESET, SHARED):
        here = score((3, 9), (8, 2), frequencies)
        assert abs(here - score((20, -31), (25, -38), frequencies)) <= 32 * 2.0**-53
        assert abs(here - score((3, 9), (8, 3), frequencies)) > 1e-3
        assert abs(here - score((3, 9), (9, 2), frequencies)) > 1e-3


def test_b35_widths_come_from_the_caller() -> None:
    """A head of 64: 24, 20, 20 by one formula; the odd 22, 21, 21 of another has no pairs."""
    assert tables([[1, 2, 3]], [24, 20, 20], RESET).cos.shape == (1, 32)
    with pytest.raises(posref.SpecError, match=r"\[axial_rope.C2\] axis_dims"):
        tables([[1, 2, 3]], [22, 21, 21], RESET)


@pytest.mark.parametrize(
    ("positions", "widths", "frequencies", "name", "kind"),
    [
        ([[1, 2]], [4, 3], RESET, "axis_dims", "INVALID_PARAMETER"),
        ([[1, 2]], [4, 0], RESET, "axis_dims", "INVALID_PARAMETER"),
        ([[1, 2]], [], RESET, "axis_dims", "INVALID_PARAMETER"),
        ([[1, 2]], [4, 8], SHARED, "axis_dims", "INVALID_PARAMETER"),
        ([[1, 2, 3]], [4, 4, 4], SHARED, "axis_dims", "INVALID_PARAMETER"),
        ([[1, 2, 3]], [4, 4], RESET, "positions", "INVALID_SHAPE"),
        ([[1]], [4, 4], SHARED, "positions", "INVALID_SHAPE"),
        ([1, 2], [4, 4], RESET, "positions", "INVALID_SHAPE"),
    ],
)
def test_bad_axes(positions: Any, widths: list[int], frequencies: str, name: str, kind: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[axial_rope.C2\] {name}") as caught:
        tables(positions, widths, frequencies)
    assert caught.value.kind == kind


def test_no_token_is_legal() -> None:
    assert tables(np.zeros((0, 2), dtype=int), [4, 4], SHARED).sin.shape == (0, 4)


def test_on_every_library(on: Any) -> None:
    places = np.array([[0, -3], [7, 355]])
    params: dict[str, Any] = {"axis_dims": [4, 4], "base": 500000.0, "frequencies": SHARED}
    got = axial_rope.cos_sin(on(places), **params, dtype="float32")
    right = tables(places, [4, 4], SHARED, 500000.0, dtype="float32")
    for one, other in zip(got, right, strict=True):
        assert np.array_equal(on.back(one), other)
    fractions = axial_rope.cos_sin(on(places / 4), **params).sin
    assert np.array_equal(on.back(fractions), tables(places / 4, [4, 4], SHARED, 500000.0).sin)
