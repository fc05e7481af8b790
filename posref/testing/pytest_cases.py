"""The certified vectors as parameters of a pytest test."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posref.testing.cases import cases
from posref.testing.libraries import need


def parametrize(
    operations: str | Sequence[str] = "*",
    dtype: str | Sequence[str] = "float32",
    *,
    kind: str = "value",
    library: str = "numpy",
    root: str | Path | None = None,
) -> Any:
    """Return a decorator that runs a test once for each case, as its argument ``case``.

    The identifier of a test is that of the case in the vectors and the dtype:
    ``test_rope[rope-apply-half-w4-p7-float32]``. What the dtype or the library cannot hold exactly makes no
    test at all; ``cases(...).left_out`` of the same arguments says which, how many and why. If none is left
    it is a ValueError, so a test that never runs does not pass.

    Parameters
    ----------
    operations, dtype, kind, library, root
        As in `posref.testing.cases`.

    Returns
    -------
    pytest.MarkDecorator

    Raises
    ------
    ImportError
        If pytest is not installed.

    Examples
    --------
    >>> import posref
    >>> from posref.testing import parametrize
    >>> @parametrize("alibi.slopes", dtype="bfloat16")
    ... def test_slopes(case):
    ...     case.check(posref.alibi.slopes)
    >>> @parametrize("alibi.slopes", kind="invalid")
    ... def test_refusals(case):
    ...     case.check(posref.alibi.slopes)
    """
    pytest = need("pytest", "posref.testing.parametrize", "testing")
    found = cases(operations, dtype, kind=kind, library=library, root=root)
    params = [pytest.param(case, id=f"{case.id}-{case.dtype}") for case in found]
    return pytest.mark.parametrize("case", params)
