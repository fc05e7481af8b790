"""posref in a test suite: one line for an implementation, a parameter for each case, drawn calls.

Importing it needs NumPy only; pytest and Hypothesis (``pip install 'posref[testing]'``) are imported by what
uses them.
"""

from typing import Any

from posref.testing.call import Call
from posref.testing.cases import Case, Cases, cases
from posref.testing.conform import assert_conforms
from posref.testing.matches import assert_matches_reference
from posref.testing.pytest_cases import parametrize

__all__ = [
    "Call",
    "Case",
    "Cases",
    "assert_conforms",
    "assert_matches_reference",
    "cases",
    "parametrize",
    "strategies",
]


def __getattr__(name: str) -> Any:
    """Import the strategies, and with them Hypothesis, when they are first asked for."""
    if name == "strategies":
        import importlib

        return importlib.import_module("posref.testing.strategies")
    raise AttributeError(f"module 'posref.testing' has no attribute {name!r}")
