"""Cases of the operations in `spec/schemes/fourier.md`."""

from collections.abc import Iterator
from math import inf
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Dtype, Group, Tensor

ORDER = ("sine-cosine-order", "feature-scale")
TURNS = (*ORDER, "two-pi")


@complete
def encode() -> Iterator[Group]:
    """Yield the cases of ``fourier.encode``."""
    yield from grouped("fourier.encode", _values())
    yield from _refused()


def _table(kind: Kind) -> Kind:
    """Return the dtype of the weights that go with coordinates of a kind."""
    return "float64" if kind == "float64" else "float32"


def _case(
    name: str,
    comment: str,
    kind: Kind,
    shapes: tuple[tuple[int, ...], int],
    choice: tuple[bool, bool],
    *flags: str,
    clauses: tuple[str, ...] = ("fourier.C1",),
    x: tuple[float, ...] | None = None,
    weights: tuple[float, ...] | None = None,
) -> Row:
    shown = f"{'turns' if choice[0] else 'radians'}-{'input' if choice[1] else 'plain'}"
    case_id = f"fourier-encode-{shown}-{name}-{SUFFIX[kind]}"
    shape, bands = shapes
    columns = (shape[-1], bands)
    inputs = {
        "x": draw(case_id, "x", shape, kind) if x is None else tensor(kind, x, shape),
        "weights": draw(case_id, "weights", columns, _table(kind))
        if weights is None
        else tensor(_table(kind), weights, columns),
    }
    return {"two_pi": choice[0], "include_input": choice[1]}, Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    for two_pi in (True, False):
        for kept in (True, False):
            choice = (two_pi, kept)
            flags = (*TURNS, *(("input-place", "input-scaled") if kept else ()))
            lost = (*flags, "axis-lost", "sine-layout")
            clauses = ("fourier.C1", "fourier.C2") if kept else ("fourier.C1",)
            text = "Random frequencies."
            yield _case("a2", text, "bfloat16", ((4, 2), 5), choice, *lost, clauses=clauses)
            yield _case("a3", text, "float32", ((4, 3), 5), choice, *lost, clauses=clauses)
            yield _case("a4", text, "float64", ((2, 4), 6), choice, *lost, clauses=clauses)
            text = "One coordinate: a diffusion step, a Gaussian projection."
            yield _case("a1", text, "float32", ((4, 1), 4), choice, *flags)
    yield from _bands()
    yield from _shapes()


def _bands() -> Iterator[Row]:
    text = "Bands 1, 2, 4 at 0.3."
    one, bands = ((1, 1), 3), (1.0, 2.0, 4.0)
    yield _case(
        "report", text, "float32", one, (True, False), *TURNS, x=(0.30000001192092896,), weights=bands
    )
    text = "Bands of a power of two: whole turns drop out exactly."
    flags = ("sine-cosine-order", "two-pi")
    where = (0.25, -0.375, 5.125, 1.0)
    yield _case("octaves", text, "bfloat16", ((4, 1), 3), (True, True), *flags, x=where, weights=bands)
    text = "Each coordinate with bands of its own."
    apart = (1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 9.0)
    yield _case("apart", text, "float32", ((3, 2), 6), (False, False), *TURNS, weights=apart)
    text = "The origin: sines 0, cosines 1."
    origin, one = (0.0, 0.5, -0.25), ((3, 1), 5)
    flags = ("position-zero", "sine-cosine-order")
    yield _case("origin", text, "bfloat16", one, (True, True), *flags, x=origin)
    text = "Products that cancel: what is left is far smaller than they are."
    close = (1.5, -1.5, 3.0, -3.015625, -0.75, 0.5)
    down = (2.0, 3.0, 5.0, 2.0, 3.0009765625, 5.0)
    yield _case("cancel", text, "bfloat16", ((3, 2), 3), (False, False), x=close, weights=down)
    text = "A coordinate beside which the other is nothing: no product of the two may be rounded."
    tiny = (0.3, 2.0**-1000, -0.7, 1.5 * 2.0**-900, 1.1, -(2.0**-1022))
    both = (2.3, 0.7, 1.9, 3.1, -0.4, 5.3)
    for two_pi in (True, False):
        choice = (two_pi, False)
        yield _case("tiny", text, "float64", ((3, 1, 2), 3), choice, *TURNS, x=tiny, weights=both)
    text = "Beyond 2^53 turns: whole turns drop out exactly."
    beyond, slopes = (3.0e22, -7.1e18, 1.0e16), (0.7310585786300049, 1.3)
    for two_pi in (True, False):
        yield _case("beyond", text, "float64", ((3, 1), 2), (two_pi, False), x=beyond, weights=slopes)
    text = "Angles in the thousands."
    far = (700.0, -900.0, 1001.0, 3.0, -12.5, 4095.0)
    high = (1.3125, 0.71875, -2.4375, 1.1875, 0.6875, 3.0625)
    flags = ("sine-cosine-order", "two-pi")
    yield _case("far", text, "float32", ((3, 2), 3), (True, False), *flags, x=far, weights=high)
    text = "Angles that a half format cannot hold."
    rows = (20.125, -30.25, 41.5, 17.75, -63.0, 22.25)
    flags = ("sine-cosine-order", "angle-rounding")
    yield _case("angles", text, "bfloat16", ((3, 2), 3), (False, False), *flags, x=rows, weights=high)


def _shapes() -> Iterator[Row]:
    text = "Two batch axes."
    flags = (*TURNS, "batch-rows")
    yield _case("batch", text, "float32", ((2, 3, 4, 2), 2), (True, False), *flags)
    yield _case("batch", text, "bfloat16", ((2, 4, 3), 4), (False, True), *flags, "input-place")
    yield _case("wide", "Many frequencies.", "float32", ((2, 3), 24), (True, False), *TURNS)
    yield _case("empty", "No point.", "bfloat16", ((0, 3), 4), (True, True), "empty")


def _refused() -> Iterator[Group]:
    prefix = "fourier-encode-invalid"
    inputs = {
        "x": draw(prefix, "x", (4, 3), "bfloat16"),
        "weights": draw(prefix, "weights", (3, 5), "float32"),
    }
    base = Baseline("fourier.encode", inputs, {"two_pi": True, "include_input": False})

    def refuse(name: str, refusal: tuple[str, str], clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, refusal, clause, comment, inputs={refusal[1]: given})

    def numbers(dtype: Dtype, *shape: int) -> Tensor:
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return tensor(dtype, [1.0 + n for n in range(count)], shape)

    shape, clause = "INVALID_SHAPE", "fourier.C3"
    yield refuse("axes", (shape, "weights"), clause, "Weights for two coordinates.", numbers("float32", 2, 5))
    yield refuse("transposed", (shape, "weights"), clause, "A row a frequency.", numbers("float32", 5, 3))
    yield refuse("vector", (shape, "weights"), clause, "Frequencies without an axis.", numbers("float32", 3))
    yield refuse("no-bands", (shape, "weights"), clause, "No frequency.", tensor("float32", (), (3, 0)))
    yield refuse("rank-1", (shape, "x"), clause, "A single point without an axis.", numbers("bfloat16", 3))
    dtype, clause = "INVALID_DTYPE", "conventions.C3"
    whole = integers(range(1, 13), (4, 3))
    yield refuse("integer", (dtype, "x"), clause, "Pixel indices as integers.", whole)
    yield refuse("short", (dtype, "weights"), clause, "Weights in bfloat16.", numbers("bfloat16", 3, 5))
    bad = tensor("bfloat16", (inf, *range(1, 12)), (4, 3))
    yield refuse("infinite", ("INVALID_PARAMETER", "x"), clause, "An infinite coordinate.", bad)
    for name in ("two_pi", "include_input"):
        clause, shown = "conventions.C6", name.replace("_", "-")
        missing, wrong = ("MISSING_PARAMETER", name), {name: 1}
        yield base.refuse(f"no-{shown}", missing, clause, "A convention left out.", without=(name,))
        number: dict[str, Any] = {**wrong}
        yield base.refuse(f"{shown}-1", ("INVALID_PARAMETER", name), clause, "A number.", **number)
