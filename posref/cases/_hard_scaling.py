"""Hard cases of scaled ladders: lengths on both sides of every threshold, at published widths and bases."""

from collections.abc import Iterator
from typing import Any, Final

from posref.cases._build import Row, hard, integers, slug
from posref.cases._draw import draw
from posref.cases._rope_scaled import longrope as longrope_of
from posref.cases._rope_scaled import scaling
from posref.cases._scaling_bands import growing
from posref.cases._scaling_common import LLAMA3, YARN
from posref.operation import Case

RAMPS: Final = (
    (64, 10000.0, 4.0, 15077, "The fast end lies at pair 14.99988: rounded down to 14."),
    (64, 10000.0, 4.0, 15078, "The fast end lies at pair 15.00011: rounded down to 15."),
    (64, 10000.0, 40.0, 6283, "The slow end lies at pair 23.99990: rounded up to 24."),
    (64, 10000.0, 40.0, 6284, "The slow end lies at pair 24.00045: rounded up to 25."),
    (128, 500000.0, 8.0, 27570, "The fast end lies at pair 23.99992: rounded down to 23."),
    (128, 500000.0, 8.0, 27571, "The fast end lies at pair 24.00010: rounded down to 24."),
    (128, 1e6, 4.0, 43845, "The slow end lies at pair 40.99990: rounded up to 41."),
    (128, 1e6, 4.0, 43847, "The slow end lies at pair 41.00011: rounded up to 42."),
)
"""Width, base, factor, trained length. None is as near as a float32 logarithm is off (precision.C18)."""

BANDS: Final = (
    (128, 500000.0, 8.0, 747868, "Pair 57 turns 1 - 1.8e-7 times: divided."),
    (128, 500000.0, 8.0, 747869, "Pair 57 turns 1 + 1.2e-6 times: just inside the band."),
    (64, 500000.0, 32.0, 313598, "Pair 23 turns 4 - 1.2e-5 times: just inside the band."),
    (64, 500000.0, 32.0, 313599, "Pair 23 turns 4 + 1.1e-6 times: kept."),
    (128, 10000.0, 4.0, 17205, "Pair 55 turns 1 - 5.8e-5 times: divided."),
    (128, 10000.0, 4.0, 17206, "Pair 55 turns 1 + 1.2e-7 times: just inside the band."),
    (128, 10000.0, 4.0, 68823, "Pair 55 turns 4 - 5.8e-5 times: just inside the band."),
    (128, 10000.0, 4.0, 68824, "Pair 55 turns 4 + 4.6e-7 times: kept."),
)

AROUND: Final = (
    (-1, "One token short of the trained length."),
    (0, "At the trained length: not beyond it."),
    (1, "One token beyond it."),
)


def _model(width: int, base: float, factor: float, length: int) -> dict[str, Any]:
    return {
        "rotary_dim": width,
        "base": base,
        "factor": factor,
        "original_max_position_embeddings": length,
    }


def _name(scheme: str, params: dict[str, Any]) -> str:
    values = params["rotary_dim"], slug(params["base"]), params["original_max_position_embeddings"]
    return "hard-rope-scaling-{}-w{}-b{}-l{}".format(scheme, *values)


def _yarn() -> Iterator[Row]:
    for width, base, factor, length, text in RAMPS:
        params = {**_model(width, base, factor, length), **YARN}
        clauses = ("rope_scaling.C5", "rope_scaling.C7")
        yield params, Case(_name("yarn", params), text, {}, clauses, ("ramp-end",))


def _llama3() -> Iterator[Row]:
    for width, base, factor, length, text in BANDS:
        params = {**_model(width, base, factor, length), **LLAMA3}
        yield params, Case(_name("llama3", params), text, {}, ("rope_scaling.C9",), ("band-edge",))


def _dynamic() -> Iterator[Row]:
    for model in ((128, 10000.0, 4.0, 2048), (64, 500000.0, 2.0, 8192)):
        for more, text in AROUND:
            params = {**_model(*model), "seq_len": model[-1] + more}
            name = f"{_name('dynamic', params)}-n{params['seq_len']}"
            yield params, Case(name, text, {}, ("rope_scaling.C4",), ("length-threshold",))


def _longrope() -> Iterator[Row]:
    lists = dict(zip(("short_factor", "long_factor"), growing(48, 64.0, "float32"), strict=True))
    for more, text in AROUND:
        params = {**_model(96, 10000.0, 32.0, 4096), "seq_len": 4096 + more, "attention_factor": None}
        name = f"{_name('longrope', params)}-n{params['seq_len']}"
        yield params, Case(name, text, lists, ("rope_scaling.C10",), ("length-threshold",))


def _rotations() -> Iterator[Row]:
    dynamic = scaling("dynamic", factor=2.0, original_max_position_embeddings=4096)
    for given in (dynamic, longrope_of()):
        for more, text in AROUND:
            name = f"hard-rope-apply-{given['rope_type']}-n{4096 + more}"
            params = {"rotary_dim": 8, "rotary_start": 0, "base": 10000.0, "pairing": "half"}
            params |= {"scaling": given, "seq_len": 4096 + more}
            inputs = {"x": draw(name, "x", (3, 8), "bfloat16"), "positions": integers((1, 9, 4094))}
            yield params, Case(name, text, inputs, ("rope.C8",))


SCALING: Final = (
    *hard("rope_scaling.yarn", _yarn()),
    *hard("rope_scaling.llama3", _llama3()),
    *hard("rope_scaling.dynamic", _dynamic()),
    *hard("rope_scaling.longrope", _longrope()),
)
ROTATIONS: Final = hard("rope.apply", _rotations())
