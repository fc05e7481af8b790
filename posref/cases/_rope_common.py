"""Refusals that several rotary operations share."""

from collections.abc import Iterator
from typing import Any, Final

from posref.cases._build import Baseline, integers, tensor
from posref.operation import Group, Tensor

SCALING_KEYS: Final = (
    "rope_type",
    "factor",
    "original_max_position_embeddings",
    "beta_fast",
    "beta_slow",
    "ramp",
    "truncate",
    "extrapolation_factor",
    "attention_factor",
    "mscale",
    "mscale_all_dim",
    "mscale_rule",
    "low_freq_factor",
    "high_freq_factor",
    "short_factor",
    "long_factor",
    "partial_rotary_factor",
)
"""Keys of a `scaling` object, null where unused."""


def refused_ladder(base: Baseline) -> Iterator[Group]:
    """Yield the widths and bases that every operation with `rotary_dim` and `base` refuses."""

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("odd-width", "rotary_dim", "rope.C2", "An odd width has no pairs.", rotary_dim=3)
    yield refuse("zero-width", "rotary_dim", "rope.C2", "Nothing to rotate.", rotary_dim=0)
    yield refuse("negative-width", "rotary_dim", "rope.C2", "A negative width.", rotary_dim=-4)
    yield refuse("float-width", "rotary_dim", "conventions.C6", "A width is an integer.", rotary_dim=4.0)
    yield refuse("boolean-width", "rotary_dim", "conventions.C6", "A boolean is no width.", rotary_dim=True)
    yield refuse("base-1", "base", "rope.C2", "All frequencies would be 1.", base=1.0)
    yield refuse("base-0", "base", "rope.C2", "A base of 0.", base=0.0)
    yield refuse("base-below-1", "base", "rope.C2", "Frequencies would grow.", base=0.5)
    yield refuse("negative-base", "base", "rope.C2", "A negative base.", base=-10000.0)
    for name, short in (("rotary_dim", "width"), ("base", "base")):
        missing = ("MISSING_PARAMETER", name)
        yield base.refuse(f"no-{short}", missing, "conventions.C6", "Left out.", without=(name,))


def refused_pairing(base: Baseline, name: str = "pairing") -> Iterator[Group]:
    """Yield the refusals of a pairing: left out, and of another library's vocabulary."""
    short = name.replace("_", "-")
    missing, unknown = ("MISSING_PARAMETER", name), ("INVALID_PARAMETER", name)
    text = "The convention left out: there is no default."
    yield base.refuse(f"no-{short}", missing, "conventions.C6", text, without=(name,))
    text = "A name that this specification does not use."
    wrong: dict[str, Any] = {name: "interleaved"}
    yield base.refuse(f"unknown-{short}", unknown, "rope.C4", text, **wrong)


def refused_scaling(base: Baseline) -> Iterator[Group]:
    """Yield the refusals of the slice, `scaling` and `seq_len`."""

    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("negative-start", "rotary_start", "rope.C2", "A slice before coordinate 0.", rotary_start=-2)
    yield refuse("float-start", "rotary_start", "conventions.C6", "A start is an integer.", rotary_start=0.0)
    unknown = dict.fromkeys(SCALING_KEYS) | {"rope_type": "no-such-scaling"}
    yield refuse("unknown-scaling", "scaling", "rope.C8", "No scaling of this name.", scaling=unknown)
    yield refuse("no-rope-type", "scaling", "rope.C8", "A scaling without a name.", scaling={"factor": 2.0})
    yield refuse("zero-length", "seq_len", "rope.C8", "A length of no token.", seq_len=0)
    yield refuse("float-length", "seq_len", "conventions.C6", "A length is an integer.", seq_len=16.0)
    wide = ("INVALID_SHAPE", "rotary_dim")
    yield base.refuse("wide-slice", wide, "rope.C2", "A slice wider than the head.", rotary_dim=16)
    yield base.refuse("late-slice", wide, "rope.C2", "A slice past the end of the head.", rotary_start=6)


def refused_positions(
    base: Baseline, name: str = "positions", *, fractional: bool, count: int = 3
) -> Iterator[Group]:
    """Yield the positions that are always refused, and fractional ones where they are."""
    side = "" if name == "positions" else f"{name[0]}-"

    def refuse(case: str, kind: str, comment: str, value: Tensor, clause: str = "conventions.C4") -> Group:
        return base.refuse(f"{side}{case}", (kind, name), clause, comment, inputs={name: value})

    whole = tuple(range(count))
    yield refuse("above-limit", "OUT_OF_RANGE", "One beyond 2^53.", integers((*whole[1:], 2**53 + 1)))
    yield refuse("boolean", "INVALID_DTYPE", "A padding mask.", tensor("bool", (0, *(1,) * (count - 1))))
    yield refuse("rank-0", "INVALID_SHAPE", "No token axis.", integers((3,), ()), "conventions.C5")
    if fractional:
        infinite = tensor("float64", (*map(float, whole[1:]), float("inf")))
        yield refuse("infinite", "INVALID_PARAMETER", "An infinite position.", infinite)
    else:
        half = tensor("float64", tuple(value + 0.5 for value in whole))
        yield refuse("fractional", "INVALID_DTYPE", "A fractional position.", half, "rope.C11")
