"""Conventions that are not looked at: one fixed value, whatever the caller declares.

A program of this kind is right wherever the declared value happens to be its own, so the usual test
passes it. Where the rest of the call does not admit its value, it does what is declared.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from posref.mistakes._alter import Arguments, Implementation, altered
from posref.operation import Mistake, Parameter, signatures

BESIDE: Final[Mapping[tuple[str, Any], Arguments]] = {
    ("rule", "arange"): {"pad_value": None, "padding_idx": None},
    ("rule", "cumsum"): {"pad_value": 1, "padding_idx": None},
    ("rule", "roberta"): {"pad_value": None, "padding_idx": 0},
    ("rule", "opt"): {"pad_value": None, "padding_idx": None},
    ("ramp", "index"): {"truncate": True},
    ("ramp", "rotations"): {"truncate": None},
    ("mscale_rule", "log_only"): {"mscale": None, "mscale_all_dim": None},
    ("mscale_rule", "none"): {"mscale": None, "mscale_all_dim": None},
}
"""What else a fixed value brings with it, because the specification ties them."""

NAMED: Final = frozenset(
    {
        ("alibi.bias", "future", "neg_inf"),
        ("alibi.bias", "future", "keep"),
        ("deberta.bucket", "clamp_first", True),
        ("deberta.bucket", "clamp_first", False),
        ("fourier.encode", "include_input", True),
        ("fourier.encode", "include_input", False),
        ("positions.from_mask", "rule", "arange"),
        ("rope_scaling.yarn", "truncate", True),
        ("t5.bias", "bidirectional", True),
        ("t5.bias", "bidirectional", False),
        ("xpos.apply", "role", "query"),
    }
)
"""Fixed values registered under a name of their own, or that the shape of the result gives away."""


def ignored(scheme: str) -> Iterator[Mistake]:
    """Yield the mistakes of every operation of `scheme` that takes a convention: one a fixed value."""
    for name, entry in signatures().items():
        if entry.scheme == scheme:
            for parameter in entry.parameters:
                for habit in parameter.habits:
                    if (name, parameter.name, habit) not in NAMED:
                        yield _mistake(name, parameter, habit)


def _mistake(operation: str, parameter: Parameter, habit: Any) -> Mistake:
    flag = parameter.ignored(habit)
    shown = str(habit).lower() if isinstance(habit, bool) else habit
    description = f"your output is what {parameter.name} {shown} gives, whatever is declared"
    return Mistake(flag, operation, flag, description, _fixing(operation, parameter.name, habit))


def _fixing(operation: str, name: str, habit: Any) -> Implementation:
    change = {name: habit} | BESIDE.get((name, habit), {})
    return altered(operation, lambda given: {} if given[name] in (habit, None) else change, optional=True)
