"""What the judge says: the worst element of an output, and the result of one case."""

from dataclasses import dataclass
from typing import Any, Final

VERDICTS: Final = ("pass", "fail", "error", "skipped", "uninformative")
"""What can become of a case."""


@dataclass(frozen=True)
class Worst:
    """The element that is farthest from its expected value, measured by what it is allowed.

    Attributes
    ----------
    output : str
        The output it stands in.
    index : tuple of int
        Where.
    got, expected : float
        The two values.
    error : float
        Their distance; NaN where one of them is not a number.
    bound : float
        The largest distance allowed under the claim.
    ulp : float
        The distance in units of the last place of the expected value.
    """

    output: str
    index: tuple[int, ...]
    got: float
    expected: float
    error: float
    bound: float
    ulp: float

    @property
    def ratio(self) -> float:
        """The distance as a multiple of the bound: above 1 is a failure."""
        if self.error == 0:
            return 0.0
        return self.error / self.bound if self.bound else float("inf")

    def __str__(self) -> str:
        place = self.output + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        return (
            f"{place}: got {self.got!r}, expected {self.expected!r}; "
            f"error {self.error:.3g} ({self.ulp:.3g} ulp), allowed {self.bound:.3g}"
        )


@dataclass(frozen=True)
class Result:
    """What became of one case in one dtype.

    Attributes
    ----------
    case_id, operation, dtype, kind, claim : str
        Which case (kind ``"value"`` or ``"invalid"``), judged by which claim.
    verdict : str
        One of `VERDICTS`.
    reason : str
        Why it was skipped, how it failed, or what the error said; empty for a plain pass.
    remark : str
        What is worth knowing about a pass, such as a refusal of another class than expected.
    strongest_claim : str
        The strongest claim this output keeps, ``"none"``, or empty where nothing was compared.
    worst_error : Worst or None
        The worst element, where elements were compared.
    elements, uninformative : int
        Elements compared, and elements whose bound says nothing.
    diagnosis : str
        What the failures of the operation look like; empty where this case did not fail.
    comment, flags, clauses
        From the vector file: why the case exists and what it tests.
    """

    case_id: str
    operation: str
    dtype: str
    kind: str
    claim: str
    verdict: str
    reason: str = ""
    remark: str = ""
    strongest_claim: str = ""
    worst_error: Worst | None = None
    elements: int = 0
    uninformative: int = 0
    diagnosis: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


def from_record(record: dict[str, Any]) -> Result:
    """Return the Result that `record`, read from a JSON report, describes."""
    worst = record["worst_error"]
    if worst is not None:
        numbers = {key: float(worst[key]) for key in ("got", "expected", "error", "bound", "ulp")}
        worst = Worst(worst["output"], tuple(worst["index"]), **numbers)
    lists = {key: tuple(record[key]) for key in ("flags", "clauses")}
    return Result(**{**record, **lists, "worst_error": worst})
