"""The registered stale-state mistakes as implementations: objects of one operation, the rest right."""

from collections.abc import Callable
from typing import Any

from posref.adapters import Implementation
from posref.conformance.scenario import Played, play
from posref.corpus.load import ScenarioTest
from posref.mistakes._stale import Keeper
from posref.operation import StaleMistake, find, signatures, stale_mistakes

OPERATIONS = (
    "rope.apply",
    "rope.apply_qk",
    "rope.rerotate",
    "attention.scores",
    "positions.from_lengths",
    "positions.from_mask",
    "positions.shard",
)
"""What the scenarios call."""

STALE = tuple(mistake for name in signatures() for mistake in stale_mistakes(name))


def stateless(made: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation that makes a fresh object for every call."""
    return lambda *inputs, **params: made(**params)(*inputs)


def implementation(operation: str, made: Callable[..., Any]) -> Implementation:
    """Return an implementation that makes the objects of the operation with `made`."""
    right = {name: find("reference", name) for name in OPERATIONS}
    return Implementation("made", {**right, operation: stateless(made)}, sessions={operation: made})


def stateful(mistake: StaleMistake) -> Implementation:
    """Return an implementation that makes the mistake."""
    return implementation(mistake.operation, mistake.session)


def honest() -> Implementation:
    """Return an implementation whose objects keep their parameters and nothing else."""
    return implementation("rope.apply", lambda **params: Keeper("rope.apply", **params))


def named(name: str) -> StaleMistake:
    """Return the first mistake of that name."""
    return next(mistake for mistake in STALE if mistake.name == name)


def performance(implementation: Implementation, test: ScenarioTest, dtype: str) -> Played:
    """Return what comes of one scenario."""
    [found] = play(implementation, [test], dtype)
    return found


def functions(**replaced: Callable[..., Any]) -> Implementation:
    """Return right functions, some replaced: ``rope_apply`` for the operation ``rope.apply``."""
    named = {name.replace(".", "_"): name for name in OPERATIONS}
    right = {name: find("reference", name) for name in OPERATIONS}
    return Implementation("made", {**right, **{named[key]: one for key, one in replaced.items()}})
