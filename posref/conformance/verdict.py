"""What the judge says: the worst and the first wrong element of an output, and the result of one case."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

VERDICTS: Final = (
    *("pass", "fail", "error", "skipped", "uninformative"),
    *("expected-fail", "unexpected-pass"),
)
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
class Written:
    """One value as an exact reader wants it; of integers and booleans there is only the decimal.

    Attributes
    ----------
    decimal : str
        The shortest decimal that gives this value of its dtype back.
    hexfloat : str
        The exact value, as ``float.hex`` writes it; empty for integers.
    bits : str
        The IEEE bits of the dtype in hexadecimal; empty for integers.
    """

    decimal: str
    hexfloat: str = ""
    bits: str = ""

    def __str__(self) -> str:
        return f"{self.decimal} ({self.hexfloat}, bits {self.bits})" if self.bits else self.decimal


@dataclass(frozen=True)
class Wrong:
    """The first element, in row-major order, that breaks the claim.

    Attributes
    ----------
    output, index
        Where it stands.
    dtype : str
        Dtype of the output.
    got, expected : Written
        The two values.
    error : float
        Their distance; NaN where one of them is not a number.
    ulp : float
        The distance in units of the last place of the expected value.
    bounds : float
        The distance in units of what the claim allows; infinite where it allows none.
    """

    output: str
    index: tuple[int, ...]
    dtype: str
    got: Written
    expected: Written
    error: float
    ulp: float
    bounds: float

    def __str__(self) -> str:
        place = self.output + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        text = f"{place}: got {self.got}, expected {self.expected}"
        if not self.got.bits or not math.isfinite(self.ulp):
            return text
        allowed = f"{self.bounds:.3g} times the bound" if math.isfinite(self.bounds) else "none is allowed"
        return f"{text}; error {self.ulp:.3g} ulp of {self.dtype}, {allowed}"


@dataclass(frozen=True)
class Expectation:
    """A failure that is known and expected.

    Attributes
    ----------
    case : str
        Glob of case ids.
    reason : str
        Why it fails.
    link : str
        Where that is discussed; may be empty.
    operation, dtype : str
        Globs of the operations, and of the dtypes, in which it fails.
    """

    case: str
    reason: str
    link: str = ""
    operation: str = "*"
    dtype: str = "*"


@dataclass(frozen=True)
class Line:
    """The largest errors of a failing case along one direction.

    Attributes
    ----------
    along : str
        What the places are: a positions input, the distance between key and query, or indices along an axis.
    at : tuple of float
        The places, in ascending order: positions, distances, or indices.
    error : tuple of float
        At each place the largest error, as a multiple of what is allowed; infinite where nothing is,
        or where the value is not a number.
    """

    along: str
    at: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True)
class Profile:
    """Where the errors of one output of a failing case are large: along tokens, and across them."""

    output: str
    lines: tuple[Line, ...]


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
    first_wrong : Wrong or None
        The first element that breaks the claim, where one does.
    elements, uninformative : int
        Elements compared, and elements whose bound says nothing.
    diagnosis : str
        What the failures of the operation look like; empty where this case did not fail.
    comment, flags, clauses
        From the vector file: why the case exists and what it tests.
    params : mapping
        The parameters of a single call that failed; empty where this case did not fail.
    profile : Profile or None
        How large the errors of a wrong output are, and where.
    expected : Expectation or None
        The expected failure that this case is, or was to be.
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
    first_wrong: Wrong | None = None
    elements: int = 0
    uninformative: int = 0
    diagnosis: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    profile: Profile | None = None
    expected: Expectation | None = None


def from_record(record: dict[str, Any]) -> Result:
    """Return the Result that `record`, read from a JSON report, describes."""
    worst, wrong = record["worst_error"], record["first_wrong"]
    if worst is not None:
        worst = Worst(**_read(worst, ("got", "expected", "error", "bound", "ulp")))
    if wrong is not None:
        values = {key: Written(**wrong[key]) for key in ("got", "expected")}
        wrong = Wrong(**{**_read(wrong, ("error", "ulp", "bounds")), **values})
    lists = {key: tuple(record[key]) for key in ("flags", "clauses")}
    own = {
        "worst_error": worst,
        "first_wrong": wrong,
        "profile": record["profile"] and _profile(record["profile"]),
        "expected": record["expected"] and Expectation(**record["expected"]),
    }
    return Result(**{**record, **lists, **own})


def _profile(record: dict[str, Any]) -> Profile:
    lines = [
        Line(line["along"], *(tuple(map(float, line[key])) for key in ("at", "error")))
        for line in record["lines"]
    ]
    return Profile(record["output"], tuple(lines))


def _read(record: dict[str, Any], numbers: tuple[str, ...]) -> dict[str, Any]:
    return {**record, "index": tuple(record["index"]), **{key: float(record[key]) for key in numbers}}
