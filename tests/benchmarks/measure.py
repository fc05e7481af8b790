"""Everything that the page on performance shows, measured and put into its file.

    OMP_NUM_THREADS=1 python tests/benchmarks/measure.py docs/performance.json

About 20 minutes on a quiet machine with 16 GB free, of which the sweep takes most; `--only` measures some
sections, and a sweep that was interrupted goes on. The GPU's section comes from `gpu.py`.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import posref
from posref.bench import record
from posref.cli import main as posref_main
from posref.corpus import sweep
from posref.corpus.progress import bar
from posref.corpus.sweep_command import BASES, POSITIONS, WIDTHS
from posref.corpus.sweep_filter import DIGITS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "numerics"))

import test_memory as memory_test  # noqa: E402


def memory(_: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what each operation with large results needs beyond its input and its output."""
    rows = []
    for name, arguments in memory_test.calls().items():
        inputs, params = arguments()
        peak, result = memory_test.peak(name, inputs, params)
        output = memory_test.bytes_of(result)
        row = {"operation": name, "input": memory_test.bytes_of(inputs), "output": output}
        rows.append({**row, "beyond": peak - output})
        print(f"{name:<28} {rows[-1]['beyond'] / 2**20:>7.1f} MiB beyond its output", flush=True)
    return rows


def runs(_: argparse.Namespace) -> list[dict[str, Any]]:
    """Return how long whole commands take, in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        build = ["vectors", "build", "--root", folder, "--jobs", "2"]
        return [
            _timed(name, words) for name, words in (("core build", build), ("check", ["check", "reference"]))
        ]


def _timed(name: str, words: list[str]) -> dict[str, Any]:
    before, start = _children(), monotonic()
    subprocess.run([sys.executable, "-m", "posref", *words], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    row = {
        "run": name,
        "command": f"posref {words[0]}",
        "wall": monotonic() - start,
        "cpu": _children() - before,
    }
    print(f"{name}: {row['wall']:.1f} s, {row['cpu']:.1f} s of CPU", flush=True)
    return row


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def swept(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the counts of the sweep of all tables, and what it was of."""
    rows = []
    for dtype in DIGITS:
        work = list(sweep.units([dtype], BASES, WIDTHS, args.positions))
        tally = sweep.run(work, jobs=args.jobs, state=args.sweep_state, progress=bar(f"sweeping {dtype}"))
        rows.append(
            {"dtype": dtype, "positions": args.positions, "bases": BASES, "widths": WIDTHS, **vars(tally)}
        )
    return rows


SECTIONS: dict[str, Callable[[argparse.Namespace], list[dict[str, Any]]]] = {
    "memory": memory,
    "runs": runs,
    "sweep": swept,
}


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", action="append", choices=["bench", *SECTIONS], help="may be repeated")
    parser.add_argument("--elements", default="1000000000", help="where curves end")
    parser.add_argument("--rounds", default="7")
    parser.add_argument("--tokens", default="4096")
    parser.add_argument("--jobs", type=int, default=2, help="of the sweep")
    parser.add_argument("--positions", type=int, default=POSITIONS, help="of the sweep")
    parser.add_argument("--sweep-state", type=Path, default=Path("posref-sweep.json"))
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    args = arguments(words)
    chosen = args.only or ["bench", *SECTIONS]
    if "bench" in chosen:
        options = [f"--{name}={getattr(args, name)}" for name in ("elements", "rounds", "tokens")]
        code = posref_main(["bench", "--save", str(args.file), *options])
        if code:
            return code
    for name, measure in SECTIONS.items():
        if name in chosen:
            record.save(args.file, {name: measure(args)})
    print(f"posref {posref.__version__}: {args.file} holds what was measured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
