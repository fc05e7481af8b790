"""What the command line shows of the registry, the corpus and the specification."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from posref.corpus import manifest
from posref.corpus.clauses import clauses
from posref.corpus.load import GoldenTest, ScenarioTest, Test
from posref.operation import FromStep, Parameter, Signature, Tensor, home, signatures

WIDTH: Final = 100
ROWS: Final = 8
"""Rows of a tensor that are printed."""
COLUMNS: Final = 8
"""Values of a row that are printed."""


def operations() -> str:
    """Return a table of all operations: tier, cases, elements, who ships it, inputs, parameters."""
    files = {file.path: file for file in manifest.read(home("vectors")).files}
    lines = [f"{'operation':<26} tier {'cases':>6} {'elements':>9}"]
    for name, entry in signatures().items():
        path = f"core/{entry.scheme}/{entry.function}"
        own = [files[file] for file in (f"{path}.json", f"{path}_invalid.json") if file in files]
        cases, elements = sum(file.tests for file in own), sum(file.elements for file in own)
        lines.append(f"{name:<26} {entry.tier:<4} {cases:>6} {elements:>9}")
        lines.append(f"    {entry.summary}")
        lines += _field("ships", iter([entry.ships]))
        lines += _field(
            "in", (f"{one.name}{'?' if one.optional else ''} ({one.shape})" for one in entry.inputs)
        )
        lines += _field("params", (_parameter(one) for one in entry.parameters))
        lines += _field("out", (f"{one.name} ({one.shape})" for one in entry.outputs))
    return "\n".join(lines)


def _field(title: str, entries: Iterator[str]) -> list[str]:
    text = ", ".join(entries)
    head = f"    {title:<7} "
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)) if text else []


def _parameter(one: Parameter) -> str:
    kind = "|".join(one.values) if one.values else one.type
    default = "" if one.required else f"={'null' if one.default is None else one.default}"
    return f"{one.name}: {kind}{default}"


def case(test: Test) -> str:
    """Return everything about one test of the corpus."""
    lines = [f"{test.id}: {test.operation}, {test.kind}", *_wrap(test.comment)]
    lines.append(f"    file    {test.file}")
    lines.append(f"    clauses {', '.join(test.clauses)}")
    lines += [f"    flags   {', '.join(test.flags)}"] if test.flags else []
    lines += [f"    {name} = {value!r}" for name, value in test.params.items()]
    for name, tensor in test.inputs.items():
        lines += _tensor(f"input {name}", tensor)
    for name, by_dtype in test.expected.items():
        for entry in by_dtype.values():
            lines += _tensor(f"expected {name}", entry.tensor)
    if test.error is not None:
        lines.append(f"must be refused: {test.error.kind} of {test.error.parameter}")
    return "\n".join(lines)


def scenario(test: ScenarioTest) -> str:
    """Return everything about one scenario of the corpus, step by step."""
    what = test.scenario
    lines = [f"{test.id}: {test.name}, scenario", *_wrap(what.comment), f"    file    {test.file}"]
    lines.append(f"    clauses {', '.join(what.clauses)}")
    lines += [f"    flags   {', '.join(what.flags)}"] if what.flags else []
    for name, made in what.objects.items():
        lines.append(f"object {name}: {made.operation}")
        lines += [f"    {key} = {value!r}" for key, value in made.params.items()]
    for index, (step, call) in enumerate(zip(what.steps, test.calls, strict=True)):
        own = "".join(f", {key} = {value}" for key, value in step.overrides.items())
        lines.append(f"step {index}: object {step.object}{own}")
        for name, value in step.inputs.items():
            if isinstance(value, FromStep):
                lines.append(f"input {name}: {value.output} of step {value.step}")
            else:
                lines += _tensor(f"input {name}", value)
        for name, by_dtype in call.expected.items():
            for entry in by_dtype.values():
                lines += _tensor(f"expected {name}", entry.tensor)
    return "\n".join(lines)


def golden(test: GoldenTest) -> str:
    """Return everything about one test of the golden set, with all digits."""
    lines = [f"{test.id}: {test.operation}, golden", *_wrap(test.comment), f"    file    {test.file}"]
    lines.append(f"    clauses {', '.join(test.clauses)}")
    lines += [f"    {name} = {value!r}" for name, value in test.params.items()]
    for name, tensor in test.inputs.items():
        lines += _tensor(f"input {name}", tensor)
    for name, value in test.expected.items():
        lines.append(f"expected {name}: shape {value.shape}")
        lines += [f"    {entry}" for entry in value.data]
    return "\n".join(lines)


def _tensor(title: str, tensor: Tensor) -> Iterator[str]:
    yield f"{title}: {tensor.dtype}, shape {tensor.shape}"
    width = tensor.shape[-1] if tensor.shape else 1
    rows = len(tensor.data) // width if width else 0
    for row in range(min(rows, ROWS)):
        values = tensor.data[row * width : (row + 1) * width]
        more = " ..." if width > COLUMNS else ""
        yield "    " + " ".join(f"{value:>11.7g}" for value in values[:COLUMNS]) + more
    if rows > ROWS:
        yield f"    ... {rows - ROWS} more rows"


def explain(name: str) -> str:
    """Return the text of a clause or the note on a flag; a ValueError where there is neither."""
    known = clauses()
    if name in known:
        clause = known[name]
        cited = _citing(clause.id)
        return "\n".join([f"{clause.id} ({clause.title})", *_wrap(clause.text), *cited])
    notes = flags()
    if name in notes:
        note = notes[name]
        links = [f"    {link}" for link in note["links"]]
        return "\n".join(
            [f"{name} ({note['bug_type']})", *_wrap(note["description"]), *_wrap(note["effect"]), *links]
        )
    raise ValueError(f"{name!r} is neither a clause, such as rope.C5, nor a flag, such as empty")


def flags() -> dict[str, Any]:
    """Return the notes on all flags."""
    notes: dict[str, Any] = json.loads((home("spec") / "flags.json").read_text("utf-8"))
    return notes


def _citing(clause: str) -> list[str]:
    cited: list[Signature] = [entry for entry in signatures().values() if clause in entry.clauses]
    return [f"    defines {', '.join(entry.name for entry in cited)}"] if cited else []


def _wrap(text: str) -> list[str]:
    """Wrap each line by itself, so that lists and formulas stay what they are."""
    found: list[str] = []
    for line in text.splitlines():
        found += textwrap.wrap(line, WIDTH, initial_indent="    ", subsequent_indent="    ") or [""]
    return found
