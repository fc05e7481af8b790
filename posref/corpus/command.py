"""The command ``posref vectors``: build, verify, lint, diff, scan."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final

from posref import operation
from posref.corpus import certified, hard_rows
from posref.corpus.arguments import at_least
from posref.corpus.certify import CertificationError
from posref.corpus.diff import diff
from posref.corpus.generate import build
from posref.corpus.lint import lint
from posref.corpus.load import load_vectors
from posref.corpus.progress import bar
from posref.corpus.verify import verify

OK: Final = 0
MISMATCH: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

SAMPLE: Final = 10
"""``--sample`` alone compares one group in so many."""


def add_parser(subparsers: Any) -> Any:
    """Add ``vectors`` and its commands; each sets `run`, a function args -> exit code.

    Returns the collection of them, to which a room above may add its own.
    """
    parser = subparsers.add_parser("vectors", help="build, verify, lint and compare vector files")
    commands = parser.add_subparsers(dest="vectors", required=True, metavar="COMMAND")
    for name, run, text in (
        ("build", _build, "build the corpus anew"),
        ("verify", _verify, "build it again elsewhere and compare"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--root", type=Path, help="folder of the corpus")
        command.add_argument("--engine", choices=sorted(certified.ENGINES), default="mpmath")
        command.add_argument("--jobs", type=at_least(1), default=os.cpu_count() or 1, help="processes")
        command.add_argument("--operation", default="*", metavar="GLOB", help="only these operations")
        command.set_defaults(run=lambda args, run=run: _guarded(run, args))
    commands.choices["verify"].add_argument(
        "--sample", type=at_least(1), nargs="?", const=SAMPLE, metavar="N", help="one group in N, by its hash"
    )
    command = commands.add_parser("lint", help="check what the loader does not ask; sizes")
    command.add_argument("--root", type=Path, help="folder of the corpus")
    command.set_defaults(run=lambda args: _guarded(_lint, args))
    command = commands.add_parser("diff", help="what changed, and the version it asks for")
    command.add_argument("old", type=Path)
    command.add_argument("new", type=Path)
    command.set_defaults(run=lambda args: _guarded(_diff, args))
    command = commands.add_parser("scan", help="find the rows of tables nearest to rounding boundaries")
    command.set_defaults(run=lambda args: _guarded(_scan, args))
    return commands


def _guarded(run: Any, args: argparse.Namespace) -> int:
    """Return the exit code of `run`; an error of the caller or of a file is a message and 2."""
    try:
        return int(run(args))
    except KeyboardInterrupt:
        _say("interrupted; the corpus is as it was")
        return INTERRUPTED
    except CertificationError as error:
        _say(" ".join([str(error), *getattr(error, "__notes__", [])]))
        return MISMATCH
    except KeyError as error:
        _say(str(error.args[0]))
    except (ValueError, FileNotFoundError, ImportError) as error:
        _say(str(error))
    return USAGE


def _say(text: str) -> None:
    print(f"posref vectors: {text}", file=sys.stderr)


def _root(args: argparse.Namespace, *, write: bool = False) -> Path:
    if args.root is not None:
        root: Path = args.root
    else:
        root = operation.home("vectors")
        if write and root.name.startswith("_"):
            raise FileNotFoundError("an installed corpus is not built in its place: give --root")
    if not write and not root.is_dir():
        raise FileNotFoundError(f"there is no folder {root}")
    return root


def _build(args: argparse.Namespace) -> int:
    root = _root(args, write=True).resolve()  # the working folder may be what is replaced
    build(root, engine=args.engine, jobs=args.jobs, operations=args.operation, progress=bar("building"))
    corpus = load_vectors(root)
    size = sum(file.bytes for file in corpus.files)
    elements = sum(file.elements for file in corpus.files)
    print(
        f"{root}: corpus {corpus.version}, {len(corpus.files)} files, {size} bytes, "
        f"{len(corpus.tests) + len(corpus.scenarios) + len(corpus.golden)} tests, {elements} elements"
    )
    return OK


def _verify(args: argparse.Namespace) -> int:
    root = _root(args)
    differences = verify(
        root,
        engine=args.engine,
        jobs=args.jobs,
        operations=args.operation,
        sample=args.sample,
        progress=bar("verifying"),
    )
    for difference in differences:
        print(difference)
    part = "" if args.sample is None else f", one group in {args.sample}"
    print(f"{root}: {'differs from' if differences else 'is'} what {args.engine} builds{part}")
    return MISMATCH if differences else OK


def _lint(args: argparse.Namespace) -> int:
    found = lint(_root(args))
    print(found.text())
    return MISMATCH if found.problems else OK


def _diff(args: argparse.Namespace) -> int:
    found = diff(args.old, args.new)
    print(found.text())
    return MISMATCH if found.problems else OK


def _scan(_: argparse.Namespace) -> int:
    print(hard_rows.document(), end="")
    return OK
