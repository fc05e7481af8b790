"""A small corpus that commands read, built once."""

import os
from pathlib import Path

import pytest
from commands import corpus


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if os.name != "posix" and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="signals, limits and /proc are those of POSIX systems"))


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "v"
    corpus(folder)
    return folder
