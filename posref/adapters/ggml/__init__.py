"""ggml: the kernels that llama.cpp runs on a CPU, through ggml-python."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import ggml
import numpy as np

from posref.adapters import Implementation, Unsupported
from posref.adapters.ggml.kernels import KINDS, axes, compute, rotary, rotary_settings


def apply(x: Any, positions: Any, *, kernel: Any = ggml.ggml_rope_ext, **params: Any) -> Any:
    """Rotate the leading part of each head."""
    if params.get("rotary_start", 0) != 0 or not isinstance(params.get("rotary_start", 0), int):
        raise Unsupported("the rotated slice is a leading one")
    settings = rotary_settings(params["base"], params.get("scaling"))
    return rotary(kernel, x, positions, KINDS[params["pairing"]], params["rotary_dim"], settings)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries, then keys."""
    return apply(q, positions, **params), apply(k, positions, **params)


def apply_vjp(grad_y: Any, x: Any, positions: Any, **params: Any) -> Any:
    """Turn the cotangent back."""
    return apply(grad_y, positions, kernel=ggml.ggml_rope_ext_back, **params)


def rerotate(k: Any, delta: Any, **params: Any) -> Any:
    """Rotate cached keys by the difference of positions, as llama.cpp shifts its cache."""
    if params.get("scaling") is not None and params["scaling"]["rope_type"] == "yarn":
        raise Unsupported("the magnitude factor would be applied again")
    return apply(k, delta, **params)


def axis_of_channel(*, mrope_section: list[int], arrangement: str) -> Any:
    """Return the axis whose position turns each pair."""
    kinds = {"chunked": ggml.GGML_ROPE_TYPE_MROPE, "interleaved": ggml.GGML_ROPE_TYPE_IMROPE}
    if arrangement not in kinds:
        raise Unsupported("sections stand in blocks or interleaved")
    return axes(kinds[arrangement], mrope_section).argmax(axis=0)


def timestep(timesteps: Any, *, dim: int, max_period: float, **params: Any) -> Any:
    """Run Stable Diffusion's time embedding, cosines first."""
    if params != {"freq_shift": 0, "flip_sin_to_cos": True, "scale": 1, "odd": params["odd"]}:
        raise Unsupported("cosines first, the ladder over the half width, no scale")
    whole = max_period == int(max_period) and dim > 1
    if timesteps.dtype != np.float32 or not whole or (dim % 2 and params["odd"] != "zero_pad"):
        raise Unsupported("float32, a whole period, an odd width ends in a zero")
    found = compute(lambda ctx, a: ggml.ggml_timestep_embedding(ctx, a, dim, int(max_period)), timesteps)
    return found.reshape(*timesteps.shape, dim)


def resize(table: Any, *, length: int, align_corners: bool) -> Any:
    """Stretch a table as an image of one column."""
    if table.dtype != np.float32 or length < 1:
        raise Unsupported("images are float32 and not empty")
    mode = ggml.GGML_SCALE_MODE_BILINEAR | (ggml.GGML_SCALE_FLAG_ALIGN_CORNERS if align_corners else 0)
    rows, width = table.shape
    image = np.ascontiguousarray(table.T).reshape(width, 1, rows)
    found = compute(lambda ctx, a: ggml.ggml_interpolate(ctx, a, length, 1, width, 1, mode), image)
    return found.reshape(width, length).T


OPERATIONS: dict[str, Callable[..., Any]] = {
    "rope.apply": apply,
    "rope.apply_qk": apply_qk,
    "rope.apply_vjp": apply_vjp,
    "rope.rerotate": rerotate,
    "mrope.axis_of_channel": axis_of_channel,
    "timestep.encode": timestep,
    "learned.resize": resize,
}


def load() -> Implementation:
    """Return ggml's kernels as an implementation; rotary ones exist in float32 and float16."""
    number = f"{ggml.ggml_version().decode()} of ggml-python {version('ggml_python')}"
    return Implementation("ggml", OPERATIONS, version=number, dtypes=("float32", "float16"))
