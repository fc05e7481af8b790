"""The encodings whose properties the site reports, each as something one can evaluate at positions."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import posref

TRAINED = 64
WIDTH = 32
BASE = 10000.0
SEED = 5

FREE = "trained numbers, no formula"


@dataclass(frozen=True)
class Encoding:
    """One encoding: `rows` or a `turn` of a position, or the `bias` of query and key positions."""

    scheme: str
    label: str
    rows: Callable[[np.ndarray], np.ndarray] | None = None
    turn: Callable[[np.ndarray], np.ndarray] | None = None
    bias: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    reasons: dict[str, str] = field(default_factory=dict)


def sinusoid(t: np.ndarray) -> np.ndarray:
    """Return rows of the sinusoidal encoding."""
    return posref.sinusoidal.encode(t, dim=WIDTH, base=BASE, denominator="dim", layout="sin_cos", odd="error")


def plane(t: np.ndarray) -> np.ndarray:
    """Return two-dimensional encodings along the line (t, 2 t)."""
    return posref.sincos2d.encode(
        t, 2 * t, dim=WIDTH, base=BASE, denominator="dim", axis_order="x_first", layout="axis_major"
    )


def steps(t: np.ndarray) -> np.ndarray:
    """Return embeddings of timesteps."""
    times = np.asarray(t, dtype=np.float64)
    return posref.timestep.encode(
        times, dim=WIDTH, max_period=BASE, freq_shift=0.0, flip_sin_to_cos=True, scale=1.0, odd="error"
    )


def features(t: np.ndarray) -> np.ndarray:
    """Return Fourier features of t over the trained length, for frequencies drawn once."""
    weights = np.random.default_rng(SEED).normal(size=(1, WIDTH // 2))
    points = np.asarray(t, dtype=np.float64)[:, None] / TRAINED
    return posref.fourier.encode(points, weights, two_pi=True, include_input=False)


def table(t: np.ndarray) -> np.ndarray:
    """Return rows of a table that ends with the trained length."""
    rows = np.random.default_rng(SEED).normal(size=(TRAINED, WIDTH))
    return posref.learned.lookup(rows, t)


def factor(t: np.ndarray) -> np.ndarray:
    """Return the query scale of Llama 4 with a short step."""
    return posref.temperature.scale(t, beta=0.1, floor_scale=8, plus_one=True)[:, None]


def turned(function: Callable[..., np.ndarray], t: np.ndarray) -> np.ndarray:
    """Return the matrix of each position: what `function` makes of the unit vectors."""
    unit = np.repeat(np.eye(WIDTH)[:, None, :], len(t), axis=1)
    return np.transpose(function(unit, t), (1, 2, 0))


def rope(scaling: dict | None = None, seq_len: int | None = None) -> Callable[[np.ndarray], np.ndarray]:
    """Return the matrices of RoPE under a scaling."""
    named = {"rotary_dim": WIDTH, "base": BASE, "pairing": "half", "scaling": scaling, "seq_len": seq_len}
    return lambda t: turned(lambda x, p: posref.rope.apply(x, p, **named), t)


def tabled(table_of: Callable[[np.ndarray], tuple]) -> Callable[[np.ndarray], np.ndarray]:
    """Return the matrices of a rotation by a table."""

    def rotate(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        cos, sin = table_of(t)
        return posref.rope.rotate(x, cos, sin, pairing_in="half", pairing_out="half")

    return lambda t: turned(rotate, t)


def three_axes(t: np.ndarray) -> tuple:
    """Return the table of M-RoPE along the line (t, t, 2 t)."""
    ladder = posref.rope.inv_freq(rotary_dim=WIDTH, base=BASE)
    axis = posref.mrope.axis_of_channel(mrope_section=(6, 5, 5), arrangement="interleaved")
    return posref.mrope.cos_sin(np.stack([t, t, 2 * t]), ladder, axis)


def two_axes(t: np.ndarray) -> tuple:
    """Return the table of axial RoPE along the line (t, 2 t)."""
    places = np.stack([t, 2 * t], axis=-1)
    return posref.axial_rope.cos_sin(
        places, axis_dims=(WIDTH // 2, WIDTH // 2), base=BASE, frequencies="reset"
    )


def fading(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return keys under xPos."""
    named = {"rotary_dim": WIDTH, "base": BASE, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}
    return posref.xpos.apply(x, t, role="key", pairing="adjacent", **named)


def penalty(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return one head of ALiBi."""
    return posref.alibi.bias(q, k, np.array([0.25]), form="neg_abs", future="keep")[0]


def clipped(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return rows of Shaw's table."""
    return posref.shaw.index(q, k, clip_left=16, clip_right=16)


def bucketed(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return buckets of T5's decoder."""
    relative = posref.positions.relative(q, k)
    return posref.t5.bucket(relative, num_buckets=32, max_distance=128, bidirectional=False)


def disentangled(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return buckets of DeBERTa."""
    relative = -posref.positions.relative(q, k)
    named = {"position_buckets": 32, "max_relative_positions": TRAINED, "clamp_first": True}
    return posref.deberta.bucket(relative, **named)


def distances(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the position term of Transformer-XL for one vector v and sinusoids as rows."""
    listed = np.arange(1 - TRAINED, TRAINED)
    rows, zero = sinusoid(listed)[None], np.zeros((1, WIDTH))
    empty_q, empty_k = np.zeros((1, len(q), WIDTH)), np.zeros((1, len(k), WIDTH))
    v = np.random.default_rng(SEED).normal(size=(1, WIDTH))
    return posref.transformer_xl.scores(empty_q, empty_k, rows, listed, zero, v, q, k, scale=1.0)[0]


def window(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return rows of Swin's table for patches of one line of a window."""
    return posref.swin.index(window=[1, TRAINED])[np.ix_(q, k)]


def scaled(**named: object) -> dict:
    """Return a scaling object by a factor of 8 from the trained length."""
    return {"factor": 8.0, "original_max_position_embeddings": TRAINED, **named}


ONES = [1.0] * (WIDTH // 2)
YARN = {
    "rope_type": "yarn",
    "beta_fast": 8.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "attention_factor": None,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": "log_only",
}
LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LONG = {
    "rope_type": "longrope",
    "short_factor": ONES,
    "long_factor": [1.0 + i / 2 for i in range(WIDTH // 2)],
    "attention_factor": None,
}
PROPORTIONAL = {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 1.0}
ROWS = {"D2": FREE, "D4": FREE}
ONE_SIDED = {"D3": "it multiplies the query alone and relates no two positions"}
TABLE = dict.fromkeys(("D1", "D2", "D3", "D4"), FREE)
WINDOW = {**ROWS, "D5": "a window has no token outside it; a larger one has an index of its own"}

ENCODINGS: tuple[Encoding, ...] = (
    Encoding("sinusoidal", "sinusoidal", rows=sinusoid),
    Encoding("learned", "learned table", rows=table, reasons=TABLE),
    Encoding("sincos2d", "2-D, along (t, 2 t)", rows=plane),
    Encoding("timestep", "timestep", rows=steps),
    Encoding("fourier", "Fourier, 16 drawn frequencies", rows=features),
    Encoding("rope", "RoPE", turn=rope()),
    Encoding("rope_scaling", "linear", turn=rope({"rope_type": "linear", "factor": 8.0})),
    Encoding("rope_scaling", "ntk", turn=rope({"rope_type": "ntk", "factor": 8.0})),
    Encoding("rope_scaling", "dynamic, N fixed", turn=rope(scaled(rope_type="dynamic"), 8 * TRAINED)),
    Encoding("rope_scaling", "yarn", turn=rope(scaled(**YARN))),
    Encoding("rope_scaling", "llama3", turn=rope(scaled(**LLAMA3))),
    Encoding("rope_scaling", "longrope, N fixed", turn=rope(scaled(**LONG), 8 * TRAINED)),
    Encoding("rope_scaling", "proportional", turn=rope(PROPORTIONAL)),
    Encoding("mrope", "M-RoPE, along (t, t, 2 t)", turn=tabled(three_axes)),
    Encoding("axial_rope", "axial, along (t, 2 t)", turn=tabled(two_axes)),
    Encoding("xpos", "xPos, keys", turn=lambda t: turned(fading, t)),
    Encoding("temperature", "temperature", rows=factor, reasons=ONE_SIDED),
    Encoding("alibi", "ALiBi, slope 1/4", bias=penalty),
    Encoding("shaw", "Shaw, clip 16", bias=clipped, reasons=ROWS),
    Encoding("t5", "T5, decoder", bias=bucketed, reasons=ROWS),
    Encoding("deberta", "DeBERTa, 32 buckets", bias=disentangled, reasons=ROWS),
    Encoding("transformer_xl", "Transformer-XL, one v", bias=distances),
    Encoding("swin", "Swin, a line of patches", bias=window, reasons=WINDOW),
)

NO_ENCODING = {
    "attention": "it is what encodings act on, and has none ({prf:ref}`thm-attention-equivariant`)",
    "positions": "it makes the integers that encodings are functions of",
}
"""Schemes of the registry that encode nothing by themselves."""
