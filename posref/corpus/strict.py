"""JSON read strictly: no float, no repeated key, and every error names file, case and pointer."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from posref.corpus import bounded
from posref.errors import FormatError

SLUG: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")
"""Alphabet of identifiers, flags, capabilities and group names."""

DEEPEST: Final = 64
"""Levels of objects and lists, one in the other."""


class Fault:
    """What stands where the JSON holds something that no vector file may hold."""

    def __init__(self, message: str) -> None:
        self.message = message


class Place:
    """A JSON value, where it stands, and the case it belongs to.

    Parameters
    ----------
    value : object
        The parsed value.
    file : str
        The file, for messages.
    pointer : str, default ""
        JSON pointer to the value.
    case : str, default ""
        Identifier of the case around it.
    """

    __slots__ = ("case", "file", "pointer", "value")

    def __init__(self, value: Any, file: str, pointer: str = "", case: str = "") -> None:
        self.value = value
        self.file = file
        self.pointer = pointer
        self.case = case

    def fail(self, message: str) -> NoReturn:
        """Raise a FormatError for this place."""
        raise FormatError(self.file, message, self.pointer, self.case)

    def at(self, key: str | int) -> "Place":
        """Return the place of a member or an element."""
        token = str(key).replace("~", "~0").replace("/", "~1")
        return Place(self.value[key], self.file, f"{self.pointer}/{token}", self.case)

    def members(self) -> dict[str, "Place"]:
        """Return the members of an object by key."""
        if not isinstance(self.value, dict):
            self.fail(f"must be an object, got {shown(self.value)}")
        return {key: self.at(key) for key in self.value}

    def record(self, *required: str, optional: Collection[str] = ()) -> dict[str, "Place"]:
        """Return the members of an object with exactly the keys `required`, and perhaps `optional`."""
        members = self.members()
        for key in required:
            if key not in members:
                self.fail(f"{key!r} is missing")
        for key, place in members.items():
            if key not in required and key not in optional:
                place.fail(f"unknown key {key!r}")
        return members

    def elements(self) -> list["Place"]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            self.fail(f"must be a list, got {shown(self.value)}")
        return [self.at(index) for index in range(len(self.value))]

    def text(self, pattern: re.Pattern[str] | None = None) -> str:
        """Return a string that is not empty and matches `pattern` from end to end."""
        if not isinstance(self.value, str) or not self.value:
            self.fail(f"must be a string that is not empty, got {shown(self.value)}")
        if pattern and not pattern.fullmatch(self.value):
            self.fail(f"must match {pattern.pattern}, got {shown(self.value)}")
        return self.value

    def integer(self, least: int | None = None, most: int | None = None) -> int:
        """Return an integer within bounds; a boolean is none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail(f"must be an integer, got {shown(self.value)}")
        if (least is not None and self.value < least) or (most is not None and self.value > most):
            self.fail(f"is out of range, got {shown(self.value)}")
        return self.value

    def one_of(self, values: Collection[Any]) -> Any:
        """Return a value that is one of `values`, of the same JSON type."""
        if not any(type(value) is type(self.value) and value == self.value for value in values):
            allowed = ", ".join(json.dumps(value) for value in values)
            self.fail(f"must be one of {allowed or 'nothing'}; got {shown(self.value)}")
        return self.value

    def slugs(self, allowed: Collection[str] | None = None) -> tuple[str, ...]:
        """Return a list of distinct slugs, each one of `allowed` if that is given."""
        found = []
        for entry in self.elements():
            if allowed is not None:
                entry.one_of(allowed)
            found.append(entry.text(SLUG))
        if len(set(found)) < len(found):
            self.fail("holds an entry twice")
        return tuple(found)


def shown(value: Any) -> str:
    """Return a short text of a JSON value for a message."""
    text = json.dumps(value, default=lambda _: "?")
    return text if len(text) <= 60 else text[:57] + "..."


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a user's file; a FormatError where it is none, or a key stands twice.

    Unlike in a vector file, floats are numbers here and the text may hold any character.
    """
    file = str(path)
    root = _parse(bounded.read(path), file, "utf-8", _finite)
    if not isinstance(root.value, dict):
        raise FormatError(file, f"must hold one object, got {shown(root.value)}")
    found: dict[str, Any] = root.value
    return found


def parse(data: bytes, file: str) -> Place:
    """Return the root of a JSON text, or raise a FormatError that says where it is at fault."""
    return _parse(data, file, "ascii", lambda text, fault: fault(f"a JSON float is not exact: {text}"))


MakeFault = Callable[[str], Fault]


def _finite(text: str, fault: MakeFault) -> float | Fault:
    number = float(text)
    return number if math.isfinite(number) else fault(f"{text} is beyond every float64")


def _parse(data: bytes, file: str, encoding: str, number: Callable[[str, MakeFault], float | Fault]) -> Place:
    faults: list[Fault] = []

    def fault(message: str) -> Fault:
        faults.append(Fault(message))
        return faults[-1]

    def record(pairs: list[tuple[str, Any]]) -> Any:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            return fault(f"key {twice!r} stands twice")
        return found

    text = _decoded(data, file, encoding)
    try:
        value = json.loads(
            text,
            object_pairs_hook=record,
            parse_float=lambda digits: number(digits, fault),
            parse_constant=lambda word: fault(f"{word} is not JSON"),
        )
    except RecursionError:
        raise FormatError(file, f"is nested more than {DEEPEST} deep") from None
    except ValueError as error:
        raise FormatError(file, f"not JSON: {error}") from None
    root = Place(value, file)
    _check_depth(root)
    if faults:
        for place in _walk(root):
            if isinstance(place.value, Fault):
                place.fail(place.value.message)
    return root


def _decoded(data: bytes, file: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(file, f"byte {error.start} is not {encoding.upper()}") from None


def _check_depth(root: Place) -> None:
    level, left = 0, [root.value] if isinstance(root.value, dict | list) else []
    while left:
        level += 1
        if level > DEEPEST:
            root.fail(f"is nested more than {DEEPEST} deep")
        inner = (one.values() if isinstance(one, dict) else one for one in left)
        left = [child for children in inner for child in children if isinstance(child, dict | list)]


def _walk(place: Place) -> Iterator[Place]:
    yield place
    if isinstance(place.value, dict | list):
        case = place.value.get("id", "") if isinstance(place.value, dict) else ""
        if isinstance(case, str) and case:
            place.case = case
        for child in place.members().values() if isinstance(place.value, dict) else place.elements():
            yield from _walk(child)
