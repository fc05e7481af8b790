"""Known wrong implementations of ``positions.from_mask`` and ``positions.from_lengths``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, replaced
from posref.operation import Mistake

MASK: Final = "positions.from_mask"
LENGTHS: Final = "positions.from_lengths"


def _unless_plain(change: Callable[[Array, Arguments], Array]) -> Callable[..., Any]:
    """Return the reference changed by `change`, which gets the mask, except where the mask is ignored."""

    def compute(right: Array, arguments: Arguments) -> Array:
        return right if arguments["rule"] == "arange" else change(right, arguments)

    return replaced(MASK, compute)


def counted(arguments: Arguments, count: Array) -> Array:
    """Return what the rule makes of a count of tokens."""
    mask, rule = np.asarray(arguments["attention_mask"]), arguments["rule"]
    if rule == "cumsum":
        return np.where(mask == 1, count - 1, arguments["pad_value"])
    return np.asarray(count * mask + (1 if rule == "opt" else arguments["padding_idx"]))


def mask_ignored(right: Array, arguments: Arguments) -> Array:
    """Count places, whatever they hold."""
    return np.zeros_like(right) + np.arange(right.shape[1])


def one_too_high(right: Array, arguments: Arguments) -> Array:
    """Count the first token as 1 more."""
    every = arguments["rule"] == "arange"
    return right + np.where(every | (arguments["attention_mask"] == 1), 1, 0)


def offset_missing(right: Array, arguments: Arguments) -> Array:
    """Leave out the offset of the table, so that the first token has 0."""
    offsets = {"opt": 2, "roberta": (arguments["padding_idx"] or 0) + 1}
    return right - offsets.get(arguments["rule"], 0)


def gap_counted(right: Array, arguments: Arguments) -> Array:
    """Count places from the first token on, pads between tokens included."""
    mask = np.asarray(arguments["attention_mask"])
    first = np.argmax(mask, axis=1)[:, None] if mask.size else 0
    return counted(arguments, np.arange(mask.shape[1]) - first + 1 + 0 * mask)


def pads_counted(right: Array, arguments: Arguments) -> Array:
    """Let pads keep the running count."""
    count = np.cumsum(arguments["attention_mask"], axis=1)
    shift = {"cumsum": -1, "opt": 1}.get(arguments["rule"], arguments["padding_idx"])
    return count + shift


def left_assumed(right: Array, arguments: Arguments) -> Array:
    """Subtract the number of pads from the place: true of left padding only."""
    mask = np.asarray(arguments["attention_mask"])
    pads = mask.shape[1] - mask.sum(axis=1, keepdims=True)
    return counted(arguments, np.arange(mask.shape[1]) - pads + 1)


def inverted(right: Array, arguments: Arguments) -> Array:
    """Take 1 for padding."""
    mask = 1 - np.asarray(arguments["attention_mask"])
    return counted({**arguments, "attention_mask": mask}, np.cumsum(mask, axis=1))


def first_row(right: Array, arguments: Arguments) -> Array:
    """Use the ids of the first row for every row."""
    return np.broadcast_to(right[:1], right.shape)


def run_on(right: Array, arguments: Arguments) -> Array:
    """Let the count run on from row to row."""
    mask = np.asarray(arguments["attention_mask"])
    return counted(arguments, np.cumsum(mask.ravel()).reshape(mask.shape))


def documents(arguments: Arguments) -> tuple[Array, Array, Array]:
    """Return the tokens, the document of each, and the bounds."""
    bounds = np.asarray(arguments["cu_seqlens"])
    tokens = np.arange(bounds[-1])
    return tokens, np.searchsorted(bounds, tokens, side="right") - 1, bounds


def not_restarted(right: Array, arguments: Arguments) -> Array:
    """Count on through all documents."""
    return np.arange(right.size)


def document_number(right: Array, arguments: Arguments) -> Array:
    """Give the number of the document."""
    return documents(arguments)[1]


def boundary_late(right: Array, arguments: Arguments) -> Array:
    """Let the first token of a document end the one before."""
    tokens, _, bounds = documents(arguments)
    document = np.maximum(np.searchsorted(bounds, tokens, side="left") - 1, 0)
    return np.asarray(tokens - bounds[document])


def length_before(right: Array, arguments: Arguments) -> Array:
    """Subtract the length of the document before instead of all lengths before."""
    tokens, document, bounds = documents(arguments)
    return np.asarray(tokens - np.concatenate([[0], np.diff(bounds)])[document])


def equal_lengths(right: Array, arguments: Arguments) -> Array:
    """Take the first document's length for that of every one."""
    tokens, _, bounds = documents(arguments)
    lengths = np.diff(bounds)
    return np.asarray(tokens % lengths[lengths > 0][0] if tokens.size else tokens)


def from_1(right: Array, arguments: Arguments) -> Array:
    """Count the tokens of a document from 1."""
    return right + 1


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def _row(mask: list[int], **params: Any) -> dict[str, Any]:
    """Return a call with one row of a mask."""
    return {
        "inputs": {"attention_mask": [mask]},
        "params": {"pad_value": None, "padding_idx": None, **params},
    }


MASKS: Final = (
    _mistake(
        MASK,
        "mask-ignored",
        "padding-ignored",
        "places counted from 0 give: the padding mask is not used",
        _unless_plain(mask_ignored),
        "https://github.com/huggingface/transformers/issues/22161",
        **_row([0, 0, 1, 1, 1], rule="cumsum", pad_value=0),
        output=[0, 1, 2, 3, 4],
    ),
    _mistake(
        MASK, "counted-from-1", "shifted-position", "a count one too high gives", replaced(MASK, one_too_high)
    ),
    _mistake(
        MASK,
        "offset-missing",
        "position-offset",
        "ids from 0 give: the rows before the first token's are forgotten",
        replaced(MASK, offset_missing),
        "https://github.com/huggingface/transformers/issues/1363",
        **_row([1, 1, 1, 0, 0], rule="roberta", padding_idx=1),
        output=[0, 1, 2, -1, -1],
    ),
    _mistake(
        MASK,
        "gap-counted",
        "padding-gap",
        "places counted from the first token give: pads between tokens advance the count",
        _unless_plain(gap_counted),
        **_row([1, 0, 1], rule="cumsum", pad_value=7),
        output=[0, 7, 2],
    ),
    _mistake(
        MASK,
        "pads-counted",
        "pad-value",
        "a running count gives for pads too: they did not get the value declared",
        _unless_plain(pads_counted),
        **_row([1, 1, 0, 0], rule="roberta", padding_idx=1),
        output=[2, 3, 3, 3],
    ),
    _mistake(
        MASK,
        "left-assumed",
        "padding-side",
        "the place less the number of pads gives: true of left padding only",
        _unless_plain(left_assumed),
    ),
    _mistake(
        MASK,
        "mask-inverted",
        "padding-inverted",
        "a mask read the other way round gives",
        _unless_plain(inverted),
    ),
    _mistake(
        MASK,
        "mask-of-row-0",
        "batch-rows",
        "the first row's ids give for every row",
        _unless_plain(first_row),
    ),
    _mistake(
        MASK,
        "padding-index-1",
        "padding-index",
        "a padding index of 1 gives where another is declared",
        altered(MASK, lambda given: {} if given["padding_idx"] is None else {"padding_idx": 1}),
        "https://github.com/huggingface/transformers/issues/9116",
        **_row([1, 1, 0], rule="roberta", padding_idx=3),
        output=[2, 3, 1],
    ),
    _mistake(
        MASK,
        "count-run-on",
        "batch-run-on",
        "a count that runs on from row to row gives",
        _unless_plain(run_on),
    ),
)

PACKED: Final = (
    _mistake(
        LENGTHS,
        "not-restarted",
        "document-restart",
        "one count through all documents gives",
        replaced(LENGTHS, not_restarted),
        "https://github.com/pytorch/torchtitan/issues/2559",
        inputs={"cu_seqlens": [0, 3, 5]},
        params={},
        output=[0, 1, 2, 3, 4],
    ),
    _mistake(
        LENGTHS,
        "document-number",
        "document-index",
        "the number of the document gives where the place in it is asked for",
        replaced(LENGTHS, document_number),
    ),
    _mistake(
        LENGTHS,
        "boundary-late",
        "document-boundary",
        "a boundary one token late gives: a document's first token counts with the one before",
        replaced(LENGTHS, boundary_late),
        inputs={"cu_seqlens": [0, 3, 5]},
        params={},
        output=[0, 1, 2, 3, 1],
    ),
    _mistake(
        LENGTHS,
        "length-before",
        "document-offset",
        "the length of the document before gives where all lengths before it are to be subtracted",
        replaced(LENGTHS, length_before),
    ),
    _mistake(
        LENGTHS,
        "equal-lengths",
        "document-length",
        "documents all as long as the first give",
        replaced(LENGTHS, equal_lengths),
    ),
    _mistake(
        LENGTHS,
        "counted-from-1",
        "shifted-position",
        "a count from 1 in each document gives",
        replaced(LENGTHS, from_1),
    ),
)

MISTAKES: Final = (*MASKS, *PACKED)
