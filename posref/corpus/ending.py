"""A command that is told to end tidies up first: no file and no process of its own is left."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

_SIGNALS: Final = ("SIGTERM", "SIGHUP", "SIGQUIT")


class EndedError(BaseException):
    """A signal came that ends the process; `number` says which."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def heeded() -> Iterator[None]:
    """Have signals that end the process raise an exception, so that what is open is closed; then end by it.

    A signal that is ignored or handled already stays so; beside the main thread nothing is changed.
    """
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in _numbers():
            if signal.getsignal(number) is signal.SIG_DFL:
                handlers[number] = signal.signal(number, _raise)
    try:
        yield
    except EndedError as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        signal.raise_signal(ended.number)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """Have signals wait: a process that loses its parent while it starts complains at length."""
    came: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, *_numbers()):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):  # None: not of Python's making
                handlers[number] = signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _numbers() -> list[int]:
    """Return the signals of this system that ask a process to end."""
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


def _raise(number: int, _: FrameType | None) -> None:
    for other in _numbers():  # one is enough: the tidying is not disturbed
        if signal.getsignal(other) is _raise:
            signal.signal(other, signal.SIG_IGN)
    raise EndedError(number)
