"""``python -m posref``."""

import sys

from posref.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
