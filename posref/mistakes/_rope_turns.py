"""Wrong rotations that every rotary operation can make: what a kernel or its table does, not its caller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import FLOAT16, Arguments, Array, altered, significant
from posref.mistakes._precision import CAST, SHORT_TURN, reduced, short
from posref.mistakes._rope_apply_vjp import turning_back
from posref.mistakes._rope_parts import Rotary, climbed, distant_partner, ladder, padded_sine, table, turned
from posref.mistakes._rope_rerotate import rerotating
from posref.mistakes._rope_rotate import WARP
from posref.mistakes._rope_scaled import Turn, as_partial, dotted, each, one_token, squared, turning
from posref.operation import Mistake
from posref.reference import rope


def placed(x: Array, cos: Array, sin: Array, given: Rotary) -> Array:
    """Rotate by any tables."""
    pairing, start = given["pairing"], given["rotary_start"]
    return np.asarray(rope.rotate(x, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start))


def by_angle(change: Callable[[Array], Array]) -> Turn:
    """Return the rotation whose angles are passed through `change`."""

    def wrong(x: Array, positions: Array, given: Rotary) -> Array:
        angle = change(np.asarray(positions, np.float64)[..., None] * ladder(given))
        factor = table(np.zeros(1), np.zeros(1), given)[0].item()
        return placed(x, factor * np.cos(angle), factor * np.sin(angle), given)

    return wrong


def short_ladder(x: Array, positions: Array, given: Rotary) -> Array:
    """Hold the frequencies in bfloat16, as a cast of the whole model leaves them."""
    return turned(x, positions, short(ladder(given)), given)


def half_everything(x: Array, positions: Array, given: Rotary) -> Array:
    """Hold frequencies, positions and their products in float16."""
    half = significant(positions, FLOAT16)[..., None] * significant(ladder(given), FLOAT16)
    return by_angle(lambda _: significant(half, FLOAT16))(x, positions, given)


def kept(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate nothing."""
    return np.asarray(x)


def least_width(x: Array, positions: Array, given: Rotary) -> Array:
    """Run the ladder over 32 coordinates at least."""
    return turned(x, positions, climbed(given, np.asarray, max(given["rotary_dim"], 32)), given)


def partner_lost(x: Array, positions: Array, given: Rotary) -> Array:
    """Lose the partner that lies a whole warp of lanes away or further."""
    y, h = turned(x, positions, ladder(given), given), given["rotary_dim"] // 2
    if given["pairing"] != "half" or h < WARP:
        return y
    cos, _ = table(positions, ladder(given), given)
    start, both = given["rotary_start"], np.concatenate([cos, cos], axis=-1)
    y[..., start : start + 2 * h] = x[..., start : start + 2 * h] * both
    return y


def as_proportional(x: Array, positions: Array, given: Rotary) -> Array:
    """Pair over the head and run the ladder over it, as proportional scaling does, where a part turns."""
    if given["pairing"] != "half" or given["rotary_dim"] >= x.shape[-1]:
        return turned(x, positions, ladder(given), given)
    omega = climbed(given, np.asarray, x.shape[-1] + x.shape[-1] % 2)
    return distant_partner(x, *table(positions, omega, given), given["rotary_start"])


def padded(x: Array, positions: Array, given: Rotary) -> Array:
    """Read the sines of a table row where a power-of-two width would put them."""
    cos, sin = table(positions, ladder(given), given)
    return placed(x, cos, padded_sine(cos, sin), given)


def interpolated_and_held(x: Array, positions: Array, given: Rotary) -> Array:
    """Divide the positions by YaRN's factor and stop them at the trained length."""
    scaling = given["scaling"]
    if scaling is None or scaling["rope_type"] != "yarn":
        return turned(x, positions, ladder(given), given)
    last = scaling["original_max_position_embeddings"] - 1
    plain = np.asarray(rope.inv_freq(rotary_dim=given["rotary_dim"], base=given["base"]))
    return turned(x, np.clip(positions / scaling["factor"], -last, last), plain, given)


def other_twice(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate twice, and in the other pairing."""
    given = {**given, "pairing": "half" if given["pairing"] == "adjacent" else "adjacent"}
    once = np.asarray(rope.apply(x, positions, **given))
    return np.asarray(rope.apply(once, positions, **given))


@dataclass(frozen=True)
class _Wrong:
    flag: str
    text: str
    turn: Turn
    report: str = ""


GITHUB: Final = "https://github.com/"

TURNS: Final[Mapping[str, _Wrong]] = {
    "frequency-bfloat16": _Wrong(
        "frequency-rounding",
        "frequencies held in bfloat16 give: the buffer was cast with the model",
        short_ladder,
        CAST,
    ),
    "all-float16": _Wrong(
        "half-angle",
        "frequencies, positions and angles held in float16 give",
        half_everything,
        GITHUB + "EleutherAI/gpt-neox/issues/1003",
    ),
    "angle-bfloat16": _Wrong(
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        by_angle(short),
        GITHUB + "huggingface/diffusers/issues/13922",
    ),
    "single-two-pi": _Wrong(
        "angle-reduction",
        "angles reduced by a 2 pi of single precision give",
        by_angle(reduced),
        SHORT_TURN,
    ),
    "not-rotated": _Wrong("unrotated", "what was put in gives: nothing was rotated", kept),
    "width-32": _Wrong(
        "least-width",
        "a ladder over 32 coordinates at least gives",
        least_width,
        GITHUB + "lucidrains/x-transformers/issues/296",
    ),
    "partner-beyond-warp": _Wrong(
        "warp-width",
        "a partner of 0 gives where it lies 32 coordinates away or more",
        partner_lost,
        GITHUB + "deepspeedai/DeepSpeed/issues/2782",
    ),
    "partial-as-proportional": _Wrong(
        "partial-proportional",
        "the ladder and the pairs of proportional scaling give where a part of the head is rotated",
        as_proportional,
        GITHUB + "apple/coreai-models/issues/66",
    ),
    "padded-sine": _Wrong(
        "padded-width",
        "sines read at the offset of a width rounded up to a power of two give",
        padded,
        GITHUB + "vllm-project/vllm-ascend/issues/15688",
    ),
    "magnitude-squared": _Wrong(
        "magnitude",
        "the magnitude factor applied twice gives: to the table and to the tensor",
        squared,
        GITHUB + "ggml-org/llama.cpp/issues/17945",
    ),
    "proportional-as-partial": _Wrong(
        "proportional-partial",
        "ordinary partial rotation gives where a part of the ladder lies over the whole head",
        as_partial,
        GITHUB + "apple/coreai-models/issues/66",
    ),
    "interpolated-and-held": _Wrong(
        "yarn-positions",
        "positions divided by YaRN's factor and stopped at the trained length give",
        interpolated_and_held,
        GITHUB + "rasbt/LLMs-from-scratch/issues/940",
    ),
    "other-pairing-twice": _Wrong(
        "double-rotation",
        "the other pairing, applied twice, gives",
        other_twice,
        GITHUB + "NVIDIA/TensorRT-LLM/issues/16378",
    ),
}
"""Name -> what it is."""

KERNEL: Final = ("frequency-bfloat16", "all-float16", "single-two-pi", "width-32", "partner-beyond-warp")
"""What goes wrong in any of them."""

MAKERS: Final[Mapping[str, Callable[[Turn], Callable[..., Any]]]] = {
    "rope.apply": turning,
    "rope.apply_qk": lambda turn: each(turn, turn),
    "rope.score": lambda turn: dotted(turn, turn),
    "rope.apply_vjp": turning_back,
    "rope.rerotate": rerotating,
}
"""How each operation turns what it is given."""


def _made(operation: str, *names: str, **checks: Mapping[str, Any]) -> list[Mistake]:
    found = []
    for name in names:
        wrong = TURNS[name]
        function, check = MAKERS[operation](wrong.turn), checks.get(name.replace("-", "_"), {})
        text = f"your output is what {wrong.text}"
        found.append(Mistake(name, operation, wrong.flag, text, function, wrong.report, check))
    return found


def _length(operation: str) -> Mistake:
    text = "your output is what the scaling of a single token gives: the current length is the context's"
    report = GITHUB + "ggml-org/llama.cpp/issues/6849"
    function = altered(operation, one_token)
    return Mistake("length-of-the-call", operation, "length-ignored", text, function, report)


def _call(x: Any, width: int, output: list[float], pairing: str = "half", position: int = 1) -> Arguments:
    params = {"rotary_dim": width, "base": 10000.0, "pairing": pairing}
    return {"inputs": {"x": x, "positions": [position]}, "params": params, "output": output}


EIGHT: Final = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]
ENDS: Final = [[1.0] + 31 * [0.0] + [1.0] + 31 * [0.0]]
"""A pair of ones, 32 coordinates apart."""

MISTAKES: Final = (
    *_made(
        "rope.apply",
        *KERNEL,
        "not-rotated",
        "partial-as-proportional",
        "interpolated-and-held",
        "other-pairing-twice",
        not_rotated=_call([[1.0, 0.0]], 2, [1.0, 0.0], position=5),
        partner_beyond_warp=_call(ENDS, 64, [0.540302306, *31 * [0.0], 0.540302306, *31 * [0.0]]),
        partial_as_proportional=_call(
            EIGHT, 4, [-3.66705262, 1.39100783, 3.0, 4.0, 3.54298251, 6.16969182, 7.0, 8.0]
        ),
        other_pairing_twice=_call(
            [[1.0, 2.0, 3.0, 4.0]], 4, [-2.23474169, 0.0770037537, 2.91940535, 4.05919603]
        ),
    ),
    *_made(
        "rope.apply_qk",
        *KERNEL,
        "angle-bfloat16",
        "partial-as-proportional",
        "padded-sine",
        "magnitude-squared",
        "proportional-as-partial",
    ),
    *_made(
        "rope.score",
        *KERNEL,
        "partial-as-proportional",
        "padded-sine",
        "magnitude-squared",
        "proportional-as-partial",
    ),
    *_made("rope.apply_vjp", *KERNEL, "not-rotated", "angle-bfloat16", "magnitude-squared"),
    *_made("rope.rerotate", *KERNEL, "angle-bfloat16"),
    *(_length(name) for name in ("rope.apply_qk", "rope.score", "rope.apply_vjp")),
)
