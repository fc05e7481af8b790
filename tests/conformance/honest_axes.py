"""Honest implementations of the schemes with several axes, in plain NumPy, and inputs to try them on."""

from dataclasses import fields
from functools import cache

import _honest
import numpy as np
from _honest import near
from _trials import WIDTHS, Trial, places


class Pipeline(_honest.Pipeline):
    """The steps of `_honest.Pipeline` put together for these schemes.

    Where there are two common orders of the same steps, `fused` chooses.
    """

    def mrope_cos_sin(self, positions, inv_freq, axis_of_channel, *, attention_factor):
        if self.fused:  # one product of a row of positions a channel
            columns = [
                self.table(positions[axis], inv_freq[[i]], attention_factor)
                for i, axis in enumerate(axis_of_channel)
            ]
            return tuple(self.write(np.concatenate(one, axis=-1)) for one in zip(*columns, strict=True))
        whole = self.table(positions, inv_freq, attention_factor)  # all axes, then a choice
        channels = np.arange(len(inv_freq))
        return tuple(self.write(one[axis_of_channel, :, channels].T) for one in whole)

    def axial_rope_cos_sin(self, positions, *, axis_dims, base, frequencies):
        if frequencies == "reset":
            ladders = [self.ladder(base, 2, width, width // 2) for width in axis_dims]
        else:
            shared = self.ladder(base, 2, sum(axis_dims), sum(axis_dims) // 2)
            ladders = [shared[0::2], shared[1::2]]
        parts = [self.table(positions[:, axis], ladder) for axis, ladder in enumerate(ladders)]
        return tuple(self.write(np.concatenate(one, axis=-1)) for one in zip(*parts, strict=True))

    def temperature_scale(self, positions, *, beta, floor_scale, plus_one):
        steps = near((positions + plus_one) // floor_scale, self.angle)
        if self.fused:
            logarithm = self.library(np.log1p, steps, 1)
        else:
            logarithm = self.library(np.log, near(1 + steps, self.angle), 1)
        return self.write(self.fma(near(logarithm, self.work), near(beta, self.work), 1.0))


def pipelines():
    """Yield (claim, pipeline, least base) for every honest implementation."""
    for claim, plain, least in _honest.pipelines():
        yield claim, Pipeline(**{field.name: getattr(plain, field.name) for field in fields(plain)}), least


def tables():
    r = np.random.default_rng(41)
    for n, (width, base) in enumerate(WIDTHS):
        p = places(r, 2)
        positions = np.stack([p, p[::-1] // 3, (p * 7) % 5000])[:, : 5 + n]
        ladder = base ** (-2.0 * np.arange(width // 2) / width)
        ladder = ladder if n % 2 else ladder.astype(np.float32).astype(float)
        axes = r.integers(0, 3, width // 2)
        factor = {"attention_factor": (1.0, 1.1386294361119891)[n % 2]}
        for where in (positions, positions / 16.0):
            inputs = {"positions": where, "inv_freq": ladder, "axis_of_channel": axes}
            yield Trial("mrope.cos_sin", inputs, factor)
    small = {
        "positions": np.array([[0, 50], [9000, 3]]),
        "inv_freq": np.array([2.0**-13, 2.0**-20 * 1.25]),
        "axis_of_channel": np.array([1, 0]),
    }
    yield Trial("mrope.cos_sin", small, {"attention_factor": 1.25})


def grids():
    r = np.random.default_rng(43)
    ladders = (
        ([4, 4], 1e4, "shared_even_odd"),
        ([40, 40], 10000.1, "shared_even_odd"),
        ([24, 20, 20], 500000.0, "reset"),
        ([2, 6], 2.5, "reset"),
        ([64, 64], 1e6, "shared_even_odd"),
        ([32], 1e7, "reset"),
    )
    for widths, base, frequencies in ladders:
        p = places(r, 3)
        positions = np.stack([p, p[::-1] // 3, (p * 7) % 5000], axis=1)[:, : len(widths)]
        params = {"axis_dims": widths, "base": base, "frequencies": frequencies}
        yield Trial("axial_rope.cos_sin", {"positions": positions}, params)
        yield Trial("axial_rope.cos_sin", {"positions": positions[::2] / 16.0}, params)


def scales():
    r = np.random.default_rng(47)
    far = [0, 1, 6, 7, 8191, 8192, 16383, 131071, 2**24 - 1, 2**31, 2**53]
    for n, (beta, length) in enumerate(
        (
            (0.1, 8192),
            (1.0, 1),
            (0.37, 7),
            (37.5, 100),
            (2.0**-13, 64),
            (0.0, 3),
            (1e-6, 2),
            (0.25, 2**40),
            (97.3, 3),
        )
    ):
        positions = np.concatenate([far, r.integers(0, 200_000, 60)])
        params = {"beta": beta, "floor_scale": length, "plus_one": n % 2 == 0}
        yield Trial("temperature.scale", {"positions": positions}, params)


@cache
def trials():
    """Return every trial."""
    return (*tables(), *grids(), *scales())
