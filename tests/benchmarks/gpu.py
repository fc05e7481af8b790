"""The reference on a GPU, in one run: is it right, and how near does it come to a device copy?

    python tests/benchmarks/gpu.py [--save docs/performance.json] [--seconds 330]

Needs CuPy 14 with its CUDA components (``pip install -e '.[cuda12,bfloat16,test]'``). Prints one JSON object;
``--save`` also puts it into the file behind the page on performance. Exits with 1 where a stage failed, a
result is wrong, or a rotation stays below 85 % of the bandwidth of a copy. ``--dry-run`` plays everything on
the host with NumPy, to see that the script itself is whole.
"""

import argparse
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Any

import numpy as np

import posref
from posref.adapters import load
from posref.bench import record
from posref.numerics import cuda
from posref.numerics.rounding import bfloat16

ROOT = Path(__file__).parents[2]
REACH = 0.85
WAYS = ("adjacent", "half")


class Gpu:
    """CuPy on its device; times are those between two events."""

    backend = "cupy"

    def __init__(self) -> None:
        import cupy

        self.xp = cupy

    def describe(self) -> dict[str, Any]:
        runtime = self.xp.cuda.runtime
        device = runtime.getDeviceProperties(runtime.getDevice())
        return {
            "name": device["name"].decode(),
            "memory_gib": round(device["totalGlobalMem"] / 2**30, 1),
            "runtime": runtime.runtimeGetVersion(),
            "driver": runtime.driverGetVersion(),
            "cupy": self.xp.__version__,
        }

    def seconds(self, call: Callable[[], Any]) -> float:
        start, stop = self.xp.cuda.Event(), self.xp.cuda.Event()
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return self.xp.cuda.get_elapsed_time(start, stop) / 1000

    def rotation(self, x: Any, cos: Any, sin: Any, way: str) -> Callable[[], Any]:
        """Return the kernel alone, into memory that is there."""
        result, bad = self.xp.empty_like(x), self.xp.zeros((), "int32")
        launch = cuda.rotation(x, cos, 0, way, way)
        return lambda: cuda.run(self.xp, launch, x, cos, sin, result, bad)

    def free(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()


class Host:
    """NumPy in the place of CuPy: the same script, and figures that say nothing of a GPU."""

    backend = "numpy"
    xp = np

    def describe(self) -> dict[str, Any]:
        return {"name": "none: a dry run on the host"}

    def seconds(self, call: Callable[[], Any]) -> float:
        start = perf_counter()
        call()
        return perf_counter() - start

    def rotation(self, x: Any, cos: Any, sin: Any, way: str) -> Callable[[], Any]:
        return partial(posref.rope.rotate, x, cos, sin, pairing_in=way, pairing_out=way)

    def free(self) -> None:
        return


def pair(
    device: Gpu | Host, call: Callable[[], Any], copy: Callable[[], Any], rounds: int
) -> dict[str, float]:
    """Return the median times of a call and of a copy, and the share of the copy's bandwidth reached."""
    call(), copy()
    found = [(device.seconds(call), device.seconds(copy)) for _ in range(rounds)]
    own, its = (median(part) for part in zip(*found, strict=True))
    return {"seconds": own, "copy_seconds": its, "share": median(b / a for a, b in found)}


def tensor(device: Gpu | Host, shape: tuple[int, ...], dtype: str) -> Any:
    """Return values of a short period, made on the device."""
    xp, period = device.xp, np.random.default_rng(0).standard_normal(1009)
    kind = bfloat16() if dtype == "bfloat16" else dtype
    return xp.resize(xp.asarray(period).astype(kind), shape)


def checks(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Judge the reference by all vectors."""
    start = monotonic()
    report = posref.check(load("reference"), args.operation or "*", backend=device.backend)
    bad = [one for one in report.results if one.verdict in ("fail", "error")]
    return {
        "passed": bool(report),
        "line": report.last_line,
        "seconds": monotonic() - start,
        "failures": [f"{one.case_id} in {one.dtype}: {one.reason}" for one in bad[:20]],
        "claims": {f"{one.operation} {one.dtype}": one.strongest_claim for one in report.operations},
    }


def tests(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Run the tests that need CuPy, none of which may be skipped for want of it."""
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *args.tests.split()]
    chosen = "cupy or gpu" if device.backend == "cupy" else "numpy"
    environment = {**os.environ, "POSREF_REQUIRE": "cupy"} if device.backend == "cupy" else {**os.environ}
    left = max(1.0, args.deadline - monotonic())
    ran = subprocess.run(
        [sys.executable, *words, "-k", chosen], cwd=ROOT, env=environment, timeout=left,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = ran.stdout.splitlines()
    return {"passed": ran.returncode == 0, "line": lines[-1] if lines else ran.stderr, "tail": lines[-15:]}


def bits(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Compare rotations and biases of a middle size with those of the host, bit for bit."""
    draw, wrong, count = np.random.default_rng(1), [], 0
    xp = device.xp
    x = draw.standard_normal((3, 5, 257, 72)) * 2.0 ** draw.integers(-140, 3, (3, 5, 257, 72))
    angle = draw.standard_normal((3, 1, 257, 32)) * 100
    q, k, slopes = draw.integers(0, 2**40, 37), np.arange(1000), np.array([0.5, 1 / 3, -0.1])
    for dtype in args.dtypes:
        for read in WAYS:
            for write in WAYS:
                own = np.asarray(tensor(Host(), (1,), dtype)).dtype
                arrays = [x.astype(own), np.cos(angle), np.sin(angle)]
                ways = {"pairing_in": read, "pairing_out": write, "rotary_start": 3}
                want = posref.rope.rotate(*arrays, **ways)
                got = posref.rope.rotate(*map(xp.asarray, arrays), **ways)
                count += 1
                if back(device, got).tobytes() != want.tobytes():
                    wrong.append(f"rope.rotate {dtype} {read} to {write}")
        for form in ("neg_distance", "neg_abs", "key_index"):
            if dtype == "float16":
                continue  # these distances overflow it
            ways = {"form": form, "future": "neg_inf", "dtype": dtype}
            want = posref.alibi.bias(q, k, slopes, **ways)
            got = posref.alibi.bias(*map(xp.asarray, (q, k, slopes)), **ways)
            count += 1
            if back(device, got).tobytes() != want.tobytes():
                wrong.append(f"alibi.bias {dtype} {form}")
    return {"passed": not wrong, "compared": count, "wrong": wrong}


def back(device: Gpu | Host, array: Any) -> np.ndarray:
    return np.asarray(array if device.backend == "numpy" else device.xp.asnumpy(array))


def rotations(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Time rotations of a large tensor against a copy: the kernel, and the call with its checks."""
    xp, rows = device.xp, []
    for dtype in args.dtypes[1:]:
        size = np.asarray(tensor(Host(), (1,), dtype)).itemsize
        tokens = max(1, int(args.mib * 2**20) // (32 * 128 * size))
        x = tensor(device, (1, 32, tokens, 128), dtype)
        copy = partial(xp.copyto, xp.empty_like(x), x)
        cos, sin = (tensor(device, (tokens, 64), "float64") for _ in range(2))
        for way in WAYS:
            works = {
                "kernel": device.rotation(x, cos, sin, way),
                "call": partial(posref.rope.rotate, x, cos, sin, pairing_in=way, pairing_out=way),
            }
            for what, work in works.items():
                found = pair(device, work, copy, args.rounds)
                rows.append({"work": f"rope.rotate {dtype} {way}", "what": what, "bytes": x.nbytes, **found})
        del x, copy, cos, sin, works, work
        device.free()
    slow = [row for row in rows if row["what"] == "kernel" and row["share"] < REACH]
    return {"passed": args.dry_run or not slow, "rows": rows}


def others(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Time a bias and a table against a copy of their results."""
    xp, rows = device.xp, []
    side = max(1, int((args.mib * 2**20 / 4 / 32) ** 0.5))
    at, slopes = xp.arange(side), xp.asarray(posref.alibi.slopes(num_heads=32, bias_max=8.0))
    positions = xp.arange(max(1, int(args.mib * 2**20) // (16 * 128)))
    frequencies = xp.asarray(posref.rope.inv_freq(rotary_dim=128, base=1e4))
    works: dict[str, Callable[[], Any]] = {
        "alibi.bias float32": lambda: posref.alibi.bias(
            at, at, slopes, form="neg_distance", future="neg_inf", dtype="float32"
        ),
        "rope.cos_sin float32": lambda: posref.rope.cos_sin(positions, frequencies, dtype="float32").cos,
    }
    for name, call in works.items():
        result = call()
        copy = partial(xp.copyto, xp.empty_like(result), result)
        rows.append({"work": name, "bytes": result.nbytes, **pair(device, call, copy, args.rounds)})
        del result, copy
        device.free()
    return {"passed": True, "rows": rows}


def curve(device: Gpu | Host, args: argparse.Namespace) -> dict[str, Any]:
    """Time rotations from 10^4 to 10^9 elements."""
    rows = []
    for exponent in range(4, args.decades + 1):
        tokens = max(1, 10**exponent // 1024)
        x = tensor(device, (8, tokens, 128), "float32")
        cos, sin = (tensor(device, (tokens, 64), "float64") for _ in range(2))
        copy = partial(device.xp.copyto, device.xp.empty_like(x), x)
        call = partial(posref.rope.rotate, x, cos, sin, pairing_in="half", pairing_out="half")
        found = pair(device, call, copy, args.rounds)
        each = {"ns": found["seconds"] * 1e9 / x.size, "copy_ns": found["copy_seconds"] * 1e9 / x.size}
        rows.append({"work": "rope.rotate float32 half", "elements": x.size, **each})
        del x, cos, sin, call, copy
        device.free()
    return {"passed": True, "rows": rows}


Stage = Callable[[Any, argparse.Namespace], dict[str, Any]]
STAGES: dict[str, Stage] = {
    "bits": bits,
    "rotations": rotations,
    "others": others,
    "curve": curve,
    "check": checks,
    "tests": tests,
}
"""In the order of what would be missed most."""


def run(device: Gpu | Host, args: argparse.Namespace, stages: dict[str, Stage]) -> dict[str, Any]:
    """Run all stages; one that fails does not end the others, and none begins after the deadline."""
    found: dict[str, Any] = {}
    for name, stage in stages.items():
        start = monotonic()
        if start > args.deadline:
            found[name] = {"passed": False, "error": "no time was left"}
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            found[name] = stage(device, args)
        except Exception:  # whatever a device does is to be told
            found[name] = {"passed": False, "error": traceback.format_exc()}
        found[name]["stage_seconds"] = round(monotonic() - start, 2)
    return found


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mib", type=float, default=1024, help="size of the tensor that is timed")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--decades", type=int, default=9, help="the curve ends at ten to this power")
    parser.add_argument("--seconds", type=float, default=330, help="after this no stage begins")
    parser.add_argument("--operation", help="check only these")
    parser.add_argument("--tests", default="tests/numerics tests/schemes", help="where pytest looks")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args(words)
    args.deadline = monotonic() + args.seconds
    args.dtypes = ["float64", "float32", "bfloat16", "float16"]
    return args


def main(words: list[str] | None = None) -> int:
    args = arguments(words)
    device = Host() if args.dry_run else Gpu()
    result = {"device": device.describe(), **run(device, args, STAGES)}
    print(json.dumps(result, indent=1))
    if args.save and not args.dry_run:
        record.save(args.save, {"gpu": result})
    return int(not all(part["passed"] for name, part in result.items() if name != "device"))


if __name__ == "__main__":
    sys.exit(main())
