"""Honest implementations of the relative schemes, in plain NumPy, written without posref's reference.

`how` is the order of the steps: ``after`` scales the finished sum, ``each`` every term, ``query`` the
queries beforehand; ``joined`` adds vectors before the dot product (k + a, q + u, v + a); ``long`` sums
all products of an element in one accumulator.
"""

from dataclasses import dataclass

import numpy as np
from _honest import Pipeline, near

WAYS = ("after", "each", "query", "joined", "long")


@dataclass(frozen=True)
class Relative(Pipeline):
    """A way to compute, with an order of the steps."""

    how: str = "after"

    def short(self, values):
        return near(values, self.work)

    def products(self, left, right):
        """Return the rounded products along the last axis; with fused sums they are exact."""
        return left * right if self.fused else self.mul(left, right)

    def scored(self, pairs, scale):
        """Return the scaled sum of dot products of (left, right)."""
        scale = self.short(scale)
        if self.how == "query":
            pairs = [(self.mul(left, scale), right) for left, right in pairs]
        terms = [self.products(left, right) for left, right in pairs]
        if self.how == "long":
            shape = np.broadcast_shapes(*(one.shape for one in terms))
            total = self.total(np.concatenate([np.broadcast_to(one, shape) for one in terms], axis=-1))
            return self.write(self.mul(self.short(total), scale))
        terms = [self.short(self.total(one)) for one in terms]
        if self.how == "each":
            terms = [self.mul(one, scale) for one in terms]
        total = terms[0]
        for one in terms[1:]:
            total = self.add(total, one)
        return self.write(total if self.how in ("each", "query") else self.mul(total, scale))

    def shaw_scores(self, q, k, table_k, index, *, scale):
        left, key, row = q[..., :, None, :], k[..., None, :, :], table_k[index]
        if self.how == "joined":
            return self.scored([(left, self.add(key, row))], scale)
        return self.scored([(left, key), (left, row)], scale)

    def shaw_output(self, weights, v, table_v, index):
        weight = weights[..., :, None, :]
        value = np.swapaxes(v, -1, -2)[..., None, :, :]
        row = np.swapaxes(table_v[index], -1, -2)
        if self.how == "joined":
            return self.write(self.total(self.products(weight, self.add(value, row))))
        content, position = self.products(weight, value), self.products(weight, row)
        if self.how == "long":
            shape = np.broadcast_shapes(content.shape, position.shape)
            both = [np.broadcast_to(one, shape) for one in (content, position)]
            return self.write(self.total(np.concatenate(both, axis=-1)))
        return self.write(self.add(self.short(self.total(content)), self.short(self.total(position))))

    def t5_bias(self, table, q_positions, k_positions, *, num_buckets, max_distance, bidirectional):
        """Look a table of all distances up, made by counting: no logarithm."""
        side = num_buckets // 2 if bidirectional else num_buckets
        exact, relative = side // 2, k_positions[..., None, :] - q_positions[..., :, None]
        n = np.abs(relative) if bidirectional else np.maximum(-relative, 0)
        row = np.minimum(n, exact)
        for k in range(1, side - exact):
            edge = next(
                m for m in range(exact, max_distance + 1)
                if m ** (side - exact) * exact**k >= max_distance**k * exact ** (side - exact)
            )  # fmt: skip
            row = row + (n >= edge)
        row = row + (side * (relative > 0) if bidirectional else 0)
        return np.moveaxis(table[row], -1, -3)

    def deberta_scores(self, q, k, pos_q, pos_k, index, *, terms, scale):
        query, key = q[:, :, None, :], k[:, None, :, :]
        pairs = {"c2c": (query, key), "c2p": (query, pos_k[:, index]), "p2c": (pos_q[:, index], key)}
        return self.scored([pairs[name] for name in terms], scale)

    def transformer_xl_scores(self, q, k, r, distances, u, v, q_positions, k_positions, *, scale):
        order = np.argsort(distances)
        wanted = q_positions[:, None] - k_positions[None, :]
        rows = order[np.searchsorted(distances[order], wanted)]
        query, key, row = q[:, :, None, :], k[:, None, :, :], r[:, rows]
        content, position = u[:, None, None, :], v[:, None, None, :]
        if self.how == "joined":
            return self.scored([(self.add(query, content), key), (self.add(query, position), row)], scale)
        return self.scored([(query, key), (content, key), (query, row), (position, row)], scale)

    def swin_log_coords(self, *, window, pretrained_window):
        before = window if pretrained_window is None else pretrained_window
        axes = [self.coordinates(*pair) for pair in zip(window, before, strict=True)]
        return self.write(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1))

    def coordinates(self, size, before):
        a = self.angle
        offset = np.arange(1 - size, size, dtype=np.float64)
        if self.how in ("after", "each"):
            c = near(near(offset / max(before - 1, 1), a) * 8, a)
        else:
            c = near(offset * near(8 / max(before - 1, 1), a), a)
        inner = near(np.abs(c) + 1, a)
        if self.how in ("query", "long"):
            found = near(self.library(np.log, inner, 4) * near(1 / near(np.log(8.0), a), a), a)
        else:
            found = near(self.library(np.log2, inner, 4) / 3, a)
        return np.sign(offset) * np.where(offset == 0, 0, found)


def pipelines():
    """Yield (claim, pipeline) for every honest implementation."""
    for how in WAYS:
        yield "f64-angle", Relative("f64", "float64", "", "float64", "float64", "float64", how=how)
        single = Relative("f32", "float32", "", how=how)
        for claim in ("", "-libm", "-f64freq", "-expln", "-iterated", "-bf16cache", "-f16cache"):
            yield f"f32-angle{claim}", single
        yield "f32-angle", Relative("f32-fma", "float32", "", fused=True, how=how)
        for sign in (1, -1):
            yield "f32-angle", Relative(f"f32-worst{sign:+}", "float32", "", worst=sign, how=how)
        for short, tag in (("bfloat16", "bf16"), ("float16", "f16")):
            eager = Relative(tag, short, "", stored=short, work=short, how=how)
            yield f"f32-angle-{tag}", eager
            yield (
                f"f32-angle-{tag}",
                Relative(f"{tag}-fma", short, "", "float32", short, short, True, how=how),
            )
            yield f"f32-angle-{tag}", Relative(f"{tag}-once", short, "", how=how)
            yield "f32-angle", Relative(f"{tag}-once", short, "", how=how)
