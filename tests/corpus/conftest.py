"""Fixtures: calls of golden definitions, and the small corpus of `small_corpus.py` in a temporary folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from golden_calls import caller
from small_corpus import Small, counted, documents, hashed

from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal


@pytest.fixture(params=[MpmathReal, ArbReal])
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that certifies an operation by each engine."""
    return caller(request.param)


@pytest.fixture
def make_small(tmp_path: Path) -> Callable[[str], Small]:
    def make(name: str = "small") -> Small:
        content = hashed(json.loads(json.dumps(documents())))
        small = Small(tmp_path / name, content, counted(content))
        small.write()
        return small

    return make


@pytest.fixture
def small(make_small: Callable[[str], Small]) -> Small:
    return make_small("small")
