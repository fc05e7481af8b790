"""rope, from spec/schemes/rope.md."""

from typing import Any

from posref.golden._nested import depth, fold, over, square
from posref.golden.rope_scaling import _scaled


def inv_freq(real: Any, *, rotary_dim: int, base: Any) -> Any:
    """rope.C1: b^(-2i/R) for i = 0 .. R/2 - 1, in radians per token."""
    return [real.pow(base, real.exact(-2 * i, rotary_dim)) for i in range(rotary_dim // 2)]


def cos_sin(real: Any, positions: Any, inv_freq: Any, *, attention_factor: Any) -> Any:
    """rope.C3: F cos(p w) and F sin(p w), each (..., T, h), for `positions` (..., T) and `inv_freq` (h)."""

    def table(function: Any) -> Any:
        return over(
            lambda tokens: [[attention_factor * function(p * w) for w in inv_freq] for p in tokens],
            (positions, 1),
        )

    return table(real.cos), table(real.sin)


def rotate(
    real: Any, x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int
) -> Any:
    """rope.C5: u c - w s and u s + w c for each pair; C6: all other coordinates are moved unchanged.

    `x` (..., T, D), `cos` and `sin` (..., T, h).
    """

    def row(x: list[Any], cos: list[Any], sin: list[Any]) -> list[Any]:
        y = list(x)
        read = _pairs(pairing_in, rotary_start, len(cos))
        write = _pairs(pairing_out, rotary_start, len(cos))
        for (a, b), (a_out, b_out), c, s in zip(read, write, cos, sin, strict=True):
            u, w = x[a], x[b]
            y[a_out] = u * c - w * s
            y[b_out] = u * s + w * c
        return y

    return over(
        lambda x, cos, sin: [row(*token) for token in zip(x, cos, sin, strict=True)],
        (x, 2),
        (cos, 2),
        (sin, 2),
    )


def apply(
    real: Any,
    x: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int,
    base: Any,
    pairing: str,
    scaling: Any,
    seq_len: int | None,
) -> Any:
    """rope.C7: the frequencies, the table with F = 1, the rotation; C11: positions (..., T) broadcast."""
    frequencies, factor = _resolve(real, rotary_dim, base, scaling, seq_len)
    cos, sin = cos_sin(real, positions, frequencies, attention_factor=factor)
    return rotate(real, x, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=rotary_start)


def apply_qk(real: Any, q: Any, k: Any, positions: Any, **parameters: Any) -> Any:
    """rope.C7: `rope.apply` on `q` and on `k` with the same positions."""
    return apply(real, q, positions, **parameters), apply(real, k, positions, **parameters)


def score(
    real: Any,
    q: Any,
    k: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int,
    base: Any,
    pairing: str,
    scaling: Any,
    seq_len: int | None,
) -> Any:
    """rope.C9: (R_p q) . (R_r k) over all coordinates, (..., Q, K), by the difference of positions alone.

    Per pair, with q = (a, b), k = (c, d) and D = (r - p) w, that is (ac + bd) cos D + (bc - ad) sin D:
    no rotation is made and undone, so equal positions give the plain dot product exactly.
    """
    frequencies, factor = _resolve(real, rotary_dim, base, scaling, seq_len)
    pairs = _pairs(pairing, rotary_start, len(frequencies))
    rest = [a for a in range(len(_last(q))) if not any(a in pair for pair in pairs)]

    def product(q: list[Any], k: list[Any], distance: int) -> Any:
        total = sum(q[a] * k[a] for a in rest)
        for (a, b), w in zip(pairs, frequencies, strict=True):
            cos, sin = real.cos(distance * w), real.sin(distance * w)
            rotated = (q[a] * k[a] + q[b] * k[b]) * cos + (q[b] * k[a] - q[a] * k[b]) * sin
            total = total + factor * factor * rotated
        return total

    def block(queries: Any, keys: Any, p: Any, r: Any) -> Any:
        return [
            [product(query, key, r[j] - p[i]) for j, key in enumerate(keys)]
            for i, query in enumerate(queries)
        ]

    return over(block, (q, 2), (k, 2), (q_positions, 1), (k_positions, 1))


def matrix(real: Any, positions: Any, *, rotary_dim: int, base: Any, pairing: str) -> Any:
    """rope.C10: the matrix (..., T, R, R) with R_aa = R_bb = cos, R_ab = -sin, R_ba = sin for each pair."""
    frequencies = inv_freq(real, rotary_dim=rotary_dim, base=base)

    def rotation(position: int) -> Any:
        entries: dict[tuple[int, int], Any] = {}
        for (a, b), w in zip(_pairs(pairing, 0, len(frequencies)), frequencies, strict=True):
            cos, sin = real.cos(position * w), real.sin(position * w)
            entries |= {(a, a): cos, (a, b): -sin, (b, a): sin, (b, b): cos}
        return square(rotary_dim, entries, real.exact(0))

    return over(lambda tokens: [rotation(position) for position in tokens], (positions, 1))


def table_slice(real: Any, cos: Any, sin: Any, *, offset: int, length: int) -> Any:
    """rope.C13: as many rows as `length` of `cos` and of `sin` (N, h), those before `offset` left out."""
    return tuple([list(row) for row in table[offset:][:length]] for table in (cos, sin))


def rerotate(
    real: Any,
    k: Any,
    delta: Any,
    *,
    rotary_dim: int,
    rotary_start: int,
    base: Any,
    pairing: str,
    scaling: Any,
    seq_len: int | None,
) -> Any:
    """rope.C14: keys (..., T, D) turned on by `delta` positions, one for all or one a token; no F."""
    frequencies, _ = _resolve(real, rotary_dim, base, scaling, seq_len)

    def block(keys: Any, delta: Any) -> Any:
        deltas = delta if isinstance(delta, list) else [delta] * len(keys)
        cos, sin = cos_sin(real, deltas, frequencies, attention_factor=real.exact(1))
        return rotate(
            real, keys, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=rotary_start
        )

    return over(block, (k, 2), (delta, min(depth(delta), 1)))


def permute(real: Any, x: Any, *, source: str, target: str, rotary_dim: int, rotary_start: int) -> Any:
    """rope.C15: the pairs of each row of `x` (..., D) moved from one order to the other."""
    return over(lambda row: _laid(row, source, target, rotary_start, rotary_dim // 2), (x, 1))


def permute_weight(
    real: Any, weight: Any, *, num_heads: int, source: str, target: str, rotary_dim: int
) -> Any:
    """rope.C16: the same with the rows of `weight` (N, d), which are the coordinates of `num_heads` heads."""
    width = len(weight) // num_heads
    heads = [weight[start : start + width] for start in range(0, len(weight), width)]
    return [row for head in heads for row in _laid(head, source, target, 0, rotary_dim // 2)]


def _laid(coordinates: list[Any], source: str, target: str, start: int, count: int) -> list[Any]:
    laid = list(coordinates)
    for (a, b), (a_out, b_out) in zip(
        _pairs(source, start, count), _pairs(target, start, count), strict=True
    ):
        laid[a_out], laid[b_out] = coordinates[a], coordinates[b]
    return laid


def rotate_vjp(
    real: Any,
    grad_y: Any,
    x: Any,
    cos: Any,
    sin: Any,
    *,
    pairing_in: str,
    pairing_out: str,
    rotary_start: int,
) -> Any:
    """rope.C17: the cotangents of x, cos and sin; C5 is linear in each, its transpose turns back.

    `grad_y` and `x` (..., T, D), `cos` and `sin` (..., T, h), whose cotangents have their shapes.
    """
    grad_x = rotate(
        real,
        grad_y,
        cos,
        _negated(sin),
        pairing_in=pairing_out,
        pairing_out=pairing_in,
        rotary_start=rotary_start,
    )
    count = len(_last(cos))
    read, write = _pairs(pairing_in, rotary_start, count), _pairs(pairing_out, rotary_start, count)
    pairs = list(zip(read, write, strict=True))

    def grad_cos(g: list[Any], x: list[Any]) -> list[Any]:
        return [g[a_out] * x[a] + g[b_out] * x[b] for (a, b), (a_out, b_out) in pairs]

    def grad_sin(g: list[Any], x: list[Any]) -> list[Any]:
        return [g[b_out] * x[a] - g[a_out] * x[b] for (a, b), (a_out, b_out) in pairs]

    tables = (over(grad, (grad_y, 1), (x, 1)) for grad in (grad_cos, grad_sin))
    return grad_x, *(fold(table, cos, 2) for table in tables)


def apply_vjp(
    real: Any,
    grad_y: Any,
    x: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int,
    base: Any,
    pairing: str,
    scaling: Any,
    seq_len: int | None,
) -> Any:
    """rope.C17: `grad_y` turned back by its positions, with the magnitude factor; `x` does not enter."""
    frequencies, factor = _resolve(real, rotary_dim, base, scaling, seq_len)
    cos, sin = cos_sin(real, positions, frequencies, attention_factor=factor)
    return rotate(
        real,
        grad_y,
        cos,
        _negated(sin),
        pairing_in=pairing,
        pairing_out=pairing,
        rotary_start=rotary_start,
    )


def _negated(table: Any) -> Any:
    return over(lambda entry: -entry, (table, 0))


def _pairs(pairing: str, start: int, count: int) -> list[tuple[int, int]]:
    """Return the two coordinates of each pair (rope.C4) in the slice from `start` (rope.C6)."""
    if pairing == "adjacent":
        return [(start + 2 * i, start + 2 * i + 1) for i in range(count)]
    return [(start + i, start + i + count) for i in range(count)]


def _resolve(real: Any, rotary_dim: int, base: Any, scaling: Any, seq_len: int | None) -> tuple[Any, Any]:
    """Return the frequencies and the magnitude factor (rope.C8)."""
    if scaling is None:
        return inv_freq(real, rotary_dim=rotary_dim, base=base), real.exact(1)
    return _scaled(real, scaling, rotary_dim, base, seq_len)


def _last(tensor: Any) -> Any:
    """Return the first row of the last axis."""
    while isinstance(tensor[0], list):
        tensor = tensor[0]
    return tensor
