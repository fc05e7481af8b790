"""How fast the reference is, beside a plain copy, NumPy and frameworks, in one process."""

from posref.bench.command import add_parser

__all__ = ["add_parser"]
