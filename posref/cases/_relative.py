"""Rows and refusals shared by the schemes that look a vector up by an index."""

from collections.abc import Iterator, Mapping

from posref.cases._build import Baseline, integers, tensor
from posref.cases._draw import Kind, draw
from posref.operation import Group, Tensor

Shape = tuple[int, ...]


def rows(shape: tuple[int, int], count: int, step: int = 2, start: int = 0) -> Tensor:
    """Return an index (Q, K) into `count` rows that changes from query to query and from key to key."""
    queries, keys = shape
    found = [
        (start + (step + 1) * i + step * j + j // 3) % count for i in range(queries) for j in range(keys)
    ]
    return integers(found, shape)


def drawn(case_id: str, shapes: Mapping[str, Shape], kind: Kind) -> dict[str, Tensor]:
    """Return drawn main inputs by name."""
    return {name: draw(case_id, name, shape, kind) for name, shape in shapes.items()}


def refused_tensors(base: Baseline, last: str, clause: str) -> Iterator[Group]:
    """Yield what every operation with main inputs and an index refuses; `last` is the last of them."""
    first = next(iter(base.inputs))
    given, other = base.inputs[first], base.inputs[last]
    count = max(base.inputs["index"].data)
    index = base.inputs["index"]
    for name, row in (("negative", -1), ("beyond", count + 1)):
        yield base.refuse(
            f"index-{name}",
            ("OUT_OF_RANGE", "index"),
            clause,
            "An index without a row: neither wrapped nor clamped.",
            inputs={"index": integers((*index.data[:-1], row), index.shape)},
        )
    yield base.refuse(
        "index-fractional",
        ("INVALID_DTYPE", "index"),
        "conventions.C3",
        "Rows as floats.",
        inputs={"index": tensor("float32", [float(row) for row in index.data], index.shape)},
    )
    yield base.refuse(
        "index-shape",
        ("INVALID_SHAPE", "index"),
        "conventions.C5",
        "An index for one key too few.",
        inputs={"index": rows((index.shape[0], index.shape[1] - 1), count)},
    )
    yield base.refuse(
        "dtypes",
        ("INVALID_DTYPE", last),
        "conventions.C3",
        "Main inputs of two dtypes.",
        inputs={last: Tensor("float64", other.shape, other.data)},
    )
    yield base.refuse(
        "integer",
        ("INVALID_DTYPE", first),
        "conventions.C3",
        "Integers where floats belong.",
        inputs={first: integers(range(1, len(given.data) + 1), given.shape)},
    )
    yield base.refuse(
        "infinite",
        ("INVALID_PARAMETER", last),
        "conventions.C3",
        "An infinity.",
        inputs={last: tensor("bfloat16", (float("inf"), *other.data[1:]), other.shape)},
    )


def refused_scales(base: Baseline, clause: str) -> Iterator[Group]:
    """Yield refused values of `scale`."""
    missing, invalid = ("MISSING_PARAMETER", "scale"), ("INVALID_PARAMETER", "scale")
    yield base.refuse("no-scale", missing, "conventions.C6", "No scale.", without=("scale",))
    yield base.refuse("text-scale", invalid, clause, "A word for a number.", scale="rsqrt")
