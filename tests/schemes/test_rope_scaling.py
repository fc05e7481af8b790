"""rope_scaling: worked numbers, theorems, and what is refused; scaled rotations at any position."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posref import rope, rope_scaling
from posref.errors import SpecError
from posref.numerics.rounding import ulp

SMALL: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0}
PLAIN = [1.0, 0.1, 0.01, 0.001]
YARN: dict[str, Any] = {
    "original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0, "ramp": "index",
    "truncate": True, "extrapolation_factor": 1.0, "mscale": None, "mscale_all_dim": None,
    "mscale_rule": "hf",
}  # fmt: skip
LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
LONGROPE = np.array([1.0, 1.0, 1.2, 1.5]), np.array([1.0, 2.0, 8.0, 32.0])


def yarn(factor: float, **changes: Any) -> rope_scaling.Scaled:
    return rope_scaling.yarn(factor=factor, **{**SMALL, **YARN, **changes})


def close(got: Any, wanted: Any, rtol: float = 1e-15) -> None:
    """Compare with numbers that were computed in plain float64."""
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=0)


# worked numbers


def test_e1_position_interpolation() -> None:
    """Divided by 4: position 8000 turns as far as 2000 does, one token as far as a quarter."""
    found = rope_scaling.linear(np.array(PLAIN), factor=4.0)
    close(found.inv_freq, [0.25, 0.025, 0.0025, 0.00025])
    assert found.attention_factor == 1
    scaling = {"rope_type": "linear", "factor": 4.0}
    x, params = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]), {**SMALL, "pairing": "half"}
    for long, short in ((8000, 2000.0), (1, 0.25)):
        scaled = rope.apply(x, np.array([long]), scaling=scaling, **params)
        np.testing.assert_allclose(scaled, rope.apply(x, np.array([short]), **params), rtol=1e-15)


def test_ntk_worked_example() -> None:
    found = rope_scaling.ntk(factor=4.0, **SMALL)
    close(found.inv_freq, [1.0, 0.06299605249474366, 0.003968502629920499, 0.00025])
    assert math.isclose(10000 * 4 ** (8 / 6), 63496.04207872797, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("seq_len", "wanted"),
    [
        (100, PLAIN),
        (4096, PLAIN),
        (8192, [1.0, 0.06933612743506347, 0.004807498567691361, 1 / 3000]),
        (16384, [1.0, 0.052275795857471025, 0.0027327588325319844, 1 / 7000]),
    ],
)
def test_dynamic_worked_example(seq_len: int, wanted: list[float]) -> None:
    length = {"original_max_position_embeddings": 4096, "seq_len": seq_len}
    close(rope_scaling.dynamic(factor=2.0, **SMALL, **length).inv_freq, wanted)


@pytest.mark.parametrize(
    ("factor", "length", "seq_len", "growth", "base"),
    [
        (4.0, 2048, 4096, 5, 51293.7872682),
        (1.0, 2048, 2049, 2049 / 2048, 10004.9603367),
        (1.0, 2048, 3000, 1.46484375, 14737.4691974),
    ],
)
def test_dynamic_bases_of_the_reports(
    factor: float, length: int, seq_len: int, growth: float, base: float
) -> None:
    model = {"rotary_dim": 128, "base": 10000.0, "factor": factor}
    found = rope_scaling.dynamic(**model, original_max_position_embeddings=length, seq_len=seq_len).inv_freq
    assert math.isclose(1e4 * growth ** (128 / 126), base, rel_tol=1e-9)
    np.testing.assert_allclose(found, base ** (-np.arange(64) / 64), rtol=1e-9)


def test_yarn_worked_examples() -> None:
    found = yarn(4.0)
    close(found.inv_freq, [1.0, 0.1, 0.00625, 0.00025])
    close(found.attention_factor, 1.138629436111989)
    close(yarn(4.0, truncate=False).inv_freq, [1.0, 0.1, 0.006556971521129435, 0.00025])
    close(yarn(4.0, truncate=None, ramp="rotations").inv_freq, [1.0, 0.1, 0.003835238661865492, 0.00025])
    close(yarn(4.0, extrapolation_factor=0.5).inv_freq, [0.625, 0.0625, 0.004375, 0.00025])
    close(yarn(4.0, original_max_position_embeddings=64).inv_freq, [1.0, 0.0625, 0.0025, 0.00025])


def test_yarn_worked_example_of_eight_pairs() -> None:
    model = {"rotary_dim": 16, "original_max_position_embeddings": 2048}
    rounded, raw = yarn(8.0, **model), yarn(8.0, **model, truncate=False)
    ends = [1.0, 0.31622776601683794, 0.1], [0.000125, 3.952847075210474e-05]
    close(rounded.inv_freq, [*ends[0], 0.02470529422006546, 0.005625, 0.0010870329456828805, *ends[1]])
    middle = [0.02257809494174508, 0.004233133441317673, 0.00041945916862360625]
    close(raw.inv_freq, [*ends[0], *middle, *ends[1]])
    close(rounded.attention_factor, 1.2079441541679836)


def test_yarn_of_gpt_oss() -> None:
    model = {"rotary_dim": 64, "base": 150000.0}
    at = [8, 9, 12, 17, 18]
    raw, rounded = yarn(32.0, **model, truncate=False), yarn(32.0, **model)
    first, last = 0.050813274815461475, 3.8308812373753384e-05
    middle = [0.03170569618466377, 0.006794959489732219, 0.0001293187012450632]
    close(raw.inv_freq[at], [first, *middle, last], 1e-14)
    close(
        rounded.inv_freq[at],
        [first, 0.031620752275346484, 0.007015713910504388, 0.00022794779579512524, last],
    )
    close(raw.attention_factor, 1.3465735902799727)


@pytest.mark.parametrize(
    ("rule", "mscale", "all_dim", "wanted"),
    [
        ("hf", None, None, 1 + 0.1 * math.log(40)),
        ("hf", 0.707, 0.0, 1.36889),
        ("ratio", 0.707, 0.0, 1.26080),
        ("hf", 1.0, 1.0, 1.0),
        ("ratio", 0.707, 0.707, 1.0),
        ("hf", 2.0, None, 1.36889),
        ("log_only", None, None, 1.36889),
        ("none", None, None, 1.0),
    ],
)
def test_magnitude_rules(rule: str, mscale: float | None, all_dim: float | None, wanted: float) -> None:
    found = yarn(40.0, mscale_rule=rule, mscale=mscale, mscale_all_dim=all_dim)
    assert math.isclose(found.attention_factor, wanted, rel_tol=1e-5)


def test_magnitude_given() -> None:
    assert yarn(64.0, mscale_rule=None, attention_factor=1.0).attention_factor == 1


def test_llama3_worked_examples() -> None:
    found = rope_scaling.llama3(factor=8.0, **SMALL, **LLAMA3)
    close(found.inv_freq, [1.0, 0.1, 0.01, 0.00021360754402756864])
    model = {"base": 500000.0, "factor": 8.0, **LLAMA3}
    wanted = [1.0, 0.03760603093086393, 0.0005248461609929547, 6.647869871181235e-06]
    close(rope_scaling.llama3(rotary_dim=8, **model).inv_freq, wanted)
    # fmt: off
    wanted = [
        1.0, 0.19392274474868576, 0.03760603093086393, 0.007292664737217109,
        0.0005248461609929547, 3.428102195952591e-05, 6.647869871181235e-06, 1.2891731721515574e-06,
    ]
    # fmt: on
    close(rope_scaling.llama3(rotary_dim=16, **model).inv_freq, wanted)


@pytest.mark.parametrize(("width", "factor", "kept", "divided"), [(128, 8.0, 29, 35), (64, 32.0, 15, 18)])
def test_bands_of_published_llamas(width: int, factor: float, kept: int, divided: int) -> None:
    model = {"rotary_dim": width, "base": 500000.0}
    plain = rope.inv_freq(**model)
    found = rope_scaling.llama3(**model, factor=factor, **LLAMA3).inv_freq
    assert (found[:kept] == plain[:kept]).all()
    close(found[divided:], plain[divided:] / factor)
    inner = slice(kept, divided)
    assert ((plain[inner] / factor < found[inner]) & (found[inner] < plain[inner])).all()


def test_longrope_worked_example() -> None:
    model = {**SMALL, "factor": 32.0, "original_max_position_embeddings": 4096}
    short = rope_scaling.longrope(*LONGROPE, **model, seq_len=4096)
    close(short.inv_freq, [1.0, 0.1, 1 / 120, 1 / 1500])
    long = rope_scaling.longrope(*LONGROPE, **model, seq_len=4097)
    close(long.inv_freq, [1.0, 0.05, 0.00125, 3.125e-05])
    for found in (short, long):
        close(found.attention_factor, 1.1902380714238083)


def test_proportional_worked_example() -> None:
    model = {"head_dim": 8, "base": 10000.0, "partial_rotary_factor": 0.5}
    assert rope_scaling.proportional(**model, factor=1.0).inv_freq.tolist() == [1.0, 0.1, 0.0, 0.0]
    assert rope.inv_freq(rotary_dim=4, base=10000.0).tolist() == [1.0, 0.01]  # partial rotation


def test_proportional_rotation_of_the_report() -> None:
    x = np.arange(1.0, 9.0)[None]
    scaling = {"rope_type": "proportional", "factor": 1.0, "partial_rotary_factor": 0.5}
    found = rope.apply(x, np.array([1]), **SMALL, pairing="half", scaling=scaling)
    wanted = [-3.66705262, 1.39100783, 3.0, 4.0, 3.54298251, 6.16969182, 7.0, 8.0]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-8)


# theorems

widths = st.integers(2, 64).map(lambda half: 2 * half)
bases = st.floats(1.5, 1e8)
factors = st.floats(1.0, 1024.0)


@settings(max_examples=40)
@given(widths, bases, factors)
def test_e2_ntk_keeps_the_fastest_and_divides_the_slowest(width: int, base: float, factor: float) -> None:
    plain = rope.inv_freq(rotary_dim=width, base=base)
    found = rope_scaling.ntk(rotary_dim=width, base=base, factor=factor).inv_freq
    assert found[0] == 1
    exact = plain[-1] / factor
    assert abs(found[-1] - exact) <= 2 * float(ulp(np.array(exact), "float64"))
    assert (found <= plain).all()


@settings(max_examples=40)
@given(widths, bases, factors, st.booleans())
def test_e3_yarn_lies_between_plain_and_interpolated(
    width: int, base: float, factor: float, turns: bool
) -> None:
    plain = rope.inv_freq(rotary_dim=width, base=base)
    form = {"ramp": "rotations", "truncate": None} if turns else {"truncate": False}
    try:
        found = yarn(factor, rotary_dim=width, base=base, **form)
    except SpecError as error:  # no ramp for this trained length
        if error.parameter != "original_max_position_embeddings":
            raise
        return
    omega = found.inv_freq
    slack = 1 + 2.0**-51
    assert (omega <= plain * slack).all()
    assert (omega >= plain / factor / slack).all()
    kept = (omega - plain / factor) / plain
    assert (np.diff(kept) <= 1e-12).all()  # the slower a pair, the less of it is kept
    assert math.isclose(found.attention_factor, 1 + 0.1 * math.log(factor), rel_tol=1e-14)


@pytest.mark.parametrize("ramp", [{"ramp": "index"}, {"ramp": "rotations", "truncate": None}])
def test_factor_one_is_plain(ramp: dict[str, Any]) -> None:
    """Every scaling with a factor of 1 changes nothing (LongRoPE's lists aside)."""
    plain = rope.inv_freq(**SMALL)
    length = {"original_max_position_embeddings": 4096}
    for found in (
        yarn(1.0, **ramp),
        rope_scaling.linear(plain, factor=1.0),
        rope_scaling.ntk(factor=1.0, **SMALL),
        rope_scaling.dynamic(factor=1.0, seq_len=4096, **SMALL, **length),
        rope_scaling.llama3(factor=1.0, **SMALL, **LLAMA3),
        rope_scaling.longrope(np.ones(4), np.ones(4), factor=1.0, seq_len=9999, **SMALL, **length),
        rope_scaling.proportional(head_dim=8, base=10000.0, factor=1.0, partial_rotary_factor=1.0),
    ):
        assert (found.inv_freq == plain).all()
        assert found.attention_factor == 1


def test_dynamic_restores_the_base_for_a_short_input() -> None:
    model = {"factor": 2.0, **SMALL, "original_max_position_embeddings": 2048}
    first, _, third = (rope_scaling.dynamic(seq_len=n, **model).inv_freq for n in (8, 4096, 8))
    assert (first == third).all()


@settings(max_examples=25)
@given(widths, bases, factors, st.integers(1, 10**6))
def test_llama3_is_continuous_in_the_trained_length(
    width: int, base: float, factor: float, length: int
) -> None:
    def share(n: int) -> np.ndarray:
        bands = {**LLAMA3, "original_max_position_embeddings": n}
        omega = rope_scaling.llama3(rotary_dim=width, base=base, factor=factor, **bands).inv_freq
        return np.asarray(omega / rope.inv_freq(rotary_dim=width, base=base))

    # one token more moves a pair by at most 1 / (2 pi) turns, a share of 1 / (6 pi) of the band
    assert (np.abs(share(length + 1) - share(length)) <= 1 / (6 * math.pi) + 1e-12).all()


# scaled rotations


def real_ladder(scaling: dict[str, Any]) -> tuple[list[Any], Any]:
    """Return YaRN's frequencies and factor for eight coordinates in 60 digits, by the clause."""
    pi, log = mpmath.pi, mpmath.log

    def pair(beta: float) -> Any:
        return 8 * log(scaling["original_max_position_embeddings"] / (2 * pi * beta)) / (2 * log(10000))

    low, high = mpmath.floor(pair(scaling["beta_fast"])), mpmath.ceil(pair(scaling["beta_slow"]))
    factor, ladder = mpmath.mpf(scaling["factor"]), []
    for i in range(4):
        ramp = min(max((i - low) / (high - low), 0), 1)
        omega = mpmath.mpf(10000) ** (-mpmath.mpf(2 * i) / 8)
        ladder.append(omega * ramp / factor + omega * (1 - ramp))
    return ladder, 1 + log(factor) / 10


@pytest.mark.parametrize("position", [1, 4095, 2**31 - 1, 6_134_899_525_417_045, 2**53, -(2**53)])
def test_a_scaled_table_is_right_at_any_position(position: int) -> None:
    """The tables of `rope.apply`, read off basis vectors, are within one ulp of the result."""
    scaling = {"rope_type": "yarn", "factor": 3.7, **YARN}
    e = np.concatenate([np.eye(8)[:4, None], np.zeros((4, 1, 0))], axis=-1)
    y = rope.apply(e, np.array([position]), **SMALL, pairing="half", scaling=scaling)[:, 0]
    with mpmath.workdps(60):
        ladder, factor = real_ladder(scaling)
        for i, omega in enumerate(ladder):
            for got, function in ((y[i, i], mpmath.cos), (y[i, i + 4], mpmath.sin)):
                real = factor * function(position * omega)
                assert abs(mpmath.mpf(float(got)) - real) <= mpmath.mpf(
                    float(ulp(np.array(float(real)), "float64"))
                )


def test_e5_score_depends_on_the_difference_alone_and_bears_the_square_of_the_factor() -> None:
    q, k = np.array([[0.5, -1.0, 2.0, 0.25]]), np.array([[1.5, 0.75, -0.5, 1.0]])
    scaling = {"rope_type": "yarn", "factor": 4.0, **YARN}
    params = {"rotary_dim": 4, "base": 10000.0, "pairing": "half", "scaling": scaling}
    scores = [rope.score(q, k, np.array([p + 7]), np.array([p]), **params)[0, 0] for p in (0, 741, 10**6)]
    np.testing.assert_allclose(scores, scores[0], rtol=1e-14)
    at_0 = rope.score(q, k, np.array([3]), np.array([3]), **params)[0, 0]
    assert math.isclose(at_0, 1.138629436111989**2 * float((q * k).sum()), rel_tol=1e-14)


def test_magnitude_factor_multiplies_the_slice_alone() -> None:
    scaling = {"rope_type": "yarn", "factor": 4.0, **YARN}
    x = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    params = {"rotary_dim": 4, "base": 10000.0, "pairing": "adjacent", "scaling": scaling}
    y = rope.apply(x, np.array([0]), rotary_start=1, **params)
    close(y[0, 1:5], 1.138629436111989 * x[0, 1:5])
    assert y[0, [0, 5]].tolist() == [1.0, 6.0]
    both = rope.apply_qk(x, 2 * x, np.array([0]), rotary_start=1, **params)
    assert (both.q == y).all()
    assert (both.k == 2 * y).all()


def test_every_scaling_reaches_the_rotation() -> None:
    """`rope.apply` is the operation's frequencies and factor, turned by the kernel."""
    x, at = np.arange(1.0, 9.0)[None], np.array([37])
    lists = {"short_factor": LONGROPE[0].tolist(), "long_factor": LONGROPE[1].tolist()}
    trained = {"original_max_position_embeddings": 4096}
    for found, scaling, seq_len in (
        (rope_scaling.ntk(factor=3.0, **SMALL), {"rope_type": "ntk", "factor": 3.0}, None),
        (yarn(4.0), {"rope_type": "yarn", "factor": 4.0, **YARN}, None),
        (
            rope_scaling.llama3(factor=8.0, **SMALL, **LLAMA3),
            {"rope_type": "llama3", "factor": 8.0, **LLAMA3},
            None,
        ),
        (
            rope_scaling.dynamic(factor=2.0, seq_len=9000, **SMALL, **trained),
            {"rope_type": "dynamic", "factor": 2.0, **trained},
            9000,
        ),
        (
            rope_scaling.longrope(*LONGROPE, factor=32.0, seq_len=5000, **SMALL, **trained),
            {"rope_type": "longrope", "factor": 32.0, **trained, **lists},
            5000,
        ),
    ):
        cos, sin = rope.cos_sin(at, found.inv_freq, attention_factor=float(found.attention_factor))
        wanted = rope.rotate(x, cos, sin, pairing_in="half", pairing_out="half")
        got = rope.apply(x, at, **SMALL, pairing="half", scaling=scaling, seq_len=seq_len)
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_results_are_rounded_once(dtype: str) -> None:
    found, wide = rope_scaling.ntk(factor=3.0, **SMALL, dtype=dtype), rope_scaling.ntk(factor=3.0, **SMALL)
    assert found.inv_freq.dtype == found.attention_factor.dtype == np.dtype(dtype)
    assert (found.inv_freq == wide.inv_freq.astype(dtype)).all()


def test_on_every_library(on: Any) -> None:
    plain = np.array(PLAIN)
    found = rope_scaling.linear(on(plain), factor=4.0)
    close(on.back(found.inv_freq), plain / 4)
    scaled = rope.apply(
        on(np.ones((1, 8))),
        on(np.array([3])),
        **SMALL,
        pairing="half",
        scaling={"rope_type": "linear", "factor": 4.0},
    )
    assert on.back(scaled).shape == (1, 8)


# bad input


def refused(
    parameter: str, clause: str, call: Any, *args: Any, kind: str = "INVALID_PARAMETER", **params: Any
) -> None:
    with pytest.raises(SpecError) as caught:
        call(*args, **params)
    assert (caught.value.kind, caught.value.parameter, caught.value.clause) == (
        kind,
        parameter,
        f"rope_scaling.{clause}",
    )


def test_bad_domains() -> None:
    refused("factor", "C1", rope_scaling.ntk, factor=0.99, **SMALL)
    refused("rotary_dim", "C3", rope_scaling.ntk, rotary_dim=2, base=1e4, factor=2.0)
    refused("base", "C1", rope_scaling.ntk, rotary_dim=4, base=1.0, factor=2.0)
    refused("inv_freq", "C2", rope_scaling.linear, np.ones((1, 2)), factor=2.0, kind="INVALID_SHAPE")
    dynamic = {"factor": 2.0, **SMALL, "original_max_position_embeddings": 4096}
    refused("seq_len", "C4", rope_scaling.dynamic, **dynamic, kind="MISSING_PARAMETER")
    refused("seq_len", "C1", rope_scaling.dynamic, **dynamic, seq_len=0)


def test_bad_yarn() -> None:
    refused("beta_fast", "C7", yarn, 4.0, beta_fast=1.0)
    refused("truncate", "C6", yarn, 4.0, ramp="rotations")
    refused("truncate", "C5", yarn, 4.0, truncate=None, kind="MISSING_PARAMETER")
    refused("original_max_position_embeddings", "C5", yarn, 4.0, original_max_position_embeddings=2**50)
    refused("mscale_rule", "C8", yarn, 4.0, mscale_rule=None, kind="MISSING_PARAMETER")
    refused("mscale_rule", "C8", yarn, 4.0, attention_factor=1.0)
    refused("mscale", "C8", yarn, 4.0, mscale_rule="log_only", mscale=0.0)
    refused("mscale_all_dim", "C8", yarn, 4.0, mscale_rule="ratio", mscale=1.0, kind="MISSING_PARAMETER")
    refused("mscale_all_dim", "C8", yarn, 4.0, mscale_rule="ratio", mscale=1.0, mscale_all_dim=-50.0)


def test_bad_bands_and_lists() -> None:
    bands = {**LLAMA3, "high_freq_factor": 1.0}
    refused("high_freq_factor", "C9", rope_scaling.llama3, factor=8.0, **SMALL, **bands)
    model = {**SMALL, "factor": 32.0, "original_max_position_embeddings": 4096, "seq_len": 1}
    longrope = rope_scaling.longrope
    refused("short_factor", "C10", longrope, np.ones(3), np.ones(3), **model, kind="INVALID_SHAPE")
    refused("long_factor", "C10", longrope, np.ones(4), np.ones(5), **model, kind="INVALID_SHAPE")
    refused("long_factor", "C10", longrope, np.ones(4), np.array([1.0, 2.0, 0.0, 3.0]), **model)
    refused("seq_len", "C10", longrope, *LONGROPE, **{**model, "seq_len": None}, kind="MISSING_PARAMETER")
    refused(
        "partial_rotary_factor",
        "C11",
        rope_scaling.proportional,
        head_dim=8,
        base=1e4,
        factor=1.0,
        partial_rotary_factor=0.0,
    )


@pytest.mark.parametrize(
    "scaling",
    [
        "linear",
        {"factor": 2.0},
        {"rope_type": "su", "factor": 2.0},
        {"rope_type": "linear"},
        {"rope_type": "linear", "factor": True},
        {"rope_type": "linear", "factor": 2.0, "scale": 2.0},
        {"rope_type": "linear", "factor": 2.0, "truncate": False},
        {"rope_type": "longrope", "factor": 2.0, "original_max_position_embeddings": 2, "short_factor": 1.0},
        {"rope_type": "yarn", "factor": 2.0, **YARN, "beta_fast": 0.5},
    ],
)
def test_a_bad_scaling_is_named(scaling: Any) -> None:
    with pytest.raises(SpecError, match=r"^\[rope.C8\] scaling: ") as caught:
        rope.apply(np.ones((1, 8)), np.array([1]), **SMALL, pairing="half", scaling=scaling, seq_len=3)
    assert caught.value.parameter == "scaling"


def test_a_message_says_what_the_operation_said() -> None:
    scaling = {"rope_type": "yarn", "factor": 2.0, **YARN, "beta_fast": 0.5}
    with pytest.raises(
        SpecError, match=r"\[rope_scaling.C7\] beta_fast: must be above beta_slow 1.0, got 0.5"
    ):
        rope.apply(np.ones((1, 8)), np.array([1]), **SMALL, pairing="half", scaling=scaling)
