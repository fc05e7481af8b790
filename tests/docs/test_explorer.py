"""The explorer: its numbers are those of the vectors, its link carries the state, its page answers."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from javascript import node

import posref
from posref.corpus import load_vectors

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "docs" / "_ext"))

import site_presets  # noqa: E402

DISTANCES = range(257)


def shown(*fragments):
    """Return what the explorer shows of states, without its page."""
    lines = "".join(f"{one}\n" for one in fragments)
    return node("explorer.mjs", text=lines)


@cache
def stored():
    """Return every test of the corpus by its identifier."""
    return {test.id: test for test in load_vectors().tests}


def near(got, output):
    """Whether values keep the bounds of float64 of a stored output."""
    want = output["float64"]
    pairs = zip(np.ravel(got).tolist(), want.tensor.data, want.bound, strict=True)
    return all(value == data or abs(value - data) <= bound for value, data, bound in pairs)


def between_engines(distance):
    """Return how far two sums of 64 turned coordinates may lie apart, computed by two engines.

    In halves of an ulp: 2 for a frequency of each and 1 for its product, times the angle, which is the
    distance at most; 1 for each sine, 4 for each of two scales and products, and 64 additions. A
    coordinate is at most the square root of 2.
    """
    return (2 * 3 * distance + 2 + 8 + 2 * 64) * 2.0**-53 * 64 * 2**0.5


# ---- numbers ----

FREQUENCIES = {
    "llama-4": "layer-0",
    "gemma-3": "full-attention",
    "gemma-4": "full-attention",
    "phi-3.5": "long",
}
"""Groups of the models that have several ladders."""

PRESETS = {one["name"]: one["fragment"] for one in site_presets.presets()}
ROTATING = sorted(name for name, fragment in PRESETS.items() if fragment.startswith("scheme=rope"))


def test_presets_are_of_every_scheme_that_models_have():
    schemes = {fragment.partition("&")[0].partition("=")[2] for fragment in PRESETS.values()}
    assert schemes == {"rope", "sinusoidal", "alibi", "t5"}
    scalings = {fragment.partition("scaling=")[2].partition("&")[0] for fragment in PRESETS.values()}
    assert scalings >= {"", "llama3", "yarn", "longrope", "proportional", "linear"}


@pytest.mark.parametrize("name", ROTATING)
def test_ladders_of_models_are_their_vectors(name):
    (view,) = shown(PRESETS[name])
    want = stored()[f"model-{name}-{FREQUENCIES.get(name, 'frequencies')}"].expected
    assert near(view["frequencies"], want["inv_freq"])
    assert near(view["factor"], want["attention_factor"])


@pytest.mark.parametrize("name", ["bloom", "mpt"])
def test_slopes_of_models_are_their_vectors(name):
    (view,) = shown(PRESETS[name])
    assert near(view["ladder"], stored()[f"model-{name}-slopes"].expected["slopes"])


def judged(operation, inputs, output, params):
    """Judge what is shown by the bounds of float64."""
    verdict = posref.judge(operation, inputs, np.array(output, dtype=np.float64), params, "f64-angle")
    assert verdict, str(verdict)


SCALINGS = {
    "none": None,
    "linear": {"factor": 4.0},
    "ntk": {"factor": 4.0},
    "dynamic": {"factor": 4.0, "original_max_position_embeddings": 2048},
    "llama3": {
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    },
    "yarn": {
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "ramp": "index",
        "truncate": True,
        "extrapolation_factor": 1.0,
        "mscale_rule": "log_only",
    },
    "longrope": {
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
        "short_factor": [1.0] * 32,
        "long_factor": [4.0] * 32,
    },
    "proportional": {"factor": 4.0, "partial_rotary_factor": 0.25},
}


@pytest.mark.parametrize("kind", SCALINGS)
def test_scores_and_tables_of_rotations_keep_the_claim(kind):
    (view,) = shown(f"scheme=rope&scaling={kind}&first=100&step=3&part=sin&length=8192")
    keys = np.ones((1, 64))
    own = SCALINGS[kind] and {"rope_type": kind, **SCALINGS[kind]}
    params = {"rotary_dim": 64, "base": 10000.0, "pairing": "half", "scaling": filled(own), "seq_len": 8192}
    at = np.array(DISTANCES)
    scores = np.array(view["scores"])[:, None]
    assert view["xs"] == list(DISTANCES)
    judged("rope.score", [np.ones((257, 64)), keys, at, np.zeros(1, int)], scores, params)
    positions = 100 + 3 * np.arange(48)
    ladder = np.array(view["frequencies"])
    cos, sin = posref.rope.cos_sin(positions, ladder, attention_factor=view["factor"])
    rounded = (positions.max() + 4) * 2.0**-53 * view["factor"]  # of the angle, and of the sine
    assert np.array(view["cells"]) == pytest.approx(sin, rel=0, abs=rounded)
    assert cos.shape == sin.shape == (48, 32)


def filled(scaling):
    """Return a scaling with every key that it may have, null where unused."""
    if scaling is None:
        return None
    keys = {key for one in SCALINGS.values() if one for key in one}
    keys |= {"attention_factor", "mscale", "mscale_all_dim"}
    return {**dict.fromkeys(keys), **scaling}


def test_rows_of_sinusoidal_keep_the_claim():
    for denominator in ("dim", "count_minus_1"):
        for layout in ("interleaved", "sin_cos", "cos_sin"):
            (view,) = shown(f"scheme=sinusoidal&denominator={denominator}&layout={layout}&first=7&step=1000")
            params = {
                "dim": 64,
                "base": 10000.0,
                "odd": "error",
                "denominator": denominator,
                "layout": layout,
            }
            judged("sinusoidal.encode", [7 + 1000 * np.arange(48)], view["cells"], params)


def test_scales_and_scores_of_xpos_are_those_of_the_reference():
    (view,) = shown("scheme=xpos&part=scale&first=5&step=11")
    params = {"rotary_dim": 64, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}
    judged("xpos.scale", [5 + 11 * np.arange(48)], view["cells"], params)
    ones = np.ones((257, 64))
    turned = {"base": 10000.0, "pairing": "half", **params}
    query = posref.xpos.apply(ones, np.array(DISTANCES), role="query", **turned)
    key = posref.xpos.apply(ones[:1], np.zeros(1, int), role="key", **turned)
    room = between_engines(max(DISTANCES))
    assert np.array(view["scores"]) == pytest.approx((query @ key.T)[:, 0], rel=0, abs=room)


def test_biases_and_weights_of_alibi():
    (view,) = shown("scheme=alibi&num_heads=12&pair=9&first=3&step=5")
    slopes = np.array(view["ladder"])
    judged("alibi.slopes", [], slopes, {"num_heads": 12, "bias_max": 8.0})
    at = 3 + 5 * np.arange(48)
    bias = posref.alibi.bias(at, at, slopes, form="neg_distance", future="neg_inf")[9]
    cells = np.array([[float(one) for one in row] for row in view["cells"]])
    assert np.array_equal(cells, bias)
    assert view["scores"] == [-slopes[9] * distance for distance in DISTANCES]
    additions = 2 * len(DISTANCES)  # of the page, before it divides, and here
    assert sum(view["weights"]) == pytest.approx(1, rel=0, abs=additions * 2.0**-53)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_of_t5(bidirectional):
    (view,) = shown(f"scheme=t5&bidirectional={str(bidirectional).lower()}")
    params = {"num_buckets": 32, "max_distance": 128, "bidirectional": bidirectional}
    at = np.arange(48)
    assert np.array_equal(view["cells"], posref.t5.bucket(at[None, :] - at[:, None], **params))
    buckets = posref.t5.bucket(-np.array(DISTANCES), **params)
    assert view["scores"] == buckets.tolist()
    firsts = [int(np.argmax(buckets == one)) for one in range(buckets.max() + 1)]
    assert view["ladder"] == firsts


def test_the_point_on_the_plane():
    (view,) = shown("scheme=rope&pair=3&position=1000000&trained=8")
    angle = 1_000_000 * view["frequencies"][3]
    ulps = 2 * 2.0**-53  # one of each engine, below 1
    assert view["plane"]["trail"][-1] == pytest.approx([np.cos(angle), np.sin(angle)], rel=0, abs=ulps)
    assert len(view["plane"]["trail"]) == 41


def test_random_vectors_are_the_same_for_one_seed():
    first, again, other = shown(*(f"scheme=rope&vectors=random&seed={seed}" for seed in (5, 5, 6)))
    assert first["scores"] == again["scores"] != other["scores"]
    assert max(map(abs, first["scores"])) <= 64


# ---- the link ----

STATES = [
    "scheme=rope",
    "scheme=rope&rotary_dim=128&base=500000&trained=8192&scaling=llama3&factor=8&pair=35",
    "scheme=rope&scaling=yarn&ramp=rotations&mscale_rule=ratio&mscale=0.707&mscale_all_dim=0.5",
    "scheme=rope&rotary_dim=4&scaling=longrope&short_factor=1%2C1.5&long_factor=2%2C8.25",
    "scheme=sinusoidal&dim=8&denominator=count_minus_1&layout=cos_sin&position=3&first=9&step=2",
    "scheme=xpos&gamma=0.5&scale_base=64&part=scale&span=1024&vectors=random&seed=9",
    "scheme=alibi&num_heads=12&bias_max=4&form=neg_abs&pair=11",
    "scheme=t5&num_buckets=16&max_distance=64&bidirectional=false",
]


def test_a_link_says_the_whole_state():
    views = shown(*STATES, *PRESETS.values())
    assert [view["again"] for view in views[: len(STATES)]] == STATES
    once = [view["again"] for view in views]
    assert [view["again"] for view in shown(*once)] == once
    assert [view["state"] for view in shown(*once)] == [view["state"] for view in views]


@pytest.mark.parametrize(
    "wrong",
    [
        *("scheme=nope", "rotary_dim=63", "rotary_dim=1e9", "base=1", "base=NaN", "base=", "trained=2.5"),
        *("scaling=other", "part=scale", "short_factor=1%2C-1", "position=-1", "<script>=1", "pair=Infinity"),
    ],
)
def test_what_a_link_says_wrongly_is_as_at_first(wrong):
    (view,) = shown(wrong)
    assert view["again"] == "scheme=rope"


@pytest.mark.parametrize(
    ("fragment", "clause"),
    [
        ("scheme=rope&scaling=ntk&rotary_dim=2", "rope_scaling.C3"),
        ("scheme=rope&scaling=yarn&beta_fast=1&beta_slow=2", "rope_scaling.C7"),
        ("scheme=rope&scaling=llama3&high_freq_factor=1", "rope_scaling.C9"),
        ("scheme=rope&scaling=longrope&short_factor=1%2C2", "rope_scaling.C10"),
        ("scheme=rope&scaling=yarn&mscale_rule=ratio&mscale=-100", "rope_scaling.C8"),
        ("scheme=sinusoidal&dim=2&denominator=count_minus_1", "sinusoidal.C2"),
        ("scheme=t5&max_distance=8", "t5.C1"),
    ],
)
def test_what_has_no_value_is_refused_by_its_clause(fragment, clause):
    (view,) = shown(fragment)
    assert clause in view["refused"]
