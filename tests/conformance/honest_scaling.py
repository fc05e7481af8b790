"""Honest implementations of scaled ladders, in plain NumPy, written without posref's reference."""

import math
from dataclasses import dataclass, fields, replace

import numpy as np
from _honest import Pipeline, near, pipelines


@dataclass(frozen=True)
class Scaling(Pipeline):
    """A pipeline whose frequencies may be scaled; everything in the dtype of its angles.

    The ends of YaRN's ramp are numbers of the configuration, computed once in float64. A fused
    pipeline multiplies by reciprocals, and the tensor instead of the table by the magnitude factor.
    """

    def a(self, value):
        return near(value, self.angle)

    def divided(self, value, by):
        by = self.a(by)
        return self.a(value * self.a(1.0 / by)) if self.fused else self.a(value / by)

    def table(self, positions, frequency, factor=1.0):
        """Return a table with the factor in it, stored once."""
        if factor == 1:
            return super().table(positions, frequency)
        exact = replace(self, stored=self.angle).table(positions, frequency)
        return tuple(near(self.a(one * self.a(factor)), self.stored) for one in exact)

    def plain(self, width, base):
        return self.ladder(base, 2, width, width // 2)

    def scaled(self, scaling, width, base, seq_len=None):
        """Return frequencies and magnitude factor."""
        if self.frequency == "float64":
            exact = replace(self, angle="float64", frequency="reciprocal", worst=0)
            return tuple(self.a(part) for part in exact.scaled(scaling, width, base, seq_len))
        if scaling is None:
            return self.plain(width, base), 1.0
        kind = scaling["rope_type"]
        rest = {key: value for key, value in scaling.items() if key != "rope_type"}
        if kind in ("dynamic", "longrope"):
            rest["seq_len"] = seq_len
        return getattr(self, kind)(width, base, **rest)

    def linear(self, width, base, *, factor):
        return self.divided(self.plain(width, base), factor), 1.0

    def rebased(self, width, base, growth):
        new = self.a(self.a(base) * self.power(growth, self.a(width / (width - 2))))
        return self.plain(width, float(new)), 1.0

    def ntk(self, width, base, *, factor):
        return self.rebased(width, base, self.a(factor))

    def dynamic(self, width, base, *, factor, original_max_position_embeddings, seq_len):
        s, length = self.a(factor), self.a(original_max_position_embeddings)
        part = self.a(self.a(s * self.a(max(seq_len, original_max_position_embeddings))) / length)
        return self.rebased(width, base, self.a(part - self.a(s - 1)))

    def blended(self, omega, weight, factor):
        slow = self.divided(omega, factor)
        return self.a(self.a(slow * self.a(1 - weight)) + self.a(omega * weight))

    def by_turns(self, omega, length, low, high):
        wavelength = self.a(self.a(2 * math.pi) / omega)
        turns = self.a(self.a(length) / wavelength)
        low, high = self.a(low), self.a(high)
        return np.clip(self.a(self.a(turns - low) / self.a(high - low)), 0, 1)

    def by_index(self, width, base, length, fast, slow, truncate):
        def pair(beta):
            return width * math.log(length / (beta * 2 * math.pi)) / (2 * math.log(base))

        low, high = pair(fast), pair(slow)
        if truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, width - 1)
        high = high + 0.001 if low == high else high
        low, high = self.a(low), self.a(high)
        ramp = self.a(self.a(np.arange(width // 2) - low) / self.a(high - low))
        return self.a(1 - np.clip(ramp, 0, 1))

    def yarn(self, width, base, **given):
        omega, length = self.plain(width, base), given["original_max_position_embeddings"]
        fast, slow = given["beta_fast"], given["beta_slow"]
        if given["ramp"] == "index":
            keep = self.by_index(width, base, length, fast, slow, given["truncate"])
        else:
            keep = self.by_turns(omega, length, slow, fast)
        keep = self.a(keep * self.a(given["extrapolation_factor"]))
        return self.blended(omega, keep, given["factor"]), self.magnitude(given)

    def llama3(
        self, width, base, *, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings
    ):
        omega = self.plain(width, base)
        kept = self.by_turns(omega, original_max_position_embeddings, low_freq_factor, high_freq_factor)
        return self.blended(omega, kept, factor), 1.0

    def log(self, value):
        return self.library(np.log, self.a(value), 1)

    def growing(self, coefficient, factor):
        slope = self.a(self.a(0.1) * self.a(coefficient))
        return self.a(self.a(slope * self.log(factor)) + 1)

    def magnitude(self, given):
        if given["attention_factor"] is not None:
            return self.a(given["attention_factor"])
        pair, rule = (given["mscale"], given["mscale_all_dim"]), given["mscale_rule"]
        if rule == "none":
            return 1.0
        if rule == "ratio" or (rule == "hf" and all(pair)):
            return self.a(self.growing(pair[0], given["factor"]) / self.growing(pair[1], given["factor"]))
        return self.growing(1.0, given["factor"])

    def longrope(self, width, base, *, seq_len, **given):
        length, factor = given["original_max_position_embeddings"], given["factor"]
        divisors = np.array(given["long_factor" if seq_len > length else "short_factor"], dtype=float)
        omega = self.a(self.plain(width, base) / self.a(divisors))
        if given["attention_factor"] is not None:
            return omega, self.a(given["attention_factor"])
        if factor <= 1:
            return omega, 1.0
        inner = self.a(1 + self.a(self.log(factor) / self.log(length)))
        return omega, self.a(np.sqrt(inner))

    def proportional(self, width, base, *, partial_rotary_factor, factor):
        found = self.divided(self.plain(width, base), factor)
        turning = int(width * partial_rotary_factor) // 2
        return np.where(np.arange(width // 2) < turning, found, 0.0), 1.0

    # the operations

    def write_both(self, found):
        return self.write(found[0]), self.write(np.asarray(found[1], dtype=float))

    def rope_scaling_linear(self, inv_freq, *, factor):
        return self.write_both((self.divided(self.a(inv_freq), factor), 1.0))

    def rope_scaling_longrope(self, short_factor, long_factor, *, rotary_dim, base, seq_len, **given):
        lists = {"rope_type": "longrope", "short_factor": short_factor, "long_factor": long_factor}
        return self.write_both(self.scaled(lists | given, rotary_dim, base, seq_len))

    def rope_scaling_proportional(self, *, head_dim, base, **given):
        return self.write_both(self.scaled({"rope_type": "proportional"} | given, head_dim, base))

    def __getattr__(self, name):
        kind = name.removeprefix("rope_scaling_")
        if kind not in ("ntk", "dynamic", "yarn", "llama3"):
            raise AttributeError(name)

        def operation(*, rotary_dim, base, seq_len=None, **given):
            return self.write_both(self.scaled({"rope_type": kind} | given, rotary_dim, base, seq_len))

        return operation

    def rope_scaling_resolve(self, *, config, seq_len, layer_type, layer_index):
        """Read the one form that the trials have, by hand."""
        rope = dict(config["rope_scaling"])
        base, width = float(config["rope_theta"]), config["qk_rope_head_dim"]
        growing = self.growing(rope["mscale_all_dim"], rope["factor"])
        rope |= {"rope_type": "yarn", "ramp": "index", "truncate": True, "extrapolation_factor": 1.0}
        rope |= {"attention_factor": None, "mscale_rule": "hf"}
        rope.pop("type")
        omega, factor = self.write_both(self.scaled(rope, width, base))
        softmax = self.write(self.a(growing * growing))
        return omega, factor, softmax, np.array(width), self.write(self.a(base))

    def applied(self, x, positions, *, rotary_dim, base, pairing, rotary_start, scaling=None, seq_len=None):
        omega, factor = self.scaled(scaling, rotary_dim, base, seq_len)
        if self.fused and factor != 1:
            x = np.array(x)
            part = slice(rotary_start, rotary_start + rotary_dim)
            x[..., part] = self.mul(x[..., part], near(factor, self.work))
            factor = 1.0
        table = self.table(positions, omega, factor)
        return self.rotated(x, table, pairing, pairing, rotary_start)


def scaling_pipelines():
    """Yield (claim, pipeline, least base) for every honest implementation."""
    for claim, pipeline, least in pipelines():
        yield (
            claim,
            Scaling(**{field.name: getattr(pipeline, field.name) for field in fields(pipeline)}),
            least,
        )
