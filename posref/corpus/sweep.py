"""Check the reference's tables at every position of a range, value by value.

The tables are those of ``sinusoidal.encode``: a row of sines and a row of cosines of position times
``base**(-2i/width)``, the numbers that every rotary table consists of. A filter of its own
(`sweep_filter`) decides nearly all values; what it leaves open is computed by the golden definitions in
arbitrary precision.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import posref
from posref.corpus import sweep_filter as sieve
from posref.corpus import sweep_state, workers
from posref.corpus.certified import engine_class
from posref.corpus.certify import certify
from posref.corpus.progress import Progress
from posref.corpus.sweep_state import Tally
from posref.corpus.writing import check_writable
from posref.operation import Tensor

SPAN: Final = 2**15
"""Positions of a unit of work."""

Subject = Callable[[Any, int, float, str], Any]
"""Positions, width, base and dtype to a table of that dtype: a row of sines, then of cosines, a position."""


class Unit(NamedTuple):
    """A part of the work: the positions from `start` that fit `SPAN`, up to `stop`."""

    dtype: str
    base: float
    width: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """Its key in a state file."""
        return " ".join(map(str, self))


def reference(positions: Any, width: int, base: float, dtype: str) -> Any:
    """Return the table of the reference."""
    return posref.sinusoidal.encode(
        positions, dim=width, base=base, denominator="dim", layout="sin_cos", odd="error", dtype=dtype
    )


def units(
    dtypes: Iterable[str], bases: Iterable[float], widths: Iterable[int], positions: int
) -> Iterator[Unit]:
    """Yield the units that together are all positions below `positions`."""
    widths = tuple(widths)
    for base in bases:
        for width in widths:
            for dtype in dtypes:
                for start in range(0, positions, SPAN):
                    yield Unit(dtype, base, width, start, min(start + SPAN, positions))


def check(unit: Unit, subject: Subject = reference) -> Tally:
    """Return the tally of a unit."""
    made = np.asarray(subject(np.arange(unit.start, unit.stop), unit.width, unit.base, unit.dtype))
    bits = made.view("uint32" if unit.dtype == "float32" else "uint16")
    total = Tally()
    for start in range(unit.start, unit.stop, sieve.BLOCK):
        rows = min(sieve.BLOCK, unit.stop - start)
        cos, sin = sieve.turned(unit.base, unit.width, start // sieve.BLOCK)
        real = np.concatenate([sin[:rows], cos[:rows]], axis=1)
        stored = bits[start - unit.start : start - unit.start + rows]
        total = total + _judged(unit, start, real, stored)
    return total


def _judged(unit: Unit, start: int, real: Any, stored: Any) -> Tally:
    """Return the tally of some rows: `real` are the values of the filter, `stored` those of the table."""
    low, high = (sieve.rounded(end, unit.dtype) for end in (real - sieve.ERROR, real + sieve.ERROR))
    clear = low == high
    wrong = clear & (stored != high)
    tally = Tally(values=real.size)
    if wrong.any():
        tally = tally + _errors(unit.dtype, stored[wrong], real[wrong])
    if not clear.all():
        for row in np.flatnonzero(~clear.all(axis=1)):
            tally = tally + _golden(unit, start + int(row), stored[row], np.flatnonzero(~clear[row]))
    return tally


def _errors(dtype: str, stored: Any, real: Any) -> Tally:
    """Return the tally of values that are not the nearest."""
    off = np.abs(sieve.values(stored, dtype) - real) / sieve.spacing(real, dtype)
    off = np.where(np.isfinite(off), off, np.inf)
    return Tally(misrounded=off.size, unfaithful=int((off >= 1.0).sum()), worst=float(off.max()))


def _golden(unit: Unit, position: int, stored: Any, columns: Any) -> Tally:
    """Return the tally of the values of a row that the filter leaves open."""
    params = {
        "dim": unit.width,
        "base": unit.base,
        "denominator": "dim",
        "layout": "sin_cos",
        "odd": "error",
    }
    inputs = {"positions": Tensor("int64", (1,), (position,))}
    (found,) = certify(
        engine_class("mpmath"), "sinusoidal.encode", inputs, params, (unit.dtype, "float64")
    ).values()
    nearest, real = (np.array(found[dtype][0].data)[columns] for dtype in (unit.dtype, "float64"))
    got = sieve.values(stored[columns], unit.dtype)
    wrong = (got != nearest) | (np.signbit(got) != np.signbit(nearest))
    off = np.abs(got - real) / sieve.spacing(real, unit.dtype)
    tally = Tally(golden=len(columns), worst=float(np.nanmax(off)))
    return tally + _errors(unit.dtype, stored[columns][wrong], real[wrong]) if wrong.any() else tally


def run(
    work: list[Unit],
    *,
    jobs: int = 1,
    state: Path | None = None,
    progress: Progress | None = None,
    subject: Subject = reference,
) -> Tally:
    """Check every unit, those that a state file has done left out, and return the sum.

    Parameters
    ----------
    work : list of Unit
        What to check.
    jobs : int
        Processes.
    state : path, optional
        Where finished units are written down, after each one, under another name that then replaces it.
        A file that another version of the reference's arithmetic wrote counts for nothing.
    progress : callable, optional
        Told of every unit.
    subject : callable
        What makes the tables; of a module, where there are several processes.

    Returns
    -------
    Tally
        Of all units.

    Raises
    ------
    ImportError
        If mpmath is missing; names the extra that brings it.
    FormatError
        If the state file is something else, or not as it was written.
    OSError
        If it cannot be read or written.
    """
    engine_class("mpmath")  # says what is missing before any work is done
    if state is not None:
        check_writable(state)
    done = {} if state is None else sweep_state.read(state)
    left = [unit for unit in work if unit.name not in done]
    for unit, tally in workers.each(partial(check, subject=subject), left, jobs):
        done[unit.name] = tally
        if state is not None:
            sweep_state.write(state, done)
        if progress:
            ready = sum(one.name in done for one in work)
            progress(ready, len(work), f"{unit.dtype} base {unit.base:g} width {unit.width}")
    return sum((done[unit.name] for unit in work), Tally())
