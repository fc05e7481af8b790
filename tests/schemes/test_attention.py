"""attention: the definition against exact arithmetic, and its symmetry."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import attention

UNIT = 2.0**-53


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def error_bound(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, bias: Any = 0.0) -> float:
    """Return how far a float64 evaluation in any order of summation may be from the real output.

    A score errs by at most (D + 2) u S, S the sum of its terms' sizes with the bias, whatever the
    order. Subtracting the maximum doubles that and rounds once more (u 2 S), and the error of an
    exponent is the relative error of the weight; exp, the product with v, both sums over K terms and
    the quotient add K + K + 4 roundings. All of it is relative to a mean of the sizes of v.
    """
    sizes = np.abs(q) @ np.swapaxes(np.abs(k), -1, -2) * abs(scale)
    largest = float(np.max(sizes + np.abs(np.where(np.isfinite(bias), bias, 0.0))))
    weight = 2 * (q.shape[-1] + 3) * largest + 2 * k.shape[-2] + 8
    return weight * 2 * UNIT * float(np.max(np.abs(v)))


def exact_output(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: np.ndarray, mask: np.ndarray, *, scale: float
) -> np.ndarray:
    """Evaluate attention.C3 word for word at 50 digits."""
    out = np.zeros((q.shape[0], v.shape[1]))
    with mpmath.workdps(50):
        for i, query in enumerate(q):
            weights = []
            for j, key in enumerate(k):
                score = scale * mpmath.fsum(mpmath.mpf(a) * b for a, b in zip(query, key, strict=True))
                alive = mask[i, j] and bias[i, j] != -math.inf
                weights.append(mpmath.exp(score + mpmath.mpf(bias[i, j])) if alive else mpmath.mpf(0))
            for e in range(v.shape[1]):
                total = mpmath.fsum(w * mpmath.mpf(v[j, e]) for j, w in enumerate(weights))
                out[i, e] = float(total / mpmath.fsum(weights))
    return out


def test_a1_output_is_softmax_over_keys_of_scaled_scores_plus_bias() -> None:
    q, k, v = draw("q", 3, 4), draw("k", 5, 4), draw("v", 5, 2)
    bias = draw("bias", 3, 5)
    bias[0, 1] = -math.inf
    mask = np.array([[1, 1, 0, 1, 1], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1]], dtype=bool)
    got = attention.output(q, k, v, bias, mask, scale=0.5)
    error = np.abs(got - exact_output(q, k, v, bias, mask, scale=0.5))
    assert error.max() <= error_bound(q, k, v, 0.5, bias)
    assert np.array_equal(got[1], v[2])  # one key left: its value, exactly


def test_a1_the_bias_is_added_after_scaling() -> None:
    """Scores 10 and 0 scaled by 0 leave the bias alone: ln 3 against 0 weighs 3 to 1."""
    q, k, v = np.array([[10.0]]), np.array([[1.0], [0.0]]), np.array([[0.0], [4.0]])
    got = attention.output(q, k, v, np.array([[math.log(3.0), 0.0]]), scale=0.0)
    # the rounded log 3 moves the weight by at most u ln 3, exp and the quotient by 4 u more
    assert abs(got[0, 0] - 1.0) <= 6 * UNIT


def test_a1_scores_are_scaled_dot_products() -> None:
    q, k = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([[4.0, 0.5], [1.0, 1.0], [0.0, -2.0]])
    got = attention.scores(q, k, scale=0.25)
    assert got.tolist() == [[1.25, 0.75, -1.0], [2.875, 0.5, 0.5]]


def test_large_scores_do_not_overflow() -> None:
    """exp(1000) overflows; the ratio of the weights is e^-1 all the same."""
    q, v = np.array([[1000.0]]), np.array([[0.0], [1.0]])
    got = attention.output(q, np.array([[1.0], [0.999]]), v, scale=1.0)
    assert abs(got[0, 0] - 1 / (1 + math.e)) <= error_bound(q, np.ones((2, 1)), v, 1.0)


def test_a2_unmasked_attention_is_permutation_equivariant() -> None:
    x = draw("equivariant", 6, 4)
    weights = [draw(name, 4, 4) for name in ("wq", "wk", "wv")]
    order = np.array([3, 0, 5, 1, 4, 2])

    def layer(tokens: np.ndarray) -> np.ndarray:
        # einsum without a BLAS call: each row is projected alike wherever it stands
        q, k, v = (np.einsum("td,de->te", tokens, weight) for weight in weights)
        return attention.output(q, k, v, scale=0.5)

    q, k, v = (np.einsum("td,de->te", x, weight) for weight in weights)
    bound = 2 * error_bound(q, k, v, 0.5)
    assert np.abs(layer(x[order]) - layer(x)[order]).max() <= bound
    # equivariant, not invariant: the rows do move
    assert np.abs(layer(x[order]) - layer(x)).max() > 0.1
    # a symmetric pooling of it is invariant
    assert np.abs(layer(x[order]).mean(axis=0) - layer(x).mean(axis=0)).max() <= bound + 12 * UNIT


def test_a3_positionwise_maps_preserve_equivariance() -> None:
    """LayerNorm and an MLP act on rows; here they do so exactly, so nothing is lost to rounding."""
    x, first, second = draw("rows", 5, 4), draw("first", 4, 8), draw("second", 8, 4)
    order = np.array([4, 2, 0, 1, 3])

    def block(tokens: np.ndarray) -> np.ndarray:
        normed = np.stack([(row - row.mean()) / np.sqrt(row.var() + 1e-5) for row in tokens])
        return np.stack([np.maximum(row @ first, 0.0) @ second for row in normed])

    assert np.array_equal(block(x[order]), block(x)[order])


def test_a3_a_causal_mask_does_not_commute_with_a_permutation() -> None:
    """Equal scores, values 1 and 3: the causal outputs are 1, 2; swapped they are 3, 2, not 2, 1."""
    q, v, at = np.zeros((2, 1)), np.array([[1.0], [3.0]]), np.arange(2)
    mask = attention.causal_mask(at, at)
    assert attention.output(q, q, v, None, mask, scale=1.0).tolist() == [[1.0], [2.0]]
    assert attention.output(q, q, v[::-1], None, mask, scale=1.0).tolist() == [[3.0], [2.0]]


def test_a4_without_encoding_the_causal_mask_alone_breaks_the_symmetry() -> None:
    """The token of value 1 sees only itself in first place and both tokens in second place."""
    q, at = np.zeros((2, 1)), np.arange(2)
    first, second = np.array([[1.0], [3.0]]), np.array([[3.0], [1.0]])
    mask = attention.causal_mask(at, at)
    causal = [attention.output(q, q, v, None, mask, scale=1.0) for v in (first, second)]
    assert (causal[0][0, 0], causal[1][1, 0]) == (1.0, 2.0)
    free = [attention.output(q, q, v, scale=1.0) for v in (first, second)]
    assert free[0][0, 0] == free[1][1, 0] == 2.0


def score_bound(q: np.ndarray, k: np.ndarray, scale: float) -> Any:
    """A scaled dot product errs by (D + 1) u times the sum of its terms' sizes, in any order."""
    return (q.shape[-1] + 1) * UNIT * abs(scale) * (np.abs(q) @ np.abs(k).T)


def test_a5_content_plus_position_scores_in_four_terms() -> None:
    """x + PE projected: the four terms add up to the whole score, and none of them is negligible."""
    tokens, weights = draw("tokens", 6, 8), [draw(name, 8, 4) for name in ("a5-q", "a5-k")]
    plain = {"dim": 8, "base": 10000.0, "denominator": "dim", "layout": "interleaved", "odd": "error"}
    table = posref.sinusoidal.encode(np.arange(6), **plain)
    content, position = ([side @ weight for weight in weights] for side in (tokens, table))
    terms = attention.score_terms(content[0], position[0], content[1], position[1], scale=0.5)
    q, k = content[0] + position[0], content[1] + position[1]
    whole = attention.scores(q, k, scale=0.5)
    # q and k round by u each, the whole by its bound, the terms by theirs, their sum by 3 u: 15 u in all
    sizes = [np.abs(content[side]) + np.abs(position[side]) for side in (0, 1)]
    bound = 3 * score_bound(*sizes, 0.5)
    assert (np.abs(sum(terms) - whole) <= bound).all()
    for term in terms[1:]:
        assert np.abs(term).max() > 0.1
    assert np.abs(terms[0] + terms[3] - whole).max() > 0.1  # the two cross terms are missing


def test_a5_terms_by_hand() -> None:
    q, p, k, r = ([1.0, 2.0], [3.0, -1.0], [4.0, 1.0], [0.5, 2.0])
    terms = attention.score_terms(*(np.array([side]) for side in (q, p, k, r)), scale=0.5)
    assert [term.tolist() for term in terms] == [[[3.0]], [[2.25]], [[5.5]], [[-0.25]]]
    assert terms._fields == ("content_content", "content_position", "position_content", "position_position")


def test_a5_projections_undo_that_the_dot_product_depends_on_the_offset() -> None:
    """PE(t) . PE(t') is a function of t - t'; with W_q PE(t) . W_k PE(t') it is none."""
    plain = {"dim": 8, "base": 10000.0, "denominator": "dim", "layout": "interleaved", "odd": "error"}
    table = posref.sinusoidal.encode(np.array([0, 3, 5, 8]), **plain)
    zero = np.zeros_like(table)
    bare = attention.score_terms(zero, table, zero, table, scale=1.0).position_position
    # entries err by u each and are at most 1: 8 products and their sum, 8 (2.5 + 8) u a score
    assert abs(bare[0, 1] - bare[2, 3]) <= 2 * 8 * 10.5 * UNIT
    q, k = table @ draw("project-q", 8, 8), table @ draw("project-k", 8, 8)
    projected = attention.score_terms(zero, q, zero, k, scale=1.0).position_position
    assert abs(projected[0, 1] - projected[2, 3]) > 0.1


@pytest.mark.parametrize(
    ("name", "shape"),
    [("position_q", (4, 4)), ("position_k", (3, 4)), ("content_k", (2, 5, 4)), ("content_q", (4,))],
)
def test_a5_content_and_position_of_a_side_have_one_shape(name: str, shape: tuple[int, ...]) -> None:
    inputs = {"content_q": (3, 4), "position_q": (3, 4), "content_k": (5, 4), "position_k": (5, 4)}
    arrays = [np.ones(size) for size in (inputs | {name: shape}).values()]
    with pytest.raises(posref.SpecError, match=r"\[attention.C8\]") as caught:
        attention.score_terms(*arrays, scale=1.0)
    assert caught.value.kind == "INVALID_SHAPE"


def test_a6_cross_attention_has_two_lengths_and_origins() -> None:
    """One query at position 2 against a cache of four keys; by index it would see one key only."""
    assert attention.causal_mask(np.array([2]), np.arange(4)).tolist() == [[True, True, True, False]]
    queries, keys = [5, -1, 0], [0, -1, 7, 5, 3]
    got = attention.causal_mask(np.array(queries), np.array(keys))
    assert got.tolist() == [[k <= q for k in keys] for q in queries]
    assert attention.output(draw("q", 3, 4), draw("k", 5, 4), draw("v", 5, 2), scale=0.5).shape == (3, 2)


def test_bias_and_mask_broadcast_over_leading_axes() -> None:
    q, k, v = draw("bq", 2, 3, 4, 8), draw("bk", 2, 3, 5, 8), draw("bv", 2, 3, 5, 6)
    bias, mask = draw("bb", 3, 4, 5), np.tril(np.ones((4, 5), dtype=bool))
    got = attention.output(q, k, v, bias, mask, scale=0.3)
    for b, h in np.ndindex(2, 3):
        alone = attention.output(q[b, h], k[b, h], v[b, h], bias[h], mask, scale=0.3)
        assert np.abs(alone - got[b, h]).max() <= 2 * error_bound(q[b, h], k[b, h], v[b, h], 0.3, bias[h])


@pytest.mark.parametrize(
    ("bias", "mask"),
    [
        (None, np.array([[True, True], [False, False]])),
        (np.array([[0.0, 0.0], [-math.inf, -math.inf]]), None),
        (np.array([[0.0, 0.0], [-math.inf, 0.0]]), np.array([[True, True], [True, False]])),
    ],
)
def test_a_query_without_any_key_is_an_error(bias: Any, mask: Any) -> None:
    x = np.ones((2, 2))
    with pytest.raises(posref.SpecError, match=r"\[attention.C5\] mask: 1 queries") as caught:
        attention.output(x, x, x, bias, mask, scale=1.0)
    assert caught.value.kind == "INVALID_PARAMETER"


def test_no_key_at_all() -> None:
    x, none = np.ones((2, 3)), np.ones((0, 3))
    with pytest.raises(posref.SpecError, match=r"\[attention.C5\] mask"):
        attention.output(x, none, none, scale=1.0)
    assert attention.output(none, none, none, scale=1.0).shape == (0, 3)
    assert attention.output(none, x, x, scale=1.0).shape == (0, 3)
    assert attention.scores(x, none, scale=1.0).shape == (2, 0)


def test_grouped_heads_are_not_repeated_in_silence() -> None:
    with pytest.raises(posref.SpecError, match=r"\[attention.C6\] k: leading axes \(2,\) differ from \(4,\)"):
        attention.scores(np.ones((4, 3, 2)), np.ones((2, 3, 2)), scale=1.0)


def test_a_score_that_overflows_the_dtype_is_an_error() -> None:
    x = np.full((1, 4), 200.0, dtype=np.float16)
    with pytest.raises(posref.SpecError, match=r"\[conventions.C2\] q: .*overflows float16") as caught:
        attention.scores(x, x, scale=1.0)
    assert caught.value.kind == "OUT_OF_RANGE"
    with pytest.raises(posref.SpecError, match="overflows float64"):
        attention.scores(np.full((1, 1), 1e300), np.full((1, 1), 1e300), scale=1.0)


def test_on_every_library(on: Any) -> None:
    q, k, v = draw("oq", 2, 4, 8), draw("ok", 2, 5, 8), draw("ov", 2, 5, 3)
    bias, mask = draw("ob", 4, 5), np.tril(np.ones((4, 5), dtype=bool))
    got = on.back(attention.output(on(q), on(k), on(v), on(bias), on(mask), scale=0.3))
    for b in range(2):
        real = exact_output(q[b], k[b], v[b], bias, mask, scale=0.3)
        assert np.abs(got[b] - real).max() <= error_bound(q[b], k[b], v[b], 0.3, bias)
    causal = attention.causal_mask(on(np.array([2, 0])), on(np.arange(3)))
    assert on.back(causal).tolist() == [[True, True, True], [True, False, False]]
