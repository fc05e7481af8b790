"""Single faults in the small corpus, each with the place that the loader must name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

INV_FREQ = "core/rope/inv_freq.json"
INVALID = "core/rope/inv_freq_invalid.json"
RELATIVE = "core/positions/relative.json"
BIAS = "core/alibi/bias.json"
OUTPUT = "core/attention/output.json"

TEST = "/groups/0/tests/0"
F64 = TEST + "/expected/inv_freq/float64"
REL = TEST + "/expected/relative_position/int64"
REMOVE = object()

Edit = Callable[[Any], None]


@dataclass(frozen=True)
class Corruption:
    """One fault: at `place` of `file` put `value`; the loader names `pointer` (the place, if left out).

    `text` is a replacement in the bytes of the file instead. `structural` says that the JSON Schema
    must refuse it too.
    """

    name: str
    file: str
    place: str
    value: Any
    message: str
    pointer: str
    case: str
    structural: bool
    text: tuple[str, str] | None = None

    def edit(self, document: Any) -> None:
        """Put the fault into a parsed file."""
        *keys, last = self.place[1:].split("/")
        for key in keys:
            document = document[int(key) if isinstance(document, list) else key]
        index: Any = int(last) if isinstance(document, list) else last
        if self.value is REMOVE:
            del document[index]
        else:
            document[index] = self.value

    def apply(self, small: Any) -> None:
        """Put the fault into the small corpus and sign it again."""
        if self.text:
            small.replace(self.file, *self.text)
        else:
            self.edit(small.content[self.file])
            small.write()


CASES = {
    INV_FREQ: "small-inv-freq",
    INVALID: "small-inv-freq-odd",
    RELATIVE: "small-relative",
    BIAS: "small-bias",
    OUTPUT: "small-output",
}


def at(
    name: str,
    file: str,
    place: str,
    value: Any,
    message: str,
    *,
    pointer: str | None = None,
    case: str | None = None,
    structural: bool = True,
) -> Corruption:
    where = place if pointer is None else pointer
    if case is None:
        case = CASES[file] if where.startswith(TEST) else ""
    return Corruption(name, file, place, value, message, where, case, structural)


def raw(
    name: str, file: str, old: str, new: str, message: str, *, pointer: str = "", case: str = ""
) -> Corruption:
    return Corruption(name, file, "", None, message, pointer, case, False, (old, new))


def answer(dtype: str, shape: list[int], data: str, residual: str, bound: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data": [data], "residual": [residual], "bound": [bound]}


CORRUPTIONS = (
    # The head
    at("wrong-format", INV_FREQ, "/format", "wycheproof", "must be one of"),
    at("wrong-version", INV_FREQ, "/format_version", 2, "must be one of 1"),
    at("version-is-true", INV_FREQ, "/format_version", True, "must be one of 1"),
    at("wrong-kind", INV_FREQ, "/kind", "invalid", 'must be one of "value"'),
    at("unknown-kind", INV_FREQ, "/kind", "scenario", 'must be one of "value"'),
    at("no-format", INV_FREQ, "/format", REMOVE, "'format' is missing", pointer=""),
    at("no-licence", INV_FREQ, "/license", REMOVE, "'license' is missing", pointer=""),
    at("unknown-key", INV_FREQ, "/author", "me", "unknown key 'author'"),
    at("other-operation", INV_FREQ, "/operation", "rope.matrix", "must be one of", structural=False),
    at("wrong-count", INV_FREQ, "/number_of_tests", 2, "the groups have 1", structural=False),
    at("no-header", INV_FREQ, "/header", "", "not empty"),
    # Notes and flags
    at("unknown-flag", INV_FREQ, TEST + "/flags/0", "odd", "must be one of", structural=False),
    at("flag-twice", INV_FREQ, TEST + "/flags", ["plain", "plain"], "twice"),
    at("note-unused", INV_FREQ, TEST + "/flags", [], "no test", pointer="/notes/plain", structural=False),
    at("bug-type", INV_FREQ, "/notes/plain/bug_type", "weird", "must be one of"),
    at("note-key", INV_FREQ, "/notes/plain/effect", REMOVE, "missing", pointer="/notes/plain"),
    # Groups
    at("group-key", INV_FREQ, "/groups/0/requires", REMOVE, "missing", pointer="/groups/0"),
    at("capability", INV_FREQ, "/groups/0/requires", ["gpu"], "must be one of",
       pointer="/groups/0/requires/0"),
    at("signed-zero", INV_FREQ, "/groups/0/compare/signed_zero", "maybe", "must be one of"),
    at("source-version", INV_FREQ, "/groups/0/source/version", "1", "must match"),
    at("no-tests", INV_FREQ, "/groups/0/tests", [], "at least one test"),
    # Parameters
    at("parameter-missing", INV_FREQ, "/groups/0/params/base", REMOVE, "'base' is missing",
       pointer="/groups/0/params", structural=False),
    at("parameter-unknown", INV_FREQ, "/groups/0/params/theta", 1, "unknown key 'theta'", structural=False),
    at("real-as-integer", INV_FREQ, "/groups/0/params/base", 10000, "must be an object", structural=False),
    at("real-as-boolean", INV_FREQ, "/groups/0/params/base", True, "must be an object", structural=False),
    at("real-null", INV_FREQ, "/groups/0/params/base", None, "must be an object", structural=False),
    at("real-upper-case", INV_FREQ, "/groups/0/params/base/float64", "40C3880000000000", "must match"),
    at("real-short", INV_FREQ, "/groups/0/params/base/float64", "40c388", "must match"),
    at("real-infinite", INV_FREQ, "/groups/0/params/base",
       {"float64": "7ff0000000000000", "decimal": "inf"}, "out of range", structural=False),
    at("real-below", INV_FREQ, "/groups/0/params/base",
       {"float64": "3ff0000000000000", "decimal": "1.0"}, "out of range", structural=False),
    at("decimal-differs", INV_FREQ, "/groups/0/params/base/decimal", "10001.0", "is not the number",
       structural=False),
    at("integer-odd", INV_FREQ, "/groups/0/params/rotary_dim", 3, "a multiple of 2", structural=False),
    at("integer-small", INV_FREQ, "/groups/0/params/rotary_dim", 0, "out of range", structural=False),
    at("integer-true", INV_FREQ, "/groups/0/params/rotary_dim", True, "must be an integer", structural=False),
    at("choice", BIAS, "/groups/0/params/form", "distance", "must be one of", structural=False),
    # Tests
    at("id-alphabet", INV_FREQ, TEST + "/id", "Small Inv", "must match", case="Small Inv"),
    at("comment-empty", INV_FREQ, TEST + "/comment", "", "not empty"),
    at("no-clause", INV_FREQ, TEST + "/clauses", [], "names the clauses"),
    at("clause-alphabet", INV_FREQ, TEST + "/clauses/0", "rope.1", "must match"),
    at("hash-short", INV_FREQ, TEST + "/case_hash", "00", "must match"),
    at("hash-differs", INV_FREQ, TEST + "/case_hash", "0" * 16, "hashes to", structural=False),
    at("hash-of-changed-comment-free-part", RELATIVE, REL + "/data/0/0", -2, "hashes to",
       pointer=TEST + "/case_hash", structural=False),
    # Inputs
    at("input-missing", RELATIVE, TEST + "/inputs/k_positions", REMOVE, "'k_positions' is missing",
       pointer=TEST + "/inputs", structural=False),
    at("input-unknown", RELATIVE, TEST + "/inputs/values", {}, "unknown key 'values'"),
    at("input-key", RELATIVE, TEST + "/inputs/k_positions/shape", REMOVE, "'shape' is missing",
       pointer=TEST + "/inputs/k_positions"),
    at("positions-float", RELATIVE, TEST + "/inputs/q_positions",
       {"dtype": "float64", "shape": [1], "data": ["3ff0000000000000"]}, "must be one of",
       pointer=TEST + "/inputs/q_positions/dtype", structural=False),
    at("table-short", BIAS, TEST + "/inputs/slopes", {"dtype": "bfloat16", "shape": [1], "data": ["3f00"]},
       "must be one of", pointer=TEST + "/inputs/slopes/dtype", structural=False),
    at("table-infinite", BIAS, TEST + "/inputs/slopes/data/0", "ff800000", "-infinity is not legal",
       structural=False),
    at("main-mixed", OUTPUT, TEST + "/inputs/k", {"dtype": "float32", "shape": [2, 1],
       "data": ["3f800000", "40000000"]}, "must be one of", pointer=TEST + "/inputs/k/dtype",
       structural=False),
    at("main-not-float16", OUTPUT, TEST + "/inputs/v/data/0", "7f00", "exact in float16",
       pointer=TEST + "/inputs/v", structural=False),
    at("main-infinite", OUTPUT, TEST + "/inputs/q/data/0", "ff80", "-infinity is not legal",
       structural=False),
    at("bias-plus-infinity", OUTPUT, TEST + "/inputs/bias/data/0", "00007f80", "infinity is not legal",
       structural=False),
    at("nan", OUTPUT, TEST + "/inputs/k/data/1", "7fc0", "NaN is not legal", structural=False),
    at("int-row", RELATIVE, TEST + "/inputs/k_positions/data/0", [0], "list of 2 integers", structural=False),
    at("int-boolean", RELATIVE, TEST + "/inputs/k_positions/data/0", [0, True], "must be an integer",
       pointer=TEST + "/inputs/k_positions/data/0/1"),
    at("int-large", RELATIVE, TEST + "/inputs/k_positions/data/0", [0, 2**63], "out of range",
       pointer=TEST + "/inputs/k_positions/data/0/1"),
    at("int-rows", RELATIVE, TEST + "/inputs/k_positions/data", [[0], [2]], "list of 1 rows",
       structural=False),
    at("shape-negative", RELATIVE, TEST + "/inputs/k_positions/shape/0", -2, "out of range"),
    at("shape-huge", RELATIVE, TEST + "/inputs/k_positions/shape", [10**7, 10**7], "more than",
       structural=False),
    at("shape-huge-and-empty", RELATIVE, TEST + "/inputs/k_positions/shape", [0, 10**12, 2], "more than",
       structural=False),
    # Expected
    at("output-missing", INV_FREQ, TEST + "/expected", {}, "'inv_freq' is missing"),
    at("output-unknown", INV_FREQ, TEST + "/expected/angle", {}, "unknown key 'angle'"),
    at("dtype-missing", INV_FREQ, TEST + "/expected/inv_freq/float32", REMOVE,
       "'float32' is missing and no value overflows", pointer=TEST + "/expected/inv_freq",
       structural=False),
    at("float64-missing", INV_FREQ, F64, REMOVE, "'float64' is missing", pointer=TEST + "/expected/inv_freq"),
    at("dtype-unknown", INV_FREQ, TEST + "/expected/inv_freq/int64",
       {"dtype": "int64", "shape": [2], "data": [[1, 0]]}, "unknown key 'int64'"),
    at("dtype-differs", INV_FREQ, F64 + "/dtype", "float32", "must be one of"),
    at("upper-case", INV_FREQ, F64 + "/data/0", "3FF00000000000003F847AE147AE147B", "must be 32 characters"),
    at("row-short", INV_FREQ, F64 + "/data/0", "3ff0000000000000", "must be 32 characters", structural=False),
    at("row-odd", INV_FREQ, F64 + "/data/0", "3ff00000000000003f847ae147ae147", "must be 32 characters"),
    at("rows", INV_FREQ, F64 + "/data", [], "list of 1 rows", structural=False),
    at("expected-nan", INV_FREQ, F64 + "/data/0", "7ff80000000000003f847ae147ae147b", "NaN is not legal",
       structural=False),
    at("expected-infinity", INV_FREQ, F64 + "/data/0", "7ff00000000000003f847ae147ae147b",
       "infinity is not legal", structural=False),
    at("shapes-differ", INV_FREQ, TEST + "/expected/inv_freq/float16",
       answer("float16", [1, 2], "3c00211f", "0-", "3a8037c0"), "is not the shape in float64",
       pointer=TEST + "/expected/inv_freq/float16/shape", structural=False),
    at("negative-zero", INV_FREQ, F64 + "/data/0", "80000000000000003f847ae147ae147b", "exact zero is +0",
       structural=False),
    at("residual-letter", INV_FREQ, F64 + "/residual/0", "0x", "must be 2 characters"),
    at("residual-short", INV_FREQ, F64 + "/residual/0", "0", "must be 2 characters", structural=False),
    at("no-residual", INV_FREQ, F64 + "/residual", REMOVE, "'residual' is missing", pointer=F64),
    at("infinite-residual", BIAS, TEST + "/expected/bias/float64/residual/0", "0-", "residual 0, bound 0",
       structural=False),
    at("bound-negative", INV_FREQ, F64 + "/bound/0", "a5002500", "at least +0"),
    at("bound-negative-zero", INV_FREQ, F64 + "/bound/0", "80002500", "at least +0"),
    at("bound-infinite", INV_FREQ, F64 + "/bound/0", "7f802500", "at least +0", structural=False),
    at("bound-short", INV_FREQ, F64 + "/bound/0", "2500", "must be 8 characters", structural=False),
    at("int-with-bound", RELATIVE, REL + "/bound", ["00000000"], "unknown key 'bound'"),
    at("int-as-bool", RELATIVE, REL + "/dtype", "bool", "must be one of"),
    # Refusals
    at("error-class", INVALID, TEST + "/error/class", "BAD", "must be one of"),
    at("error-parameter", INVALID, TEST + "/error/parameter", "theta", "must be one of", structural=False),
    at("error-key", INVALID, TEST + "/error/parameter", REMOVE, "missing", pointer=TEST + "/error"),
    at("error-and-expected", INVALID, TEST + "/expected", {}, "unknown key 'expected'"),
    # Bytes
    raw("duplicate-key", INV_FREQ, '"residual": [', '"residual": [], "residual": [',
        "key 'residual' stands twice", pointer=F64, case=CASES[INV_FREQ]),
    raw("json-float", INV_FREQ, '"rotary_dim": 4', '"rotary_dim": 4.0', "JSON float is not exact: 4.0",
        pointer="/groups/0/params/rotary_dim"),
    raw("json-nan", INV_FREQ, '"rotary_dim": 4', '"rotary_dim": NaN', "NaN is not JSON",
        pointer="/groups/0/params/rotary_dim"),
    raw("not-ascii", INV_FREQ, "A definition.", "A d\u00e9finition.", "is not ASCII"),
    raw("not-json", INV_FREQ, '"kind":', '"kind"', "not JSON"),
    raw("byte-order-mark", INV_FREQ, "{", "\ufeff{", "is not ASCII"),
    raw("nested", INV_FREQ, '"rotary_dim": 4', '"rotary_dim": ' + "[" * 100_000, "nested more than 64 deep"),
    raw("digits", INV_FREQ, '"rotary_dim": 4', '"rotary_dim": ' + "4" * 5000, "not JSON"),
)  # fmt: skip
