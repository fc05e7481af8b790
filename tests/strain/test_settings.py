"""What a caller has set before posref is imported makes no difference either."""

import os
import subprocess
import sys
from pathlib import Path

import legal_calls
import pytest

import posref

DIGESTS = """
import hashlib, sys
from decimal import DefaultContext, FloatOperation, Inexact, ROUND_UP, Rounded, Subnormal, getcontext
import numpy as np
exec(sys.argv[1])
from legal_calls import NAMES, call, outputs, valid
for name in NAMES:
    found = outputs(call(name, *valid(name)))
    print(name, hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in found)).hexdigest())
"""

BEFORE = {
    "decimals": "for one in (DefaultContext, getcontext()): one.prec, one.rounding = 3, ROUND_UP",
    "traps": "for one in (DefaultContext, getcontext()):\n"
    " for trap in (Inexact, Rounded, FloatOperation, Subnormal): one.traps[trap] = True",
    "limits": "for one in (DefaultContext, getcontext()): one.Emax, one.Emin = 9, -9",
    "errors": "np.seterr(all='raise')",
    "digits": "sys.set_int_max_str_digits(640)",
    "printing": "np.set_printoptions(precision=1, threshold=1)",
}


PLACES = Path(posref.__file__).parents[1], Path(legal_calls.__file__).parent


def digests(before: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DIGESTS, before],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PLACES))},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def plain() -> list[str]:
    return digests("pass")


@pytest.mark.parametrize("what", BEFORE)
def test_set_before_the_import(what: str, plain: list[str]) -> None:
    assert digests(BEFORE[what]) == plain
    assert len(plain) == len(legal_calls.NAMES)
