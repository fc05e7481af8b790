"""Honest implementations to try the bounds on, in plain NumPy, written without posref's reference.

Each is a class of numbers (how every single operation rounds) and a way to make frequencies. All
arrays are float64 arrays that hold values exact in the dtype of the step.
"""

import math
from dataclasses import dataclass

import numpy as np

from posref.numerics.rounding import decode_bits, round_bits


def near(values, dtype):
    """Round to the nearest value of `dtype`; for + - * / of two short numbers this is the IEEE result."""
    return decode_bits(round_bits(np.asarray(values, dtype=np.float64), dtype), dtype)


def native(function, values, dtype):
    """Call NumPy's own function in float32 or float64; for a short dtype, round the exact one."""
    if dtype not in ("float32", "float64"):
        return near(function(*values), dtype)
    return function(*(np.asarray(one, dtype=dtype) for one in values)).astype(np.float64)


@dataclass(frozen=True)
class Pipeline:
    """One way to compute everything.

    `angle` is the dtype of frequencies, angles, sines and cosines; `stored` that of tables; `work` that
    of multiply-add and of vectors between steps; `out` that of results. `fused` multiplies and adds in
    one rounding. `worst` moves every library function by as many ulp as the cuda preset admits.
    """

    name: str
    out: str
    frequency: str
    angle: str = "float32"
    stored: str = "float32"
    work: str = "float32"
    fused: bool = False
    worst: int = 0

    # how one operation rounds

    def mul(self, a, b):
        return near(a * b, self.work)

    def add(self, a, b):
        return near(a + b, self.work)

    def fma(self, a, b, c):
        """Return a b + c; a product of two numbers of at most 24 digits is exact in float64."""
        return near(a * b + c, self.work) if self.fused else self.add(self.mul(a, b), c)

    def library(self, function, values, ulps):
        return self.off(function, ulps, np.asarray(values, dtype=np.float64))

    def power(self, b, e):
        return self.off(np.power, 4, np.asarray(b, dtype=np.float64), np.asarray(e, dtype=np.float64))

    def off(self, function, ulps, *values):
        """Call NumPy's own float32 or float64, or a result so many ulp off unless it is exact."""
        if not self.worst:
            return native(function, values, self.angle)
        wide = np.asarray(function(*values))
        found = wide.astype(self.angle)
        exact = found == wide
        for _ in range(abs(ulps)):
            found = np.nextafter(found, np.asarray(self.worst * ulps * np.inf, dtype=self.angle))
        return np.where(exact, wide, found.astype(np.float64))

    def write(self, values):
        return near(values, self.out)

    def total(self, terms):
        """Add along the last axis, in order, in float32 or wider."""
        wide = "float64" if self.work == "float64" else "float32"
        total = np.zeros(terms.shape[:-1])
        for i in range(terms.shape[-1]):
            total = near(total + terms[..., i], wide)
        return total

    # frequencies, angles, tables

    def ladder(self, base, top, bottom, count):
        """Return base ** -(top i / bottom) for i < count."""
        a = self.angle
        i = np.arange(count, dtype=np.float64)
        if self.frequency == "float64":
            return near(1.0 / base ** (top * i / bottom), a)
        b, e = near(base, a), near(near(top * i, a) / bottom, a)
        if self.frequency == "expln":
            logarithm = self.library(np.log, b, -1)
            found = self.library(np.exp, -near(e * logarithm, a), 2)
        elif self.frequency == "iterated":
            ratio = near(1.0 / self.power(b, near(top / bottom, a)), a)
            found = np.ones(count)
            for j in range(1, count):
                found[j] = near(found[j - 1] * ratio, a)
        elif self.frequency == "power":
            found = self.power(b, -e)
        else:
            found = near(1.0 / self.power(b, e), a)
        return np.where(i == 0, 1.0, found)

    def table(self, positions, frequency, factor=1.0):
        a = self.angle
        angle = near(near(positions, a)[..., None] * near(frequency, a), a)
        cos, sin = self.library(np.cos, angle, 2), self.library(np.sin, angle, 2)
        cos, sin = near(np.clip(cos, -1, 1), self.stored), near(np.where(angle == 0, 0, sin), self.stored)
        if factor == 1:
            return cos, sin
        return self.mul(cos, near(factor, self.work)), self.mul(sin, near(factor, self.work))

    # the operations

    def rope_inv_freq(self, *, rotary_dim, base):
        return self.write(self.ladder(base, 2, rotary_dim, rotary_dim // 2))

    def rope_cos_sin(self, positions, inv_freq, *, attention_factor):
        return tuple(map(self.write, self.table(positions, inv_freq, attention_factor)))

    def rotated(self, x, table, into, outof, start):
        cos, sin = (near(near(one, self.stored), self.work) for one in table)
        width = 2 * cos.shape[-1]
        y = np.array(x)
        u, w = (x[..., start + place] for place in pair_places(into, width))
        first, second = pair_places(outof, width)
        y[..., start + first] = self.fma(u, cos, -self.mul(w, sin))
        y[..., start + second] = self.fma(u, sin, self.mul(w, cos))
        return y

    def rope_rotate(self, x, cos, sin, *, pairing_in, pairing_out, rotary_start):
        return self.write(self.rotated(x, (cos, sin), pairing_in, pairing_out, rotary_start))

    def applied(self, x, positions, *, rotary_dim, base, pairing, rotary_start, scaling=None, seq_len=None):
        cos, sin = self.table(positions, self.ladder(base, 2, rotary_dim, rotary_dim // 2))
        return self.rotated(x, (cos, sin), pairing, pairing, rotary_start)

    def rope_apply(self, x, positions, **params):
        return self.write(self.applied(x, positions, **params))

    def rope_apply_qk(self, q, k, positions, **params):
        return self.rope_apply(q, positions, **params), self.rope_apply(k, positions, **params)

    def rope_score(self, q, k, q_positions, k_positions, **params):
        q, k = self.applied(q, q_positions, **params), self.applied(k, k_positions, **params)
        return self.write(self.total(self.mul(q[..., :, None, :], k[..., None, :, :])))

    def blocks(self, cos, sin, first, second, width):
        matrix = np.zeros((*cos.shape[:-1], width, width))
        matrix[..., first, first] = matrix[..., second, second] = cos
        matrix[..., first, second], matrix[..., second, first] = -sin, sin
        return self.write(matrix)

    def rope_matrix(self, positions, *, rotary_dim, base, pairing):
        table = self.table(positions, self.ladder(base, 2, rotary_dim, rotary_dim // 2))
        return self.blocks(*table, *pair_places(pairing, rotary_dim), rotary_dim)

    def sinusoid(self, dim, base, denominator):
        bottom = dim // 2 - 1 if denominator == "count_minus_1" else dim // 2
        return self.ladder(base, 1, bottom, dim // 2)

    def sinusoidal_inv_freq(self, *, dim, base, denominator):
        return self.write(self.sinusoid(dim, base, denominator))

    def sinusoidal_encode(self, positions, *, dim, base, denominator, layout, odd):
        even = dim - dim % 2
        cos, sin = self.table(positions, self.sinusoid(even, base, denominator))
        table, i = np.zeros((*np.shape(positions), dim)), np.arange(even // 2)
        sines, cosines = {
            "interleaved": (2 * i, 2 * i + 1),
            "sin_cos": (i, i + even // 2),
            "cos_sin": (i + even // 2, i),
        }[layout]
        table[..., sines], table[..., cosines] = sin, cos
        return self.write(table)

    def sinusoidal_shift_matrix(self, *, offset, dim, base, denominator, layout):
        cos, sin = self.table(np.array(float(offset)), self.sinusoid(dim, base, denominator))
        first, second = pair_places("adjacent" if layout == "interleaved" else "half", dim)
        return self.blocks(cos, sin if layout == "cos_sin" else -sin, first, second, dim)

    def alibi_slopes(self, *, num_heads, bias_max, head_start, head_count):
        whole = 2 ** int(math.log2(num_heads))

        def powers(start, exponents):
            first = near(2.0**-start, self.angle)
            return [float(self.power(first, np.array(float(k)))) for k in exponents]

        slopes = powers(bias_max / whole, range(1, whole + 1))
        slopes += powers(bias_max / (2 * whole), range(1, 2 * (num_heads - whole) + 1, 2))
        return self.write(slopes[head_start:][:head_count])

    def alibi_bias(self, q_positions, k_positions, slopes, *, form, future):
        q, k = q_positions[..., None, :, None], k_positions[..., None, None, :]
        steps = {"neg_distance": k - q, "neg_abs": -abs(q - k), "key_index": k + 0 * q}[form]
        slope = near(near(slopes, self.stored), self.work)[:, None, None]
        value = self.write(self.mul(slope, near(steps.astype(float), self.work)))
        return np.where(k > q, -np.inf, value) if future == "neg_inf" else value

    def attention_scores(self, q, k, *, scale):
        raw = near(self.total(self.mul(q[..., :, None, :], k[..., None, :, :])), self.work)
        return self.write(self.mul(raw, near(scale, self.work)))

    def attention_output(self, q, k, v, bias=None, mask=None, *, scale):
        raw = near(self.total(self.mul(q[..., :, None, :], k[..., None, :, :])), self.work)
        logit = self.mul(raw, near(scale, self.work))
        logit = logit if bias is None else self.add(logit, bias)
        logit = logit if mask is None else np.where(mask, logit, -np.inf)
        gap = self.add(logit, -logit.max(axis=-1, keepdims=True))
        weight = near(self.library(np.exp, gap, 1), self.work)
        weight = near(weight / near(self.total(weight), self.work)[..., None], self.work)
        terms = self.mul(weight[..., :, :, None], v[..., None, :, :])
        return self.write(self.total(np.swapaxes(terms, -1, -2)))


def pair_places(pairing, width):
    """Return the coordinates of the first and of the second member of each pair."""
    i = np.arange(width // 2)
    return (2 * i, 2 * i + 1) if pairing == "adjacent" else (i, i + width // 2)


FORMS = ("reciprocal", "power", "expln", "float64")


def pipelines():
    """Yield (claim, pipeline, least base) for every honest implementation."""
    for form in FORMS:
        yield "f64-angle", Pipeline(f"f64-{form}", "float64", form, "float64", "float64", "float64"), 1
        yield "f32-angle", Pipeline(f"f32-{form}", "float32", form), 1
        yield "f32-angle-libm", Pipeline(f"f32-{form}", "float32", form), 1
        for short, tag in (("bfloat16", "bf16"), ("float16", "f16")):
            eager = Pipeline(f"{tag}-{form}", short, form, stored=short, work=short)
            yield f"f32-angle-{tag}", eager, 1
    for short, tag in (("bfloat16", "bf16"), ("float16", "f16")):
        once = Pipeline(f"{tag}-expln-once", short, "expln", fused=True)
        yield f"f32-angle-{tag}", once, 1
        yield "f32-angle", once, 1
        for form in ("reciprocal", "expln"):
            yield f"f32-angle-{tag}cache", Pipeline(f"{tag}-cache-{form}", "float32", form, stored=short), 1
    yield "f32-angle", Pipeline("f32-expln-fma", "float32", "expln", fused=True), 1
    yield (
        "f32-angle-bf16",
        Pipeline("bf16-fma", "bfloat16", "reciprocal", stored="bfloat16", work="bfloat16", fused=True),
        1,
    )
    yield "f32-angle-f64freq", Pipeline("f32-float64", "float32", "float64"), 1
    yield "f32-angle-expln", Pipeline("f32-expln", "float32", "expln"), 1
    yield "f32-angle-iterated", Pipeline("f32-iterated", "float32", "iterated"), 1
    yield "f32-angle", Pipeline("f32-iterated", "float32", "iterated"), 10000
    for sign in (1, -1):
        for form in ("reciprocal", "expln"):
            yield "f32-angle", Pipeline(f"f32-{form}-worst{sign:+}", "float32", form, worst=sign), 1
