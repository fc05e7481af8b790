"""Inputs on which the bounds are tried, and their true values from the golden definition."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np

from posref import operation
from posref.bounds.model import bound, spacing
from posref.corpus.certify import certify
from posref.corpus.engine_arb import ArbReal
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import Tensor

WIDTHS = ((2, 1e4), (6, 500000.0), (80, 1e7), (96, 10000.1), (128, 1e4), (24, 2.5), (256, 1e6))
FAR = (0, 1, 355, -4096, 131071, 2**31 - 1, -(2**24) - 1)


@dataclass(frozen=True, eq=False)
class Trial:
    """One input of one operation; `short` tells that its values are exact in every dtype."""

    operation: str
    inputs: dict
    params: dict
    short: bool = True

    @property
    def base(self):
        return self.params.get("base", self.params.get("max_period", np.inf))

    def tensors(self):
        return [self.inputs.get(entry.name) for entry in operation.signature(self.operation).inputs]


@cache
def truth(trial):
    """Return the real results, correctly rounded to float64."""
    tensors = {name: tensor(value) for name, value in trial.inputs.items()}
    found = certify(ArbReal, trial.operation, tensors, trial.params, ["float64"])
    stored = {name: next(iter(by.values()))[0] for name, by in found.items()}  # float64, or int64
    return {name: np.array(one.data, dtype=float).reshape(one.shape) for name, one in stored.items()}


def tensor(value):
    name = {"f": "float64", "i": "int64", "b": "bool"}[value.dtype.kind]
    return Tensor(name, value.shape, tuple(value.ravel().tolist()))


def judged(trial, claim, got, dtype):
    """Return per output: error, the bound on it, whether the element is allowed, whether it tells."""
    real = truth(trial)
    stored = {name: decode_bits(round_bits(value, dtype), dtype) for name, value in real.items()}
    bounds = bound(trial.operation, claim, trial.inputs, trial.params, stored, dtype)
    found = {}
    for (name, value), one in zip(real.items(), got, strict=True):
        data, (allowed, vain) = stored[name], bounds[name]
        with np.errstate(invalid="ignore"):  # -inf is equal to -inf, and their difference is no number
            fine = (one == data) | (np.abs(one - data) <= allowed)
        limit = allowed if dtype == "float64" else allowed - spacing(data, dtype) / 2
        with np.errstate(invalid="ignore"):
            error = np.where(np.isfinite(data) & (allowed > 0), np.abs(one - value), 0.0)
        found[name] = error, np.where(allowed > 0, limit, 1.0), fine, vain
    return found


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def exactly(generator, shape, short):
    values = generator.standard_normal(shape) * 2.0 ** generator.integers(-3, 4, shape)
    return decode_bits(
        round_bits(values, "bfloat16" if short else "float32"), "bfloat16" if short else "float32"
    )


X = exactly(np.random.default_rng(3), (1, 1, 128), True)
LLAMA = {
    "rotary_dim": 128, "rotary_start": 0, "base": 10000.0, "pairing": "half",
    "scaling": None, "seq_len": None,
}  # fmt: skip


def places(generator, count):
    return np.unique(
        np.concatenate([FAR, generator.integers(0, 2**31, 1), generator.integers(0, 5000, count)])
    )


def rope_trials(short):
    r = np.random.default_rng(7 + short)
    for n, (width, base) in enumerate(WIDTHS):
        p = places(r, 2)
        ladder = {"rotary_dim": width, "base": base}
        pairing = ("half", "adjacent")[n % 2]
        rest = {"pairing": pairing, "rotary_start": n % 3, "scaling": None, "seq_len": None}
        x, y = exactly(r, (1, p.size, width + 3), short), exactly(r, (1, 1, p.size, width + 3), short)
        yield Trial("rope.apply", {"x": x, "positions": p}, ladder | rest, short)
        part = p[:: 4 if width > 100 else 2] % 70000
        q, k = x[:, : part.size], y[0, :, : part.size]
        inputs = {"q": q, "k": k, "q_positions": part, "k_positions": part[::-1].copy()}
        yield Trial("rope.score", inputs, ladder | rest, short)
        c, s = (
            np.cos(p[:, None] * 0.7 ** np.arange(width // 2)),
            np.sin(p[:, None] * 0.7 ** np.arange(width // 2)),
        )
        if short:
            c, s = c.astype(np.float32).astype(float), s.astype(np.float32).astype(float)
        turn = {"pairing_in": pairing, "pairing_out": ("half", "adjacent")[n // 2 % 2], "rotary_start": n % 3}
        yield Trial("rope.rotate", {"x": x, "cos": c, "sin": s}, turn, short)
        if not short:
            continue
        w = base ** (-2.0 * np.arange(width // 2) / width)
        w = w if n % 2 else w.astype(np.float32).astype(float)
        yield Trial("rope.inv_freq", {}, ladder)
        for where in (p, p[::2] / 16.0):
            table = {"positions": where, "inv_freq": w}
            yield Trial("rope.cos_sin", table, {"attention_factor": (1.0, 1.1386294361119891)[n % 2]})
        near, q, k = p[::3] / 16.0, x[:, ::3], y[..., ::3, :]
        yield Trial("rope.apply", {"x": q, "positions": near}, ladder | rest)
        yield Trial("rope.apply_qk", {"q": q, "k": k, "positions": p[::3]}, ladder | rest)
        if width < 100:
            yield Trial("rope.matrix", {"positions": p[:5]}, ladder | {"pairing": pairing})


def other_trials(short):
    r = np.random.default_rng(11 + short)
    if short:
        for n, (width, base) in enumerate(WIDTHS):
            p = places(r, 2)
            layout = ("interleaved", "sin_cos", "cos_sin")[n % 3]
            ladder = {"dim": width, "base": base, "denominator": ("dim", "count_minus_1")[n % 2]}
            yield Trial("sinusoidal.inv_freq", {}, ladder)
            odd = ladder | {"dim": width + 1, "layout": layout, "odd": "zero_pad"}
            yield Trial("sinusoidal.encode", {"positions": p}, odd)
            even = ladder | {"layout": layout, "odd": "error"}
            yield Trial("sinusoidal.encode", {"positions": p[::3] / 8.0}, even)
            if width < 100:
                yield Trial("sinusoidal.shift_matrix", {}, ladder | {"layout": layout, "offset": int(p[n])})
    for heads, bias_max in ((1, 8.0), (8, 8.0), (12, 8.0), (16, 8.0), (64, 8.0), (71, 8.0), (20, 8.1)):
        share = {"num_heads": heads, "bias_max": bias_max, "head_start": heads // 3, "head_count": None}
        slopes = Trial("alibi.slopes", {}, share | {"head_start": 0})
        yield slopes
        yield Trial("alibi.slopes", {}, share)
        given = truth(slopes)["slopes"]
        given = given.astype(np.float32).astype(float) if short else given
        q, k = np.array([0, 5, 300, 2049, -7]), np.array([1, 257, 2048, 65000, 3])
        table = {"q_positions": q, "k_positions": k, "slopes": given}
        form = ("neg_distance", "neg_abs", "key_index")[heads % 3]
        yield Trial("alibi.bias", table, {"form": form, "future": ("keep", "neg_inf")[heads % 2]})
    yield from attention_trials(r, short)


def attention_trials(r, short):
    for width, keys in ((1, 1), (8, 3), (64, 40), (128, 64)):
        q, k, v = (exactly(r, (1, n, d), short) for n, d in ((5, width), (keys, width), (keys, 4)))
        scale = {"scale": width**-0.5}
        yield Trial("attention.scores", {"q": q, "k": k}, scale, short)
        bias = np.round(-0.5 * np.arange(keys)[::-1] * 4) / 4 + np.zeros((5, keys))
        bias[:, keys // 2 + 1 :: 3] = -np.inf
        mask = np.ones((5, keys), dtype=bool)
        mask[:2, 1::2] = False
        tensors = {"q": q, "k": k, "v": v, "bias": bias, "mask": mask}
        yield Trial("attention.output", {n: tensors[n] for n in ("q", "k", "v")}, scale, short)
        yield Trial("attention.output", tensors, scale, short)


def tiny_trials():
    """Yield inputs near the bottom of float16, where products are subnormal."""
    r = np.random.default_rng(13)
    x = r.integers(-100, 100, (1, 4, 8)) * 2.0**-24
    p = np.array([0, 3, 50, 9000])
    rest = {
        "rotary_dim": 6,
        "base": 1e7,
        "pairing": "half",
        "rotary_start": 1,
        "scaling": None,
        "seq_len": None,
    }
    yield Trial("rope.apply", {"x": x, "positions": p}, rest)
    large = exactly(r, (1, 4, 8), True)
    yield Trial("rope.score", {"q": x, "k": large, "q_positions": p, "k_positions": p[::-1].copy()}, rest)
    yield Trial("attention.scores", {"q": x, "k": large}, {"scale": 0.35})
    yield Trial("attention.output", {"q": large, "k": large, "v": x}, {"scale": 2.0})
    table = {"positions": p, "inv_freq": np.array([2.0**-13, 2.0**-20 * 1.25])}
    yield Trial("rope.cos_sin", table, {"attention_factor": 1.25})
    turn = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 0}
    tables = {
        "cos": 2.0 ** -r.integers(1, 20, (4, 3)) * 1.125,
        "sin": 2.0 ** -r.integers(1, 20, (4, 3)) * 1.375,
    }
    yield Trial("rope.rotate", {"x": x} | tables, turn)
    places_ = {"q_positions": p, "k_positions": p // 2, "slopes": np.array([2.0**-17 * 1.3, 2.0**-26 * 1.7])}
    yield Trial("alibi.bias", places_, {"form": "neg_distance", "future": "keep"})


@cache
def trials():
    """Return every trial."""
    groups = [group(short) for short in (True, False) for group in (rope_trials, other_trials)]
    return tuple(trial for group in (*groups, tiny_trials()) for trial in group)


def figures(pipelines, trials):
    """Return (rejections, {(claim, dtype, operation, output): max(error / bound)}) over honest pipelines.

    `pipelines` are (claim, pipeline, least base); half precision gets only what is exact in it.
    """
    refused, most = [], defaultdict(float)
    for claim, pipeline, least in pipelines:
        narrow = pipeline.work not in ("float32", "float64") or pipeline.out not in ("float32", "float64")
        for trial in trials:
            if trial.base < least or (narrow and not trial.short):
                continue
            function = getattr(pipeline, trial.operation.replace(".", "_"))
            got = outputs(function(*trial.tensors(), **trial.params))
            for name, (error, limit, fine, vain) in judged(trial, claim, got, pipeline.out).items():
                if not fine.all():
                    refused.append((claim, pipeline.name, trial.operation, name, trial.params))
                ratio = np.divide(error, limit, out=np.zeros(error.shape), where=~vain & (limit > 0))
                key = claim, pipeline.out, trial.operation, name
                most[key] = max(most[key], float(ratio.max(initial=0)))
    return refused, dict(most)


def by_operation(figures):
    """Return the same with the outputs of an operation taken together: the largest ratio of any."""
    refused, most = figures
    found = defaultdict(float)
    for (*key, _), ratio in most.items():
        found[tuple(key)] = max(found[tuple(key)], ratio)
    return refused, dict(found)
