"""Cases: well formed, complete over the spec and the registry, and free of symmetries that hide faults."""

import json
import math
import re
from collections import Counter
from itertools import pairwise

import pytest

from posref.cases._draw import PRECISION, RANGES, UNSIGNED, draw, value
from posref.errors import KINDS
from posref.operation import Case, Group, Tensor, find, home, scenarios, signature, signatures

SLUG = re.compile(r"[a-z0-9][a-z0-9._-]*")
BITS = {"float64": 53, "float32": 24, "bfloat16": 8}
POSITIONS = ("q_positions", "k_positions", "positions")
OPERATIONS = tuple(signatures())


def groups(operation: str) -> tuple[Group, ...]:
    return tuple(find("cases", operation)())


CASES = [(group, case) for name in OPERATIONS for group in groups(name) for case in group.cases]
VALUES = [(group, case) for group, case in CASES if case.error is None]
INVALID = [(group, case) for group, case in CASES if case.error is not None]
FLAGS = json.loads((home("spec") / "flags.json").read_text("ascii"))


def ids(entries):
    return [case.id for _, case in entries]


def significant_bits(number: float) -> int:
    """The bits from the highest to the lowest set one."""
    if number == 0 or math.isinf(number):
        return 0
    numerator = abs(number.as_integer_ratio()[0])
    return (numerator // (numerator & -numerator)).bit_length()


def clauses_of_the_spec() -> set[str]:
    pages = [home("spec") / "conventions.md", *(home("spec") / "schemes").glob("*.md")]
    return {
        clause for page in pages for clause in re.findall(r"\*\*(\w+\.C\d+)\*\*", page.read_text("utf-8"))
    }


def test_ids_and_group_names_are_unique_slugs():
    counts = Counter(case.id for _, case in CASES)
    assert [name for name, count in counts.items() if count > 1] == []
    assert [name for name in counts if not SLUG.fullmatch(name)] == []
    for operation in OPERATIONS:
        names = Counter(group.name for group in groups(operation))
        assert [name for name, count in names.items() if count > 1 or not SLUG.fullmatch(name)] == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_group_is_valid_or_invalid_as_a_whole(operation):
    for group in groups(operation):
        assert group.operation == operation
        assert group.cases
        assert len({case.error is None for case in group.cases}) == 1


def test_every_clause_is_cited_and_every_citation_exists():
    cited = {clause for _, case in CASES for clause in case.clauses}
    assert cited == clauses_of_the_spec()
    assert [case.id for _, case in CASES if not case.clauses or not case.comment] == []


def test_the_clause_about_adding_a_linear_bias_is_cited_by_attention():
    assert any(group.operation == "attention.output" and "alibi.C7" in case.clauses for group, case in VALUES)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_edge_of_the_registry_is_a_flag_of_a_case(operation):
    flags = {flag for group in groups(operation) for case in group.cases for flag in case.flags}
    assert set(signature(operation).edges) <= flags


def test_flags_are_described_and_used():
    played = {flag for group in scenarios() for case in group.cases for flag in case.flags}
    assert {flag for _, case in CASES for flag in case.flags} | played == set(FLAGS)
    known = {"basic", "convention", "wrong_formula", "precision", "indexing", "missing_step"}
    for name, flag in FLAGS.items():
        assert SLUG.fullmatch(name)
        assert set(flag) == {"bug_type", "description", "effect", "links"}
        assert flag["bug_type"] in known | {"stale_state", "edge_case", "known_bug"}
        assert flag["description"].endswith(".")
        assert flag["effect"].endswith(".")
        assert all(
            re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/issues/\d+", link) for link in flag["links"]
        )
    edges = {edge for name in OPERATIONS for edge in signature(name).edges}
    assert {name for name, flag in FLAGS.items() if flag["bug_type"] == "edge_case"} == edges


@pytest.mark.parametrize("entry", VALUES, ids=ids(VALUES))
def test_a_value_case_is_a_full_call(entry):
    group, case = entry
    call = signature(group.operation)
    assert set(group.params) == {parameter.name for parameter in call.parameters}
    required = {tensor.name for tensor in call.inputs if not tensor.optional}
    assert required <= set(case.inputs) <= {tensor.name for tensor in call.inputs}
    assert len({case.inputs[tensor.name].dtype for tensor in call.main if tensor.name in case.inputs}) <= 1
    assert len(set(case.flags)) == len(case.flags)


@pytest.mark.parametrize("entry", VALUES, ids=ids(VALUES))
def test_values_are_exact_in_their_dtype(entry):
    for name, tensor in entry[1].inputs.items():
        assert len(tensor.data) == math.prod(tensor.shape)
        if tensor.dtype in BITS:
            assert all(isinstance(number, float) for number in tensor.data)
            assert all(significant_bits(number) <= BITS[tensor.dtype] for number in tensor.data)
            assert all(abs(n) < 2.0**127 or (name, n) == ("bias", -math.inf) for n in tensor.data)
        elif tensor.dtype == "bool":
            assert set(tensor.data) <= {0, 1}
        else:
            assert tensor.dtype == "int64"
            # positions reach to 2^53, and the difference of two twice as far
            assert all(type(number) is int and abs(number) <= 2**54 for number in tensor.data)


def narrow(tensor: Tensor) -> bool:
    """Exact in float16 too: normal, 11 bits."""
    return all(n == 0 or math.isinf(n) or 2.0**-14 <= abs(n) < 2.0**16 for n in tensor.data)


@pytest.mark.parametrize("entry", VALUES, ids=ids(VALUES))
def test_kind_bfloat16_serves_float16_too(entry):
    for tensor in entry[1].inputs.values():
        if tensor.dtype == "bfloat16":
            assert narrow(tensor)


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if signature(name).main])
def test_every_kind_of_precision_is_there_and_tables_follow_it(operation):
    call = signature(operation)
    kinds = set()
    for group in groups(operation):
        for case in group.cases:
            if case.error is None and all(math.prod(tensor.shape) for tensor in case.inputs.values()):
                kind = case.inputs[call.main[0].name].dtype
                kinds.add(kind)
                for entry in call.inputs:
                    if entry.role == "table":
                        expected = "float64" if kind == "float64" else "float32"
                        assert case.inputs[entry.name].dtype == expected
    assert kinds == {"bfloat16", "float32", "float64"}


TABLED = [
    name
    for name in OPERATIONS
    if not signature(name).main and any(entry.role == "table" for entry in signature(name).inputs)
]


def test_there_are_generators_with_tables():
    assert {"rope.cos_sin", "alibi.bias", "mrope.cos_sin"} <= set(TABLED)


@pytest.mark.parametrize("operation", TABLED)
def test_tables_of_generators_come_in_both_precisions(operation):
    cases = [case for g in groups(operation) for case in g.cases if case.error is None]
    for table in (entry.name for entry in signature(operation).inputs if entry.role == "table"):
        assert {case.inputs[table].dtype for case in cases} == {"float32", "float64"}


def rows(tensor: Tensor):
    width = tensor.shape[-1]
    return [tensor.data[start : start + width] for start in range(0, len(tensor.data), width or 1)]


@pytest.mark.parametrize("entry", VALUES, ids=ids(VALUES))
def test_no_symmetry_hides_a_fault(entry):
    _, case = entry
    inputs = {name: tensor for name, tensor in case.inputs.items() if math.prod(tensor.shape)}
    for name, tensor in inputs.items():
        if tensor.dtype in BITS and name not in POSITIONS:
            assert all(len(row) == 1 or len(set(row)) > 1 for row in rows(tensor))
            assert all(a != b for a, b in pairwise(rows(tensor)))
    for name in {"x", "q", "k", "v"} & set(inputs):
        shape = inputs[name].shape
        assert shape[-1] != shape[-2] or shape[-1] == 1
        assert len(shape) < 4 or (shape[0] == 2 and shape[1] != shape[2])
    tokens = [math.prod(inputs[name].shape[-1:]) for name in POSITIONS[:2] if name in inputs]
    assert len(tokens) < 2 or tokens[0] != tokens[1] or tokens[0] == 1


@pytest.mark.parametrize("entry", INVALID, ids=ids(INVALID))
def test_a_refusal_names_what_is_at_fault(entry):
    group, case = entry
    call = signature(group.operation)
    names = {parameter.name for parameter in call.parameters} | {tensor.name for tensor in call.inputs}
    assert case.error.kind in KINDS
    assert case.error.parameter in names
    assert set(case.inputs) <= names
    assert set(group.params) <= names
    absent = case.error.parameter not in {*case.inputs, *group.params}
    null = group.params.get(case.error.parameter, 0) is None
    assert (case.error.kind == "MISSING_PARAMETER") == ((absent and case.error.parameter != "mask") or null)
    for tensor in case.inputs.values():
        assert len(tensor.data) == math.prod(tensor.shape)
        assert not any(isinstance(number, float) and math.isnan(number) for number in tensor.data)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_value_of_every_choice_is_used(operation):
    used = [group.params for group in groups(operation) if group.cases[0].error is None]
    for parameter in signature(operation).parameters:
        given = [params[parameter.name] for params in used if params[parameter.name] is not None]
        if parameter.type == "choice":
            assert set(given) == set(parameter.values)
        elif parameter.type == "choices":
            assert {value for several in given for value in several} == set(parameter.values)
            assert len({tuple(several) for several in given}) > 1
        elif parameter.type == "boolean":
            assert set(given) == {True, False}
        elif parameter.type == "scaling":
            types = {value["rope_type"] for value in given}  # all for one rotation, some for the others
            assert types == set(parameter.rope_types) or (operation != "rope.apply" and len(types) > 2)
        if parameter.nullable:  # legal, or refused beside certain other parameters
            assert None in [group.params.get(parameter.name, ...) for group in groups(operation)]
        if parameter.convention:
            refused = [case.error for g in groups(operation) for case in g.cases if case.error]
            kinds = {error.kind for error in refused if error.parameter == parameter.name}
            assert kinds >= {"MISSING_PARAMETER", "INVALID_PARAMETER"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_size_of_the_core_is_kept(operation):
    elements = sum(
        math.prod(tensor.shape)
        for g in groups(operation)
        for case in g.cases
        for tensor in case.inputs.values()
    )
    assert elements < 15_000  # inputs; the lint limits the bytes of the whole core
    for group in groups(operation):
        width = group.params.get("rotary_dim", group.params.get("dim", 0))
        if operation in ("rope.matrix", "sinusoidal.shift_matrix") and isinstance(width, int):
            assert width <= 8 or width == 12


def test_drawn_values_are_what_the_published_map_gives():
    digest = bytes.fromhex("766b9a2f1702d05d192f")  # sha256sum of the nine bytes "drawn/x/0"
    assert value("drawn", "x", 0, "bfloat16") == expected_from(digest, "x", 8, False)
    assert value("drawn", "x", 0, "float64") == expected_from(digest, "x", 53, True)


def expected_from(digest: bytes, name: str, precision: int, full: bool) -> float:
    low, high = RANGES[name]
    bits = "".join(f"{byte:08b}" for byte in digest[2:])[: precision - 1]
    fraction = int(bits[:-1] + "1" if full else bits, 2)
    size = (1 + fraction / 2 ** (precision - 1)) * 2.0 ** (low + digest[1] % (high - low + 1))
    return -size if digest[0] % 2 else size


@pytest.mark.parametrize("kind", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", sorted(RANGES))
def test_drawn_values_have_the_precision_and_range_of_their_kind(kind, name):
    numbers = draw("drawn", name, (5, 7), kind).data
    low, high = RANGES[name]
    assert all(2.0**low <= abs(number) < 2.0 ** (high + 1) for number in numbers)
    assert (min(numbers) > 0) == (name in UNSIGNED)
    bits = {significant_bits(number) for number in numbers}
    assert max(bits) <= PRECISION[kind]
    assert kind == "bfloat16" or bits == {PRECISION[kind]}


def test_a_drawn_value_depends_on_its_id_alone():
    wide, tall = draw("drawn", "x", (2, 8), "float32"), draw("drawn", "x", (4, 4), "float32")
    assert wide.data == tall.data
    assert draw("other", "x", (2, 8), "float32").data != wide.data
    assert draw("drawn", "q", (2, 8), "float64").data != draw("drawn", "k", (2, 8), "float64").data


def test_case_types():
    assert all(isinstance(group, Group) and isinstance(case, Case) for group, case in CASES)
