"""Scaling objects of the rotary operations, and the refusals that scaling operations share."""

from collections.abc import Iterator
from typing import Any, Final

from posref.cases._build import Baseline
from posref.cases._rope_common import SCALING_KEYS
from posref.operation import Group

Params = dict[str, Any]

YARN: Final[Params] = {
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
"""The parameters of published YaRN models, beside width, base, factor and trained length."""

LLAMA3: Final[Params] = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}


def scaling(rope_type: str, **given: Any) -> Params:
    """Return a `scaling` object with every key."""
    return {**dict.fromkeys(SCALING_KEYS), "rope_type": rope_type, **given}


def yarn(factor: float, length: int, **given: Any) -> Params:
    """Return a YaRN scaling."""
    return scaling("yarn", factor=factor, original_max_position_embeddings=length, **{**YARN, **given})


def refused_domains(base: Baseline, width: str = "rotary_dim") -> Iterator[Group]:
    """Yield widths, bases and factors that every scaling operation that has them refuses (C1)."""
    clause = "rope_scaling.C11" if width == "head_dim" else "rope_scaling.C1"

    def refuse(name: str, parameter: str, rule: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), rule, comment, **wrong)

    if width in base.params:
        odd: Params = {width: 3}
        yield refuse("odd-width", width, clause, "An odd width has no pairs.", **odd)
        zero: Params = {width: 0}
        yield refuse("zero-width", width, clause, "Nothing to rotate.", **zero)
        yield base.refuse(
            "no-width", ("MISSING_PARAMETER", width), "conventions.C6", "Left out.", without=(width,)
        )
    if "base" in base.params:
        yield refuse("base-1", "base", "rope_scaling.C1", "All frequencies would be 1.", base=1.0)
    text = "A factor below 1 shortens the context."
    yield refuse("factor-below-1", "factor", "rope_scaling.C1", text, factor=0.5)
    yield refuse("infinite-factor", "factor", "rope_scaling.C1", "No factor.", factor=float("inf"))
    yield refuse("text-factor", "factor", "conventions.C6", "A factor is a number.", factor="8")
    missing = ("MISSING_PARAMETER", "factor")
    yield base.refuse("no-factor", missing, "conventions.C6", "Left out.", without=("factor",))
    if "original_max_position_embeddings" in base.params:
        length = "original_max_position_embeddings"
        wrong: Params = {length: 0}
        yield refuse("zero-trained-length", length, "rope_scaling.C1", "A length of no token.", **wrong)
        wrong = {length: 4096.0}
        yield refuse("float-trained-length", length, "conventions.C6", "A length is an integer.", **wrong)
    if "seq_len" in base.params:
        yield refuse("zero-length", "seq_len", "rope_scaling.C1", "A length of no token.", seq_len=0)
