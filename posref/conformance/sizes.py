"""What ``judge`` lets one call cost: a size far beyond the arrays to judge is refused, not computed.

The specification sets no upper limit to widths and counts; a file of parameters can name any.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from posref.operation import Signature

SIZES: Final = (
    "axis_dims",
    "dim",
    "head_count",
    "head_dim",
    "length",
    "mrope_section",
    "num_heads",
    "rotary_dim",
    "window",
)
"""Parameters that are the size of an axis, or several whose product is."""

BUCKETS: Final = ("num_buckets", "position_buckets")
"""Parameters that say how many edges are found, each by integers of as many words."""

FREE: Final = 2**16
"""A size that is always computed."""

MOST_BUCKETS: Final = 2**12
TIMES: Final = 4
"""How often a size may have as many elements as all arrays."""


def check(entry: Signature, params: Mapping[str, Any], arrays: Iterable[Any]) -> None:
    """Raise a ValueError for a size that nothing in the inputs and outputs comes near."""
    most = max(FREE, TIMES * sum(array.size for array in arrays))
    for one in entry.parameters:
        limit = most if one.name in SIZES else MOST_BUCKETS if one.name in BUCKETS else None
        if limit is not None and _size(params[one.name]) > limit:
            raise ValueError(f"{entry.name}: {one.name} is not judged beyond {limit} with these arrays")


def _size(value: Any) -> int:
    """Return a size, or the product of several; what is none is left to the check of its type."""
    values = value if isinstance(value, list | tuple) else [value]
    return math.prod(one for one in values if isinstance(one, int) and one > 0)
