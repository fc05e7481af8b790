"""Known wrong implementations of ``rope_scaling.resolve``: keys read from the wrong place, or not at all."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from posref.errors import ConfigWarning, SpecError
from posref.mistakes._alter import Arguments, Implementation, called, reference
from posref.operation import Mistake
from posref.reference._rope_scaling import scaled_ladder
from posref.reference._settings import Settings, settings

NAME: Final = "rope_scaling.resolve"
Outputs = tuple[Any, ...]


def right(arguments: Arguments) -> Outputs:
    """Return the reference's result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)
        return tuple(np.asarray(entry) for entry in reference(NAME, arguments))


def reread(change: Callable[[Arguments], Arguments]) -> Implementation:
    """Return the reference with changed arguments; right where the change makes no legal call."""

    def compute(arguments: Arguments) -> Outputs:
        known = right(arguments)
        try:
            found = right({**arguments, **change(arguments)})
        except SpecError:
            return known
        return found if found[0].shape == known[0].shape else known

    return called(NAME, compute)


def altered(change: Callable[[Settings, Arguments], Settings]) -> Implementation:
    """Return an implementation that reads a configuration and then changes what it found."""

    def compute(arguments: Arguments) -> Outputs:
        known = right(arguments)
        found = settings(arguments["config"], arguments.get("layer_type"), arguments.get("layer_index"))
        changed = change(found, arguments)
        if not found.rotary_dim or changed == found:
            return known
        ladder = scaled_ladder(
            changed.scaling,
            rotary_dim=changed.rotary_dim,
            base=changed.base,
            seq_len=arguments.get("seq_len"),
        )
        omega = np.array([float(entry) for entry in ladder.frequencies])
        return omega, np.float64(ladder.factor), *known[2:4], np.float64(changed.base)

    return called(NAME, compute)


def rescaled(found: Settings, **changes: Any) -> Settings:
    """Return settings with changed parameters of the scaling, where it has them."""
    if found.scaling is None:
        return found
    known = {key: value for key, value in changes.items() if key in found.scaling}
    return replace(found, scaling={**found.scaling, **known})


def top(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object of the text model."""
    text = config.get("text_config")
    return text if isinstance(text, Mapping) else config


def no_scaling(found: Settings, arguments: Arguments) -> Settings:
    """Read no rope object."""
    return replace(found, scaling=None)


def base_10000(found: Settings, arguments: Arguments) -> Settings:
    """Take the base from a class's default."""
    return replace(found, base=10000.0)


def factor_8(found: Settings, arguments: Arguments) -> Settings:
    """Take the first published factor."""
    return rescaled(found, factor=8.0)


def table_length(found: Settings, arguments: Arguments) -> Settings:
    """Take the length of the table for the trained length."""
    whole = top(arguments["config"]).get("max_position_embeddings")
    return rescaled(found, original_max_position_embeddings=whole) if whole else found


def ratio_wins(found: Settings, arguments: Arguments) -> Settings:
    """Compute the factor from the two lengths though it is given."""
    whole = top(arguments["config"]).get("max_position_embeddings")
    if found.scaling is None or found.kind not in ("yarn", "longrope", "llama3") or not whole:
        return found
    return rescaled(found, factor=max(1.0, whole / found.scaling["original_max_position_embeddings"]))


def always_truncated(found: Settings, arguments: Arguments) -> Settings:
    """Round the ramp's ends whatever the configuration says."""
    return rescaled(found, truncate=True)


def own_factor_ignored(found: Settings, arguments: Arguments) -> Settings:
    """Compute the magnitude factor though it is given."""
    if found.scaling is None or found.scaling.get("attention_factor") is None:
        return found
    return rescaled(found, attention_factor=None, mscale_rule="hf")


def ratio_rule(found: Settings, arguments: Arguments) -> Settings:
    """Take 1 and 0 for coefficients that are not given, and their quotient always."""
    if found.scaling is None or found.scaling.get("mscale_rule") != "hf":
        return found
    pair = [found.scaling["mscale"], found.scaling["mscale_all_dim"]]
    upper, lower = (
        default if value is None else value for value, default in zip(pair, (1.0, 0.0), strict=True)
    )
    return rescaled(found, mscale=upper, mscale_all_dim=lower, mscale_rule="ratio")


def over_head(arguments: Arguments) -> Outputs:
    """Run the ladder over the head where a part of it turns."""
    known, config = right(arguments), top(arguments["config"])
    head = config.get("head_dim")
    if head is None:
        hidden, heads = (
            config.get(a) or config.get(b)
            for a, b in (("hidden_size", "n_embd"), ("num_attention_heads", "n_head"))
        )
        head = hidden // heads if hidden and heads else 0
    found = settings(arguments["config"], arguments.get("layer_type"), arguments.get("layer_index"))
    if found.scaling is not None or not found.rotary_dim or not head or config.get("qk_rope_head_dim"):
        return known
    omega = found.base ** (-2.0 * np.arange(found.rotary_dim // 2) / head)
    return np.asarray(omega), *known[1:]


def other_layer(arguments: Arguments) -> Arguments:
    """Enter the other layer type."""
    kinds = {"full_attention": "sliding_attention", "sliding_attention": "full_attention"}
    kind = arguments.get("layer_type")
    return {"layer_type": kinds.get(kind, kind)} if kind else {}


def by_allocation(arguments: Arguments) -> Arguments:
    """Take what is allocated for the current length."""
    whole = top(arguments["config"]).get("max_position_embeddings")
    return {"seq_len": whole} if whole and arguments.get("seq_len") else {}


def no_softmax(arguments: Arguments) -> Outputs:
    """Leave the softmax scale as it is."""
    known = right(arguments)
    return *known[:2], np.float64(1.0), *known[3:]


def softmax_once(arguments: Arguments) -> Outputs:
    """Multiply the softmax scale by the factor instead of its square."""
    known = right(arguments)
    return *known[:2], np.sqrt(known[2]), *known[3:]


def softmax_of_mscale(arguments: Arguments) -> Outputs:
    """Take `mscale` where `mscale_all_dim` makes the softmax scale."""
    known = right(arguments)
    scaling = settings(arguments["config"], arguments.get("layer_type"), arguments.get("layer_index")).scaling
    if scaling is None or not scaling.get("mscale"):
        return known
    factor = 1 + 0.1 * scaling["mscale"] * np.log(scaling["factor"])
    return *known[:2], np.float64(factor**2), *known[3:]


def no_magnitude(arguments: Arguments) -> Outputs:
    """Forget the factor on cosine and sine."""
    known = right(arguments)
    return known[0], np.float64(1.0), *known[2:]


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _call(config: Mapping[str, Any], output: list[float]) -> dict[str, Any]:
    return {"inputs": {}, "params": {"config": config}, "output": output}


DEEPSEEK: Final = {
    "qk_rope_head_dim": 2,
    "rope_scaling": {
        "type": "yarn",
        "factor": 40,
        "original_max_position_embeddings": 4096,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
    },
}
"""One pair, at frequency 1; the softmax factor is 1.87385421."""

LINEAR: Final = {"head_dim": 4, "rope_theta": 250000, "rope_scaling": {"type": "linear", "factor": 4.0}}

MISTAKES: Final = (
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is published",
        altered(base_10000),
        "https://github.com/vllm-project/vllm/issues/9503",
        **_call(LINEAR, [0.25, 0.0025, 1.0, 1.0, 4, 10000.0]),
    ),
    _mistake(
        "scaling-not-read",
        "scaling-ignored",
        "plain frequencies give: the rope object was not read",
        altered(no_scaling),
        "https://github.com/turboderp/exllamav2/issues/704",
        **_call(LINEAR, [1.0, 0.002, 1.0, 1.0, 4, 250000.0]),
    ),
    _mistake(
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is published",
        altered(factor_8),
        "https://github.com/pytorch/executorch/issues/7265",
        **_call(LINEAR, [0.125, 0.00025, 1.0, 1.0, 4, 250000.0]),
    ),
    _mistake(
        "table-length",
        "trained-length-table",
        "the length of the table gives where the trained length is meant",
        altered(table_length),
        "https://github.com/NVIDIA/Megatron-LM/issues/1418",
    ),
    _mistake(
        "ratio-of-lengths",
        "factor-ratio",
        "the ratio of the two lengths gives where a factor is published",
        altered(ratio_wins),
    ),
    _mistake(
        "always-truncated",
        "ramp-rounded",
        "a ramp with rounded ends gives where the configuration leaves them as they are",
        altered(always_truncated),
        "https://github.com/vllm-project/vllm/issues/27722",
    ),
    _mistake(
        "own-factor-ignored",
        "magnitude-given",
        "a computed factor gives where the configuration has its own",
        altered(own_factor_ignored),
        "https://github.com/ml-explore/mlx-lm/issues/1507",
    ),
    _mistake(
        "ratio-rule",
        "magnitude-rule",
        "a quotient with 1 and 0 for coefficients that are not published gives",
        altered(ratio_rule),
    ),
    _mistake(
        "magnitude-forgotten",
        "magnitude",
        "a magnitude factor of 1 gives where another follows",
        called(NAME, no_magnitude),
    ),
    _mistake(
        "ladder-over-head",
        "frequency-width",
        "a ladder over the head width gives where a part of the head turns",
        called(NAME, over_head),
        "https://github.com/huggingface/transformers/issues/48652",
    ),
    _mistake(
        "other-layer-type",
        "layer-type-ignored",
        "the frequencies of the other layer type give",
        reread(other_layer),
        "https://github.com/Blaizzy/mlx-vlm/issues/1709",
    ),
    _mistake(
        "by-allocation",
        "long-list",
        "the list for long inputs gives: chosen by what is allocated, not by the current length",
        reread(by_allocation),
        "https://github.com/ggml-org/llama.cpp/issues/24823",
    ),
    _mistake(
        "softmax-factor-missing",
        "softmax-factor",
        "a softmax scale without its factor gives",
        called(NAME, no_softmax),
        "https://github.com/huggingface/transformers/issues/47435",
        **_call(DEEPSEEK, [1.0, 1.0, 1.0, 2, 10000.0]),
    ),
    _mistake(
        "softmax-factor-once",
        "softmax-factor",
        "a softmax scale multiplied by the factor instead of its square gives",
        called(NAME, softmax_once),
        **_call(DEEPSEEK, [1.0, 1.0, 1.3688879454, 2, 10000.0]),
    ),
    _mistake(
        "softmax-factor-of-mscale",
        "softmax-coefficient",
        "`mscale` in the softmax factor gives where `mscale_all_dim` belongs",
        called(NAME, softmax_of_mscale),
        "https://github.com/huggingface/transformers/issues/47435",
    ),
)
