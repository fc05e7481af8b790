"""Where ``posref check`` puts its report, and what it takes for a pass."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from posref.conformance.report import Report
from posref.corpus.arguments import at_least
from posref.corpus.writing import check_writable, write_text

SCREEN: Final = "-"

_FORMS: Final[dict[str, tuple[str, Callable[[Report], str]]]] = {
    "json": ("JSON", Report.to_json),
    "junit": ("JUnit XML", Report.to_junit),
    "html": ("one page of HTML", Report.to_html),
}


def add_arguments(parser: Any) -> None:
    """Add the ways to report, and what counts, to the parser of ``check``."""
    for name, (form, _) in _FORMS.items():
        said = f"write the report there as {form}; - for the screen"
        parser.add_argument(f"--{name}", metavar="FILE", help=said)
    parser.add_argument("--xfail", type=Path, metavar="FILE", help="a TOML file of failures that are known")
    parser.add_argument(
        "--strict", action="store_true", help="what passes though --xfail expects a failure is a mismatch"
    )
    parser.add_argument(
        "--min-tests",
        type=at_least(1),
        default=1,
        metavar="N",
        help="with fewer cases that ran, it is no pass",
    )


def places(args: argparse.Namespace) -> dict[str, str]:
    """Return where each form of the report goes; called before the run, so that its work is not lost.

    Raises
    ------
    ValueError
        If two forms go to the same place.
    OSError
        If a file cannot be written.
    """
    found = {name: value for name in _FORMS if (value := getattr(args, name))}
    taken: dict[str, str] = {}
    for name, value in found.items():
        same = value if value == SCREEN else str(Path(value).resolve())
        if same in taken:
            raise ValueError(f"--{taken[same]} and --{name} both go to {value}")
        taken[same] = name
        if value != SCREEN:
            check_writable(Path(value))
    return found


def deliver(report: Report, found: dict[str, str]) -> list[str]:
    """Write the report to where `places` says, and print it; return why files could not be written.

    What cannot be written as a file keeps nothing else from being written, nor the report from the screen.
    """
    faults = []
    screen: Callable[[Report], str] = Report.to_text
    for name, value in found.items():
        form = _FORMS[name][1]
        if value == SCREEN:
            screen = form
            continue
        try:
            write_text(Path(value), form(report))
        except OSError as failure:
            faults.append(str(failure))
    encoding = sys.stdout.encoding or "ascii"  # what a screen cannot show is no reason to show nothing
    text = screen(report).removesuffix("\n").encode(encoding, "backslashreplace")
    print(text.decode(encoding))
    return faults
