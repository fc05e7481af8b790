"""posref in a process whose files end at a size: ``python limited.py BYTES WORD...``."""

import resource
import sys

from posref.cli import main

if __name__ == "__main__":
    size = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    sys.exit(main(sys.argv[2:]))
