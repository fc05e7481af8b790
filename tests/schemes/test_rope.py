"""rope: the rotation, its theorem, the whole-layer property, and an independent oracle."""

import cmath
import math
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import rope
from posref.numerics.rounding import ulp

UNIT = 2.0**-53
PAIRINGS = ("adjacent", "half")
PLAIN: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0, "pairing": "adjacent"}


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def coordinates(pairing: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    index = np.arange(count)
    return (2 * index, 2 * index + 1) if pairing == "adjacent" else (index, index + count)


def as_complex(x: np.ndarray, pairing: str) -> np.ndarray:
    first, second = coordinates(pairing, x.shape[-1] // 2)
    return x[..., first] + 1j * x[..., second]


def score_bound(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return how far a float64 score may be from the real one.

    A table entry errs by u and each of the two products and the sum of a rotated coordinate rounds
    once more: 3 u times |a| + |b| of its pair. The dot product of D of them adds 3 u from each side
    and D u of its own, on the sum over pairs of 2 (|a| + |b|) (|c| + |d|).
    """
    width = q.shape[-1]
    sizes_q = np.abs(q).reshape(*q.shape[:-1], -1, 2).sum(axis=-1)
    sizes_k = np.abs(k).reshape(*k.shape[:-1], -1, 2).sum(axis=-1)
    return (width + 7) * UNIT * 2 * (sizes_q @ np.swapaxes(sizes_k, -1, -2))


@pytest.mark.parametrize("base", [10000.0, 500000.0, 1e7])
def test_frequencies_are_within_an_ulp_and_the_first_is_one(base: float) -> None:
    for rotary_dim in (2, 8, 80, 128):
        got = rope.inv_freq(rotary_dim=rotary_dim, base=base)
        assert got[0] == 1.0
        with mpmath.workdps(40):
            for i, value in enumerate(got.tolist()):
                real = mpmath.mpf(base) ** (-mpmath.mpf(2 * i) / rotary_dim)
                assert abs(value - real) <= float(ulp(float(real), "float64"))


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_d1_a_pair_turns_like_a_complex_number(pairing: str) -> None:
    """An oracle with nothing in common: Python's complex exponential at 50 digits."""
    x, positions = draw("d1", 5, 8), [0, 1, -7, 355, 10**6 + 3]
    got = as_complex(rope.apply(x, np.array(positions), **(PLAIN | {"pairing": pairing})), pairing)
    z = as_complex(x, pairing)
    with mpmath.workdps(50):
        for t, i in np.ndindex(z.shape):
            turn = mpmath.expj(positions[t] * mpmath.mpf(10000) ** (-mpmath.mpf(i) / 4))
            real = mpmath.mpc(complex(z[t, i])) * turn
            size = abs(z[t, i].real) + abs(z[t, i].imag)
            # 3 u (|a| + |b|) in each coordinate, see score_bound
            assert abs(got[t, i].real - real.real) <= 3 * UNIT * size
            assert abs(got[t, i].imag - real.imag) <= 3 * UNIT * size


def test_d1_worked_rotation() -> None:
    """A quarter turn, exact: (1, 2) becomes (-2, 1) where cosine is 0 and sine 1."""
    x = np.array([[1.0, 2.0]])
    y = rope.rotate(x, np.array([[0.0]]), np.array([[1.0]]), pairing_in="half", pairing_out="half")
    assert y.tolist() == [[-2.0, 1.0]]


def test_d1_queries_and_keys_are_turned_and_values_are_not() -> None:
    q, k = draw("d1q", 2, 4, 3, 8), draw("d1k", 2, 1, 3, 8)
    both = rope.apply_qk(q, k, np.arange(3), **PLAIN)
    assert both._fields == ("q", "k")
    assert np.array_equal(both.q, rope.apply(q, np.arange(3), **PLAIN))
    assert np.array_equal(both.k, rope.apply(k, np.arange(3), **PLAIN))


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_d2_a_score_is_q_r_of_the_difference_k(pairing: str) -> None:
    options = PLAIN | {"pairing": pairing}
    q, k = draw("d2q", 3, 8), draw("d2k", 4, 8)
    at_q, at_k = np.array([4, 100, -2]), np.array([0, 10, 355, 2**31])
    got = rope.score(q, k, at_q, at_k, **options)
    first, second = coordinates(pairing, 4)
    order = np.stack([first, second], axis=-1).reshape(-1)  # pairs side by side, as score_bound has them
    bound = score_bound(q[:, order], k[:, order])
    zq, zk = as_complex(q, pairing), as_complex(k, pairing)
    for i, m in enumerate(at_q.tolist()):
        for j, n in enumerate(at_k.tolist()):
            matrix = rope.matrix(np.array([n - m]), **options)[0]
            assert abs(got[i, j] - q[i] @ matrix @ k[j]) <= 2 * bound[i, j]
            with mpmath.workdps(50):  # Re(q conj(k) e^{j (m - n) w})
                turns = [mpmath.expj((m - n) * mpmath.mpf(10000) ** (-mpmath.mpf(p) / 4)) for p in range(4)]
                real = mpmath.fsum(
                    (mpmath.mpc(complex(zq[i, p])) * mpmath.mpc(complex(zk[j, p])).conjugate() * turn).real
                    for p, turn in enumerate(turns)
                )
            assert abs(got[i, j] - real) <= bound[i, j]
            # the product without the conjugate depends on m + n and is another number
            if m + n:
                plain = sum((zq[i, p] * zk[j, p]).real for p in range(4))
                assert abs(got[i, j] - plain) > 1e-3


def one_pair(q: list[float], k: list[float], m: int, n: int, frequency: float = 1.0) -> float:
    """Return the score of one pair at a given frequency, through table, rotation and product."""
    sides = []
    for side, position in ((q, m), (k, n)):
        cos, sin = rope.cos_sin(np.array([position]), np.array([frequency]))
        sides.append(rope.rotate(np.array([side]), cos, sin, pairing_in="half", pairing_out="half"))
    return float(posref.attention.scores(*sides, scale=1.0)[0, 0])


@pytest.mark.parametrize(("m", "n", "frequency"), [(4, 10, 0.5), (0, 7, 1.0), (3, -2, 0.25), (1000, 1, 0.01)])
def test_d3_score_of_a_pair_in_sines_and_cosines(m: int, n: int, frequency: float) -> None:
    a, b, c, d = 0.75, -2.0, 1.5, 0.5
    turn = (n - m) * frequency
    formula = (a * c + b * d) * math.cos(turn) + (b * c - a * d) * math.sin(turn)
    bound = float(score_bound(np.array([[a, b]]), np.array([[c, d]]))[0, 0])
    # the formula itself: libm's ulp, an angle rounded to u |D|, and five roundings
    size = abs(a * c) + abs(b * d) + abs(b * c) + abs(a * d)
    own = size * UNIT * (7 + abs(turn))
    assert abs(one_pair([a, b], [c, d], m, n, frequency) - formula) <= bound + own


def test_d3_unit_vectors_give_minus_the_sine() -> None:
    bound = float(score_bound(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))[0, 0])
    for distance in (0, 1, 2, 22):
        got = one_pair([1.0, 0.0], [0.0, 1.0], 5, 5 + distance)
        assert abs(got + math.sin(distance)) <= bound + UNIT


def test_d4_the_norm_of_every_pair_is_kept() -> None:
    x = draw("d4", 6, 8)
    y = rope.apply(x, np.array([0, 1, 17, 355, -9, 2**53]), **PLAIN)
    before, after = np.abs(as_complex(x, "adjacent")), np.abs(as_complex(y, "adjacent"))
    # each coordinate errs by 3 u (|a| + |b|) <= 3 sqrt(2) u |z|, both together by 6 u |z|; hypot by an ulp
    assert (np.abs(after - before) <= 9 * UNIT * before).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [((10, 13), (100, 103)), ((2, 5), (10, 13)), ((100, 105), (0, 5)), ((7, 0), (2**40 + 7, 2**40))],
)
def test_d4_a_common_shift_leaves_the_score(one: tuple[int, int], other: tuple[int, int]) -> None:
    q, k = draw("d4q", 1, 8), draw("d4k", 1, 8)
    got = [rope.score(q, k, np.array([m]), np.array([n]), **PLAIN)[0, 0] for m, n in (one, other)]
    assert abs(got[0] - got[1]) <= 2 * score_bound(q, k)[0, 0]


def test_d4_worked_angle() -> None:
    """m = 4, n = 10, w = 0.5: the difference is 3.0 radians; base 4 and width 4 give w = (1, 0.5)."""
    assert rope.inv_freq(rotary_dim=4, base=4.0).tolist() == [1.0, 0.5]
    assert (10 - 4) * rope.inv_freq(rotary_dim=4, base=4.0)[1] == 3.0
    bound = float(score_bound(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]]))[0, 0])
    assert abs(one_pair([1.0, 0.0], [1.0, 0.0], 4, 10, 0.5) - math.cos(3.0)) <= bound + UNIT


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_d8_matrices_are_block_diagonal_rotations(pairing: str) -> None:
    positions = np.array([0, 1, 355, -(10**9)])
    matrices = rope.matrix(positions, **(PLAIN | {"pairing": pairing}))
    first, second = coordinates(pairing, 4)
    inside = np.zeros((8, 8), dtype=bool)
    for a, b in zip(first, second, strict=True):
        inside[np.ix_([a, b], [a, b])] = True
    assert (matrices[:, ~inside] == 0.0).all()
    assert not np.signbit(matrices[:, ~inside]).any()
    assert np.array_equal(matrices[0], np.eye(8))
    for matrix in matrices:
        # two products of numbers below 1 with errors of u: 6 u and one rounding of the sum
        assert np.abs(matrix.T @ matrix - np.eye(8)).max() <= 8 * UNIT


def test_d8_eigenvalues_are_e_to_plus_and_minus_j_t_w() -> None:
    """(1, -j) and (1, j) are the eigenvectors of a plane rotation, whatever the angle."""
    matrix = rope.matrix(np.array([5]), **PLAIN)[0]
    for pair in range(4):
        block = matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2]
        with mpmath.workdps(40):
            eigenvalue = complex(mpmath.expj(5 * mpmath.mpf(10000) ** (-mpmath.mpf(pair) / 4)))
        for vector, value in (([1, -1j], eigenvalue), ([1, 1j], eigenvalue.conjugate())):
            # entries and the rounded eigenvalue err by u each; nothing else rounds
            assert np.abs(block @ vector - value * np.array(vector)).max() <= 4 * UNIT


def test_d8_r_a_transposed_r_b_is_r_b_minus_a() -> None:
    a, b = 12345, -678
    one, other, both = rope.matrix(np.array([a, b, b - a]), **PLAIN)
    assert np.abs(one.T @ other - both).max() <= 8 * UNIT


def test_d10_a_wrong_offset_has_the_same_shape_and_another_score() -> None:
    """Query at 2 where 7 is right, key at 0."""
    q, k = draw("d10q", 1, 8), draw("d10k", 1, 8)
    right = rope.score(q, k, np.array([7]), np.array([0]), **PLAIN)
    wrong = rope.score(q, k, np.array([2]), np.array([0]), **PLAIN)
    assert right.shape == wrong.shape
    assert abs(right - wrong)[0, 0] > 0.1


def test_d10_equal_offsets_with_different_content_differ() -> None:
    q, k = draw("d10c", 2, 8), draw("d10d", 2, 8)
    scores = rope.score(q, k, np.array([10, 100]), np.array([13, 103]), **PLAIN)
    assert abs(scores[0, 0] - scores[1, 1]) > 0.1


def test_d10_a_whole_layer_does_not_see_a_common_offset() -> None:
    """Multi-head causal attention at offsets 0 and 20 agrees to 1e-12.

    Each score is within b = scale * score_bound of the one real score, so the two runs differ by at
    most 2 b. That moves a weight by a relative 4 b (numerator and sum), and 2 K + 8 roundings in
    either run (exp, products, sums over K keys, quotient) add 2 (2 K + 8) u. An output is a mean of v.
    """
    x = draw("layer", 2, 6, 16)
    heads = [
        np.einsum("btd,dhe->bhte", x, draw(name, 16, 4, 8)) / 4 for name in ("layer q", "layer k", "layer v")
    ]
    scale = 1 / math.sqrt(8)

    def layer(offset: int, key_offset: int | None = None) -> np.ndarray:
        at = np.arange(6) + offset
        keys_at = at if key_offset is None else np.arange(6) + key_offset
        q, k = rope.apply(heads[0], at, **PLAIN), rope.apply(heads[1], keys_at, **PLAIN)
        mask = posref.attention.causal_mask(at, at)
        return np.asarray(posref.attention.output(q, k, heads[2], None, mask, scale=scale))

    bound = 4 * scale * float(score_bound(heads[0], heads[1]).max()) + 2 * (2 * 6 + 8) * UNIT
    bound *= float(np.abs(heads[2]).max())
    assert bound <= 1e-12
    assert np.abs(layer(0) - layer(20)).max() <= bound
    # the control: keys left behind at offset 0 are seen
    assert np.abs(layer(20, 0) - layer(20)).max() > 1e-2


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_d10_an_oracle_of_python_complex_numbers_agrees(pairing: str) -> None:
    """Plain binary64 with libm: power and exponential by an ulp each, the angle rounded.

    The frequency is off by 2 u relative (exponent and power; base ** -e with e exact here), so the angle by
    3 u |angle|; cosine and sine by 2 u; the complex product by 3 u of the size.
    """
    x, positions = draw("oracle", 4, 8), [0, 3, 100, 2047]
    got = as_complex(rope.apply(x, np.array(positions), **(PLAIN | {"pairing": pairing})), pairing)
    z = as_complex(x, pairing)
    for t, i in np.ndindex(z.shape):
        angle = positions[t] * 10000.0 ** (-2 * i / 8)
        oracle = z[t, i] * cmath.exp(1j * angle)
        size = abs(z[t, i].real) + abs(z[t, i].imag)
        assert abs(got[t, i] - oracle) <= (3 * angle + 2 + 3 + 3) * UNIT * 2 * size


def test_scores_on_every_library(on: Any) -> None:
    """A matrix product may sum in another order elsewhere: each is within the bound of the real score."""
    q, k, at = draw("on q", 2, 4, 8), draw("on k", 2, 4, 8), np.array([0, 1, 355, -(2**53)])
    scores = on.back(rope.score(on(q), on(k), on(at), on(at), **PLAIN))
    assert (np.abs(scores - rope.score(q, k, at, at, **PLAIN)) <= 2 * score_bound(q, k)).all()
