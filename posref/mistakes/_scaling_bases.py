"""Known wrong implementations of ``rope_scaling.linear``, ``ntk``, ``dynamic`` and ``proportional``."""

from typing import Final

import numpy as np

from posref.mistakes._alter import Arguments, Array
from posref.mistakes._scaled import growth, hand, mistake, plain, power, proportional, rebased, result
from posref.operation import Mistake

FIXED = "https://github.com/pytorch/executorch/issues/7265"
LADDER: Final = {"inv_freq": [1.0, 0.01]}

LINEAR: Final = (
    mistake(
        "linear",
        "factor-ignored",
        "scaling-ignored",
        "frequencies without the factor give",
        lambda given: result(given["inv_freq"]),
        report="https://github.com/turboderp/exllamav2/issues/704",
        **hand(LADDER, {"factor": 2.0}, [1.0, 0.01, 1.0]),
    ),
    mistake(
        "linear",
        "factor-multiplied",
        "interpolation-direction",
        "frequencies multiplied by the factor give where they are divided",
        lambda given: result(np.asarray(given["inv_freq"]) * given["factor"]),
        report="https://github.com/keras-team/keras-hub/issues/1605",
        **hand(LADDER, {"factor": 2.0}, [2.0, 0.02, 1.0]),
    ),
    mistake(
        "linear",
        "exponent-divided",
        "interpolated-exponent",
        "a ladder gives whose exponents were divided by the factor",
        lambda given: result(np.sign(given["inv_freq"]) * np.abs(given["inv_freq"]) ** (1 / given["factor"])),
        report="https://github.com/keras-team/keras-hub/issues/1605",
        **hand(LADDER, {"factor": 2.0}, [1.0, 0.1, 1.0]),
    ),
    mistake(
        "linear",
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is declared",
        lambda given: result(np.asarray(given["inv_freq"]) / 8),
        report=FIXED,
    ),
    mistake(
        "linear",
        "first-pair-kept",
        "interpolation-first",
        "a first frequency left as it is gives: only the others were divided",
        lambda given: result(
            np.asarray(given["inv_freq"]) / np.r_[1.0, np.full(len(given["inv_freq"]) - 1, given["factor"])]
        ),
    ),
)

MODEL: Final = {"rotary_dim": 8, "base": 10000.0, "factor": 4.0}

NTK: Final = (
    mistake(
        "ntk",
        "factor-ignored",
        "scaling-ignored",
        "the base without a change gives",
        lambda given: result(plain(given)),
        report="https://github.com/turboderp/exllamav2/issues/704",
        **hand({}, MODEL, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "ntk",
        "base-times-factor",
        "base-exponent",
        "the base multiplied by the factor itself gives: the exponent R/(R-2) is missing",
        lambda given: result(rebased(given, given["base"] * given["factor"])),
        **hand({}, MODEL, [1.0, 0.07071067811865475, 0.005, 0.00035355339059327376, 1.0]),
    ),
    mistake(
        "ntk",
        "factor-in-every-pair",
        "base-factor",
        "every frequency divided by the factor to the power R/(R-2) gives: the power belongs to the base",
        lambda given: result(plain(given) / given["factor"] ** power(given["rotary_dim"])),
        **hand(
            {},
            MODEL,
            [0.15749013123685915, 0.015749013123685915, 0.0015749013123685916, 0.00015749013123685915, 1.0],
        ),
    ),
    mistake(
        "ntk",
        "mixed-power",
        "base-exponent",
        "the base times the factor gives, with every frequency divided by s^(2/R) besides",
        lambda given: result(
            rebased(given, given["base"] * given["factor"]) / given["factor"] ** (2 / given["rotary_dim"])
        ),
        **hand({}, MODEL, [0.7071067811865475, 0.05, 0.0035355339059327372, 0.00025, 1.0]),
    ),
    mistake(
        "ntk",
        "interpolated",
        "interpolation-for-base",
        "frequencies divided by the factor give: the first one should stay",
        lambda given: result(plain(given) / given["factor"]),
        **hand({}, MODEL, [0.25, 0.025, 0.0025, 0.00025, 1.0]),
    ),
    mistake(
        "ntk",
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is declared",
        lambda given: result(rebased(given, given["base"] * 8 ** power(given["rotary_dim"]))),
        report=FIXED,
    ),
)


def grown(given: Arguments, growth: float, exponent: float | None = None) -> Array:
    """Return the ladder for any growth; one that is not above 0 changes nothing."""
    exponent = power(given["rotary_dim"]) if exponent is None else exponent
    return plain(given) if growth <= 0 else rebased(given, given["base"] * growth**exponent)


def below(given: Arguments) -> float:
    """Return m without the maximum."""
    factor = given["factor"]
    return float(factor * given["seq_len"] / given["original_max_position_embeddings"] - (factor - 1))


def ratio(given: Arguments) -> float:
    """Return s max(N, L) / L, without what is to be subtracted, from the trained length on."""
    length = given["original_max_position_embeddings"]
    return 1.0 if given["seq_len"] <= length else float(given["factor"] * given["seq_len"] / length)


REPORT: Final = {"rotary_dim": 4, "base": 10000.0, "original_max_position_embeddings": 2048}
"""With four coordinates the second frequency is 1 / (100 m)."""

DYNAMIC: Final = (
    mistake(
        "dynamic",
        "factor-ignored",
        "scaling-ignored",
        "the base without a change gives",
        lambda given: result(plain(given)),
    ),
    mistake(
        "dynamic",
        "constant-growth",
        "dynamic-constant",
        "a length of s L gives at every length: m is the constant s^2 - s + 1",
        lambda given: result(grown(given, given["factor"] ** 2 - given["factor"] + 1)),
        report="https://github.com/vllm-project/vllm/issues/41236",
        **hand({}, {**REPORT, "factor": 4.0, "seq_len": 4096}, [1.0, 1 / 1300, 1.0]),
    ),
    mistake(
        "dynamic",
        "short-inputs-too",
        "dynamic-below",
        "a base changed below the trained length gives: the maximum of N and L is missing",
        lambda given: result(grown(given, below(given))),
        report="https://github.com/NVIDIA/TensorRT-LLM/issues/1299",
        **hand({}, {**REPORT, "factor": 2.0, "seq_len": 1536}, [1.0, 0.02, 1.0]),
    ),
    mistake(
        "dynamic",
        "nothing-subtracted",
        "dynamic-growth",
        "m = s N / L gives: the s - 1 to be subtracted is missing",
        lambda given: result(grown(given, ratio(given))),
        **hand({}, {**REPORT, "factor": 2.0, "seq_len": 4096}, [1.0, 0.0025, 1.0]),
    ),
    mistake(
        "dynamic",
        "base-times-growth",
        "base-exponent",
        "the base multiplied by m itself gives: the exponent R/(R-2) is missing",
        lambda given: result(grown(given, growth(given), 1.0)),
    ),
    mistake(
        "dynamic",
        "factor-8",
        "factor-fixed",
        "a factor of 8 gives where another is declared",
        lambda given: result(grown(given, growth({**given, "factor": 8.0}))),
        report=FIXED,
    ),
)


def turning(given: Arguments) -> int:
    """Return the number of pairs that turn."""
    return int(given["partial_rotary_factor"] * given["head_dim"]) // 2


HEAD: Final = {"head_dim": 8, "base": 10000.0, "partial_rotary_factor": 0.5, "factor": 1.0}

PROPORTIONAL: Final = (
    mistake(
        "proportional",
        "as-partial",
        "proportional-partial",
        "ordinary partial rotation gives: a ladder over the turning part instead of the head",
        lambda given: result(proportional(given, turning(given), 2 * turning(given))),
        report="https://github.com/apple/coreai-models/issues/66",
        **hand({}, HEAD, [1.0, 0.01, 0.0, 0.0, 1.0]),
    ),
    mistake(
        "proportional",
        "coordinates-for-pairs",
        "proportional-width",
        "twice as many turning pairs give: coordinates were counted as pairs",
        lambda given: result(proportional(given, 2 * turning(given), given["head_dim"])),
        **hand({}, HEAD, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "proportional",
        "share-rounded",
        "width-rounding",
        "a product of share and width rounded to the nearest integer gives where it is truncated",
        lambda given: result(
            proportional(
                given, round(given["partial_rotary_factor"] * given["head_dim"]) // 2, given["head_dim"]
            )
        ),
    ),
    mistake(
        "proportional",
        "all-turning",
        "proportional-rest",
        "a whole ladder gives: the other pairs should stand still",
        lambda given: result(proportional(given, given["head_dim"], given["head_dim"])),
        **hand({}, {**HEAD, "partial_rotary_factor": 0.25}, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "proportional",
        "factor-ignored",
        "scaling-ignored",
        "frequencies without the factor give",
        lambda given: result(proportional({**given, "factor": 1.0}, turning(given), given["head_dim"])),
    ),
    mistake(
        "proportional",
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        lambda given: result(proportional({**given, "base": 10000.0}, turning(given), given["head_dim"])),
        report="https://github.com/vllm-project/vllm/issues/9503",
    ),
)

MISTAKES: Final[tuple[Mistake, ...]] = (*LINEAR, *NTK, *DYNAMIC, *PROPORTIONAL)
