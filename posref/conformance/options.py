"""What ``posref check`` judges: an adapter or a module, a program that is started, or a file of results."""

import argparse
import shlex
from typing import Any

from posref.conformance.results import Results
from posref.conformance.wire import WIRES, Command, Limits
from posref.corpus.arguments import above, at_least


def add_arguments(parser: Any) -> None:
    """Add the ways to name what is judged to the parser of ``check``."""
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument(
        "target", nargs="?", metavar="TARGET", help="adapter, package.module or package.module:object"
    )
    target.add_argument("--cmd", metavar="COMMAND", help="a program that speaks the wire protocol")
    target.add_argument("--results", metavar="FILE", help="what a program wrote, JSON lines; nothing is run")
    parser.add_argument("--wire", choices=tuple(WIRES), help="with --cmd: JSON lines (default), or words")
    parser.add_argument(
        "--timeout", type=above(0), metavar="S", help="with --cmd: seconds a reply may take; default: 30"
    )
    parser.add_argument(
        "--max-reply",
        type=at_least(1),
        metavar="BYTES",
        help="with --cmd: the longest reply; default: 64 MiB",
    )


def chosen(args: argparse.Namespace) -> Any:
    """Return what the arguments name, as `posref.check` takes it."""
    given = {name: getattr(args, name) for name in ("wire", "timeout", "max_reply")}
    given = {name: value for name, value in given.items() if value is not None}
    if args.cmd is None:
        if given:
            raise ValueError(f"--{min(given).replace('_', '-')} goes with --cmd")
        return args.target if args.results is None else Results(args.results)
    try:
        words = shlex.split(args.cmd)
    except ValueError as failure:
        raise ValueError(f"--cmd {args.cmd}: {failure}") from None
    if not words:
        raise ValueError("--cmd names no program")
    wire = given.pop("wire", "json")
    return Command(words, wire, Limits(**given))
