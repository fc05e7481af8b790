"""Words and numbers of a report as files of markup may hold them."""

import re
from typing import Final

_FORBIDDEN: Final = re.compile(
    r"\x1b\[[0-9;]*[A-Za-z]|[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
"""Colours of a terminal, what XML 1.0 has no place for, and the other control characters."""


def clean(text: str) -> str:
    r"""Return `text` without control characters and halves of surrogate pairs.

    Examples
    --------
    >>> clean("\x1b[31mred\x00")
    'red'
    """
    return _FORBIDDEN.sub("", text)


def number(value: float) -> str:
    """Return a ratio with few digits.

    Examples
    --------
    >>> number(0.12345), number(123456.0), number(float("inf"))
    ('0.12', '1.2e+05', 'inf')
    """
    return f"{value:.2f}" if value < 1000 else f"{value:.1e}" if value < float("inf") else str(value)
