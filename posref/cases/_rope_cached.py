"""Scenarios of keys in a cache: what an earlier step gave is used again."""

from typing import Final

from posref.cases._build import SUFFIX, integers
from posref.cases._draw import Kind, draw
from posref.cases._rope_apply import Slice, rotary
from posref.cases._rope_scaled import yarn
from posref.operation import FromStep, Made, Scenario, ScenarioGroup, Step, Tensor

SCALE: Final = 8.0**-0.5


def cached() -> list[ScenarioGroup]:
    """Return the groups of scenarios with keys in a cache."""
    found = (
        ("shift", _shift("bfloat16"), _shift("float32"), _shift("float64")),
        ("shift-yarn", _shift_scaled("bfloat16"), _shift_scaled("float32")),
        ("reuse", _reuse("bfloat16"), _reuse("float32")),
        ("packed", _packed("bfloat16"), _packed("float32")),
        ("window", _window("bfloat16")),
    )
    return [ScenarioGroup(name, "rope.cache_scenario", tuple(cases)) for name, *cases in found]


def _one(delta: int) -> Tensor:
    return integers((delta,), ())


def _shift(kind: Kind) -> Scenario:
    where: Slice = (6, "half", 10000.0)
    identity = f"rope-scenario-shift-{SUFFIX[kind]}"
    params = rotary(where, 2)
    objects = {"rotary": Made("rope.apply", params), "shift": Made("rope.rerotate", params)}
    keys = {"x": draw(identity, "x", (4, 9), kind), "positions": integers((5, 6, 7, 8))}
    steps = (
        Step("rotary", keys),
        Step("shift", {"k": FromStep(0, "y"), "delta": _one(-2)}),
        Step("shift", {"k": FromStep(1, "k"), "delta": integers((0, -1, -1, 4000))}),
    )
    text = "Cached keys move back by two after an eviction, and then each by its own number of tokens."
    flags = ("shift-missing", "double-rotation", "shift-kept", "shifts-added")
    return Scenario(identity, text, objects, steps, ("rope.C14", "rope.C6"), flags)


def _shift_scaled(kind: Kind) -> Scenario:
    where: Slice = (8, "adjacent", 10000.0)
    identity = f"rope-scenario-shift-yarn-{SUFFIX[kind]}"
    params = rotary(where, 0, None, yarn(4.0, 4096))
    objects = {"rotary": Made("rope.apply", params), "shift": Made("rope.rerotate", params)}
    keys = {"x": draw(identity, "x", (3, 8), kind), "positions": integers((700, 701, 702))}
    steps = (
        Step("rotary", keys),
        Step("shift", {"k": FromStep(0, "y"), "delta": _one(-300)}),
    )
    text = "The magnitude factor is in the keys once, and stays there once."
    return Scenario(identity, text, objects, steps, ("rope.C14", "rope.C8"), ("magnitude-again",))


def _reuse(kind: Kind) -> Scenario:
    identity = f"rope-scenario-reuse-{SUFFIX[kind]}"
    objects = {
        "rotary": Made("rope.apply", rotary((8, "half", 10000.0), 0)),
        "attention": Made("attention.scores", {"scale": SCALE}),
    }

    def rotated(name: str, *positions: int) -> Step:
        x = draw(f"{identity}-{name}", "x", (len(positions), 8), kind)
        return Step("rotary", {"x": x, "positions": integers(positions)})

    def scored(query: int, key: int) -> Step:
        return Step("attention", {"q": FromStep(query, "y"), "k": FromStep(key, "y")})

    steps = (
        rotated("k", 0, 1, 2),
        rotated("first", 3),
        scored(1, 0),
        rotated("second", 4),
        scored(3, 0),
    )
    text = "Keys rotated once meet a query, then another one a step later."
    return Scenario(identity, text, objects, steps, ("rope.C7", "attention.C1"), ("kept-output",))


def _packed(kind: Kind) -> Scenario:
    identity = f"rope-scenario-packed-{SUFFIX[kind]}"
    objects = {
        "documents": Made("positions.from_lengths", {}),
        "rotary": Made("rope.apply", rotary((8, "half", 10000.0), 0)),
    }

    def packed(*ends: int) -> Step:
        return Step("documents", {"cu_seqlens": integers(ends)})

    def rotated(name: str, step: int) -> Step:
        x = draw(f"{identity}-{name}", "x", (7, 8), kind)
        return Step("rotary", {"x": x, "positions": FromStep(step, "position_ids")})

    steps = (packed(0, 3, 7), rotated("first", 0), packed(0, 5, 7), rotated("second", 2))
    text = "Two packs of one length with their documents cut elsewhere: positions restart with each document."
    flags = ("table-by-shape", "ids-by-shape")
    return Scenario(identity, text, objects, steps, ("rope.C7", "positions.C5"), flags)


def _window(kind: Kind) -> Scenario:
    identity = f"rope-scenario-window-{SUFFIX[kind]}"
    params = rotary((8, "adjacent", 500000.0), 0)
    objects = {
        "rotary": Made("rope.apply", params),
        "shift": Made("rope.rerotate", params),
        "attention": Made("attention.scores", {"scale": SCALE}),
    }
    steps: list[Step] = []

    def add(step: Step) -> int:
        steps.append(step)
        return len(steps) - 1

    def rotated(name: str, *positions: int) -> FromStep:
        x = draw(f"{identity}-{name}", "x", (len(positions), 8), kind)
        return FromStep(add(Step("rotary", {"x": x, "positions": integers(positions)})), "y")

    keys = rotated("k", 6, 7, 8)
    for name, delta, place in (("first", -4, 5), ("second", -1, 4)):
        keys = FromStep(add(Step("shift", {"k": keys, "delta": _one(delta)})), "k")
        add(Step("attention", {"q": rotated(name, place), "k": keys}))
    text = "Cached keys move back after an eviction and meet a query, and once more."
    flags = ("shift-missing", "shift-kept", "shifts-added", "keys-kept", "kept-output")
    clauses = ("rope.C14", "rope.C7", "attention.C1")
    return Scenario(identity, text, objects, tuple(steps), clauses, flags)
