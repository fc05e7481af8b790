"""What a sweep has done so far, in a file: counts of values, signed, so that none is ever made up."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import posref
from posref.corpus import bounded, encode
from posref.corpus.strict import Place, parse
from posref.corpus.writing import write_text

FORMAT: Final = "posref-sweep-2"

_COUNTS: Final = ("values", "golden", "misrounded", "unfaithful")
_ERROR: Final = re.compile(r"0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}|inf")


@dataclass(frozen=True)
class Tally:
    """What was found: counts of values, and the worst error of those that are not clear, in ulp."""

    values: int = 0
    golden: int = 0
    misrounded: int = 0
    unfaithful: int = 0
    worst: float = 0.0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.values + other.values,
            self.golden + other.golden,
            self.misrounded + other.misrounded,
            self.unfaithful + other.unfaithful,
            max(self.worst, other.worst),
        )


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return a digest of the modules that the tables come from."""
    root = Path(posref.__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*(root / "numerics").glob("*.py"), root / "reference" / "sinusoidal.py"]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read(state: Path) -> dict[str, Tally]:
    """Return the units that a state file has, none if there is no such file or it is of other code.

    Raises
    ------
    FormatError
        If the file is something else, or not as it was written.
    OSError
        If it cannot be read.
    """
    if not state.exists():
        return {}
    place = parse(bounded.read(state), str(state))
    if not isinstance(place.value, dict) or place.value.get("format") != FORMAT:
        place.fail("is no state of a sweep; give another name with --state")
    members = place.record("format", "fingerprint", "units", "digest")
    units = {name: _tally(entry) for name, entry in members["units"].members().items()}
    if members["digest"].text() != encode.digest({**place.value, "digest": ""}):
        members["digest"].fail("is not that of the file: it was changed; give another name with --state")
    return units if members["fingerprint"].text() == fingerprint() else {}


def _tally(place: Place) -> Tally:
    members = place.record(*_COUNTS, "worst")
    values, golden, misrounded, unfaithful = (members[name].integer(0) for name in _COUNTS)
    return Tally(values, golden, misrounded, unfaithful, float.fromhex(members["worst"].text(_ERROR)))


def write(state: Path, done: Mapping[str, Tally]) -> None:
    """Write down what is done."""
    units = {name: {**vars(tally), "worst": float.hex(tally.worst)} for name, tally in done.items()}
    record: dict[str, Any] = {"format": FORMAT, "fingerprint": fingerprint(), "units": units, "digest": ""}
    write_text(state, encode.dump({**record, "digest": encode.digest(record)}).decode("ascii"))
