"""The flat wire: a message is lines of words; replies are put in their JSON form and read as that."""

import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

from posref.conformance.wire.flat_request import encode
from posref.conformance.wire.messages import INTEGERS, Reply, Request
from posref.conformance.wire.replies import reply
from posref.corpus.bits import DIGITS, split
from posref.corpus.decode import MOST
from posref.corpus.strict import Place, shown
from posref.errors import FormatError

__all__ = ["decode", "encode", "ends"]

_SINGLE: Final = (b"error", b"skipped", b"opened", b"closed")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")
_LISTS: Final = {"operation": "operations", "dtype": "dtypes", "session": "sessions", "lacks": "lacks"}

Json = dict[str, Any]


def ends(line: bytes, first: bytes) -> bool:
    """Return whether `line` is the last of the reply that begins with the line `first`."""
    return line.startswith(b"end ") or first.split(b" ", 1)[0].rstrip() in _SINGLE


def decode(data: bytes, request: Request, seq: int) -> Reply:
    """Return the reply in some lines; a FormatError where it is none."""
    return reply(Place(_Lines(data).record(), "reply"), request, seq)


class _Lines:
    """The lines of one reply, read from the first to the last."""

    def __init__(self, data: bytes) -> None:
        try:
            self.lines = data.decode("ascii").removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            raise FormatError("reply", f"byte {error.start} is not ASCII") from None
        self.at = 0

    def fail(self, message: str) -> NoReturn:
        raise FormatError("reply", message, f"line {self.at + 1}")

    def words(self) -> list[str]:
        """Return the words of the present line."""
        if self.at == len(self.lines):
            self.fail("a line must follow")
        words = self.lines[self.at].split(" ")
        if not all(words) or not all(word.isprintable() for word in words):
            self.fail("must be words with one space between")
        return words

    def record(self) -> Json:
        """Return the reply in its JSON form."""
        first = self.lines[0].split(" ")[0]
        if first.encode() in _SINGLE and len(self.lines) > 1:
            self.fail("must be one line")
        readers: dict[str, Callable[[], Json]] = {
            "error": self._error,
            "skipped": self._skipped,
            "opened": lambda: self._said("opened"),
            "closed": lambda: self._said("closed"),
            "output": self._outputs,
            "end": self._outputs,
        }
        return readers.get(first, self._facts)()

    def _error(self) -> Json:
        words = self.words()
        if len(words) not in (3, 4):
            self.fail("must be error, seq, class and perhaps the parameter")
        parameter = words[3] if len(words) == 4 else ""
        return {"seq": self._integer(words[1]), "error": {"class": words[2], "parameter": parameter}}

    def _skipped(self) -> Json:
        _, _, rest = self.lines[0].partition(" ")
        seq, _, reason = rest.partition(" ")
        return {"seq": self._integer(seq), "skipped": {"reason": reason}}

    def _said(self, key: str) -> Json:
        words = self.words()
        if len(words) != 2:
            self.fail(f"must be {key} and seq")
        return {"seq": self._integer(words[1]), key: True}

    def _integer(self, word: str) -> int:
        if not _INTEGER.fullmatch(word):
            self.fail(f"must be an integer, got {shown(word)}")
        return int(word)

    def _ended(self) -> int:
        """Return the `seq` of the last line."""
        words = self.words()
        if len(words) != 2 or words[0] != "end" or self.at != len(self.lines) - 1:
            self.fail("must be end and seq, and the last line")
        return self._integer(words[1])

    def _outputs(self) -> Json:
        outputs: Json = {}
        while (words := self.words())[0] == "output":
            if len(words) < 4:
                self.fail("must be output, name, dtype, rank and the axes")
            name = words[1]
            if name in outputs:
                self.fail(f"the output {name} stands twice")
            outputs[name] = self._tensor(words[2], [self._integer(word) for word in words[3:]])
        return {"seq": self._ended(), "outputs": outputs}

    def _tensor(self, dtype: str, sizes: list[int]) -> Json:
        rank, *shape = sizes
        if rank != len(shape):
            self.fail(f"has {len(shape)} axes and says {rank}")
        if not all(0 <= size <= MOST for size in shape):
            self.fail("an axis is out of range")
        if dtype not in DIGITS and dtype not in INTEGERS:
            self.fail(f"there is no dtype {shown(dtype)}")
        count, _ = split(shape)
        self.at += 1
        if count > len(self.lines) - self.at:
            self.fail(f"{count} rows must follow")
        data = [self._row(dtype) for _ in range(count)]
        return {"dtype": dtype, "shape": shape, "data": data}

    def _row(self, dtype: str) -> Any:
        words = self.words()
        row: Any
        if dtype in DIGITS:
            if any(len(word) != DIGITS[dtype] for word in words):
                self.fail(f"a {dtype} has {DIGITS[dtype]} digits")
            row = "".join(words)
        else:
            row = [self._integer(word) for word in words]
        self.at += 1
        return row

    def _facts(self) -> Json:
        found: Json = {"version": "", "operations": [], "dtypes": []}
        seen: set[str] = set()
        while not self.lines[self.at].startswith("end "):
            key, _, rest = self.lines[self.at].partition(" ")
            self._fact(found, seen, key, rest)
            self.at += 1
            if self.at == len(self.lines):
                self.fail("the last line must be end and seq")
        return {"seq": self._ended(), **found}

    def _fact(self, found: Json, seen: set[str], key: str, rest: str) -> None:
        if key in _LISTS:
            found.setdefault(_LISTS[key], []).append(rest)
        elif key == "claim":
            dtype, _, claim = rest.partition(" ")
            if dtype in found.setdefault("claims", {}):
                self.fail(f"the claim of {dtype} stands twice")
            found["claims"][dtype] = claim
        elif key not in ("name", "language", "version", "axes", "flush_subnormals"):
            self.fail(f"there is no fact {shown(key)}")
        elif key in seen:
            self.fail(f"{key} stands twice")
        else:
            found[key] = {"true": True, "false": False}.get(rest, rest) if key == "flush_subnormals" else rest
        seen.add(key)
