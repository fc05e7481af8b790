"""Fixtures: the small corpus of `small_corpus.py` in a temporary folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from small_corpus import Small, counted, documents, hashed


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
