"""Configurations with numbers that binary64 does not hold, or that make no factor: refused, never rounded."""

import warnings

import pytest

from posref import SpecError, rope_scaling
from posref.errors import ConfigWarning
from posref.reference._settings import settings

HEADS = {"hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096}
LISTS = {"type": "longrope", "factor": 4.0, "original_max_position_embeddings": 4096}
HUGE = 10**400


@pytest.mark.parametrize(
    "config",
    [
        {"head_dim": HUGE},
        {"head_dim": 8, "rope_theta": HUGE},
        {"head_dim": 8, "rope_theta": 2**53 + 1},
        {"head_dim": 8, "rope_theta": float("inf")},
        {"head_dim": 8, "partial_rotary_factor": HUGE},
        {**HEADS, "rope_scaling": {"type": "linear", "factor": HUGE}},
        {**HEADS, "rope_scaling": {"type": "linear", "factor": 2**53 + 1}},
        {**HEADS, "max_position_embeddings": HUGE, "rope_scaling": {**YARN, "factor": None}},
        {**HEADS, "rope_scaling": {**LISTS, "short_factor": [1.0, 1.0, 1.0, HUGE], "long_factor": [2.0] * 4}},
        {**HEADS, "qk_rope_head_dim": 4, "rope_scaling": {**YARN, "mscale_all_dim": -1000.0}},
        {
            **HEADS,
            "qk_rope_head_dim": 4,
            "rope_scaling": {**YARN, "attention_factor": 1.0, "mscale_all_dim": -1000.0},
        },
    ],
    ids=repr,
)
def test_a_number_that_makes_no_sense_is_refused(config: dict) -> None:
    with pytest.raises(SpecError) as caught:
        rope_scaling.resolve(config=config, seq_len=100)
    assert caught.value.parameter == "config"


@pytest.mark.parametrize("latent", [True, False])
def test_a_key_is_called_idle_only_where_it_is(latent: bool) -> None:
    rope = {**YARN, "attention_factor": 1.0, "mscale_all_dim": 1.0}
    config = {**HEADS, **({"qk_rope_head_dim": 8} if latent else {}), "rope_scaling": rope}
    assert ("rope_scaling.mscale_all_dim" in settings(config).ignored) != latent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)
        found = rope_scaling.resolve(config=config)
    assert float(found.attention_factor) == 1.0
    # DeepSeek-V3: (0.1 ln 40 + 1)^2 = 1.87385421 on the softmax scale of a latent width
    assert f"{float(found.softmax_factor):.9g}" == ("1.87385421" if latent else "1")
