"""Known wrong scaled rotations: ``rope.apply``, ``rope.apply_qk`` and ``rope.score`` with a `scaling`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called
from posref.mistakes._rope_parts import Rotary, ladder, magnitude, rotary
from posref.operation import Mistake
from posref.reference import attention, rope

Turn = Callable[[Array, Array, Rotary], Array]

IGNORED = "https://github.com/Xilinx/mlir-air/issues/1948"
PLACES = "https://github.com/huggingface/transformers/issues/47435"


def right(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate as declared."""
    return np.asarray(rope.apply(x, positions, **given))


def plain(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate without the scaling."""
    return right(x, positions, {**given, "scaling": None})


def weighted(x: Array, positions: Array, given: Rotary, factor: float) -> Array:
    """Rotate by the right frequencies with any magnitude factor."""
    cos, sin = rope.cos_sin(positions, ladder(given), attention_factor=factor)
    pairing, start = given["pairing"], given["rotary_start"]
    return np.asarray(rope.rotate(x, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start))


def unweighted(x: Array, positions: Array, given: Rotary) -> Array:
    """Forget the magnitude factor."""
    return weighted(x, positions, given, 1.0)


def squared(x: Array, positions: Array, given: Rotary) -> Array:
    """Multiply by the magnitude factor twice."""
    return weighted(x, positions, given, magnitude(given) ** 2)


def everywhere(x: Array, positions: Array, given: Rotary) -> Array:
    """Multiply the coordinates that pass through as well."""
    y, factor = right(x, positions, given), magnitude(given)
    start, stop = given["rotary_start"], given["rotary_start"] + given["rotary_dim"]
    inside = (np.arange(y.shape[-1]) >= start) & (np.arange(y.shape[-1]) < stop)
    return np.where(inside, y, factor * y)


def as_partial(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate a leading part of the slice by a ladder of its own, where pairs lie over all of it."""
    scaling = given["scaling"]
    if scaling is None or scaling["rope_type"] != "proportional":
        return right(x, positions, given)
    width = int(scaling["partial_rotary_factor"] * given["rotary_dim"]) // 2 * 2
    part = {"rope_type": "linear", "factor": scaling["factor"]}
    return right(x, positions, {**given, "rotary_dim": width, "scaling": part}) if width else x


def one_token(arguments: Arguments) -> Arguments:
    """Take the scaling of a single token: the length of the call, not of the context."""
    return {"seq_len": 1} if arguments.get("seq_len") else {}


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def turning(turn: Turn) -> Callable[..., Any]:
    def compute(given: Arguments) -> Array:
        return turn(given["x"], np.asarray(given["positions"]), rotary(given))

    return called("rope.apply", compute)


def each(q: Turn, k: Turn) -> Callable[..., Any]:
    def compute(given: Arguments) -> tuple[Array, Array]:
        positions = np.asarray(given["positions"])
        return q(given["q"], positions, rotary(given)), k(given["k"], positions, rotary(given))

    return called("rope.apply_qk", compute)


def dotted(q: Turn, k: Turn) -> Callable[..., Any]:
    def compute(given: Arguments) -> Any:
        queries = q(given["q"], np.asarray(given["q_positions"]), rotary(given))
        keys = k(given["k"], np.asarray(given["k_positions"]), rotary(given))
        return attention.scores(queries, keys, scale=1.0)

    return called("rope.score", compute)


def _call(inputs: Mapping[str, Any], scaling: Mapping[str, Any], output: list[float]) -> dict[str, Any]:
    params = {"rotary_dim": 2, "base": 10000.0, "pairing": "half", "scaling": scaling}
    return {"inputs": inputs, "params": params, "output": output}


LINEAR: Final = {"rope_type": "linear", "factor": 8.0}
YARN: Final = {
    "rope_type": "yarn",
    "factor": 4.0,
    "original_max_position_embeddings": 4096,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": "hf",
}
FACTOR: Final = 1.138629436111989
AT_0: Final = {"x": [[1.0, 0.0]], "positions": [0]}
AT_8: Final = {"x": [[1.0, 0.0]], "positions": [8]}
SCORE_0: Final = {"q": [[1.0, 2.0]], "k": [[3.0, 4.0]], "q_positions": [0], "k_positions": [0]}

IGNORES = "plain frequencies give: the scaling never reached the rotation"
FORGETS = "a magnitude factor of 1 gives where the scaling has another"

APPLY: Final = (
    _mistake(
        "rope.apply",
        "scaling-not-applied",
        "scaling-ignored",
        IGNORES,
        turning(plain),
        IGNORED,
        **_call(AT_8, LINEAR, [-0.145500034, 0.989358247]),
    ),
    _mistake(
        "rope.apply",
        "magnitude-forgotten",
        "magnitude",
        FORGETS,
        turning(unweighted),
        **_call(AT_0, YARN, [1.0, 0.0]),
    ),
    _mistake(
        "rope.apply",
        "magnitude-squared",
        "magnitude",
        "the magnitude factor applied twice gives: to the table and to the tensor",
        turning(squared),
        "https://github.com/ggml-org/llama.cpp/issues/17945",
        **_call(AT_0, YARN, [FACTOR**2, 0.0]),
    ),
    _mistake(
        "rope.apply",
        "magnitude-on-all",
        "magnitude-rest",
        "the magnitude factor on the whole head gives: what passes through is not multiplied",
        turning(everywhere),
    ),
    _mistake(
        "rope.apply",
        "length-of-the-call",
        "length-ignored",
        "the scaling of a single token gives: the current length is that of the context",
        altered("rope.apply", one_token),
        "https://github.com/ggml-org/llama.cpp/issues/6849",
    ),
    _mistake(
        "rope.apply",
        "proportional-as-partial",
        "proportional-partial",
        "ordinary partial rotation gives where a part of the ladder lies over the whole head",
        turning(as_partial),
        "https://github.com/apple/coreai-models/issues/66",
    ),
)

APPLY_QK: Final = (
    _mistake("rope.apply_qk", "scaling-not-applied", "scaling-ignored", IGNORES, each(plain, plain), IGNORED),
    _mistake(
        "rope.apply_qk",
        "keys-not-scaled",
        "scaling-ignored",
        "plain frequencies on keys give: queries and keys took two code paths",
        each(right, plain),
        IGNORED,
    ),
    _mistake("rope.apply_qk", "magnitude-forgotten", "magnitude", FORGETS, each(unweighted, unweighted)),
    _mistake(
        "rope.apply_qk",
        "magnitude-on-queries-only",
        "magnitude-queries",
        "the magnitude factor on queries only gives: keys bear it too",
        each(right, unweighted),
        PLACES,
    ),
    _mistake(
        "rope.apply_qk",
        "magnitude-on-all",
        "magnitude-rest",
        "the magnitude factor on the whole head gives: what passes through is not multiplied",
        each(everywhere, everywhere),
    ),
)

SCORE: Final = (
    _mistake("rope.score", "scaling-not-applied", "scaling-ignored", IGNORES, dotted(plain, plain), IGNORED),
    _mistake(
        "rope.score",
        "keys-not-scaled",
        "scaled-keys",
        "scaled queries against keys on plain frequencies give: cached before the scaling",
        dotted(right, plain),
        IGNORED,
    ),
    _mistake(
        "rope.score",
        "magnitude-forgotten",
        "magnitude",
        FORGETS,
        dotted(unweighted, unweighted),
        **_call(SCORE_0, YARN, [11.0]),
    ),
    _mistake(
        "rope.score",
        "magnitude-once",
        "magnitude-square",
        "the magnitude factor gives where its square belongs: queries and keys bear it both",
        dotted(right, unweighted),
        PLACES,
        **_call(SCORE_0, YARN, [11.0 * FACTOR]),
    ),
)
