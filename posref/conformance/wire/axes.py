"""The order of a program's axes: heads before tokens, after them, or tokens joined (wire-protocol.C4)."""

import math
from collections.abc import Mapping

import numpy as np

from posref.adapters import Unsupported
from posref.conformance.wire.messages import Block
from posref.operation import Input, Output, Signature

_PACKED = "T D"
_OF_HEADS = (_PACKED, "Q D", "Q E", "K D", "K E")


def of_heads(one: Input | Output) -> bool:
    """Return whether a tensor of the signature ends in tokens and width, so that it may have heads."""
    return one.shape.endswith(_OF_HEADS) and (isinstance(one, Output) or one.role == "main")


def outwards(order: str, entry: Signature, inputs: Mapping[str, Block]) -> dict[str, Block]:
    """Return inputs in the order of the program's axes; `Unsupported` where that cannot be."""
    moved = [one for one in entry.inputs if one.name in inputs and of_heads(one)]
    if order == "bhsd" or not moved:
        return dict(inputs)
    if order == "bshd":
        names = {one.name for one in moved}
        return {name: _swapped(block) if name in names else block for name, block in inputs.items()}
    return _packed(entry, inputs, moved)


def inwards(
    order: str, entry: Signature, outputs: Mapping[str, Block], inputs: Mapping[str, Block]
) -> dict[str, Block]:
    """Return outputs in the order of the vectors, given the `inputs` in that order."""
    mains = [inputs[one.name].values for one in entry.inputs if one.name in inputs and of_heads(one)]
    names = {one.name for one in entry.outputs if of_heads(one)}
    if order == "bhsd" or not mains:
        return dict(outputs)
    if order == "bshd":
        return {name: _swapped(block) if name in names else block for name, block in outputs.items()}
    return {
        name: _unpacked(block, mains[0].shape) if name in names else block for name, block in outputs.items()
    }


def _swapped(block: Block) -> Block:
    if block.values.ndim < 3:
        return block
    return Block(block.dtype, np.ascontiguousarray(np.swapaxes(block.values, -3, -2)))


def _packed(entry: Signature, inputs: Mapping[str, Block], moved: list[Input]) -> dict[str, Block]:
    """Return inputs with all axes before the heads joined with the tokens."""
    if not all(one.shape.endswith(_PACKED) for one in moved):
        raise Unsupported("queries and keys of several sequences cannot be joined (axes thd)")
    shapes = {inputs[one.name].values.shape for one in moved}
    leading = {shape[:-3] for shape in shapes}
    if min(map(len, shapes)) < 2 or len(leading) > 1 or len({shape[-2] for shape in shapes}) > 1:
        raise Unsupported("the main inputs have not the same tokens (axes thd)")
    batch = leading.pop()
    names = {one.name for one in moved}
    others = {one.name: one for one in entry.inputs}
    still = [name for name in inputs if name not in names]
    shared = batch or any(_leading(inputs[name], others[name]) for name in still)
    if shared and not all(of_heads(one) for one in entry.outputs):
        raise Unsupported("an output is shared by heads or batch (axes thd)")
    return {
        name: _joined(block, batch) if name in names else _shared(block, others[name], batch)
        for name, block in inputs.items()
    }


def _joined(block: Block, batch: tuple[int, ...]) -> Block:
    values = block.values[..., None, :, :] if block.values.ndim == 2 else block.values
    heads, tokens, width = values.shape[-3:]
    joined = np.swapaxes(values, -3, -2).reshape(math.prod(batch) * tokens, heads, width)
    return Block(block.dtype, joined)


def _shared(block: Block, one: Input, batch: tuple[int, ...]) -> Block:
    """Return positions or a table, a row a token, repeated for each sequence of the batch."""
    if not one.shape.startswith("...") or not block.values.ndim:
        return block
    leading = _leading(block, one)
    row = block.values.shape[len(leading) :]
    if not batch and not leading:
        return block
    try:
        alike = block.values.reshape(leading[:-1] + row)
        spread = np.broadcast_to(alike, batch + row)
    except ValueError:
        raise Unsupported(f"{one.name} differs between heads (axes thd)") from None
    if not row:
        raise Unsupported(f"{one.name} has no row for each token (axes thd)")
    return Block(block.dtype, spread.reshape(math.prod(batch) * row[0], *row[1:]))


def _leading(block: Block, one: Input) -> tuple[int, ...]:
    """Return the leading axes of a tensor, those that its signature calls ``...``."""
    named = len(one.shape.replace("...", "").split())
    return block.values.shape[: block.values.ndim - named] if "..." in one.shape else ()


def _unpacked(block: Block, shape: tuple[int, ...]) -> Block:
    """Return an output with its joined axes apart again, or as it is where its shape is wrong."""
    batch, tokens = shape[:-3], shape[-2]
    values = block.values
    if values.ndim != 3 or values.shape[0] != math.prod(batch) * tokens:
        return block
    apart = np.swapaxes(values.reshape(*batch, tokens, *values.shape[1:]), -3, -2)
    if len(shape) == 2 and apart.shape[0] == 1:
        apart = apart[0]
    return Block(block.dtype, np.ascontiguousarray(apart))
