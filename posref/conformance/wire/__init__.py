"""Programs in any language as implementations under test, by messages: see ``spec/wire-protocol.md``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import posref
from posref import operation
from posref.adapters import Implementation
from posref.conformance.wire import target
from posref.conformance.wire.messages import Start
from posref.conformance.wire.program import WIRES, Limits, Program
from posref.corpus import manifest

__all__ = ["WIRES", "Command", "Limits"]


@dataclass(frozen=True)
class Command:
    """A program to judge; `posref.check` starts it and ends it.

    Parameters
    ----------
    args : sequence of str
        The program and its arguments; no shell is involved.
    wire : {"json", "flat"}, default "json"
        JSON lines, or lines of words.
    limits : Limits, optional
        How long a reply may take and be; default: 30 seconds, 64 MiB.

    Examples
    --------
    >>> posref.check(Command(["./my_impl", "--device=0"], wire="flat"))  # doctest: +SKIP
    """

    args: Sequence[str]
    wire: str = "json"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if isinstance(self.args, str) or not self.args:
            raise ValueError("a command is a list: the program and its arguments")
        if self.wire not in WIRES:
            raise ValueError(f"no wire {self.wire!r}; there are {', '.join(WIRES)}")

    def open(self, root: str | Path | None = None) -> Implementation:
        """Start the program and return it as an `Implementation`, which ends it with its `life`.

        Parameters
        ----------
        root : path, optional
            Folder of the corpus by which it is judged; default: the one that posref ships.

        Raises
        ------
        OSError
            If it cannot be started.
        ValueError
            If it does not say who it is.
        """
        folder = operation.home("vectors") if root is None else Path(root)
        start = Start(posref.__version__, manifest.read(folder).corpus_version)
        return target.implementation(Program(self.args, self.wire, self.limits, start))
