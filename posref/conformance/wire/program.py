"""A program that is asked by messages, started anew when it breaks and given up when it keeps breaking."""

import atexit
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any, Final, Self

from posref.adapters import BrokenError
from posref.conformance.wire import flat, jsonl
from posref.conformance.wire.child import Child, ChildError, readable
from posref.conformance.wire.messages import Facts, Reply, Request, Start, Stop
from posref.errors import FormatError

WIRES: Final[dict[str, ModuleType]] = {"json": jsonl, "flat": flat}

TRIES: Final = 3
"""Requests in a row, each to a program started anew, after which it is given up."""

_SIGNALS: Final = ("SIGTERM", "SIGHUP", "SIGQUIT")
_QUOTED: Final = 120


@dataclass(frozen=True)
class Limits:
    """How long a reply may take, in seconds, and how long it may be, in bytes."""

    timeout: float = 30.0
    max_reply: int = 64 << 20


class Program:
    """A program, its process, and what has been said so far.

    As a context it is told to stop at the end, or killed where an exception or a signal ends it.

    Attributes
    ----------
    remarks : list of str
        What is to be said of how it ended.
    starts : int
        How often it was started.
    """

    def __init__(self, args: Sequence[str], wire: str, limits: Limits, start: Start) -> None:
        self.args, self.limits, self.start = tuple(args), limits, start
        self.remarks: list[str] = []
        self.starts = 0
        self._wire = WIRES[wire]
        self._child: Child | None = None
        self._seq = self._answered = self._failures = 0
        self._last = ""
        self._handlers: dict[int, Any] = {}

    def open(self) -> Facts:
        """Start the program and return who it is; an OSError or a ValueError where that cannot be learnt."""
        self._watch()
        try:
            return self._started()
        except BrokenError as broken:
            self.close(killed=True)
            raise ValueError(f"{self.args[0]} cannot be judged: {broken}") from None
        except BaseException:
            self.close(killed=True)
            raise

    def ask(self, request: Request) -> Reply:
        """Return the reply to a request; a BrokenError where there is none."""
        if self._failures >= TRIES:
            raise BrokenError(f"given up after {TRIES} failures in a row: {self._last}")
        try:
            if self._child is None:
                self._started()
            reply = self._exchange(request)
        except (BrokenError, OSError) as broken:
            self._failures += 1
            self._last = str(broken)
            raise BrokenError(self._last) from None
        self._failures = 0
        self._answered += 1
        return reply

    def _started(self) -> Facts:
        self._seq = self._answered = 0
        try:
            self._child = Child(self.args, self.limits.timeout, self.limits.max_reply)
        except OSError as failure:
            raise replaced(failure, self.args[0]) from None
        self.starts += 1
        found = self._exchange(self.start)
        if not isinstance(found, Facts):
            raise BrokenError("it does not say who it is")
        return found

    def _exchange(self, request: Request) -> Reply:
        child, seq = self._child, self._seq
        if child is None:
            raise BrokenError("it does not run")
        self._seq += 1
        data = b""
        try:
            data = child.exchange(self._wire.encode(request, seq), self._wire.ends)
            reply: Reply = self._wire.decode(data, request, seq)
        except ChildError as failure:
            raise self._broken(child, f"seq {seq}: {failure}") from None
        except FormatError as failure:
            quoted = readable(data[: _QUOTED + 1])
            quoted = quoted if len(quoted) <= _QUOTED else f"{quoted[:_QUOTED]} ..."
            raise self._broken(child, f"seq {seq}: malformed {failure}; it wrote '{quoted}'") from None
        return reply

    def _broken(self, child: Child, text: str) -> BrokenError:
        """Kill the program and return what is to be said of it."""
        child.kill()
        self._child = None
        if self._answered:
            self._failures = -1  # it had answered since it was started: this failure is not yet one of a row
        complaint = child.complaint[-200:]
        return BrokenError(f"{text}; standard error ends '{complaint}'" if complaint else text)

    def close(self, *, killed: bool = False) -> None:
        """End the program, politely unless it is to be `killed`."""
        child, self._child = self._child, None
        try:
            if child is not None and killed:
                child.kill()
            elif child is not None:
                remark = child.stop(self._wire.encode(Stop(), self._seq))
                self.remarks += [remark] if remark else []
        finally:
            if child is not None:
                child.kill()
            self._unwatch()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(killed=kind is not None)

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    def _watch(self) -> None:
        """See to it that the program does not outlive this process, whatever ends it."""
        atexit.register(self._kill)
        if threading.current_thread() is not threading.main_thread():
            return
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                self._handlers[number] = signal.signal(number, self._ended)

    def _unwatch(self) -> None:
        atexit.unregister(self._kill)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}

    def _ended(self, number: int, _: FrameType | None) -> None:
        self._kill()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


def replaced(failure: OSError, name: str) -> OSError:
    """Return why `name` cannot be started, on one line."""
    return OSError(f"{name} cannot be started: {failure.strerror or failure}")
