"""The transformers adapter: what the framework answers, and where it differs from the specification."""

import numpy as np
import pytest
import rotation_oracle as oracle

import posref
from posref.adapters import Unsupported
from posref.corpus.models import models as published
from posref.operation import signature

RESOLVE = "rope_scaling.resolve"
MODELS = published()
TOLERANCE = {"float64": 1e-6, "float32": 1e-6, "bfloat16": 2.0**-6, "float16": 2.0**-9}


@pytest.fixture
def models(framework):
    return framework("transformers")


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("base", [1e4, 5e5])
@pytest.mark.parametrize("cut", [("half", 8), ("half", 4), ("adjacent", 8), ("adjacent", 4)])
def test_apply_rotates_sequences_with_positions_of_their_own(models, call, dtype, base, cut):
    pairing, width = cut
    x = (np.arange(2 * 3 * 5 * 8).reshape(2, 3, 5, 8) % 13 - 6) / 8
    positions = np.array([[[0, 1, 2, 3, 4]], [[7, 11, 3, 2, 30]]])
    kind, got = call(
        models, "rope.apply", [(x, dtype), (positions, "int64")], rotary_dim=width, base=base, pairing=pairing
    )
    expected = [
        [
            [oracle.rotate(x[b, h, t], positions[b, 0, t], base, pairing, width) for t in range(5)]
            for h in range(3)
        ]
        for b in range(2)
    ]
    assert kind == dtype
    assert got.shape == x.shape
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * TOLERANCE[dtype])
    np.testing.assert_array_equal(got[..., width:], x[..., width:])


@pytest.mark.parametrize("pairing", ["half", "adjacent"])
def test_apply_qk_rotates_fewer_key_heads_by_the_same_angles(models, call, pairing):
    q = (np.arange(4 * 3 * 4).reshape(4, 3, 4) % 7 - 3) / 4
    tensors = [(q, "float32"), (q[:2], "float32"), ([5, 6, 9], "int64")]
    (_, turned), (_, keys) = call(models, "rope.apply_qk", tensors, rotary_dim=4, base=1e4, pairing=pairing)
    expected = [
        [oracle.rotate(q[h, t], p, 1e4, pairing, 4) for t, p in enumerate((5, 6, 9))] for h in range(4)
    ]
    np.testing.assert_allclose(turned, expected, atol=1e-6)
    np.testing.assert_array_equal(keys, turned[:2])


@pytest.mark.parametrize(
    ("pairing", "expected"),
    [
        ("adjacent", [-1.14263966, 1.92207560, 2.95985067, 4.02979950]),
        ("half", [-1.98411065, 1.95990067, 2.46237790, 4.01979967]),
    ],
)
def test_rotate_takes_tables(models, call, pairing, expected):
    angles = np.array([[1.0, 0.01]])
    tensors = [([[1, 2, 3, 4]], "float32")]
    tensors += [(np.float32(table).astype(float), "float32") for table in (np.cos(angles), np.sin(angles))]
    _, got = call(models, "rope.rotate", tensors, pairing_in=pairing, pairing_out=pairing)
    np.testing.assert_allclose(got, [expected], rtol=3e-7)


def test_deepseek_reads_adjacent_and_writes_half(models, call):
    tensors = [([[1, 2, 3, 4]], "float32"), ([[0, 0]], "float32"), ([[1, 1]], "float32")]
    _, got = call(models, "rope.rotate", tensors, pairing_in="adjacent", pairing_out="half")
    assert got.tolist() == [[-2, -4, 1, 3]]


def test_tables_and_frequencies(models, call):
    kind, ladder = call(models, "rope.inv_freq", [], rotary_dim=8, base=1e4, dtype="float32")
    assert kind == "float32"
    np.testing.assert_allclose(ladder, [1, 0.1, 0.01, 0.001], rtol=2e-7)
    tensors = [([[0.5, 3]], "float64"), ([1, 0.25], "float32")]
    (_, cos), (_, sin) = call(models, "rope.cos_sin", tensors, attention_factor=2.0, dtype="float32")
    angles = np.array([[[0.5, 0.125], [3, 0.75]]])
    np.testing.assert_allclose(cos, 2 * np.cos(angles), rtol=3e-7)
    np.testing.assert_allclose(sin, 2 * np.sin(angles), rtol=3e-7)


@pytest.mark.parametrize(
    ("layout", "denominator", "base"),
    [
        ("interleaved", "dim", 1e4),
        ("sin_cos", "dim", 1e4),
        ("sin_cos", "count_minus_1", 1e4),
        ("sin_cos", "count_minus_1", 5e5),
        ("cos_sin", "count_minus_1", 1e4),
    ],
)
def test_sinusoidal_tables(models, call, layout, denominator, base):
    params = {"dim": 8, "base": base, "denominator": denominator, "layout": layout, "odd": "error"}
    kind, got = call(models, "sinusoidal.encode", [([[0, 1, 300]], "int64")], **params, dtype="float32")
    expected = [[oracle.sinusoid(p, 8, denominator, layout, base) for p in (0, 1, 300)]]
    assert kind == "float32"
    np.testing.assert_allclose(got, expected, atol=5e-5)


def test_alibi(models, call):
    heads = oracle.slopes(8)
    _, slopes = call(models, "alibi.slopes", [], num_heads=8, bias_max=8.0, dtype="float32")
    assert slopes.tolist() == heads
    tensors = [([1, 2], "int64"), ([0, 1, 2], "int64"), (heads, "float32")]
    _, bias = call(models, "alibi.bias", tensors, form="key_index", future="keep", dtype="bfloat16")
    assert bias.shape == (8, 2, 3)
    assert bias[1].tolist() == [[0, 0.25, 0.5]] * 2
    tensors[0] = ([2], "int64")
    _, bias = call(models, "alibi.bias", tensors, form="neg_distance", future="neg_inf", dtype="float32")
    assert bias[1].tolist() == [[-0.5, -0.25, 0]]


@pytest.mark.parametrize(
    ("operation", "tensors", "params"),
    [
        ("rope.inv_freq", [], {"rotary_dim": 8, "base": 1e4, "dtype": "float64"}),
        ("alibi.slopes", [], {"num_heads": 8, "bias_max": 4.0, "dtype": "bfloat16"}),
        (
            "alibi.bias",
            [([2], "int64"), ([0, 1, 2], "int64"), ([0.5, 0.3], "float64")],
            {"form": "key_index", "future": "keep", "dtype": "float32"},
        ),
        (
            "sinusoidal.encode",
            [([-1], "int64")],
            {
                "dim": 8,
                "base": 1e4,
                "denominator": "dim",
                "layout": "sin_cos",
                "odd": "error",
                "dtype": "float32",
            },
        ),
    ],
)
def test_what_it_cannot_be_asked_is_unsupported(models, call, operation, tensors, params):
    with pytest.raises(Unsupported):
        call(models, operation, tensors, **params)


def test_finding_angles_are_float32_in_a_float64_model(models, call):
    _, got = call(
        models,
        "rope.apply",
        [([[1, 0, 0, 0]], "float64"), ([1000], "int64")],
        rotary_dim=4,
        base=1e4,
        pairing="half",
    )
    error = abs(got[0, 0] - np.cos(1000.0))
    _, slow = call(
        models,
        "rope.apply",
        [([[0, 1, 0, 0]], "float64"), ([1000], "int64")],
        rotary_dim=4,
        base=1e4,
        pairing="half",
    )
    assert 1e-9 < max(error, abs(slow[0, 1] - np.cos(10.0))) < 1e-5


def test_finding_neighbouring_positions_beyond_2_to_24_are_one(models, call):
    tensors = [([2**24, 2**24 + 1], "int64"), ([1], "float32")]
    (_, cos), _ = call(models, "rope.cos_sin", tensors, dtype="float32")
    assert cos[0, 0] == cos[1, 0]
    assert abs(cos[1, 0] - np.cos(2.0**24 + 1)) > 0.3


@pytest.mark.parametrize(("heads", "ulp"), [(8, 0), (12, 1), (16, 3), (32, 6), (112, 7), (128, 9)])
def test_finding_bloom_slopes_are_powers_of_a_rounded_base(models, call, heads, ulp):
    expected = np.array(oracle.slopes(heads))
    _, got = call(models, "alibi.slopes", [], num_heads=heads, bias_max=8.0, dtype="float32")
    assert int(np.max(np.abs(got - expected) / np.spacing(np.float32(expected)))) == ulp


def test_finding_widths_and_bases_are_not_checked(models, call):
    _, odd = call(models, "rope.inv_freq", [], rotary_dim=3, base=1e4, dtype="float32")
    _, rising = call(models, "rope.inv_freq", [], rotary_dim=4, base=0.5, dtype="float32")
    assert len(odd) == 2
    assert rising[1] > 1


@pytest.fixture(scope="module")
def report(framework):
    return posref.check(framework("transformers"))


def test_the_report_counts_every_case_once(report, models):
    outcomes = report.passed + report.failed + report.errors + report.skipped + report.uninformative
    calls = [result for result in report.results if result.kind != "scenario"]
    once = {result.case_id for result in calls if signature(result.operation).integer}
    often = {result.case_id for result in report.results} - once
    assert report.selected == outcomes == 4 * len(often) + len(once)
    assert report.to_text().startswith(f"posref: transformers {models.version} judged by corpus ")
    assert report.to_text().endswith(report.last_line)
    assert not report


def test_every_published_model_is_right_in_single_precision(report, verdicts):
    passed = {
        name
        for dtype in ("float32", "int64")
        for names in verdicts(report, "value", dtype, "pass").values()
        for name in names
    }
    own = {name for name, model in MODELS.items() if any(g.operation == RESOLVE for g in model.groups)}
    for name in own - {"gpt-j"}:  # whose module holds a table, no frequencies
        groups = [group.name for group in MODELS[name].groups if group.operation in (RESOLVE, "rope.apply")]
        assert {f"model-{name}-{group}" for group in groups} <= passed


def test_finding_what_must_be_refused_is_answered(report, verdicts):
    answered = verdicts(report, "invalid", "float32", "fail")
    assert {"rope-inv-freq-invalid-odd-width", "rope-inv-freq-invalid-base-1"} <= answered["rope.inv_freq"]
    assert "rope-apply-invalid-above-limit" in answered["rope.apply"]
