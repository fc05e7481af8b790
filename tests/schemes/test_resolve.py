"""rope_scaling.resolve: published forms, the order of reading, what is refused and what is warned of."""

import argparse
import json
import math
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posref import configuration, rope, rope_scaling
from posref.bounds._config import read
from posref.errors import ConfigWarning, FormatError, SpecError
from posref.operation import find, home
from posref.reference import _config
from posref.reference._settings import settings

HEADS: dict[str, Any] = {"hidden_size": 64, "num_attention_heads": 4}
FULL, SLIDING = "full_attention", "sliding_attention"


def resolve(config: Mapping[str, Any], **rest: Any) -> rope_scaling.Resolved:
    return rope_scaling.resolve(config=config, **rest)


def ladder(width: int, base: float) -> np.ndarray:
    return np.asarray(rope.inv_freq(rotary_dim=width, base=base))


def same(found: rope_scaling.Resolved, omega: np.ndarray, base: float, factor: float = 1.0) -> None:
    np.testing.assert_allclose(found.inv_freq, omega, rtol=1e-15)
    assert (int(found.rotary_dim), float(found.base)) == (2 * len(omega), base)
    assert math.isclose(found.attention_factor, factor, rel_tol=1e-15)


# published forms


def test_names_of_one_thing() -> None:
    neox = {"hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25, "rotary_emb_base": 20000}
    same(resolve(neox), ladder(16, 20000.0), 20000.0)
    gptj = {"n_embd": 4096, "n_head": 16, "rotary_dim": 64}
    same(resolve(gptj), ladder(64, 10000.0), 10000.0)
    glm = {**HEADS, "partial_rotary_factor": 0.5}
    same(resolve(glm), ladder(8, 10000.0), 10000.0)
    assert resolve(gptj).rotary_dim.dtype == np.int64


@pytest.mark.parametrize(
    ("head", "share", "width"), [(80, 0.6, 48), (50, 0.28, 14), (16, 0.9, 14), (96, 0.25, 24)]
)
def test_the_product_is_rounded_then_truncated(head: int, share: float, width: int) -> None:
    assert int(resolve({"head_dim": head, "rope_pct": share}).rotary_dim) == width


def test_older_and_newer_form_are_one() -> None:
    scaling = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3"}
    scaling["original_max_position_embeddings"] = 8192
    older = resolve({**HEADS, "rope_theta": 500000.0, "rope_scaling": scaling})
    newer = resolve({**HEADS, "rope_parameters": {**scaling, "rope_theta": 500000.0}})
    for one, other in zip(older, newer, strict=True):
        assert np.array_equal(one, other)
    model = {key: value for key, value in scaling.items() if key != "rope_type"}
    same(older, rope_scaling.llama3(rotary_dim=16, base=500000.0, **model).inv_freq, 500000.0)


def test_a_head_is_as_wide_as_it_says() -> None:
    oss = {"hidden_size": 2880, "num_attention_heads": 64, "head_dim": 64, "rope_theta": 150000}
    oss["rope_scaling"] = {
        "rope_type": "yarn",
        "factor": 32.0,
        "original_max_position_embeddings": 4096,
        "truncate": False,
    }
    found = resolve(oss)
    np.testing.assert_allclose(found.inv_freq[[9, 17]], [0.0317056962, 0.000129318701], rtol=1e-8)
    assert math.isclose(found.attention_factor, 1.3465735902799727, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("pair", "factor", "softmax"), [((1.0, 1.0), 1.0, 1.87385421), ((0.707, 0.707), 1.0, 1.58962617)]
)
def test_deepseek_multiplies_its_softmax_scale(
    pair: tuple[float, float], factor: float, softmax: float
) -> None:
    scaling = {
        "type": "yarn",
        "factor": 40,
        "original_max_position_embeddings": 4096,
        "mscale": pair[0],
        "mscale_all_dim": pair[1],
    }
    model = {**HEADS, "qk_rope_head_dim": 64, "rope_scaling": scaling}
    found = resolve(model)
    assert found.attention_factor == factor
    assert math.isclose(found.softmax_factor, softmax, rel_tol=1e-8)
    assert resolve({**HEADS, "rope_scaling": scaling}).softmax_factor == 1  # no latent width


def test_longrope_switches_beyond_the_trained_length() -> None:
    lists = {"short_factor": [1.0, 1.0, 1.2, 1.5], "long_factor": [1, 2, 8, 32]}
    model = {"head_dim": 8, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096}
    model["rope_scaling"] = {**lists, "type": "su"}
    same(resolve(model, seq_len=4096), ladder(8, 1e4) / lists["short_factor"], 1e4, 1.1902380714238083)
    same(resolve(model, seq_len=4097), ladder(8, 1e4) / lists["long_factor"], 1e4, 1.1902380714238083)


def test_a_given_factor_wins_over_the_ratio() -> None:
    model = {**HEADS, "max_position_embeddings": 32768}
    yarn = {"type": "yarn", "original_max_position_embeddings": 32768}
    given = resolve({**model, "rope_scaling": {**yarn, "factor": 4.0}})
    assert math.isclose(given.attention_factor, 1 + 0.1 * math.log(4), rel_tol=1e-15)
    implied = resolve({**model, "rope_scaling": {**yarn, "original_max_position_embeddings": 4096}})
    assert math.isclose(implied.attention_factor, 1 + 0.1 * math.log(8), rel_tol=1e-15)


def test_published_defaults() -> None:
    rope_object = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}
    edges = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    bare, full = ({**HEADS, "rope_scaling": one} for one in (rope_object, {**rope_object, **edges}))
    assert np.array_equal(resolve(bare).inv_freq, resolve(full).inv_freq)
    yarn = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    full = {**yarn, "beta_fast": 32, "beta_slow": 1, "truncate": True}
    bare, full = ({**HEADS, "rope_scaling": one} for one in (yarn, full))
    assert np.array_equal(resolve(bare).inv_freq, resolve(full).inv_freq)


# layers


def test_older_gemma_scales_full_layers_only() -> None:
    text = {"hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256, "rope_theta": 1000000.0}
    text |= {"rope_local_base_freq": 10000.0, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}
    model = {"text_config": text, "vision_config": {"hidden_size": 1152}}
    local, whole = resolve(model, layer_type=SLIDING), resolve(model, layer_type=FULL)
    same(local, ladder(256, 1e4), 1e4)
    same(whole, ladder(256, 1e6) / 8, 1e6)
    # position 8 at the first pair, as the report has it
    assert math.isclose(math.cos(8 * local.inv_freq[0]), -0.145500034, rel_tol=1e-8)
    assert math.isclose(math.cos(8 * whole.inv_freq[0]), 0.540302306, rel_tol=1e-8)


def test_modernbert() -> None:
    model = {
        "hidden_size": 96,
        "num_attention_heads": 12,
        "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0,
    }
    same(resolve(model, layer_type=FULL), ladder(8, 160000.0), 160000.0)
    same(resolve(model, layer_type=SLIDING), ladder(8, 1e4), 1e4)
    same(resolve({**model, "local_rope_theta": None}, layer_type=SLIDING), ladder(8, 160000.0), 160000.0)


def test_nests_and_the_keys_beside_them() -> None:
    nests = {
        FULL: {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
        SLIDING: {"rope_type": "default"},
    }
    model = {
        **HEADS,
        "head_dim": 16,
        "global_head_dim": 32,
        "rope_parameters": {"rope_theta": 20000.0, **nests},
    }
    with pytest.warns(ConfigWarning, match="rope_parameters.rope_theta"):
        found = resolve(model, layer_type=FULL)
    assert int(found.rotary_dim) == 32
    np.testing.assert_allclose(found.inv_freq, [*(1e6 ** (-i / 16) for i in range(4)), *[0] * 12], rtol=1e-14)
    same(resolve(model, layer_type=SLIDING), ladder(16, 20000.0), 20000.0)


@pytest.mark.parametrize(("index", "turns"), [(0, True), (2, True), (3, False), (7, False), (None, True)])
def test_layers_without_rotation(index: int | None, turns: bool) -> None:
    for layers in (
        {"no_rope_layers": [1, 1, 1, 0, 1, 1, 1, 0]},
        {"no_rope_layers": [], "no_rope_layer_interval": 4},
    ):
        found = resolve({**HEADS, **layers, "rope_theta": 50000.0}, layer_index=index)
        if turns:
            same(found, ladder(16, 50000.0), 50000.0)
        else:
            assert found.inv_freq.shape == (0,)
            assert [float(entry) for entry in found[1:]] == [1.0, 1.0, 0.0, 50000.0]


# order of reading


def test_inside_wins_over_outside_and_says_so() -> None:
    model = {**HEADS, "rope_theta": 7.0, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}
    with pytest.warns(ConfigWarning, match=r"config rope_theta: rope_parameters.rope_theta wins") as caught:
        same(resolve(model), ladder(16, 500000.0), 500000.0)
    assert [one.message.key for one in caught] == ["rope_theta"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resolve({**model, "rope_theta": 500000.0})  # the same value twice is no contradiction


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (
            {
                "rope_scaling": {
                    "type": "yarn",
                    "factor": 16.0,
                    "original_max_position_embeddings": 4096,
                    "finetuned": True,
                }
            },
            "rope_scaling.finetuned",
        ),
        (
            {"rope_parameters": {"rope_type": "default"}, "rope_scaling": {"type": "linear", "factor": 2.0}},
            "rope_scaling",
        ),
        ({"qk_rope_head_dim": 8, "partial_rotary_factor": 0.5}, "partial_rotary_factor"),
        (
            {
                "rope_scaling": {
                    "type": "yarn",
                    "factor": 2.0,
                    "original_max_position_embeddings": 64,
                    "attention_factor": 1.0,
                    "mscale": 1.0,
                }
            },
            "rope_scaling.mscale",
        ),
        (
            {
                "max_position_embeddings": 8192,
                "rope_scaling": {"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096},
            },
            "max_position_embeddings",
        ),
        ({"rope_theta": 5e5, "rotary_emb_base": 10000}, "rotary_emb_base"),
        ({"rope_theta": 5e5, "text_config": {**HEADS, "rope_theta": 1e6}}, "rope_theta"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_keys_that_change_nothing_are_named(config: dict[str, Any], key: str) -> None:
    with pytest.warns(ConfigWarning, match=re.escape(f"[rope_scaling.C17] config {key}: ")) as caught:
        resolve({**HEADS, **config})
    assert [one.message.key for one in caught] == [key]


def test_a_nest_makes_older_keys_idle() -> None:
    nests = {FULL: {"rope_type": "default"}, SLIDING: {"rope_type": "default"}}
    with pytest.warns(ConfigWarning, match="rope_local_base_freq: the rope object differs by layer type"):
        found = resolve({**HEADS, "rope_local_base_freq": 7.0, "rope_parameters": nests}, layer_type=SLIDING)
    same(found, ladder(16, 1e4), 1e4)


def test_other_operations_read_some_keys_without_a_warning() -> None:
    scaling = {"type": "mrope", "mrope_section": [2, 3, 3], "mrope_interleaved": True}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(resolve({**HEADS, "rope_scaling": scaling, "rope_interleave": True}), ladder(16, 1e4), 1e4)


@pytest.mark.parametrize(
    "key", ["compress_rope_theta", "layer_rope_theta", "rope_scaling_layers", "use_rotary"]
)
def test_unknown_keys_about_rotation_are_refused(key: str) -> None:
    with pytest.raises(SpecError, match=rf"\[rope_scaling.C17\] config: {key} is an unknown key"):
        resolve({**HEADS, key: 1})
    resolve({**HEADS, "property": 1, "europe": 2, key: None})


@pytest.mark.parametrize("kind", list(_config.OF_TYPE))
def test_every_key_of_another_type_is_refused(kind: str) -> None:
    foreign = {key for keys in _config.OF_TYPE.values() for key in keys} - set(_config.OF_TYPE[kind])
    for key in sorted(foreign):
        with pytest.raises(SpecError, match=f"a rope object of type {kind} has no such key"):
            resolve({**HEADS, "rope_scaling": {"type": kind, key: 1}}, seq_len=1)


@pytest.mark.parametrize("rope_type", [["linear"], 1, True, "ntk", ""])
def test_bad_types(rope_type: Any) -> None:
    with pytest.raises(SpecError, match="must be one of default, linear"):
        resolve({**HEADS, "rope_scaling": {"rope_type": rope_type}})


def test_the_spec_lists_what_the_code_reads() -> None:
    page = (home("spec") / "schemes" / "rope_scaling.md").read_text("utf-8")
    for key in {
        *_config.OUTSIDE,
        *_config.ELSEWHERE,
        *_config.OF_OTHERS,
        *_config.OF_TYPE,
        *_config.SAME_TYPE,
    }:
        assert f"`{key}`" in page or f"`{key}`," in page, key


# the bounds' own reading


def test_bounds_read_configurations_as_the_reference_does() -> None:
    cases = [group for group in find("cases", "rope_scaling.resolve")() if group.cases[0].error is None]
    for group in cases:
        given = dict(group.params)
        given.pop("seq_len")
        found, asked = settings(**given), read(**given)
        assert (asked.width, asked.base) == (found.rotary_dim, found.base)
        assert (asked.scaling is None) == (found.scaling is None)
        for key, value in (found.scaling or {}).items():
            if key != "mscale_rule":
                assert asked.scaling is not None
                assert asked.scaling[key] == value, (group.name, key)


# the command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    parser = argparse.ArgumentParser()
    configuration.add_parser(parser.add_subparsers(required=True))
    args = parser.parse_args(["resolve", *arguments])
    assert args.run(args) == 0
    return capsys.readouterr().out


DEEPSEEK = {
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "qk_rope_head_dim": 8,
    "rope_theta": 10000,
    "max_position_embeddings": 163840,
    "rope_scaling": {
        "type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0,
        "mscale_all_dim": 1.0, "beta_fast": 32, "finetuned": True,
    },
}  # fmt: skip


@pytest.fixture
def deepseek(tmp_path: Path) -> str:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(DEEPSEEK), "utf-8")
    return str(file)


def test_command_prints_readably(deepseek: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, deepseek)
    assert "rope type         yarn" in text
    assert "softmax factor    1.8738542070926" in text
    assert "  factor from rope_scaling.factor" in text
    assert "  beta_slow from default" in text
    assert "warning: rope_scaling.finetuned changes nothing" in text
    assert text.splitlines()[-4].split() == ["0", "1.0", "6.28319"]


def test_command_prints_json(deepseek: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(run(capsys, deepseek, "--json"))
    with pytest.warns(ConfigWarning):
        found = resolve(DEEPSEEK)
    assert record["inv_freq"] == found.inv_freq.tolist()
    assert record["wavelength"][0] == 2 * math.pi
    assert record["ignored"] == {"rope_scaling.finetuned": "it says how the model was made"}
    assert record["sources"]["factor"] == "rope_scaling.factor"
    assert record["scaling"]["factor"] == 40


def test_command_takes_length_and_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**HEADS, "no_rope_layers": [1, 0]}), "utf-8")
    assert "no rotation in this layer" in run(capsys, str(file), "--layer-index", "1")
    nests = {FULL: {"rope_type": "proportional", "partial_rotary_factor": 0.5}, SLIDING: {}}
    file.write_text(json.dumps({"head_dim": 8, "rope_parameters": nests}), "utf-8")
    assert run(capsys, str(file), "--layer-type", FULL).rstrip().endswith("at rest")
    lists = {"type": "longrope", "factor": 2.0, "short_factor": [1, 1], "long_factor": [1, 4]}
    model = {"head_dim": 4, "rope_scaling": {**lists, "original_max_position_embeddings": 64}}
    file.write_text(json.dumps(model), "utf-8")
    assert " 0.0025 " in run(capsys, str(file), "--seq-len", "65")


@pytest.mark.parametrize("text", ["[]", "{", '{"rope_theta": 1, "rope_theta": 2}', "\xff"])
def test_command_refuses_what_is_no_configuration(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=r"config\.json"):
        run(capsys, str(file))
