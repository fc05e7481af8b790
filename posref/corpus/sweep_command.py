"""The command ``posref sweep``: the reference's tables at every position of a range."""

import argparse
import os
import time
from pathlib import Path
from typing import Any, Final

from posref.corpus import sweep
from posref.corpus.arguments import above, at_least
from posref.corpus.progress import bar
from posref.corpus.sweep_filter import DIGITS
from posref.corpus.sweep_state import Tally

OK: Final = 0
MISMATCH: Final = 1

POSITIONS: Final = 2**20
BASES: Final = (1e4, 5e5, 1e6)
WIDTHS: Final = (64, 96, 128)


def add_parser(subparsers: Any) -> None:
    """Add ``sweep``; it sets `run`, a function args -> exit code."""
    parser = subparsers.add_parser("sweep", help="check the reference's tables value by value")
    parser.add_argument("--dtype", action="append", choices=sorted(DIGITS), help="only this; may be repeated")
    parser.add_argument("--bases", type=above(1), nargs="+", default=list(BASES), metavar="B")
    parser.add_argument(
        "--widths", type=at_least(2, multiple_of=2), nargs="+", default=list(WIDTHS), metavar="R"
    )
    parser.add_argument("--positions", type=at_least(1), default=POSITIONS, metavar="N", help="0 to N - 1")
    parser.add_argument("--jobs", type=at_least(1), default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("posref-sweep.json"),
        metavar="FILE",
        help="where it is resumed from",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    unfaithful = 0
    for dtype in args.dtype or DIGITS:
        work = list(sweep.units([dtype], args.bases, args.widths, args.positions))
        begun = time.monotonic()
        tally = sweep.run(work, jobs=args.jobs, state=args.state, progress=bar(f"sweeping {dtype}"))
        print(summary(dtype, tally, time.monotonic() - begun), flush=True)
        unfaithful += tally.unfaithful
    return MISMATCH if unfaithful else OK


def summary(dtype: str, tally: Tally, seconds: float) -> str:
    """Return a line about a sweep."""
    worst = f"{tally.worst:.9f} ulp" if tally.worst > 0.5 else "0.5 ulp at most"
    return (
        f"{dtype}: {tally.values} values checked, {tally.golden} of them by the golden definitions, "
        f"{tally.unfaithful} unfaithful, {tally.misrounded} not correctly rounded, worst {worst}, "
        f"{seconds:.0f} s"
    )
