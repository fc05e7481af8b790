"""The command line: ``posref list | show | check | judge | explain | resolve | matrix | sweep | ...``.

Exit codes: 0 pass, 1 mismatch, 2 usage, a bad file, or nothing that ran, 130 interrupted.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import posref
from posref import bench, configuration, conformance, corpus
from posref.conformance import archive, confusion, coverage, matrix, options, outputs, show
from posref.conformance.export import command as export
from posref.corpus import bounded, command, ending, sweep_command
from posref.corpus.progress import bar
from posref.corpus.strict import read_object

PASS: Final = 0
MISMATCH: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

LONGEST: Final = 2000
"""Characters of a message, which may quote what stands in a file."""

MEMORY: Final = 4 << 30
COPIES: Final = 40
"""Bytes that judging one output may take, and how much more than the arrays themselves."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; default: those of the process.

    Returns
    -------
    int
        The exit code.
    """
    try:
        args = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else USAGE
    if sys.stdout is None:
        _say("standard output is closed")
        return USAGE
    try:
        with ending.heeded():
            code = int(args.run(args))
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader went away; what it did not read is no pass
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USAGE
    except Exception as error:  # no traceback, and never a pass
        _say(_message(error))
        return USAGE
    return code


def _message(error: Exception) -> str:
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, ValueError | TypeError | ImportError | OSError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _say(text: str) -> None:
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."
    print(f"posref: {cut}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "posref", description="Reference specification of Transformer positional encodings."
    )
    parser.add_argument("--version", action="version", version=f"posref {posref.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="all operations, with inputs and parameters").set_defaults(run=_list)
    _add_show(commands)
    _add_check(commands)
    _add_judge(commands)
    explain = commands.add_parser("explain", help="the text of a clause, or what a flag means")
    explain.add_argument("name", metavar="CLAUSE-or-FLAG")
    explain.set_defaults(run=_explain)
    vectors = command.add_parser(commands)
    coverage.add_parser(vectors)
    confusion.add_parser(vectors)
    export.add_parser(vectors)
    configuration.add_parser(commands)
    matrix.add_parser(commands)
    sweep_command.add_parser(commands)
    bench.add_parser(commands)
    return parser


def _add_show(commands: Any) -> None:
    parser = commands.add_parser("show", help="one case of the corpus")
    parser.add_argument("case", metavar="CASE", help="its id")
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.set_defaults(run=_show)


def _add_check(commands: Any) -> None:
    parser = commands.add_parser("check", help="judge an implementation by the vectors")
    options.add_arguments(parser)
    parser.add_argument("--operation", action="append", metavar="GLOB", help="only these; may be repeated")
    parser.add_argument("--dtype", action="append", help="only this floating dtype; may be repeated")
    parser.add_argument("--claim", help="how close is right; default: the default claim of the dtype")
    parser.add_argument("--kind", help="value, invalid (what must be refused) or scenario (several calls)")
    parser.add_argument(
        "--layout",
        default="contiguous",
        help="how inputs lie in memory: contiguous (default), strided, sliced, transposed or reversed",
    )
    parser.add_argument(
        "--backend", help="whose arrays it gets and must return: numpy, cupy or array-api-strict"
    )
    outputs.add_arguments(parser)
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.set_defaults(run=_check)


def _add_judge(commands: Any) -> None:
    parser = commands.add_parser("judge", help="judge one output on your own inputs")
    parser.add_argument("operation", metavar="OPERATION")
    parser.add_argument("--params", type=Path, required=True, metavar="JSON", help="the parameters")
    parser.add_argument("--inputs", type=Path, metavar="NPZ", help="the inputs, by name")
    parser.add_argument("--output", type=Path, required=True, metavar="NPZ", help="the outputs, by name")
    parser.add_argument("--claim", help="how close is right")
    parser.add_argument("--dtype", help="the dtype that the output must have")
    parser.set_defaults(run=_judge)


def _list(_: argparse.Namespace) -> int:
    print(show.operations())
    return PASS


def _show(args: argparse.Namespace) -> int:
    loaded = corpus.load_vectors(args.root)
    texts = [show.case(test) for test in loaded.tests if test.id == args.case]
    texts += [show.scenario(test) for test in loaded.scenarios if test.id == args.case]
    texts += [show.golden(test) for test in loaded.golden if test.id == args.case]
    if not texts:
        raise ValueError(f"no case {args.case!r} in the corpus")
    print(texts[0])
    return PASS


def _explain(args: argparse.Namespace) -> int:
    print(show.explain(args.name))
    return PASS


def _check(args: argparse.Namespace) -> int:
    places = outputs.places(args)
    here = os.getcwd()
    sys.path.insert(0, here)  # as python -m does; the installed script leaves it out
    try:
        with warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter("always", RuntimeWarning)  # how a program ended
            report = conformance.check(
                options.chosen(args),
                args.operation or "*",
                dtype=args.dtype,
                claim=args.claim,
                root=args.root,
                kind=args.kind,
                layout=args.layout,
                backend=args.backend,
                expected=args.xfail or (),
                strict=args.strict,
                progress=bar("checking"),
            )
    finally:
        sys.path.remove(here)
    for remark in remarks:
        _say(str(remark.message))
    faults = outputs.deliver(report, places)
    for fault in faults:
        _say(fault)
    if report.executed < args.min_tests:
        wanted = f", where at least {args.min_tests} were to run" if args.min_tests > 1 else ""
        _say(f"{report.executed or 'nothing'} ran{wanted}: this is no pass")
    if faults or report.executed < args.min_tests:
        return USAGE
    return PASS if report else MISMATCH


def _judge(args: argparse.Namespace) -> int:
    inputs = archive.read(args.inputs) if args.inputs else {}
    output = archive.read(args.output)
    size = sum(array.nbytes for array in (*inputs.values(), *output.values()))
    with bounded.memory(MEMORY + COPIES * size):
        verdict = conformance.judge(
            args.operation, inputs, output, read_object(args.params), args.claim, dtype=args.dtype
        )
    print(verdict)
    if not verdict.elements and verdict.passed:
        _say("no element could be judged: this is no pass")
        return USAGE
    return PASS if verdict else MISMATCH
