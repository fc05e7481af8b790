"""Known wrong implementations of ``attention.scores``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Array
from posref.operation import Mistake
from posref.reference import attention


def scale_forgotten(q: Array, k: Array, *, scale: float) -> Any:
    """Leave the dot products as they are."""
    return attention.scores(q, k, scale=1.0)


def scale_twice(q: Array, k: Array, *, scale: float) -> Any:
    """Multiply queries and the finished scores."""
    return attention.scores(q, k, scale=scale * scale)


def scale_divides(q: Array, k: Array, *, scale: float) -> Any:
    """Divide by the factor."""
    return attention.scores(q, k, scale=1 / scale if scale else 0.0)


def scale_from_width(q: Array, k: Array, *, scale: float) -> Any:
    """Take 1/sqrt(D) whatever is declared."""
    return attention.scores(q, k, scale=q.shape[-1] ** -0.5)


def last_coordinate_dropped(q: Array, k: Array, *, scale: float) -> Any:
    """Sum one coordinate too few."""
    kept = np.arange(q.shape[-1]) < q.shape[-1] - 1
    return attention.scores(q * kept, k, scale=scale)


def cosine(q: Array, k: Array, *, scale: float) -> Any:
    """Normalise queries and keys first."""
    unit_q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return attention.scores(unit_q, k / np.linalg.norm(k, axis=-1, keepdims=True), scale=scale)


def keys_of_row_0(q: Array, k: Array, *, scale: float) -> Any:
    """Read the keys of the first row for every row."""
    return attention.scores(q, np.broadcast_to(k[:1], k.shape) if k.ndim > 2 else k, scale=scale)


def _mistake(flag: str, text: str, function: Any, **check: Any) -> Mistake:
    name = function.__name__.replace("_", "-")
    description = f"your output is what {text}"
    return Mistake(name, "attention.scores", flag, description, function, "", check)


MISTAKES: Final = (
    _mistake(
        "scale-missing",
        "unscaled dot products give: `scale` was not applied",
        scale_forgotten,
        inputs={"q": [[1.0, 2.0, 3.0, 4.0]], "k": [[4.0, 3.0, 2.0, 1.0]]},
        params={"scale": 0.5},
        output=[20.0],
    ),
    _mistake(
        "scale-twice",
        "`scale` applied twice gives",
        scale_twice,
        inputs={"q": [[1.0, 2.0, 3.0, 4.0]], "k": [[4.0, 3.0, 2.0, 1.0]]},
        params={"scale": 0.5},
        output=[5.0],
    ),
    _mistake("scale-inverted", "division by `scale` gives", scale_divides),
    _mistake("scale-assumed", "1/sqrt(D) gives where another `scale` is declared", scale_from_width),
    _mistake("dot-tail", "a sum without the last coordinate gives", last_coordinate_dropped),
    _mistake("cosine-similarity", "normalised queries and keys give", cosine),
    _mistake("batch-rows", "the keys of the first row give for every row of the batch", keys_of_row_0),
)
