"""The transformers adapter: scalings and configurations."""

import math

import numpy as np
import pytest

from posref.adapters import Unsupported

LADDER = {"rotary_dim": 8, "base": 1e4}
YARN = {"factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0}
YARN |= {"ramp": "index", "truncate": True, "extrapolation_factor": 1.0, "attention_factor": None}
YARN |= {"mscale": None, "mscale_all_dim": None, "mscale_rule": "hf"}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LISTS = [([1, 1, 1.2, 1.5], "float32"), ([1, 2, 8, 32], "float32")]
LONG = {"factor": 32.0, "original_max_position_embeddings": 4096, "attention_factor": None}


@pytest.fixture
def models(framework):
    return framework("transformers")


@pytest.mark.parametrize(
    ("operation", "tensors", "params", "expected", "factor"),
    [
        ("ntk", [], {**LADDER, "factor": 4.0}, [1, 0.06299605249474366, 0.003968502629920499, 0.00025], 1),
        (
            "dynamic",
            [],
            {**LADDER, "factor": 2.0, "original_max_position_embeddings": 4096, "seq_len": 8192},
            [1, 0.06933612743506347, 0.004807498567691361, 0.0003333333333333334],
            1,
        ),
        ("yarn", [], {**LADDER, **YARN}, [1, 0.1, 0.00625, 0.00025], 1.138629436111989),
        (
            "yarn",
            [],
            {**LADDER, **YARN, "truncate": False},
            [1, 0.1, 0.006556971521129435, 0.00025],
            1.138629436111989,
        ),
        (
            "llama3",
            [],
            {**LADDER, **LLAMA3, "original_max_position_embeddings": 8192},
            [1, 0.1, 0.01, 0.00021360754402756864],
            1,
        ),
        (
            "longrope",
            LISTS,
            {**LADDER, **LONG, "seq_len": 4097},
            [1, 0.05, 0.00125, 3.125e-05],
            1.1902380714238083,
        ),
        (
            "longrope",
            LISTS,
            {**LADDER, **LONG, "seq_len": 4096},
            [1, 0.1, 0.1 / 12, 0.001 / 1.5],
            1.1902380714238083,
        ),
        (
            "proportional",
            [],
            {"head_dim": 8, "base": 1e4, "partial_rotary_factor": 0.5, "factor": 1.0},
            [1, 0.1, 0, 0],
            1,
        ),
    ],
)
def test_scalings(models, call, operation, tensors, params, expected, factor):
    (kind, ladder), (_, magnitude) = call(
        models, f"rope_scaling.{operation}", tensors, **params, dtype="float32"
    )
    assert kind == "float32"
    np.testing.assert_allclose(ladder, expected, rtol=1e-6)
    np.testing.assert_allclose(magnitude, factor, rtol=1e-7)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ramp": "rotations", "truncate": None}, "ramp"),
        ({"extrapolation_factor": 0.5}, "extrapolation"),
        ({"mscale_rule": "none"}, "magnitude"),
        ({"dtype": "float64"}, "float32"),
    ],
)
def test_what_yarn_cannot_be_asked(models, call, change, reason):
    with pytest.raises(Unsupported, match=reason):
        call(models, "rope_scaling.yarn", [], **{**LADDER, **YARN, "dtype": "float32", **change})


def turned(models, call, positions, scaling, *, pairing="half", head=8, **params):
    """Return rotations of the first pair's first coordinate."""
    x = np.zeros((len(positions), head))
    x[:, 0] = 1
    tensors = [(x, "float32"), (positions, "int64")]
    rest = {"rotary_dim": 8, "base": 1e4, **params}
    _, got = call(models, "rope.apply", tensors, pairing=pairing, scaling=scaling, **rest)
    return got


@pytest.mark.parametrize(("pairing", "head", "second"), [("half", 8, 4), ("half", 16, 4), ("adjacent", 8, 1)])
def test_rotations_are_scaled(models, call, pairing, head, second):
    scaling = {"rope_type": "linear", "factor": 4.0, "original_max_position_embeddings": None}
    got = turned(models, call, [4, 8], scaling, pairing=pairing, head=head)
    np.testing.assert_allclose(got[:, 0], np.cos([1, 2]), rtol=1e-6)
    np.testing.assert_allclose(got[:, second], np.sin([1, 2]), rtol=1e-6)
    yarn = turned(models, call, [1], {"rope_type": "yarn", **YARN}, pairing=pairing, head=head)
    np.testing.assert_allclose(yarn[0, 0], 1.138629436111989 * math.cos(1), rtol=1e-6)


def test_a_length_is_that_of_the_sequence(models, call):
    lists = {"short_factor": [2.0] * 4, "long_factor": [4.0] * 4}
    scaling = {"rope_type": "longrope", **lists, **LONG, "attention_factor": 1.0}
    got = [turned(models, call, [4], scaling, seq_len=length)[0, 0] for length in (5, 4096, 4097)]
    np.testing.assert_allclose(got, np.cos([2.0, 2.0, 1.0]), rtol=1e-6)
    with pytest.raises(Unsupported, match="as long as"):
        turned(models, call, [4], scaling, seq_len=4)


def resolved(models, call, config, **params):
    rest = {"seq_len": None, "layer_type": None, "layer_index": None, **params}
    answer = call(models, "rope_scaling.resolve", [], config=config, dtype="float32", **rest)
    return [values for _, values in answer]


def test_a_model_reads_its_own_configuration(models, call):
    latent = {
        "rope_type": "yarn",
        **{key: YARN[key] for key in ("factor", "original_max_position_embeddings")},
    }
    latent |= {"mscale": 1.0, "mscale_all_dim": 1.0}
    config = {
        "model_type": "deepseek_v3",
        "qk_rope_head_dim": 8,
        "rope_theta": 10000.0,
        "rope_scaling": latent,
    }
    ladder, factor, softmax, width, base = resolved(models, call, config)
    np.testing.assert_allclose(ladder, [1, 0.1, 0.00625, 0.00025], rtol=1e-6)
    assert (factor, width, base) == (1, 8, 10000)
    np.testing.assert_allclose(softmax, 1.138629436111989**2, rtol=1e-6)


def test_layers_and_lengths_of_a_configuration(models, call):
    gemma = {
        "model_type": "gemma3_text",
        "head_dim": 8,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    gemma |= {"rope_theta": 1e6, "rope_local_base_freq": 1e4}
    full, *_ = resolved(models, call, gemma, layer_type="full_attention")
    np.testing.assert_allclose(full, np.array([1, 1e6**-0.25, 1e6**-0.5, 1e6**-0.75]) / 8, rtol=1e-6)
    local, *_, base = resolved(models, call, gemma, layer_type="sliding_attention")
    np.testing.assert_allclose(local, [1, 0.1, 0.01, 0.001], rtol=1e-6)
    assert base == 1e4
    phi = {"hidden_size": 8, "num_attention_heads": 1, "max_position_embeddings": 131072}
    phi |= {"original_max_position_embeddings": 4096, "model_type": "phi3", "pad_token_id": 0}
    phi["rope_scaling"] = {"type": "longrope", "short_factor": [1.0, 1, 1, 1], "long_factor": [1.0, 2, 8, 32]}
    short, *_ = resolved(models, call, phi, seq_len=4096)
    long, *_ = resolved(models, call, phi, seq_len=4097)
    np.testing.assert_allclose(short / long, [1, 2, 8, 32], rtol=1e-6)
    smol = {"hidden_size": 32, "num_attention_heads": 4, "no_rope_layers": [1, 0], "rope_theta": 5e6}
    ladder, *_, width, base = resolved(models, call, smol, layer_index=1)
    assert (len(ladder), width, base) == (0, 0, 5e6)
    ladder, *_ = resolved(models, call, smol, layer_index=0)
    assert len(ladder) == 4


@pytest.mark.parametrize(
    ("config", "params", "reason"),
    [
        ({"hidden_size": 32, "num_attention_heads": 4}, {"layer_type": "full_attention"}, "no layer types"),
        ({"hidden_size": 32, "num_attention_heads": 4}, {"layer_index": 0}, "no list of layers"),
        ({"n_embd": 32, "n_head": 4, "rotary_dim": 4}, {}, "no rotary parameters"),
        ({"hidden_size": 40, "num_attention_heads": 5, "no_rope_layer_interval": 4}, {}, "width of its own"),
    ],
)
def test_what_a_configuration_cannot_be_asked(models, call, config, params, reason):
    with pytest.raises(Unsupported, match=reason):
        resolved(models, call, config, **params)


@pytest.mark.parametrize("name", [{}, {"model_type": "phi3"}])
def test_finding_the_older_name_of_longrope_is_refused(models, call, name):
    """Phi3Config renames "su" after the step that would have taken the trained length into the object."""
    config = {"hidden_size": 8, "num_attention_heads": 1, "original_max_position_embeddings": 4096, **name}
    config["rope_scaling"] = {"type": "su", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
    with pytest.raises(KeyError, match=r"longrope.*original_max_position_embeddings"):
        resolved(models, call, config, seq_len=1)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_type": "yarn", "original_max_position_embeddings": 2048},
        {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 2048},
    ],
)
def test_finding_keys_that_have_a_meaning_when_left_out_must_be_there(models, call, rope):
    """Validation asks for YaRN's factor, which the code would take from two lengths, and for the edges."""
    config = {"hidden_size": 8, "num_attention_heads": 1, "rope_parameters": rope}
    with pytest.raises(KeyError, match="Missing required keys"):
        resolved(models, call, config)


def test_finding_a_head_width_beside_the_latent_one_wins(models, call):
    """DeepseekV3Config sets head_dim to qk_rope_head_dim first, and a given head_dim overwrites it."""
    config = {"qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "head_dim": 24, "rope_theta": 1e4}
    ladder, *_ = resolved(models, call, config)
    assert len(ladder) == 12


def test_finding_the_older_name_of_a_share_is_passed_over(models, call):
    """StableLmConfig reads partial_rotary_factor alone: rope_pct changes nothing, a quarter turns."""
    config = {"rope_pct": 0.6, "hidden_size": 320, "num_attention_heads": 4}
    ladder, *_ = resolved(models, call, config)
    assert len(ladder) == 10


def test_finding_a_type_beside_nests_needs_its_keys_beside_them_too(models, call):
    """transformers validates the flat object that holds the type, where a factor in a nest is not seen."""
    nests = {"sliding_attention": {"factor": 2.0}, "full_attention": {"factor": 8.0}}
    config = {"head_dim": 16, "rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, **nests}}
    with pytest.raises(KeyError, match="factor"):
        resolved(models, call, config, layer_type="sliding_attention")


def test_finding_any_text_config_is_the_model(models, call):
    """A text_config without a hidden size is read all the same, with the defaults of its class."""
    flat = {"hidden_size": 32, "num_attention_heads": 4}
    expected, *_ = resolved(models, call, flat)
    found, *_ = resolved(models, call, {**flat, "text_config": {"vocab_size": 100}})
    assert (len(expected), len(found)) == (4, 64)


def test_finding_a_local_base_of_null_is_no_base(models, call):
    """ModernBertConfig takes null for the local base, where its first version took the global one."""
    config = {"hidden_size": 96, "num_attention_heads": 12, "global_rope_theta": 160000.0}
    with pytest.raises(TypeError):
        resolved(models, call, {**config, "local_rope_theta": None}, layer_type="sliding_attention")


def test_finding_meeting_edges_are_answered(models, call):
    """With low = high the blend divides by zero in a branch that is not taken; nothing is refused."""
    params = {**LADDER, **LLAMA3, "high_freq_factor": 1.0, "original_max_position_embeddings": 8192}
    (_, ladder), _ = call(models, "rope_scaling.llama3", [], **params, dtype="float32")
    np.testing.assert_allclose(ladder, [1, 0.1, 0.01, 0.001], rtol=1e-6)


def test_finding_a_zero_coefficient_is_unset(models, call):
    """Both coefficients must be true: with one 0 the factor is the logarithm's (1.36889, not 1.2608)."""
    params = {**YARN, "factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.0}
    _, (_, factor) = call(models, "rope_scaling.yarn", [], **LADDER, **params, dtype="float32")
    np.testing.assert_allclose(factor, 1.36889, atol=5e-6)
