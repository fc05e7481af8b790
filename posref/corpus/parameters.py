"""Parameters as JSON: typed by the signature, or by their Python type where a file is loose."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from posref.corpus.bits import floats, hexadecimal
from posref.corpus.strict import Place
from posref.operation import Parameter, Signature

SCALING: Final = {
    "rope_type": "text",
    "factor": "real",
    "original_max_position_embeddings": "integer",
    "beta_fast": "real",
    "beta_slow": "real",
    "ramp": "text",
    "truncate": "boolean",
    "extrapolation_factor": "real",
    "attention_factor": "real",
    "mscale": "real",
    "mscale_all_dim": "real",
    "mscale_rule": "text",
    "low_freq_factor": "real",
    "high_freq_factor": "real",
    "short_factor": "reals",
    "long_factor": "reals",
    "partial_rotary_factor": "real",
}
"""Keys of a `scaling` object, in order, and the type of each."""

Json = dict[str, Any]

_BITS = re.compile(r"[0-9a-f]{16}")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|-?inf|nan")


def real(value: float) -> Json:
    """Return a real parameter as JSON: its bits, and a decimal for readers.

    Examples
    --------
    >>> real(0.1)
    {'float64': '3fb999999999999a', 'decimal': '0.1'}
    """
    return {"float64": hexadecimal([value], "float64"), "decimal": repr(float(value))}


def anything(value: Any) -> Any:
    """Return a parameter as JSON by the type of its Python value: all that invalid files know."""
    if isinstance(value, float):
        return real(value)
    if isinstance(value, Mapping):
        return {key: anything(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [anything(entry) for entry in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    raise TypeError(f"a parameter cannot be a {type(value).__name__}: {value!r}")


def scaling(value: Mapping[str, Any]) -> Json:
    """Return a `scaling` object with every key, null where unused."""
    unknown = value.keys() - SCALING.keys()
    if unknown:
        raise ValueError(f"scaling has no {', '.join(sorted(unknown))}")

    def entry(kind: str, part: Any) -> Any:
        if part is None:
            return None
        if kind == "reals":
            return [real(float(number)) for number in part]
        return real(float(part)) if kind == "real" else part

    return {key: entry(kind, value.get(key)) for key, kind in SCALING.items()}


def complete(signature: Signature, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `params` in the signature's order, its defaults filled in, unknown names last."""
    full = {
        entry.name: params.get(entry.name, entry.default)
        for entry in signature.parameters
        if entry.name in params or not entry.required
    }
    return full | {name: params[name] for name in sorted(params.keys() - full.keys())}


def encode(signature: Signature, params: Mapping[str, Any], *, loose: bool) -> Json:
    """Return parameters as JSON, typed by the signature unless `loose`."""
    known = {entry.name: entry for entry in signature.parameters}
    full = complete(signature, params)
    if loose:
        return {name: anything(value) for name, value in full.items()}
    if full.keys() != known.keys():
        raise ValueError(f"{signature.name} has {', '.join(known)}; got {', '.join(full) or 'nothing'}")
    return {name: _encode(known[name], value) for name, value in full.items()}


def _encode(entry: Parameter, value: Any) -> Any:
    if value is None:
        return None
    if entry.type == "scaling":
        return scaling(value)
    return real(float(value)) if entry.type == "real" else anything(value)


def decode_anything(place: Place) -> Any:
    """Return the Python value of a parameter that may be anything."""
    if isinstance(place.value, dict):
        if "float64" in place.value:
            return _number(place)
        return {key: decode_anything(entry) for key, entry in place.members().items()}
    if isinstance(place.value, list):
        return [decode_anything(entry) for entry in place.elements()]
    return place.value


def decode(place: Place, signature: Signature) -> dict[str, Any]:
    """Return the parameters at `place`, each as the signature says."""
    known = {entry.name: entry for entry in signature.parameters}
    members = place.record(*known)
    return {name: _decode(members[name], entry) for name, entry in known.items()}


def _decode(place: Place, entry: Parameter) -> Any:
    return None if place.value is None and entry.nullable else DECODERS[entry.type](place, entry)


def _decode_real(place: Place, entry: Parameter) -> float:
    number = _number(place)
    if not math.isfinite(number) or _outside(entry, number):
        place.fail(f"is out of range, got {number!r}")
    return number


def _decode_choices(place: Place, entry: Parameter) -> list[Any]:
    return [element.one_of(entry.values) for element in _list(place, entry)]


def _decode_integers(place: Place, entry: Parameter) -> list[int]:
    return [_integer(element, entry) for element in _list(place, entry)]


def _list(place: Place, entry: Parameter) -> list[Place]:
    elements = list(place.elements())
    if not elements or len(elements) != (entry.count or len(elements)):
        place.fail(f"must have {entry.count or 'one or more'} elements, got {len(elements)}")
    return elements


def _integer(place: Place, entry: Parameter) -> int:
    value = place.integer()
    divisor = entry.multiple_of or (2 if entry.even else 1)
    if _outside(entry, value):
        place.fail(f"is out of range, got {value}")
    if value % divisor:
        place.fail(f"must be a multiple of {divisor}, got {value}")
    return value


def _outside(entry: Parameter, number: float) -> bool:
    return (
        (entry.at_least is not None and number < entry.at_least)
        or (entry.at_most is not None and number > entry.at_most)
        or (entry.above is not None and number <= entry.above)
    )


def _number(place: Place) -> float:
    members = place.record("float64", "decimal")
    number = floats(members["float64"].text(_BITS), "float64")[0]
    text = members["decimal"].text(_DECIMAL)
    if hexadecimal([float(text)], "float64") != hexadecimal([number], "float64"):
        members["decimal"].fail(f"is not the number whose bits stand beside it, {number!r}")
    return number


def _decode_scaling(place: Place, entry: Parameter) -> dict[str, Any]:
    members = place.record(*SCALING)
    members["rope_type"].one_of(entry.rope_types)
    return {key: _scaling_entry(members[key], kind) for key, kind in SCALING.items()}


def _scaling_entry(place: Place, kind: str) -> Any:
    if place.value is None:
        return None
    if kind == "reals":
        return [_number(entry) for entry in place.elements()]
    if kind == "real":
        return _number(place)
    if kind == "integer":
        return place.integer()
    return place.one_of((True, False)) if kind == "boolean" else place.text()


DECODERS: Final[Mapping[str, Callable[[Place, Parameter], Any]]] = {
    "integer": _integer,
    "integers": _decode_integers,
    "real": _decode_real,
    "boolean": lambda place, _: place.one_of((True, False)),
    "choice": lambda place, entry: place.one_of(entry.values),
    "choices": _decode_choices,
    "string": lambda place, _: place.text(),
    "scaling": _decode_scaling,
    "config": lambda place, _: decode_anything(place),
}
"""How a parameter of each type is read."""
