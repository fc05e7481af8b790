"""The index of symptoms: what it names exists, and what it says of positions, rows and dtypes happens."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import posref
from posref import operation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "symptoms.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| one sees")
]
MISTAKES = [
    mistake
    for scheme in operation.schemes()
    for mistake in importlib.import_module(f"posref.mistakes.{scheme}").MISTAKES
]
FLAGS = json.loads((operation.home("spec") / "flags.json").read_text("utf-8"))
SETTINGS = {"rotary_dim": 64, "base": 500000.0, "pairing": "half"}
FAR = [0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 5000]


def flags(row):
    """Return the flags of a row of the page."""
    return re.findall(r"`([a-z0-9-]+)`", row[2])


def wrong(name, positions, shape=(1, 1), **settings):
    """Return which tokens a mistake of `rope.apply` gets wrong, as booleans over batch and tokens."""
    (mistake,) = [one for one in MISTAKES if (one.operation, one.name) == ("rope.apply", name)]
    positions = np.asarray(positions)
    x = np.random.default_rng(5).standard_normal((shape[0], shape[1], positions.shape[-1], 64))
    arguments = {"rotary_start": 0, "scaling": None, "seq_len": None, **SETTINGS, **settings}
    got = np.asarray(mistake.function(x, positions, **arguments), np.float64)
    want = posref.rope.apply(x, positions, **arguments)
    return np.abs(got - want).max((1, 3)) > 2.0**-26 * np.abs(want).max()  # half of the digits


def test_the_page_has_rows_and_every_row_a_flag():
    assert len(ROWS) >= 35
    assert [row[0] for row in ROWS if len(row) != 4 or not flags(row)] == []


def test_every_flag_exists_and_a_known_mistake_has_it():
    known = {mistake.flag for mistake in MISTAKES} | {
        flag for flag, entry in FLAGS.items() if entry["bug_type"] == "stale_state"
    }
    named = {flag for row in ROWS for flag in flags(row)}
    assert named <= FLAGS.keys()
    assert named <= known


@pytest.mark.parametrize(
    "name",
    ["sign-reversed", "exponent-halved", "base-10000", "other-pairing", "rotated-twice"],
)
def test_right_at_position_0_only(name):
    assert wrong(name, [0, 1, 2, 3]).tolist() == [[False, True, True, True]]


@pytest.mark.parametrize("name", ["positions-plus-1", "positions-minus-1"])
def test_off_by_one_is_wrong_everywhere(name):
    assert wrong(name, [0, 1, 2]).all()


@pytest.mark.parametrize(
    ("name", "first"), [("positions-bfloat16", 257), ("positions-float16", 2049), ("positions-to-4095", 4096)]
)
def test_the_first_wrong_position(name, first):
    found = wrong(name, FAR)[0]
    assert FAR[int(found.argmax())] == first
    assert not found[: FAR.index(first)].any()


def test_decoding_alone_is_wrong_when_positions_restart():
    assert not wrong("positions-from-0", [0, 1, 2]).any()
    assert wrong("positions-from-0", [7]).all()


def test_only_other_rows_of_a_batch_are_wrong():
    found = wrong("positions-of-row-0", [[[3, 4, 5]], [[0, 1, 2]]], (2, 1))
    assert found.tolist() == [[False] * 3, [True] * 3]
    assert not wrong("positions-of-row-0", [[[3, 4, 5]]], (1, 1)).any()


def test_a_gap_is_ignored_from_the_gap_on():
    assert wrong("positions-consecutive", [5, 6, 9, 10]).tolist() == [[False, False, True, True]]


def test_negative_positions_alone_lose_their_sign():
    assert wrong("positions-absolute", [-2, 0, 2]).tolist() == [[True, False, False]]


def test_fractional_positions_alone_are_cut():
    assert wrong("positions-truncated", [1.0, 1.5, 2.0]).tolist() == [[False, True, False]]


def test_a_base_that_is_fixed_is_right_for_the_model_that_has_it():
    assert not wrong("base-10000", [0, 1, 2], base=10000.0).any()


def test_frequencies_in_bfloat16_are_wrong_from_the_start():
    assert wrong("frequency-bfloat16", [1, 2, 3]).all()
