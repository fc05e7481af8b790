"""Every structural change of a JSON document, one at a time, in the same order each time."""

import json
from collections.abc import Iterator
from typing import Any

from mutations import Pointer, at

REPLACED = (
    None, True, False, 0, 1, -1, 10**13, 2**64, "", "x", "X Y", "../x", "0.1.0", "rope.apply", "float32",
    "int64", "nan", [], [0], ["x"], [[1]], {}, {"x": 1}, {"float64": "3ff0000000000000", "decimal": "1.0"},
)  # fmt: skip
"""Values of every type, which stand in some place of some file; each is put everywhere."""

TAILS = ("\n", " ", "0", "f", "F", "g", "-")


def mutants(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield a label and a changed copy of the document, for each change of each kind of place."""
    text = json.dumps(document)
    for place in places(document):
        for label, change in changes(at(document, place)):
            changed = json.loads(text)
            holder, key = at(changed, place[:-1]), place[-1]
            if label == "dropped":
                del holder[key]
            elif label == "renamed":
                if not isinstance(holder, dict):
                    continue
                holder[f"{key}_"] = holder.pop(key)
            elif label == "doubled":
                if not isinstance(holder, list):
                    continue
                holder.insert(key, json.loads(json.dumps(holder[key])))
            else:
                holder[key] = change
            if changed != document or json.dumps(changed) != text:
                yield f"/{'/'.join(map(str, place))} {label}", changed


def places(value: Any, here: Pointer = ()) -> Iterator[Pointer]:
    """Yield the places in a document; of the elements of a list the first and the last."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = sorted({0, len(value) - 1} & set(range(len(value))))
    for key in keys:
        yield (*here, key)
        yield from places(value[key], (*here, key))


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    yield from (("dropped", None), ("renamed", None), ("doubled", None))
    for other in REPLACED:
        yield f"is {json.dumps(other)}", other
    if isinstance(value, dict):
        yield "has a key more", {**value, "more": 1}
    elif isinstance(value, list):
        yield "has an element more", [*value, "more"]
        yield "is within a list", [value]
    elif isinstance(value, str):
        for tail in TAILS:
            yield f"ends in {tail!r}", value + tail
        yield "is shorter", value[:-1]
        yield "is in upper case", value.upper()
    elif isinstance(value, int) and not isinstance(value, bool):
        yield "is one more", value + 1
        yield "is a text", str(value)
