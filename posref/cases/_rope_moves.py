"""Cases of ``rope.permute`` and ``rope.permute_weight``: zeros of both signs are compared by bits."""

from collections.abc import Iterator, Sequence
from typing import Final

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_common import refused_pairing
from posref.cases._rope_table_slice import KINDS, SIGNED_ROWS, strict
from posref.operation import Case, Group

SIGNED: Final = (-0.0, 1.5, 0.0, -2.0, 0.0, -0.0, 0.75, -0.0, -1.0, 0.0, -0.0, 3.0)
"""Zeros of both signs: two rows of six."""

Orders = tuple[str, str]
BACK: Final[Orders] = ("half", "adjacent")
FORTH: Final[Orders] = ("adjacent", "half")


@complete
def permute() -> Iterator[Group]:
    """Yield the cases of ``rope.permute``."""
    yield from grouped("rope.permute", _orders())
    yield from strict(grouped("rope.permute", _signed_orders()))
    yield from _refused_orders()


def _order(
    name: str,
    comment: str,
    kind: Kind,
    shape: tuple[int, ...],
    where: tuple[Orders, int, int],
    *flags: str,
    given: Sequence[float] = (),
    clauses: tuple[str, ...] = ("rope.C15",),
) -> Row:
    """Return a case; `where` is (source, target), width and start of the slice."""
    (source, target), width, start = where
    case_id = f"rope-permute-{name}-{source}-{target}-{SUFFIX[kind]}"
    value = tensor(kind, given, shape) if given else draw(case_id, "x", shape, kind)
    params = {"source": source, "target": target, "rotary_dim": width, "rotary_start": start}
    return params, Case(case_id, comment, {"x": value}, clauses, flags)


WAYS: Final = ("layout-direction", "layout-kept", "layout-twice", "pair-members")


def _orders() -> Iterator[Row]:
    rest = (*WAYS, "pass-through")
    middle = (*rest, "slice-start")
    text = "One pair: both orders are one."
    yield _order("w2", text, "bfloat16", (5, 2), (FORTH, 2, 0), "width-2", "pair-members")
    yield _order("w2", text, "float64", (3, 2), (BACK, 2, 0), "width-2", "pair-members")
    text = "Two pairs: the permutation is its own inverse."
    yield _order("w4", text, "float32", (6, 4), (FORTH, 4, 0), "layout-kept", "layout-twice")
    text = "Three pairs: there and back differ."
    for kind in KINDS:
        for orders in (FORTH, BACK):
            yield _order("w6", text, kind, (4, 6), (orders, 6, 0), *WAYS)
    text = "From an order to itself: nothing moves."
    yield _order("same", text, "bfloat16", (3, 8), (("half", "half"), 8, 0), "pair-members")
    yield _order("same", text, "float32", (3, 8), (("adjacent", "adjacent"), 6, 1), "pair-members")
    text = "A slice at the front; the rest stays."
    yield _order("front", text, "bfloat16", (5, 12), (FORTH, 8, 0), *rest)
    yield _order("front", text, "float64", (3, 11), (BACK, 6, 0), *rest)
    text = "A slice inside the head."
    yield _order("middle", text, "float32", (4, 13), (FORTH, 6, 3), *middle)
    yield _order("middle", text, "bfloat16", (3, 16), (BACK, 8, 5), *middle)
    text = "A slice at the end, as multi-head latent attention has it."
    yield _order("end", text, "float32", (2, 24), (FORTH, 8, 16), *middle)
    text = "A usual head."
    yield _order("w64", text, "bfloat16", (2, 64), (BACK, 64, 0), *WAYS)
    text = "Batch and heads."
    yield _order("heads", text, "float64", (2, 3, 4, 6), (FORTH, 6, 0), *WAYS)


def _signed_orders() -> Iterator[Row]:
    text = "Zeros of both signs: a coordinate is moved, so each keeps its sign."
    clauses = ("rope.C15", "conventions.C2")
    for kind in KINDS:
        for orders in (FORTH, BACK):
            where = (orders, 6, 0)
            yield _order(
                "signed-zero", text, kind, (2, 6), where, "layout-kept", given=SIGNED, clauses=clauses
            )


def _refused_layout(base: Baseline) -> Iterator[Group]:
    """Yield the refusals of both orders and of the width."""
    yield from refused_pairing(base, "source")
    yield from refused_pairing(base, "target")
    refusal = ("INVALID_PARAMETER", "rotary_dim")
    for name, width in (("odd-width", 3), ("zero-width", 0)):
        yield base.refuse(name, refusal, "rope.C2", "No pairs.", rotary_dim=width)
    text = "A width is an integer."
    yield base.refuse("float-width", refusal, "conventions.C6", text, rotary_dim=6.0)
    missing = ("MISSING_PARAMETER", "rotary_dim")
    yield base.refuse("no-width", missing, "conventions.C6", "Left out.", without=("rotary_dim",))
    wide = ("INVALID_SHAPE", "rotary_dim")
    yield base.refuse("wide-slice", wide, "rope.C2", "A slice wider than the head.", rotary_dim=10)


def _refused_orders() -> Iterator[Group]:
    name = "rope-permute-invalid"
    params = {"source": "half", "target": "adjacent", "rotary_dim": 6, "rotary_start": 0}
    base = Baseline("rope.permute", {"x": draw(name, "x", (3, 8), "bfloat16")}, params)
    yield from _refused_layout(base)
    start, wide = ("INVALID_PARAMETER", "rotary_start"), ("INVALID_SHAPE", "rotary_dim")
    yield base.refuse("negative-start", start, "rope.C2", "A slice before coordinate 0.", rotary_start=-2)
    yield base.refuse("late-slice", wide, "rope.C2", "A slice past the end of the head.", rotary_start=3)
    one = {"x": integers(range(24), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "x"), "conventions.C3", "Integers.", inputs=one)
    one = {"x": tensor("bfloat16", (1.0,), ())}
    yield base.refuse("rank-0", ("INVALID_SHAPE", "x"), "conventions.C5", "A single number.", inputs=one)


@complete
def permute_weight() -> Iterator[Group]:
    """Yield the cases of ``rope.permute_weight``."""
    yield from grouped("rope.permute_weight", _weights())
    yield from strict(grouped("rope.permute_weight", _signed_weights()))
    yield from _refused_weights()


def _weight(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[int, int, int],
    where: tuple[Orders, int],
    *flags: str,
    given: Sequence[float] = (),
    clauses: tuple[str, ...] = ("rope.C16",),
) -> Row:
    """Return a case; `sizes` are heads, head width and model width, `where` (source, target) and width."""
    (heads, width, model), ((source, target), rotary_dim) = sizes, where
    case_id = f"rope-permute-weight-{name}-{source}-{target}-{SUFFIX[kind]}"
    shape = (heads * width, model)
    value = tensor(kind, given, shape) if given else draw(case_id, "weight", shape, kind)
    params = {"num_heads": heads, "source": source, "target": target, "rotary_dim": rotary_dim}
    return params, Case(case_id, comment, {"weight": value}, clauses, flags)


def _weights() -> Iterator[Row]:
    axis, heads = "weight-axis", "weight-heads"
    inside = (*WAYS, axis)
    text = "Two key heads of four, as the report on grouped keys has them."
    grouped_keys = ("layout-kept", "layout-twice", axis, heads)
    yield _weight("grouped", text, "bfloat16", (2, 4, 3), (BACK, 4), *grouped_keys)
    yield _weight("grouped", text, "float64", (2, 4, 3), (FORTH, 4), *grouped_keys)
    text = "Three heads: there and back differ."
    for kind in KINDS:
        for orders in (FORTH, BACK):
            yield _weight("heads", text, kind, (3, 8, 2), (orders, 8), *inside, heads)
    text = "A single head."
    for kind, orders in (("bfloat16", FORTH), ("float32", BACK)):
        yield _weight("one-head", text, kind, (1, 12, 5), (orders, 12), "one-head", *inside)
    text = "Part of each head; its other rows stay."
    part = (*inside, heads, "pass-through")
    yield _weight("part", text, "float32", (2, 12, 2), (FORTH, 8), *part)
    yield _weight("part", text, "bfloat16", (3, 12, 2), (BACK, 6), *part)
    yield _weight("part", text, "float64", (2, 16, 2), (BACK, 8), *part)
    text = "From an order to itself: nothing moves."
    yield _weight("same", text, "float32", (2, 6, 3), (("half", "half"), 6), "pair-members")
    yield _weight("same", text, "bfloat16", (2, 6, 3), (("adjacent", "adjacent"), 4), "pair-members")
    text = "One column: the permutation of a bias."
    yield _weight("bias", text, "float64", (4, 12, 1), (FORTH, 12), "layout-direction", heads)


def _signed_weights() -> Iterator[Row]:
    text = "Zeros of both signs: a row is moved, so each keeps its sign."
    clauses = ("rope.C16", "conventions.C2")
    for kind in KINDS:
        where = (FORTH, 6)
        yield _weight(
            "signed-zero", text, kind, (1, 6, 2), where, "layout-kept", given=SIGNED_ROWS, clauses=clauses
        )


def _refused_weights() -> Iterator[Group]:
    name = "rope-permute-weight-invalid"
    params = {"num_heads": 2, "source": "half", "target": "adjacent", "rotary_dim": 6}
    base = Baseline("rope.permute_weight", {"weight": draw(name, "weight", (16, 3), "bfloat16")}, params)
    yield from _refused_layout(base)
    text = "Rows that do not divide into the heads: those of the queries were given."
    yield base.refuse("heads", ("INVALID_SHAPE", "weight"), "rope.C16", text, num_heads=6)
    refusal = ("INVALID_PARAMETER", "num_heads")
    yield base.refuse("no-head", refusal, "rope.C16", "No head.", num_heads=0)
    yield base.refuse("float-heads", refusal, "conventions.C6", "Heads are counted.", num_heads=2.0)
    missing = ("MISSING_PARAMETER", "num_heads")
    yield base.refuse("no-heads", missing, "conventions.C6", "Left out.", without=("num_heads",))
    shape = ("INVALID_SHAPE", "weight")
    one = {"weight": draw(name, "weight", (2, 8, 3), "bfloat16")}
    yield base.refuse("rank", shape, "conventions.C5", "A weight split into heads.", inputs=one)
    one = {"weight": integers(range(48), (16, 3))}
    yield base.refuse("integer", ("INVALID_DTYPE", "weight"), "conventions.C3", "Integers.", inputs=one)
