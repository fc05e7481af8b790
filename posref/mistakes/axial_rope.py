"""Known wrong implementations of the operations in `spec/schemes/axial_rope.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ignored import ignored
from posref.mistakes._precision import Change, short, shortened
from posref.operation import Mistake

NAME: Final = "axial_rope.cos_sin"
Ladders = list[Array]


def exponents(arguments: Arguments) -> Ladders:
    """Return the right exponents of each axis."""
    widths = arguments["axis_dims"]
    if arguments["frequencies"] == "reset":
        return [2 * np.arange(width // 2) / width for width in widths]
    return [np.arange(axis, widths[0], 2) / widths[0] for axis in (0, 1)]


def angles(arguments: Arguments, ladders: Ladders, frequency: Change = np.asarray) -> Array:
    """Return the angles for these exponents, the frequencies changed."""
    places = np.asarray(arguments["positions"], np.float64)
    omega = [frequency(arguments["base"] ** -own) for own in ladders]
    return np.concatenate([places[:, [a]] * own for a, own in enumerate(omega)], axis=-1)


def changed(arguments: Arguments, frequency: Change, angle: Change) -> tuple[Array, Array]:
    """Return the tables with frequencies and angles changed."""
    theta = angle(angles(arguments, exponents(arguments), frequency))
    return np.cos(theta), np.sin(theta)


def _of(angle: Callable[[Arguments], Array]) -> Callable[..., Any]:
    def compute(arguments: Arguments) -> tuple[Array, Array]:
        found = angle(arguments)
        return np.cos(found), np.sin(found)

    return called(NAME, compute)


def _laddered(change: Callable[[Array, int], Array]) -> Callable[..., Any]:
    """Return an implementation with the exponents of each axis changed; `change` sees the whole width."""
    return _of(lambda a: angles(a, [change(own, sum(a["axis_dims"])) for own in exponents(a)]))


def continued(arguments: Arguments) -> Array:
    """Run one ladder through all axes: each goes on where the one before stopped."""
    widths = arguments["axis_dims"]
    ends = np.cumsum([width // 2 for width in widths])[:-1]
    return angles(arguments, np.split(2 * np.arange(sum(widths) // 2) / sum(widths), ends))


def other_rule(arguments: Arguments) -> Array:
    """Exchange the two rules, where both are legal."""
    widths = arguments["axis_dims"]
    other = "reset" if arguments["frequencies"] == "shared_even_odd" else "shared_even_odd"
    legal = len(widths) == 2 and widths[0] == widths[1]
    return angles(arguments, exponents({**arguments, "frequencies": other} if legal else arguments))


def parity(arguments: Arguments) -> Array:
    """Give axis 0 the odd frequencies of the shared ladder."""
    ladders = exponents(arguments)
    return angles(arguments, ladders[::-1] if arguments["frequencies"] == "shared_even_odd" else ladders)


def alternating(arguments: Arguments) -> Array:
    """Let the channels of the axes take turns."""
    counts = [width // 2 for width in arguments["axis_dims"]]
    turn = np.concatenate([np.arange(count) for count in counts])
    axis = np.repeat(np.arange(len(counts)), counts)
    return angles(arguments, exponents(arguments))[:, np.lexsort((axis, turn))]


def whole_width(arguments: Arguments) -> Array:
    """Divide by the sum of the widths under "reset", by one width under the other rule."""
    widths = arguments["axis_dims"]
    share = 1 / len(widths) if arguments["frequencies"] == "reset" else 2.0
    return angles(arguments, [own * share for own in exponents(arguments)])


def rest_to_last(arguments: Arguments) -> Arguments:
    """Deal the widths out in the opposite order."""
    return {"axis_dims": arguments["axis_dims"][::-1]}


def first_lost(arguments: Arguments) -> Arguments:
    """Set the first coordinate to 0."""
    places = np.array(arguments["positions"])
    places[:, 0] = 0
    return {"positions": places}


def reversed_axes(arguments: Arguments) -> Arguments:
    """Read the coordinates in the opposite order."""
    return {"positions": np.asarray(arguments["positions"])[:, ::-1]}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _patch(*place: int, widths: tuple[int, ...] = (2, 2), frequencies: str = "reset") -> dict[str, Any]:
    """Return a call with one token."""
    params = {"axis_dims": list(widths), "base": 10000.0, "frequencies": frequencies}
    return {"inputs": {"positions": [list(place)]}, "params": params}


MISTAKES: Final = (
    _mistake(
        "axes-exchanged",
        "axis-order",
        "coordinates in the opposite order give: row and column interchanged",
        altered(NAME, reversed_axes),
        "https://github.com/ggml-org/llama.cpp/issues/13282",
        **_patch(1, 2),
        output=[-0.416146837, 0.540302306, 0.909297427, 0.841470985],
    ),
    _mistake(
        "first-lost",
        "axis-lost",
        "a first coordinate of 0 for every token gives: the vertical place is lost",
        altered(NAME, first_lost),
        "https://github.com/vllm-project/vllm/issues/29425",
        **_patch(1, 2),
        output=[1.0, -0.416146837, 0.0, 0.909297427],
    ),
    _mistake(
        "continued",
        "axis-ladder",
        "one ladder that runs on through the axes gives",
        _of(continued),
        **_patch(3, 5, widths=(4, 4)),
        output=[
            *(-0.989992497, 0.955336489, 0.998750260, 0.999987500),
            *(0.141120008, 0.295520207, 0.049979169, 0.004999979),
        ],
    ),
    _mistake(
        "other-rule",
        "axis-rule",
        "the other rule for frequencies gives: reset and shared_even_odd interchanged",
        _of(other_rule),
    ),
    _mistake(
        "parity-exchanged",
        "axis-parity",
        "the odd frequencies for the first axis give where it has the even ones",
        _of(parity),
    ),
    _mistake(
        "alternating",
        "axis-blocks",
        "channels of the axes in turn give where those of an axis stand together",
        _of(alternating),
    ),
    _mistake(
        "wrong-width",
        "axis-width",
        "another width in the exponent gives: each axis has its own, a shared ladder the sum",
        _of(whole_width),
    ),
    _mistake(
        "rest-to-last",
        "axis-split",
        "the widths in the opposite order give: what division leaves goes to the other end",
        altered(NAME, rest_to_last),
        "https://github.com/huggingface/diffusers/issues/12538",
    ),
    _mistake(
        "exponent-positive",
        "frequency-exponent",
        "a positive exponent gives: frequencies grow with the channel",
        _laddered(lambda own, _: -own),
    ),
    _mistake(
        "exponent-halved",
        "frequency-exponent",
        "half the exponent gives",
        _laddered(lambda own, _: own / 2),
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"base": 10000.0}),
    ),
    _mistake(
        "exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        replaced(NAME, lambda tables, _: (tables[1], tables[0])),
    ),
    _mistake(
        "sine-negated",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        replaced(NAME, lambda tables, _: (tables[0], -tables[1])),
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(NAME, lambda given: changed(given, np.asarray, short)),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *shortened(NAME, changed),
    *moved(NAME, "positions-plus-1", "positions-absolute", "positions-truncated", "positions-bfloat16"),
    *ignored("axial_rope"),
)
