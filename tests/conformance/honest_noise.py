"""Honest implementations whose library functions err: pow, exp, log, sin and cos, each within a preset.

The error of a result is pseudo-random but a function of the result, as that of a library is. Presets
are those of `spec/precision.md`: the largest distance from the real value, in units in the last place.
"""

from dataclasses import dataclass
from functools import cache

import _honest
import honest_additive
import honest_axes
import honest_rotary
import numpy as np

from posref.adapters import Implementation
from posref.numerics.rounding import round_bits, ulp
from posref.operation import signatures

PRESETS = {
    "cuda": {"power": 4.5, "exp": 2.5, "log": 1.5, "sin": 2.5, "cos": 2.5},
    "libm": {"power": 1.0, "exp": 1.0, "log": 1.0, "sin": 2.0, "cos": 2.0},
}
CLAIMS = {"cuda": "f32-angle", "libm": "f32-angle-libm"}
FORMS = ("reciprocal", "power", "expln")


def noise(values, seed):
    """Return a number from -1 to 1 for each value, by a fixed mix of its bits."""
    bits = np.asarray(values, np.float64).view(np.uint64) ^ np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return 2 * (bits >> np.uint64(11)).astype(np.float64) / (2.0**53 - 1) - 1


class Noise:
    """Moves every inexact result of a library function by up to `sizes` units, rounding included."""

    def off(self, function, ulps, *values):
        wide = np.asarray(function(*values))
        single = wide.astype(np.float32).astype(np.float64)
        size = PRESETS[self.preset][function.__name__] - 0.5
        moved = wide + noise(wide, self.seed) * size * ulp(wide, "float32")
        return np.where(single == wide, wide, moved.astype(np.float32).astype(np.float64))


@dataclass(frozen=True)
class Plain(Noise, _honest.Pipeline):
    """Rotations, sinusoids, slopes."""

    preset: str = "cuda"
    seed: int = 0

    def sinusoidal_encode(self, positions, *, dim, base, denominator, layout, odd):
        given = {"dim": dim, "base": base, "denominator": denominator, "layout": layout}
        if dim % 2 == 0 or odd != "extra_sine":
            return super().sinusoidal_encode(positions, **given, odd=odd)
        count = dim // 2 + 1
        top, bottom = (2, dim) if denominator == "dim" else (1, count - 1)
        cos, sin = self.table(positions, self.ladder(base, top, bottom, count))
        cos = cos[..., :-1]
        if layout != "interleaved":
            return self.write(np.concatenate((sin, cos) if layout == "sin_cos" else (cos, sin), axis=-1))
        table = np.empty((*np.shape(positions), dim))
        table[..., 0::2], table[..., 1::2] = sin, cos
        return self.write(table)


@dataclass(frozen=True)
class Additive(Noise, honest_additive.Pipeline):
    """Grids, steps and projections."""

    preset: str = "cuda"
    seed: int = 0


@dataclass(frozen=True)
class Axes(Noise, honest_axes.Pipeline):
    """Several axes, and temperature."""

    preset: str = "cuda"
    seed: int = 0


@dataclass(frozen=True)
class Rotary(Noise, honest_rotary.Rotary):
    """Scalings, shifts and cotangents."""

    preset: str = "cuda"
    seed: int = 0

    def scaled(self, scaling, width, base, seq_len=None):
        """Leave out the keys that only other types have."""
        if scaling is not None and scaling["rope_type"] not in ("yarn", "longrope"):
            scaling = {key: value for key, value in scaling.items() if value is not None}
        return super().scaled(scaling, width, base, seq_len)

    def rope_rotate_vjp(self, grad_y, x, cos, sin, **params):
        if not grad_y.size:
            return grad_y, np.zeros(cos.shape), np.zeros(sin.shape)
        return super().rope_rotate_vjp(grad_y, x, cos, sin, **params)


OPERATIONS = {
    Plain: (
        "rope.inv_freq", "rope.cos_sin", "rope.rotate", "rope.matrix", "sinusoidal.inv_freq",
        "sinusoidal.encode", "sinusoidal.shift_matrix", "alibi.slopes",
    ),
    Additive: ("sincos2d.encode", "timestep.encode", "fourier.encode"),
    Axes: ("mrope.cos_sin", "axial_rope.cos_sin", "temperature.scale"),
    Rotary: (
        "rope.apply", "rope.apply_qk", "rope.score", "rope.rerotate", "rope.rotate_vjp", "rope.apply_vjp",
        "xpos.scale", "xpos.apply", "rope_scaling.linear", "rope_scaling.ntk", "rope_scaling.dynamic",
        "rope_scaling.yarn", "rope_scaling.llama3", "rope_scaling.longrope", "rope_scaling.proportional",
    ),
}  # fmt: skip
"""Tables and rotations, by who computes them."""


def pipelines(operation):
    """Yield (claim, implementation) for every preset, form of frequency and seed."""
    kind = next(one for one, names in OPERATIONS.items() if operation in names)
    for preset, claim in CLAIMS.items():
        for seed, form in enumerate(FORMS):
            honest = kind(f"f32-{form}-{preset}", "float32", form, preset=preset, seed=seed)
            yield claim, implementation(operation, honest)


@cache
def _inputs(operation):
    return tuple(entry.name for entry in signatures()[operation].inputs)


def implementation(operation, honest):
    """Return a pipeline as an implementation that gets exact inputs and gives float32."""
    function = getattr(honest, operation.replace(".", "_"))

    def call(*tensors, dtype="float32", **params):
        with np.errstate(all="ignore"):
            found = function(*tensors, **params)
        found = found if isinstance(found, tuple) else (found,)
        written = tuple(round_bits(np.asarray(one, np.float64), "float32").view(np.float32) for one in found)
        return written if len(written) > 1 else written[0]

    return Implementation(
        name=honest.name,
        operations={operation: call},
        write=lambda values, _: values.copy(),
        read=lambda one: (str(one.dtype), one),
    )
