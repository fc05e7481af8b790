"""A program as a process of its own: bytes in, bytes out, within a time and a size, and nothing left over."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import IO, Final, NoReturn

CHUNK: Final = 1 << 16
TICK: Final = 0.1
"""Seconds between looks at whether a silent program still lives."""

TAIL: Final = 2000
"""Bytes of standard error that are kept."""

GRACE: Final = 5.0
"""Seconds that a program has to end after it was told to."""


class ChildError(Exception):
    """The program did not give a whole reply; the message says why."""


class Child:
    """A running program, the leader of a process group of its own.

    Parameters
    ----------
    args : sequence of str
        The program and its arguments; no shell is involved.
    timeout : float
        Seconds in which a reply must be whole.
    most : int
        Bytes that a reply has at most.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(self, args: Sequence[str], timeout: float, most: int) -> None:
        if os.name != "posix":
            raise OSError("programs are started on POSIX systems; elsewhere bring results in a file")
        self.timeout, self.most = timeout, most
        self._process = subprocess.Popen(
            args,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._outgoing, self._received, self._tail = b"", bytearray(), b""
        self._selector, self._open = selectors.DefaultSelector(), True
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            os.set_blocking(_fd(pipe), False)
        for pipe in (self._process.stdout, self._process.stderr):
            self._selector.register(_fd(pipe), selectors.EVENT_READ)

    @property
    def complaint(self) -> str:
        """The end of what the program wrote to standard error, on one line."""
        return " ".join(readable(self._tail).split())

    def exchange(self, data: bytes, ends: Callable[[bytes, bytes], bool]) -> bytes:
        """Send a request and return its reply: lines up to one that `ends` it, given that and the first."""
        until = time.monotonic() + self.timeout
        self._outgoing += data
        self._send()
        line = seek = first = 0
        while True:
            while (end := self._received.find(b"\n", seek)) >= 0:
                first = first or end
                if ends(bytes(self._received[line:end]), bytes(self._received[:first])):
                    return self._cut(end + 1)
                line = seek = end + 1
            seek = len(self._received)
            if seek > self.most:
                raise ChildError(f"its reply has more than {self.most} bytes{self._so_far()}")
            if time.monotonic() > until:
                raise ChildError(f"no reply within {self.timeout:g} s{self._so_far()}")
            self._wait(until)

    def _cut(self, end: int) -> bytes:
        if len(self._received) > end:
            raise ChildError(f"it wrote more than its reply{self._so_far()}")
        reply = bytes(self._received)
        self._received.clear()
        return reply

    def _so_far(self) -> str:
        start = readable(bytes(self._received[:60]))
        return f"; it wrote '{start}'{' ...' if len(self._received) > 60 else ''}" if start else ""

    def _wait(self, until: float) -> None:
        """Read and write what the pipes take, or see after a moment whether the program still lives."""
        found = self._selector.select(max(0.0, min(TICK, until - time.monotonic())))
        for key, _ in found:
            if key.fd == _fd(self._process.stdin):
                self._send()
            elif key.fd == _fd(self._process.stderr):
                self._note()
            elif self._take() == b"":
                self._lost()
        # where another process holds the pipe open, nothing else says that the program has gone
        if not found and self._process.poll() is not None and not self._take():
            self._lost()

    def _send(self) -> None:
        """Write as much as the pipe takes, and watch it as long as something is left."""
        pipe = _fd(self._process.stdin)
        watched = pipe in self._selector.get_map()
        try:
            while self._outgoing:
                self._outgoing = self._outgoing[os.write(pipe, self._outgoing[:CHUNK]) :]
        except BlockingIOError:
            if not watched:
                self._selector.register(pipe, selectors.EVENT_WRITE)
            return
        except BrokenPipeError:
            self._lost()
        if watched:
            self._selector.unregister(pipe)

    def _take(self) -> bytes | None:
        """Read some of standard output."""
        part = _read(self._process.stdout)
        self._received += part or b""
        return part

    def _note(self) -> bytes | None:
        """Read some of standard error, and keep the end of all of it."""
        part = _read(self._process.stderr)
        self._tail = (self._tail + (part or b""))[-TAIL:]
        if part == b"":
            self._selector.unregister(_fd(self._process.stderr))
        return part

    def _lost(self) -> NoReturn:
        """Raise the ChildError of a program that has gone, or closed a pipe, before its reply was whole."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(TICK)
        code = self._process.returncode
        if code is None:
            raise ChildError(f"it closed its standard input or output{self._so_far()}")
        raise ChildError(f"it {ending(code)} before its reply was whole{self._so_far()}")

    def stop(self, data: bytes) -> str:
        """Tell the program to end, see that it does, and return what is to be said of it, if anything."""
        until = time.monotonic() + min(GRACE, self.timeout)
        with contextlib.suppress(ChildError):
            self._outgoing += data
            self._send()
        while self._process.poll() is None and time.monotonic() < until:
            with contextlib.suppress(ChildError):
                self._wait(min(until, time.monotonic() + TICK / 10))
            self._received.clear()
        code = self._process.returncode
        self.kill()
        if code is None:
            return "it did not end when told to stop, and was killed"
        return "" if code == 0 else f"told to stop, it {ending(code)}"

    def kill(self) -> None:
        """End every process in the program's group, and let go of its pipes."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for _ in range(2 * TAIL):  # an end, where a process that left the group goes on writing
            if _fd(self._process.stderr) not in self._selector.get_map() or not self._note():
                break
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                _pipe(pipe).close()


def ending(code: int) -> str:
    """Return how a process ended, in words."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def readable(data: bytes) -> str:
    """Return bytes as text that a terminal can show."""
    text = data.decode("ascii", "replace").replace("\n", " ").rstrip()
    return "".join(one if " " <= one <= "~" else "?" for one in text)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError("the program has no such pipe")
    return pipe


def _fd(pipe: IO[bytes] | None) -> int:
    return _pipe(pipe).fileno()


def _read(pipe: IO[bytes] | None) -> bytes | None:
    """Return some bytes, none at the end, or None where nothing is there yet."""
    try:
        return os.read(_fd(pipe), CHUNK)
    except BlockingIOError:
        return None
