"""The five desiderata of an encoding, evaluated for every scheme when the site is built."""

from collections.abc import Callable

import numpy as np
from site_encodings import ENCODINGS, NO_ENCODING, TRAINED, Encoding

from posref import SpecError

BEYOND = 8 * TRAINED
SHIFT = 5
EXACT = 1e-9
"""Residuals below this are rounding: the reference computes in float64."""

NEAR = 0.5
"""A step of less than this share of the largest distance is small."""


def values(encoding: Encoding, t: np.ndarray) -> np.ndarray:
    """Return the encoding of each position as one row; of a bias, its value for each distance."""
    if encoding.rows is not None:
        return np.asarray(encoding.rows(t))
    if encoding.turn is not None:
        return np.asarray(encoding.turn(t)).reshape(len(t), -1)
    last = t[-1:]
    return np.asarray(encoding.bias(last, t), dtype=np.float64)[0, ::-1, None]


def gaps(rows: np.ndarray) -> np.ndarray:
    """Return the distance of every two different rows."""
    squares = np.sum(rows**2, axis=1)
    square = squares[:, None] + squares[None, :] - 2 * rows @ rows.T
    return np.sqrt(np.maximum(square, 0))[~np.eye(len(rows), dtype=bool)]


def unique(encoding: Encoding) -> str:
    """Return whether any two positions (distances) of the trained length have the same encoding."""
    rows = values(encoding, np.arange(TRAINED))
    different = len({row.tobytes() for row in rows})
    if different < len(rows):
        return f"no: {different} of {len(rows)} differ"
    return f"yes: {gaps(rows).min():.2g}"


def sizes(encoding: Encoding, length: int) -> np.ndarray:
    """Return the size at each position: a norm, an operator norm, or an absolute value."""
    t = np.arange(length)
    if encoding.turn is not None:
        return np.linalg.norm(encoding.turn(t), ord=2, axis=(1, 2))
    return np.linalg.norm(values(encoding, t), axis=1)


def bounded(encoding: Encoding) -> str:
    """Return whether the size stays within its trained range beyond it."""
    near = sizes(encoding, TRAINED)
    try:
        far = sizes(encoding, BEYOND)
    except SpecError:
        return f"yes: {near.max():.3g}, no row beyond"
    verdict = "yes" if far.max() <= near.max() * 1.01 else "no"
    return f"{verdict}: {near.max():.3g}, then {far.max():.3g}"


def linear(encoding: Encoding) -> str:
    """Return whether a shift is one linear map, for a bias whether it changes anything."""
    t = np.arange(TRAINED)
    if encoding.bias is not None:
        inner = t[: TRAINED - SHIFT]
        moved = encoding.bias(inner + SHIFT, inner + SHIFT) - encoding.bias(inner, inner)
        return residual(np.abs(moved).max())
    if encoding.turn is not None:
        matrices = encoding.turn(np.append(t, [t[-1] + SHIFT]))
        unit = matrices / np.linalg.norm(matrices[0], ord=2)
        composed = unit[SHIFT] @ unit[: TRAINED - SHIFT]
        return residual(np.abs(composed - unit[SHIFT:TRAINED]).max())
    rows = values(encoding, np.arange(4 * TRAINED))
    fitted = np.linalg.lstsq(rows[:-SHIFT], rows[SHIFT:], rcond=None)[0]
    return residual(np.abs(rows[:-SHIFT] @ fitted - rows[SHIFT:]).max())


def residual(size: float) -> str:
    """Return the verdict on a residual."""
    return f"{'yes' if size < EXACT else 'no'}: {size:.1g}"


def smooth(encoding: Encoding) -> str:
    """Return the largest step between neighbors, relative to the largest distance of any two."""
    rows = values(encoding, np.arange(TRAINED))
    share = np.linalg.norm(np.diff(rows, axis=0), axis=1).max() / gaps(rows).max()
    return f"{'yes' if share < NEAR else 'no'}: {share:.2g}"


def extended(encoding: Encoding) -> str:
    """Return whether positions beyond the trained length have a value."""
    t = np.arange(BEYOND)
    try:
        found = values(encoding, t)
    except SpecError as refusal:
        clause = str(refusal).partition("]")[0].strip("[")
        return f"no: [{clause}](#{clause.lower()})"
    if not np.all(np.isfinite(found)):
        raise ArithmeticError(f"{encoding.label}: a value beyond the trained length is not finite")
    return f"yes: to {BEYOND}"


DESIDERATA: dict[str, tuple[str, Callable[[Encoding], str]]] = {
    "D1": ("unique", unique),
    "D2": ("bounded", bounded),
    "D3": ("shift is linear", linear),
    "D4": ("smooth", smooth),
    "D5": ("defined beyond", extended),
}


def report(encoding: Encoding) -> dict[str, str]:
    """Return the five verdicts on one encoding, each a number or the reason why there is none."""
    return {
        name: f"not applicable: {encoding.reasons[name]}" if name in encoding.reasons else judge(encoding)
        for name, (_, judge) in DESIDERATA.items()
    }


def verdict(cell: str) -> str:
    """Return the verdict of a cell of the report without its number or its reason."""
    return "-" if cell.startswith("not applicable") else cell.partition(":")[0]


def summary() -> str:
    """Return the verdicts alone, encodings of one scheme together where they agree."""
    titles = " | ".join(title for title, _ in DESIDERATA.values())
    lines = {(encoding.scheme, *map(verdict, report(encoding).values())): None for encoding in ENCODINGS}
    rows = [f"| [{scheme}](../schemes/{scheme}.md) | {' | '.join(cells)} |" for scheme, *cells in lines]
    return "\n".join([f"| | {titles} |", "|---" * (len(DESIDERATA) + 1) + "|", *rows]) + "\n"


def numbers() -> str:
    """Return the whole report as a table."""
    titles = " | ".join(f"{name} {title}" for name, (title, _) in DESIDERATA.items())
    rows = [f"| scheme | encoding | {titles} |", "|---" * (len(DESIDERATA) + 2) + "|"]
    for encoding in ENCODINGS:
        cells = " | ".join(report(encoding).values())
        rows.append(f"| [{encoding.scheme}](schemes/{encoding.scheme}.md) | {encoding.label} | {cells} |")
    for scheme, reason in NO_ENCODING.items():
        cells = " | ".join([f"not applicable: {reason}"] * len(DESIDERATA))
        rows.append(f"| [{scheme}](schemes/{scheme}.md) | - | {cells} |")
    return "\n".join(rows) + "\n"


def pages() -> dict[str, str]:
    """Return the report, and its verdicts alone, as tables to include."""
    return {"properties-report.md": numbers(), "properties-verdicts.md": summary()}
