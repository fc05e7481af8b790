"""Steps of a logarithmic scale against whole-number arithmetic, and both ways to count levels."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from posref.numerics import buckets
from posref.numerics.buckets import Levels, Scale
from posref.numerics.namespace import space


def by_powers(scale: Scale, distance: int) -> tuple[int, bool]:
    """Return the most steps h with (distance / low)**steps >= (top / low)**h, and whether both are equal."""
    low, top, steps = scale.low, scale.top, scale.steps
    h = 0
    while distance**steps * low ** (h + 1) >= top ** (h + 1) * low**steps:
        h += 1
    return h, distance**steps * low**h == top**h * low**steps


@pytest.mark.parametrize("low", range(1, 9))
def test_heights_of_small_scales(low: int) -> None:
    for top in (low + 1, low + 2, 2 * low, 4 * low, 9 * low, 30):
        for steps in (1, 2, 3, 4, 6, 7) if top > low else ():
            scale = Scale(low, top, steps)
            for distance in range(low, 3 * top):
                assert scale.height(distance) == scale._decided(distance) == by_powers(scale, distance)


@pytest.mark.parametrize(
    ("low", "top", "steps", "distance"),
    [
        (2**40, 2**41, 2**20, 2**40),
        (1, 2**53, 53, 2**30),
        (1, 2**53, 53, 2**30 - 1),
        (1, 2**53, 53, 2**30 + 1),
        (3**10, 3**30, 20, 3**17),
        (3**10, 3**30, 20, 3**17 - 1),
        (6, 6 * 10**6, 6, 6 * 10**5),
        (10, 1000, 4, 100),
        (10, 1000, 3, 100),
        (12, 27, 2, 18),
        (12, 27, 4, 18),
        (12, 27, 4, 19),
    ],
)
def test_heights_at_and_beside_whole_steps(low: int, top: int, steps: int, distance: int) -> None:
    scale = Scale(low, top, steps)
    if steps < 100:
        assert scale._decided(distance) == by_powers(scale, distance)
    assert scale.height(distance) == scale._decided(distance)
    assert scale.height(low) == (0, True)


def test_a_height_that_sixty_digits_do_not_tell_from_whole() -> None:
    """The logarithm of 1 + 10**-40 in units of that of 10**70 is too near to 0 for sixty digits."""
    low = 10**40
    scale = Scale(low, 10**110, 1)
    with localcontext(prec=200) as here:
        height = here.ln(Decimal(low + 1) / low) / here.ln(Decimal(10) ** 70)
    assert 0 < height < Decimal(10) ** -40
    assert scale._decided(low + 1) == (0, False)
    assert scale._decided(10**110 - 1) == (0, False)
    assert scale._decided(10**110) == (1, True)
    assert scale._decided(10**110 + 1) == (1, False)


@pytest.mark.parametrize("shape", [(60,), (3, 4, 5)])
@pytest.mark.parametrize("most", [0, 3, 4, 2**12])
def test_levels_are_counted_alike_both_ways(most: int, shape: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "MANY", most)
    levels = Levels(lambda n: math.isqrt(n) - 1, 4, 30)  # at 4 the first, at 9 the second, ...
    distances = np.arange(60).reshape(shape) % 31
    found = levels.passed(space({"distances": distances}), distances)
    assert found.dtype == np.int64
    wanted = [math.isqrt(n) - 1 if n >= 4 else 0 for n in distances.ravel().tolist()]
    assert found.ravel().tolist() == wanted
    assert found.shape == distances.shape
    assert levels.edges == [4, 9, 16, 25]
    assert levels.highest == 4


def test_no_levels_and_no_distances() -> None:
    none = Levels(lambda n: n, 5, 4)
    distances = np.arange(6)
    assert none.highest == 0
    assert none.passed(space({"distances": distances}), distances).tolist() == [0] * 6
    empty = np.zeros((0, 2), np.int64)
    some = Levels(lambda n: n, 1, 3)
    assert some.passed(space({"distances": empty}), empty).shape == (0, 2)
