"""A progress bar on the terminal."""

import sys
import time
from collections.abc import Callable
from typing import Final

Progress = Callable[[int, int, str], None]
"""Told how much is done, of how much, and what it was last."""

_WIDTH: Final = 24
_PAUSE: Final = 0.05


def bar(task: str) -> Progress | None:
    """Return a progress bar on standard error, or nothing where that is no terminal."""
    if not sys.stderr.isatty():
        return None
    drawn = 0.0

    def show(done: int, total: int, label: str) -> None:
        nonlocal drawn
        now = time.monotonic()
        if done < total and now - drawn < _PAUSE:
            return
        drawn = now
        filled = _WIDTH * done // max(total, 1)
        end = "\n" if done == total else ""
        text = f"\r{task} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total} {label:<30.30}"
        print(text, end=end, file=sys.stderr, flush=True)

    return show
