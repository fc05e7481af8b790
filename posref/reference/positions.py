r"""Positions: which index a token has, and how two sequences of indices relate.

Axis letters: ``B`` sequences of a batch, ``T`` tokens, ``Q`` queries, ``K`` keys.
Normative text: ``spec/schemes/positions.md``.
"""

from typing import Any, Final

from posref.errors import SpecError
from posref.numerics.checks import admit
from posref.numerics.given import Given

CLAUSES: Final = {
    "q_positions": "positions.C2",
    "k_positions": "positions.C2",
    "attention_mask": "positions.C4",
    "padding_idx": "positions.C4",
    "cu_seqlens": "positions.C5",
    "position_ids": "positions.C6",
    "world_size": "positions.C6",
    "rank": "positions.C6",
}

OWN_PARAMETER: Final = {"cumsum": "pad_value", "roberta": "padding_idx"}
"""The parameter that a rule of `from_mask` needs; it is null under every other rule."""


def relative(q_positions: Any, k_positions: Any) -> Any:
    r"""Return key position minus query position, :math:`r_{ij} = k_j - q_i`.

    Parameters
    ----------
    q_positions : array of int, shape (..., Q)
        Positions of the queries, in tokens; at most 2**53 in size.
    k_positions : array of int, shape (..., K)
        Positions of the keys, in tokens; leading axes broadcast against those of `q_positions`.

    Returns
    -------
    array of int64, shape (..., Q, K)
        Tokens; negative where the key lies in the past.

    Raises
    ------
    SpecError
        If a position is fractional or boolean (conventions.C4), too large (conventions.C4), or the
        shapes do not fit (positions.C2).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    Shaw et al. 2018, section 3.2, where the key's index is `j` and the query's `i`.

    Examples
    --------
    >>> import numpy as np
    >>> relative(np.array([2, 3]), np.array([0, 1, 2, 3]))
    array([[-2, -1,  0,  1],
           [-3, -2, -1,  0]])
    """
    given = admit("positions.relative", CLAUSES, locals())
    given.meet("q_positions", "k_positions")

    difference = given.k_positions[..., None, :] - given.q_positions[..., :, None]

    return given.space.give(difference)


def from_mask(attention_mask: Any, *, rule: str, pad_value: int | None, padding_idx: int | None) -> Any:
    r"""Return position ids from a padding mask, row by row.

    With :math:`c_t` the number of tokens up to and including :math:`t`:

    - ``arange``: :math:`t`, whatever the mask;
    - ``cumsum``: :math:`c_t - 1` for a token, `pad_value` for a pad;
    - ``roberta``: `padding_idx` :math:`+\, c_t` for a token, `padding_idx` for a pad;
    - ``opt``: :math:`c_t + 1` for a token, 1 for a pad.

    Parameters
    ----------
    attention_mask : array of int, shape (B, T)
        1 for a token, 0 for padding.
    rule : {"arange", "cumsum", "roberta", "opt"}
        How pads and tokens are counted.
    pad_value : int or None
        What a pad gets under "cumsum"; None under every other rule.
    padding_idx : int or None
        Index of the padding row under "roberta", at least 0; None under every other rule.

    Returns
    -------
    array of int64, shape (B, T)
        Positions, in tokens, in the library of `attention_mask`.

    Raises
    ------
    SpecError
        If the mask holds anything but 0 and 1, a rule lacks its parameter or meets another rule's
        or a parameter is more than 2**53 in size (positions.C4), or the mask is not of integers
        (conventions.C3).
    TypeError
        If `attention_mask` is not an array.

    Notes
    -----
    These are the offsets in use: "roberta" is fairseq's (`padding_idx` 1, so that the first token
    has 2), "opt" adds 2 to a count from 0, "arange" is what BERT and GPT-2 do by default.

    References
    ----------
    transformers `create_position_ids_from_input_ids` and `OPTLearnedPositionalEmbedding`.

    Examples
    --------
    >>> import numpy as np
    >>> from_mask(np.array([[0, 0, 1, 1, 1]]), rule="cumsum", pad_value=0, padding_idx=None)
    array([[0, 0, 0, 1, 2]])
    """
    given = admit("positions.from_mask", CLAUSES, locals())
    _check_rule(given)
    xp, mask = given.xp, given.stored["attention_mask"]
    if bool(xp.any((mask != 0) & (mask != 1))):
        raise SpecError("positions.C4", "attention_mask", "must hold 0 and 1 only")

    return given.by_pieces(_ids, "B", each=4 * given.axes["T"])


def _ids(given: Given) -> Any:
    """Return the position ids of some rows."""
    xp, mask = given.xp, given.attention_mask
    if given.rule == "arange":
        ids = xp.broadcast_to(given.space.constant(list(range(mask.shape[1])), "int64"), mask.shape)
        return ids + 0 * mask
    count = _running(xp, mask)
    if given.rule == "cumsum":
        ids = xp.where(mask == 1, count - 1, given.space.constant(given.pad_value, "int64"))
    else:
        ids = count * mask + (1 if given.rule == "opt" else given.padding_idx)
    return ids


def from_lengths(cu_seqlens: Any) -> Any:
    r"""Return the position ids of packed documents, :math:`p_t = t - \mathrm{cu}_n`.

    Parameters
    ----------
    cu_seqlens : array of int, shape (N + 1,)
        Cumulative lengths: document `n` holds the tokens from ``cu_seqlens[n]`` up to, not
        including, ``cu_seqlens[n + 1]``. From 0, never decreasing.

    Returns
    -------
    array of int64, shape (T,)
        Positions, in tokens, from 0 in each document; T is the last of `cu_seqlens`.

    Raises
    ------
    SpecError
        If the lengths do not start at 0 or decrease, or there are none (positions.C5), or they are
        not integers (conventions.C3).
    TypeError
        If `cu_seqlens` is not an array.

    References
    ----------
    flash-attention `flash_attn_varlen_func`.

    Examples
    --------
    >>> import numpy as np
    >>> from_lengths(np.array([0, 3, 5]))
    array([0, 1, 2, 0, 1])
    """
    given = admit("positions.from_lengths", CLAUSES, locals())
    xp, bounds = given.xp, given.cu_seqlens
    if int(bounds[0]) != 0:
        raise SpecError("positions.C5", "cu_seqlens", f"must start at 0, got {int(bounds[0])}")
    if bool(xp.any(bounds[1:] < bounds[:-1])):
        raise SpecError("positions.C5", "cu_seqlens", "must not decrease")

    given.axes["T"] = int(bounds[-1])

    def counted(part: Given) -> Any:
        tokens = part.space.whole(part.region.named.get("T", slice(0, given.axes["T"])))
        document = xp.searchsorted(bounds, tokens, side="right") - 1
        return tokens - xp.take(bounds, document, axis=0)

    return given.by_pieces(counted, "T", each=1)


def shard(position_ids: Any, *, world_size: int, rank: int, scheme: str) -> Any:
    """Return the position ids that one rank of a sequence-parallel group holds, in its order.

    Parameters
    ----------
    position_ids : array of int, shape (T,)
        Position ids of the whole sequence.
    world_size : int
        Ranks, at least 1.
    rank : int
        This rank, from 0.
    scheme : {"contiguous", "zigzag", "striped"}
        One chunk of `world_size`; chunk `rank` and its mirror image of twice as many; or every
        `world_size`-th token.

    Returns
    -------
    array of int64, shape (T / world_size,)
        In the library of `position_ids`.

    Raises
    ------
    SpecError
        If `rank` is no rank of `world_size`, or the length is not divisible by the number of chunks
        (positions.C6), or a position is fractional, boolean or too large (conventions.C4).
    TypeError
        If `position_ids` is not an array.

    References
    ----------
    Megatron-LM context parallelism (zigzag); Brandon et al. 2023 (striped).

    Examples
    --------
    >>> import numpy as np
    >>> shard(np.arange(8), world_size=2, rank=0, scheme="zigzag")
    array([0, 1, 6, 7])
    """
    given = admit("positions.shard", CLAUSES, locals())
    ids, count = given.position_ids, given.world_size * (2 if given.scheme == "zigzag" else 1)
    if given.rank >= given.world_size:
        message = f"must be below world_size {given.world_size}, got {given.rank}"
        raise SpecError("positions.C6", "rank", message)
    if ids.shape[0] % count:
        message = f"length {ids.shape[0]} is not divisible by {count} chunks"
        raise SpecError("positions.C6", "position_ids", message, "INVALID_SHAPE")

    size = ids.shape[0] // count
    if given.scheme == "striped":
        share = given.xp.reshape(ids, (size, count))[:, given.rank]
    else:
        share = ids[given.rank * size : (given.rank + 1) * size]
    if given.scheme == "zigzag":
        mirror = count - 1 - given.rank
        return given.space.give(given.xp.concat((share, ids[mirror * size : (mirror + 1) * size])))

    return given.space.give(share + 0)


def _check_rule(given: Given) -> None:
    """Refuse a parameter that the rule needs and lacks, or has and does not use."""
    own = OWN_PARAMETER.get(given.rule)
    for name in OWN_PARAMETER.values():
        value = given.values[name]
        if name == own and value is None:
            message = f'must be an integer where rule is "{given.rule}", got None'
            raise SpecError("positions.C4", name, message, "MISSING_PARAMETER")
        if name != own and value is not None:
            raise SpecError("positions.C4", name, f'must be None where rule is "{given.rule}", got {value}')
        if value is not None and abs(value) > 2**53:
            message = f"must be at most 2**53 in size, got {value}"
            raise SpecError("positions.C4", name, message, "OUT_OF_RANGE")


def _running(xp: Any, mask: Any) -> Any:
    """Return running sums along the rows; each step doubles how many entries are in."""
    step = 1
    while step < mask.shape[1]:
        mask = xp.concat((mask[:, :step], mask[:, step:] + mask[:, :-step]), axis=1)
        step *= 2
    return mask
