"""Scenarios of rotary embedding: calls that only an object which keeps something can get wrong."""

from collections.abc import Mapping
from typing import Any, Final

from posref.cases._build import SUFFIX, Flags, integers
from posref.cases._draw import Kind, draw
from posref.cases._rope_apply import Slice, rotary
from posref.cases._rope_batches import batches, shards
from posref.cases._rope_cached import cached
from posref.cases._rope_scaled import longrope, scaling, yarn
from posref.operation import Made, Scenario, ScenarioGroup, Step, Tensor

KINDS: Final[tuple[Kind, ...]] = ("bfloat16", "float32", "float64")
HALF: Final[Slice] = (8, "half", 10000.0)
GROWN: Final = scaling("dynamic", factor=2.0, original_max_position_embeddings=4096)

Calls = tuple[tuple[str, Tensor, int | None], ...]
"""Object, positions, current length."""


def rotation(where: Slice = HALF, start: int = 0, given: Mapping[str, Any] | None = None) -> Made:
    """Return an object that rotates."""
    return Made("rope.apply", rotary(where, start, None, given))


def _scenario(
    name: str,
    comment: str,
    objects: Mapping[str, Made],
    calls: Calls,
    flags: Flags,
    kind: Kind,
    clauses: tuple[str, ...] = ("rope.C7",),
    width: int = 8,
) -> Scenario:
    """Return a scenario of rotations; each step has an input of its own."""
    identity = f"rope-scenario-{name}-{SUFFIX[kind]}"
    steps = []
    for index, (made, positions, seq_len) in enumerate(calls):
        x = draw(f"{identity}-{index}", "x", (*positions.shape, width), kind)
        steps.append(Step(made, {"x": x, "positions": positions}, seq_len))
    return Scenario(identity, comment, objects, tuple(steps), clauses, flags)


def _group(scenario: str, name: str, *cases: Scenario) -> ScenarioGroup:
    return ScenarioGroup(name, f"rope.{scenario}_scenario", cases)


def _at(*places: int) -> Tensor:
    return integers(places)


def _lengths() -> list[ScenarioGroup]:
    """Frequencies that depend on the length: each call has those of its own length."""
    found = []
    scaled = (("dynamic", GROWN, KINDS), ("longrope", longrope(), KINDS[:2]))
    flags: Flags = ("kept-length", "first-length")
    for name, given, kinds in scaled:
        objects, clauses = {"rotary": rotation(given=given)}, ("rope.C7", "rope.C8")
        text = "A long input, then a short one: the base, or the list, of the short length comes back."
        calls: Calls = (("rotary", _at(9, 4999, 8191), 8192), ("rotary", _at(9, 98, 99), 100))
        cases = [
            _scenario(f"{name}-long-short", text, objects, calls, ("kept-length",), kind, clauses)
            for kind in kinds
        ]
        found.append(_group("length", f"{name}-long-short", *cases))
        text = "Short, long, short, at the same positions: first and last call have the same frequencies."
        calls = tuple(("rotary", _at(3, 40, 41), length) for length in (42, 8192, 42))
        case = _scenario(f"{name}-short-long-short", text, objects, calls, flags, "bfloat16", clauses)
        found.append(_group("length", f"{name}-short-long-short", case))
    text = "Decoding across the trained length, one token a call: the base grows with every one."
    calls = tuple(("rotary", _at(length - 1), length) for length in (4096, 4097, 4098, 6000))
    grown = {"rotary": rotation(given=GROWN)}
    cases = [
        _scenario("dynamic-growth", text, grown, calls, ("first-length",), kind, ("rope.C7", "rope.C8"))
        for kind in KINDS[:2]
    ]
    return [*found, _group("length", "dynamic-growth", *cases)]


def _offsets() -> list[ScenarioGroup]:
    """One table, many places: a call has the rows of its own positions."""
    flags: Flags = ("table-by-shape", "restarted-positions")
    adjacent: Slice = (8, "adjacent", 500000.0)
    text = "Three inputs of one shape at different offsets, and back to the first."
    places: tuple[Tensor, ...] = (_at(0, 1, 2), _at(100, 101, 102), _at(7, 8, 9), _at(0, 1, 2))
    calls: Calls = tuple(("rotary", positions, None) for positions in places)
    cases = [
        _scenario("same-shape", text, {"rotary": rotation(adjacent)}, calls, flags, kind) for kind in KINDS
    ]
    found = [_group("offset", "same-shape", *cases)]
    text = "A table that has to grow: longer inputs, then tokens far beyond, then the start again."
    places = (_at(0, 1), _at(0, 1, 2, 3, 4), _at(300, 301, 302), _at(4097), _at(0, 1))
    calls = tuple(("rotary", positions, None) for positions in places)
    objects = {"rotary": rotation((4, "half", 10000.0), 2)}
    clauses = ("rope.C7", "rope.C6")
    flags = ("table-not-grown", "restarted-positions")
    case = _scenario("growth", text, objects, calls, flags, "bfloat16", clauses)
    found.append(_group("offset", "growth", case))
    case = _parity("bfloat16")
    return [*found, _group("offset", "prefill-decode", case, _parity("float32"))]


def _parity(kind: Kind) -> Scenario:
    """Return a prompt at once, then its last tokens again, one a call."""
    identity = f"rope-scenario-prefill-decode-{SUFFIX[kind]}"
    prompt = draw(identity, "x", (5, 8), kind)
    steps = [Step("rotary", {"x": prompt, "positions": integers(range(11, 16))})]
    for row in (2, 3, 4):
        token = Tensor(kind, (1, 8), prompt.data[8 * row : 8 * row + 8])
        steps.append(Step("rotary", {"x": token, "positions": _at(11 + row)}))
    text = "A prompt, then its last three tokens again, one a call: each gets what it got in the prompt."
    flags = ("table-by-shape", "restarted-positions", "shared-cursor")
    yarned = {"rotary": rotation(given=yarn(4.0, 4096))}
    return Scenario(identity, text, yarned, tuple(steps), ("rope.C7", "rope.C8"), flags)


def _objects() -> list[ScenarioGroup]:
    """Two configurations in one process: each object keeps to its own."""
    text = "Layers of local and of global attention, in turns: two bases in one process."
    two = {"local": rotation(), "global": rotation((8, "half", 1e6))}
    order, places = ("local", "global", "local", "global"), _at(5, 700, 701)
    calls: Calls = tuple((name, places, None) for name in order)
    flags = ("shared-configuration",)
    cases = [_scenario("two-bases", text, two, calls, flags, kind) for kind in KINDS[:2]]
    found = [_group("objects", "two-bases", *cases)]
    text = "A scaled rotation and a plain one, of two models in one process."
    both = {"scaled": rotation(given=yarn(4.0, 4096)), "plain": rotation()}
    calls = tuple((name, places, None) for name in ("scaled", "plain", "scaled"))
    case = _scenario("two-scalings", text, both, calls, flags, "bfloat16", ("rope.C7", "rope.C8"))
    found.append(_group("objects", "two-scalings", case))
    text = "One length each: a draft model that grows beside its target that does not."
    both = {"draft": rotation(given=GROWN), "target": rotation(given=GROWN)}
    calls = (("draft", places, 8192), ("target", places, 800), ("draft", places, 8192))
    case = _scenario("two-lengths", text, both, calls, ("shared-length",), "bfloat16", ("rope.C7", "rope.C8"))
    return [*found, _group("objects", "two-lengths", case)]


def _batches() -> list[ScenarioGroup]:
    """Batches whose rows stand at different positions, then single tokens."""
    text = "Two rows at their own positions, then twice one token for each of them, then one row alone."
    rows = (((0, 1, 2, 7, 8, 9), (2, 3)), ((3, 10), (2, 1)), ((4, 11), (2, 1)), ((12,), (1, 1)))
    places = tuple(integers(values, shape) for values, shape in rows)
    calls: Calls = tuple(("rotary", positions, None) for positions in places)
    flags = ("batch-rows", "table-by-shape", "shared-cursor")
    cases = [
        _scenario("rows", text, {"rotary": rotation()}, calls, flags, kind, ("rope.C7", "rope.C11"))
        for kind in KINDS[:2]
    ]
    return [_group("batch", "rows", *cases)]


SCENARIOS: Final = (*_lengths(), *_offsets(), *_objects(), *_batches(), *batches(), *shards(), *cached())
"""The scenarios of the scheme."""
