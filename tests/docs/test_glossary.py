"""What the glossary calls a name of this specification is one."""

import re
from pathlib import Path

from posref import operation

TEXT = (Path(__file__).parents[2] / "spec" / "glossary.md").read_text("utf-8")
ROW = re.compile(r"^\| `([a-z0-9_]+\.[a-z0-9_]+)`: ([^|]+) \| ([^|]+) \|", re.MULTILINE)


def names(entry):
    """Return the inputs and parameters of an operation, and what a parameter may be."""
    inputs = {tensor.name for tensor in entry.inputs}
    return (
        inputs | {p.name for p in entry.parameters} | {value for p in entry.parameters for value in p.values}
    )


def test_left_columns_name_parameters_that_exist():
    known = operation.signatures()
    rows = [(found[1], re.findall(r"`(\w+)`", found[2])) for found in ROW.finditer(TEXT)]
    assert len(rows) >= 25
    assert [name for name, _ in rows if name not in known] == []
    assert [(name, word) for name, words in rows for word in words if word not in names(known[name])] == []


def test_operations_in_the_text_exist():
    named = set(re.findall(r"`([a-z0-9_]+\.[a-z0-9_]+)`", TEXT))
    assert len(named) >= 20
    assert named - set(operation.signatures()) == set()


def test_every_published_name_of_the_resolver_is_there():
    """The names that a configuration may use for a thing stand beside its name here."""
    for name in (
        "rope_theta",
        "rotary_emb_base",
        "rotary_pct",
        "rope_pct",
        "partial_rotary_factor",
        "qk_rope_head_dim",
    ):
        assert f"`{name}`" in TEXT


def test_neox_is_half_split_and_gptj_adjacent():
    half, adjacent = (line for line in TEXT.splitlines() if line.startswith("| `rope.apply`: `pairing` ="))
    assert {'"neox"', "`half`"} <= set(re.findall(r'"\w+"|`\w+`', half))
    assert {'"gptj"', "`adjacent`"} <= set(re.findall(r'"\w+"|`\w+`', adjacent))
