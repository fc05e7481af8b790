"""A number for each query and key times a slope for each head."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.numerics import rounding
from posref.numerics.given import Given, Masked
from posref.numerics.namespace import dtype_name
from posref.numerics.pieces import leading_axes, pieces

PIECE: Final = 2**15
"""Queries times keys of a piece: their numbers and those of a head stay in a processor's cache."""


def by_slope(given: Given, multiples: Callable[[Given], Any]) -> Any:
    """Return a result of shape (..., H, Q, K), rounded: the numbers of a piece are made once for all heads.

    Parameters
    ----------
    given : Given
        The call, with `slopes` of shape (H,).
    multiples : callable
        Returns from a piece of the call what multiplies the slopes, of shape (..., 1, Q, K), as float64 or
        as `Masked`. No zero among it is -0.

    Returns
    -------
    array
        In the caller's library.
    """
    if not given.space.is_numpy:
        return given.finish(sloped(multiples(given), given.slopes[:, None, None]))
    result = given.empty((*leading_axes(given), *(given.axes[letter] for letter in "HQK")))
    for part, region in pieces(given, "Q K", 1, most=PIECE):
        _fill(part, multiples(part), result[region.of(("H", "Q", "K"), result.shape)])
    return given.space.leave(result, given.dtype)


@np.errstate(all="ignore")
def sloped(found: Any, slope: Any) -> Any:
    """Return multiples, `Masked` or not, times what broadcasts with them; an exact zero is +0."""
    if isinstance(found, Masked):
        return Masked(sloped(found.values, slope), found.where)
    return found * slope + 0.0


@np.errstate(all="ignore")
def _fill(part: Given, found: Any, result: Any) -> None:
    """Write the multiples of every head.

    A slope above 0 keeps -inf and +0 as they are, and where it brings the largest multiple to a finite
    number, nothing needs to be looked at once more.
    """
    name, slopes = dtype_name(part.dtype), part.slopes
    values, where = (found.values, found.where) if isinstance(found, Masked) else (found, False)
    largest = rounding.round_bits(np.abs(values).max(initial=0.0) * slopes, name)
    plain = (slopes > 0) & (largest < rounding.FORMATS[name].infinity)
    hidden = np.where(where, -np.inf, values)
    product = np.empty(hidden.shape)
    for head, slope in enumerate(slopes):
        target = result[..., head : head + 1, :, :]
        if plain[head]:
            rounding.store(np.multiply(hidden, slope, out=product), target, name)
        else:
            part.put(sloped(found, slope), target)
