"""Golden frequency scalings against numbers worked by hand or printed in public reports."""

import math

import pytest
from golden_calls import LADDER, LLAMA3, LONGROPE, YARN, near, part

from posref.operation import Tensor


def test_linear_divides_every_frequency(call):
    found = call("rope_scaling.linear", {"factor": 4.0}, inv_freq=[1.0, 0.1, 0.01, 0.001])
    near(found[0], "0.25 0.025 0.0025 0.00025")
    assert found[1] == Tensor("float64", (), (1.0,))
    near(call("rope_scaling.linear", {"factor": 2.0}, inv_freq=[1.0, 0.01])[0], "0.5 0.005")


def test_ntk_keeps_the_fastest_pair_and_divides_the_slowest(call):
    found, factor = call("rope_scaling.ntk", LADDER | {"factor": 4.0})
    near(found, "1.0 0.06299605249474366 0.003968502629920499 0.00025", slack=2.0**-56)
    assert (found.data[0], found.data[3], factor.data) == (1.0, 0.00025, (1.0,))
    found, _ = call("rope_scaling.ntk", {"rotary_dim": 128, "base": 10000.0, "factor": 4.0})
    near(part(found, 63, 64), "2.88695496e-5")


@pytest.mark.parametrize(
    ("length", "printed"),
    [
        (100, "1.0 0.1 0.01 0.001"),
        (4096, "1.0 0.1 0.01 0.001"),
        (8192, "1.0 0.06933612743506347 0.004807498567691361 0.0003333333333333334"),
        (16384, "1.0 0.052275795857471025 0.0027327588325319844 0.00014285714285714287"),
    ],
)
def test_dynamic(call, length, printed):
    params = LADDER | {"factor": 2.0, "original_max_position_embeddings": 4096, "seq_len": length}
    near(call("rope_scaling.dynamic", params)[0], printed, slack=2.0**-56)


def test_dynamic_bases_of_public_reports(call):
    # The bases b' = 1/w_1^64 at n = 2049 (s = 1) and n = 4096 (s = 4), and that of n below L: none.
    params = {"rotary_dim": 128, "base": 10000.0, "original_max_position_embeddings": 2048}
    for factor, length, base in ((1.0, 2049, 10004.9603367), (4.0, 4096, 51293.7872682), (2.0, 1536, 10000)):
        found, _ = call("rope_scaling.dynamic", params | {"factor": factor, "seq_len": length})
        assert math.isclose(found.data[1] ** -64, base, rel_tol=1e-11)


@pytest.mark.parametrize(
    ("params", "printed", "factor"),
    [
        ({}, "1.0 0.1 0.00625 0.00025", "1.138629436111989"),
        ({"truncate": False}, "1.0 0.1 0.006556971521129435 0.00025", "1.138629436111989"),
        (
            {"ramp": "rotations", "truncate": None},
            "1.0 0.1 0.003835238661865492 0.00025",
            "1.138629436111989",
        ),
        ({"extrapolation_factor": 0.5}, "0.625 0.0625 0.004375 0.00025", "1.138629436111989"),
        (
            {"original_max_position_embeddings": 64},
            "1.00000000 0.0625000000 0.00250000000 0.000250000000",
            "1.138629436111989",
        ),
        ({"factor": 1.0, "truncate": False}, "1 0.1 0.01 0.001", "1"),
    ],
)
def test_yarn(call, params, printed, factor):
    found, magnitude = call("rope_scaling.yarn", LADDER | YARN | params)
    near(found, printed, slack=2.0**-57)
    near(magnitude, factor)


YARN16 = """1.0 0.31622776601683794 0.1 0.02470529422006546 0.005625 0.0010870329456828805 0.000125
            3.952847075210474e-05"""
YARN16_RAW = """1.0 0.31622776601683794 0.1 0.02257809494174508 0.004233133441317673 0.00041945916862360625
                0.000125 3.952847075210474e-05"""


@pytest.mark.parametrize(("truncate", "printed"), [(True, YARN16), (False, YARN16_RAW)])
def test_yarn_of_width_sixteen(call, truncate, printed):
    params = {"rotary_dim": 16, "base": 10000.0, "factor": 8.0, "original_max_position_embeddings": 2048}
    found, magnitude = call("rope_scaling.yarn", YARN | params | {"truncate": truncate})
    near(found, printed, slack=2.0**-55)
    near(magnitude, "1.2079441541679836")


def test_yarn_of_a_model_that_does_not_truncate(call):
    params = YARN | {"rotary_dim": 64, "base": 150000.0, "factor": 32.0}
    for truncate, printed in (
        (
            False,
            """0.050813274815461475 0.03170569618466377 0.006794959489732219 0.0001293187012450632
               3.8308812373753384e-05""",
        ),
        (
            True,
            """0.050813274815461475 0.031620752275346484 0.007015713910504388 0.00022794779579512524
               3.8308812373753384e-05""",
        ),
    ):
        found, magnitude = call("rope_scaling.yarn", params | {"truncate": truncate})
        chosen = tuple(found.data[i] for i in (8, 9, 12, 17, 18))
        near(Tensor("float64", (5,), chosen), printed, slack=2.0**-56)
        near(magnitude, "1.3465735902799727")


def test_yarn_ends_that_the_clamps_bring_together(call):
    # Bounds -0.263 and -0.020: both ends at 0, the ramp a thousandth of a pair wide.
    close = {"beta_fast": 1.75, "beta_slow": 1.0, "original_max_position_embeddings": 6}
    found, _ = call("rope_scaling.yarn", LADDER | YARN | close)
    near(found, "1 0.025 0.0025 0.00025")
    # Bounds 7.90 and 8.20: both ends at the last index, 7.
    far = {"original_max_position_embeddings": 10**9, "beta_fast": 2.0}
    found, _ = call("rope_scaling.yarn", LADDER | YARN | far)
    assert found.data == (1.0, 0.1, 0.01, 0.001)


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        ({"factor": 64.0, "attention_factor": 1.0, "mscale_rule": None}, "1"),
        ({"factor": 64.0}, "1.41588831"),
        ({"factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0}, "1"),
        ({"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.707, "mscale_rule": "ratio"}, "1"),
        ({"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.0}, "1.36889"),
        ({"factor": 40.0, "mscale": 0.707}, "1.36889"),
        ({"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.0, "mscale_rule": "ratio"}, "1.26080"),
        ({"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 1.0}, "0.92104"),
        ({"factor": 40.0, "mscale_rule": "log_only"}, "1.36889"),
        ({"factor": 40.0, "mscale_rule": "none"}, "1"),
    ],
)
def test_yarn_magnitude(call, params, printed):
    magnitude = call("rope_scaling.yarn", LADDER | YARN | params)[1]
    near(magnitude, printed)
    if printed == "1":
        assert magnitude.data == (1.0,)


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        (LADDER, "1.0 0.1 0.01 0.00021360754402756864"),
        (
            {"rotary_dim": 8, "base": 500000.0},
            "1.0 0.03760603093086393 0.0005248461609929547 6.647869871181235e-06",
        ),
        (
            {"rotary_dim": 16, "base": 500000.0},
            """1.0 0.19392274474868576 0.03760603093086393 0.007292664737217109 0.0005248461609929547
               3.428102195952591e-05 6.647869871181235e-06 1.2891731721515574e-06""",
        ),
    ],
)
def test_llama3(call, params, printed):
    found, factor = call("rope_scaling.llama3", LLAMA3 | params)
    near(found, printed, slack=2.0**-56)
    assert factor.data == (1.0,)


def test_llama3_bands_of_published_models(call):
    for dim, factor, kept, blended in ((128, 8.0, 29, 35), (64, 32.0, 15, 18)):
        params = {"rotary_dim": dim, "base": 500000.0}
        plain = call("rope.inv_freq", params).data
        found = call("rope_scaling.llama3", LLAMA3 | params | {"factor": factor})[0].data
        assert found[:kept] == plain[:kept]
        assert found[blended:] == tuple(w / factor for w in plain[blended:])
        for w, scaled in list(zip(plain, found, strict=True))[kept:blended]:
            assert w / factor < scaled < w
    near(Tensor("float64", (1,), (found[31],)), "9.41830673e-8")


FACTORS = {"short_factor": [1.0, 1.0, 1.2, 1.5], "long_factor": [1.0, 2.0, 8.0, 32.0]}
SHORT = "1 0.1 0.008333333333333333 0.0006666666666666666"
LONG = "1.0 0.05 0.00125 3.125e-05"


@pytest.mark.parametrize(("length", "printed"), [(1, SHORT), (4096, SHORT), (4097, LONG)])
def test_longrope_chooses_by_the_length(call, length, printed):
    found, factor = call("rope_scaling.longrope", LADDER | LONGROPE | {"seq_len": length}, **FACTORS)
    near(found, printed, slack=2.0**-60)
    near(factor, "1.1902380714238083")


@pytest.mark.parametrize(
    ("factor", "length", "given", "expected"),
    [
        (1.0, 4096, None, 1.0),
        (0.25, 4096, None, 1.0),
        (32.0, 4096, 1.5, 1.5),
        (4096.0, 4096, None, math.sqrt(2)),
        # ln s / ln L is 3, 5/4, 21/4 and 9/16: exact, and no precision would tell an enclosure so.
        (8.0, 2, None, 2.0),
        (32.0, 16, None, 1.5),
        (2.0**21, 16, None, 2.5),
        (512.0, 65536, None, 1.25),
    ],
)
def test_longrope_magnitude(call, factor, length, given, expected):
    params = LADDER | {
        "factor": factor,
        "original_max_position_embeddings": length,
        "attention_factor": given,
        "seq_len": 1,
    }
    assert call("rope_scaling.longrope", params, **FACTORS)[1].data == (expected,)


def test_proportional_is_not_partial(call):
    params = {"head_dim": 8, "base": 10000.0, "partial_rotary_factor": 0.5, "factor": 1.0}
    assert call("rope_scaling.proportional", params)[0].data == (1.0, 0.1, 0.0, 0.0)
    halved = call("rope_scaling.proportional", params | {"factor": 2.0})[0]
    assert halved.data == (0.5, 0.05, 0.0, 0.0)
    # 0.6 * 80 rounds to 48 though the binary64 0.6 is less than six tenths.
    wide = call("rope_scaling.proportional", params | {"head_dim": 80, "partial_rotary_factor": 0.6})[0]
    assert sum(w > 0 for w in wide.data) == 24
    odd = call("rope_scaling.proportional", params | {"partial_rotary_factor": 0.45})[0]
    assert odd.data == (1.0, 0.0, 0.0, 0.0)
    tiny = call("rope_scaling.proportional", params | {"head_dim": 2})[0]
    assert tiny.data == (0.0,)
