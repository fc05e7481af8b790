"""Claims: how close an implementation says it is, from the stored bits to an error model."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from posref.bounds.model import DEFAULT_CLAIM, MODELS
from posref.operation import DTYPES

INTEGERS: Final = ("int64", "bool")
"""Dtypes whose only claim is ``exact``."""

_ULP: Final = re.compile(r"ulp:([1-9][0-9]{0,8})")
_FIXED: Final = ("exact", "correctly_rounded", "faithful")
_FORMS: Final = ("float64", "power", "expln", "iterated", "widest")


def check_claim(claim: str) -> str:
    """Return `claim` if it is one; otherwise a ValueError lists what there is.

    Examples
    --------
    >>> check_claim("ulp:2")
    'ulp:2'
    """
    if claim in _FIXED or claim in MODELS or _ULP.fullmatch(claim):
        return claim
    known = ", ".join((*_FIXED, "ulp:1, ulp:2 ...", *MODELS))
    raise ValueError(f"no claim {claim!r}; there are {known}")


def default_claim(dtype: str) -> str:
    """Return the claim that an output of `dtype` is judged by when none is made."""
    return "exact" if dtype in INTEGERS else DEFAULT_CLAIM[dtype]


def ulps(claim: str) -> int:
    """Return k of the claim ``ulp:k``, 0 for any other claim."""
    found = _ULP.fullmatch(claim)
    return int(found[1]) if found else 0


def applies(claim: str, dtype: str) -> bool:
    """Return whether `claim` can be made for outputs of `dtype`; integers are always judged exactly."""
    return dtype in INTEGERS or claim not in MODELS or dtype in MODELS[claim].dtypes


@cache
def ladder(dtype: str) -> tuple[str, ...]:
    """Return the claims tried in search of the strongest, the strongest first, models narrow to wide."""
    if dtype in INTEGERS:
        return ("exact",)
    return (
        *_FIXED,
        "ulp:1",
        "ulp:2",
        "ulp:4",
        *(name for name in sorted(MODELS, key=_width) if applies(name, dtype)),
    )


def _width(claim: str) -> tuple[float, ...]:
    """Order models by what costs most: short arithmetic, short tables, then angle, sine and frequency."""
    model = MODELS[claim]
    return model.u_m, model.u_s, model.u_a, model.kappa, _FORMS.index(model.frequency)


def check_dtypes(names: Iterable[str]) -> None:
    """Raise a ValueError for a name that is none of the floating dtypes."""
    for name in names:
        if name not in DTYPES:
            raise ValueError(f"no dtype {name!r}; there are {', '.join(DTYPES)}")
