"""Two corpora compared by the hashes of their tests, and the version that the change asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from posref.corpus import encode
from posref.corpus.load import Corpus, GoldenTest, ScenarioTest, Test, load_vectors

PARTS: Final = ("none", "PATCH", "MINOR", "MAJOR")
"""Which part of the version a change raises, the weakest first."""

_SECTION = re.compile(r"^## \[?([0-9]+\.[0-9]+\.[0-9]+)\b.*?$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\s]+)`")


@dataclass(frozen=True)
class Diff:
    """What became of the tests between two corpora.

    Attributes
    ----------
    old, new : str
        The two versions.
    added, withdrawn : tuple of str
        Identifiers that only the new, only the old corpus has.
    corrected : tuple of str
        Identifiers whose expected values alone changed.
    redefined : tuple of str
        Identifiers whose parameters, inputs or refusals changed.
    rebounded : tuple of str
        Identifiers whose bounds, or distances to a boundary, alone changed.
    required : str
        The part of the version that must rise, one of `PARTS`.
    problems : tuple of str
        A version that rose by too little, or identifiers that the changelog does not name.
    """

    old: str
    new: str
    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    corrected: tuple[str, ...]
    redefined: tuple[str, ...]
    rebounded: tuple[str, ...]
    required: str
    problems: tuple[str, ...]

    def text(self) -> str:
        """Return the changes, one identifier a line, and the problems."""
        lines = [f"{self.old} -> {self.new}, asks for: {self.required}"]
        for kind in ("added", "withdrawn", "corrected", "redefined", "rebounded"):
            lines += [f"{kind}: {name}" for name in getattr(self, kind)]
        return "\n".join([*lines, *(f"problem: {problem}" for problem in self.problems)])


def diff(a: str | Path, b: str | Path) -> Diff:
    """Compare the corpus `b` with the older corpus `a`.

    MAJOR: the format changed, or parameters, inputs or refusals of an existing test. MINOR: tests or
    capabilities were added, or tests withdrawn. PATCH: expected values or bounds were corrected.
    """
    old, new = load_vectors(a), load_vectors(b)
    before, after = (_tests(corpus) for corpus in (old, new))
    added, withdrawn = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    both = sorted(before.keys() & after.keys())
    changed = [name for name in both if before[name].case_hash != after[name].case_hash]
    redefined = [name for name in changed if _question(before[name]) != _question(after[name])]
    corrected = [name for name in changed if name not in redefined]
    rebounded = [
        name for name in both if name not in changed and _answer(before[name]) != _answer(after[name])
    ]
    required = "none"
    if corrected or rebounded:
        required = "PATCH"
    if added or withdrawn or _capabilities(new) - _capabilities(old):
        required = "MINOR"
    if redefined or old.format_version != new.format_version:
        required = "MAJOR"
    problems = _version_problems(old.version, new.version, required)
    if required != "none":
        problems += _unnamed(Path(b), new.version, added + withdrawn + changed)
    return Diff(
        old=old.version,
        new=new.version,
        added=tuple(added),
        withdrawn=tuple(withdrawn),
        corrected=tuple(corrected),
        redefined=tuple(redefined),
        rebounded=tuple(rebounded),
        required=required,
        problems=tuple(problems),
    )


AnyTest = Test | ScenarioTest | GoldenTest


def _tests(corpus: Corpus) -> dict[str, AnyTest]:
    found: list[AnyTest] = [*corpus.tests, *corpus.scenarios, *corpus.golden]
    return {test.id: test for test in found}


def _question(test: AnyTest) -> object:
    """Return what a test asks, apart from the answer; exact to the bit."""
    if isinstance(test, ScenarioTest):
        return repr((test.scenario.objects, test.scenario.steps))
    inputs: Mapping[str, object] = {name: encode.tensor(value) for name, value in test.inputs.items()}
    refusal = test.error if isinstance(test, Test) else None
    return test.operation, repr(test.params), inputs, refusal


def _answer(test: AnyTest) -> object:
    """Return what a test expects, with its bounds and its distance to a boundary."""
    return test.expected, test.hardness if isinstance(test, Test) else None


def _capabilities(corpus: Corpus) -> set[str]:
    return {name for test in _tests(corpus).values() for name in test.requires}


def _version_problems(old: str, new: str, required: str) -> list[str]:
    """Return a complaint unless the version rose by `required`, the weaker parts reset."""
    one, two = (tuple(int(part) for part in version.split(".")) for version in (old, new))
    if two < one:
        return [f"the version went back from {old} to {new}"]
    pairs = zip(("MAJOR", "MINOR", "PATCH"), one, two, strict=True)
    raised = next((part for part, before, after in pairs if before != after), "none")
    if PARTS.index(raised) < PARTS.index(required):
        return [f"{old} -> {new} raises {raised}; the changes ask for {required}"]
    return []


def _unnamed(root: Path, version: str, names: list[str]) -> list[str]:
    """Return a complaint for each identifier that the changelog's section of `version` does not name."""
    path = root / "CHANGELOG.md"
    text = path.read_text("utf-8") if path.exists() else ""
    sections = {match[1]: match[2] for match in _SECTION.finditer(text)}
    if version not in sections:
        return [f"CHANGELOG.md has no section for {version}"]
    globs = _QUOTED.findall(sections[version])
    return [
        f"CHANGELOG.md does not name {name} under {version}"
        for name in names
        if not any(fnmatchcase(name, glob) for glob in globs)
    ]
