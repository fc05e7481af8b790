"""Cases of the operations in `spec/schemes/learned.md`."""

from posref.cases._learned_lookup import lookup
from posref.cases._learned_resize import resize

__all__ = ["lookup", "resize"]
