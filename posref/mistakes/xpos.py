"""Known wrong implementations of the operations in `spec/schemes/xpos.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import MOVES, REPORTS, Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ignored import ignored
from posref.mistakes._ladders import LADDERS
from posref.mistakes._precision import Change, shortened
from posref.mistakes._rope_parts import OTHER, rest_dropped
from posref.operation import Mistake
from posref.reference import rope

SCALE, APPLY = "xpos.scale", "xpos.apply"


def bases(given: Arguments) -> Array:
    """Return the base of each pair."""
    width, gamma = given["rotary_dim"], given["gamma"]
    return np.asarray((np.arange(0, width, 2) + gamma * width) / ((1 + gamma) * width))


def exponents(given: Arguments) -> Array:
    """Return the exponent of each position."""
    places = np.asarray(given["positions"], np.float64)
    return np.asarray((places - given["center"]) / given["scale_base"])[..., None]


def scales(given: Arguments) -> Array:
    """Return the scales in plain float64, kept inside its range."""
    with np.errstate(over="ignore", under="ignore"):
        found = bases(given) ** exponents(given)
    return np.asarray(np.clip(found, 2.0**-1022, 2.0**1023))


def by_index(given: Arguments) -> Array:
    """Count pairs where coordinates are meant."""
    width, gamma = given["rotary_dim"], given["gamma"]
    zeta = (np.arange(width // 2) + gamma * width) / ((1 + gamma) * width)
    with np.errstate(over="ignore", under="ignore"):
        found = zeta ** exponents(given)
    return np.asarray(np.clip(found, 2.0**-1022, 2.0**1023))


def backwards(given: Arguments) -> Array:
    """Give the fastest decay to the last pair."""
    return scales(given)[..., ::-1]


def inverted(given: Arguments) -> Array:
    """Take the reciprocal."""
    return 1 / scales(given)


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def combined(
    given: Arguments,
    scale: Array,
    *,
    positions: Any = None,
    omega: Array | None = None,
    angle: Change = np.asarray,
    layout: str | None = None,
) -> Array:
    """Rotate, and multiply by any scale of the pairs, spread over the coordinates by any layout."""
    x, pairing, width = np.asarray(given["x"], np.float64), given["pairing"], given["rotary_dim"]
    if omega is None:
        omega = np.asarray(rope.inv_freq(rotary_dim=width, base=given["base"]))
    places = given["positions"] if positions is None else positions
    theta = angle(np.asarray(places, np.float64)[..., None] * omega)
    cos, sin = np.cos(theta), np.sin(theta)
    y = np.array(rope.rotate(x, cos, sin, pairing_in=pairing, pairing_out=pairing))
    y[..., :width] *= spread(scale, layout or pairing)
    return y


def spread(scale: Array, pairing: str) -> Array:
    """Return the factor of each coordinate."""
    if pairing == "half":
        return np.concatenate([scale, scale], axis=-1)
    return np.repeat(scale, 2, axis=-1)


def right(given: Arguments) -> Array:
    """Return the scale of the role."""
    return 1 / scales(given) if given["role"] == "key" else scales(given)


def shifted(given: Arguments) -> Array:
    """Count positions from the center, for the angle too."""
    places = np.asarray(given["positions"], np.float64) - given["center"]
    return combined(given, right(given), positions=places)


def on_the_rest(y: Array, given: Arguments) -> Array:
    """Scale the coordinates that pass through like the last pair."""
    width = given["rotary_dim"]
    return np.concatenate([y[..., :width], y[..., width:] * right(given)[..., -1:]], axis=-1)


def _scaled(function: Callable[[Arguments], Array]) -> Callable[..., Any]:
    return called(APPLY, lambda given: combined(given, function(given)))


def changed(given: Arguments, frequency: Change, angle: Change) -> Array:
    """Return the result with the frequencies and angles of the rotation changed."""
    omega = np.asarray(rope.inv_freq(rotary_dim=given["rotary_dim"], base=given["base"]))
    return combined(given, right(given), omega=np.asarray(frequency(omega)), angle=angle)


def _laddered(change: Change) -> Callable[..., Any]:
    return called(APPLY, lambda given: changed(given, change, np.asarray))


OCTAVE: Final = {"rotary_dim": 2, "gamma": 1.0, "scale_base": 2.0, "center": 0.0}
AT_4: Final[dict[str, Any]] = {"inputs": {"positions": [4]}, "params": OCTAVE}
"""The base is 1/2 and the exponent 2: right is 1/4."""
KEY_0: Final[dict[str, Any]] = {
    "inputs": {"x": [[3.0, 5.0]], "positions": [0]},
    "params": {**OCTAVE, "center": 4.0, "role": "key", "base": 10000.0, "pairing": "half"},
}
"""No angle, exponent -2: right is a quarter of the input."""

OTHERS: Final = (
    ("center-ignored", "decay-center", "a scale counted from position 0 gives", {"center": 0.0}),
    (
        "base-512",
        "decay-base",
        "a decay per 512 tokens gives where another is declared",
        {"scale_base": 512.0},
    ),
    ("gamma-two-fifths", "decay-gamma", "gamma 0.4 gives where another is declared", {"gamma": 0.4}),
)
INVERTED = "reciprocal scales give: queries and keys interchanged"


def _params_changed(operation: str, function: Callable[[Arguments], Array]) -> list[Mistake]:
    """Return the mistakes of a parameter that is taken for another value."""
    return [
        _mistake(operation, name, flag, text, _changed(operation, function, params))
        for name, flag, text, params in OTHERS
    ]


def _changed(operation: str, function: Callable[[Arguments], Array], params: dict[str, float]) -> Any:
    return called(operation, lambda given: function({**given, **params}))


def _moved_scales() -> list[Mistake]:
    """Return the mistakes of wrong positions; far from the right ones a scale may leave the range."""
    found = []
    for name in ("from-0", "plus-1", "absolute", "of-row-0", "bfloat16"):
        flag, move, text = MOVES[f"positions-{name}"]
        check = {**AT_4, "output": [1.0]} if name == "from-0" else {}
        found.append(
            _mistake(
                SCALE,
                f"positions-{name}",
                flag,
                text,
                _moving(move),
                REPORTS.get(f"positions-{name}", ""),
                **check,
            )
        )
    return found


def _moving(move: Callable[[Array], Array]) -> Any:
    return called(SCALE, lambda given: scales({**given, "positions": move(np.asarray(given["positions"]))}))


MISTAKES: Final = (
    _mistake(
        SCALE,
        "inverted",
        "decay-inverted",
        INVERTED,
        called(SCALE, inverted),
        **AT_4,
        output=[4.0],
    ),
    _mistake(
        SCALE,
        "pairs-for-coordinates",
        "decay-width",
        "a base made of the pair's index gives where its coordinate is meant",
        called(SCALE, by_index),
    ),
    _mistake(
        SCALE,
        "backwards",
        "decay-order",
        "the pairs in reverse give: the first one decays fastest",
        called(SCALE, backwards),
    ),
    *_params_changed(SCALE, scales),
    *_moved_scales(),
    _mistake(
        APPLY,
        "key-not-inverted",
        "decay-key",
        "the scale of queries gives on keys: they take the reciprocal",
        _scaled(scales),
        **KEY_0,
        output=[12.0, 20.0],
    ),
    _mistake(
        APPLY,
        "inverted",
        "decay-inverted",
        INVERTED,
        _scaled(lambda given: 1 / right(given)),
        **KEY_0,
        output=[12.0, 20.0],
    ),
    _mistake(
        APPLY,
        "not-scaled",
        "decay-missing",
        "the rotation alone gives",
        _scaled(lambda given: np.ones(scales(given).shape)),
        **KEY_0,
        output=[3.0, 5.0],
    ),
    _mistake(
        APPLY,
        "angle-from-center",
        "decay-angle",
        "angles counted from the center give: it moves the scale only",
        called(APPLY, shifted),
    ),
    _mistake(
        APPLY,
        "rest-scaled",
        "decay-rest",
        "a scale on the whole head gives: what passes through is not multiplied",
        replaced(APPLY, lambda y, given: on_the_rest(np.asarray(y), given)),
    ),
    _mistake(
        APPLY,
        "scale-for-the-other-pairing",
        "pairing-mixed",
        "scales laid out for the other pairing give",
        called(APPLY, lambda given: combined(given, right(given), layout=OTHER[given["pairing"]])),
    ),
    _mistake(
        APPLY,
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(APPLY, lambda given: {"pairing": OTHER[given["pairing"]]}),
    ),
    _mistake(
        APPLY,
        "sign-reversed",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        called(
            APPLY,
            lambda given: combined(given, right(given), positions=-np.asarray(given["positions"])),
        ),
    ),
    _mistake(
        APPLY,
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(APPLY, lambda given: {"base": 10000.0}),
    ),
    *(
        _mistake(APPLY, name, "frequency-exponent", text, _laddered(change))
        for name, (change, text) in LADDERS.items()
    ),
    _mistake(
        APPLY,
        "rest-dropped",
        "pass-through",
        "zeros give where coordinates pass through",
        replaced(APPLY, lambda y, given: rest_dropped(np.asarray(y), 0, given["rotary_dim"])),
    ),
    *shortened(APPLY, changed),
    *_params_changed(APPLY, lambda given: combined(given, right(given))),
    *moved(
        APPLY,
        "positions-minus-1",
        "positions-consecutive",
        "positions-from-0",
        "positions-plus-1",
        "positions-absolute",
        "positions-of-row-0",
        "positions-bfloat16",
    ),
    *ignored("xpos"),
)
