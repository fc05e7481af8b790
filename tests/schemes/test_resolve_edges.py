"""rope_scaling.resolve where one step more or one condition less would read the configuration otherwise."""

import warnings
from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
import pytest

from posref import SpecError, rope, rope_scaling
from posref.errors import ConfigWarning

HEADS: dict[str, Any] = {"hidden_size": 64, "num_attention_heads": 4}
YARN: dict[str, Any] = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096}
LLAMA3: dict[str, Any] = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 64}
FULL, SLIDING = "full_attention", "sliding_attention"


def resolve(config: Mapping[str, Any], **rest: Any) -> rope_scaling.Resolved:
    return rope_scaling.resolve(config=config, **rest)


def quiet(config: Mapping[str, Any], **rest: Any) -> rope_scaling.Resolved:
    """Resolve a configuration in which no key is without effect."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConfigWarning)
        return resolve(config, **rest)


def refused(config: Mapping[str, Any], **rest: Any) -> SpecError:
    with pytest.raises(SpecError) as caught:
        resolve(config, **rest)
    assert caught.value.parameter == "config"
    return caught.value


def ladder(width: int, base: float) -> np.ndarray:
    return np.asarray(rope.inv_freq(rotary_dim=width, base=base))


@pytest.mark.parametrize(
    ("config", "clause"),
    [
        ({"hidden_size": 64}, "C13"),
        ({"num_attention_heads": 4}, "C13"),
        ({"hidden_size": 66, "num_attention_heads": 4}, "C13"),
        ({"head_dim": 8.0}, "C12"),
        ({"hidden_size": 64.0, "num_attention_heads": 4}, "C12"),
        ({**HEADS, "rope_scaling": {"rope_type": "linear"}}, "C15"),
        ({**HEADS, "rope_scaling": {"rope_type": "linear"}, "factor": 2.0}, "C15"),
        ({**HEADS, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "C15"),
        ({**HEADS, "rope_scaling": {**YARN, "factor": None}}, "C15"),
        ({**HEADS, "rope_scaling": {**YARN, "original_max_position_embeddings": None}}, "C15"),
    ],
    ids=repr,
)
def test_what_is_missing_is_refused_by_its_clause(config: dict[str, Any], clause: str) -> None:
    assert refused(config, seq_len=10).clause == f"rope_scaling.{clause}"


def test_an_integer_reaches_to_two_to_the_53() -> None:
    dynamic = {"rope_type": "dynamic", "factor": 2.0}
    for length, legal in ((2**53 - 1, True), (2**53, True), (2**53 + 1, False), (2**54, False)):
        config = {**HEADS, "max_position_embeddings": length, "rope_scaling": dynamic}
        if legal:
            assert np.array_equal(quiet(config, seq_len=10).inv_freq, ladder(16, 1e4))
        else:
            assert refused(config, seq_len=10).clause == "rope_scaling.C12"


@pytest.mark.parametrize("top", [5000.0, None])
def test_the_same_value_beside_the_text_model_is_no_contradiction(top: float | None) -> None:
    found = quiet({"rope_theta": top, "text_config": {**HEADS, "rope_theta": 5000.0}})
    assert float(found.base) == 5000.0


def test_an_absent_key_is_named_in_no_warning() -> None:
    scaling = {"rope_type": "linear", "factor": 2.0, "finetuned": None}
    both = {"rope_scaling": scaling, "rope_parameters": dict(scaling)}
    assert np.array_equal(quiet({**HEADS, **both}).inv_freq, ladder(16, 1e4) / 2)


def test_the_newer_object_wins() -> None:
    older, newer = ({"rope_type": "linear", "factor": factor} for factor in (4.0, 2.0))
    with pytest.warns(ConfigWarning, match="rope_scaling: rope_parameters wins"):
        found = resolve({**HEADS, "rope_scaling": older, "rope_parameters": newer})
    assert np.array_equal(found.inv_freq, ladder(16, 1e4) / 2)


def test_a_base_a_layer_type_leaves_the_rope_object_in_force() -> None:
    """Only `rope_local_base_freq` puts the rope object of sliding layers out of force."""
    scaling = {"rope_type": "linear", "factor": 2.0}
    config = {**HEADS, "rope_scaling": scaling, "local_rope_theta": 500.0, "global_rope_theta": 9000.0}
    assert np.array_equal(quiet(config, layer_type=SLIDING).inv_freq, ladder(16, 500.0) / 2)
    local = {**HEADS, "rope_scaling": scaling, "rope_local_base_freq": 500.0}
    assert np.array_equal(quiet(local, layer_type=SLIDING).inv_freq, ladder(16, 500.0))
    assert np.array_equal(quiet(local, layer_type=FULL).inv_freq, ladder(16, 1e4) / 2)


def test_a_layer_without_rotation_still_names_what_has_no_effect() -> None:
    scaling = {"rope_type": "linear", "factor": 2.0, "finetuned": True}
    with pytest.warns(ConfigWarning, match="finetuned"):
        found = resolve({**HEADS, "rope_scaling": scaling, "no_rope_layers": (1, 0)}, layer_index=1)
    assert (int(found.rotary_dim), found.inv_freq.shape) == (0, (0,))


def test_the_low_edge_of_the_band_is_read() -> None:
    given = {**LLAMA3, "low_freq_factor": 2.0, "high_freq_factor": 8.0}
    own = {key: value for key, value in given.items() if key != "rope_type"}
    found = quiet({**HEADS, "rope_theta": 100.0, "rope_scaling": given}).inv_freq
    assert np.array_equal(found, rope_scaling.llama3(rotary_dim=16, base=100.0, **own).inv_freq)
    other = rope_scaling.llama3(rotary_dim=16, base=100.0, **{**own, "low_freq_factor": 1.0}).inv_freq
    assert not np.array_equal(found, other)


def test_proportional_without_a_share_turns_the_whole_head() -> None:
    found = quiet({**HEADS, "rope_parameters": {"rope_type": "proportional"}})
    assert np.array_equal(found.inv_freq, ladder(16, 1e4))


def test_both_coefficients_beside_a_factor() -> None:
    """`mscale` has no effect there; `mscale_all_dim` has one on the softmax, in a latent configuration."""
    given = {**YARN, "attention_factor": 1.5, "mscale": 0.5, "mscale_all_dim": 0.5}
    for latent, lost in (({}, {"mscale", "mscale_all_dim"}), ({"qk_rope_head_dim": 8}, {"mscale"})):
        with pytest.warns(ConfigWarning) as caught:
            resolve({**HEADS, **latent, "rope_scaling": given})
        assert {one.message.key for one in caught} == {f"rope_scaling.{name}" for name in lost}


LATENT = {**HEADS, "qk_rope_head_dim": 8}


@pytest.mark.parametrize("coefficient", [None, 0, 0.0])
def test_without_a_coefficient_the_softmax_has_no_factor(coefficient: float | None) -> None:
    given = {**YARN, "attention_factor": 1.0, "mscale_all_dim": coefficient}
    found = quiet({**LATENT, "rope_scaling": given})
    assert float(found.softmax_factor) == 1.0


@pytest.mark.parametrize(
    ("factor", "coefficient", "legal"),
    [
        (32.0, -2.88, True), (32.0, -2.89, False), (2.0, -14.42, True), (2.0, -14.43, False),
        (2.0, -10 / log(2.0), False), (1.5, -20.0, True), (1.5, -24.7, False), (1.0, -1000.0, True),
        (40.0, -2.7, True), (40.0, -2.72, False),
    ],
)  # fmt: skip
def test_the_softmax_factor_is_above_zero(factor: float, coefficient: float, legal: bool) -> None:
    """1 + 0.1 c ln s changes sign at c = -10 / ln s; with s = 2 that is a binary64 number where it is 0."""
    own = {**YARN, "factor": factor, "attention_factor": 1.0, "mscale_all_dim": coefficient}
    config = {**LATENT, "rope_scaling": own}
    if legal:
        expected = (1 + 0.1 * coefficient * log(factor)) ** 2
        assert abs(float(quiet(config).softmax_factor) - expected) <= 1e-9
    else:
        assert refused(config).clause == "rope_scaling.C16"


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_type": "linear", "factor": 2.0, "no_such_key": None},
        {"rope_type": "linear", "factor": 2.0, "base": None},
        {"rope_type": "linear", "factor": 2.0, "inv_freq": None},
        {key: value for key, value in YARN.items() if key != "factor"},
        {**YARN, "ramp": "index", "beta_fast": 32.0, "beta_slow": 1.0, "extrapolation_factor": 1.0,
         "truncate": True, "mscale_rule": "none", "mscale": None},
    ],
    ids=repr,
)  # fmt: skip
def test_a_scaling_of_a_call_has_the_keys_of_its_type(scaling: dict[str, Any]) -> None:
    """None is no licence: an unknown key is refused with it, and a key that is needed is not left out."""
    keywords = {"rotary_dim": 4, "base": 1e4, "pairing": "half", "scaling": scaling}
    with pytest.raises(SpecError) as caught:
        rope.apply(np.ones((2, 4)), np.arange(2), **keywords)
    assert (caught.value.parameter, caught.value.clause) == ("scaling", "rope.C8")


def test_lists_of_factors_may_be_tuples() -> None:
    scaling: dict[str, Any] = {"rope_type": "longrope", "factor": 2.0, "attention_factor": 1.0}
    scaling["original_max_position_embeddings"] = 8
    keywords = {"rotary_dim": 4, "base": 1e4, "pairing": "half", "seq_len": 4}
    x, positions = np.arange(8.0).reshape(2, 4), np.arange(2)
    lists = [{"short_factor": kind((2.0, 4.0)), "long_factor": kind((8.0, 9.0))} for kind in (list, tuple)]
    got = [rope.apply(x, positions, scaling={**scaling, **both}, **keywords) for both in lists]
    assert np.array_equal(*got)
