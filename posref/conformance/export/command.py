"""The command ``posref vectors export``."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from posref.conformance.export.selection import Selection, select
from posref.corpus.writing import write
from posref.operation import DTYPES

FORMATS: Final[Mapping[str, str]] = {
    "npz": "npz",
    "safetensors": "safetensors",
    "c-header": "c_header",
    "flat": "flat",
    "jsonl": "jsonl",
}
"""The formats, each with the module of this package that writes it."""

VALUES_ONLY: Final = ("npz", "safetensors")
"""Formats without inputs that must be refused, and without scenarios."""

Written = Callable[[Selection], Iterator[bytes]]


def add_parser(commands: Any) -> None:
    """Add ``export`` to the sub-commands of ``posref vectors``."""
    parser = commands.add_parser("export", help="the vectors in one file, to be run anywhere")
    parser.add_argument("--to", choices=tuple(FORMATS), required=True, help="the format")
    parser.add_argument("--dtype", choices=DTYPES, required=True, help="the floating dtype under test")
    parser.add_argument("--operation", action="append", metavar="GLOB", help="only these; may be repeated")
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="where to write it")
    parser.set_defaults(run=_export)


def _export(args: argparse.Namespace) -> int:
    """Write the file and say what is in it."""
    chosen = select(args.dtype, args.operation or "*", args.root)
    tests = chosen.values if args.to in VALUES_ONLY else chosen.tests
    if not tests:
        raise ValueError(f"nothing to export: no test of these operations in {args.dtype}")
    size = write(args.output, contents(args.to, chosen))
    refused = sum(one.test.error is not None for one in tests)
    scenes = 0 if args.to in VALUES_ONLY else len(chosen.scenarios)
    told = {"c-header": f"{scenes} scenarios named"}.get(args.to, f"{scenes} scenarios")
    print(
        f"{args.output}: corpus {chosen.corpus} in {chosen.dtype}, {len(tests) - refused} tests with values, "
        f"{refused} to be refused, {told}, {size} bytes"
    )
    return 0


def contents(to: str, chosen: Selection) -> Iterator[bytes]:
    """Return an export in the format `to`, in pieces.

    Raises
    ------
    ImportError
        If the library that the format needs is not installed.
    """
    written: Written = import_module(f"{__package__}.{FORMATS[to]}").written
    return written(chosen)
