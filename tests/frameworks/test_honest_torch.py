"""Textbook formulas in eager torch on a CPU: accepted on every case."""

import pytest
from honest_figures import check
from honest_formulas import Library


@pytest.fixture
def torch(module):
    return module("torch")


def library(torch):
    return Library(
        torch,
        cast=lambda values, dtype: values.to(getattr(torch, dtype)),
        join=torch.cat,
        counted=lambda count: torch.arange(count, dtype=torch.float32),
    )


def test_every_case_is_accepted(torch, framework, capsys):
    own = framework("torch")
    dtypes = ("float32", "bfloat16", "float16")
    check(library(torch).implementation("torch", dtypes, own.write, own.read), capsys, 11)
