"""Vector files: encode, generate, load, lint, diff."""

from posref.corpus.load import load_vectors

__all__ = ["load_vectors"]
