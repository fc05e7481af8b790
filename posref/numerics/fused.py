"""A rotation and a bias where CuPy computes: read, computed in double and rounded in one pass over memory.

Nothing waits for the device but one look, afterwards, at whether a result overflowed.
"""

from typing import Any

from posref.numerics import cuda
from posref.numerics.given import Given
from posref.numerics.namespace import dtype_name


def rotate(given: Given, tensor: str, cos: Any, sin: Any, **ways: Any) -> Any:
    """Return an input rotated and rounded; arguments as in `rotation.rotate`."""
    xp, x = given.xp, given.stored[tensor]
    with given.space.device:
        cos, sin = (xp.ascontiguousarray(table) for table in (cos, sin))
        result, bad = cuda.empty(xp, x.shape, dtype_name(x.dtype)), xp.zeros((), "int32")
        launch = cuda.rotation(x, cos, ways.get("rotary_start", 0), ways["pairing_in"], ways["pairing_out"])
        cuda.run(xp, launch, x, cos, sin, result, bad)
    if bool(bad):
        raise given.overflow()
    return result


def bias(given: Given) -> Any:
    """Return the bias of ALiBi, from positions and slopes to the rounded result."""
    xp, dtype = given.xp, dtype_name(given.dtype)
    leading = given.meet("q_positions", "k_positions")
    with given.space.device:
        queries, keys, slopes = given.q_positions, given.k_positions, given.slopes
        shape = (*leading, given.axes["H"], given.axes["Q"], given.axes["K"])
        result, bad = cuda.empty(xp, shape, dtype), xp.zeros((), "int32")
        launch = cuda.bias(queries, keys, slopes, dtype, given.form, given.future)
        cuda.run(xp, launch, queries, keys, slopes, result, bad)
    if bool(bad):
        raise given.overflow()
    return result
