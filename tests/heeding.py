"""posref as a program that heeds signals, even where the tests were started to ignore them."""

HEEDING = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from posref.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""
