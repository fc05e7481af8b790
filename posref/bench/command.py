"""The command ``posref bench``.

Ratios are of runs that followed one another in one process: the least, the median and the largest of
several. Set OMP_NUM_THREADS=1 before.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

from posref.bench import curves, record
from posref.bench.curves import Point
from posref.bench.timing import ratios
from posref.bench.works import Work, works
from posref.corpus.arguments import at_least
from posref.corpus.writing import check_writable

COPIES: Final = "copies"
FASTER: Final = "times faster than"

Ratio = dict[str, Any]
"""One opponent of a work: `work`, `against`, and the sorted `ratios`, or what is `missing`."""


def add_parser(subparsers: Any) -> None:
    """Add ``bench``; it sets `run`, a function args -> exit code."""
    parser = subparsers.add_parser("bench", help="how fast the reference is beside others, as ratios")
    parser.add_argument(
        "--rounds", type=at_least(1), default=7, metavar="N", help="pairs of runs (default 7)"
    )
    parser.add_argument(
        "--tokens", type=at_least(1), default=4096, metavar="T", help="tokens of 32 heads to rotate"
    )
    parser.add_argument("--work", default="", metavar="TEXT", help="only works whose name holds this")
    parser.add_argument(
        "--curve", action="store_true", help="nanoseconds an element, by elements and by size of positions"
    )
    parser.add_argument(
        "--elements", type=at_least(1), default=10**8, metavar="N",
        help="where curves end (default 10^8; 10^9 takes about 14 GB)",
    )  # fmt: skip
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="measure ratios and curves, and put them into a JSON file"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if os.environ.get("OMP_NUM_THREADS") != "1":
        print("posref: OMP_NUM_THREADS is not 1: libraries may use more than one thread", file=sys.stderr)
    if args.save:
        check_writable(args.save)
        record.read(args.save)
    sections: dict[str, Any] = {}
    if args.save or not args.curve:
        sections["ratios"] = _ratios(args)
    if args.save or args.curve:
        sections["curves"] = _curves(args)
    if args.save:
        record.save(args.save, sections)
    return 0


def _ratios(args: argparse.Namespace) -> list[Ratio]:
    print(f"{'work':<34} {'against':<38} {'min':>7} {'median':>7} {'max':>7}")
    found = []
    for work in works(args.tokens):
        for ratio in opponents(work, args.rounds) if args.work in work.name else ():
            print(line(ratio), flush=True)
            found.append(ratio)
    return found


def opponents(work: Work, rounds: int) -> Iterator[Ratio]:
    """Yield the ratios against each opponent of a work; a missing library is named."""
    copied = ratios(work.call, work.copied.copy, rounds)
    yield {"work": work.name, "against": COPIES, "ratios": copied}
    for name, prepare in work.others.items():
        try:
            other = prepare()
        except ImportError as missing:
            yield {"work": work.name, "against": name, "missing": missing.name or str(missing)}
            continue
        found = ratios(other, work.call, rounds)
        yield {"work": work.name, "against": f"{FASTER} {name}", "ratios": found}


def line(ratio: Ratio) -> str:
    """Return ratios as a line of the table."""
    work, against = ratio["work"], ratio["against"]
    if "missing" in ratio:
        return f"{work:<34} {against}: not measured, {ratio['missing']} is not installed"
    found = ratio["ratios"]
    return f"{work:<34} {against:<38} {found[0]:>7.2f} {median(found):>7.2f} {found[-1]:>7.2f}"


def _curves(args: argparse.Namespace) -> list[dict[str, Any]]:
    print(f"{'work':<34} {'elements':>11} {'positions':>11} {'ns each':>8} {'copy':>8} {'copies':>7}")
    found = []
    for points in (curves.over_elements(args.elements, args.rounds), curves.over_positions(args.rounds)):
        for point in points:
            print(_shown(point), flush=True)
            found.append(point._asdict())
    return found


def _shown(point: Point) -> str:
    position = f"< {point.position:.3g}" if point.position else ""
    return (
        f"{point.work:<34} {point.elements:>11} {position:>11} "
        f"{point.ns:>8.3f} {point.copy_ns:>8.3f} {point.copies:>7.2f}"
    )
