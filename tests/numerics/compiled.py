"""The CUDA kernels as a C++ compiler makes them: blocks and threads are loops, arrays are NumPy's.

What a kernel computes and where it reads and writes is its own text; only the intrinsics are played here.
"""

import ctypes
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from posref.numerics import cuda_source
from posref.numerics.cuda import Launch
from posref.numerics.cuda_source import Kernel
from posref.operation import DTYPES

SHIM: Final = """
#include <cmath>
#include <cstring>
#define __global__
#define __device__
#define __align__(size) __attribute__((aligned(size)))
struct Place { unsigned x, y; };
static Place gridDim, blockDim, blockIdx, threadIdx;
static double __dmul_rn(double a, double b) { return a * b; }
static double __dadd_rn(double a, double b) { return a + b; }
static double __dsub_rn(double a, double b) { return a - b; }
static long long __double2ll_rn(double a) { return std::llrint(a); }
static long long __double_as_longlong(double a) { long long b; std::memcpy(&b, &a, 8); return b; }
static double __longlong_as_double(long long a) { double b; std::memcpy(&b, &a, 8); return b; }
"""

DRIVER: Final = """
extern "C" void run_{name}(unsigned across, unsigned along, unsigned threads, {parameters}) {{
    gridDim = {{across, along}}; blockDim = {{threads, 1}};
    for (unsigned a = along; a--;) for (unsigned b = across; b--;) for (unsigned c = threads; c--;) {{
        blockIdx = {{b, a}}; threadIdx = {{c, 0}};
        {name}({arguments});
    }}
}}
"""


def kernels() -> Iterator[Kernel]:
    """Yield every kernel for arrays of up to two outer axes."""
    for dtype in DTYPES:
        yield cuda_source.wide(dtype)
        for masked in (False, True):
            yield cuda_source.narrow(dtype, masked)
        ways = ("adjacent", "half", "paired")
        for read, write, rank in itertools.product(ways, ways, range(3)):
            yield cuda_source.rotation(dtype, read, write, rank)
        for form, future in itertools.product(cuda_source.MULTIPLES, ("neg_inf", "keep")):
            for rank in range(3):
                yield cuda_source.bias(dtype, form, future, rank)


def source() -> str:
    """Return all kernels as CUDA source."""
    return cuda_source.NUMBERS + "".join(kernel.text for kernel in kernels())


def _driver(kernel: Kernel) -> str:
    names = (one.replace("*", " ").split()[-1] for one in kernel.parameters)
    parameters = ", ".join(kernel.parameters)
    return DRIVER.format(name=kernel.name, parameters=parameters, arguments=", ".join(names))


class Compiled:
    """All kernels, compiled into `folder`."""

    def __init__(self, compiler: str, folder: Path) -> None:
        text = SHIM + source() + "".join(map(_driver, kernels()))
        (folder / "kernels.cpp").write_text(text, encoding="utf-8")
        command = [compiler, "-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing"]
        subprocess.run(
            [*command, "-shared", "-fPIC", "kernels.cpp", "-o", "kernels.so"], cwd=folder, check=True
        )
        self.library = ctypes.CDLL(str(folder / "kernels.so"))

    def run(self, launch: Launch, *arrays: Any) -> None:
        """Run a kernel as `cuda.run` does."""
        function = getattr(self.library, f"run_{launch.kernel.name}")
        sizes = [ctypes.c_uint(size) for size in (*launch.grid, launch.threads)]
        places = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        function(*sizes, *places, *map(ctypes.c_longlong, launch.numbers))

    def rotate(self, x: Any, cos: Any, sin: Any, launch: Launch) -> tuple[Any, bool]:
        """Return a rotated tensor, and whether it was found to overflow."""
        result, bad = np.full(x.shape, 0, x.dtype), np.zeros((), np.int32)
        self.run(launch, x, cos, sin, result, bad)
        return result, bool(bad)

    def flat(self, kernel: Kernel, launch: Launch, *arrays: Any) -> bool:
        """Convert numbers; return whether one was found to overflow."""
        bad = np.zeros((), np.int32)
        takes_bad = any("bad" in one for one in kernel.parameters)
        self.run(launch, *arrays, *([bad] if takes_bad else []))
        return bool(bad)
