"""mrope.position_ids: public reports, both rules for what follows a medium, and any prompt by brute force."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posref
from posref import mrope

TEXT, IMAGE, VIDEO = 0, 1, 2


def ids(
    types: list[int], grids: Any = (), intervals: Any = (), *, merge: int = 2, advance: str = "max_hw"
) -> tuple[list[list[int]], int]:
    found = mrope.position_ids(
        np.array(types, dtype=int),
        np.array(grids, dtype=int).reshape(-1, 3),
        np.array(intervals, dtype=int).reshape(-1, 2),
        spatial_merge_size=merge,
        advance=advance,
    )
    return found.position_ids.tolist(), int(found.delta)


def test_b154_two_images_with_text_between() -> None:
    """A text token before, between and after two images of two by two tokens."""
    image = [IMAGE] * 4
    found, delta = ids([TEXT, *image, TEXT, *image, TEXT], [[1, 4, 4], [1, 4, 4]])
    assert found == [
        [0, 1, 1, 1, 1, 3, 4, 4, 4, 4, 6],
        [0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6],
        [0, 1, 2, 1, 2, 3, 4, 5, 4, 5, 6],
    ]
    assert delta == 7 - 11


def test_b155_the_interval_multiplies_the_frame_and_not_the_start() -> None:
    """15 text tokens, two frames of one by two tokens, 2 apart."""
    found, _ = ids([TEXT] * 15 + [VIDEO] * 4, [[2, 2, 4]], [[2, 1]])
    assert [axis[15:] for axis in found] == [[15, 15, 17, 17], [15] * 4, [15, 16, 15, 16]]


@pytest.mark.parametrize(
    ("advance", "trailing", "delta"), [("max_hw", [5, 6, 7], -22), ("max_thw", [14, 15, 16], -13)]
)
def test_d25_what_follows_a_video(advance: str, trailing: list[int], delta: int) -> None:
    """Three text tokens, six frames of two by two tokens 2 apart, three text tokens."""
    types = [TEXT] * 3 + [VIDEO] * 24 + [TEXT] * 3
    found, got = ids(types, [[6, 4, 4]], [[2, 1]], advance=advance)
    assert max(found[0][3:27]) == 13
    assert [axis[-3:] for axis in found] == [trailing] * 3
    assert got == delta == trailing[-1] + 1 - 30


@pytest.mark.parametrize(("advance", "following"), [("max_hw", 4), ("max_thw", 6)])
def test_frames_of_an_image_are_1_apart(advance: str, following: int) -> None:
    types = [TEXT] * 2 + [IMAGE] * 8 + [TEXT]
    found, _ = ids(types, [[4, 2, 4]], advance=advance)
    assert found[0][2:10] == [2, 2, 3, 3, 4, 4, 5, 5]
    assert found[2][2:10] == [2, 3] * 4
    assert [axis[-1] for axis in found] == [following] * 3


def test_neighbouring_media_stay_apart() -> None:
    """Two images and a video without text between them."""
    types = [TEXT] + [IMAGE] * 2 + [IMAGE] * 3 + [VIDEO] * 2 + [TEXT]
    found, _ = ids(types, [[1, 1, 2], [1, 3, 1], [2, 1, 1]], [[3, 1]], merge=1)
    assert found == [
        [0, 1, 1, 3, 3, 3, 6, 9, 7],
        [0, 1, 1, 3, 4, 5, 6, 6, 7],
        [0, 1, 2, 3, 3, 3, 6, 6, 7],
    ]


@pytest.mark.parametrize(
    ("interval", "frames"),
    [
        ((5, 3), [0, 1, 3, 5, 6, 8]),
        ((1, 2), [0, 0, 1, 1, 2, 2]),
        ((50050, 15015), [0, 3, 6, 10, 13, 16]),
        ((3, 3), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_fractional_intervals_are_multiplied_first_and_rounded_down(
    interval: tuple[int, int], frames: list[int]
) -> None:
    found, _ = ids([VIDEO] * 6, [[6, 2, 2]], [interval])
    assert found[0] == frames


def test_every_video_has_its_own_interval_and_images_have_none() -> None:
    types = [VIDEO] * 2 + [IMAGE] * 2 + [VIDEO] * 2
    found, _ = ids(types, [[2, 1, 1]] * 3, [[4, 1], [7, 2]], merge=1)
    assert found[0] == [0, 4, 1, 2, 2, 5]


def test_u80_delta_is_what_decoding_adds_to_its_index() -> None:
    """The next token is one more text token of the prompt."""
    prompt, grid = [TEXT] * 2 + [IMAGE] * 6 + [TEXT], [[1, 4, 6]]
    _, delta = ids(prompt, grid)
    longer, _ = ids([*prompt, TEXT], grid)
    assert [axis[-1] for axis in longer] == [len(prompt) + delta] * 3
    assert delta == -3


@pytest.mark.parametrize("advance", ["max_hw", "max_thw"])
def test_text_alone_counts_tokens(advance: str) -> None:
    assert ids([TEXT] * 5, advance=advance) == ([list(range(5))] * 3, 0)
    assert ids([], advance=advance) == ([[], [], []], 0)


pieces = st.lists(
    st.one_of(
        st.integers(1, 3),
        st.tuples(
            st.sampled_from([IMAGE, VIDEO]),
            *(st.integers(1, 3) for _ in range(3)),
            st.fractions(Fraction(1, 4), 5, max_denominator=7),
        ),
    ),
    max_size=5,
)


@settings(max_examples=60)
@given(pieces, st.sampled_from(["max_hw", "max_thw"]), st.integers(1, 3))
def test_any_prompt_by_the_words_of_the_clause(prompt: Any, advance: str, merge: int) -> None:
    types: list[int] = []
    grids, intervals, columns = [], [], []
    start = 0
    for piece in prompt:
        if isinstance(piece, int):
            types += [TEXT] * piece
            columns += [(start + n,) * 3 for n in range(piece)]
            start += piece
            continue
        kind, t, h, w, interval = piece
        types += [kind] * (t * h * w)
        grids.append([t, h * merge, w * merge])
        if kind == VIDEO:
            intervals.append(interval.as_integer_ratio())
        step = interval if kind == VIDEO else Fraction(1)
        columns += [
            (start + (k * step).__floor__(), start + y, start + x)
            for k, y, x in itertools.product(range(t), range(h), range(w))
        ]
        last = max(h, w) - 1
        start += 1 + (max(last, ((t - 1) * step).__floor__()) if advance == "max_thw" else last)
    found, delta = ids(types, grids, intervals, merge=merge, advance=advance)
    assert [tuple(column) for column in zip(*found, strict=True)] == columns
    assert delta == start - len(types)


VIDEO_AND_IMAGE: dict[str, Any] = {
    "types": [TEXT, VIDEO, VIDEO, IMAGE, IMAGE],
    "grids": [[2, 2, 2], [1, 2, 4]],
    "intervals": [[2, 1]],
}


@pytest.mark.parametrize(
    ("changed", "clause", "name", "kind"),
    [
        ({"types": [TEXT, VIDEO, VIDEO, IMAGE]}, "mrope.C4", "grids", "INVALID_SHAPE"),
        ({"types": [TEXT, VIDEO, VIDEO, IMAGE, VIDEO]}, "mrope.C4", "grids", "INVALID_SHAPE"),
        ({"types": [TEXT, VIDEO, VIDEO]}, "mrope.C4", "grids", "INVALID_SHAPE"),
        ({"grids": [[2, 2, 2]]}, "mrope.C4", "grids", "INVALID_SHAPE"),
        ({"grids": [[2, 2, 2], [10**9, 10**9, 10**9]]}, "mrope.C4", "grids", "INVALID_SHAPE"),
        ({"types": [TEXT, VIDEO, VIDEO, IMAGE, 3]}, "mrope.C3", "token_types", "OUT_OF_RANGE"),
        ({"types": [-1, VIDEO, VIDEO, IMAGE, IMAGE]}, "mrope.C3", "token_types", "OUT_OF_RANGE"),
        ({"grids": [[2, 2, 2], [0, 2, 4]]}, "mrope.C3", "grids", "INVALID_PARAMETER"),
        ({"grids": [[2, 2, 2], [1, 3, 4]]}, "mrope.C3", "grids", "INVALID_PARAMETER"),
        ({"intervals": [[2, 0]]}, "mrope.C3", "temporal_interval", "INVALID_PARAMETER"),
        ({"intervals": [[-2, -1]]}, "mrope.C3", "temporal_interval", "INVALID_PARAMETER"),
        ({"intervals": []}, "mrope.C4", "temporal_interval", "INVALID_SHAPE"),
        ({"intervals": [[2, 1], [2, 1]]}, "mrope.C4", "temporal_interval", "INVALID_SHAPE"),
        ({"intervals": [[2**53, 1]]}, "mrope.C3", "temporal_interval", "OUT_OF_RANGE"),
        ({"merge": 0}, "mrope.C3", "spatial_merge_size", "INVALID_PARAMETER"),
        ({"merge": 4}, "mrope.C3", "grids", "INVALID_PARAMETER"),
        ({"advance": "max"}, "mrope.C3", "advance", "INVALID_PARAMETER"),
    ],
)
def test_bad_prompts(changed: dict[str, Any], clause: str, name: str, kind: str) -> None:
    ids(**VIDEO_AND_IMAGE)
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {name}") as caught:
        ids(**(VIDEO_AND_IMAGE | changed))
    assert caught.value.kind == kind


def test_a_grid_has_three_sizes() -> None:
    with pytest.raises(posref.SpecError, match=r"\[mrope.C3\] grids: axis 1 must have the size 3") as caught:
        mrope.position_ids(
            np.array([1]),
            np.array([[1, 2]]),
            np.zeros((0, 2), dtype=int),
            spatial_merge_size=1,
            advance="max_hw",
        )
    assert caught.value.kind == "INVALID_SHAPE"


def test_on_every_library(on: Any) -> None:
    prompt = [np.array(VIDEO_AND_IMAGE[name], dtype=np.int64) for name in ("types", "grids", "intervals")]
    found = mrope.position_ids(*(on(one) for one in prompt), spatial_merge_size=2, advance="max_thw")
    assert on.back(found.position_ids).tolist() == ids(**VIDEO_AND_IMAGE, advance="max_thw")[0]
    assert int(on.back(found.delta)) == ids(**VIDEO_AND_IMAGE, advance="max_thw")[1]
    empty = [on(np.zeros(shape, dtype=np.int64)) for shape in ((0,), (0, 3), (0, 2))]
    found = mrope.position_ids(*empty, spatial_merge_size=2, advance="max_hw")
    assert on.back(found.position_ids).shape == (3, 0)
