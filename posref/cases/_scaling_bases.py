"""Cases of ``rope_scaling.linear``, ``ntk``, ``dynamic`` and ``proportional``."""

from collections.abc import Iterator
from math import inf

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._scaling_common import refused_domains
from posref.operation import Case, Group, Tensor


@complete
def linear() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.linear``."""
    yield from grouped("rope_scaling.linear", _linear())
    base = Baseline("rope_scaling.linear", {"inv_freq": tensor("float32", (1.0, 0.25))}, {"factor": 2.0})
    yield from refused_domains(base)

    def refuse(name: str, kind: str, clause: str, comment: str, value: Tensor) -> Group:
        return base.refuse(name, (kind, "inv_freq"), clause, comment, inputs={"inv_freq": value})

    row = tensor("float32", (1.0, 0.5, 0.25), (1, 3))
    yield refuse("rank", "INVALID_SHAPE", "rope_scaling.C2", "Frequencies as a row.", row)
    yield refuse("empty", "INVALID_SHAPE", "rope_scaling.C2", "No frequency.", tensor("float32", ()))
    infinite = tensor("float32", (1.0, inf))
    yield refuse("infinite-frequency", "INVALID_PARAMETER", "conventions.C3", "1/0.", infinite)
    yield refuse("integer-frequency", "INVALID_DTYPE", "conventions.C3", "Integers.", integers((1, 2)))


def _interpolated(
    name: str, comment: str, factor: float, given: Tensor | tuple[int, Kind], *flags: str
) -> Row:
    case_id = f"rope-scaling-linear-s{slug(factor)}-{name}"
    if not isinstance(given, Tensor):
        given = draw(case_id, "inv_freq", (given[0],), given[1])
    return {"factor": factor}, Case(case_id, comment, {"inv_freq": given}, ("rope_scaling.C2",), flags)


def _linear() -> Iterator[Row]:
    most = (
        "scaling-ignored",
        "interpolation-direction",
        "interpolated-exponent",
        "interpolation-first",
        "factor-fixed",
    )
    tenths = tensor("float64", (1.0, 0.1, 0.01, 0.001))
    yield _interpolated("tenths", "The worked example: 1/4, 1/40, 1/400, 1/4000.", 4.0, tenths, *most)
    yield _interpolated(
        "report", "The frequencies of the report, 1 and 1/100.", 2.0, tensor("float64", (1.0, 0.01)), *most
    )
    third = "A factor that is no power of two: every quotient rounds."
    yield _interpolated("drawn-f32", third, 3.0, (32, "float32"), *most)
    yield _interpolated("drawn-f64", third, 2.7, (40, "float64"), *most)
    plain = tensor("float32", (1.0, 0.25, 0.125))
    yield _interpolated("nothing", "A factor of 1 changes nothing.", 1.0, plain, "factor-1")
    yield _interpolated("one", "A single frequency.", 8.0, tensor("float32", (0.5,)), "scaling-ignored")
    signed = tensor("float64", (0.0, -0.3, 2.5))
    yield _interpolated(
        "any",
        "Frequencies of no ladder: zero, negative, above 1.",
        5.5,
        signed,
        "scaling-ignored",
        "interpolation-direction",
    )
    yield _interpolated("large", "A factor of 1024.", 1024.0, (16, "float32"), *most)


@complete
def ntk() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.ntk``."""
    yield from grouped("rope_scaling.ntk", _ntk())
    base = Baseline("rope_scaling.ntk", {}, {"rotary_dim": 8, "base": 10000.0, "factor": 4.0})
    yield from refused_domains(base)
    text = "The exponent divides by the width less 2."
    yield base.refuse("width-2", ("INVALID_PARAMETER", "rotary_dim"), "rope_scaling.C3", text, rotary_dim=2)


def _rebased(width: int, base: float, factor: float, comment: str, *flags: str) -> Row:
    case_id = f"rope-scaling-ntk-w{width}-b{slug(base)}-s{slug(factor)}"
    params = {"rotary_dim": width, "base": base, "factor": factor}
    return params, Case(case_id, comment, {}, ("rope_scaling.C3",), flags)


def _ntk() -> Iterator[Row]:
    most = ("scaling-ignored", "base-exponent", "base-factor", "interpolation-for-base", "factor-fixed")
    yield _rebased(8, 10000.0, 4.0, "The worked example.", *most)
    yield _rebased(4, 10000.0, 4.0, "Two pairs: 1, and exactly 1/400.", *most)
    yield _rebased(6, 500000.0, 2.5, "Three pairs, factors that do not divide.", *most)
    yield _rebased(16, 160000.5, 3.0, "A base that is no integer.", *most)
    yield _rebased(64, 10000.0, 2.0, "A usual head.", *most)
    yield _rebased(80, 1e7, 32.0, "A width that is no power of two.", *most)
    yield _rebased(96, 10000.0, 1024.0, "A very large factor.", *most)
    yield _rebased(128, 10000.0, 4.0, "The model of the report.", *most)
    yield _rebased(32, 500000.0, 1.0, "A factor of 1 changes nothing.", "factor-1")


@complete
def dynamic() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.dynamic``."""
    yield from grouped("rope_scaling.dynamic", _dynamic())
    params = {"rotary_dim": 8, "base": 10000.0, "factor": 2.0}
    params |= {"original_max_position_embeddings": 4096, "seq_len": 8192}
    base = Baseline("rope_scaling.dynamic", {}, params)
    yield from refused_domains(base)
    text = "The exponent divides by the width less 2."
    yield base.refuse("width-2", ("INVALID_PARAMETER", "rotary_dim"), "rope_scaling.C4", text, rotary_dim=2)
    text = "Null is not given: no length is guessed."
    yield base.refuse("no-length", ("MISSING_PARAMETER", "seq_len"), "rope_scaling.C4", text, seq_len=None)
    wrong = ("INVALID_PARAMETER", "seq_len")
    yield base.refuse("float-length", wrong, "conventions.C6", "A length is an integer.", seq_len=8192.0)


def _at_length(model: tuple[int, float, float, int], seq_len: int, comment: str, *flags: str) -> Row:
    width, base, factor, length = model
    case_id = f"rope-scaling-dynamic-w{width}-b{slug(base)}-s{slug(factor)}-l{length}-n{seq_len}"
    params = {"rotary_dim": width, "base": base, "factor": factor}
    params |= {"original_max_position_embeddings": length, "seq_len": seq_len}
    return params, Case(case_id, comment, {}, ("rope_scaling.C4",), flags)


def _dynamic() -> Iterator[Row]:
    beyond = ("scaling-ignored", "dynamic-growth", "base-exponent", "factor-fixed")
    small, report = (8, 10000.0, 2.0, 4096), (128, 10000.0, 4.0, 2048)
    yield _at_length(
        small, 4096, "At the trained length nothing changes.", "length-threshold", "dynamic-constant"
    )
    yield _at_length(
        small,
        4097,
        "One token beyond it.",
        "length-threshold",
        "dynamic-constant",
    )
    text = "The worked example; the constant rule agrees here by accident."
    yield _at_length(small, 8192, text, *beyond)
    yield _at_length(small, 16384, "The worked example.", *beyond, "dynamic-constant")
    yield _at_length(report, 4096, "The model of the report: m is 5, not 13.", *beyond, "dynamic-constant")
    short = ("dynamic-below", "dynamic-constant")
    yield _at_length((64, 10000.0, 2.0, 2048), 1536, "A short input: the base must not shrink.", *short)
    yield _at_length((6, 500000.0, 3.5, 2048), 100, "Far below the trained length.", "dynamic-constant")
    yield _at_length(
        (16, 160000.5, 6.0, 3000), 12345, "Lengths that do not divide.", *beyond, "dynamic-constant"
    )
    yield _at_length((80, 1e7, 1.5, 32768), 2**20 + 1, "A very long input.", *beyond, "dynamic-constant")
    text = "A factor of 1 grows with the length all the same."
    yield _at_length((32, 10000.0, 1.0, 2048), 3000, text, "factor-1", "scaling-ignored", "dynamic-constant")
    yield _at_length(
        (4, 10000.0, 1024.0, 100), 101, "A factor that cancels.", "dynamic-constant", "base-exponent"
    )


@complete
def proportional() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.proportional``."""
    yield from grouped("rope_scaling.proportional", _proportional())
    params = {"head_dim": 8, "base": 10000.0, "partial_rotary_factor": 0.5, "factor": 2.0}
    base = Baseline("rope_scaling.proportional", {}, params)
    yield from refused_domains(base, "head_dim")
    share = ("INVALID_PARAMETER", "partial_rotary_factor")
    yield base.refuse("share-0", share, "rope_scaling.C11", "Nothing would turn.", partial_rotary_factor=0.0)
    text = "More than the head has."
    yield base.refuse("share-above-1", share, "rope_scaling.C11", text, partial_rotary_factor=1.5)
    missing = ("MISSING_PARAMETER", "partial_rotary_factor")
    text = "Null is not given."
    yield base.refuse("no-share", missing, "conventions.C6", text, partial_rotary_factor=None)


def _shared(width: int, base: float, share: float, factor: float, comment: str, *flags: str) -> Row:
    case_id = f"rope-scaling-proportional-w{width}-b{slug(base)}-p{slug(share)}-s{slug(factor)}"
    params = {"head_dim": width, "base": base, "partial_rotary_factor": share, "factor": factor}
    return params, Case(case_id, comment, {}, ("rope_scaling.C11",), flags)


def _proportional() -> Iterator[Row]:
    most = ("proportional-partial", "proportional-width", "proportional-rest")
    yield _shared(8, 10000.0, 0.5, 1.0, "The worked example: 1, 1/10, 0, 0.", *most, "factor-1")
    yield _shared(8, 10000.0, 0.5, 4.0, "The same, divided.", *most, "scaling-ignored")
    text = "A quarter of a wide head, as published."
    yield _shared(64, 1e6, 0.25, 1.0, text, *most, "factor-1", "fixed-base")
    yield _shared(
        80,
        500000.0,
        0.6,
        2.5,
        "48 of 80, by a product that rounds up to 48.",
        *most,
        "scaling-ignored",
        "fixed-base",
    )
    text = "57.99999999999999 of 100 coordinates: truncated to 57, 28 pairs, and not rounded to 58."
    yield _shared(100, 10000.0, 0.58, 1.0, text, *most, "width-rounding", "factor-1")
    yield _shared(12, 1e7, 0.9, 3.0, "10.8 of 12: 5 pairs.", *most, "scaling-ignored", "fixed-base")
    yield _shared(
        10,
        160000.5,
        0.5,
        8.0,
        "5 of 10: 2 pairs, half a pair is none.",
        *most,
        "scaling-ignored",
        "fixed-base",
    )
    yield _shared(
        6, 500000.0, 1.0, 8.0, "The whole head: only the divisor is left.", "scaling-ignored", "fixed-base"
    )
    yield _shared(2, 10000.0, 1.0, 4.0, "One pair, at 1/4.", "width-2", "scaling-ignored")
    yield _shared(2, 10000.0, 0.5, 4.0, "One pair, at rest.", "width-2", "proportional-rest")
