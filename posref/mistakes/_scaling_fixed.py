"""Scalings that have a number built in which the configuration gives, or lose one on the way."""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered
from posref.mistakes._scaled import ends, hand, kept, mistake, power, rebased, result, yarn
from posref.mistakes._scaling_yarn import YARN
from posref.operation import Mistake

WHERE: Final = "gives where another is declared"
BASE: Final = ("base-10000", "fixed-base", f"base 10000 {WHERE}", {"base": 10000.0})
DEFAULT: Final = "https://github.com/vllm-project/vllm/issues/9503"
FACTOR: Final = "https://github.com/pytorch/executorch/issues/7265"


def _length(value: int) -> tuple[str, str, str, dict[str, Any]]:
    text = f"a trained length of {value} {WHERE}"
    given = {"original_max_position_embeddings": value}
    return f"trained-length-{value}", "trained-length-fixed", text, given


BUILT_IN: Final = (
    ("ntk", *BASE, DEFAULT),
    ("dynamic", *BASE, DEFAULT),
    ("yarn", *BASE, DEFAULT),
    ("llama3", *BASE, DEFAULT),
    ("dynamic", *_length(2048), ""),
    ("yarn", *_length(4096), ""),
    ("longrope", *_length(4096), ""),
    (
        "yarn",
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is declared",
        {"factor": 8.0},
        FACTOR,
    ),
    (
        "longrope",
        "factor-32",
        "factor-fixed",
        f"a factor of 32 {WHERE}",
        {"factor": 32.0},
        FACTOR,
    ),
    (
        "yarn",
        "betas-32-1",
        "betas-fixed",
        "betas of 32 and 1 give where others are declared",
        {"beta_fast": 32.0, "beta_slow": 1.0},
        "",
    ),
    (
        "llama3",
        "edges-1-4",
        "band-fixed",
        "band edges of 1 and 4 give where others are declared",
        {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
        "",
    ),
    (
        "proportional",
        "quarter",
        "share-fixed",
        f"a share of one quarter {WHERE}",
        {"partial_rotary_factor": 0.25},
        "",
    ),
)
"""Operation, name, flag, how the diagnosis goes on, what is built in, report."""


def _built_in() -> list[Mistake]:
    found = []
    for operation, name, flag, text, params, report in BUILT_IN:
        full = f"rope_scaling.{operation}"
        function = altered(full, _given(params), optional=True)
        found.append(Mistake(name, full, flag, f"your output is what {text}", function, report))
    return found


def _given(params: dict[str, Any]) -> Callable[[Arguments], Arguments]:
    return lambda arguments: params


def powers_of_two(given: Arguments) -> Array:
    """Let the base grow in steps, a power of two less 1, as Qwen does."""
    ratio = given["seq_len"] / given["original_max_position_embeddings"]
    steps = max(2 ** math.ceil(math.log2(ratio) + 1) - 1, 1)
    return rebased(given, given["base"] * steps ** power(given["rotary_dim"]))


def int16(given: Arguments) -> Arguments:
    """Squeeze the trained length through 16 bits."""
    return {
        **given,
        "original_max_position_embeddings": min(given["original_max_position_embeddings"], 32767),
    }


def before_pair_0(given: Arguments) -> Array:
    """Leave the fast end where it is, before the first pair."""
    shares = kept(given)
    if given["ramp"] != "index":
        return shares
    low, high = ends(given, given["truncate"], given["rotary_dim"] - 1, lowest=-math.inf)
    pairs = np.arange(given["rotary_dim"] // 2)
    return np.asarray((1 - np.clip((pairs - low) / (high - low), 0, 1)) * given["extrapolation_factor"])


LOST: Final = (
    mistake(
        "dynamic",
        "growth-in-powers",
        "dynamic-rounded",
        "a growth rounded to a power of two less 1, as Qwen has it, gives",
        lambda given: result(powers_of_two(given)),
        report="https://github.com/InternLM/lmdeploy/issues/536",
        **hand(
            {},
            {
                "rotary_dim": 4,
                "base": 10000.0,
                "factor": 1.0,
                "original_max_position_embeddings": 2048,
                "seq_len": 3000,
            },
            [1.0, 1 / 300, 1.0],
        ),
    ),
    mistake(
        "yarn",
        "length-int16",
        "length-int16",
        "a trained length that is 32767 at most gives: it passed through 16 bits",
        lambda given: yarn(given, kept(int16(given))),
    ),
    mistake(
        "yarn",
        "fast-end-before-pair-0",
        "ramp-low",
        "a fast end before the first pair gives: it was not moved to 0",
        lambda given: yarn(given, before_pair_0(given)),
        report="https://github.com/pytorch/torchtitan/issues/4215",
        **hand(
            {},
            {**YARN, "original_max_position_embeddings": 64},
            [1 - 0.75 / 3, 0.1 * (1 - 0.75 * 2 / 3), 0.0025, 0.00025, 1.138629436111989],
        ),
    ),
)

MISTAKES: Final[tuple[Mistake, ...]] = (*_built_in(), *LOST)
