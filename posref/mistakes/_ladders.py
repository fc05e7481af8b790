"""Wrong ladders of frequencies, made from the right one."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from posref.mistakes._alter import Array


def next_rung(omega: Array) -> Array:
    """Return every frequency one rung lower: the exponent's index counted from 1."""
    return omega * omega[1] if omega.size > 1 else omega


LADDERS: Final[Mapping[str, tuple[Callable[[Array], Array], str]]] = {
    "exponent-positive": (
        lambda omega: 1 / omega,
        "a ladder with a positive exponent gives: frequencies grow with the pair",
    ),
    "exponent-halved": (
        np.sqrt,
        "the exponent i/d gives where 2i/d is declared",
    ),
    "exponent-doubled": (
        np.square,
        "the exponent 4i/d gives: the pair's first column was doubled once more",
    ),
    "exponent-from-1": (
        next_rung,
        "a pair index counted from 1 gives: the first frequency is not 1",
    ),
    "exponent-log10": (
        lambda omega: omega ** (1 / np.log(10)),
        "the decimal logarithm of the base gives where the natural one belongs",
    ),
}
"""Name -> wrong ladder from the right one, how the diagnosis goes on. All raise ``frequency-exponent``."""
