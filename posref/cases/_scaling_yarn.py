"""Cases of ``rope_scaling.yarn``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped, slug
from posref.cases._refused import complete
from posref.cases._scaling_common import YARN, refused_domains
from posref.operation import Case, Group

Model = tuple[int, float, float, int]
"""Rotated width, base, factor, trained length."""

MAGNITUDE = ("magnitude", "magnitude-logarithm")


@complete
def yarn() -> Iterator[Group]:
    """Yield the cases of ``rope_scaling.yarn``."""
    yield from grouped("rope_scaling.yarn", _values())
    params: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0, "factor": 4.0}
    params |= {"original_max_position_embeddings": 4096, **YARN}
    base = Baseline("rope_scaling.yarn", {}, params)
    yield from refused_domains(base)
    yield from _refused_ramps(base)
    yield from _refused_magnitudes(base)


def _case(
    name: str,
    comment: str,
    model: Model,
    *flags: str,
    clauses: tuple[str, ...] = ("rope_scaling.C5", "rope_scaling.C7"),
    **given: Any,
) -> Row:
    width, base, factor, length = model
    case_id = f"rope-scaling-yarn-w{width}-b{slug(base)}-s{slug(factor)}-l{length}-{name}"
    params = {"rotary_dim": width, "base": base, "factor": factor}
    params |= {"original_max_position_embeddings": length, **YARN, **given}
    return params, Case(case_id, comment, {}, clauses, flags)


def _values() -> Iterator[Row]:
    yield from _ramps()
    yield from _ends()
    yield from _turns()
    yield from _magnitudes()


def _ramps() -> Iterator[Row]:
    most = (
        "scaling-ignored",
        "ramp-inverted",
        "ramp-betas",
        "interpolation-for-bands",
        "scale-in-power",
        *MAGNITUDE,
    )
    rounded = ("ramp-rounded", "ramp-form")
    text = "The worked example: the ramp runs from pair 1 to pair 3."
    yield _case("index", text, (8, 10000.0, 4.0, 4096), *most, "ramp-unrounded", "ramp-form")
    text = "The same with its ends left as they are, 1.31 and 2.81."
    yield _case("raw", text, (8, 10000.0, 4.0, 4096), *most, *rounded, truncate=False)
    wide, raw = (16, 10000.0, 8.0, 2048), "The worked example, ends as they are."
    yield _case(
        "index",
        "The worked example, 8 pairs.",
        wide,
        *most,
        "ramp-unrounded",
        "ramp-form",
    )
    yield _case("raw", raw, wide, *most, *rounded, truncate=False)
    text = "gpt-oss: a ramp from pair 8.09 to 17.40 that must not be rounded."
    yield _case("raw", text, (64, 150000.0, 32.0, 4096), *most, *rounded, truncate=False)
    text = "The same model with a rounded ramp."
    yield _case("index", text, (64, 150000.0, 32.0, 4096), *most, "ramp-unrounded", "ramp-form")
    text = "DeepSeek's rotary width, factor and lengths."
    yield _case("index", text, (64, 10000.0, 40.0, 4096), *most, "ramp-unrounded")
    text = "A width that is no power of two, a factor that does not divide."
    yield _case("index", text, (80, 1e7, 6.5, 32768), *most, "ramp-unrounded")
    yield _case("raw", text, (96, 160000.5, 3.7, 8192), *most, *rounded, truncate=False)
    text = "Other betas."
    yield _case("betas", text, (32, 10000.0, 8.0, 4096), *most, beta_fast=16.5, beta_slow=2.0)
    text = "A weight of one half for kept frequencies: no frequency is kept whole."
    yield _case("half", text, (8, 10000.0, 4.0, 4096), *most, "extrapolation", extrapolation_factor=0.5)
    text = "Nothing is kept: plain interpolation."
    flags = ("scaling-ignored", "extrapolation", "scale-in-power", *MAGNITUDE)
    yield _case("zero", text, (6, 500000.0, 3.0, 4096), *flags, extrapolation_factor=0.0)


def _ends() -> Iterator[Row]:
    flags = ("ramp-end", "scaling-ignored", *MAGNITUDE)
    text = "The report: the fast end lies before pair 0 and is moved there."
    yield _case("low-end", text, (8, 10000.0, 4.0, 64), *flags, "ramp-unrounded", "ramp-betas")
    text = "It lies 0.99 before pair 0 and is not rounded, but moved all the same."
    yield _case("raw-low-end", text, (16, 10000.0, 4.0, 64), *flags, truncate=False)
    text = "The slow end lies beyond the last pair; only the width less 1 stops it."
    beyond = ("ramp-end", "ramp-clamp", "scaling-ignored", *MAGNITUDE)
    yield _case("high-end", text, (64, 10000.0, 4.0, 131072), *beyond, "ramp-betas")
    text = "It lies beyond the width too, and is moved to the width less 1."
    yield _case("clamped", text, (6, 10.0, 4.0, 300), *beyond)
    text = "Both ends are moved to pair 0: they meet, and 0.001 lies between."
    yield _case("meeting", text, (4, 10000.0, 4.0, 5), "ramp-end", "scaling-ignored", *MAGNITUDE)
    yield _case("nothing", "A factor of 1 is plain RoPE.", (16, 10000.0, 1.0, 4096), "factor-1")
    text = "One pair, kept: it turns 652 times."
    yield _case(
        "pair", text, (2, 10000.0, 4.0, 4096), "ramp-end", *MAGNITUDE, beta_slow=20.0, beta_fast=900.0
    )


def _turns() -> Iterator[Row]:
    clauses = ("rope_scaling.C6", "rope_scaling.C7")
    most = ("scaling-ignored", "ramp-betas", "ramp-inverted", "ramp-form", *MAGNITUDE)
    given: dict[str, Any] = {"ramp": "rotations", "truncate": None}
    text = "The worked example by the paper's ramp."
    yield _case("turns", text, (8, 10000.0, 4.0, 4096), *most, clauses=clauses, **given)
    text = "A wide head by the paper's ramp."
    yield _case("turns", text, (64, 150000.0, 32.0, 4096), *most, clauses=clauses, **given)
    text = "The paper's ramp with a weight for kept frequencies."
    weight = (*most, "extrapolation")
    yield _case(
        "turns-weight",
        text,
        (16, 10000.0, 6.5, 2048),
        *weight,
        clauses=clauses,
        extrapolation_factor=0.7,
        **given,
    )


def _magnitudes() -> Iterator[Row]:
    clauses, model = ("rope_scaling.C8",), (8, 10000.0, 40.0, 4096)
    text = "Both coefficients, both rules alike."
    flags = ("magnitude", "magnitude-logarithm", "magnitude-coefficients")
    pair = {"mscale": 0.707, "mscale_all_dim": 1.0}
    yield _case("hf-both", text, model, *flags, clauses=clauses, **pair)
    yield _case("ratio-both", text, model, *flags, clauses=clauses, mscale_rule="ratio", **pair)
    text = "Equal coefficients: the factor is 1, whatever they are."
    equal = ("magnitude-coefficients",)
    yield _case("hf-equal", text, model, *equal, clauses=clauses, mscale=0.707, mscale_all_dim=0.707)
    text = "A coefficient of 0 is unset by this rule: 1.36889."
    zero = {"mscale": 0.707, "mscale_all_dim": 0.0}
    rule = ("magnitude", "magnitude-rule", "magnitude-logarithm")
    yield _case("hf-zero", text, model, *rule, clauses=clauses, **zero)
    text = "A coefficient of 0 is a value by this rule: 1.26080."
    values = ("magnitude", "magnitude-rule", "magnitude-coefficients")
    yield _case("ratio-zero", text, model, *values, clauses=clauses, mscale_rule="ratio", **zero)
    text = "Only one coefficient: the rule takes neither."
    yield _case("hf-one", text, model, "magnitude", "magnitude-logarithm", clauses=clauses, mscale=2.0)
    text = "The logarithm alone."
    yield _case("log", text, model, *MAGNITUDE, clauses=clauses, mscale_rule="log_only")
    text = "No factor."
    yield _case("none", text, model, "magnitude-none", clauses=clauses, mscale_rule="none")
    text = "A factor of the configuration's own, of 1: the logarithm is not taken."
    own = ("magnitude-given",)
    yield _case("given-1", text, model, *own, clauses=clauses, mscale_rule=None, attention_factor=1.0)
    text = "A factor of the configuration's own."
    both = ("magnitude", "magnitude-given")
    yield _case(
        "given",
        text,
        (6, 500000.0, 64.0, 4096),
        *both,
        clauses=clauses,
        mscale_rule=None,
        attention_factor=1.25,
    )


def _refused_ramps(base: Baseline) -> Iterator[Group]:
    def refuse(name: str, parameter: str, clause: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("betas-equal", "beta_fast", "rope_scaling.C7", "Betas that meet.", beta_fast=1.0)
    yield refuse(
        "betas-exchanged",
        "beta_fast",
        "rope_scaling.C7",
        "In the wrong order.",
        beta_fast=1.0,
        beta_slow=32.0,
    )
    yield refuse("beta-0", "beta_slow", "rope_scaling.C7", "No turn at all.", beta_slow=0.0)
    text = "A trained length below one turn of the first pair: the slow end lies before pair 0."
    length = "original_max_position_embeddings"
    short: dict[str, Any] = {length: 3, "truncate": False}
    yield refuse("short", length, "rope_scaling.C5", text, **short)
    text = "A trained length in which even the slowest pair turns 32 times and more."
    long: dict[str, Any] = {length: 2**50}
    yield refuse("long", length, "rope_scaling.C5", text, **long)
    yield refuse("unknown-ramp", "ramp", "rope_scaling.C5", "No ramp of this name.", ramp="linear")
    yield refuse("truncate-text", "truncate", "conventions.C6", "A word is no boolean.", truncate="true")
    text = "Nothing to round in the paper's ramp."
    yield refuse("truncated-turns", "truncate", "rope_scaling.C6", text, ramp="rotations")
    yield refuse(
        "weight-above-1",
        "extrapolation_factor",
        "rope_scaling.C7",
        "A weight above 1.",
        extrapolation_factor=1.5,
    )
    for name in ("ramp", "truncate", "mscale_rule"):
        short_name = name.replace("_", "-")
        missing = ("MISSING_PARAMETER", name)
        yield base.refuse(f"no-{short_name}", missing, "conventions.C6", "Left out.", without=(name,))
    text = "Null where pairs are to be rounded or not."
    yield base.refuse(
        "null-truncate", ("MISSING_PARAMETER", "truncate"), "rope_scaling.C6", text, truncate=None
    )


def _refused_magnitudes(base: Baseline) -> Iterator[Group]:
    def refuse(name: str, kind: str, parameter: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, (kind, parameter), "rope_scaling.C8", comment, **wrong)

    invalid, missing = "INVALID_PARAMETER", "MISSING_PARAMETER"
    yield refuse("unknown-rule", invalid, "mscale_rule", "No rule of this name.", mscale_rule="yarn")
    yield refuse("null-rule", missing, "mscale_rule", "No rule and no factor.", mscale_rule=None)
    text = "A factor and a rule for it."
    yield refuse("factor-and-rule", invalid, "mscale_rule", text, attention_factor=1.5)
    text = "A factor and a coefficient."
    wrong: dict[str, Any] = {"attention_factor": 1.5, "mscale_rule": None, "mscale": 1.0}
    yield refuse("factor-and-mscale", invalid, "mscale", text, **wrong)
    yield refuse(
        "factor-0", invalid, "attention_factor", "It would vanish.", attention_factor=0.0, mscale_rule=None
    )
    text = "A quotient without a denominator."
    yield refuse("ratio-alone", missing, "mscale_all_dim", text, mscale_rule="ratio", mscale=1.0)
    text = "A coefficient that the rule does not take."
    yield refuse("log-and-mscale", invalid, "mscale", text, mscale_rule="log_only", mscale=1.0)
    yield refuse("none-and-mscale", invalid, "mscale_all_dim", text, mscale_rule="none", mscale_all_dim=1.0)
    text = "A negative factor: 1 - 10 ln 4."
    wrong = {"mscale": -100.0, "mscale_all_dim": 1.0, "mscale_rule": "ratio"}
    yield refuse("negative-magnitude", invalid, "mscale", text, **wrong)
