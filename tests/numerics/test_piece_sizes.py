"""How large pieces are: as large as they may be, counted by hand."""

from typing import Any

import numpy as np
import pytest

from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.pieces import ELEMENTS, Region, _sizes, blocks, pieces, spans

ALL = slice(None)


@pytest.mark.parametrize(
    ("sizes", "most", "square", "found"),
    [
        ((5, 7), 100, False, (5, 7)),
        ((5, 7), 14, False, (2, 7)),
        ((5, 7), 3, False, (1, 3)),
        ((5, 7), 0, False, (1, 1)),
        ((0, 7), 3, False, (1, 3)),
        ((7,), 3, False, (3,)),
        ((), 0, False, ()),
        ((5, 7), 35, True, (5, 7)),
        ((5, 7), 14, True, (3, 4)),
        ((6, 6), 12, True, (3, 3)),
        ((4, 8), 16, True, (4, 4)),
        ((1, 7), 3, True, (1, 2)),
        ((5, 7), 0, True, (1, 1)),
    ],
)
def test_named_axes_are_cut_to_fit(
    sizes: tuple[int, ...], most: int, square: bool, found: tuple[int, ...]
) -> None:
    assert tuple(_sizes(dict(zip("QK", sizes, strict=False)), most, square).values()) == found


def scores(*leading: int) -> Given:
    q, k = np.zeros((*leading, 5, 4)), np.zeros((*leading, 7, 4))
    return admit("attention.scores", {}, {"q": q, "k": k, "scale": 1.0})


@pytest.mark.parametrize(
    ("each", "base", "most", "count"),
    [
        (2, 80, 300, 4),  # all of Q and K, and two of the six leading entries
        (8, 80, 720, 4),
        (2, 10, 240, 2),  # three of the six: a row
        (2, 10, 480, 1),
        (2, 10, 12, 60),  # one query, six keys, one leading entry
        (0, 0, 7, 5),  # one query, all keys, all leading entries
        (0, 1, 3, 5 * 3 * 2),  # one query, three keys, a row
        (3, 5, 48, 3 * 6),  # two queries, all keys
    ],
)
def test_pieces_are_as_large_as_they_may_be(each: int, base: int, most: int, count: int) -> None:
    seen = np.zeros((2, 3, 5, 7), int)
    found = list(pieces(scores(2, 3), "Q K", each, base, most))
    for piece, region in found:
        place = region.of(("Q", "K"), seen.shape)
        seen[place] += 1
        assert (piece.axes["Q"], piece.axes["K"]) == seen[place].shape[2:]
        assert piece.q.shape == (*seen[place].shape[:3], 4)
    assert (seen == 1).all()
    assert len(found) == count


def test_a_piece_is_of_the_usual_size_where_nothing_is_said() -> None:
    call = scores(2, 3)
    third = ELEMENTS // 3 + 1
    assert len(list(pieces(call, "", third))) == 4  # twice this is below the size, three times above
    assert len(list(pieces(call, "", ELEMENTS // 2))) == 4
    shapes = {(p.axes["Q"], p.axes["K"]) for p, _ in pieces(call, "Q K", ELEMENTS // 16)}
    assert shapes == {(2, 7), (1, 7)}


def test_a_region_of_an_array_with_fewer_or_stretched_axes() -> None:
    region = Region((slice(0, 1), slice(1, 3)), {"Q": slice(2, 4)})
    assert region.of(("Q", "D"), (2, 3, 5, 4)) == (slice(0, 1), slice(1, 3), slice(2, 4), ALL)
    assert region.of(("Q",), (3, 5)) == (slice(1, 3), slice(2, 4))
    assert region.of(("Q",), (1, 3, 1)) == (ALL, slice(1, 3), ALL)
    assert region.of((), ()) == ()


@pytest.mark.parametrize(
    ("shape", "entries", "count"),
    [
        ((), 1, 1),
        ((7,), 0, 7),
        ((7,), 3, 3),
        ((7, 2), 13, 2),
        ((6, 1), 3, 2),
        ((3, 5), 1, 15),
        ((3, 5), 2, 9),
        ((3, 5), 6, 3),
        ((3, 5), 10, 2),
        ((3, 5), 15, 1),
        ((2, 3, 4), 5, 6),
        ((2, 3, 4), 8, 4),
        ((2, 3, 4), 12, 2),
        ((2, 3, 2, 2), 4, 6),
        ((2, 2, 3, 2), 2, 12),
        ((3, 0, 5), 5, 3),  # an empty axis counts as one entry
        ((0, 4), 3, 2),
    ],
)
def test_blocks_are_as_large_as_they_may_be(shape: tuple[int, ...], entries: int, count: int) -> None:
    found = list(blocks(shape, entries))
    assert len(found) == count
    assert all(len(block) == len(shape) for block in found)


def test_a_span_has_an_entry_at_least() -> None:
    found: list[Any] = list(spans(3, 0))
    assert found == [slice(0, 1), slice(1, 2), slice(2, 3)]
