"""Failures that are known: a file that lists them, and what becomes of the verdicts."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from posref.conformance.verdict import Expectation, Result
from posref.corpus import bounded
from posref.corpus.chosen import matches
from posref.errors import FormatError
from posref.operation import DTYPES

_DTYPES: Final = (*DTYPES, "int64", "bool")
_REQUIRED: Final = ("case", "reason")
LARGEST: Final = 1 << 20
"""Bytes that the file has at most."""

_OPTIONAL: Final = ("link", "operation", "dtype")


def read(path: str | Path) -> tuple[Expectation, ...]:
    """Return the expected failures that a file lists.

    Parameters
    ----------
    path : path
        A TOML file of tables ``[[expected]]``, each with the strings ``case`` (a glob of case ids) and
        ``reason``, and where wanted ``link`` (an address that starts with https:// or http://),
        ``operation`` (a glob) and ``dtype``. Nothing else may stand in it.

    Raises
    ------
    FormatError
        If the file is anything else.
    OSError
        If it cannot be read.
    """
    name = str(path)
    try:
        document = tomllib.loads(bounded.read(Path(path), name, LARGEST).decode("utf-8"))
    except UnicodeDecodeError as failure:
        raise FormatError(name, f"is not UTF-8: {failure.reason} at byte {failure.start}") from None
    except FormatError:
        raise
    except ValueError as failure:
        raise FormatError(name, f"is not TOML: {failure}") from None
    except RecursionError:
        raise FormatError(name, "is nested too deeply") from None
    for key in document.keys() - {"expected"}:
        raise FormatError(name, f"unknown key {key!r}; there is only [[expected]]", f"/{key}")
    entries = document.get("expected")
    if not isinstance(entries, list):
        raise FormatError(name, "must have tables [[expected]]", "/expected")
    return tuple(_entry(name, f"/expected/{index}", entry) for index, entry in enumerate(entries))


def _entry(file: str, place: str, entry: Any) -> Expectation:
    if not isinstance(entry, dict):
        raise FormatError(file, "must be a table", place)
    for key in _REQUIRED:
        if key not in entry:
            raise FormatError(file, f"{key!r} is missing", place)
    for key, value in entry.items():
        if key not in (*_REQUIRED, *_OPTIONAL):
            raise FormatError(file, f"unknown key {key!r}", f"{place}/{key}")
        if not isinstance(value, str) or not value.strip():
            raise FormatError(file, f"must be a string that is not empty, got {value!r}", f"{place}/{key}")
    made = Expectation(**entry)
    if made.link and not made.link.startswith(("https://", "http://")):
        raise FormatError(file, f"must start with https:// or http://, got {made.link!r}", f"{place}/link")
    if made.dtype not in ("*", *_DTYPES):
        raise FormatError(file, f"must be one of {', '.join(_DTYPES)}, got {made.dtype!r}", f"{place}/dtype")
    if made.operation != "*" and not matches(made.operation):
        raise FormatError(file, f"no operation matches {made.operation!r}", f"{place}/operation")
    return made


class Expectations:
    """Expected failures, which of them were of use, and the verdicts they change.

    Parameters
    ----------
    entries : sequence of Expectation
        Where several are of one case, the first counts.
    """

    def __init__(self, entries: Sequence[Expectation] = ()) -> None:
        self._entries = tuple(entries)
        self._used: set[Expectation] = set()

    @property
    def unmatched(self) -> tuple[Expectation, ...]:
        """Those that were of no case so far."""
        return tuple(entry for entry in self._entries if entry not in self._used)

    def mark(self, result: Result) -> Result:
        """Return the result; where a failure of it is expected, with its verdict and that failure."""
        found = [entry for entry in self._entries if _covers(entry, result)]
        self._used.update(found)
        verdict = _CHANGED.get(result.verdict)
        if not found or verdict is None:
            return result
        return replace(result, verdict=verdict, expected=found[0])


_CHANGED: Final = {"fail": "expected-fail", "error": "expected-fail", "pass": "unexpected-pass"}


def _covers(entry: Expectation, result: Result) -> bool:
    return (
        fnmatchcase(result.case_id, entry.case)
        and fnmatchcase(result.operation, entry.operation)
        and entry.dtype in ("*", result.dtype)
    )
