"""Known wrong implementations of ``positions.shard``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, replaced
from posref.operation import Mistake

NAME: Final = "positions.shard"
OTHERS: Final = {"contiguous": "striped", "striped": "contiguous", "zigzag": "contiguous"}


def chunks(arguments: Arguments) -> tuple[Array, int]:
    """Return the sequence in twice as many chunks as there are ranks, and the rank."""
    ids = np.asarray(arguments["position_ids"])
    return ids.reshape(2 * arguments["world_size"], -1) if ids.size else ids.reshape(2, 0), arguments["rank"]


def unmirrored(right: Array, arguments: Arguments) -> Array:
    """Add the chunk as far from the middle, on the same side up."""
    if arguments["scheme"] != "zigzag" or not right.size:
        return right
    parts, rank = chunks(arguments)
    return np.concatenate([parts[rank], parts[arguments["world_size"] + rank]])


def mirror_first(right: Array, arguments: Arguments) -> Array:
    """Put the later chunk first."""
    return np.roll(right, right.size // 2) if arguments["scheme"] == "zigzag" else right


def restarted(right: Array, arguments: Arguments) -> Array:
    """Count from 0 on every rank."""
    return np.arange(right.size)


def indices(arguments: Arguments) -> Arguments:
    """Shard the places of the tokens instead of their ids."""
    return {"position_ids": np.arange(np.asarray(arguments["position_ids"]).size)}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _eight(rank: int, scheme: str) -> dict[str, Any]:
    """Return a call with eight tokens on two ranks."""
    params = {"world_size": 2, "rank": rank, "scheme": scheme}
    return {"inputs": {"position_ids": [0, 1, 2, 3, 4, 5, 6, 7]}, "params": params}


MISTAKES: Final = (
    _mistake(
        "other-scheme",
        "shard-scheme",
        "another way to cut the sequence gives",
        altered(NAME, lambda arguments: {"scheme": OTHERS[arguments["scheme"]]}),
        "https://github.com/NVIDIA/Megatron-LM/issues/5243",
        **_eight(0, "zigzag"),
        output=[0, 1, 2, 3],
    ),
    _mistake(
        "unmirrored",
        "shard-mirror",
        "a second chunk that is not the mirror image of the first gives",
        replaced(NAME, unmirrored),
        **_eight(0, "zigzag"),
        output=[0, 1, 4, 5],
    ),
    _mistake(
        "mirror-first", "shard-order", "the two chunks in the other order give", replaced(NAME, mirror_first)
    ),
    _mistake(
        "next-rank",
        "shard-rank",
        "the next rank's share gives: ranks count from 0",
        altered(NAME, lambda arguments: {"rank": (arguments["rank"] + 1) % arguments["world_size"]}),
    ),
    _mistake(
        "rank-0",
        "rank-fixed",
        "the first rank's share gives on every rank",
        altered(NAME, lambda _: {"rank": 0}),
    ),
    _mistake(
        "ids-from-0",
        "restarted-positions",
        "ids counted from 0 on every rank give",
        replaced(NAME, restarted),
        **_eight(1, "contiguous"),
        output=[0, 1, 2, 3],
    ),
    _mistake(
        "indices", "shard-ids", "places of tokens give where their ids are given", altered(NAME, indices)
    ),
)
