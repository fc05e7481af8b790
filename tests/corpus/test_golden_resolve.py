"""What published configurations resolve to, against numbers worked by hand or printed in public reports."""

import pytest
from golden_calls import near

from posref.operation import Tensor

SHORT = "1 0.1 0.008333333333333333 0.0006666666666666666"
LONG = "1.0 0.05 0.00125 3.125e-05"


def resolve(call, config, **more):
    """Return what a configuration resolves to, and check what every answer has."""
    names = ("inv_freq", "attention_factor", "softmax_factor", "rotary_dim", "base")
    found = dict(zip(names, call("rope_scaling.resolve", {"config": config} | more), strict=True))
    assert found["rotary_dim"].dtype == "int64"
    assert [found[name].shape for name in names[1:]] == [()] * 4
    assert len(found["inv_freq"].data) == found["rotary_dim"].data[0] // 2
    return {name: entry.data if name == "inv_freq" else entry.data[0] for name, entry in found.items()}


def plain(call, width, base):
    return call("rope.inv_freq", {"rotary_dim": width, "base": float(base)}).data


@pytest.mark.parametrize(
    ("config", "width", "base"),
    [
        ({"hidden_size": 4096, "num_attention_heads": 32}, 128, 10000),
        (
            {"hidden_size": 4096, "num_attention_heads": 32, "head_dim": None, "rope_theta": 500000.0},
            128,
            5e5,
        ),
        ({"n_embd": 4096, "n_head": 16, "rotary_dim": 64}, 64, 10000),
        (
            {"hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25, "rotary_emb_base": 10000},
            16,
            10000,
        ),
        ({"hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4}, 32, 10000),
        ({"head_dim": 80, "partial_rotary_factor": 0.6}, 48, 10000),
        ({"head_dim": 64, "rope_pct": 0.25, "rope_scaling": None}, 16, 10000),
        ({"head_dim": 192, "qk_rope_head_dim": 64, "partial_rotary_factor": 1.0}, 64, 10000),
        ({"head_dim": 8, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000}}, 8, 1e6),
        (
            {
                "head_dim": 8,
                "rope_theta": 5.0,
                "partial_rotary_factor": 1.0,
                "rope_parameters": {"rope_theta": 7.0, "partial_rotary_factor": 0.5},
                "rope_scaling": {"type": "linear", "factor": 2.0},
            },
            4,
            7,
        ),
        ({"head_dim": 8, "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}, 8, 10000),
        (
            {
                "hidden_size": 640,
                "num_attention_heads": 10,
                "head_dim": 32,
                "rope_theta": 3.0,
                "text_config": {"hidden_size": 64, "num_attention_heads": 8, "rope_theta": 4.0},
            },
            8,
            4,
        ),
    ],
)
def test_resolve_widths_and_bases(call, config, width, base):
    found = resolve(call, config)
    assert (found["rotary_dim"], found["base"]) == (width, base)
    assert found["inv_freq"] == plain(call, width, base)
    assert (found["attention_factor"], found["softmax_factor"]) == (1.0, 1.0)


@pytest.mark.parametrize(("both", "softmax"), [(1.0, "1.87385421"), (0.707, "1.58962617")])
def test_resolve_deepseek_multiplies_the_softmax_scale(call, both, softmax):
    scaling = {
        "type": "yarn",
        "factor": 40,
        "original_max_position_embeddings": 4096,
        "beta_fast": 32,
        "beta_slow": 1,
        "mscale": both,
        "mscale_all_dim": both,
    }
    config = {"qk_rope_head_dim": 64, "rope_theta": 10000, "rope_scaling": scaling, "hidden_size": 7168}
    found = resolve(call, config)
    assert found["attention_factor"] == 1.0
    near(Tensor("float64", (1,), (found["softmax_factor"],)), [softmax])
    separate = resolve(call, config | {"qk_rope_head_dim": None, "head_dim": 64})
    assert (separate["softmax_factor"], separate["inv_freq"]) == (1.0, found["inv_freq"])
    given = resolve(call, config | {"rope_scaling": scaling | {"attention_factor": 1.25}})
    assert (given["attention_factor"], given["softmax_factor"]) == (1.25, found["softmax_factor"])
    zero = resolve(call, config | {"rope_scaling": scaling | {"mscale_all_dim": 0}})
    near(Tensor("float64", (2,), (zero["attention_factor"], zero["softmax_factor"])), "1.36889 1")


def test_resolve_yarn_defaults(call):
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    found = resolve(call, {"head_dim": 8, "rope_scaling": scaling})
    assert found["inv_freq"] == (1.0, 0.1, 0.00625, 0.00025)
    del scaling["factor"]
    implied = resolve(call, {"head_dim": 8, "max_position_embeddings": 16384, "rope_scaling": scaling})
    assert implied == found
    raw = resolve(call, {"head_dim": 8, "rope_scaling": scaling | {"factor": 4, "truncate": False}})
    near(Tensor("float64", (1,), (raw["inv_freq"][2],)), "0.006556971521129435", slack=2.0**-58)
    wide = scaling | {"factor": 4, "beta_fast": 64, "beta_slow": 0.5, "truncate": False}
    assert resolve(call, {"head_dim": 8, "rope_scaling": wide})["inv_freq"] != raw["inv_freq"]


def test_resolve_other_scalings(call):
    linear = resolve(call, {"head_dim": 8, "rope_scaling": {"type": "linear", "factor": 4.0}})
    assert linear["inv_freq"] == (0.25, 0.025, 0.0025, 0.00025)
    dynamic = {
        "head_dim": 8,
        "max_position_embeddings": 4096,
        "rope_scaling": {"type": "dynamic", "factor": 2.0},
    }
    found = resolve(call, dynamic, seq_len=8192)
    near(Tensor("float64", (4,), found["inv_freq"]), FREQUENCIES_8192, slack=2.0**-56)
    assert found["base"] == 10000.0
    llama = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}
    found = resolve(call, {"head_dim": 8, "rope_parameters": llama})
    near(Tensor("float64", (4,), found["inv_freq"]), "1.0 0.1 0.01 0.00021360754402756864", slack=2.0**-60)
    other = llama | {"low_freq_factor": 2, "high_freq_factor": 3}
    assert resolve(call, {"head_dim": 8, "rope_parameters": other})["inv_freq"] != found["inv_freq"]


FREQUENCIES_8192 = "1.0 0.06933612743506347 0.004807498567691361 0.0003333333333333334"


@pytest.mark.parametrize("kind", ["longrope", "su"])
def test_resolve_longrope_with_its_length_outside(call, kind):
    config = {
        "head_dim": 8,
        "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096,
        "rope_scaling": {"type": kind, "short_factor": [1, 1, 1.2, 1.5], "long_factor": [1, 2, 8, 32]},
    }
    for length, printed in ((4096, SHORT), (4097, LONG)):
        found = resolve(call, config, seq_len=length)
        near(Tensor("float64", (4,), found["inv_freq"]), printed, slack=2.0**-60)
        near(Tensor("float64", (1,), (found["attention_factor"],)), "1.1902380714238083")


def test_resolve_layer_types(call):
    old = {
        "head_dim": 8,
        "rope_theta": 1000000.0,
        "rope_local_base_freq": 10000,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    new = {
        "head_dim": 8,
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000},
        },
    }
    for config in (old, new):
        near_layer = resolve(call, config, layer_type="sliding_attention")
        far_layer = resolve(call, config, layer_type="full_attention")
        assert (near_layer["base"], far_layer["base"]) == (10000.0, 1000000.0)
        assert near_layer["inv_freq"] == plain(call, 8, 10000)
        assert far_layer["inv_freq"] == tuple(w / 8 for w in plain(call, 8, 1000000))
    bert = {"head_dim": 8, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    assert resolve(call, bert, layer_type="full_attention")["base"] == 160000.0
    assert resolve(call, bert, layer_type="sliding_attention")["base"] == 10000.0
    lone = bert | {"local_rope_theta": None}
    assert resolve(call, lone, layer_type="sliding_attention")["base"] == 160000.0


def test_resolve_proportional_keeps_the_width_of_its_layer(call):
    config = {
        "head_dim": 4,
        "global_head_dim": 8,
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 1e4},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }
    found = resolve(call, config, layer_type="full_attention")
    assert (found["rotary_dim"], found["inv_freq"]) == (8, (1.0, 0.1, 0.0, 0.0))
    found = resolve(call, config, layer_type="sliding_attention")
    assert (found["rotary_dim"], found["inv_freq"]) == (4, (1.0, 0.01))


def test_resolve_layers_without_rotation(call):
    base = {"head_dim": 8, "rope_theta": 5e5}
    scaled = base | {
        "rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64}
    }
    still = {"inv_freq": (), "attention_factor": 1.0, "softmax_factor": 1.0, "rotary_dim": 0, "base": 5e5}
    listed = {"no_rope_layers": [1, 1, 0, 1], "no_rope_layer_interval": 2}
    counted = {"no_rope_layers": [], "no_rope_layer_interval": 3}
    for rule in (listed, counted, {"no_rope_layer_interval": 3}):
        for index in range(4):
            found = resolve(call, scaled | rule, layer_index=index)
            assert (found == still) == (index == 2)
        assert resolve(call, base | rule)["rotary_dim"] == 8
    assert resolve(call, base, layer_index=2)["rotary_dim"] == 8
