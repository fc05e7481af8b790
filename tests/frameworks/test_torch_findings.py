"""Why values of the libraries built on PyTorch differ, by hand, from their source.

Each test names the kind of finding: a fault, or a difference of convention or precision; and the place.
"""

import math

import numpy as np
import pytest
import rotation_oracle as oracle

from posref.adapters import Unsupported

PLAIN = {"rotary_dim": 4, "base": 1e4, "pairing": "adjacent"}
FRONT = np.array([[1.0, 0, 0, 0]] * 400)


def test_fault_megatron_turns_by_the_cosine_of_the_cosine(framework, call):
    """apply_rotary_pos_emb_with_cos_sin hands tables to a function of angles (NVIDIA/Megatron-LM 7465)."""
    tensors = [([[1, 0]], "float32"), ([[1]], "float32"), ([[0]], "float32")]
    _, got = call(framework("megatron_core"), "rope.rotate", tensors, pairing_in="half", pairing_out="half")
    np.testing.assert_allclose(got, [[math.cos(1), math.sin(0)]], rtol=1e-6)  # the angle 0 must leave [1, 0]


def test_megatron_turns_rightly_by_angles(framework, call):
    x = (np.arange(3 * 8).reshape(3, 8) % 7 - 3) / 4
    for pairing in ("half", "adjacent"):
        tensors = [(x, "float32"), ([5, 6, 7], "int64")]
        given = {"rotary_dim": 6, "base": 1e4, "pairing": pairing}
        _, got = call(framework("megatron_core"), "rope.apply", tensors, **given)
        expected = [oracle.rotate(x[t], 5 + t, 1e4, pairing, 6) for t in range(3)]
        np.testing.assert_allclose(got, expected, atol=1e-6)


def test_difference_megatron_chooses_only_the_factor_of_llama_3(framework, call):
    """RotaryEmbedding passes rope_scaling_factor on, and leaves the rest to _apply_scaling's defaults."""
    given = {"rotary_dim": 8, "base": 1e4, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    module = framework("megatron_core")
    (_, ladder), _ = call(
        module, "rope_scaling.llama3", [], **given, original_max_position_embeddings=8192, dtype="float32"
    )
    np.testing.assert_allclose(ladder, [1, 0.1, 0.01, 0.00021360754402756864], rtol=1e-6)
    with pytest.raises(Unsupported, match="bands"):
        call(
            module, "rope_scaling.llama3", [], **given, original_max_position_embeddings=4096, dtype="float32"
        )


def test_fault_positions_are_rounded_to_the_dtype_of_the_heads(framework, call):
    """rotary_embedding_torch: rotate_queries_or_keys asks get_seq_pos for positions in t.dtype."""
    module = framework("rotary_embedding_torch")
    tensors = [(FRONT, "bfloat16"), (range(400), "int64")]
    _, got = call(module, "rope.apply", tensors, **PLAIN)
    np.testing.assert_allclose(got[257, 0], math.cos(256), atol=2e-3)  # bfloat16 has no 257
    assert abs(got[257, 0] - math.cos(257)) > 0.8


def test_fault_a_cache_keeps_the_rounded_positions_of_the_first_dtype(framework):
    """RotaryEmbedding.forward fills cached_freqs from whatever positions came first."""
    implementation = framework("rotary_embedding_torch")
    kept = implementation.sessions["rope.apply"](**PLAIN)
    fresh = implementation.sessions["rope.apply"](**PLAIN)
    positions = implementation.write(np.arange(400), "int64")
    kept(implementation.write(FRONT, "bfloat16"), positions)
    single = implementation.write(FRONT, "float32")
    after, alone = (implementation.read(module(single, positions))[1][257, 0] for module in (kept, fresh))
    np.testing.assert_allclose([after, alone], np.cos([256.0, 257.0]), atol=1e-4)


@pytest.mark.parametrize("name", ["rotary_embedding_torch", "x_transformers"])
def test_fault_one_pair_divides_by_zero_without_any_scaling(framework, call, name):
    """RotaryEmbedding.__init__ raises its rescale factor, 1, to dim / (dim - 2)."""
    with pytest.raises(ZeroDivisionError):
        call(framework(name), "rope.inv_freq", [], rotary_dim=2, base=1e4, dtype="float32")


@pytest.mark.parametrize(("name", "pairing"), [("diffusers", "half"), ("torchtune", "half")])
def test_fault_no_tokens_are_an_error(framework, call, name, pairing):
    """A reshape by -1 beside an axis of 0: apply_rotary_emb, Phi3RotaryPositionalEmbeddings.forward."""
    tensors = [(np.zeros((0, 4)), "float32"), (np.zeros(0, int), "int64")]
    with pytest.raises(RuntimeError, match="ambiguous"):
        call(framework(name), "rope.apply", tensors, **{**PLAIN, "pairing": pairing})


def test_fault_no_queries_are_an_error_of_x_transformers(framework, call):
    """AlibiPositionalBias.forward_custom_pos subtracts by einx, which finds no size for an axis of 0."""
    module = framework("x_transformers")
    tensors = [(np.zeros(0, int), "int64"), ([0, 1], "int64"), ([0.5], "float32")]
    from einx.errors import AxisSizeError

    with pytest.raises(AxisSizeError):
        call(module, "alibi.bias", tensors, form="neg_abs", future="keep", dtype="float32")


@pytest.mark.parametrize("name", ["diffusers", "torchtune"])
def test_difference_heads_in_float64_are_turned_in_float32(framework, call, name):
    """apply_rotary_emb and RotaryPositionalEmbeddings.forward take x.float(), and say so."""
    x = [[0, 1 / 3, 0, 0]]
    _, got = call(framework(name), "rope.apply", [(x, "float64"), ([0], "int64")], **PLAIN)
    assert got[0, 1] == float(np.float32(1 / 3))


@pytest.mark.parametrize("name", ["x_transformers", "rotary_embedding_torch", "megatron_core"])
def test_difference_angles_are_float32_for_heads_in_float64(framework, call, name):
    """Frequencies are made with .float() or float32, whatever the heads are."""
    x = np.array([[0.0, 0, 1, 0]] * 2)
    _, got = call(framework(name), "rope.apply", [(x, "float64"), ([1000, 1001], "int64")], **PLAIN)
    assert 1e-10 < abs(got[0, 2] - math.cos(10)) < 1e-5


def test_difference_diffusers_ntk_factor_is_the_factor_of_the_base(framework, call):
    """get_1d_rotary_pos_embed multiplies theta by ntk_factor, without the exponent d / (d - 2)."""
    scaling = {"rope_type": "ntk", "factor": 4.0}
    tensors = [([[1, 0, 0, 0]], "float32"), ([1], "int64")]
    with pytest.raises(Unsupported, match="ntk_factor"):
        call(framework("diffusers"), "rope.apply", tensors, **PLAIN, scaling=scaling)


@pytest.mark.parametrize(
    ("bias", "expected"), [([[0, 0], [-np.inf, -np.inf]], [1, 0]), ([[0, 0], [np.inf, 0]], [1, np.nan])]
)
def test_difference_torch_gives_zeros_for_a_row_without_keys(framework, call, bias, expected):
    """scaled_dot_product_attention answers a fully masked row with zeros; here the row is refused."""
    pairs = [(np.zeros((2, 1)), "float32"), (np.zeros((2, 1)), "float32"), (np.ones((2, 1)), "float32")]
    operation = framework("torch").operations["attention.output"]
    written = [
        framework("torch").write(np.asarray(data), dtype) for data, dtype in (*pairs, (bias, "float32"))
    ]
    _, got = framework("torch").read(operation(*written, None, scale=1.0))
    np.testing.assert_array_equal(got[:, 0], expected)


def test_fault_a_cached_table_keeps_the_dtype_of_the_first_call(framework):
    """PositionalEncoding1D.forward compares cached_penc.shape alone."""
    framework("positional_encodings")
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D

    module = PositionalEncoding1D(4)
    module(torch.zeros(1, 3, 4))
    assert module(torch.zeros(1, 3, 4, dtype=torch.bfloat16)).dtype == torch.float32


def test_fault_torchtune_does_not_rebuild_a_table_that_is_too_short(framework):
    """RotaryPositionalEmbeddings says that a longer sequence recomputes the cache; forward slices it."""
    framework("torchtune")
    import torch
    from torchtune.modules import RotaryPositionalEmbeddings

    with pytest.raises(RuntimeError, match="invalid for input of size"):
        RotaryPositionalEmbeddings(4, max_seq_len=8)(torch.zeros(1, 9, 1, 4))


def test_fault_timm_divides_by_zero_where_a_window_has_one_row(framework, call):
    """gen_relative_log_coords divides by the width less one; transformers guards the division."""
    _, got = call(
        framework("timm"), "swin.log_coords", [], window=[1, 3], pretrained_window=None, dtype="float32"
    )
    assert np.isnan(got[..., 0]).all()
    np.testing.assert_allclose(got[0, :, 1], [-1.0566417, -0.7739760, 0, 0.7739760, 1.0566417], rtol=1e-6)


@pytest.mark.parametrize(("role", "sign"), [("query", 1), ("key", -1)])
@pytest.mark.parametrize(("first", "tokens"), [(0, 4), (0, 5), (3, 2)])
def test_difference_torchscale_centres_xpos_on_half_the_length_rounded_up(
    framework, call, role, sign, first, tokens
):
    """XPOS.forward: min_pos = -(length + offset) // 2."""
    params = {**PLAIN, "role": role, "gamma": 0.4, "scale_base": 512.0}
    positions = range(first, first + tokens)
    tensors = [(np.array([[1.0, 0, 1, 0]] * tokens), "float32"), (positions, "int64")]
    center = math.ceil((first + tokens) / 2)
    _, got = call(framework("torchscale"), "xpos.apply", tensors, **params, center=float(center))
    ratios = [(2 * i + 1.6) / 5.6 for i in (0, 1)]
    for row, p in zip(got, positions, strict=True):
        scales = [ratio ** (sign * (p - center) / 512) for ratio in ratios]
        angles = [p, p / 100]
        expected = [s * f(a) for s, a in zip(scales, angles, strict=True) for f in (math.cos, math.sin)]
        np.testing.assert_allclose(row, expected, atol=1e-6)
    with pytest.raises(Unsupported, match="centred"):
        call(framework("torchscale"), "xpos.apply", tensors, **params, center=float(center - 1))
