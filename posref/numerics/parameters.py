"""Parameters checked against their domain in the registry, and brought to plain Python types."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from posref.errors import SpecError
from posref.operation import Parameter


def parameter(field: Parameter, value: Any, clauses: Mapping[str, str]) -> Any:
    """Return `value` in plain Python types, or None, if `field` allows it.

    Parameters
    ----------
    field : Parameter
        The entry of the signature.
    value : object
        What the caller passed. A bool is no integer, and neither is 4.0.
    clauses : mapping of str to str
        Which clause rules a parameter; ``conventions.C6`` otherwise.

    Returns
    -------
    bool, int, float, str, list, mapping or None
        The same value.

    Raises
    ------
    SpecError
        If the type or the domain is wrong.
    """
    clause = clauses.get(field.name, "conventions.C6")
    if value is None:
        if field.nullable:
            return None
        raise SpecError("conventions.C6", field.name, "must be given, got None", "MISSING_PARAMETER")
    return CHECKS[field.type](field, value, clause)


def _integer(field: Parameter, value: Any, clause: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise SpecError("conventions.C6", field.name, f"must be an integer, got {value!r}")
    number = int(value)
    divisor = field.multiple_of or (2 if field.even else 1)
    if _outside(field, number) or number % divisor:
        raise SpecError(clause, field.name, f"must be {_domain(field, 'an integer')}, got {number}")
    return number


def _integers(field: Parameter, value: Any, clause: str) -> list[int]:
    if not isinstance(value, (list, tuple)) or not value or len(value) != (field.count or len(value)):
        number = field.count or "one or more"
        raise SpecError(clause, field.name, f"must be a list of {number} integers, got {value!r}")
    return [_integer(field, entry, clause) for entry in value]


def _outside(field: Parameter, number: Any) -> bool:
    return (
        (field.at_least is not None and number < field.at_least)
        or (field.at_most is not None and number > field.at_most)
        or (field.above is not None and number <= field.above)
    )


def _domain(field: Parameter, kind: str) -> str:
    limits = ((">=", field.at_least), ("<=", field.at_most), (">", field.above))
    divisor = field.multiple_of or (2 if field.even else None)
    rules = [f"{sign} {limit}" for sign, limit in limits if limit is not None]
    rules += [f"a multiple of {divisor}"] if divisor else []
    return f"{kind} {' and '.join(rules)}".rstrip()


def _real(field: Parameter, value: Any, clause: str) -> float:
    if isinstance(value, bool) or not isinstance(value, REALS):
        raise SpecError("conventions.C6", field.name, f"must be a real number, got {value!r}")
    infinite = isinstance(value, (float, np.floating)) and not math.isfinite(value)
    if infinite or _outside(field, value):
        raise SpecError(clause, field.name, f"must be {_domain(field, 'finite')}, got {value!r}")
    number = binary64(value)
    if number is None:
        raise SpecError("conventions.C6", field.name, f"must be a binary64 number, got {value!r}")
    return number


REALS: Final = (int, float, np.integer, np.floating)


def binary64(value: Any) -> float | None:
    """Return a finite real number as a float where binary64 holds it exactly, else None."""
    if isinstance(value, bool) or not isinstance(value, REALS):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number == value else None


def _boolean(field: Parameter, value: Any, _: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise SpecError("conventions.C6", field.name, f"must be True or False, got {value!r}")
    return bool(value)


def _string(field: Parameter, value: Any, _: str) -> str:
    if not isinstance(value, str):
        raise SpecError("conventions.C6", field.name, f"must be a string, got {value!r}")
    return value


def _config(field: Parameter, value: Any, clause: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(clause, field.name, f"must be an object, got {value!r}")
    return value


def _choices(field: Parameter, value: Any, clause: str) -> list[str]:
    if not isinstance(value, (list, tuple)) or not value:
        raise SpecError(clause, field.name, f"must be a list of choices, got {value!r}")
    chosen = [_choice(field, entry, clause) for entry in value]
    if len(set(chosen)) != len(chosen):
        raise SpecError(clause, field.name, f"must be a list without repetition, got {value!r}")
    return chosen


def _choice(field: Parameter, value: Any, clause: str) -> str:
    if not isinstance(value, str) or value not in field.values:
        raise SpecError(clause, field.name, f"must be one of {', '.join(field.values)}, got {value!r}")
    return value


def _scaling(field: Parameter, value: Any, clause: str) -> Mapping[str, Any]:
    known = ", ".join(field.rope_types)
    if not isinstance(value, Mapping) or value.get("rope_type") not in field.rope_types:
        raise SpecError(clause, field.name, f"must be None or have a rope_type of ({known}), got {value!r}")
    return value


CHECKS: Final[Mapping[str, Callable[[Parameter, Any, str], Any]]] = {
    "integer": _integer,
    "integers": _integers,
    "real": _real,
    "boolean": _boolean,
    "choice": _choice,
    "choices": _choices,
    "string": _string,
    "scaling": _scaling,
    "config": _config,
}
