"""Parameters checked against their domain in the registry, and brought to plain Python types."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from posref.errors import SpecError
from posref.operation import Parameter


def parameter(field: Parameter, value: Any, clauses: Mapping[str, str]) -> Any:
    """Return `value` as a Python integer, float or string, or None, if `field` allows it.

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
    int, float, str, mapping or None
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
    return {"integer": _integer, "real": _real, "choice": _choice, "scaling": _scaling}[field.type](
        field, value, clause
    )


def _integer(field: Parameter, value: Any, clause: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise SpecError("conventions.C6", field.name, f"must be an integer, got {value!r}")
    number = int(value)
    low = field.at_least is None or number >= field.at_least
    high = field.at_most is None or number <= field.at_most
    if not (low and high) or (field.even and number % 2):
        raise SpecError(clause, field.name, f"must be {_domain(field)}, got {number}")
    return number


def _domain(field: Parameter) -> str:
    limits = [
        f"{sign} {limit}"
        for sign, limit in ((">=", field.at_least), ("<=", field.at_most))
        if limit is not None
    ]
    return f"an {'even ' if field.even else ''}integer {' and '.join(limits)}".rstrip()


def _real(field: Parameter, value: Any, clause: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise SpecError("conventions.C6", field.name, f"must be a real number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or (field.above is not None and number <= field.above):
        above = "" if field.above is None else f" and > {field.above}"
        raise SpecError(clause, field.name, f"must be finite{above}, got {value!r}")
    if number != value:
        raise SpecError("conventions.C6", field.name, f"must be a binary64 number, got {value!r}")
    return number


def _choice(field: Parameter, value: Any, clause: str) -> str:
    if not isinstance(value, str) or value not in field.values:
        raise SpecError(clause, field.name, f"must be one of {', '.join(field.values)}, got {value!r}")
    return value


def _scaling(field: Parameter, value: Any, clause: str) -> Mapping[str, Any]:
    known = ", ".join(field.rope_types) or "none in this version"
    if not isinstance(value, Mapping) or value.get("rope_type") not in field.rope_types:
        raise SpecError(clause, field.name, f"must be None or have a rope_type of ({known}), got {value!r}")
    return value
