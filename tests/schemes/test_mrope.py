"""mrope: worked angles, public reports, maps of released models, and every entry by mpmath."""

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import mrope, rope
from posref.numerics.rounding import ulp

ARRANGEMENTS = ("chunked", "interleaved", "hw_then_t")
LADDER = np.array([1.0, 0.1, 0.01, 0.001])
ADJACENT: dict[str, Any] = {"pairing_in": "adjacent", "pairing_out": "adjacent"}
HALF: dict[str, Any] = {"pairing_in": "half", "pairing_out": "half"}


def axes(sections: list[int], arrangement: str) -> Any:
    return mrope.axis_of_channel(mrope_section=sections, arrangement=arrangement)


def tables(place: Any, sections: list[int], arrangement: str, ladder: Any = LADDER, **more: Any) -> Any:
    """Return the table of one token, or of tokens given as (3, T)."""
    positions = np.asarray(place).reshape(3, -1)
    return mrope.cos_sin(positions, np.asarray(ladder), axes(sections, arrangement), **more)


# which axis a channel reads


@pytest.mark.parametrize(
    ("sections", "arrangement", "expected"),
    [
        ([2, 1, 1], "chunked", [0, 0, 1, 2]),
        ([2, 1, 1], "interleaved", [0, 1, 2, 0]),
        ([2, 1, 1], "hw_then_t", [1, 2, 0, 0]),
        ([0, 2, 2], "interleaved", [0, 1, 2, 0]),
        ([0, 2, 2], "chunked", [1, 1, 2, 2]),
        ([1, 3, 0], "interleaved", [0, 1, 0, 0]),
    ],
)
def test_maps_of_a_few_channels(sections: list[int], arrangement: str, expected: list[int]) -> None:
    assert axes(sections, arrangement).tolist() == expected


@pytest.mark.parametrize(
    ("sections", "arrangement", "counts"),
    [
        ([16, 24, 24], "chunked", [16, 24, 24]),
        ([24, 20, 20], "interleaved", [24, 20, 20]),
        ([11, 11, 10], "interleaved", [11, 11, 10]),
        ([8, 12, 12], "interleaved", [11, 11, 10]),
        ([20, 22, 22], "hw_then_t", [20, 22, 22]),
    ],
)
def test_d24_channels_of_each_axis_in_released_models(
    sections: list[int], arrangement: str, counts: list[int]
) -> None:
    assert np.bincount(axes(sections, arrangement)).tolist() == counts


def test_d24_the_tail_of_interleaved_sections_is_time() -> None:
    found = axes([24, 20, 20], "interleaved").tolist()
    assert found[:60] == [0, 1, 2] * 20
    assert found[60:] == [0, 0, 0, 0]


# tables


@pytest.mark.parametrize(
    ("place", "arrangement", "angles"),
    [
        ((5, 7, 9), "chunked", [5, 0.5, 0.07, 0.009]),
        ((5, 7, 9), "interleaved", [5, 0.7, 0.09, 0.005]),
        ((5, 1, 2), "chunked", [5, 0.5, 0.01, 0.002]),
        ((5, 1, 2), "interleaved", [5, 0.1, 0.02, 0.005]),
        ((5, 7, 9), "hw_then_t", [7, 0.9, 0.05, 0.005]),
    ],
)
def test_b151_angles_of_both_kinds_of_sections(
    place: tuple[int, ...], arrangement: str, angles: list[float]
) -> None:
    cos, sin = tables(place, [2, 1, 1], arrangement)
    assert np.abs(cos[0] - np.cos(angles)).max() <= 1e-15
    assert np.abs(sin[0] - np.sin(angles)).max() <= 1e-15


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_text_hides_the_arrangement_and_has_the_table_of_rope(arrangement: str) -> None:
    line = np.array([40, 41, 70])
    found = tables([line] * 3, [2, 1, 1], arrangement, attention_factor=1.25)
    plain = rope.cos_sin(line, LADDER, attention_factor=1.25)
    assert np.array_equal(found.cos, plain.cos)
    assert np.array_equal(found.sin, plain.sin)


def test_u79_equal_rows_and_columns_hide_their_order() -> None:
    def exchanged(place: tuple[int, int, int]) -> float:
        t, h, w = place
        here, there = (tables(one, [2, 1, 1], "chunked").sin for one in (place, (t, w, h)))
        return float(np.abs(here - there).max())

    assert exchanged((5, 5, 5)) == exchanged((5, 2, 2)) == 0
    assert 0.005 < exchanged((5, 1, 2)) < 0.015


def test_b08_adjacent_and_half_pairs_under_one_table() -> None:
    """Width 4, one section, position 1 on every axis; models with adjacent pairs need the first."""
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    table = tables((1, 1, 1), [2, 0, 0], "chunked", [1.0, 0.01])
    adjacent, half = (rope.rotate(x, *table, **pairs) for pairs in (ADJACENT, HALF))
    assert np.abs(adjacent - [-1.14263966, 1.92207560, 2.95985067, 4.02979950]).max() <= 5e-9
    assert np.abs(half - [-1.98411065, 1.95990067, 2.46237790, 4.01979967]).max() <= 5e-9


def test_b152_sections_and_pairs_are_two_choices() -> None:
    x = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]])
    found = {
        rope.rotate(x, *tables((5, 1, 2), [2, 1, 1], arrangement), **pairs).tobytes()
        for arrangement in ("chunked", "interleaved")
        for pairs in (ADJACENT, HALF)
    }
    assert len(found) == 4


def test_b97_a_shift_of_all_axes_is_one_plain_rotation() -> None:
    """A key at (5, 6, 7) moved by -1: the angles 4, 0.4, 0.05, 0.006, on every lane one step less."""
    cos, sin = tables((4, 5, 6), [2, 1, 1], "chunked")
    assert np.abs(cos[0] - np.cos([4, 0.4, 0.05, 0.006])).max() <= 1e-15
    x = np.linspace(-1, 1, 8)[None]
    cached = rope.rotate(x, *tables((5, 6, 7), [2, 1, 1], "chunked"), **HALF)
    moved = rope.rotate(cached, *rope.cos_sin(np.array([-1]), LADDER), **HALF)
    assert np.abs(moved - rope.rotate(x, cos, sin, **HALF)).max() <= 8 * 2.0**-53
    time_alone = tables((4, 6, 7), [2, 1, 1], "chunked")
    assert np.abs(moved - rope.rotate(x, *time_alone, **HALF)).max() > 1e-3


@pytest.mark.parametrize("factor", [1.0, 0.1])
def test_entries_by_the_words_of_the_clause(factor: float) -> None:
    places = np.array([[2**53, -3, 0], [355, 22, 7], [-(2**40), 6134899525417045, 1]])
    ladder, which = np.array([1.0, 0.3, 0.7, -0.25, 0.001]), np.array([2, 0, 1, 1, 0])
    cos, sin = mrope.cos_sin(places, ladder, which, attention_factor=factor)
    with mpmath.workdps(60):
        for t, i in itertools.product(range(3), range(5)):
            angle = mpmath.mpf(int(places[which[i], t])) * mpmath.mpf(float(ladder[i]))
            for got, turned in ((cos[t, i], mpmath.cos(angle)), (sin[t, i], mpmath.sin(angle))):
                real = mpmath.mpf(factor) * turned
                assert abs(mpmath.mpf(float(got)) - real) <= float(ulp(float(real), "float64"))


# bad input


@pytest.mark.parametrize(
    ("sections", "arrangement", "clause", "name"),
    [
        ([0, 0, 0], "chunked", "mrope.C1", "mrope_section"),
        ([1, 2], "chunked", "mrope.C1", "mrope_section"),
        ([2, 1, 1, 0], "chunked", "mrope.C1", "mrope_section"),
        ([2, -1, 1], "interleaved", "mrope.C1", "mrope_section"),
        ([2, 1.0, 1], "interleaved", "conventions.C6", "mrope_section"),
        ([2, 2, 1], "hw_then_t", "mrope.C1", "mrope_section"),
        ([2, 1, 1], "contiguous", "mrope.C1", "arrangement"),
    ],
)
def test_bad_sections(sections: Any, arrangement: str, clause: str, name: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {name}") as caught:
        axes(sections, arrangement)
    assert caught.value.kind == "INVALID_PARAMETER"


@pytest.mark.parametrize(
    ("which", "kind"),
    [([0, 1, 3, 2], "OUT_OF_RANGE"), ([0, -1, 1, 2], "OUT_OF_RANGE"), ([0, 1, 2], "INVALID_SHAPE")],
)
def test_bad_axis_of_channel(which: list[int], kind: str) -> None:
    with pytest.raises(posref.SpecError, match=r"\[mrope.C2\] axis_of_channel") as caught:
        mrope.cos_sin(np.array([[5], [7], [9]]), LADDER, np.array(which))
    assert caught.value.kind == kind


def test_on_every_library(on: Any) -> None:
    places, which = np.array([[0, -3], [7, 355], [1, 2]]), np.array([2, 0, 1, 1])
    got = mrope.cos_sin(on(places), on(LADDER), on(which), attention_factor=1.5, dtype="float32")
    right = mrope.cos_sin(places, LADDER, which, attention_factor=1.5, dtype="float32")
    for one, other in zip(got, right, strict=True):
        assert np.array_equal(on.back(one), other)
