"""Real files damaged: strategies of bytes that differ from good ones in ways that have fooled readers."""

import codecs
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[bytes]
Pointer = tuple[Any, ...]

DEEP = 200
HOSTILE = (
    "NaN", "Infinity", "-Infinity", "-0", "0.0", "-0.0", "1.0", "1e999", "1E400", "1e-999", "01", "+1", ".5",
    "9" * 400, "9" * 5000, "-1", "0", "1", "2", "4", "1000000000000", "1000000000001", "9007199254740993",
    "-9223372036854775809", "18446744073709551616", "2147483648",
    "true", "false", "null", '""', '" "', '"\\ud800"', '"\\u0000"', '"\\u001b[31m"', '"\\n"', '"a\\n"',
    '"../../x"', '"/etc/passwd"', '"core/../../x.json"', '"CORE/rope/apply.json"', '"rope.apply"',
    '"float32"', '"float64"', '"int64"', '"nan"', '"inf"', '"-inf"', '"1e999"', '"1e-999"', '"0x10"',
    '"7ff0000000000000"', '"7ff8000000000000"', '"8000000000000000"', '"3FF0000000000000"', '"3f80"',
    "[]", "{}", "[0]", "[1000000000000]", "[10000000, 10000000]", "[" + "1, " * 99 + "1]",
    "[" * DEEP + "]" * DEEP, '{"a": ' * DEEP + "1" + "}" * DEEP, "[[[[", "}", '"', "\x00",
)  # fmt: skip
"""Texts that are put where a value stands."""

ENCODINGS: tuple[Callable[[str], bytes], ...] = (
    lambda text: text.encode("utf-16"),
    lambda text: text.encode("utf-32"),
    lambda text: codecs.BOM_UTF8 + text.encode(),
    lambda text: text.replace("a", "\u00e9", 1).encode("latin-1", "replace"),
    lambda text: text.replace("a", "\u00e9", 1).encode(),
    lambda text: text.replace("a", "\ud800", 1).encode("utf-8", "surrogatepass"),
    lambda text: text.replace("a", "\uff41", 1).encode(),  # folds to an a under NFKC
    lambda text: text.replace(" ", "\u00a0", 1).encode(),
    lambda text: text.replace("\n", "\r\n").encode(),
    lambda text: text.replace("\n", "\u2028").encode(),
    lambda text: text.upper().encode(),
    lambda text: text.encode() + b"\0",
    lambda text: text.encode() * 2,
    lambda text: b"\n\t " + text.encode() + b" \n",
)


@st.composite
def bytes_of(draw: st.DrawFn, good: bytes) -> bytes:
    """Return bytes with one to three places changed."""
    data = bytearray(good)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, max(0, len(data) - 1)))
        end = start + draw(st.sampled_from((1, 2, 4, 16, 64)))
        way = draw(st.integers(0, 7))
        if way == 0 and data:
            data[start] ^= 1 << draw(st.integers(0, 7))
        elif way == 1 and data:
            data[start] = draw(st.sampled_from(b'\x00\xff\x80 \n\r\t"{}[]:,\\0123456789+-.eEaAfFxX'))
        elif way == 2:
            del data[start:end]
        elif way == 3:
            data[start:start] = draw(st.binary(min_size=1, max_size=4))
        elif way == 4:
            data[start:start] = data[start:end]
        elif way == 5:
            del data[start:]
        elif way == 6:
            other = draw(st.integers(0, len(data)))
            part = data[start:end]
            del data[start:end]
            data[other:other] = part
        elif data:
            data[start : start + 1] = bytes(data[start : start + 1]).swapcase()
    return bytes(data)


def encoded(good: bytes) -> Strategy:
    """Return the text of a file in another encoding, or with other white space."""
    return st.sampled_from(ENCODINGS).map(lambda encode: encode(good.decode("utf-8")))


def pointers(value: Any, here: Pointer = ()) -> list[Pointer]:
    """Return the places of all values in a JSON document, the root left out."""
    found: list[Pointer] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += [(*here, key), *pointers(child, (*here, key))]
    return found


def at(document: Any, pointer: Pointer) -> Any:
    for key in pointer:
        document = document[key]
    return document


class Draft:
    """A JSON document into which texts are put that no JSON library would write."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.texts: list[str] = []

    def marker(self, text: str) -> str:
        self.texts.append(text)
        return f"@{len(self.texts) - 1}@"

    def bytes(self) -> bytes:
        text = json.dumps(self.document, indent=1)
        for index, own in enumerate(self.texts):
            text = text.replace(f'"@{index}@"', own)
        return text.encode("utf-8", "surrogatepass")


@st.composite
def document_of(draw: st.DrawFn, good: bytes) -> bytes:
    """Return a JSON file with one or two of its values, keys or elements changed."""
    draft = Draft(json.loads(good))
    for _ in range(draw(st.integers(1, 2))):
        places = pointers(draft.document)
        if places:
            change(draw, draft, draw(st.sampled_from(places)), places)
    return draft.bytes()


def change(draw: st.DrawFn, draft: Draft, place: Pointer, places: list[Pointer]) -> None:
    """Change what stands at a place, in one of several ways."""
    holder, key = at(draft.document, place[:-1]), place[-1]
    way = draw(st.integers(0, 7))
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = draft.marker(draw(st.sampled_from(HOSTILE)))
    elif way == 2:
        holder[key] = json.loads(json.dumps(at(draft.document, draw(st.sampled_from(places)))))
    elif way == 3:
        holder[key] = draw(st.sampled_from(([holder[key]], {"a": holder[key]}, str(holder[key]))))
    elif way == 4 and isinstance(holder, dict):  # a key that stands twice
        again = draw(st.sampled_from((json.dumps(holder[key]), *HOSTILE[:40])))
        holder[draft.marker(json.dumps(key))] = draft.marker(again)
    elif way == 5 and isinstance(holder, dict):
        renamed = draw(st.sampled_from((key.upper(), f"{key} ", f"{key}s", "", "id", "shape", "decimal")))
        holder[renamed] = holder.pop(key)
    elif isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), json.loads(json.dumps(holder[key])))
    elif isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] += draw(st.sampled_from((-1, 1, 2, -holder[key], 2**31, 2**53, 10**12)))
    elif isinstance(holder[key], str) and holder[key]:
        holder[key] = changed_text(draw, holder[key])


def changed_text(draw: st.DrawFn, text: str) -> str:
    index = draw(st.integers(0, len(text) - 1))
    other = draw(st.sampled_from(("", "0", "f", "F", "-", "+", "/", ".", "\n", "\u00e9", text[index] * 2)))
    return text[:index] + other + text[index + 1 :]


def json_file(good: bytes) -> Strategy:
    return st.one_of(document_of(good), document_of(good), bytes_of(good), encoded(good))


def text_file(good: bytes) -> Strategy:
    return st.one_of(bytes_of(good), encoded(good))


@st.composite
def json_lines(draw: st.DrawFn, good: bytes) -> bytes:
    """Return JSON lines, one of which is damaged, left out, repeated or moved."""
    lines = good.splitlines(keepends=True)
    index = draw(st.integers(0, len(lines) - 1))
    way = draw(st.integers(0, 5))
    if way == 0:
        del lines[index]
    elif way == 1:
        lines.insert(draw(st.integers(0, len(lines))), lines[index])
    elif way == 2:
        return draw(bytes_of(good))
    else:
        damaged = draw(document_of(lines[index]))
        lines[index] = b" ".join(damaged.splitlines()) + b"\n"
    return b"".join(lines)
