"""The reference that posref ships, as an implementation under test."""

import posref
from posref.adapters import Implementation
from posref.operation import find, signatures


def load() -> Implementation:
    """Return every operation of the reference."""
    operations = {name: find("reference", name) for name in signatures()}
    return Implementation("reference", operations, version=posref.__version__)
