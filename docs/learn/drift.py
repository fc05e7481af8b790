"""Measure how far the rotary tables of installed frameworks are off, position by position.

``python docs/learn/drift.py`` writes ``docs/learn/drift.json``: for each octave of positions the largest
error of any cosine or sine against the exact value. What stands there of a framework that is not
installed is kept.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import drift_formulas as formulas  # noqa: E402
from drift_formulas import BASE, WIDTH, Table  # noqa: E402

from posref import adapters  # noqa: E402
from posref.corpus.engine_mpmath import MpmathReal  # noqa: E402
from posref.golden import rope as golden  # noqa: E402

STORE = HERE / "drift.json"
OCTAVES = tuple(range(21))
EACH = 32
"""Positions measured in an octave, where it has so many."""

GOLDEN = 40503
"""Odd, and the golden section of 2^16: its multiples spread evenly and have no short binary fractions."""

FORMULAS: Mapping[str, Callable[[], tuple[Table, str]]] = {
    "NumPy float64": lambda: formulas.numpy_table("float64"),
    "NumPy float32": lambda: formulas.numpy_table("float32"),
    "PyTorch": formulas.torch_table,
    "JAX": formulas.jax_table,
    "ONNX Runtime": formulas.onnxruntime_table,
    "PyTorch, bfloat16 table": lambda: formulas.torch_table(table_dtype="bfloat16"),
    "PyTorch, float16 table": lambda: formulas.torch_table(table_dtype="float16"),
    "PyTorch, bfloat16 positions": lambda: formulas.torch_table(positions_dtype="bfloat16"),
    "PyTorch, float16 positions": lambda: formulas.torch_table(positions_dtype="float16"),
    "PyTorch, bfloat16 angles": lambda: formulas.torch_table(angle_dtype="bfloat16"),
}
"""Curves of a formula: the library's arithmetic, and nothing that a framework decides."""


PAIRS = (
    ("half", slice(WIDTH // 2), slice(WIDTH // 2, WIDTH)),
    ("adjacent", slice(0, WIDTH, 2), slice(1, WIDTH, 2)),
)
"""Where the coordinates of the pairs stand."""


def positions(octave: int, each: int = EACH) -> np.ndarray:
    """Return odd positions from ``2**octave`` up to twice that, spread evenly: all, where they are few."""
    start = 2**octave
    if start <= each:
        return np.arange(start, 2 * start)
    shares = (np.arange(each) * GOLDEN) % 2**16
    return np.unique(start + (shares * start // 2**16 | 1))


@cache
def exact(octave: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Return exact cosines and sines as sums of two float64: ``(2, 2, T, pairs)``, and the positions."""
    real, at = MpmathReal(160), positions(octave, each)
    ladder = golden.inv_freq(real, rotary_dim=WIDTH, base=Fraction(BASE))
    values = golden.cos_sin(real, [Fraction(int(p)) for p in at], ladder, attention_factor=Fraction(1))
    high = np.array([[[real.round(one, "float64")[0] for one in row] for row in part] for part in values])
    rest = [
        [
            [real.round(one - Fraction(near), "float64")[0] for one, near in zip(*rows, strict=True)]
            for rows in zip(part, nears, strict=True)
        ]
        for part, nears in zip(values, high.tolist(), strict=True)
    ]
    return np.stack((high, np.array(rest))), at


def error(table: Table, octave: int, each: int = EACH) -> float:
    """Return the largest error of a table in an octave."""
    (high, rest), at = exact(octave, each)
    got = np.stack([np.asarray(part, np.float64) for part in table(at)])
    return float(np.max(np.abs((got - high) - rest)))


def unit_roundoffs(ladder: np.ndarray) -> float:
    """Return the largest relative error of float32 frequencies, in units of 2^-24 and with three digits."""
    real = MpmathReal(160)
    true = golden.inv_freq(real, rotary_dim=WIDTH, base=Fraction(BASE))
    relative = [
        abs(real.round(Fraction(float(got)) / one - 1, "float64")[0])
        for got, one in zip(ladder, true, strict=True)
    ]
    return float(f"{max(relative) * 2**24:.3g}")


def rotation(implementation: adapters.Implementation, dtype: str = "float32") -> Table:
    """Return the table that a framework's rotation of the pairs (1, 0) shows: cosine and sine."""
    apply = implementation.operations["rope.apply"]

    def table(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for pairing, first, second in PAIRS:
            x = np.zeros((1, len(at), WIDTH))
            x[..., first] = 1
            given = implementation.write(x, dtype), implementation.write(at, "int64")
            try:
                y = apply(*given, rotary_dim=WIDTH, base=BASE, pairing=pairing)
            except adapters.Unsupported as refusal:
                reason = refusal
                continue
            values = implementation.read(y)[1][0]
            return values[:, first], values[:, second]
        raise reason

    return table


def curves() -> dict[str, Callable[[], tuple[Table, str]]]:
    """Return every curve by name; calling one needs its library."""

    def framework(name: str, dtype: str) -> Callable[[], tuple[Table, str]]:
        def load() -> tuple[Table, str]:
            implementation = adapters.load(name)
            if "rope.apply" not in implementation.operations:
                raise adapters.Unsupported("no rotation by positions")
            return rotation(implementation, dtype), implementation.version

        return load

    found = dict(FORMULAS)
    for dtype in ("float64", "float32"):
        found[f"posref {dtype}"] = framework("reference", dtype)
    others = set(adapters.names()) - {"reference", "founding"}
    return found | {name: framework(name, "float32") for name in sorted(others)}


def measure(table: Table, octaves: Iterable[int] = OCTAVES, each: int = EACH) -> dict[str, float]:
    """Return the error in each octave with three digits, up to the first that is refused or has no number."""
    errors = {}
    for octave in octaves:
        try:
            found = error(table, octave, each)
        except adapters.Unsupported:
            break
        if not np.isfinite(found):
            break
        errors[str(octave)] = float(f"{found:.3g}")
    return errors


def entries() -> dict[str, Any]:
    """Return what is measured of everything that is installed."""
    found = {}
    for name, load in curves().items():
        try:
            table, version = load()
        except (ImportError, adapters.Unsupported) as absent:
            print(f"{name}: {absent}", file=sys.stderr)
            continue
        errors = measure(table)
        if errors:
            found[name] = {"version": version, "errors": errors}
    return found


def main() -> None:
    """Write the file."""
    stored = json.loads(STORE.read_text("ascii"))["curves"] if STORE.exists() else {}
    everything = {**stored, **entries()}
    told = {  # ladders are NumPy's, and NumPy is always there
        "format": "posref-drift",
        "format_version": 1,
        "width": WIDTH,
        "base": BASE,
        "positions_an_octave": EACH,
        "ladders": {name: unit_roundoffs(ladder) for name, ladder in formulas.ladders().items()},
        "curves": {name: everything[name] for name in curves() if name in everything},
    }
    STORE.write_text(json.dumps(told, indent=1) + "\n", "ascii")


if __name__ == "__main__":
    main()
