"""From a `scaling` object to frequencies: the one way there for every operation that takes one."""

from collections.abc import Mapping
from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.given import Given
from posref.numerics.parameters import binary64, parameter
from posref.operation import Signature, signature
from posref.reference import _scaled_ladders as ladders
from posref.reference._scaled_ladders import Ladder, LongRope, Yarn

Scaling = Mapping[str, Any]

OF_THE_CALL: Final = {"rotary_dim", "head_dim", "base", "seq_len"}
"""Parameters of a scaling operation that a rotary operation has for itself."""

KEYS: Final = {
    "rope_type",
    *(
        entry.name
        for kind in ("linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "proportional")
        for entry in signature(f"rope_scaling.{kind}").parameters
        if entry.name not in OF_THE_CALL
    ),
    "short_factor",
    "long_factor",
}
"""Every key that a scaling object may have."""


def scaled(given: Given) -> Ladder:
    """Return the frequencies and the magnitude factor of a call with a `scaling` parameter (rope.C8)."""
    return scaled_ladder(given.scaling, rotary_dim=given.rotary_dim, base=given.base, seq_len=given.seq_len)


def scaled_ladder(scaling: Scaling | None, *, rotary_dim: int, base: float, seq_len: int | None) -> Ladder:
    """Return wide frequencies and the magnitude factor.

    Parameters
    ----------
    scaling : mapping, optional
        None, or a ``rope_type`` with its parameters; keys that the type has not are None or absent.
    rotary_dim : int
        Rotated width, in coordinates, checked.
    base : float
        Base of the ladder, checked.
    seq_len : int, optional
        Current length in tokens, checked.

    Returns
    -------
    Ladder
        ``rotary_dim / 2`` frequencies in radians per token, and the factor.

    Raises
    ------
    SpecError
        If `scaling` is refused (rope.C8), or a length that it needs is missing.
    """
    if scaling is None:
        return ladders.plain(rotary_dim, base)
    try:
        return _ladder(_checked(scaling), rotary_dim, base, seq_len)
    except SpecError as error:
        if error.parameter in {"scaling", "seq_len"}:
            raise
        raise SpecError("rope.C8", "scaling", str(error)) from error


def _ladder(given: dict[str, Any], rotary_dim: int, base: float, seq_len: int | None) -> Ladder:
    """Return the ladder of a checked scaling."""
    match given.pop("rope_type"):
        case "linear":
            found = ladders.linear(ladders.plain(rotary_dim, base).frequencies, **given)
        case "ntk":
            found = ladders.ntk(rotary_dim, base, **given)
        case "dynamic":
            found = ladders.dynamic(rotary_dim, base, seq_len=seq_len, **given)
        case "yarn":
            found = ladders.yarn(rotary_dim, base, Yarn(**given))
        case "llama3":
            found = ladders.llama3(rotary_dim, base, **given)
        case "longrope":
            found = ladders.longrope(rotary_dim, base, LongRope(seq_len=seq_len, **given))
        case _:
            found = ladders.proportional(rotary_dim, base, **given)
    return found


def _checked(scaling: Scaling) -> dict[str, Any]:
    """Return the keys that the type has, each checked as its operation does."""
    kind = scaling["rope_type"]
    entry = signature(f"rope_scaling.{kind}")
    own = {"rope_type"} | {rule.name for rule in entry.parameters if rule.name not in OF_THE_CALL}
    own |= {tensor.name for tensor in entry.inputs if tensor.name != "inv_freq"}
    for key, value in scaling.items():
        if key not in KEYS:
            raise SpecError("rope.C8", "scaling", f"{key!r} is no key of a scaling")
        if key not in own and value is not None:
            raise SpecError("rope.C8", "scaling", f"{kind} has no {key}: it must be None, got {value!r}")
    return {"rope_type": kind, **_parameters(entry, scaling), **_factors(entry, scaling)}


def _parameters(entry: Signature, scaling: Scaling) -> dict[str, Any]:
    found = {}
    for rule in entry.parameters:
        if rule.name not in OF_THE_CALL:
            if rule.required and rule.name not in scaling:
                raise SpecError("rope.C8", "scaling", f"{scaling['rope_type']} needs {rule.name}")
            found[rule.name] = parameter(rule, scaling.get(rule.name), {})
    return found


def _factors(entry: Signature, scaling: Scaling) -> dict[str, list[float]]:
    """Return the inputs of the operation, which a scaling has as lists of numbers."""
    found = {}
    for tensor in entry.inputs:
        if tensor.name != "inv_freq":
            found[tensor.name] = _numbers(tensor.name, scaling.get(tensor.name))
    return found


def _numbers(name: str, values: Any) -> list[float]:
    if not isinstance(values, list | tuple) or not values:
        raise SpecError("rope.C8", "scaling", f"{name} must be a list of numbers, got {values!r}")
    numbers = []
    for value in values:
        number = binary64(value)
        if number is None:
            raise SpecError("rope.C8", "scaling", f"{name} must hold binary64 numbers, got {value!r}")
        numbers.append(number)
    return numbers
