"""From exact inputs to certain values: evaluate the golden definition, round, raise the precision.

An engine is a field of numbers that encloses what it cannot hold exactly. A value is accepted only when
every real number in its enclosure rounds to the same stored value with the same residual; otherwise the
whole operation is run again with more bits, and an operation that no precision decides is a build error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import copysign, prod
from typing import Any, Final, Protocol, TypeVar, cast

from posref import operation
from posref.corpus.parameters import SCALING
from posref.operation import Dtype, Input, Signature, Tensor

FIRST_PRECISION: Final = 160
STEP: Final = 32
LAST_PRECISION: Final = 4096

INTEGER_DTYPES: Final[Mapping[str, Dtype]] = {"int": "int64", "bool": "bool"}

Rounded = tuple[Tensor, str]
"""A tensor of stored values, and one residual character a value."""


Result = TypeVar("Result")


class Uncertain(ArithmeticError):
    """The enclosure is too wide to decide; more precision may."""


class Overflow(ArithmeticError):
    """The real value rounds beyond the largest finite number of the dtype."""


class CertificationError(ArithmeticError):
    """No precision up to the last decides a value: the inputs must be changed."""


class NegativeZero(int):
    """The number 0 where an input stores -0.0: a value that is only moved keeps its sign.

    Any arithmetic on it gives a plain zero.
    """


class Carried:
    """An input that is the output of an earlier step: the numbers of the engine, unrounded."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.shape = shape_of(value)


class Engine(Protocol):
    """What an engine offers; `exact` numbers stay exact through ``+ - * /``."""

    def __init__(self, precision: int) -> None: ...

    def exact(self, numerator: int, denominator: int = 1) -> Any:
        """Return the rational number ``numerator / denominator``."""

    def round(self, value: Any, dtype: str) -> tuple[float, str]:
        """Return `value` rounded to `dtype` and the residual; raise `Uncertain` or `Overflow`."""


def certify(
    engine: Callable[[int], Any],
    name: str,
    inputs: Mapping[str, Tensor],
    params: Mapping[str, Any],
    dtypes: Sequence[str],
) -> dict[str, dict[str, Rounded]]:
    """Return the certified outputs of one call of an operation.

    Parameters
    ----------
    engine : callable
        Makes an engine of a given precision in bits: `MpmathReal` or `ArbReal`.
    name : str
        The operation, for example ``"rope.apply"``.
    inputs : mapping
        Valid input tensors by name; an optional one may be left out.
    params : mapping
        Parameters in Python form: real = float, integer = int, choice = str, null = None, lists and
        mappings of these.
    dtypes : sequence of str
        The floating dtypes wanted.

    Returns
    -------
    dict
        Output name -> dtype -> (tensor, residuals). A dtype in which a value of that output overflows
        is left out. An integer output has the one dtype int64 or bool and no residuals.

    Raises
    ------
    CertificationError
        If `LAST_PRECISION` bits do not decide every value.

    Examples
    --------
    >>> from posref.corpus.engine_mpmath import MpmathReal
    >>> params = {"rotary_dim": 4, "base": 10000.0}
    >>> certify(MpmathReal, "rope.inv_freq", {}, params, ["float32"])["inv_freq"]["float32"]
    (Tensor(dtype='float32', shape=(2,), data=(1.0, 0.009999999776482582)), '0+')
    """
    if _vanishes(operation.signature(name), inputs):
        return _empty(engine(FIRST_PRECISION), name, inputs, params, dtypes)
    return decided(
        engine,
        lambda real: _attempt(real, name, inputs, params, dtypes),
        f"{name}: the values; params {dict(params)}",
    )


def decided(engine: Callable[[int], Any], attempt: Callable[[Any], Result], what: str) -> Result:
    """Return what `attempt` gives on the first engine that is precise enough for it.

    Raises
    ------
    CertificationError
        If it is `Uncertain` at `LAST_PRECISION` bits still; names `what` is not decided.
    """
    for precision in range(FIRST_PRECISION, LAST_PRECISION + 1, STEP):
        try:
            return attempt(engine(precision))
        except Uncertain:
            continue
    raise CertificationError(f"{LAST_PRECISION} bits do not decide {what}")


def _attempt(
    real: Engine,
    name: str,
    inputs: Mapping[str, Tensor],
    params: Mapping[str, Any],
    dtypes: Sequence[str],
) -> dict[str, dict[str, Rounded]]:
    """Evaluate and round once, at the precision of `real`."""
    outputs = evaluate(real, name, inputs, params)
    return rounded(real, operation.signature(name), inputs, outputs, dtypes)


def rounded(
    real: Engine,
    signature: Signature,
    inputs: Mapping[str, Tensor | Carried],
    outputs: Sequence[Any],
    dtypes: Sequence[str],
) -> dict[str, dict[str, Rounded]]:
    """Round the outputs of one call."""
    found: dict[str, dict[str, Rounded]] = {}
    sizes = _sizes(signature, inputs)
    for entry, output in zip(signature.outputs, outputs, strict=True):
        shape = shape_of(output)
        if 0 in shape:
            # Nested lists end at an axis of size zero; those after it have their sizes from the inputs.
            shape += tuple(sizes[letter] for letter in entry.shape.split()[len(shape) :])
        if entry.dtype == "float":
            found[entry.name] = _round(real, output, shape, dtypes)
        else:
            dtype = INTEGER_DTYPES[entry.dtype]
            found[entry.name] = {dtype: (Tensor(dtype, shape, tuple(flat(output))), "")}
    return found


def _sizes(signature: Signature, inputs: Mapping[str, Tensor | Carried]) -> dict[str, int]:
    """Return the size of each named axis of the inputs."""
    return {
        letter: size
        for entry in signature.inputs
        if entry.name in inputs
        for letter, size in _axes(entry, inputs[entry.name])
        if letter.isalpha()
    }


def evaluate(
    real: Engine, name: str, inputs: Mapping[str, Tensor | Carried], params: Mapping[str, Any]
) -> Sequence[Any]:
    """Return the outputs of the golden function, as nested lists of numbers of `real`."""
    signature = operation.signature(name)
    tensors = [_nested(real, inputs[x.name]) if x.name in inputs else None for x in signature.inputs]
    values = {
        entry.name: _parameter(real, params.get(entry.name, entry.default), entry.type)
        for entry in signature.parameters
    }
    result = operation.find("golden", name)(real, *tensors, **values)
    return result if len(signature.outputs) > 1 else (result,)


def _round(real: Engine, output: Any, shape: tuple[int, ...], dtypes: Sequence[str]) -> dict[str, Rounded]:
    """Round one output to every dtype that can hold it."""
    numbers = tuple(flat(output))
    found: dict[str, Rounded] = {}
    for dtype in dtypes:
        try:
            pairs = [_stored(real, number, dtype) for number in numbers]
        except Overflow:
            continue
        tensor = Tensor(cast(Dtype, dtype), shape, tuple(value for value, _ in pairs))
        found[dtype] = (tensor, "".join(residual for _, residual in pairs))
    return found


def _stored(real: Engine, number: Any, dtype: str) -> tuple[float, str]:
    """Round one element; minus infinity is itself, and no other float is a number here."""
    if isinstance(number, NegativeZero):
        return -0.0, "0"
    if isinstance(number, float):
        if number != float("-inf"):
            raise TypeError(f"a golden function returned the float {number!r}, which is no exact number")
        return number, "0"
    return real.round(number, dtype)


def _vanishes(signature: Signature, inputs: Mapping[str, Tensor]) -> bool:
    """Say whether every output has an axis that is of size zero in the inputs."""
    empty = _without(signature, inputs)
    leading = not all(letter.isalpha() for letter in empty)
    axes = [set(output.shape.split()) for output in signature.outputs]
    return bool(empty) and all(entry & empty or (leading and "..." in entry) for entry in axes)


def _without(signature: Signature, inputs: Mapping[str, Tensor]) -> set[str]:
    """Return the axes of size zero. No input enlarges the leading axes of a main one (conventions.C5)."""
    found: set[str] = set()
    led = any("..." in entry.shape for entry in signature.main)
    for entry in signature.inputs:
        for letter, size in _axes(entry, inputs[entry.name]) if entry.name in inputs else ():
            if size == 0 and (letter.isalpha() or not led or entry.role == "main"):
                found.add(letter)
    return found


def _empty(
    real: Engine,
    name: str,
    inputs: Mapping[str, Tensor],
    params: Mapping[str, Any],
    dtypes: Sequence[str],
) -> dict[str, dict[str, Rounded]]:
    """Return empty outputs (conventions.C5), shaped as those of the same call with one token.

    Zeros stand for whatever the tensors hold: they are legal positions and row numbers of any table.
    """
    signature = operation.signature(name)
    empty = _without(signature, inputs)
    grown: dict[str, Tensor] = {}
    for entry in signature.inputs:
        if entry.name in inputs:
            tensor = inputs[entry.name]
            shape = tuple(size or 1 for size in tensor.shape)
            grown[entry.name] = Tensor(tensor.dtype, shape, (int(entry.role == "mask"),) * prod(shape))
    found: dict[str, dict[str, Rounded]] = {}
    for output, result in zip(signature.outputs, evaluate(real, name, grown, params), strict=True):
        letters = _letters(output.shape, len(shape_of(result)))
        shape = tuple(0 if x in empty else n for x, n in zip(letters, shape_of(result), strict=True))
        kinds = dtypes if output.dtype == "float" else [INTEGER_DTYPES[output.dtype]]
        found[output.name] = {kind: (Tensor(cast(Dtype, kind), shape, ()), "") for kind in kinds}
    return found


def _axes(entry: Input, tensor: Tensor | Carried) -> list[tuple[str, int]]:
    """Return the letter and the size of each axis of an input."""
    return list(zip(_letters(entry.shape, len(tensor.shape)), tensor.shape, strict=True))


def _letters(shape: str, rank: int) -> list[str]:
    """Return the letter of each axis of a tensor of this rank; leading axes are numbered from the last."""
    named = [letter for letter in shape.split() if letter != "..."]
    return [str(axis) for axis in range(rank - len(named), 0, -1)] + named


def _nested(real: Engine, tensor: Tensor | Carried) -> Any:
    """Return a tensor as nested lists of exact numbers; integers and booleans stay integers."""
    if isinstance(tensor, Carried):
        return tensor.value
    values: list[Any] = [_element(real, value) for value in tensor.data]
    if tensor.dtype in INTEGER_DTYPES.values():
        values = [int(value) for value in tensor.data]
    for axis in reversed(range(len(tensor.shape))):
        length, count = tensor.shape[axis], prod(tensor.shape[:axis])
        values = [values[row * length : (row + 1) * length] for row in range(count)]
    return values[0]


def _element(real: Engine, value: float) -> Any:
    """Return one float of an input as golden functions take it."""
    if value == float("-inf"):
        return value
    if value == 0 and copysign(1, value) < 0:
        return NegativeZero()
    return real.exact(*value.as_integer_ratio())


def _parameter(real: Engine, value: Any, kind: str) -> Any:
    """Return a parameter as golden functions take it: every real number exact, all else unchanged."""
    if isinstance(value, Mapping):
        kinds = SCALING if kind == "scaling" else {}
        return {key: _parameter(real, entry, kinds.get(key, "")) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_parameter(real, entry, kind) for entry in value]
    if isinstance(value, float) or (kind in ("real", "reals") and isinstance(value, int)):
        return real.exact(*value.as_integer_ratio())
    return value


def shape_of(nested: Any) -> tuple[int, ...]:
    """Return the sizes of nested lists, as far as an axis of size zero."""
    shape: list[int] = []
    while isinstance(nested, list):
        shape.append(len(nested))
        nested = nested[0] if nested else None
    return tuple(shape)


def flat(nested: Any) -> Iterator[Any]:
    """Yield the elements of nested lists in row-major order."""
    if isinstance(nested, list):
        for entry in nested:
            yield from flat(entry)
    else:
        yield nested
