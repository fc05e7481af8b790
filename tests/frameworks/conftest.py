"""Loading a framework's adapter, or saying why there is none."""

import importlib
import warnings

import numpy as np
import pytest
from needed import unavailable

from posref import adapters


@pytest.fixture(scope="session")
def framework():
    """Return a function that loads an adapter by name.

    A framework that cannot be imported is a skip, and a failure where ``POSREF_REQUIRE`` names it.
    """

    def load(name):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what a framework warns of while it is imported is its own
                return adapters.load(name)
        except ImportError as missing:
            unavailable(name, f"{name} cannot be imported: {missing}")

    return load


@pytest.fixture(scope="session")
def module():
    """Return a function that imports a library's module; skips and failures as in `framework`."""

    def load(path, named=None):
        try:
            return importlib.import_module(path)
        except ImportError as missing:
            unavailable(named or path, f"{path} cannot be imported: {missing}")

    return load


@pytest.fixture
def call():
    """Return a function that calls an operation of an implementation on lists, and returns NumPy arrays."""

    def run(implementation, operation, tensors, **params):
        written = [implementation.write(np.asarray(data), dtype) for data, dtype in tensors]
        answer = implementation.operations[operation](*written, **params)
        read = [
            implementation.read(tensor) for tensor in (answer if isinstance(answer, tuple) else (answer,))
        ]
        return read if isinstance(answer, tuple) else read[0]

    return run


@pytest.fixture(scope="session")
def verdicts():
    """Return a function that gives the ids of a report's cases: of a kind, a dtype, and some verdicts."""

    def pick(report, kind, dtype, *wanted):
        found = {}
        for result in report.results:
            if (result.kind, result.dtype) == (kind, dtype) and result.verdict in wanted:
                found.setdefault(result.operation, set()).add(result.case_id)
        return found

    return pick
