"""xpos: the scale, the center that cancels, scores that fade, and bad input."""

from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import rope, xpos
from posref.numerics.rounding import exact, native, ulp

UNIT = 2.0**-53
DECAY: dict[str, Any] = {"rotary_dim": 8, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}
TURN: dict[str, Any] = {**DECAY, "base": 10000.0, "pairing": "adjacent"}


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def real(position: int, width: int, gamma: float, scale_base: float, center: float) -> list[Any]:
    """Evaluate xpos.C1 word for word at the digits in force."""
    g, size = mpmath.mpf(gamma), mpmath.mpf(width)
    exponent = (position - mpmath.mpf(center)) / mpmath.mpf(scale_base)
    return [((2 * i + g * size) / ((1 + g) * size)) ** exponent for i in range(width // 2)]


def test_worked_bases() -> None:
    """The bases themselves are the scale one unit of the exponent away."""
    wanted = [0.28571428571428575, 0.46428571428571436, 0.6428571428571429, 0.8214285714285714]
    got = xpos.scale(np.array([512]), **DECAY)[0]
    # printed by a program with gamma 0.4 and three roundings
    assert np.allclose(got, wanted, rtol=5 * UNIT, atol=0)


def test_worked_scale_at_position_10() -> None:
    wanted = [0.9758288888616967, 0.9851262709173645, 0.9914075817136105, 0.9961653730967206]
    assert np.allclose(xpos.scale(np.array([10]), **DECAY)[0], wanted, rtol=5 * UNIT, atol=0)


@pytest.mark.parametrize(
    ("width", "gamma", "scale_base", "center", "positions"),
    [
        (8, 0.4, 512.0, 0.0, [0, 1, -1, 10, 4099, -70000, 2**17]),
        (128, 0.4, 512.0, 16.5, [0, 16, 17, 100000, -100000]),
        (2, 1.0, 1.0, 0.0, [1022, 1000, -1023, 3]),
        (6, 0.1, 1e-3, 0.3, [0, 1]),
        (16, 1e300, 1e-290, 0.0, [1, 2**40, -(2**53)]),
        (4, 1e-300, 700.0, -3.0, [-3, -2, 500, -500]),
        (8, 0.4, 2.0**60, 1e300, [2**53]),
        (8, 0.4, 5e-324, 5e-324, [0]),
        (12, 3.0, 1.7e308, 0.5, [2**53, 1]),
    ],
)
def test_a_scale_is_within_an_ulp(
    width: int, gamma: float, scale_base: float, center: float, positions: list[int]
) -> None:
    params = {"rotary_dim": width, "gamma": gamma, "scale_base": scale_base, "center": center}
    for position in positions:
        with mpmath.workdps(700):
            wanted = real(position, width, gamma, scale_base, center)
            inside = all(mpmath.mpf(2) ** -1022 <= value < mpmath.mpf(2) ** 1024 for value in wanted)
        if not inside:
            with pytest.raises(posref.SpecError, match=r"\[xpos.C1\] positions"):
                xpos.scale(np.array([position]), **params)
            continue
        got = xpos.scale(np.array([position]), **params)[0]
        with mpmath.workdps(700):
            for value, true in zip(got.tolist(), wanted, strict=True):
                assert abs(value - true) <= 0.51 * float(ulp(float(true), "float64"))


def test_short_scales_are_rounded_once() -> None:
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    at = np.array([3, 700, -90])
    wide = xpos.scale(at, **DECAY)
    for dtype in ("float32", "float16", "bfloat16"):
        assert np.array_equal(exact(xpos.scale(at, **DECAY, dtype=dtype))[1], exact(native(wide, dtype))[1])


def test_the_center_has_scale_1_and_powers_of_two_are_exact() -> None:
    assert (xpos.scale(np.array([16]), **(DECAY | {"center": 16.0})) == 1.0).all()
    octave = {"rotary_dim": 2, "gamma": 1.0, "scale_base": 1.0, "center": 0.0}
    got = xpos.scale(np.array([0, 1, -3, 1022, -1023]), **octave)
    assert got.ravel().tolist() == [1.0, 0.5, 8.0, 2.0**-1022, 2.0**1023]


@pytest.mark.parametrize("position", [1023, -1024, 2**53, -(2**53)])
def test_a_scale_outside_the_normal_range_is_refused(position: int) -> None:
    octave = {"rotary_dim": 2, "gamma": 1.0, "scale_base": 1.0, "center": 0.0}
    with pytest.raises(posref.SpecError, match=r"\[xpos.C1\] positions") as caught:
        xpos.scale(np.array([0, position]), **octave)
    assert caught.value.kind == "OUT_OF_RANGE"
    for role in ("query", "key"):
        with pytest.raises(posref.SpecError, match=r"\[xpos.C1\] positions"):
            xpos.apply(np.ones((1, 2)), np.array([position]), role=role, base=1e4, pairing="half", **octave)


def test_an_overflowing_dtype_is_the_callers_choice() -> None:
    octave = {"rotary_dim": 2, "gamma": 1.0, "scale_base": 1.0, "center": 0.0}
    assert xpos.scale(np.array([-100]), **octave, dtype="float32")[0, 0] == 2.0**100
    with pytest.raises(posref.SpecError, match=r"\[conventions.C2\] dtype"):
        xpos.scale(np.array([-16]), **octave, dtype="float16")


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
@pytest.mark.parametrize("role", ["query", "key"])
def test_a_rotation_and_a_factor(pairing: str, role: str) -> None:
    """The same as rope.apply, times the scale of the pair: three more roundings of a pair's size."""
    x, at = draw("factor", 3, 10), np.array([0, 77, -300])
    params = TURN | {"pairing": pairing, "center": 5.0}
    got = xpos.apply(x, at, role=role, **params)
    turned = rope.apply(x, at, rotary_dim=8, base=10000.0, pairing=pairing)
    scale = xpos.scale(at, **(DECAY | {"center": 5.0})) ** (1.0 if role == "query" else -1.0)
    factor = np.tile(scale, 2) if pairing == "half" else np.repeat(scale, 2, axis=-1)
    size = np.abs(x[:, :8]).max(axis=-1, keepdims=True) * 2 * factor
    assert (np.abs(got[:, :8] - turned[:, :8] * factor) <= 8 * UNIT * size).all()
    assert np.array_equal(got[:, 8:], x[:, 8:])


def score(q: np.ndarray, k: np.ndarray, m: int, n: int, **params: Any) -> float:
    left = xpos.apply(q, np.array([m]), role="query", **params)
    right = xpos.apply(k, np.array([n]), role="key", **params)
    return float((left @ right.T)[0, 0])


def bound(q: np.ndarray, k: np.ndarray, largest: float) -> float:
    """A rotated and scaled coordinate errs by 6 u of its pair, a dot product of 8 by 9 u more."""
    return 21 * UNIT * 2 * float(np.abs(q).sum() * np.abs(k).sum()) * largest


@pytest.mark.parametrize("center", [0.0, 16.0, -3.5, 1000.0])
def test_the_center_cancels_in_a_score(center: float) -> None:
    q, k = draw("q", 1, 8), draw("k", 1, 8)
    plain, moved = (score(q, k, 600, 599, **(TURN | {"center": c})) for c in (0.0, center))
    assert abs(plain - moved) <= 2 * bound(q, k, 1.0)


@pytest.mark.parametrize(("m", "n"), [(5, 0), (600, 599), (17, 400), (-70, 30)])
def test_a_score_bears_the_scale_of_the_distance(m: int, n: int) -> None:
    """U44: with the key at position 0 a key scale that is not inverted passes; elsewhere it does not."""
    q, k = draw("q2", 1, 8), draw("k2", 1, 8)
    with mpmath.workdps(40):
        wanted = mpmath.mpf(0)
        for i, decay in enumerate(real(m - n, 8, 0.4, 512.0, 0.0)):
            zq, zk = (mpmath.mpc(side[0, 2 * i], side[0, 2 * i + 1]) for side in (q, k))
            turn = mpmath.expj((m - n) * mpmath.mpf(10000) ** (-mpmath.mpf(i) / 4))
            wanted += decay * (zq * mpmath.conj(zk) * turn).real
    got = score(q, k, m, n, **TURN)
    assert abs(got - wanted) <= bound(q, k, 2.0)
    turned = xpos.apply(q, np.array([m]), role="query", **TURN)
    wrong = float((turned @ xpos.apply(k, np.array([n]), role="query", **TURN).T)[0, 0])
    assert (abs(wrong - got) > 1e-3) == (n != 0)


def test_equal_shifts_leave_a_score() -> None:
    q, k = draw("q3", 1, 8), draw("k3", 1, 8)
    one, other = score(q, k, 10, 3, **TURN), score(q, k, 1010, 1003, **TURN)
    assert abs(one - other) <= 2 * bound(q, k, 1.0)


def test_scores_of_equal_vectors_fade_with_distance() -> None:
    """Without the rotation's cosine: the scale of a distance falls for every pair."""
    scale = xpos.scale(np.array([0, 1, 10, 100, 1000]), **DECAY)
    assert (np.diff(scale, axis=0) < 0).all()
    assert (np.diff(scale[1:], axis=-1) > 0).all()


@pytest.mark.parametrize(
    ("wrong", "clause", "fault"),
    [
        ({"gamma": 0.0}, "xpos.C1", "gamma"),
        ({"scale_base": -1.0}, "xpos.C1", "scale_base"),
        ({"center": float("nan")}, "xpos.C1", "center"),
        ({"rotary_dim": 7}, "rope.C2", "rotary_dim"),
        ({"rotary_dim": 10}, "xpos.C2", "rotary_dim"),
        ({"role": "value"}, "xpos.C2", "role"),
        ({"pairing": "interleaved"}, "rope.C4", "pairing"),
        ({"base": 1.0}, "rope.C2", "base"),
    ],
)
def test_bad_parameters(wrong: dict[str, Any], clause: str, fault: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {fault}"):
        xpos.apply(np.ones((3, 8)), np.arange(3), **({**TURN, "role": "query"} | wrong))


def test_fractional_positions_and_foreign_shapes_are_refused() -> None:
    with pytest.raises(posref.SpecError, match=r"\[conventions.C4\] positions"):
        xpos.scale(np.array([0.5]), **DECAY)
    for positions in (np.arange(2), np.arange(6).reshape(2, 3)):
        with pytest.raises(posref.SpecError, match=r"\[conventions.C5\] positions"):
            xpos.apply(np.ones((3, 8)), positions, role="key", **TURN)
    assert xpos.scale(np.zeros((2, 0), int), **DECAY).shape == (2, 0, 4)
    assert xpos.apply(np.ones((0, 8)), np.zeros(0, int), role="key", **TURN).shape == (0, 8)


def test_on_every_library(on: Any) -> None:
    x, at = draw("library", 2, 4, 10), np.array([0, 9, -77, 4099])
    assert np.array_equal(on.back(xpos.scale(on(at), **DECAY)), xpos.scale(at, **DECAY))
    for role in ("query", "key"):
        for pairing in ("adjacent", "half"):
            params = TURN | {"pairing": pairing, "role": role}
            got = on.back(xpos.apply(on(x), on(at), **params))
            assert np.array_equal(got, xpos.apply(x, at, **params))
