"""What the corpus catches: every registered mistake is run as an implementation over the cases.

A mistake gets exact inputs, and its float64 result is rounded once to the dtype: it makes no error but
its own. A mistake *survives* where no case rejects it.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.adapters import Implementation
from posref.conformance.claims import applies, check_claim, check_dtypes
from posref.conformance.run import run
from posref.corpus import chosen
from posref.corpus.load import Test, load_vectors
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import Mistake, mistakes, signature

Array = NDArray[Any]

JUDGED: Final = ("float32", "bfloat16")
"""Dtypes in which every mistake must be caught, unless others are asked for."""

SHOWN: Final = 3
"""How many of the killing cases are printed."""


@dataclass(frozen=True, eq=False)
class _Written:
    """An array said to have `dtype`, whose values it holds exactly."""

    dtype: str
    values: Array


@dataclass(frozen=True)
class Coverage:
    """How one mistake fares in one dtype; `errors` are the cases on which it gave no answer at all."""

    mistake: Mistake
    dtype: str
    tried: tuple[str, ...]
    killing: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def survives(self) -> bool:
        """Whether no case rejects the mistake, or it is none that can be judged."""
        return not self.killing or bool(self.errors)

    def __str__(self) -> str:
        shown = ", ".join(self.killing[:SHOWN]) + (", ..." if self.killing[SHOWN:] else "")
        text = f"killed by {len(self.killing)} of {len(self.tried)}: {shown}" if self.killing else "SURVIVES"
        failed = f"; no answer to {', '.join(self.errors[:SHOWN])}" if self.errors else ""
        return f"  {self.mistake.name:<32} {self.dtype:<8} {text}{failed}"


def faulty(mistake: Mistake, dtype: str) -> Implementation:
    """Return the mistake as an implementation whose results have `dtype`."""

    def written(values: Any) -> _Written:
        values = np.asarray(values)
        if values.dtype != np.float64:
            return _Written("bool" if values.dtype == bool else "int64", values)
        return _Written(dtype, decode_bits(round_bits(values, dtype), dtype))

    def call(*tensors: Any, dtype: str = "", **params: Any) -> Any:
        with np.errstate(all="ignore"):
            result = mistake.function(*tensors, **params)
        return tuple(written(part) for part in result) if isinstance(result, tuple) else written(result)

    return Implementation(
        name=mistake.name,
        operations={mistake.operation: call},
        write=lambda values, _: values.copy(),
        read=lambda one: (one.dtype, one.values) if isinstance(one, _Written) else (str(one.dtype), one),
    )


def cover(mistake: Mistake, tests: Iterable[Test], dtype: str, claim: str | None = None) -> Coverage:
    """Judge one mistake by value tests of its operation.

    Parameters
    ----------
    mistake : Mistake
        What is run.
    tests : iterable of Test
        Loaded vectors; those that must be refused do not count.
    dtype : str
        The dtype of its results; ``"int64"`` for an operation without float outputs.
    claim : str, optional
        The claim to judge by; default: the default claim of the dtype.

    Returns
    -------
    Coverage
        The cases that judged it and those that reject it, in the order of `tests`.
    """
    values = [test for test in tests if test.kind == "value" and test.operation == mistake.operation]
    found: dict[str, list[str]] = {}
    for attempt in run(faulty(mistake, dtype), values, dtype, claim, ranked=False):
        found.setdefault(attempt.result.verdict, []).append(attempt.test.id)
    killing = set(found.get("fail", ()))
    judged = killing | set(found.get("pass", ()))
    return Coverage(
        mistake,
        dtype,
        tuple(test.id for test in values if test.id in judged),
        tuple(test.id for test in values if test.id in killing),
        tuple(found.get("error", ())),
    )


def coverage(
    operations: str = "*",
    dtypes: Sequence[str] = JUDGED,
    claim: str | None = None,
    root: str | Path | None = None,
) -> Iterator[Coverage]:
    """Yield what becomes of every registered mistake of the operations, in each of `dtypes`.

    Operations whose outputs are integers are judged once. A dtype in which `claim` cannot be made is
    left out.

    Raises
    ------
    ValueError
        If no operation matches the glob, a dtype or the claim is unknown, or the claim can be made in
        none of the dtypes.
    FormatError
        If the corpus is not what the specification says.
    """
    names = chosen.names(operations)
    judged = _dtypes(dtypes, claim)
    tests = load_vectors(root, operations).tests
    for name in names:
        for mistake in mistakes(name):
            for dtype in ("int64",) if signature(name).integer else judged:
                yield cover(mistake, tests, dtype, claim)


def _dtypes(dtypes: Sequence[str], claim: str | None) -> list[str]:
    check_dtypes(dtypes)
    if claim is None:
        return list(dtypes)
    found = [dtype for dtype in dtypes if applies(check_claim(claim), dtype)]
    if not found:
        raise ValueError(f"the claim {claim} is not made for {', '.join(dtypes)}")
    return found


def add_parser(commands: Any) -> None:
    """Add ``coverage`` to the sub-commands of ``posref vectors``."""
    parser = commands.add_parser("coverage", help="which cases catch each registered mistake")
    parser.add_argument("--operation", default="*", metavar="GLOB", help="only these operations")
    parser.add_argument("--dtype", action="append", help="judge in this floating dtype; may be repeated")
    parser.add_argument("--claim", help="how close is right; default: the default claim of the dtype")
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.set_defaults(run=_print)


def _print(args: argparse.Namespace) -> int:
    """Print every mistake below its operation, the survivors last; 1 if there are any."""
    every: list[Coverage] = []
    found = coverage(args.operation, args.dtype or JUDGED, args.claim, args.root)
    for name, group in groupby(found, key=lambda one: one.mistake.operation):
        print(name)
        for one in group:
            print(one)
            every.append(one)
    alive = [one for one in every if one.survives]
    for one in alive:
        print(f"survivor: {one.mistake.operation} {one.mistake.name} in {one.dtype}")
    known = len({(one.mistake.operation, one.mistake.name) for one in every})
    print(f"{known} mistakes, {len(every) - len(alive)} of {len(every)} runs caught, {len(alive)} survive")
    return 1 if alive else 0
