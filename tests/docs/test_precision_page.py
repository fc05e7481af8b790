"""What the page on precision says: its theorems by computation, its readings of the measured curves."""

import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import posref
from posref.numerics.rounding import decode_bits, round_bits

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
sys.path.insert(0, str(DOCS / "learn"))
import drift_formulas  # noqa: E402

site_framework_curves = pytest.importorskip("site_framework_curves")

PAGE = (DOCS / "learn" / "precision.md").read_text("utf-8")
RULES = (DOCS / "precision.md").read_text("utf-8")
STORED = json.loads((DOCS / "learn" / "drift.json").read_text("ascii"))
CURVES = {
    name: {int(octave): error for octave, error in curve["errors"].items()}
    for name, curve in STORED["curves"].items()
}
MATRIX = json.loads((DOCS / "conformance" / "matrix.json").read_text("ascii"))["frameworks"]
EXACT = posref.rope.inv_freq(rotary_dim=128, base=10000.0)
U = 2.0**-24
PHRASES = ("[Why float32 angles drift](learn/precision.md)", "precision-clauses.md")


def rounded(values, dtype):
    return decode_bits(round_bits(np.asarray(values, np.float64), dtype), dtype)


def test_the_rules_have_the_clauses_and_the_way_here_and_nothing_twice():
    assert [phrase for phrase in PHRASES if phrase not in RULES] == []
    assert "\n## " not in RULES
    sentences = {text.strip() for text in re.split(r"(?<=[.:])\s", RULES) if len(text) > 40}
    assert [text for text in sentences if text in PAGE] == []


@pytest.mark.parametrize("position", [4095, 65537, 1048575, 2**24 - 1])
def test_the_drift_stays_within_the_theorem_and_pair_0_has_none(position):
    stored = EXACT.astype(np.float32)
    delta = np.abs(stored.astype(np.float64) / EXACT - 1)
    angle = (np.float32(position) * stored).astype(np.float64)
    off = np.abs(angle - position * EXACT)
    room = position * EXACT * (delta + U * (1 + delta)) * (1 + 2**-20)
    assert off[0] == 0
    assert np.all(off <= room)
    assert off.max() > position * EXACT[1] * U / 8, "the bound is of the right size"


def test_errors_of_a_frequency_cancel_down_to_the_distance_and_roundings_do_not():
    stored = EXACT.astype(np.float32)
    delta = np.abs(stored.astype(np.float64) / EXACT - 1)
    for m, n in ((1_000_000, 1_000_001), (700_001, 600_007)):
        angles = [(np.float32(p) * stored).astype(np.float64) for p in (m, n)]
        off = np.abs((angles[0] - angles[1]) - (m - n) * EXACT)
        room = abs(m - n) * EXACT * delta + (m + n) * EXACT * (1 + delta) * U
        assert np.all(off <= room * (1 + 2**-20))
        assert off.max() > 0.001, "neighbors a million tokens out are visibly off"


@pytest.mark.parametrize(("dtype", "digits"), [("float32", 24), ("float16", 11), ("bfloat16", 8)])
def test_which_integers_a_format_has(dtype, digits):
    whole = 2.0**digits
    assert np.array_equal(rounded([whole - 1, whole], dtype), [whole - 1, whole])
    assert rounded([whole + 1], dtype)[0] != whole + 1
    last = min(digits + 4, 15)
    spacing = 2.0 ** (last - digits + 1)
    values = 2.0**last + spacing * np.arange(4)
    assert np.array_equal(rounded(values, dtype), values)
    assert rounded([values[1] + spacing / 4], dtype)[0] == values[1]


def test_blocks_of_32_tokens_share_a_row_in_bfloat16():
    rows = rounded(np.arange(4096, 8192), "bfloat16")
    assert set(np.unique(rows, return_counts=True)[1][1:-1]) <= {31, 32, 33}
    assert "blocks of 32 tokens" in PAGE


def test_the_iterated_product_is_worst_at_pair_7_and_within_its_bound():
    steps = drift_formulas.ladders()["iterated product"].astype(np.float64)
    ratio = 10000.0 ** (-2 / 128)
    eta = abs(float(np.float32(10000.0) ** np.float32(-2 / 128)) / ratio - 1)
    i = np.arange(1, 64)
    relative = np.abs(steps[1:] / EXACT[1:] - 1)
    assert np.all(relative <= (i * eta + (i - 1) * U) * (1 + 2**-10))
    assert round(128 / (2 * math.log(10000))) == 7 == int(np.argmax(i * EXACT[1:])) + 1


@pytest.mark.parametrize(("dtype", "u"), [("bfloat16", 2.0**-8), ("float16", 2.0**-11)])
def test_a_rounded_table_costs_the_same_at_every_position(dtype, u):
    for position in (1, 1000, 10**6):
        exact = posref.rope.cos_sin(np.array([position]), EXACT)
        short = [rounded(part, dtype) for part in exact]
        size = np.hypot(*short)
        assert np.all((1 - u <= size) & (size <= 1 + u))
        assert max(np.abs(a - b).max() for a, b in zip(exact, short, strict=True)) <= u / 2


def test_the_store_has_every_framework_that_rotates_by_positions():
    rotates = {
        entry["name"]: entry["version"]
        for entry in MATRIX
        if entry["name"] != "founding" and any(row["operation"] == "rope.apply" for row in entry["rows"])
    }
    assert {name: STORED["curves"][name]["version"] for name in rotates} == rotates


def test_almost_everybody_is_on_one_line_of_slope_one():
    (group,) = (names for names in site_framework_curves.groups(STORED["curves"]) if "NumPy float32" in names)
    assert len(group) >= 10
    assert {"PyTorch", "JAX", "ONNX Runtime", "mlx", "transformers"} <= set(group)
    line = CURVES["NumPy float32"]
    slope = math.log2(line[20] / line[8]) / 12
    assert 0.9 < slope < 1.1
    assert 0.05 < line[20] < 0.2


def test_ggml_is_about_twice_as_high():
    ratios = [CURVES["ggml"][octave] / CURVES["NumPy float32"][octave] for octave in range(3, 21)]
    assert 1.5 < np.median(ratios) < 3


@pytest.mark.parametrize("name", ["diffusers", "posref float32"])
def test_who_is_flat(name):
    assert set(CURVES[name]) == set(range(21))
    assert max(CURVES[name].values()) <= 2.0**-25 * 1.02, "half a unit in the last place of entries below 1"


def test_the_reference_stays_within_a_unit_in_the_last_place():
    assert max(CURVES["posref float64"].values()) <= 2.0**-53


def test_float64_drifts_at_the_same_rate_from_a_lower_start():
    wide, single = CURVES["NumPy float64"], CURVES["NumPy float32"]
    assert all(1e7 < single[octave] / wide[octave] < 5e9 for octave in range(3, 21))
    assert max(wide.values()) < 2.0**-24


def test_where_a_bfloat16_table_costs_more_than_the_angle():
    line = CURVES["NumPy float32"]
    assert [octave for octave in line if line[octave] < 2.0**-9] == list(range(15))
    assert "up to $2^{15}$ tokens" in PAGE


@pytest.mark.parametrize(("dtype", "octave"), [("bfloat16", 8), ("float16", 11)])
def test_where_half_precision_positions_end(dtype, octave):
    curve, line = CURVES[f"PyTorch, {dtype} positions"], CURVES["PyTorch"]
    assert all(curve[early] == line[early] for early in range(octave))
    assert all(curve[late] > 0.5 for late in curve if late >= octave)
    assert max(CURVES["PyTorch, float16 positions"]) == 15
