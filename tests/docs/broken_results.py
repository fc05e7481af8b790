"""Files of results that are right, wrong, cut, swollen or no such files, made from the reference."""

import json
import random
import sys
from functools import cache
from pathlib import Path

import posref
from posref.corpus import load_vectors
from posref.operation import signatures

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))

import site_results

OFFERED = (
    *("rope.inv_freq", "rope.apply", "alibi.bias", "t5.bucket"),
    *("attention.causal_mask", "rope.table_slice"),
)
"""Floats and integers and booleans, zeros whose sign counts, infinities, several outputs, scenarios."""

corpus = cache(load_vectors)


def functions(*names):
    """Return the reference's functions for these operations, or for all."""
    entries = [entry for entry in signatures().values() if not names or entry.name in names]
    return {entry.name: getattr(getattr(posref, entry.scheme), entry.function) for entry in entries}


@cache
def right():
    """Return a right file of some operations: its lines, read."""
    text = site_results.written(corpus(), functions(*OFFERED))
    return tuple(text.splitlines())


def lines(*changes):
    """Return a file: the right one after changes of its first line, its list of lines, or both."""
    head, *rest = (json.loads(line) for line in right())
    for change in changes:
        head, rest = change(head, rest)
    return "".join(json.dumps(line) + "\n" for line in (head, *rest))


def claims(**claim):
    return lambda head, rest: ({**head, "claims": claim}, rest)


def first(**changes):
    return lambda head, rest: ({**head, **changes}, rest)


def each(change, *, every=3):
    """Change every third line in place."""

    def changed(head, rest):
        rest = json.loads(json.dumps(rest))
        for line in rest[::every]:
            change(line)
        return head, rest

    return changed


def tensors(line):
    """Yield the tensors of a line, those of its steps too."""
    for one in (line, *line.get("steps", ())):
        yield from one.get("outputs", {}).values()


def hexadecimal(change):
    """Change the first row of each float tensor that has one."""
    return first_rows(lambda row: change(row) if isinstance(row, str) else row)


def integers(change):
    """Change the first row of each integer tensor that has one."""
    return first_rows(lambda row: row if isinstance(row, str) else change(row))


def first_rows(change):
    def changed(line):
        for tensor in tensors(line):
            if tensor["data"]:
                tensor["data"][0] = change(tensor["data"][0])

    return each(changed)


def fields(**changes):
    """Change fields of each tensor."""

    def changed(line):
        for tensor in tensors(line):
            tensor.update(changes)

    return each(changed)


def instead(reply):
    """Put another reply in the place of the line's own."""

    def changed(line):
        for key in ("outputs", "error", "skipped", "steps"):
            line.pop(key, None)
        line.update(reply)

    return each(changed)


def stepped(change):
    """Change the steps of every scenario."""

    def changed(line):
        if "steps" in line:
            change(line)

    return each(changed, every=1)


def retyped(dtype):
    """Call the integers of another dtype."""

    def changed(line):
        for tensor in tensors(line):
            if tensor["dtype"] in ("int64", "bool"):
                tensor["dtype"] = dtype

    return each(changed, every=1)


WIDTHS = {"float64": 16, "float32": 8, "bfloat16": 4, "float16": 4}
SPECIAL = {
    "float64": ("7ff8000000000000", "7ff0000000000000", "fff0000000000000", "8000000000000000"),
    "float32": ("7fc00000", "7f800000", "ff800000", "80000000"),
    "bfloat16": ("7fc0", "7f80", "ff80", "8000"),
    "float16": ("7e00", "7c00", "fc00", "8000"),
}


def set_to(index):
    """Put NaN, infinity, -infinity or -0 in the place of a value."""

    def changed(line):
        for tensor in tensors(line):
            if tensor["dtype"] in SPECIAL and tensor["data"]:
                special = SPECIAL[tensor["dtype"]][index]
                tensor["data"][-1] = tensor["data"][-1][: -len(special)] + special

    return each(changed, every=2)


def nudged(steps, seed):
    """Move values at random by up to so many of their own steps."""
    draw = random.Random(seed)

    def moved(row, width):
        words = [int(row[at : at + width], 16) for at in range(0, len(row), width)]
        words = [max(0, word + draw.choice((0, 0, 1, -1)) * draw.randint(0, steps)) for word in words]
        return "".join(f"{word:0{width}x}" for word in words)

    def changed(line):
        for tensor in tensors(line):
            width = WIDTHS.get(tensor["dtype"])
            tensor["data"] = [moved(row, width) if width else row for row in tensor["data"]]

    return each(changed, every=1)


def last_step(reply):
    """Put another reply in the place of the last step of every scenario."""
    return stepped(lambda line: line["steps"].__setitem__(-1, reply))


def in_steps(line):
    """Say a single answer as a list of one step."""
    if "steps" not in line:
        line["steps"] = [{key: line.pop(key) for key in ("outputs", "error", "skipped") if key in line}]


def replaced(old, new, count=-1):
    """Return a file in whose text something is replaced."""
    return lambda: lines().replace(old, new, count)


def made(*changes):
    """Return a file with these changes."""
    return lambda: lines(*changes)


def without_last(head, rest):
    return head, rest[: len(rest) // 2]


def twice(head, rest):
    return head, [*rest, rest[5]]


def stranger(head, rest):
    return head, [*rest, {**rest[5], "test": "no-such-test"}]


def renamed(head, rest):
    return head, [{**rest[0], "dtype": "int32"}, *rest[1:]]


TIGHT = {"float64": "ulp:1", "float32": "ulp:2", "bfloat16": "faithful", "float16": "correctly_rounded"}
ZERO = {"dtype": "float32", "shape": [], "data": ["00000000"]}
SKIP = {"skipped": {"reason": "not here"}}


def every(claim):
    """Make one claim in every dtype."""
    return claims(**dict.fromkeys(TIGHT, claim))


def error(kind, parameter, **more):
    return {"error": {"class": kind, "parameter": parameter, **more}}


FILES = {
    "right": lines,
    "cut in a line": lambda: lines()[: len(lines()) // 2],
    "cut between lines": made(without_last),
    "empty": lambda: "",
    "only the first line": made(lambda head, rest: (head, [])),
    "a blank line": replaced("\n", "\n\n", 1),
    "CRLF": replaced("\n", "\r\n"),
    "not ASCII": replaced("sample", "s\u00e4mple"),
    "a byte order mark": lambda: "\ufeff" + lines(),
    "not an object": lambda: lines() + "[]\n",
    "a key twice": replaced('"dtype": "int64"', '"dtype": "int64", "dtype": "int64"', 1),
    "a JSON float": replaced('"shape": [', '"shape": [1.0, ', 1),
    "a long integer": replaced('"shape": [', f'"shape": [{"9" * 5000}, ', 1),
    "NaN by name": replaced('"shape": [', '"shape": [NaN, ', 1),
    "a leading zero": replaced('"shape": [', '"shape": [01, ', 1),
    "nested as deep as may be": replaced('"shape": [', f'"shape": [{"[" * 60 + "]" * 60}, ', 1),
    "nested one too deep": replaced('"shape": [', f'"shape": [{"[" * 61 + "]" * 61}, ', 1),
    "nested without end": replaced('"shape": [', f'"shape": [{"[" * 100000}', 1),
    "escapes": replaced('"sample"', '"\\u0073am\\u0070le"'),
    "no such escape": replaced('"sample"', '"\\xsample"'),
    "a line break in a text": replaced('"sample"', '"sam\tple"'),
    "a line twice": made(twice),
    "an unknown test": made(stranger),
    "an unknown dtype": made(renamed),
    "another corpus": made(first(tree_sha256="0" * 64)),
    "another protocol": made(first(protocol=2)),
    "protocol true": made(first(protocol=True)),
    "other axes": made(first(axes="bshd")),
    "its axes": made(first(axes="bhsd", sessions=["rope.apply"])),
    "sessions of others": made(first(sessions=["rope.rotate"])),
    "an unknown operation": made(first(operations=["rope.turn"])),
    "an operation twice": made(first(operations=["rope.apply", "rope.apply"])),
    "more operations than lines": made(first(operations=[*OFFERED, "alibi.slopes"])),
    "fewer operations": made(first(operations=["t5.bucket", "rope.apply"])),
    "fewer dtypes": made(first(dtypes=["float32", "float16"])),
    "float32 alone": made(first(dtypes=["float32"])),
    "a further key": made(first(more=1)),
    "a name too long": made(first(name="n" * 201)),
    "no version": made(first(version="")),
    "it lacks": made(first(lacks=["fractional-positions", "positions-2p53"])),
    "it lacks nothing known": made(first(lacks=["patience"])),
    "it flushes": made(first(flush_subnormals=True), set_to(3)),
    "flushes 1": made(first(flush_subnormals=1)),
    "a claim not made": made(claims(float32="f32-angle-bf16")),
    "a claim unknown": made(claims(float32="ulp:0")),
    "a claim of integers": made(claims(int64="exact")),
    "tight claims": made(claims(**TIGHT)),
    "exact": made(every("exact")),
    "wide digits": made(hexadecimal(str.upper)),
    "no such digits": made(hexadecimal(lambda row: "g" + row[1:])),
    "a digit short": made(hexadecimal(lambda row: row[1:])),
    "a digit long": made(hexadecimal(lambda row: row + row[:1])),
    "an integer short": made(integers(lambda row: row[1:])),
    "integers out of range": made(integers(lambda row: [2**63] * len(row))),
    "large integers": made(integers(lambda row: [2**63 - 1] * len(row))),
    "booleans for integers": made(integers(lambda row: [True] * len(row))),
    "integers off by one": made(integers(lambda row: [row[0] ^ 1, *row[1:]] if row else row)),
    "another dtype": made(fields(dtype="bfloat16")),
    "no dtype": made(fields(dtype="complex64")),
    "another shape": made(fields(shape=[1])),
    "a negative shape": made(fields(shape=[-1])),
    "a shape beyond all": made(fields(shape=[10**12, 10**12])),
    "axes without end": made(each(lambda line: [one.update(shape=[1] * 33) for one in tensors(line)])),
    "axes of one": made(each(lambda line: [one.update(shape=[1, *one["shape"]]) for one in tensors(line)])),
    "a further key of a tensor": made(fields(more=1)),
    "int32": made(retyped("int32")),
    "uint8": made(retyped("uint8")),
    "bool": made(retyped("bool")),
    "NaN": made(set_to(0)),
    "infinity": made(set_to(1)),
    "-infinity": made(set_to(2)),
    "-0": made(set_to(3)),
    "-0 exactly": made(claims(**TIGHT), set_to(3)),
    "errors": made(instead(error("OUT_OF_RANGE", "x", message="no"))),
    "errors of nothing": made(instead(error("OUT_OF_RANGE", ""))),
    "errors of no class": made(instead(error("WRONG", "x"))),
    "skips": made(instead(SKIP)),
    "skips without reason": made(instead({"skipped": {"reason": ""}})),
    "nothing": made(instead({})),
    "no outputs": made(instead({"outputs": {}})),
    "other outputs": made(instead({"outputs": {"z": ZERO}})),
    "answers": made(instead({"outputs": {"y": ZERO}})),
    "two replies": made(each(lambda line: line.update(SKIP))),
    "a further key of a line": made(each(lambda line: line.update(seq=1))),
    "a step short": made(stepped(lambda line: line["steps"].pop())),
    "a step long": made(stepped(lambda line: line["steps"].append(line["steps"][0]))),
    "steps swapped": made(stepped(lambda line: line["steps"].reverse())),
    "steps of no list": made(stepped(lambda line: line.update(steps={}))),
    "steps of no object": made(stepped(lambda line: line.update(steps=[1, 2, 3]))),
    "a step that skips": made(last_step(SKIP)),
    "a step refused": made(last_step(error("OUT_OF_RANGE", ""))),
    "no steps": made(stepped(lambda line: line.update(line.pop("steps")[0]))),
    "steps everywhere": made(each(in_steps)),
    "a nudge": made(nudged(1, 1)),
    "a nudge of four": made(nudged(4, 2)),
    "a nudge of four, exactly": made(every("ulp:4"), nudged(4, 3)),
    "a nudge, tight": made(claims(**TIGHT), nudged(2, 4)),
    "a nudge, faithful": made(every("faithful"), nudged(1, 5)),
    "a nudge, rounded": made(every("correctly_rounded"), nudged(1, 6)),
    "far off": made(nudged(1 << 12, 7)),
    "another pairing": lambda: site_results.samples(corpus())["wrong"],
}
"""Names of files, and what makes each."""
