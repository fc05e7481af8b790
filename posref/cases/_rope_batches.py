"""Scenarios of batches, packs and ranks: whose positions a later call has."""

from collections.abc import Sequence
from typing import Final

from posref.cases._build import SUFFIX, Flags, integers
from posref.cases._draw import Kind, draw
from posref.cases._rope_apply import Slice, rotary
from posref.operation import FromStep, Made, Scenario, ScenarioGroup, Step, Tensor

KINDS: Final[tuple[Kind, ...]] = ("bfloat16", "float32")
NARROW: Final[Slice] = (4, "half", 10000.0)
ADJACENT: Final[Slice] = (4, "adjacent", 500000.0)
IDS: Final = "position_ids"


def batches() -> list[ScenarioGroup]:
    """Return the groups of scenarios of padded and grouped batches."""
    return [
        ScenarioGroup("padded", "rope.batch_scenario", tuple(_padded(kind) for kind in KINDS)),
        ScenarioGroup("grouped", "rope.batch_scenario", (_grouped("bfloat16"),)),
    ]


def shards() -> list[ScenarioGroup]:
    """Return the groups of scenarios of sequences that ranks share."""
    return [
        ScenarioGroup("one-sequence", "rope.shards_scenario", tuple(_sharded(kind) for kind in KINDS)),
        ScenarioGroup("packed", "rope.shards_scenario", (_packed("bfloat16"),)),
    ]


def _made(operation: str, where: Slice) -> Made:
    return Made(operation, rotary(where, 0))


def _padded(kind: Kind) -> Scenario:
    """Return two batches with gaps in other places, then a token for each row."""
    identity = f"rope-scenario-padded-{SUFFIX[kind]}"
    masks = (0, 0, 1, 1, 1, 1, 1, 1), (1, 0, 1, 1, 0, 0, 0, 1)
    steps = []
    for index, mask in enumerate(masks):
        x = draw(f"{identity}-{index}", "x", (2, 4, 4), kind)
        steps.append(Step("ids", {"attention_mask": integers(mask, (2, 4))}))
        steps.append(Step("rotary", {"x": x, "positions": FromStep(2 * index, IDS)}))
    token = draw(f"{identity}-next", "x", (2, 1, 4), kind)
    steps.append(Step("rotary", {"x": token, "positions": integers((3, 1), (2, 1))}))
    count = Made("positions.from_mask", {"rule": "cumsum", "pad_value": 1, "padding_idx": None})
    return Scenario(
        identity,
        "Two batches of one shape, padded in other places, then the next token of each row of the second.",
        {"ids": count, "rotary": _made("rope.apply", NARROW)},
        tuple(steps),
        ("rope.C7", "rope.C11", "positions.C4"),
        ("ids-by-shape", "table-by-shape", "shared-cursor"),
    )


def _grouped(kind: Kind) -> Scenario:
    """Return a prompt of two rows with grouped heads, then single tokens of both."""
    identity = f"rope-scenario-grouped-{SUFFIX[kind]}"
    steps = []
    for index, places in enumerate(((2, 3, 17, 18), (4, 19), (5, 20))):
        count = len(places) // 2
        q = draw(f"{identity}-{index}", "q", (2, 6, count, 4), kind)
        k = draw(f"{identity}-{index}", "k", (2, 2, count, 4), kind)
        steps.append(Step("rotary", {"q": q, "k": k, "positions": integers(places, (2, 1, count))}))
    return Scenario(
        identity,
        "A prompt of two rows, 6 query heads on 2 key heads, then twice one token of each row.",
        {"rotary": _made("rope.apply_qk", ADJACENT)},
        tuple(steps),
        ("rope.C7", "rope.C11"),
        ("table-by-shape", "shared-cursor"),
    )


def _share(x: Tensor, tokens: Sequence[int]) -> Tensor:
    """Return the rows of a rank."""
    width = x.shape[-1]
    rows = (x.data[width * token : width * (token + 1)] for token in tokens)
    return Tensor(x.dtype, (len(tokens), width), tuple(value for row in rows for value in row))


def _rank(scheme: str, rank: int) -> Made:
    return Made("positions.shard", {"world_size": 2, "rank": rank, "scheme": scheme})


def _sharded(kind: Kind) -> Scenario:
    """Return a sequence on two ranks, and on one."""
    identity = f"rope-scenario-sharded-{SUFFIX[kind]}"
    x = draw(identity, "x", (8, 4), kind)
    places = integers(range(21, 29))
    steps = []
    for rank, tokens in enumerate(((0, 1, 6, 7), (2, 3, 4, 5))):
        steps.append(Step(f"rank-{rank}", {IDS: places}))
        steps.append(Step("rotary", {"x": _share(x, tokens), "positions": FromStep(2 * rank, IDS)}))
    steps.append(Step("rotary", {"x": x, "positions": places}))
    objects = {f"rank-{rank}": _rank("zigzag", rank) for rank in range(2)}
    return Scenario(
        identity,
        "Eight tokens on two ranks in zigzag, then on one: a token gets what it got on its rank.",
        {**objects, "rotary": _made("rope.apply", NARROW)},
        tuple(steps),
        ("rope.C7", "positions.C6"),
        ("shared-rank", "table-by-shape"),
    )


def _packed(kind: Kind) -> Scenario:
    """Return two packs on two ranks, each rank with a rotation of its own."""
    identity = f"rope-scenario-sharded-pack-{SUFFIX[kind]}"
    steps: list[Step] = []
    for pack, ends in enumerate(((0, 5, 8), (0, 2, 3, 8))):
        x = draw(f"{identity}-{pack}", "x", (8, 4), kind)
        source = FromStep(len(steps), IDS)
        steps.append(Step("documents", {"cu_seqlens": integers(ends)}))
        for rank in range(2):
            own = FromStep(len(steps), IDS)
            steps.append(Step(f"rank-{rank}", {IDS: source}))
            share = _share(x, range(rank, 8, 2))
            steps.append(Step(f"rotary-{rank}", {"x": share, "positions": own}))
    flags: Flags = ("ids-by-shape", "shared-rank", "table-by-shape")
    objects = {"documents": Made("positions.from_lengths", {})}
    for rank in range(2):
        objects[f"rank-{rank}"] = _rank("striped", rank)
        objects[f"rotary-{rank}"] = _made("rope.apply", ADJACENT)
    return Scenario(
        identity,
        "Two packs of one length, cut elsewhere, in stripes on two ranks: ids are those of the documents.",
        objects,
        tuple(steps),
        ("rope.C7", "positions.C5", "positions.C6"),
        flags,
    )
