"""Known wrong implementations of ``rope_scaling.llama3`` and ``longrope``."""

import math
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array
from posref.mistakes._scaled import (
    blended,
    hand,
    is_long,
    llama3,
    longrope,
    mistake,
    plain,
    result,
    root,
    squared_root,
    turns,
)
from posref.operation import Mistake

FIXED = "https://github.com/pytorch/executorch/issues/7265"


def switched(given: Arguments) -> Array:
    """Keep every pair down to the long edge, then divide: no band between."""
    omega = plain(given)
    keeps = turns(omega, given) >= given["low_freq_factor"]
    return np.asarray(np.where(keeps, omega, omega / given["factor"]))


def banded(given: Arguments, **changes: Any) -> Any:
    """Return Llama 3's ladder with changed parameters."""
    changed = {**given, **changes}
    return result(blended(plain(changed), llama3(changed), changed["factor"]))


LLAMA: Final = {
    "rotary_dim": 8,
    "base": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}

LLAMA3: Final = (
    mistake(
        "llama3",
        "factor-ignored",
        "scaling-ignored",
        "the plain ladder gives",
        lambda given: result(plain(given)),
        report="https://github.com/Xilinx/mlir-air/issues/1948",
        **hand({}, LLAMA, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "llama3",
        "interpolated",
        "interpolation-for-bands",
        "every frequency divided by the factor gives: short wavelengths should stay",
        lambda given: result(plain(given) / given["factor"]),
        **hand({}, LLAMA, [0.125, 0.0125, 0.00125, 0.000125, 1.0]),
    ),
    mistake(
        "llama3",
        "no-band",
        "band-smooth",
        "a hard switch gives where a band blends",
        lambda given: result(switched(given)),
        **hand({}, LLAMA, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "llama3",
        "blend-inverted",
        "band-inverted",
        "an inverted blend gives inside the band",
        lambda given: result(
            blended(
                plain(given),
                np.where((llama3(given) > 0) & (llama3(given) < 1), 1 - llama3(given), llama3(given)),
                given["factor"],
            )
        ),
        **hand({}, LLAMA, [1.0, 0.1, 0.01, 0.000911392456, 1.0]),
    ),
    mistake(
        "llama3",
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is declared",
        lambda given: banded(given, factor=8.0),
        report=FIXED,
    ),
    mistake(
        "llama3",
        "trained-length-8192",
        "trained-length-fixed",
        "a trained length of 8192 gives where another is declared",
        lambda given: banded(given, original_max_position_embeddings=8192),
    ),
)

LONG: Final = {
    "rotary_dim": 4,
    "base": 10000.0,
    "factor": 32.0,
    "original_max_position_embeddings": 4096,
    "attention_factor": None,
}
LISTS: Final = {"short_factor": [1.0, 1.0], "long_factor": [1.0, 4.0]}
ROOT: Final = 1.1902380714238083

LONGROPE: Final = (
    mistake(
        "longrope",
        "lists-ignored",
        "scaling-ignored",
        "the plain ladder gives, without a factor",
        lambda given: result(plain(given)),
        **hand(LISTS, {**LONG, "seq_len": 5000}, [1.0, 0.01, 1.0]),
    ),
    mistake(
        "longrope",
        "always-long",
        "long-list",
        "the long list gives at a length that the short one serves: chosen by what is allocated",
        lambda given: result(longrope(given, True), root(given)),
        report="https://github.com/ggml-org/llama.cpp/issues/24823",
        **hand(LISTS, {**LONG, "seq_len": 10}, [1.0, 0.0025, ROOT]),
    ),
    mistake(
        "longrope",
        "always-short",
        "short-list",
        "the short list gives beyond the trained length: the other never reached the kernel",
        lambda given: result(longrope(given, False), root(given)),
        report="https://github.com/apache/tvm/issues/18422",
        **hand(LISTS, {**LONG, "seq_len": 4097}, [1.0, 0.01, ROOT]),
    ),
    mistake(
        "longrope",
        "switch-at-trained-length",
        "length-switch",
        "the long list gives at the trained length itself, where the short one still holds",
        lambda given: result(
            longrope(given, given["seq_len"] >= given["original_max_position_embeddings"]), root(given)
        ),
        **hand(LISTS, {**LONG, "seq_len": 4096}, [1.0, 0.0025, ROOT]),
    ),
    mistake(
        "longrope",
        "magnitude-forgotten",
        "magnitude",
        "a magnitude factor of 1 gives where another is declared",
        lambda given: result(longrope(given, is_long(given))),
    ),
    mistake(
        "longrope",
        "no-root",
        "magnitude-root",
        "the magnitude factor without its square root gives",
        lambda given: result(
            longrope(given, is_long(given)),
            squared_root(given) if given.get("attention_factor") is None else root(given),
        ),
        **hand(LISTS, {**LONG, "seq_len": 10}, [1.0, 0.01, 1.41666666667]),
    ),
    mistake(
        "longrope",
        "own-factor-ignored",
        "magnitude-given",
        "a computed factor gives where the configuration has its own",
        lambda given: result(longrope(given, is_long(given)), math.sqrt(squared_root(given))),
    ),
    mistake(
        "longrope",
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        lambda given: result(longrope({**given, "base": 10000.0}, is_long(given)), root(given)),
        report="https://github.com/vllm-project/vllm/issues/9503",
    ),
)

MISTAKES: Final[tuple[Mistake, ...]] = (*LLAMA3, *LONGROPE)
