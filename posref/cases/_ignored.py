"""On which cases a convention that is not looked at shows.

A program that has one value built in fails wherever another is declared and the results differ. They
do not differ where nothing is asked for, where a single pair leaves no order, and in the places below.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from posref.operation import Tensor, signature

Params = Mapping[str, Any]
Inputs = Mapping[str, Tensor]
Shows = Callable[[Params, Inputs, Any], bool]

HIDDEN: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("t5.bucket", "bidirectional"): ("smallest-decoder", "odd-decoder", "narrow"),
    ("temperature.scale", "plus_one"): (
        "plain-weak", "-f1-plain-limit", "-f1-plus-one-limit", "never", "beyond-float32", "chunk", "none",
        "minus-one",
    ),
    ("rope_scaling.yarn", "truncate"): ("pair", "meeting"),
    ("sinusoidal.shift_matrix", "layout"): ("p6134899525417045-d2-cos-sin-dim",),
    ("sinusoidal.encode", "odd"): ("d3-sin-cos-end-extra-sine",),
    ("mrope.position_ids", "advance"): (
        "no-merge-{}", "empty-{}", "high-{}", "last-{}", "neighbours-{}", "one-row-{}", "one-token-{}",
        "still-{}", "text-{}", "two-{}", "wide-{}", "merge-3-{}",
    ),
}  # fmt: skip
"""Endings of the ids of cases on which all values of a convention agree; ``{}`` is the declared one."""

NAMED: Final[Mapping[tuple[str, str], tuple[Any, ...]]] = {
    ("alibi.bias", "future"): ("neg_inf", "keep"),
    ("deberta.bucket", "clamp_first"): (True, False),
    ("fourier.encode", "include_input"): (True, False),
    ("positions.from_mask", "rule"): ("arange",),
    ("rope_scaling.yarn", "truncate"): (True,),
    ("t5.bias", "bidirectional"): (True, False),
    ("xpos.apply", "role"): ("query",),
}
"""Built-in values without a flag here: they have one of their own, or the wrong shape gives them away."""


def ignored(operation: str, params: Params, case_id: str, inputs: Inputs) -> tuple[str, ...]:
    """Return the flags of the conventions of a call, one a built-in value that shows."""
    if any(0 in tensor.shape for tensor in inputs.values()):
        return ()
    found = []
    for parameter in signature(operation).parameters:
        declared = params[parameter.name]
        endings = HIDDEN.get((operation, parameter.name), ())
        shown = str(declared).lower().replace("_", "-")
        if declared is None or case_id.endswith(tuple(one.format(shown) for one in endings)):
            continue
        shows = RULES.get(parameter.name, _always)
        found += [
            parameter.ignored(habit)
            for habit in parameter.habits
            if habit not in (declared, *NAMED.get((operation, parameter.name), ()))
            and shows(params, inputs, habit)
        ]
    return tuple(found)


def _always(params: Params, inputs: Inputs, habit: Any) -> bool:
    return True


def _pairing(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Two pairs have an order; no angle moves none."""
    width = params["rotary_dim"] if "rotary_dim" in params else 2 * inputs["cos"].shape[-1]
    still = [not any(inputs[name].data) for name in ("positions", "delta") if name in inputs]
    return bool(width > 2) and not any(still)


def _future(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Whether a key lies after a query."""
    return bool(max(inputs["k_positions"].data) > min(inputs["q_positions"].data))


def _form(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Tell the two distances apart: they differ after the query, where the bias is not masked."""
    if {params["form"], habit} != {"neg_distance", "neg_abs"}:
        return True
    return params["future"] == "keep" and _future(params, inputs, habit)


def _frequencies(params: Params, inputs: Inputs, habit: Any) -> bool:
    """One ladder is shared by exactly two axes of equal width."""
    widths = params["axis_dims"]
    return len(widths) == 2 and widths[0] == widths[1]


def _align_corners(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Whether a table of several rows gets another length."""
    rows = inputs["table"].shape[-2]
    return rows not in (1, params["length"])


def _arrangement(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Several sections have channels; h and w alternate where they have as many."""
    _, height, width = params["mrope_section"]
    return (height, width) != (0, 0) and (habit != "hw_then_t" or height == width)


def _rule(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Beside a padding index of 1, the rules of RoBERTa and OPT are one."""
    return (params["rule"], habit, params["padding_idx"]) != ("roberta", "opt", 1)


def _scheme(params: Params, inputs: Inputs, habit: Any) -> bool:
    return bool(params["world_size"] > 1)


def _moves(params: Params) -> bool:
    """Whether an offset shifts, and is not so far that single precision knows nothing of it."""
    return bool(0 < abs(params.get("offset", 1)) < 2**30)


def _pairs(params: Params) -> int:
    """Return how many frequencies a row has, a second axis aside; an extra sine is one more."""
    if "axis_order" in params:
        return int(params["dim"] // 4)
    return int(params["dim"] + (params.get("odd") == "extra_sine")) // 2


def _denominator(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Several pairs: the first frequency is 1 under either rule."""
    return _pairs(params) > 1 and _moves(params)


def _layout(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Of one pair, sine first is sine first; an offset of none is the identity."""
    single = _pairs(params) == 1 and {params["layout"], habit} == {"interleaved", "sin_cos"}
    return not single and params.get("offset", 1) != 0


def _odd(params: Params, inputs: Inputs, habit: Any) -> bool:
    return bool(params["dim"] % 2)


def _ramp(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Something is interpolated, and something is kept."""
    return bool(params["factor"] != 1 and params["extrapolation_factor"] != 0)


def _mscale_rule(params: Params, inputs: Inputs, habit: Any) -> bool:
    """Compare the rules by the given numbers: both, a zero among them, or none."""
    rule, given = params["mscale_rule"], (params["mscale"], params["mscale_all_dim"])
    both, used = None not in given, all(given)
    if params["factor"] == 1 or (habit == "ratio" and not both):
        return False
    if "none" in (rule, habit):
        return not used or given[0] != given[1]
    if {rule, habit} == {"hf", "ratio"}:
        return not used
    return both and (used or rule == "ratio")


RULES: Final[Mapping[str, Shows]] = {
    **dict.fromkeys(("pairing", "pairing_in", "pairing_out", "source", "target"), _pairing),
    "form": _form,
    "frequencies": _frequencies,
    "align_corners": _align_corners,
    "arrangement": _arrangement,
    "rule": _rule,
    "scheme": _scheme,
    "denominator": _denominator,
    "layout": _layout,
    "odd": _odd,
    "ramp": _ramp,
    "truncate": _ramp,
    "mscale_rule": _mscale_rule,
}
"""Whether a built-in value shows, by the name of the convention; any other always does."""
