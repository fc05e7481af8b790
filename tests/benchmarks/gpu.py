"""The reference on a GPU: the bits it has on the CPU, and how near a rotation comes to a device copy.

    python tests/benchmarks/gpu.py [--mib 1024] [--rounds 20]

Exits with 1 where a result differs, or a rotation is below 85 % of the bandwidth of a copy.
"""

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

import posref

REACH = 0.85


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=1024, help="size of the tensor that is timed")
    parser.add_argument("--rounds", type=int, default=20)
    return parser.parse_args()


def small(dtype: Any) -> tuple[Any, Any, Any]:
    """Return a tensor of five leading entries and its tables, with zeros of both signs and tiny values."""
    draw = np.random.default_rng(1)
    x = draw.standard_normal((5, 37, 72)) * 2.0 ** draw.integers(-30, 3, (5, 37, 72))
    x[0, 0], x[0, 1] = 0.0, -0.0
    angle = draw.standard_normal((37, 32)) * 100
    return x.astype(dtype), np.cos(angle), np.sin(angle)


def differences(cupy: Any, dtypes: dict[str, Any]) -> Iterator[str]:
    """Yield every call whose bits on the GPU are not those on the CPU."""
    for (name, dtype), pairing_in, pairing_out in itertools.product(
        dtypes.items(), ("adjacent", "half"), ("adjacent", "half")
    ):
        arrays, ways = small(dtype), {"pairing_in": pairing_in, "pairing_out": pairing_out, "rotary_start": 3}
        want = posref.rope.rotate(*arrays, **ways)
        got = cupy.asnumpy(posref.rope.rotate(*map(cupy.asarray, arrays), **ways))
        if got.tobytes() != want.tobytes():
            yield f"rope.rotate {name} {pairing_in} to {pairing_out}"
    q, k, slopes = np.arange(40, 77), np.arange(100), np.array([0.5, 1 / 3, -0.1])
    for name, form, future in itertools.product(
        dtypes, ("neg_distance", "neg_abs", "key_index"), ("neg_inf", "keep")
    ):
        ways = {"form": form, "future": future, "dtype": name}
        want = posref.alibi.bias(q, k, slopes, **ways)
        got = cupy.asnumpy(posref.alibi.bias(*map(cupy.asarray, (q, k, slopes)), **ways))
        if got.tobytes() != want.tobytes():
            yield f"alibi.bias {name} {form} {future}"


def seconds(cupy: Any, call: Callable[[], Any], rounds: int) -> float:
    """Return the median time of a call on the device, by events."""
    call()
    found = []
    for _ in range(rounds):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        stop.record()
        stop.synchronize()
        found.append(cupy.cuda.get_elapsed_time(start, stop) / 1000)
    return median(found)


def shares(cupy: Any, dtypes: dict[str, Any], mib: int, rounds: int) -> Iterator[tuple[str, float]]:
    """Yield rotations with their bandwidth as a share of that of a copy, their check included and not."""
    for (name, dtype), pairing in itertools.product(dtypes.items(), ("adjacent", "half")):
        tokens = mib * 2**20 // (32 * 128 * np.dtype(dtype).itemsize)
        x = cupy.random.standard_normal((32, tokens, 128), dtype=cupy.float32).astype(dtype)
        angle = cupy.random.standard_normal((tokens, 64))
        cos, sin = cupy.cos(angle), cupy.sin(angle)
        target = cupy.empty_like(x)
        copy = seconds(cupy, lambda t=target, x=x: cupy.copyto(t, x), rounds)
        ways = {"pairing_in": pairing, "pairing_out": pairing}
        whole = seconds(cupy, lambda x=x, c=cos, s=sin, w=ways: posref.rope.rotate(x, c, s, **w), rounds)
        yield f"rope.rotate {name} {pairing}, checks included", copy / whole
        del x, target


def main() -> int:
    args = arguments()
    import cupy

    dtypes: dict[str, Any] = {name: np.dtype(name) for name in ("float64", "float32", "float16")}
    if hasattr(cupy, "bfloat16"):
        import ml_dtypes

        dtypes["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
    wrong = list(differences(cupy, dtypes))
    for call in wrong:
        print(f"differs: {call}")
    slow = 0
    for name, share in shares(cupy, dtypes, args.mib, args.rounds):
        print(f"{name}: {share:.1%} of a copy")
        slow += share < REACH
    return int(bool(wrong) or bool(slow))


if __name__ == "__main__":
    sys.exit(main())
