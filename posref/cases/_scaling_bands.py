"""Cases of ``rope_scaling.llama3`` and ``longrope``."""

from collections.abc import Iterator
from math import inf
from typing import Any, Final

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._refused import complete
from posref.cases._scaling_common import LLAMA3, refused_domains
from posref.operation import Case, Group, Tensor


@complete
def llama3() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.llama3``."""
    yield from grouped("rope_scaling.llama3", _llama3())
    params = {"rotary_dim": 8, "base": 10000.0, "factor": 8.0, "original_max_position_embeddings": 8192}
    base = Baseline("rope_scaling.llama3", {}, {**params, **LLAMA3})
    yield from refused_domains(base)
    high, low = (("INVALID_PARAMETER", name) for name in ("high_freq_factor", "low_freq_factor"))
    text = "Edges that meet: there is no band."
    yield base.refuse("edges-equal", high, "rope_scaling.C9", text, high_freq_factor=1.0)
    yield base.refuse(
        "edges-exchanged", high, "rope_scaling.C9", "Edges in the wrong order.", high_freq_factor=0.5
    )
    yield base.refuse("low-edge-0", low, "rope_scaling.C9", "A wavelength without end.", low_freq_factor=0.0)
    missing = ("MISSING_PARAMETER", "low_freq_factor")
    text = "Left out: published defaults are the resolver's."
    yield base.refuse("no-low-edge", missing, "conventions.C6", text, without=("low_freq_factor",))


def _banded(
    width: int, base: float, factor: float, length: int, comment: str, *flags: str, **edges: float
) -> Row:
    bands = {**LLAMA3, **edges}
    name = "".join(f"-{key[0]}{slug(value)}" for key, value in edges.items())
    case_id = f"rope-scaling-llama3-w{width}-b{slug(base)}-s{slug(factor)}-l{length}{name}"
    params = {"rotary_dim": width, "base": base, "factor": factor, **bands}
    params["original_max_position_embeddings"] = length
    return params, Case(case_id, comment, {}, ("rope_scaling.C9",), flags)


def _llama3() -> Iterator[Row]:
    divided = ("scaling-ignored", "interpolation-for-bands")
    band = (*divided, "band-smooth", "band-inverted")
    yield _banded(8, 10000.0, 8.0, 8192, "The worked example; the last pair is in the band.", *band)
    yield _banded(16, 500000.0, 8.0, 8192, "The worked example; one pair in the band.", *band)
    text = "Llama 3.1: pairs 29 to 34 in the band."
    yield _banded(128, 500000.0, 8.0, 8192, text, *band)
    text = "Llama 3.2: a factor of 32; pairs 15 to 17 in the band."
    yield _banded(64, 500000.0, 32.0, 8192, text, *band, "factor-fixed")
    text = "Another trained length: the bands move with it."
    moved = (*band, "trained-length-fixed", "factor-fixed")
    yield _banded(64, 10000.0, 4.0, 2048, text, *moved)
    yield _banded(80, 160000.5, 2.5, 131072, text, *moved)
    text = "Other edges."
    yield _banded(
        32,
        10000.0,
        8.0,
        4096,
        text,
        *band,
        "trained-length-fixed",
        low_freq_factor=2.0,
        high_freq_factor=16.0,
    )
    text = "The second pair turns 4 - 6.5e-6 times: just inside the band."
    yield _banded(4, 1e8, 8.0, 251327, text, "band-edge", "interpolation-for-bands", "band-inverted")
    text = "It turns 4 + 9.4e-6 times: kept."
    yield _banded(4, 1e8, 8.0, 251328, text, "band-edge", "interpolation-for-bands")
    text = "It turns 1 - 1.4e-5 times: divided."
    yield _banded(4, 1e8, 16.0, 62831, text, "band-edge", "scaling-ignored", "factor-fixed")
    text = "It turns 1 + 2.3e-6 times: just inside the band."
    yield _banded(4, 1e8, 16.0, 62832, text, "band-edge", "scaling-ignored", "band-smooth")
    text = "All pairs divided: a trained length of 1."
    yield _banded(6, 500000.0, 3.0, 1, text, "scaling-ignored", "factor-fixed")
    yield _banded(16, 10000.0, 1.0, 8192, "A factor of 1 changes nothing.", "factor-1", "factor-fixed")


@complete
def longrope() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.longrope``."""
    yield from grouped("rope_scaling.longrope", _longrope())
    inputs = {"short_factor": tensor("float32", (1.0, 1.25)), "long_factor": tensor("float32", (1.0, 4.0))}
    params: dict[str, Any] = {"rotary_dim": 4, "base": 10000.0, "factor": 32.0}
    params |= {"original_max_position_embeddings": 4096, "seq_len": 10, "attention_factor": None}
    base = Baseline("rope_scaling.longrope", inputs, params)
    yield from _refused_domains(base)
    text = "Null is not given: no length is guessed."
    yield base.refuse("no-length", ("MISSING_PARAMETER", "seq_len"), "rope_scaling.C10", text, seq_len=None)
    yield from _refused_lists(base)
    factor = ("INVALID_PARAMETER", "attention_factor")
    yield base.refuse(
        "attention-factor-0", factor, "rope_scaling.C10", "It would vanish.", attention_factor=0.0
    )


def _refused_domains(base: Baseline) -> Iterator[Group]:
    """Yield what the others refuse, but for a factor below 1, which counts as 1 here."""
    for group in refused_domains(base):
        if group.name != "invalid-factor-below-1":
            yield group
    wrong = ("INVALID_PARAMETER", "factor")
    yield base.refuse("factor-0", wrong, "rope_scaling.C10", "A target of no token.", factor=0.0)
    length = "original_max_position_embeddings"
    short: dict[str, Any] = {length: 1}
    text = "The logarithm of the trained length would be 0."
    yield base.refuse("trained-length-1", ("INVALID_PARAMETER", length), "rope_scaling.C10", text, **short)


def _refused_lists(base: Baseline) -> Iterator[Group]:
    def refuse(
        name: str, kind: str, parameter: str, comment: str, value: Tensor, clause: str = "rope_scaling.C10"
    ) -> Group:
        return base.refuse(name, (kind, parameter), clause, comment, inputs={parameter: value})

    three = tensor("float32", (1.0, 2.0, 3.0))
    text = "A list for the head where half of it is meant."
    yield refuse("long-list", "INVALID_SHAPE", "long_factor", text, three)
    both = {"short_factor": three, "long_factor": three}
    text = "Both lists too long."
    yield base.refuse("lists", ("INVALID_SHAPE", "short_factor"), "rope_scaling.C10", text, inputs=both)
    zero = tensor("float32", (1.0, 0.0))
    yield refuse("zero-in-list", "INVALID_PARAMETER", "long_factor", "A division by 0.", zero)
    negative = tensor("float32", (-1.0, 2.0))
    yield refuse("negative-in-list", "INVALID_PARAMETER", "short_factor", "A pair turned back.", negative)
    infinite = tensor("float32", (1.0, inf))
    yield refuse(
        "infinite-in-list", "INVALID_PARAMETER", "long_factor", "A pair at rest.", infinite, "conventions.C3"
    )
    yield refuse(
        "integer-list", "INVALID_DTYPE", "short_factor", "Integers.", integers((1, 2)), "conventions.C3"
    )


SHORT: Final = tensor("float64", (1.0, 1.0, 1.2, 1.5))
LONG: Final = tensor("float64", (1.0, 2.0, 8.0, 32.0))
Model = tuple[float, float, int]
"""Base, factor, trained length."""


def _listed(
    name: str,
    comment: str,
    lists: tuple[Tensor, Tensor],
    model: Model,
    seq_len: int,
    *flags: str,
    given: float | None = None,
) -> Row:
    base, factor, length = model
    width = 2 * lists[0].shape[0]
    case_id = f"rope-scaling-longrope-w{width}-{name}"
    params: dict[str, Any] = {"rotary_dim": width, "base": base, "factor": factor}
    params |= {"original_max_position_embeddings": length, "seq_len": seq_len, "attention_factor": given}
    inputs = dict(zip(("short_factor", "long_factor"), lists, strict=True))
    flags = (*flags, "short-list" if seq_len > length else "long-list")
    return params, Case(case_id, comment, inputs, ("rope_scaling.C10",), flags)


def growing(count: int, top: float, dtype: str) -> tuple[Tensor, Tensor]:
    """Return lists like published ones: near 1 first, growing to `top`."""
    bits = 23 if dtype == "float32" else 52
    steps = [1 + (top - 1) * (i / count) ** 2 for i in range(count)]
    rounded = [round(step * 2 ** (bits - 6)) / 2 ** (bits - 6) for step in steps]
    near = [1 + (step - 1) / 16 for step in rounded]
    near = [round(step * 2 ** (bits - 6)) / 2 ** (bits - 6) for step in near]
    kind: Any = dtype
    return tensor(kind, near), tensor(kind, rounded)


def _longrope() -> Iterator[Row]:
    model: Model = (10000.0, 32.0, 4096)
    both = ("scaling-ignored", "magnitude", "magnitude-root")
    lists = (SHORT, LONG)
    at = ("length-threshold", *both)
    yield _listed(
        "at", "At the trained length the short list still holds.", lists, model, 4096, *at, "length-switch"
    )
    yield _listed("beyond", "One token beyond it: the long list.", lists, model, 4097, *at)
    yield _listed("near", "A short input in a long allocation.", lists, model, 10, *both)
    yield _listed("far", "At the target length.", lists, model, 131072, *both)
    text = "ln 512 / ln 65536 = 9/16: the factor is 1.25 exactly."
    yield _listed("exact", text, lists, (10000.0, 512.0, 65536), 65537, *both)
    single = growing(48, 64.0, "float32")
    text = "Factors as float32, a width that is no power of two."
    yield _listed("f32-short", text, single, (10000.0, 32.0, 4096), 4000, *both)
    yield _listed("f32-long", text, single, (10000.0, 32.0, 4096), 5000, *both)
    double = growing(32, 40.0, "float64")
    text = "Factors in full float64, a base that is no integer."
    yield _listed(
        "f64-short",
        text,
        double,
        (160000.5, 16.0, 8192),
        8192,
        *both,
        "length-switch",
        "fixed-base",
    )
    yield _listed("f64-long", text, double, (160000.5, 16.0, 8192), 8193, *both, "fixed-base")
    given = ("magnitude", "magnitude-given")
    yield _listed("given", "A factor of the configuration's own.", lists, model, 5000, *given, given=1.1)
    text = "A factor of 1 of its own: nothing is multiplied."
    yield _listed("given-1", text, lists, model, 9, "magnitude-given", given=1.0)
    pair = (tensor("float32", (1.5,)), tensor("float32", (6.0,)))
    yield _listed(
        "pair",
        "One pair: the first frequency is divided as well.",
        pair,
        (500000.0, 4.0, 2048),
        3000,
        *both,
    )
    yield _listed(
        "shorter",
        "A factor below 1 counts as 1.",
        lists,
        (10000.0, 0.5, 4096),
        5000,
        "factor-1",
    )
    yield _listed("barely", "A factor below 2.", lists, (10000.0, 1.5, 4096), 5000, *both)
    yield _listed(
        "factor-1",
        "A factor of 1: no magnitude.",
        lists,
        (500000.0, 1.0, 4096),
        5000,
        "factor-1",
        "fixed-base",
    )
    yield _listed("length-2", "The shortest trained length.", lists, (10000.0, 3.0, 2), 3, *both)
