"""Scaled ladders in plain float64, with every step open to a mistake."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from posref.mistakes._alter import Arguments, Array, Implementation, called
from posref.operation import Mistake

Result = tuple[Array, Array]
"""Frequencies and magnitude factor."""


def plain(given: Mapping[str, Any]) -> Array:
    """Return the ladder without scaling."""
    width = given["rotary_dim"]
    return np.asarray(float(given["base"]) ** (-np.arange(0, width, 2) / width))


def result(omega: Any, factor: Any = 1.0) -> Result:
    """Return both outputs as arrays."""
    return np.asarray(omega, np.float64), np.asarray(factor, np.float64)


def rebased(given: Mapping[str, Any], base: float) -> Array:
    """Return the ladder of another base."""
    return plain({**given, "base": base})


def power(width: int) -> float:
    """Return the exponent of the change of base."""
    return width / (width - 2)


def growth(given: Mapping[str, Any]) -> float:
    """Return dynamic scaling's m."""
    length, factor = given["original_max_position_embeddings"], given["factor"]
    return float(factor * max(given["seq_len"], length) / length - (factor - 1))


def blended(omega: Array, kept: Array, factor: float) -> Array:
    """Return frequencies of which a share is kept and the rest divided."""
    return np.asarray(kept * omega + (1 - kept) * omega / factor)


def turns(omega: Array, given: Mapping[str, Any]) -> Array:
    """Return the turns of each pair over the trained length."""
    return np.asarray(given["original_max_position_embeddings"] * omega / (2 * np.pi))


def by_turns(omega: Array, given: Mapping[str, Any], low: float, high: float) -> Array:
    """Return the kept shares, linear in turns."""
    return np.clip((turns(omega, given) - low) / (high - low), 0, 1)


def ends(given: Mapping[str, Any], truncate: bool, limit: float, lowest: float = 0) -> tuple[float, float]:
    """Return the pairs between which YaRN's ramp runs."""

    def pair(beta: float) -> float:
        inside = given["original_max_position_embeddings"] / (beta * 2 * math.pi)
        return float(given["rotary_dim"] * math.log(inside) / (2 * math.log(given["base"])))

    low, high = pair(given["beta_fast"]), pair(given["beta_slow"])
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, lowest), min(high, limit)
    return low, high + 0.001 if low == high else high


def by_index(given: Mapping[str, Any], truncate: bool, limit: float) -> Array:
    """Return the kept shares, linear in the pair's index."""
    low, high = ends(given, truncate, limit)
    return np.asarray(1 - np.clip((np.arange(given["rotary_dim"] // 2) - low) / (high - low), 0, 1))


def kept(given: Mapping[str, Any]) -> Array:
    """Return YaRN's kept shares as declared."""
    if given["ramp"] == "index":
        shares = by_index(given, given["truncate"], given["rotary_dim"] - 1)
    else:
        shares = by_turns(plain(given), given, given["beta_slow"], given["beta_fast"])
    return np.asarray(shares * given["extrapolation_factor"])


Logarithm = Callable[[float], float]


def magnitude(given: Mapping[str, Any], logarithm: Logarithm = math.log) -> float:
    """Return YaRN's magnitude factor, with any logarithm."""
    if given.get("attention_factor") is not None:
        return float(given["attention_factor"])

    def growing(coefficient: float) -> float:
        return 1 + 0.1 * coefficient * logarithm(given["factor"])

    rule, pair = given["mscale_rule"], (given["mscale"], given["mscale_all_dim"])
    if rule == "none":
        return 1.0
    if rule == "ratio" or (rule == "hf" and all(pair)):
        return growing(pair[0]) / growing(pair[1])
    return growing(1.0)


def yarn(given: Mapping[str, Any], shares: Array) -> Result:
    """Return YaRN with any shares."""
    return result(blended(plain(given), shares, given["factor"]), magnitude(given))


def llama3(given: Mapping[str, Any]) -> Array:
    """Return Llama 3's kept shares as declared."""
    return by_turns(plain(given), given, given["low_freq_factor"], given["high_freq_factor"])


def longrope(given: Mapping[str, Any], long: bool) -> Array:
    """Return the ladder divided by one of the two lists."""
    return np.asarray(plain(given) / given["long_factor" if long else "short_factor"])


def is_long(given: Mapping[str, Any]) -> bool:
    """Return whether the long list holds."""
    return bool(given["seq_len"] > given["original_max_position_embeddings"])


def root(given: Mapping[str, Any]) -> float:
    """Return LongRoPE's magnitude factor as declared."""
    if given.get("attention_factor") is not None:
        return float(given["attention_factor"])
    return math.sqrt(squared_root(given))


def squared_root(given: Mapping[str, Any]) -> float:
    """Return what LongRoPE takes the square root of."""
    factor = max(given["factor"], 1.0)
    return 1 + math.log(factor) / math.log(given["original_max_position_embeddings"])


def proportional(given: Mapping[str, Any], turning: int, width: int) -> Array:
    """Return `turning` frequencies of a ladder over `width`, then zeros."""
    count = given["head_dim"] // 2
    omega = np.zeros(count)
    turning = min(turning, count)
    omega[:turning] = float(given["base"]) ** (-2 * np.arange(turning) / max(width, 1)) / given["factor"]
    return omega


def wrong(operation: str, compute: Callable[[Arguments], Any]) -> Implementation:
    """Return an implementation that computes both outputs from arguments by name."""
    return called(f"rope_scaling.{operation}", compute)


def mistake(
    operation: str,
    name: str,
    flag: str,
    text: str,
    compute: Callable[[Arguments], Any],
    *,
    report: str = "",
    **check: Any,
) -> Mistake:
    """Return a mistake of a scaling operation."""
    full = f"rope_scaling.{operation}"
    return Mistake(name, full, flag, f"your output is what {text}", wrong(operation, compute), report, check)


def hand(inputs: Mapping[str, Any], params: Mapping[str, Any], output: list[float]) -> dict[str, Any]:
    """Return one call with the wrong result computed by hand."""
    return {"inputs": inputs, "params": params, "output": output}
