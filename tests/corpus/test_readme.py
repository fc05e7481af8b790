"""The Python lines of ``vectors/README.md`` do what they say, on the shipped files."""

import re
from pathlib import Path
from typing import Any

import pytest

from posref import operation
from posref.corpus import load_vectors


def test_the_python_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(operation.home("vectors"))
    code = re.findall(r"^```python\n(.*?)^```$", (root / "README.md").read_text("ascii"), re.M | re.S)
    assert len(code) == 1
    monkeypatch.chdir(root)
    names: dict[str, Any] = {}
    exec(code[0], names)
    tests = load_vectors(operations="rope.inv_freq").tests
    expected = next(test for test in tests if test.id == names["test"]["id"]).expected["inv_freq"]["float32"]
    assert tuple(names["data"]) == expected.tensor.data
    assert tuple(names["bound"]) == expected.bound
    assert names["right"](names["data"])
    assert not names["right"]([value + 1 for value in names["data"]])
    for dtype, text in (("float64", "3fb999999999999a"), ("float16", "211f"), ("bfloat16", "3c24")):
        assert names["floats"]([text], dtype)[0] == pytest.approx({"float64": 0.1}.get(dtype, 0.01), rel=1e-3)
