"""Scaled rotations: what ``rope.apply``, ``apply_qk`` and ``score`` are tried on with a `scaling`."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from posref.cases._build import Baseline
from posref.cases._draw import Kind
from posref.cases._rope_common import SCALING_KEYS
from posref.operation import Group

Scaling = dict[str, Any]
Given = tuple[int | None, Scaling]
"""Current length, scaling."""

Slice = tuple[int, str, float]
Sizes = tuple[Kind, Any, int, int]
"""Kind, positions, width of the head, first rotated coordinate."""

Row = tuple[str, str, Given, Slice, Sizes, tuple[str, ...]]
"""Name, comment, what is given, slice, sizes, flags."""

YARN: Final = {
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "mscale_rule": "hf",
}
SHORT, LONG = [1.0, 1.0, 1.2, 1.5], [1.0, 2.0, 8.0, 32.0]


def scaling(rope_type: str, **given: Any) -> Scaling:
    """Return a `scaling` object with every key."""
    return {**dict.fromkeys(SCALING_KEYS), "rope_type": rope_type, **given}


def yarn(factor: float, length: int, **given: Any) -> Scaling:
    """Return a YaRN scaling."""
    return scaling("yarn", factor=factor, original_max_position_embeddings=length, **{**YARN, **given})


def longrope(**given: Any) -> Scaling:
    """Return a LongRoPE scaling of four pairs."""
    lists = {"short_factor": SHORT, "long_factor": LONG}
    return scaling("longrope", factor=32.0, original_max_position_embeddings=4096, **lists, **given)


def llama3(factor: float) -> Scaling:
    """Return Llama 3's scaling."""
    edges = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    return scaling("llama3", factor=factor, original_max_position_embeddings=8192, **edges)


FAR: Final = (742, 8191, 80000)
OUT: Final = ("scaling-ignored",)
MAGNITUDE: Final = ("magnitude", "scaling-ignored")
PART: Final = (*MAGNITUDE, "magnitude-rest")


def scaled_rotations() -> Iterator[Row]:
    """Yield the scaled cases of ``rope.apply``."""
    half, adjacent = (8, "half", 10000.0), (8, "adjacent", 500000.0)
    text = "Interpolated by 4: position 8 turns as far as 2 does unscaled."
    yield "linear", text, (None, scaling("linear", factor=4.0)), half, ("bfloat16", (0, 1, 8, 33), 8, 0), OUT
    text = "Another base, a slice of the head."
    ntk = scaling("ntk", factor=3.0)
    yield "ntk", text, (None, ntk), adjacent, ("float32", (5, 300, 4097), 12, 2), (*OUT, "pass-through")
    grown = scaling("dynamic", factor=2.0, original_max_position_embeddings=4096)
    text = "The base of the current length."
    yield "dynamic", text, (8192, grown), half, ("bfloat16", (7, 5000, 8191), 8, 0), (*OUT, "length-ignored")
    text = "Up to the trained length nothing changes."
    yield "dynamic-short", text, (4096, grown), half, ("float32", (7, 4095), 8, 0), ()
    text = "From position 0, where only the magnitude factor acts; the rest of the head passes through."
    yield "yarn", text, (None, yarn(4.0, 4096)), half, ("bfloat16", (0, 3, 700, 16000), 12, 0), PART
    text = "gpt-oss: an unrounded ramp."
    oss = yarn(32.0, 4096, truncate=False)
    yield "yarn-raw", text, (None, oss), (64, "half", 150000.0), ("float32", (9, 131071), 64, 0), MAGNITUDE
    text = "The paper's ramp, full float64."
    turns = yarn(2.5, 2048, ramp="rotations", truncate=None)
    yield "yarn-turns", text, (None, turns), (16, "adjacent", 10000.0), ("float64", (21, 5001), 18, 1), PART
    text = "A factor of its own of 1: only frequencies change."
    own = yarn(40.0, 4096, attention_factor=1.0, mscale_rule=None)
    yield "yarn-own", text, (None, own), half, ("bfloat16", (5, 4096, 131071), 8, 0), OUT
    text = "Llama 3.2's factor."
    yield "llama3", text, (None, llama3(32.0)), (64, "half", 500000.0), ("bfloat16", FAR[1:], 64, 0), OUT
    text = "The same on few pairs."
    yield "llama3", text, (None, llama3(8.0)), (16, "adjacent", 500000.0), ("float64", FAR, 16, 0), OUT
    lists = "The short list at the trained length, its factor at every length."
    yield "longrope-short", lists, (4096, longrope()), half, ("bfloat16", (0, 9, 4095), 10, 2), PART
    text = "The long list one token beyond."
    switched = (*MAGNITUDE, "length-ignored")
    yield "longrope-long", text, (4097, longrope()), half, ("float32", (0, 9, 4096), 8, 0), switched
    text = "Half of the pairs stand still, over all of the head."
    still = scaling("proportional", factor=1.0, partial_rotary_factor=0.5)
    yield (
        "proportional",
        text,
        (None, still),
        half,
        ("bfloat16", (1, 11, 300), 8, 0),
        (*OUT, "proportional-partial"),
    )
    text = "Half of the pairs stand still, the others are divided."
    still = scaling("proportional", factor=8.0, partial_rotary_factor=0.5)
    flags = (*OUT, "proportional-partial")
    yield "proportional-8", text, (None, still), (12, "adjacent", 1e6), ("float32", (5, 8191), 12, 0), flags
    text = "2^53 on a scaled ladder: only float64 can resolve it."
    at = (2**53, 2**53 - 1, -(2**52) - 1)
    yield "yarn-far", text, (None, yarn(4.0, 4096)), half, ("float64", at, 8, 0), MAGNITUDE


def scaled_heads() -> Iterator[Row]:
    """Yield the scaled cases of ``rope.apply_qk``."""
    half = (8, "half", 10000.0)
    text = "The factor on queries and on keys."
    yield (
        "yarn",
        text,
        (None, yarn(4.0, 4096)),
        half,
        ("bfloat16", (0, 3, 700), 10, 0),
        (*PART, "magnitude-queries"),
    )
    text = "Interpolated; queries and keys alike."
    linear = (None, scaling("linear", factor=8.0))
    yield "linear", text, linear, (4, "adjacent", 500000.0), ("float32", (8, 700, 4097), 4, 0), OUT
    text = "The long list."
    flags = (*MAGNITUDE, "magnitude-queries")
    yield "longrope", text, (5000, longrope()), half, ("float64", (9, 4999), 8, 0), flags
    text = "Llama 3.1's factor: the slow half of the pairs is scaled."
    yield "llama3", text, (None, llama3(8.0)), (16, "half", 500000.0), ("bfloat16", (742, 8191), 16, 0), OUT

    text = "The base of the current length, longer than this call."
    grown = scaling("dynamic", factor=2.0, original_max_position_embeddings=2048)
    own = (*OUT, "length-ignored")
    yield "dynamic", text, (9001, grown), half, ("bfloat16", (3, 742, 8999), 8, 0), own
    text = "Half of the pairs stand still, over all of the head."
    still = scaling("proportional", factor=2.0, partial_rotary_factor=0.5)
    own = (*OUT, "proportional-partial")
    yield "proportional", text, (None, still), half, ("bfloat16", (1, 11, 300), 8, 0), own


Places = tuple[Sequence[int], Sequence[int]]


def scaled_scores() -> Iterator[Row]:
    """Yield the scaled cases of ``rope.score``."""
    half = (8, "half", 10000.0)
    near: Places = ((742, 743, 9000), (0, 741, 500, 8999))
    square = (*MAGNITUDE, "magnitude-square")
    text = "The score bears the square of the factor, on the rotated part."
    yield "yarn", text, (None, yarn(64.0, 4096)), half, ("bfloat16", near, 8, 0), (*square, "scaled-keys")
    text = "The rest of the head adds its plain dot product."
    yield (
        "yarn-part",
        text,
        (None, yarn(16.0, 2048)),
        half,
        ("float32", near, 12, 2),
        (*square, "scaled-keys"),
    )
    text = "Cached keys on the same ladder: 742 against 741 is nearly 0 against 0."
    flags = (*OUT, "scaled-keys")
    yield "llama3", text, (None, llama3(8.0)), (16, "adjacent", 500000.0), ("float64", near, 16, 0), flags
    text = "The base of the current length, for queries and for keys."
    grown = scaling("dynamic", factor=2.0, original_max_position_embeddings=2048)
    yield "dynamic", text, (9001, grown), half, ("bfloat16", near, 8, 0), (*flags, "length-ignored")
    text = "The long list."
    yield "longrope", text, (9001, longrope()), half, ("float32", near, 8, 0), (*square, "scaled-keys")
    text = "Half of the pairs stand still, over all of the head."
    still = scaling("proportional", factor=2.0, partial_rotary_factor=0.5)
    places = ((1, 11, 300), (0, 7, 2, 290))
    flags = (*OUT, "proportional-partial")
    yield "proportional", text, (None, still), half, ("bfloat16", places, 8, 0), flags


def refused_scalings(base: Baseline) -> Iterator[Group]:
    """Yield the scalings that a rotary operation of width 8 refuses (rope.C8)."""

    def refuse(name: str, comment: str, given: Any, **rest: Any) -> Group:
        wrong = ("INVALID_PARAMETER", "scaling")
        return base.refuse(f"scaling-{name}", wrong, "rope.C8", comment, scaling=given, **rest)

    linear = scaling("linear", factor=2.0)
    yield refuse("text", "A word is no object.", "linear")
    yield refuse("unknown-key", "A mistyped key.", {**linear, "factors": 2.0})
    text = "A key that the type has not: what is meant?"
    yield refuse("foreign-key", text, {**linear, "beta_fast": 32.0})
    without = {key: value for key, value in linear.items() if key != "factor"}
    yield refuse("no-factor", "No factor.", without)
    yield refuse("null-factor", "A factor of null.", {**linear, "factor": None})
    yield refuse("factor-below-1", "A value that the operation refuses.", {**linear, "factor": 0.5})
    yield refuse("betas", "Betas exchanged.", yarn(4.0, 4096, beta_fast=1.0, beta_slow=32.0))
    yield refuse("no-rule", "Neither factor nor rule.", yarn(4.0, 4096, mscale_rule=None))
    text = "One factor a coordinate instead of one a pair."
    yield refuse("lists", text, {**longrope(), "long_factor": [1.0] * 8}, seq_len=5000)
    yield refuse("list-null", "One list only.", {**longrope(), "short_factor": None}, seq_len=5000)
    for name, wrong in (("number", 1.5), ("empty", []), ("booleans", [True] * 4), ("words", ["1.5"] * 4)):
        text = "A list of numbers, one a pair, is meant."
        yield refuse(f"list-{name}", text, {**longrope(), "short_factor": wrong}, seq_len=9)
    yield refuse("published-name", "A name of older configurations.", {**longrope(), "rope_type": "su"})
    missing = ("MISSING_PARAMETER", "seq_len")
    grown = scaling("dynamic", factor=2.0, original_max_position_embeddings=4096)
    for name, given in (("dynamic", grown), ("longrope", longrope())):
        text = "Null is not given: no length is guessed."
        yield base.refuse(f"{name}-without-length", missing, "rope.C8", text, scaling=given)
