"""Random inputs that anyone can regenerate and that no new case changes.

Value ``k`` (from 0, row-major) of the input ``name`` of the case ``id`` comes from the SHA-256 digest
``d[0..31]`` of the ASCII text ``id/name/k``, ``k`` in decimal:

- sign: minus if the lowest bit of ``d[0]`` is 1; always plus for the inputs in `UNSIGNED`;
- exponent: ``e = low + d[1] mod (high - low + 1)`` with the input's ``(low, high)`` from `RANGES`;
- fraction: ``f`` is the first ``p - 1`` bits of the bytes ``d[2..9]``, most significant bit first;
  in the kinds float32 and float64 the last of these bits is set to 1;
- value: ``sign * (1 + f / 2**(p - 1)) * 2**e``.

The kind says the precision ``p``: 8 bits for ``bfloat16`` (such values are exact in bfloat16, float16,
float32 and float64), 24 for ``float32``, 53 for ``float64``. As their last bit is set, values of the
last two kinds are exact in no narrower format: an input silently rounded on the way is seen.
"""

from collections.abc import Mapping
from hashlib import sha256
from math import ldexp, prod
from typing import Final, Literal

from posref.operation import Tensor

Kind = Literal["bfloat16", "float32", "float64"]

PRECISION: Final[Mapping[str, int]] = {"bfloat16": 8, "float32": 24, "float64": 53}
"""Significant bits of each kind."""

RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "x": (-5, 2),
    "q": (-4, 0),
    "k": (-4, 0),
    "v": (-4, 1),
    "bias": (-4, 1),
    "cos": (-4, -1),
    "sin": (-4, -1),
    "inv_freq": (-14, -1),
    "slopes": (-9, -1),
    "table_k": (-4, 0),
    "table_v": (-4, 1),
    "pos_q": (-4, 0),
    "pos_k": (-4, 0),
    "r": (-4, 0),
    "u": (-4, 0),
    "table": (-4, 1),
    "weights": (-4, 0),
    "grad_y": (-5, 2),
    "weight": (-4, 1),
    "content_q": (-4, 0),
    "position_q": (-4, 0),
    "content_k": (-4, 0),
    "position_k": (-4, 0),
}
"""Lowest and highest exponent of each input that is drawn."""

UNSIGNED: Final = frozenset({"inv_freq", "slopes"})
"""Inputs whose values are all positive."""


def value(case_id: str, name: str, index: int, kind: Kind) -> float:
    """Return value `index` of the input `name` of the case `case_id`, by the map above."""
    digest = sha256(f"{case_id}/{name}/{index}".encode("ascii")).digest()
    low, high = RANGES[name]
    exponent = low + digest[1] % (high - low + 1)
    bits = PRECISION[kind] - 1
    fraction = int.from_bytes(digest[2:10], "big") >> (64 - bits)
    if kind != "bfloat16":
        fraction |= 1
    sign = -1 if digest[0] & 1 and name not in UNSIGNED else 1
    return sign * ldexp((1 << bits) + fraction, exponent - bits)


def draw(case_id: str, name: str, shape: tuple[int, ...], kind: Kind) -> Tensor:
    """Return the tensor of drawn values for the input `name` of the case `case_id`."""
    return Tensor(kind, shape, tuple(value(case_id, name, index, kind) for index in range(prod(shape))))
