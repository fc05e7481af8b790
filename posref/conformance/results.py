"""Results that a program wrote into a file, judged as if they came over the wire (wire-protocol.C13)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from posref import operation
from posref.adapters import BrokenError, Implementation
from posref.conformance.wire import target
from posref.conformance.wire.messages import PROTOCOL, Facts
from posref.conformance.wire.replies import facts, outcome
from posref.corpus import manifest
from posref.corpus.strict import Place, parse
from posref.errors import FormatError
from posref.operation import DTYPES, Signature, signature

LONGEST: Final = 64 << 20
"""Bytes that a line has at most."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Results:
    """The results of a program in a file, to be judged without running anything.

    Parameters
    ----------
    path : path
        The file: JSON lines, as wire-protocol.C13 says.
    """

    path: str | Path

    def open(self, root: str | Path | None = None) -> Implementation:
        """Return what is in the file as an `Implementation`.

        Parameters
        ----------
        root : path, optional
            Folder of the corpus that was run; default: the one that posref ships.

        Raises
        ------
        FormatError
            If the file is not one of results, or another corpus was run.
        """
        folder = operation.home("vectors") if root is None else Path(root)
        said, lines = read(Path(self.path), manifest.read(folder).tree_sha256)
        reader = _Reader(lines, Path(self.path).name)
        names = said.operations
        return target.described(
            said,
            operations={name: partial(reader.run, signature(name)) for name in names},
            around=reader.around,
        )


def read(path: Path, tree: str) -> tuple[Facts, dict[Key, Place]]:
    """Return who wrote the results and the line of each test and dtype; `tree` is the corpus's own hash."""
    lines = _lines(path)
    try:
        said = _head(next(lines), tree)
    except StopIteration:
        raise FormatError(path.name, "is empty") from None
    found: dict[Key, Place] = {}
    for place in lines:
        members = place.members()
        for name in ("test", "dtype"):
            if name not in members:
                place.fail(f"{name!r} is missing")
        key = members["test"].text(), members["dtype"].one_of((*DTYPES, "int64"))
        if key in found:
            place.fail(f"{key[0]} in {key[1]} came before")
        found[key] = place
    return said, found


def _lines(path: Path) -> Iterator[Place]:
    number = 0
    with path.open("rb") as stream:
        while line := stream.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST:
                raise FormatError(path.name, f"line {number} has more than {LONGEST} bytes")
            yield parse(line, f"{path.name} line {number}")


def _head(place: Place, tree: str) -> Facts:
    members = place.members()
    for name, value in (("type", "results"), ("protocol", PROTOCOL)):
        if name not in members:
            place.fail(f"{name!r} is missing")
        members[name].one_of((value,))
    if "axes" in members:
        members["axes"].one_of(("bhsd",))
    said = facts(place, "type", "protocol", "tree_sha256")
    if members["tree_sha256"].text() != tree:
        members["tree_sha256"].fail(f"another corpus was run than the one to judge by, {tree}")
    return said


@dataclass
class _Reader:
    """Looks answers up: of the test it is at, or of the next step of the scenario."""

    lines: dict[Key, Place]
    file: str
    key: Key = ("", "")
    step: int = 0

    @contextmanager
    def around(self, test: str, dtype: str) -> Iterator[None]:
        """Remember which test is judged."""
        self.key, self.step = (test, dtype if dtype in DTYPES else "int64"), 0
        yield

    def run(self, entry: Signature, *inputs: Any, **_: Any) -> Any:
        """Return the outputs that the file has for this call."""
        want = target.wanted(entry, self.key[1])
        try:
            place, also = self._place()
            reply = outcome(place, want, also)
        except FormatError as failure:
            raise BrokenError(f"malformed: {failure}") from None
        return target.split(entry, target.answer(entry, reply, want))

    def _place(self) -> tuple[Place, tuple[str, ...]]:
        place = self.lines.get(self.key)
        if place is None:
            raise BrokenError(f"{self.file} has no line for this test and dtype")
        if "steps" not in place.members():
            return place, ("test", "dtype")
        steps = place.record("test", "dtype", "steps")["steps"].elements()
        index, self.step = self.step, self.step + 1
        if index >= len(steps):
            raise BrokenError(f"{place.file} has no step {index}")
        return steps[index], ()
