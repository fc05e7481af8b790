"""Known wrong implementations of ``rope_scaling.yarn``."""

import math
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array
from posref.mistakes._scaled import (
    blended,
    by_index,
    by_turns,
    hand,
    kept,
    magnitude,
    mistake,
    plain,
    rebased,
    result,
    yarn,
)
from posref.operation import Mistake

YARN: Final = {
    "rotary_dim": 8,
    "base": 10000.0,
    "factor": 4.0,
    "original_max_position_embeddings": 4096,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "attention_factor": None,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": "hf",
}
"""The worked example: a ramp from pair 1 to pair 3, a factor of 1 + 0.1 ln 4."""

FACTOR: Final = 1.138629436111989


def other_ramp(given: Arguments) -> Array:
    """Return the shares of the ramp that is not declared."""
    if given["ramp"] == "index":
        shares = by_turns(plain(given), given, given["beta_slow"], given["beta_fast"])
    else:
        shares = by_index(given, True, given["rotary_dim"] - 1)
    return np.asarray(shares * given["extrapolation_factor"])


def other_ends(given: Arguments, truncate: bool) -> Array:
    """Return the shares with the ramp's ends rounded or not, whatever is declared."""
    if given["ramp"] != "index":
        return kept(given)
    return np.asarray(by_index(given, truncate, given["rotary_dim"] - 1) * given["extrapolation_factor"])


def inner_limit(given: Arguments) -> Array:
    """Return the shares with the slow end stopped at the last pair."""
    if given["ramp"] != "index":
        return kept(given)
    shares = by_index(given, given["truncate"], given["rotary_dim"] // 2 - 1 or 1)
    return np.asarray(shares * given["extrapolation_factor"])


def exchanged(given: Arguments) -> Array:
    """Return the shares with the betas exchanged: the ramp runs backwards."""
    swapped = {**given, "beta_fast": given["beta_slow"], "beta_slow": given["beta_fast"]}
    return kept(swapped)


def in_power(given: Arguments) -> Array:
    """Return the slow frequencies from a base multiplied by the factor."""
    shares = kept(given)
    return np.asarray(shares * plain(given) + (1 - shares) * rebased(given, given["base"] * given["factor"]))


def other_rule(given: Arguments) -> float:
    """Return the magnitude factor by the other of the two rules."""
    if given.get("attention_factor") is not None or given["mscale_rule"] not in ("hf", "ratio"):
        return magnitude(given)
    unset = {"mscale": given["mscale"], "mscale_all_dim": given["mscale_all_dim"]}
    if given["mscale_rule"] == "ratio":
        return magnitude({**given, "mscale_rule": "hf"})
    defaults = {"mscale": 1.0, "mscale_all_dim": 0.0}
    filled = {key: defaults[key] if value is None else value for key, value in unset.items()}
    return magnitude({**given, **filled, "mscale_rule": "ratio"})


def scaled(given: Arguments, factor: float) -> Any:
    """Return right frequencies with any magnitude factor."""
    return result(blended(plain(given), kept(given), given["factor"]), factor)


def twice(given: Arguments) -> float:
    """Send the factor through its own formula once more."""
    return 1 + 0.1 * magnitude(given) * math.log(given["factor"])


def logarithm(given: Arguments) -> float:
    """Compute the factor whatever the configuration gives."""
    return 1 + 0.1 * math.log(given["factor"])


RAMPS: Final = (
    mistake(
        "yarn",
        "factor-ignored",
        "scaling-ignored",
        "the plain ladder gives, without a factor",
        lambda given: result(plain(given)),
        **hand({}, YARN, [1.0, 0.1, 0.01, 0.001, 1.0]),
    ),
    mistake(
        "yarn",
        "interpolated",
        "interpolation-for-bands",
        "every frequency divided by the factor gives: fast pairs should stay",
        lambda given: result(plain(given) / given["factor"], magnitude(given)),
        **hand({}, YARN, [0.25, 0.025, 0.0025, 0.00025, FACTOR]),
    ),
    mistake(
        "yarn",
        "ramp-inverted",
        "ramp-inverted",
        "an inverted ramp gives: fast pairs divided and slow ones kept",
        lambda given: yarn(given, given["extrapolation_factor"] - kept(given)),
        **hand({}, YARN, [0.25, 0.025, 0.00625, 0.001, FACTOR]),
    ),
    mistake(
        "yarn",
        "betas-exchanged",
        "ramp-betas",
        "exchanged betas give",
        lambda given: yarn(given, exchanged(given)),
        report="https://github.com/pytorch/torchtitan/issues/3787",
    ),
    mistake(
        "yarn",
        "scale-in-power",
        "scale-in-power",
        "slow frequencies of a base multiplied by the factor give where they are divided by it",
        lambda given: result(in_power(given), magnitude(given)),
        report="https://github.com/apache/tvm/issues/18576",
    ),
    mistake(
        "yarn",
        "ends-rounded",
        "ramp-rounded",
        "a ramp with rounded ends gives where they are left as they are",
        lambda given: yarn(given, other_ends(given, True)),
        report="https://github.com/vllm-project/vllm/issues/27722",
        **hand({}, {**YARN, "truncate": False}, [1.0, 0.1, 0.00625, 0.00025, FACTOR]),
    ),
    mistake(
        "yarn",
        "ends-not-rounded",
        "ramp-unrounded",
        "a ramp between fractions of pairs gives where its ends are rounded",
        lambda given: yarn(given, other_ends(given, False)),
        **hand({}, YARN, [1.0, 0.1, 0.006556971521129435, 0.00025, FACTOR]),
    ),
    mistake(
        "yarn",
        "other-ramp",
        "ramp-form",
        "the other ramp gives: linear in the pair's index and linear in its turns interchanged",
        lambda given: yarn(given, other_ramp(given)),
        **hand({}, YARN, [1.0, 0.1, 0.003835238661865492, 0.00025, FACTOR]),
    ),
    mistake(
        "yarn",
        "slow-end-at-last-pair",
        "ramp-clamp",
        "a slow end stopped at the last pair gives where the width less 1 stops it",
        lambda given: yarn(given, inner_limit(given)),
    ),
    mistake(
        "yarn",
        "weight-ignored",
        "extrapolation",
        "a weight of 1 for kept frequencies gives where another is declared",
        lambda given: yarn(given, kept({**given, "extrapolation_factor": 1.0})),
        **hand({}, {**YARN, "extrapolation_factor": 0.5}, [1.0, 0.1, 0.00625, 0.00025, FACTOR]),
    ),
)

LARGE: Final = {**YARN, "factor": 64.0}
AT_64: Final = [1.0, 0.1, 0.005 + 0.005 / 64, 0.001 / 64]
"""The ramp of the worked example with a factor of 64."""

OWN: Final = {**LARGE, "attention_factor": 1.0, "mscale_rule": None}
TWO_RULES: Final = {**YARN, "factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.0}

MAGNITUDES: Final = (
    mistake(
        "yarn",
        "magnitude-forgotten",
        "magnitude",
        "a magnitude factor of 1 gives where another is declared",
        lambda given: scaled(given, 1.0),
        **hand({}, LARGE, [*AT_64, 1.0]),
    ),
    mistake(
        "yarn",
        "magnitude-twice",
        "magnitude-logarithm",
        "the factor sent through the logarithm's formula once more gives",
        lambda given: scaled(given, twice(given)),
        report="https://github.com/NVIDIA/TensorRT-LLM/issues/16379",
        **hand({}, LARGE, [*AT_64, 1.58885139]),
    ),
    mistake(
        "yarn",
        "magnitude-log10",
        "magnitude-logarithm",
        "the decimal logarithm gives where the natural one belongs",
        lambda given: scaled(given, magnitude(given, math.log10)),
        **hand({}, LARGE, [*AT_64, 1.180617997]),
    ),
    mistake(
        "yarn",
        "other-rule",
        "magnitude-rule",
        "the other rule for the factor gives: hf, to which 0 is unset, and ratio interchanged",
        lambda given: scaled(given, other_rule(given)),
        **hand({}, TWO_RULES, [1.0, 0.1, 0.005125, 0.000025, 1.2608037774059]),
    ),
    mistake(
        "yarn",
        "coefficients-ignored",
        "magnitude-coefficients",
        "the logarithm alone gives where coefficients are declared",
        lambda given: scaled(
            given, logarithm(given) if given["mscale_rule"] in ("hf", "ratio") else magnitude(given)
        ),
    ),
    mistake(
        "yarn",
        "own-factor-ignored",
        "magnitude-given",
        "a computed factor gives where the configuration has its own",
        lambda given: scaled(
            given, magnitude(given) if given.get("attention_factor") is None else logarithm(given)
        ),
        report="https://github.com/ml-explore/mlx-lm/issues/1507",
        **hand({}, OWN, [*AT_64, 1.41588831]),
    ),
    mistake(
        "yarn",
        "factor-despite-none",
        "magnitude-none",
        "a computed factor gives where none is declared",
        lambda given: scaled(given, logarithm(given) if given["mscale_rule"] == "none" else magnitude(given)),
    ),
)

MISTAKES: Final[tuple[Mistake, ...]] = (*RAMPS, *MAGNITUDES)
