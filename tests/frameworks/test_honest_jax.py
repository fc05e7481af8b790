"""Textbook formulas in jax.numpy without 64-bit numbers: accepted on every case but one.

XLA flushes subnormal numbers to zero on a CPU, and one case has slopes that small. Every shape is
compiled anew, which takes minutes.
"""

import numpy as np
import pytest
from honest_figures import check
from honest_formulas import Library

from posref.adapters import Unsupported, read_numpy, write_numpy


@pytest.fixture
def jnp(module):
    return module("jax.numpy", named="jax")


FLUSHED = {"float32": {("float32", "alibi-slopes-h4-max140")}}


@pytest.mark.full
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_every_case_is_accepted(jnp, capsys, dtype):
    def write(values, dtype):
        if dtype == "int64" and np.any(values != values.astype(np.int32)):
            raise Unsupported("integers have 32 bits")
        return jnp.asarray(write_numpy(values, dtype))

    library = Library(
        jnp,
        cast=lambda values, dtype: values.astype(dtype),
        join=jnp.concatenate,
        counted=lambda count: jnp.arange(count, dtype="float32"),
    )

    def read(array):
        return read_numpy(np.asarray(array))

    offered = ("float32", "bfloat16", "float16")
    jax = library.implementation("jax", offered, write, read)
    check(jax, capsys, 11, FLUSHED.get(dtype, ()), (dtype,))
