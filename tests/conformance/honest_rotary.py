"""Honest implementations of shifts, layouts, cotangents and xPos, in plain NumPy.

`how` is the order of the steps. Sums over the copies of a table: ``pairs`` adds the two products of a pair
first, ``axes`` sums them axis by axis and stores every sum, ``long`` adds all products in one accumulator.
The scale of xPos is multiplied into the table (``pairs``), into the result (``axes``) or into the input
(``long``).
"""

from dataclasses import dataclass, fields

import numpy as np
from _honest import near, pair_places
from _trials import Trial, exactly
from honest_scaling import Scaling, scaling_pipelines

WAYS = ("pairs", "axes", "long")
LLAMA = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {
    "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0,
    "beta_slow": 1.0, "ramp": "index", "truncate": True, "extrapolation_factor": 1.0,
    "attention_factor": None, "mscale": None, "mscale_all_dim": None, "mscale_rule": "hf",
}  # fmt: skip


@dataclass(frozen=True)
class Rotary(Scaling):
    """A way to compute, with an order of the steps."""

    how: str = "pairs"

    # moves

    def rope_table_slice(self, cos, sin, *, offset, length):
        return cos[offset:][:length], sin[offset:][:length]

    def rope_permute(self, x, *, source, target, rotary_dim, rotary_start):
        y, stop = np.array(x), rotary_start + rotary_dim
        part = x[..., rotary_start:stop]
        axes = (-1, 2) if source == "adjacent" else (2, -1)
        if source != target:
            y[..., rotary_start:stop] = np.swapaxes(part.reshape(*part.shape[:-1], *axes), -1, -2).reshape(
                part.shape
            )
        return y

    def rope_permute_weight(self, weight, *, num_heads, **params):
        heads = weight.reshape(num_heads, -1, weight.shape[1])
        moved = self.rope_permute(np.swapaxes(heads, 1, 2), rotary_start=0, **params)
        return np.swapaxes(moved, 1, 2).reshape(weight.shape)

    # rotations after the rotation

    def rope_rerotate(self, k, delta, *, rotary_dim, base, pairing, rotary_start, scaling, seq_len):
        omega, _ = self.scaled(scaling, rotary_dim, base, seq_len)
        return self.write(self.rotated(k, self.table(delta, omega), pairing, pairing, rotary_start))

    def rope_apply_vjp(self, grad_y, x, positions, **params):
        return self.write(self.applied(grad_y, -positions, **params))

    def rope_rotate_vjp(self, grad_y, x, cos, sin, *, pairing_in, pairing_out, rotary_start):
        back = self.rotated(grad_y, (cos, -sin), pairing_out, pairing_in, rotary_start)
        width = 2 * cos.shape[-1]
        a, b = (grad_y[..., rotary_start + one] for one in pair_places(pairing_out, width))
        u, w = (x[..., rotary_start + one] for one in pair_places(pairing_in, width))
        return (
            self.write(back),
            self.summed((a, u), (b, w), cos.shape),
            self.summed((b, u), (-a, w), cos.shape),
        )

    def product(self, pair):
        """Return a rounded product; a fused one is exact until it is added."""
        return pair[0] * pair[1] if self.fused else self.mul(*pair)

    def summed(self, one, other, shape):
        """Return the sum of two products a copy over all copies of a table of `shape`."""
        one, other = self.product(one), self.product(other)
        full = (1,) * (one.ndim - len(shape)) + shape
        axes = [axis for axis in range(one.ndim) if full[axis] != one.shape[axis]]
        if self.how == "axes":
            for axis in axes:
                one, other = (
                    np.expand_dims(near(self.total(np.moveaxis(part, axis, -1)), self.work), axis)
                    for part in (one, other)
                )
            return self.write(near(one + other, self.work)).reshape(shape)
        copies = [self.joined(part, axes, full) for part in (one, other)]
        if self.how == "long":
            total = self.total(np.concatenate(copies, axis=-1))
        else:
            total = self.total(near(copies[0] + copies[1], self.work))
        return self.write(near(total, self.work)).reshape(shape)

    def joined(self, values, axes, full):
        """Return the copies along a last axis of their own."""
        kept = [axis for axis in range(values.ndim) if axis not in axes]
        return np.transpose(values, kept + axes).reshape(*(full[axis] for axis in kept), -1)

    # xpos

    def decay(self, positions, width, gamma, scale_base, center, sign=1.0):
        """Return the scale, or its reciprocal, in the dtype of angles."""
        a = self.a
        bottom = a(a(1 + a(gamma)) * width)
        zeta = a(a(a(gamma) * width) + np.arange(0, width, 2))
        zeta = a(zeta / bottom)
        exponent = a(a(a(positions) - a(center)) / a(scale_base))[..., None]
        turn = sign if self.how == "long" else 1.0
        if self.frequency == "expln":
            found = self.library(np.exp, turn * a(exponent * self.library(np.log, zeta, -1)), 2)
        else:
            found = self.power(zeta, turn * exponent)
        return a(1.0 / found) if sign < turn else found

    def xpos_scale(self, positions, *, rotary_dim, gamma, scale_base, center):
        found = self.decay(positions, rotary_dim, gamma, scale_base, center)
        return self.write(near(found, self.stored))

    def xpos_apply(self, x, positions, *, role, rotary_dim, base, gamma, scale_base, center, pairing):
        sign = 1.0 if role == "query" else -1.0
        scale = self.decay(positions, rotary_dim, gamma, scale_base, center, sign)
        table = self.table(positions, self.plain(rotary_dim, base))
        short = near(near(scale, self.stored), self.work)
        spread = np.empty((*scale.shape[:-1], rotary_dim))
        for place in pair_places(pairing, rotary_dim):
            spread[..., place] = short
        part, rest = x[..., :rotary_dim], x[..., rotary_dim:]
        if self.how == "pairs":
            table = tuple(near(self.a(one * self.a(scale)), self.stored) for one in table)
        if self.how == "long":
            part = self.mul(part, spread)
        part = self.rotated(part, table, pairing, pairing, 0)
        if self.how == "axes":
            part = self.mul(part, spread)
        return self.write(np.concatenate([part, rest + np.zeros((*part.shape[:-1], 1))], axis=-1))


def pipelines():
    """Yield (claim, pipeline, least base) for every honest implementation."""
    for claim, pipeline, least in scaling_pipelines():
        for how in WAYS if pipeline.frequency in ("reciprocal", "expln") else WAYS[:1]:
            kept = {field.name: getattr(pipeline, field.name) for field in fields(pipeline)}
            yield claim, Rotary(**kept, how=how), least


def trials():
    """Yield inputs of every operation, exact in every dtype and in single precision."""
    for short in (True, False):
        r = np.random.default_rng(31 + short)
        yield from moves(r, short)
        yield from turns(r, short)
        yield from tables(r, short)
        yield from decays(r, short)


def moves(r, short):
    cos, sin = exactly(r, (9, 4), short), exactly(r, (9, 4), short)
    yield Trial("rope.table_slice", {"cos": cos, "sin": sin}, {"offset": 3, "length": 5}, short)
    x, ways = exactly(r, (2, 3, 12), short), {"source": "half", "target": "adjacent", "rotary_dim": 8}
    yield Trial("rope.permute", {"x": x}, {**ways, "rotary_start": 2}, short)
    ways = {"source": "adjacent", "target": "half", "rotary_dim": 8}
    weight = {"weight": exactly(r, (20, 3), short)}
    yield Trial("rope.permute_weight", weight, {"num_heads": 2, **ways}, short)


def turns(r, short):
    scalings = (None, {"rope_type": "linear", "factor": 3.0}, YARN, None, {
        "rope_type": "llama3", "factor": 8.0, **LLAMA,
    })  # fmt: skip
    for n, (width, base) in enumerate(((2, 1e4), (64, 500000.0), (80, 1e7), (24, 10000.1), (128, 1e4))):
        places = np.concatenate([[0, 1, 131071, -(2**24) - 1], r.integers(-5000, 5000, 2)])
        params = {"rotary_dim": width, "base": base, "pairing": ("half", "adjacent")[n % 2]}
        params |= {"rotary_start": n % 3, "scaling": scalings[n], "seq_len": None}
        x, g = (exactly(r, (1, places.size, width + 3), short) for _ in range(2))
        yield Trial("rope.rerotate", {"k": x, "delta": places}, params, short)
        yield Trial("rope.rerotate", {"k": x, "delta": np.array(-2049 - n)}, params, short)
        yield Trial("rope.apply_vjp", {"grad_y": g, "x": x, "positions": places}, params, short)
        near_ = {"grad_y": g[:, :3], "x": x[:, :3], "positions": places[3:] / 16.0}
        yield Trial("rope.apply_vjp", near_, params, short)


def tables(r, short):
    shapes = (
        ((3, 6), (3, 3)), ((2, 3, 2, 8), (2, 4)), ((2, 4, 3, 10), (2, 1, 3, 4)), ((40, 2, 4), (2, 2)),
        ((2, 3, 1, 6), (3, 1, 3)), ((6, 5, 2, 4), (2, 1)),
    )  # fmt: skip
    ways = ("half", "adjacent")
    for n, (full, part) in enumerate(shapes):
        c, s = (np.cos(r.random(part) * 7), np.sin(r.random(part) * 7))
        if short:
            c, s = c.astype(np.float32).astype(float), s.astype(np.float32).astype(float)
        params = {"pairing_in": ways[n % 2], "pairing_out": ways[n // 2 % 2]}
        params["rotary_start"] = full[-1] - 2 * part[-1]
        inputs = {"grad_y": exactly(r, full, short), "x": exactly(r, full, short), "cos": c, "sin": s}
        yield Trial("rope.rotate_vjp", inputs, params, short)
    small = {"grad_y": r.integers(-90, 91, (2, 3, 4)) * 2.0**-20, "x": exactly(r, (2, 3, 4), True)}
    small |= {"cos": c[:1, :1] + np.zeros((3, 2)), "sin": s[:1, :1] + np.zeros((3, 2))}
    yield Trial("rope.rotate_vjp", small, {**params, "rotary_start": 0}, short)


def decays(r, short):
    cases = ((8, 0.4, 512.0, 0.0), (64, 0.4, 512.0, 16.0), (6, 1.0, 100.0, 4.5), (2, 0.3, 77.7, -3.0))
    for n, (width, gamma, scale_base, center) in enumerate(cases):
        near_ = r.integers(-200, 600, 4) // (1 if scale_base > 100 else 4)
        places = np.concatenate([[0, 1, int(center), -7], near_])
        params = {"rotary_dim": width, "gamma": gamma, "scale_base": scale_base, "center": center}
        if short:
            yield Trial("xpos.scale", {"positions": places}, params)
            far = {"positions": np.array([16, 3000, -2000])}
            yield Trial("xpos.scale", far, {**params, "scale_base": 1000.0})
        x = exactly(r, (2, places.size, width + n % 2), short)
        turn = {"base": (1e4, 5e5, 10000.1, 1e4)[n], "pairing": ("half", "adjacent")[n % 2]}
        for role in ("query", "key"):
            yield Trial("xpos.apply", {"x": x, "positions": places}, {**params, **turn, "role": role}, short)
