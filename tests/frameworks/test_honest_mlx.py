"""Textbook formulas in mlx.core: accepted on every case."""

import pytest
from honest_figures import check
from honest_formulas import Library


@pytest.fixture
def mx(module):
    return module("mlx.core", named="mlx")


def test_every_case_is_accepted(mx, capsys):
    from posref.adapters.mlx.arrays import read, write

    library = Library(
        mx,
        cast=lambda values, dtype: values.astype(getattr(mx, dtype)),
        join=lambda parts, axis: mx.concatenate(list(parts), axis),
        counted=lambda count: mx.arange(count, dtype=mx.float32),
    )
    dtypes = ("float32", "bfloat16", "float16")
    check(library.implementation("mlx", dtypes, write, read), capsys, 11)
