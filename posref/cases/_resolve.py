"""Cases of ``rope_scaling.resolve``: configurations in the forms in which models are published.

Keys, nesting and the numbers about rotation are those of the models named; widths of some are smaller.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from posref.cases._refused import complete
from posref.cases._resolve_layers import layers
from posref.cases._resolve_refused import refused
from posref.operation import Case, Group

Config = Mapping[str, Any]
PREFIX: Final = "rope-scaling-resolve"


@complete
def resolve() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.resolve``."""
    for name, comment, config, rest, clauses, flags in (*_plain(), *_scaled(), *_long(), *layers()):
        params = {"config": config, "seq_len": None, "layer_type": None, "layer_index": None, **rest}
        cited = tuple(f"rope_scaling.{clause}" for clause in clauses)
        case = Case(f"{PREFIX}-{name}", comment, {}, cited, flags)
        yield Group(name, "rope_scaling.resolve", params, (case,))
    yield from refused()


Row = tuple[str, str, Config, Config, tuple[str, ...], tuple[str, ...]]
"""Name, comment, configuration, other parameters, clauses, flags."""


def _plain() -> Iterator[Row]:
    small = {"hidden_size": 128, "num_attention_heads": 4}
    text = "Nothing about rotation but a width: the base is 10000."
    yield "bare", text, small, {}, ("C12", "C15"), ()
    nulls = {"rope_theta": 500000.0, "rope_scaling": None, "head_dim": None, "partial_rotary_factor": None}
    text = "null is absent, everywhere."
    yield "nulls", text, {**small, **nulls}, {}, ("C12",), ("fixed-base",)
    neox = {"hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25, "rotary_emb_base": 10000}
    text = "GPT-NeoX's names: a quarter of each head turns."
    yield "gpt-neox", text, neox, {}, ("C12", "C13"), ("frequency-width",)
    gptj = {"n_embd": 256, "n_head": 4, "rotary_dim": 16}
    text = "GPT-J's names: the width is given, in coordinates."
    yield "gpt-j", text, gptj, {}, ("C12", "C13"), ("frequency-width",)
    share = {"hidden_size": 320, "num_attention_heads": 4, "rope_pct": 0.6, "rope_theta": 160000.5}
    text = "48 of 80, by a product that rounds up to 48; a base that is no integer."
    yield "partial-80", text, share, {}, ("C13",), ("frequency-width", "fixed-base")
    odd = {
        "head_dim": 50,
        "partial_rotary_factor": 0.28,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
    }
    text = "14.000000000000002 of 50, truncated to 14."
    yield "partial-50", text, odd, {}, ("C13",), ("frequency-width", "fixed-base")
    inside = {"partial_rotary_factor": 0.5, "rope_theta": 5e5, "rope_type": "default"}
    text = "The newer form: base and share inside the rope object."
    yield (
        "parameters",
        text,
        {"head_dim": 24, "rope_parameters": inside},
        {},
        ("C12", "C13"),
        ("frequency-width", "fixed-base"),
    )
    mrope = {"head_dim": 16, "rope_theta": 1e6, "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}}
    text = "Qwen2-VL's form: plain frequencies, sections that another operation reads."
    yield "mrope", text, mrope, {}, ("C12", "C17"), ("fixed-base",)
    both = {"rope_type": "default", "type": "mrope", "mrope_section": [2, 1, 1], "rope_theta": 5e6}
    nested = {
        "text_config": {"hidden_size": 64, "num_attention_heads": 8, "rope_parameters": both},
        "vision_config": {"hidden_size": 32},
    }
    text = "Two names of one type, in a nest for the text model."
    yield "text-config", text, nested, {}, ("C12",), ("fixed-base",)
    one = {"hidden_size": 2, "num_attention_heads": 1, "rope_theta": 1.5}
    text = "The least of each: one head of one pair, and a base below 2."
    yield "one-head", text, one, {}, ("C13", "C16"), ()
    other = {"hidden_size": 24, "num_attention_heads": 3, "text_config": {"rope_theta": 7.0}}
    text = "A text model without a hidden size: it is not the one that is meant."
    yield "text-config-other", text, {**other, "rope_theta": 90000.0}, {}, ("C12",), ("fixed-base",)
    latent = {
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 16,
        "head_dim": 24,
        "rope_interleave": True,
        "rope_theta": 32e6,
    }
    text = "A rotated width of its own wins over the head's."
    yield "latent", text, latent, {}, ("C13", "C17"), ("fixed-base",)


def _scaled() -> Iterator[Row]:
    usual = {
        "hidden_size": 64,
        "num_attention_heads": 4,
        "rope_theta": 10000.0,
        "max_position_embeddings": 16384,
    }
    linear = {"type": "linear", "factor": 4.0}
    text = "The older form, its type under `type`."
    yield "linear", text, {**usual, "rope_scaling": linear}, {}, ("C12",), ("scaling-ignored", "factor-fixed")
    text = "A key of another type, null: absent."
    null = {**linear, "beta_fast": None, "finetuned": None}
    yield "null-key", text, {**usual, "rope_scaling": null}, {}, ("C12",), ("scaling-ignored", "factor-fixed")
    part = {"rope_type": "proportional", "factor": 2.5, "partial_rotary_factor": 0.5}
    text = "A share of the pairs, and a factor of the configuration's own."
    yield "proportional-factor", text, {**usual, "rope_parameters": part}, {}, ("C15",), ("scaling-ignored",)
    text = "Neither a share nor a factor: all pairs as they are."
    whole = {"rope_type": "proportional"}
    yield "proportional-whole", text, {**usual, "rope_parameters": whole}, {}, ("C15",), ()
    most = ("scaling-ignored", "fixed-base", "factor-fixed", "magnitude")
    qwen = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    model = {"head_dim": 32, "rope_theta": 1000000.0, "max_position_embeddings": 32768, "rope_scaling": qwen}
    text = "Qwen 2.5 with YaRN: the table is no longer than the trained length."
    yield "yarn", text, model, {}, ("C15",), (*most, "factor-ratio")
    oss = {
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "factor": 32.0,
        "original_max_position_embeddings": 4096,
        "rope_type": "yarn",
        "truncate": False,
    }
    model = {
        "head_dim": 64,
        "hidden_size": 2880,
        "num_attention_heads": 64,
        "max_position_embeddings": 131072,
        "rope_theta": 150000,
        "rope_scaling": oss,
    }
    text = "gpt-oss: an unrounded ramp, and a head that is wider than hidden size / heads."
    yield (
        "gpt-oss",
        text,
        model,
        {},
        ("C13", "C15"),
        (*most, "ramp-rounded", "trained-length-table"),
    )
    text = "The same form with a base that float16 holds, and a factor that is not the lengths' ratio."
    small = {**model, "rope_theta": 50000.0, "rope_scaling": {**oss, "factor": 16.0}}
    yield "yarn-base-50000", text, small, {}, ("C15",), (*most, "ramp-rounded", "factor-ratio")
    text = "A factor that the two lengths imply."
    bare = {"rope_type": "yarn", "original_max_position_embeddings": 2048}
    yield (
        "yarn-ratio",
        text,
        {**usual, "rope_parameters": bare},
        {},
        ("C15",),
        ("scaling-ignored", "magnitude", "trained-length-table"),
    )
    own = {
        "rope_type": "yarn",
        "factor": 16.0,
        "original_max_position_embeddings": 1024,
        "attention_factor": 1.0,
    }
    text = "A magnitude factor of its own, of 1, and betas of its own."
    yield (
        "yarn-own",
        text,
        {**usual, "rope_scaling": {**own, "beta_fast": 16, "beta_slow": 2.0}},
        {},
        ("C15", "C16"),
        ("scaling-ignored", "magnitude-given", "factor-fixed", "trained-length-table"),
    )
    yield from _latent()
    small = {"head_dim": 16, "rope_theta": 500000.0, "max_position_embeddings": 131072}
    llama = {
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    text = "Llama 3.2: a factor of 32."
    bands = ("scaling-ignored", "fixed-base", "factor-fixed", "factor-ratio", "trained-length-table")
    yield (
        "llama3",
        text,
        {**small, "rope_scaling": {**llama, "rope_type": "llama3"}},
        {},
        ("C12", "C15"),
        bands,
    )
    bare = {"factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}
    text = "A low edge of its own."
    low = {**llama, "low_freq_factor": 2.0, "rope_type": "llama3"}
    yield "llama3-low", text, {**small, "rope_scaling": low}, {}, ("C12", "C15"), bands
    text = "The published edges by default."
    yield "llama3-edges", text, {**small, "rope_parameters": bare}, {}, ("C15",), bands


def _latent() -> Iterator[Row]:
    deepseek = {
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 40,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
        "type": "yarn",
    }
    model = {
        "hidden_size": 7168,
        "num_attention_heads": 128,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "max_position_embeddings": 163840,
        "rope_theta": 10000,
    }
    text = "DeepSeek-V3: equal coefficients make the factor 1, and the softmax scale bears their square."
    flags = ("scaling-ignored", "factor-fixed", "softmax-factor", "trained-length-table")
    yield "deepseek-v3", text, {**model, "rope_scaling": deepseek}, {}, ("C13", "C16"), flags
    second = {**deepseek, "mscale": 0.707, "mscale_all_dim": 0.707}
    text = "DeepSeek-V2's coefficients, on a smaller width."
    yield "deepseek-v2", text, {**model, "qk_rope_head_dim": 16, "rope_scaling": second}, {}, ("C16",), flags
    zero = {**deepseek, "mscale": 0.707, "mscale_all_dim": 0}
    text = "A coefficient of 0 is unset: the factor is the logarithm's, the softmax scale stays."
    yield (
        "latent-zero",
        text,
        {**model, "qk_rope_head_dim": 8, "rope_scaling": zero},
        {},
        ("C12", "C16"),
        ("magnitude", "magnitude-rule"),
    )
    heads = {"head_dim": 8, "max_position_embeddings": 163840, "rope_scaling": deepseek}
    text = "The same object in a model without a latent width: the softmax scale stays."
    yield "not-latent", text, heads, {}, ("C16",), ("scaling-ignored", "softmax-coefficient")


def _long() -> Iterator[Row]:
    dynamic = {
        "hidden_size": 48,
        "num_attention_heads": 4,
        "max_position_embeddings": 2048,
        "rope_scaling": {"type": "dynamic", "factor": 4.0},
    }
    text = "The trained length of dynamic scaling is the table's."
    yield "dynamic", text, dynamic, {"seq_len": 4096}, ("C15",), ("scaling-ignored", "factor-fixed")
    text = "Up to the trained length nothing changes."
    yield "dynamic-short", text, {**dynamic, "rope_theta": 1e6}, {"seq_len": 1536}, ("C15",), ("fixed-base",)
    lists = {"short_factor": [1.0, 1.0, 1.2, 1.5], "long_factor": [1, 2, 8, 32]}
    phi = {
        "hidden_size": 96,
        "num_attention_heads": 12,
        "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096,
        "rope_scaling": {**lists, "type": "su"},
    }
    most = ("scaling-ignored", "magnitude")
    text = "Phi-3's form: the older name, the trained length outside, no factor; short."
    yield "phi3-short", text, phi, {"seq_len": 4096}, ("C12", "C15"), (*most, "long-list")
    text = "The same one token beyond the trained length."
    yield "phi3-long", text, phi, {"seq_len": 4097}, ("C12", "C15"), most
    given = {
        **lists,
        "rope_type": "longrope",
        "factor": 16.0,
        "attention_factor": 1.1,
        "original_max_position_embeddings": 4096,
    }
    share = {
        "head_dim": 16,
        "partial_rotary_factor": 0.5,
        "rope_theta": 250000.0,
        "max_position_embeddings": 131072,
        "rope_scaling": given,
    }
    text = "A part of the head, a factor of its own and a magnitude of its own."
    yield (
        "longrope-own",
        text,
        share,
        {"seq_len": 100},
        ("C13", "C15"),
        (*most, "fixed-base", "magnitude-given", "long-list"),
    )
