"""Honest implementations of the additive encodings, in plain NumPy, and inputs to try them on."""

from dataclasses import fields
from functools import cache

import _honest
import numpy as np
from _honest import near
from _trials import Trial, exactly, places


class Pipeline(_honest.Pipeline):
    """The steps of `_honest.Pipeline` put together for these schemes.

    Where there are two common orders of the same steps, `fused` chooses.
    """

    def circle(self, angle):
        """Return stored cosines and sines of angles."""
        cos, sin = self.library(np.cos, angle, 2), self.library(np.sin, angle, 2)
        return near(np.clip(cos, -1, 1), self.stored), near(np.where(angle == 0, 0, sin), self.stored)

    def sincos2d_encode(self, rows, cols, *, dim, base, denominator, axis_order, layout):
        n = dim // 4
        ladder = self.ladder(base, 1, n if denominator == "dim" else n - 1, n)
        (cx, sx), (cy, sy) = self.table(cols, ladder), self.table(rows, ladder)
        blocks = {
            ("x_first", "axis_major"): (sx, cx, sy, cy),
            ("y_first", "axis_major"): (sy, cy, sx, cx),
            ("x_first", "component_major"): (sx, sy, cx, cy),
            ("y_first", "component_major"): (sy, sx, cy, cx),
        }[axis_order, layout]
        return self.write(np.concatenate(blocks, axis=-1))

    def timestep_encode(self, timesteps, *, dim, max_period, freq_shift, flip_sin_to_cos, scale, odd):
        a, half = self.angle, dim // 2
        ladder = self.ladder(max_period, 1, near(half - near(freq_shift, a), a), half)
        t, s = near(timesteps, a)[:, None], near(scale, a)
        angle = near(near(s * t, a) * ladder, a) if self.fused else near(s * near(t * ladder, a), a)
        cos, sin = self.circle(angle)
        blocks = (cos, sin) if flip_sin_to_cos else (sin, cos)
        return self.write(np.concatenate([*blocks, np.zeros((len(timesteps), dim % 2))], axis=-1))

    def fourier_encode(self, x, weights, *, two_pi, include_input):
        a = self.angle
        turn = near(2 * np.pi, a)
        x, w = near(x, a), near(weights, a)
        if two_pi and self.fused:
            w = near(w * turn, a)
        z = np.zeros((*x.shape[:-1], w.shape[1]))
        for i in range(w.shape[0]):
            z = near(z + near(x[..., i, None] * w[i], a), a)
        if two_pi and not self.fused:
            z = near(z * turn, a)
        cos, sin = self.circle(z)
        kept = [x] if include_input else []
        return self.write(np.concatenate([*kept, sin, cos], axis=-1))

    def learned_lookup(self, table, positions, *, offset):
        return self.write(table[positions + offset])

    def learned_resize(self, table, *, length, align_corners):
        a, rows = self.angle, len(table)
        r = np.arange(length, dtype=np.float64)
        if align_corners:
            ratio = near((rows - 1) / (length - 1), a) if length > 1 else 0.0
            place = near(r * ratio, a)
        else:
            place = near(near(near(r + 0.5, a) * near(rows / length, a), a) - 0.5, a)
        place = np.clip(place, 0, rows - 1)
        low = np.floor(place).astype(int)
        high, part = np.minimum(low + 1, rows - 1), near(place - low, a)[:, None]
        below, above = table[low], table[high]
        if self.fused:  # from one row towards the next
            return self.write(self.add(below, self.mul(near(part, self.work), self.add(above, -below))))
        rest = near(near(1 - part, a), self.work)
        return self.write(self.add(self.mul(rest, below), self.mul(near(part, self.work), above)))

    def attention_score_terms(self, content_q, position_q, content_k, position_k, *, scale):
        sides = [(q, k) for q in (content_q, position_q) for k in (content_k, position_k)]
        return tuple(self.attention_scores(q, k, scale=scale) for q, k in sides)


def pipelines():
    """Yield (claim, pipeline, least base) for every honest implementation."""
    for claim, plain, least in _honest.pipelines():
        yield claim, Pipeline(**{field.name: getattr(plain, field.name) for field in fields(plain)}), least


def steps(short):
    r = np.random.default_rng(17 + short)
    table = (
        (8, 1e4, 0.0, 1.0),
        (7, 1e4, 1.0, 1000.0),
        (64, 500000.0, 1.0, 1.0),
        (96, 100.5, 0.3, 0.1),
        (10, 10000.1, -2.5, -3.0),
    )
    for n, (dim, period, shift, scale) in enumerate(table):
        t = exactly(r, (5,), short) * 2.0 ** r.integers(-6, 10, 5)
        t = np.concatenate([t, [0.0, 1.0, 250.0 if short else 999.0]])
        params = {
            "dim": dim,
            "max_period": period,
            "freq_shift": shift,
            "flip_sin_to_cos": bool(n % 2),
            "scale": scale,
            "odd": "zero_pad",
        }
        yield Trial("timestep.encode", {"timesteps": t}, params, short)


def projections(short):
    r = np.random.default_rng(19 + short)
    for n, (axes, bands) in enumerate(((1, 6), (2, 5), (3, 8), (8, 4), (1, 3))):
        weights = r.standard_normal((axes, bands)) * (1.0, 8.0, 0.05)[n % 3]
        weights = weights.astype(np.float32).astype(float) if short else weights
        if n == 4:
            weights = np.array([[1.0, 2.0, 4.0]])
        x = exactly(r, (2, 4, axes), short)
        for two_pi in (True, False):
            choice = {"two_pi": two_pi, "include_input": n % 2 == 1}
            yield Trial("fourier.encode", {"x": x, "weights": weights}, choice, short)


def tables(short):
    r = np.random.default_rng(23 + short)
    for rows, length in ((4, 7), (7, 10), (10, 4), (5, 5), (1, 3), (6, 1), (30, 47), (9, 9), (2, 301)):
        table = exactly(r, (rows, 3), short)
        for corners in (True, False):
            yield Trial(
                "learned.resize", {"table": table}, {"length": length, "align_corners": corners}, short
            )
    where = np.array([[0, 3, 4], [5, 5, 1]])
    yield Trial(
        "learned.lookup", {"table": exactly(r, (8, 3), short), "positions": where}, {"offset": 2}, short
    )


def terms(short):
    r = np.random.default_rng(29 + short)
    for width, keys in ((1, 2), (8, 3), (96, 20)):
        shapes = ((1, 4, width), (1, 4, width), (1, keys, width), (1, keys, width))
        names = ("content_q", "position_q", "content_k", "position_k")
        inputs = {name: exactly(r, shape, short) for name, shape in zip(names, shapes, strict=True)}
        yield Trial("attention.score_terms", inputs, {"scale": width**-0.5}, short)


def grids():
    r = np.random.default_rng(31)
    for n, (dim, base) in enumerate(((4, 1e4), (8, 500000.0), (80, 1e4), (64, 10000.1), (16, 2.5))):
        y = places(r, 3)
        params = {
            "dim": dim,
            "base": base,
            "denominator": ("dim", "count_minus_1")[n % 2],
            "axis_order": ("x_first", "y_first")[n // 2 % 2],
            "layout": ("axis_major", "component_major")[n % 3 % 2],
        }
        yield Trial("sincos2d.encode", {"rows": y, "cols": y[::-1] // 3}, params)


def small():
    """Yield inputs near the bottom of float16, where products are subnormal."""
    r = np.random.default_rng(37)
    fine = r.integers(-100, 100, (5, 3)) * 2.0**-24
    yield Trial("learned.resize", {"table": fine}, {"length": 8, "align_corners": False})
    yield Trial(
        "fourier.encode",
        {"x": fine, "weights": np.ones((3, 2)) * 0.75},
        {"two_pi": True, "include_input": True},
    )
    params = {
        "dim": 6,
        "max_period": 1e4,
        "freq_shift": 0.0,
        "flip_sin_to_cos": False,
        "scale": 0.1,
        "odd": "error",
    }
    yield Trial("timestep.encode", {"timesteps": fine[:, 0]}, params)


@cache
def trials():
    """Return every trial."""
    found = [*grids(), *small()]
    for short in (True, False):
        for group in (steps, projections, tables, terms):
            found += group(short)
    return tuple(found)
