"""What a caller may have set, and must make no difference; and what is global, which must stay as it is."""

import contextlib
import ctypes
import decimal
import mmap
import platform
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np


@contextlib.contextmanager
def _decimals() -> Iterator[None]:
    """Three digits, rounded up, and every signal an error, here and in contexts made anew."""
    default = decimal.DefaultContext
    before = default.copy()
    try:
        with decimal.localcontext() as here:
            for one in (here, default):
                one.prec, one.rounding, one.Emax, one.Emin, one.clamp = 3, decimal.ROUND_UP, 5, -5, 1
                for trap in one.traps:
                    one.traps[trap] = True
            yield
    finally:
        for name in ("prec", "rounding", "Emax", "Emin", "clamp", "traps"):
            setattr(default, name, getattr(before, name))


@contextlib.contextmanager
def _digits() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


@contextlib.contextmanager
def _warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def _never(kind: str, flag: int) -> None:
    raise AssertionError(f"{kind} {flag}")


AROUND: Mapping[str, Callable[[], Any]] = {
    "errors raised": lambda: np.errstate(all="raise"),
    "errors ignored": lambda: np.errstate(all="ignore"),
    "errors called": lambda: np.errstate(all="call", call=_never),
    "printing": lambda: np.printoptions(precision=1, threshold=2, edgeitems=1, sign="+", legacy="1.13"),
    "decimals": _decimals,
    "digits": _digits,
    "warnings": _warnings,
}


@contextlib.contextmanager
def settled() -> Iterator[None]:
    """See that what is global is as it was."""

    def state() -> Any:
        return (
            np.geterr(), np.get_printoptions(), repr(decimal.getcontext()), random.getstate(),
            np.random.get_state()[1].tobytes(), tuple(warnings.filters),
        )  # fmt: skip

    before = state()
    yield
    assert state() == before


def clear_caches() -> None:
    """Forget what the reference has kept."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("posref.numerics", "posref.reference")):
            for kept in list(vars(module).values()):
                if hasattr(kept, "cache_clear"):
                    kept.cache_clear()


CAN_FLUSH = sys.platform == "linux" and platform.machine() == "x86_64"
FLUSHING = 0x8040
"""The bits of MXCSR by which a processor takes subnormal numbers, given or computed, for zeros."""


@contextlib.contextmanager
def flushing() -> Iterator[None]:
    """Have the processor flush subnormal numbers in this thread, as libraries built with -ffast-math do."""
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code[:8] = bytes.fromhex("0fae17c3 0fae1fc3")  # ldmxcsr [rdi]; ret; stmxcsr [rdi]; ret
        place = ctypes.c_char.from_buffer(code)
        address = ctypes.addressof(place)
        load, store = (ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address + at) for at in (0, 4))
        before, word = ctypes.c_uint32(), ctypes.c_uint32()
        store(ctypes.byref(before))
        word.value = before.value | FLUSHING
        load(ctypes.byref(word))
        try:
            yield
        finally:
            load(ctypes.byref(before))
            del place, load, store
