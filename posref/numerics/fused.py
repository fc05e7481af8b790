"""Kernels for CuPy: a rotation, and a bias, read, computed in double and rounded in one pass over memory.

CuPy is whatever the caller has imported. Nothing here waits for the device; whether results are numbers is
looked at once, afterwards. Products and sums are written as intrinsics, which the compiler does not fuse,
so that float64 has the bits it has everywhere else.
"""

from functools import lru_cache
from typing import Any, Final

from posref.numerics.given import Given
from posref.numerics.namespace import dtype_name

ROUND: Final = """
__device__ double posref_odd(double value) {
    float cut = __double2float_rz(value);  // rounded to odd: a later rounding to 16 bits is the only one
    return (double)cut == value ? cut : __int_as_float(__float_as_int(cut) | 1);
}
"""
"""What keeps float64 -> float32 -> 16 bits from rounding twice."""

ROTATION: Final = """
double a = __dsub_rn(__dmul_rn((double)u, (double)c), __dmul_rn((double)w, (double)s));
double b = __dadd_rn(__dmul_rn((double)u, (double)s), __dmul_rn((double)w, (double)c));
first = {cast}(__dadd_rn(a, 0.0));
second = {cast}(__dadd_rn(b, 0.0));
"""

BIAS: Final = """
long long offset = k - q;
double value = __dadd_rn(__dmul_rn((double)({multiple}), (double)m), 0.0);
T rounded = {cast}(value);
y = {masked} ? T(-1.0 / 0.0) : isfinite((double)rounded) ? rounded : T(0.0 / 0.0);
"""

MULTIPLES: Final = {"key_index": "k", "neg_abs": "offset < 0 ? offset : -offset", "neg_distance": "offset"}
"""The multiple of the slope, by `form`."""


def rotate(given: Given, tensor: str, cos: Any, sin: Any, **ways: Any) -> Any:
    """Return an input rotated and rounded, by one kernel; arguments as in `rotation.rotate`."""
    x, half, start = given.stored[tensor], cos.shape[-1], ways.get("rotary_start", 0)
    result = given.xp.empty(x.shape, x.dtype)
    inside = slice(start, start + 2 * half)
    read, write = (
        _members(array[..., inside], ways[way], half)
        for array, way in ((x, "pairing_in"), (result, "pairing_out"))
    )
    _kernel(
        given.xp, "T u, T w, C c, C s", "T first, T second", ROTATION.format(cast=_cast(x)), "posref_rotation"
    )(*read, cos, sin, *write)
    result[..., :start], result[..., inside.stop :] = x[..., :start], x[..., inside.stop :]
    if not bool(given.xp.isfinite(result).all()):
        raise given.overflow()
    return result


def _members(slice_of_x: Any, pairing: str, half: int) -> tuple[Any, Any]:
    if pairing == "adjacent":
        return slice_of_x[..., 0::2], slice_of_x[..., 1::2]
    return slice_of_x[..., :half], slice_of_x[..., half:]


def bias(given: Given) -> Any:
    """Return the bias of ALiBi, by one kernel from positions and slopes to the rounded result."""
    xp, kind = given.xp, getattr(given.xp, dtype_name(given.dtype), None)
    if kind is None:
        raise TypeError(f"cupy has no dtype {dtype_name(given.dtype)}")
    leading = given.meet("q_positions", "k_positions")
    result = xp.empty((*leading, given.axes["H"], given.axes["Q"], given.axes["K"]), kind)
    masked = "offset > 0" if given.future == "neg_inf" else "false"
    body = BIAS.format(multiple=MULTIPLES[given.form], masked=masked, cast=_cast(result))
    _kernel(xp, "int64 q, int64 k, float64 m", "T y", body, f"posref_bias_{given.form}_{given.future}")(
        given.q_positions[..., None, :, None],
        given.k_positions[..., None, None, :],
        given.slopes[:, None, None],
        result,
    )
    if bool(xp.isnan(result).any()):
        raise given.overflow()
    return result


def _cast(array: Any) -> str:
    return "(T)" if array.dtype.itemsize >= 4 else "(T)(float)posref_odd"


@lru_cache
def _kernel(xp: Any, inputs: str, outputs: str, body: str, name: str) -> Any:
    return xp.ElementwiseKernel(inputs, outputs, body, name, preamble=ROUND)
