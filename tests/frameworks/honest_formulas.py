"""The textbook formulas, written once in the words that torch, jax.numpy and mlx.core share.

Every step runs in the library: frequencies, angles, sines and cosines in float32, tables then cast to
the dtype of the heads, multiply-add in that dtype. Nothing comes from posref but the call's form.
"""

import math
from dataclasses import dataclass
from typing import Any

from posref.adapters import Implementation, Unsupported


@dataclass(frozen=True)
class Library:
    """A library's module, and the few words in which libraries differ."""

    xp: Any
    cast: Any
    join: Any
    counted: Any

    def single(self, values):
        return self.cast(values, "float32")

    def ladder(self, width, base):
        return 1.0 / base ** (self.counted(width // 2) * 2.0 / width)

    def scaled(self, scaling, width, base, seq_len):
        """Return frequencies of the scalings whose magnitude factor is 1."""
        kind = "default" if scaling is None else scaling["rope_type"]
        if kind not in {"default", "linear", "ntk", "dynamic", "llama3"}:
            raise Unsupported("no formula for it here")
        if kind in {"ntk", "dynamic"}:
            factor = scaling["factor"]
            if kind == "dynamic":
                length = scaling["original_max_position_embeddings"]
                factor = factor * max(seq_len, length) / length - (factor - 1)
            return self.ladder(width, base * factor ** (width / (width - 2)))
        plain = self.ladder(width, base)
        if kind == "llama3":
            low, high, factor = (scaling[key] for key in ("low_freq_factor", "high_freq_factor", "factor"))
            turns = scaling["original_max_position_embeddings"] * plain / (2 * math.pi)
            part = self.xp.clip((turns - low) / (high - low), 0.0, 1.0)
            return (1 - part) * plain / factor + part * plain
        return plain if scaling is None else plain / scaling["factor"]

    def angles(self, positions, inv_freq):
        return self.single(positions)[..., None] * self.single(inv_freq)

    def inv_freq(self, *, rotary_dim, base, dtype):
        return self.cast(self.ladder(rotary_dim, base), dtype)

    def cos_sin(self, positions, inv_freq, *, attention_factor=1.0, dtype):
        angle = self.angles(positions, inv_freq)
        tables = self.xp.cos(angle) * attention_factor, self.xp.sin(angle) * attention_factor
        return tuple(self.cast(table, dtype) for table in tables)

    def rotate(self, x, cos, sin, *, pairing_in, pairing_out, rotary_start=0):
        half = cos.shape[-1]
        cos, sin = (self.like(table, x) for table in (cos, sin))
        part = x[..., rotary_start : rotary_start + 2 * half]
        adjacent = part[..., 0::2], part[..., 1::2]
        a, b = adjacent if pairing_in == "adjacent" else (part[..., :half], part[..., half:])
        turned = a * cos - b * sin, a * sin + b * cos
        if pairing_out == "adjacent":
            joined = self.xp.stack(turned, -1).reshape(*x.shape[:-1], 2 * half)
        else:
            joined = self.join(turned, -1)
        return self.join((x[..., :rotary_start], joined, x[..., rotary_start + 2 * half :]), -1)

    def like(self, values, x):
        return self.cast(values, str(x.dtype).rpartition(".")[2])

    def apply(self, x, positions, *, rotary_dim, rotary_start=0, base, pairing, scaling=None, seq_len=None):
        angle = self.angles(positions, self.scaled(scaling, rotary_dim, base, seq_len))
        kinds = {"pairing_in": pairing, "pairing_out": pairing, "rotary_start": rotary_start}
        return self.rotate(x, self.xp.cos(angle), self.xp.sin(angle), **kinds)

    def apply_qk(self, q, k, positions, **params):
        return self.apply(q, positions, **params), self.apply(k, positions, **params)

    def score(self, q, k, q_positions, k_positions, **params):
        keys = self.apply(k, k_positions, **params)
        return self.xp.matmul(self.apply(q, q_positions, **params), self.xp.swapaxes(keys, -1, -2))

    def sinusoid_ladder(self, *, dim, base, denominator, dtype="float32"):
        if dim % 2:
            raise Unsupported("even widths")
        step = 2.0 / dim if denominator == "dim" else 1.0 / (dim // 2 - 1)
        return self.cast(self.xp.exp(self.counted(dim // 2) * (-math.log(base) * step)), dtype)

    def encode(self, positions, *, dim, base, denominator, layout, odd, dtype):
        angle = self.angles(positions, self.sinusoid_ladder(dim=dim, base=base, denominator=denominator))
        sin, cos = self.xp.sin(angle), self.xp.cos(angle)
        if layout == "interleaved":
            table = self.xp.stack((sin, cos), -1).reshape(*angle.shape[:-1], dim)
        else:
            table = self.join((sin, cos) if layout == "sin_cos" else (cos, sin), -1)
        return self.cast(table, dtype)

    def slopes(self, *, num_heads, bias_max, head_start=0, head_count=None, dtype):
        power = 1 << (num_heads.bit_length() - 1)
        first = 2.0 ** (-(self.counted(power) + 1.0) * bias_max / power)
        rest = 2.0 ** (-(2.0 * self.counted(num_heads - power) + 1.0) * bias_max / (2 * power))
        end = num_heads if head_count is None else head_start + head_count
        return self.cast(self.join((first, rest), 0)[head_start:end], dtype)

    def bias(self, q_positions, k_positions, slopes, *, form, future, dtype):
        distance = k_positions[..., None, :] - q_positions[..., :, None]
        shown = {"neg_distance": distance, "neg_abs": -abs(distance)}.get(form, k_positions[..., None, :])
        bias = self.single(slopes)[:, None, None] * self.single(shown + 0 * distance)[..., None, :, :]
        if future == "neg_inf":
            bias = self.xp.where((distance > 0)[..., None, :, :], self.xp.full_like(bias, -math.inf), bias)
        return self.cast(bias, dtype)

    def scores(self, q, k, *, scale):
        return self.xp.matmul(q, self.xp.swapaxes(k, -1, -2)) * scale

    def implementation(self, name, dtypes, write, read):
        """Return all formulas as one implementation."""
        operations = {
            "rope.inv_freq": self.inv_freq,
            "rope.cos_sin": self.cos_sin,
            "rope.rotate": self.rotate,
            "rope.apply": self.apply,
            "rope.apply_qk": self.apply_qk,
            "rope.score": self.score,
            "sinusoidal.inv_freq": self.sinusoid_ladder,
            "sinusoidal.encode": self.encode,
            "alibi.slopes": self.slopes,
            "alibi.bias": self.bias,
            "attention.scores": self.scores,
        }
        return Implementation(name, operations, dtypes=dtypes, write=write, read=read)
