import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

import flint
import ml_dtypes
import mpmath
import numpy as np
import pytest

import posref.golden.alibi
from posref.corpus.ball import Ball, enclose
from posref.corpus.certify import CertificationError, Overflow, Uncertain, certify
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.operation import DTYPES, Tensor

ENGINES = [MpmathReal, ArbReal]
NUMPY = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
LARGEST = {"float64": (53, 1024), "float32": (24, 128), "bfloat16": (8, 128), "float16": (11, 16)}
SMALLEST = {"float64": -1074, "float32": -149, "bfloat16": -133, "float16": -24}
HARD_POSITIONS = [355, 103993, 245850922, 6134899525417045, 2**53, 1_800_000_000_001]


def outcome(engine, precision, function, dtype):
    """Round `function(engine)`, raising the precision as certification does; an overflow is an outcome."""
    while True:
        real = engine(precision)
        try:
            value, residual = real.round(function(real), dtype)
            return struct.pack(">d", value).hex(), residual
        except Overflow:
            return "overflow"
        except Uncertain:
            precision += 32
            assert precision <= 4096


def agree(function):
    for dtype in DTYPES:
        assert outcome(MpmathReal, 160, function, dtype) == outcome(ArbReal, 160, function, dtype)


def draw(source, magnitude):
    """Return a random fraction: few bits or many, near one or of any size."""
    bits = source.choice([1, 2, 5, 24, 53, 200])
    number = Fraction(source.getrandbits(bits) | 1, 1 << source.randint(0, bits))
    return number * Fraction(2) ** source.randint(-magnitude, magnitude)


@pytest.mark.parametrize(
    ("function", "magnitude"), [("exp", 8), ("log", 1000), ("sqrt", 1000), ("sin", 80), ("cos", 80)]
)
def test_the_engines_agree_on_random_arguments(function, magnitude):
    source = random.Random(f"{function} {magnitude}")
    for _ in range(150):
        x = draw(source, magnitude)
        agree(lambda real, x=x: getattr(real, function)(real.exact(x.numerator, x.denominator)))
        if function not in ("log", "sqrt"):
            agree(lambda real, x=x: getattr(real, function)(real.exact(-x.numerator, x.denominator)))


@pytest.mark.parametrize("function", ["log", "exp", "sqrt", "sin", "cos"])
@pytest.mark.parametrize("shift", [5, 30, 52, 61, 150, 500])
def test_the_engines_agree_near_one_and_near_zero(function, shift):
    for start in (0, 1):
        for sign in (1, -1):
            agree(
                lambda real, a=start, b=sign: getattr(real, function)(
                    real.exact(a) + real.exact(b if a or function in ("exp", "sin", "cos") else 1, 1 << shift)
                )
            )


def test_the_engines_agree_on_powers():
    source = random.Random("powers")
    for _ in range(200):
        x, y = draw(source, 40), draw(source, 3) * source.choice([1, -1])
        x += 0 if x != 1 else 1
        y = y.limit_denominator(source.choice([2, 3, 64, 1 << 60]))
        agree(
            lambda real, x=x, y=y: real.pow(
                real.exact(*x.as_integer_ratio()), real.exact(*y.as_integer_ratio())
            )
        )


@pytest.mark.parametrize("position", HARD_POSITIONS)
def test_the_engines_agree_at_hard_positions(position):
    for i in range(0, 64, 7):
        for function in ("sin", "cos"):
            agree(
                lambda real, i=i, f=function: getattr(real, f)(
                    position * real.pow(real.exact(10000), real.exact(-2 * i, 128))
                )
            )


@pytest.mark.parametrize("engine", ENGINES)
def test_rounding_through_binary64_is_wrong_here_and_ours_is_right(engine):
    real = engine(160)
    value = real.sin(428137 * real.pow(real.exact(160000), real.exact(-2 * 47, 96)))
    stored, _ = real.round(value, "float32")
    assert struct.pack(">f", stored).hex() == "be93e79d"
    through, _ = real.round(value, "float64")
    assert struct.pack(">f", through).hex() == "be93e79e"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_number_tie_and_neighbourhood_of_a_narrow_dtype(engine, dtype):
    real = engine(160)
    patterns = np.arange(0, 0x7F80 if dtype == "bfloat16" else 0x7C00, dtype=np.uint16)
    values = [Fraction(float(v)) for v in patterns.view(NUMPY[dtype]).astype(np.float64)]
    for index in range(0, len(values) - 1, 61):
        low, high = values[index], values[index + 1]
        middle = (low + high) / 2
        even = low if index % 2 == 0 else high
        little = (high - low) / 2**80
        expected = [
            (low, low, "0"),
            (low + little, low, "+"),
            (middle - little, low, "+"),
            (middle, even, "+" if even == low else "-"),
            (middle + little, high, "-"),
            (high - little, high, "-"),
        ]
        for exact, stored, residual in expected:
            mirror = {"+": "-", "-": "+", "0": "0"}[residual]
            assert real.round(real.exact(*exact.as_integer_ratio()), dtype) == (float(stored), residual)
            assert real.round(real.exact(*(-exact).as_integer_ratio()), dtype) == (-float(stored), mirror)


@pytest.mark.parametrize("engine", ENGINES)
def test_binary64_agrees_with_the_division_of_python_and_binary32_with_its_neighbours(engine):
    source = random.Random("division")
    real = engine(160)
    for _ in range(300):
        top, bottom = source.getrandbits(200), source.getrandbits(source.randint(1, 1200)) | 1
        stored, residual = real.round(real.exact(top, bottom), "float64")
        assert stored == top / bottom
        difference = Fraction(top, bottom) - Fraction(stored)
        assert residual == ("+" if difference > 0 else "-" if difference < 0 else "0")
        try:
            narrow, _ = real.round(real.exact(top, bottom), "float32")
        except Overflow:
            assert Fraction(top, bottom) >= 2**128 - 2**103
            continue
        bits = struct.unpack(">I", struct.pack(">f", narrow))[0]
        near = [struct.unpack(">f", struct.pack(">I", b))[0] for b in (max(bits - 1, 0), bits + 1)]
        error = abs(Fraction(top, bottom) - Fraction(narrow))
        assert all(error <= abs(Fraction(top, bottom) - Fraction(n)) for n in near if n != float("inf"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_threshold_of_overflow(engine, dtype):
    real = engine(160)
    bits, end = LARGEST[dtype]
    largest = 2**end - 2 ** (end - bits)
    threshold = 2**end - 2 ** (end - bits - 1)
    assert real.round(real.exact(2 * threshold - 1, 2), dtype) == (float(largest), "+")
    assert real.round(real.exact(1 - 2 * threshold, 2), dtype) == (-float(largest), "-")
    for beyond in (threshold, 2**end, 2**5000):
        for number in (real.exact(beyond), real.exact(-beyond), beyond * real.exp(real.exact(1, 1000))):
            with pytest.raises(Overflow):
                real.round(number, dtype)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_underflow_keeps_sign_and_side(engine, dtype):
    real = engine(160)
    least = real.exact(1, 2 ** -SMALLEST[dtype])
    half = least / 2
    assert str(real.round(half, dtype)) == "(0.0, '+')"
    assert str(real.round(-half, dtype)) == "(-0.0, '-')"
    assert str(real.round(real.exact(0), dtype)) == "(0.0, '0')"
    assert str(real.round(-half * real.exp(-(real.exact(10) ** 9)), dtype)) == "(-0.0, '-')"
    assert real.round(half * 3, dtype) == (2 * 2.0 ** SMALLEST[dtype], "-")
    assert real.round(half * real.exp(real.exact(1, 2**60)), dtype) == (2.0 ** SMALLEST[dtype], "-")
    assert real.round(half * real.exp(real.exact(-1, 2**60)), dtype) == (0.0, "+")


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_rational_stays_exact(engine):
    real = engine(160)
    assert real.pow(real.exact(10000), real.exact(-6, 8)) == real.exact(1, 1000)
    assert real.pow(real.exact(2), real.exact(-8 * 3, 8)) == real.exact(1, 8)
    assert real.pow(real.exact(4, 9), real.exact(3, 2)) == real.exact(8, 27)
    assert real.pow(real.exact(5), real.exact(0)) == 1
    assert real.sqrt(real.exact(9, 16)) == real.exact(3, 4)
    assert real.exp(real.exact(0)) == real.cos(real.exact(0)) == 1
    assert real.sin(real.exact(0)) == real.log(real.exact(1)) == 0
    assert 0 * real.pi() == real.exact(0) * real.pi() == real.pi() * 0 == 0 / real.pi() == 0
    irrational = real.pow(real.exact(10001), real.exact(-6, 8))
    assert irrational < real.exact(1, 999)
    assert irrational > real.exact(1, 1001)
    # A degree that no root reaches: 7.3 has the denominator 2^50.
    assert real.round(real.pow(real.exact(2), -real.exact(*(7.3).as_integer_ratio())), "float16")[1] in "+-"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_power_near_an_exact_one_is_told_apart(engine):
    real = engine(160)
    near = real.pow(real.exact(10000 * 2**100 + 1, 2**100), real.exact(-1, 4))
    assert real.round(near, "float64") == (0.1, "-")  # 0.1 in binary64 lies above one tenth
    close = real.pow(real.exact(16 * 2**60 + 1, 2**60), real.exact(-1, 4))
    assert real.round(close, "float64") == (0.5, "-")
    with pytest.raises(Uncertain):
        engine(40).round(engine(40).pow(real.exact(16 * 2**300 + 1, 2**300), real.exact(-1, 4)), "float64")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_enclosure_that_decides_nothing_is_uncertain(engine):
    real = engine(320)
    root = real.sqrt(real.exact(2))
    with pytest.raises(Uncertain):
        real.round(root * root - 2, "float32")
    with pytest.raises(Uncertain):
        real.round(root * root, "float32")
    with pytest.raises(Uncertain):
        1 / (root * root - 2)
    with pytest.raises(Uncertain):
        bool(root * root < 2)
    assert root < 2 < root * root + real.exact(1, 2**200)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_domain_of_log_sqrt_and_pow(engine):
    real = engine(160)
    for wrong in (
        lambda: real.log(real.exact(0)),
        lambda: real.log(real.exact(-1)),
        lambda: real.sqrt(real.exact(-1)),
    ):
        with pytest.raises(ValueError, match=r"not positive|negative"):
            wrong()
    with pytest.raises(ValueError, match="negative"):
        real.pow(real.exact(-2), real.exact(1, 2))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_undecidable_value_ends_in_an_error_and_never_in_a_guess(engine, monkeypatch):
    def zero(real, **_):
        root = real.sqrt(real.exact(2))
        return [root * root - 2]

    monkeypatch.setattr(posref.golden.alibi, "slopes", zero)
    with pytest.raises(CertificationError, match=r"alibi\.slopes"):
        certify(engine, "alibi.slopes", {}, {"num_heads": 1, "bias_max": 8.0}, ["float32"])


@pytest.mark.parametrize("engine", ENGINES)
def test_precision_rises_until_a_value_is_decided(engine, monkeypatch):
    tried = []

    def nearly_one(real, **_):
        tried.append(real.precision)
        return [1 - real.exp(real.exact(-300))]

    monkeypatch.setattr(posref.golden.alibi, "slopes", nearly_one)
    found = certify(engine, "alibi.slopes", {}, {"num_heads": 1, "bias_max": 8.0}, ["float32"])
    assert found["slopes"]["float32"] == (Tensor("float32", (1,), (1.0,)), "-")
    assert tried[0] == 160
    assert tried == list(range(160, tried[-1] + 1, 32))
    assert tried[-1] >= 300 / np.log(2)


def test_balls_hold_the_value_through_long_chains():
    source = random.Random("chains")
    for _ in range(60):
        steps = [
            (source.choice("+-*/"), draw(source, 6) % 8, source.choice(["exp", "sin", "cos"]))
            for _ in range(12)
        ]

        def chain(real, steps=steps):
            total = real.sin(real.exact(1))
            for sign, x, function in steps:
                term = getattr(real, function)(real.sin(real.exact(*x.as_integer_ratio()) + total))
                total = {
                    "+": total + term,
                    "-": total - term,
                    "*": total * term,
                    "/": term / (3 + total * total),
                }[sign]
            return total

        wide, narrow = chain(MpmathReal(100)).ends(), chain(MpmathReal(400)).ends()
        assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
        assert wide[1] - wide[0] > 0


@pytest.mark.parametrize(
    "left", [Ball(3, 1, 0, 20), Ball(-5, 2, -3, 20), Ball(1, 3, 4, 20), Ball(7, 0, -90, 20)]
)
@pytest.mark.parametrize("right", [Ball(9, 2, -1, 20), Ball(-6, 1, 70, 20), Fraction(-2, 3), 5])
def test_ball_arithmetic_contains_the_results_of_its_ends(left, right):
    ends = right.ends() if isinstance(right, Ball) else (right, right)
    for step in (
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: b - a,
        lambda a, b: a * b,
        lambda a, b: a / b,
    ):
        low, high = step(left, right).ends()
        for a in left.ends():
            for b in ends:
                assert low <= step(Fraction(a), Fraction(b)) <= high
    low, high = abs(left).ends()
    assert all(low <= abs(a) <= high for a in left.ends())


@pytest.mark.parametrize("function", ["exp", "log", "sqrt", "sin", "cos"])
@pytest.mark.parametrize("ball", [Ball(6, 1, -2, 40), Ball(9, 3, 0, 40), Ball(2**30 + 1, 7, -30, 40)])
def test_a_function_of_a_ball_contains_the_function_of_its_ends(function, ball):
    if function == "exp":
        ball = Ball(ball.man, min(ball.rad, 1), ball.exp, 40)
    low, high = getattr(MpmathReal(40), function)(ball).ends()
    for end in ball.ends():
        inside = getattr(MpmathReal(400), function)(end)
        assert low <= inside.ends()[0] <= inside.ends()[1] <= high


def test_what_is_too_small_to_add_widens_the_sum():
    for small in (
        Ball(5, 3, -200, 20),
        Ball(-5, 3, -200, 20),
        Ball(0, 1, -(10**40), 20),
        Fraction(-1, 3**200),
    ):
        low, high = (Ball(7, 0, 200, 20) + small).ends()
        assert low < 7 * 2**200 < high
    assert enclose(Fraction(1, 3), 20).ends()[0] < Fraction(1, 3) < enclose(Fraction(1, 3), 20).ends()[1]


def test_global_precision_is_left_alone():
    flint.ctx.prec, mpmath.mp.prec = 77, 91
    try:
        for engine in ENGINES:
            real = engine(200)
            real.round(-abs(real.exp(real.pi() / 3) - real.pow(real.exact(3), real.exact(1, 7))), "float64")
        assert (flint.ctx.prec, mpmath.mp.prec) == (77, 91)
    finally:
        flint.ctx.prec, mpmath.mp.prec = 53, 53


PROGRAM = """
from mpmath.libmp import BACKEND
from posref.corpus.certify import certify
from posref.corpus.engine_mpmath import MpmathReal
from posref.operation import Tensor
p = Tensor("int64", (4,), (0, 355, -103993, 6134899525417045))
params = dict(dim=16, base=500000.0, denominator="dim", layout="sin_cos", odd="error")
print(BACKEND)
print(certify(MpmathReal, "sinusoidal.encode", {"positions": p}, params, ["float64", "float32", "float16"]))
"""


def test_nothing_depends_on_gmpy2_or_on_the_hash_seed():
    printed = []
    for settings in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "MPMATH_NOGMPY": "1"}):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(run.stdout.partition("\n"))
    assert printed[1][0] == "python"
    assert printed[0][2] == printed[1][2]
    assert len(printed[0][2]) > 1000
