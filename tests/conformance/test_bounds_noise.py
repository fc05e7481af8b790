"""No false accusation: library functions that err within a preset are accepted on every stored case."""

import honest_noise as honest
import numpy as np
import pytest

from posref.conformance.run import run
from posref.corpus import load_vectors

OPERATIONS = tuple(name for names in honest.OPERATIONS.values() for name in names)


def worst(attempts):
    """Return the largest error over its bound among informative elements."""
    ratios = [one.result.worst_error.ratio for one in attempts if one.result.worst_error is not None]
    return max(ratios, default=0.0)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_noise_within_a_preset_is_accepted_on_every_case(operation):
    tests = [one for one in load_vectors(operations=operation).tests if one.kind == "value"]
    for claim, implementation in honest.pipelines(operation):
        attempts = list(run(implementation, tests, "float32", claim, ranked=False))
        judged = [one for one in attempts if one.result.verdict != "skipped"]
        assert judged
        wrong = [
            (one.test.id, one.result.verdict, one.result.reason)
            for one in judged
            if one.result.verdict not in ("pass", "uninformative")
        ]
        assert wrong == [], (claim, implementation.name)
        assert worst(judged) <= 1


def test_the_noise_fills_its_range():
    values = np.arange(1, 4001) / 3
    drawn = honest.noise(values, 1)
    assert np.abs(drawn).max() <= 1
    assert drawn.min() < -0.99
    assert drawn.max() > 0.99
    assert abs(drawn.mean()) < 0.05
    assert (honest.noise(values, 2) != drawn).all()


@pytest.mark.parametrize("preset", honest.PRESETS)
def test_a_result_is_moved_no_further_than_the_preset_says(preset):
    made = honest.Plain("noisy", "float32", "power", preset=preset)
    angle = np.arange(1, 3001) / 7
    for function in (np.sin, np.cos, np.exp, np.log):
        given = angle / 40 if function is np.exp else angle
        error = np.abs(made.library(function, given, 1) - function(given)) / honest.ulp(
            function(given), "float32"
        )
        size = honest.PRESETS[preset][function.__name__]
        assert size / 2 < error.max() <= size
    assert made.library(np.cos, np.zeros(1), 1) == 1
