"""The exceptions of posref: an input or a file that the specification refuses, and its one warning."""

from typing import Final

KINDS: Final = (
    "INVALID_PARAMETER",
    "INVALID_SHAPE",
    "INVALID_DTYPE",
    "OUT_OF_RANGE",
    "MISSING_PARAMETER",
)
"""Error classes, as they stand in invalid vector files."""


class SpecError(ValueError):
    """An argument that a clause of the specification refuses.

    Parameters
    ----------
    clause : str
        The clause that is broken, for example ``"rope.C2"``.
    parameter : str
        The parameter or input that is at fault.
    message : str
        The rule and the value that breaks it.
    kind : str, default "INVALID_PARAMETER"
        One of `KINDS`.

    Examples
    --------
    >>> raise SpecError("rope.C2", "rotary_dim", "must be even, got 3")
    Traceback (most recent call last):
    posref.errors.SpecError: [rope.C2] rotary_dim: must be even, got 3
    """

    def __init__(self, clause: str, parameter: str, message: str, kind: str = "INVALID_PARAMETER") -> None:
        super().__init__(f"[{clause}] {parameter}: {message}")
        self.clause = clause
        self.parameter = parameter
        self.kind = kind


LONGEST: Final = 400
"""Characters of each part of the message of a FormatError, which may quote what stands in a file."""


def _cut(text: str) -> str:
    """Return a text on one line, cut to a sensible length."""
    start = text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in start)


class FormatError(ValueError):
    """A vector file, a manifest or a reply that is not what the specification says.

    Parameters
    ----------
    file : str
        The file at fault, or the name of the stream.
    message : str
        What is wrong.
    pointer : str, default ""
        JSON pointer to the place.
    case : str, default ""
        Identifier of the case, where there is one.
    """

    def __init__(self, file: str, message: str, pointer: str = "", case: str = "") -> None:
        place = file + (f" case {_cut(case)}" if case else "") + (f" at {_cut(pointer)}" if pointer else "")
        super().__init__(f"{place}: {_cut(message)}")
        self.file = file
        self.pointer = pointer
        self.case = case


class ConfigWarning(UserWarning):
    """A key of a published configuration that is legal and changes nothing (rope_scaling.C17).

    Parameters
    ----------
    key : str
        Where the key stands, for example ``"rope_scaling.finetuned"``.
    reason : str
        Why it has no effect.
    """

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"[rope_scaling.C17] config {key}: {reason}")
        self.key = key
