"""Every page of a scheme has the same ten parts in the same order, and each part is what it says."""

import json
import re
import shlex
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from posref.cli import main
from posref.corpus import load_vectors
from posref.operation import home, schemes

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
site_chosen, site_flags, site_worked = map(import_module, ("site_chosen", "site_flags", "site_worked"))

SCHEMES = sorted(schemes())
SECTIONS = [
    "At a glance",
    "Definition",
    "Derivation",
    "Worked numbers",
    "The argument as a picture",
    "Who does it how",
    "Pitfalls",
    "Validate yours",
    "Sources",
]
"""The headings under the tenth part, the idea in one sentence."""

PROOF = re.compile(r"```\{prf:(\w+)\}")
FIGURE = re.compile(r"```\{figure\} \.\./_generated/figures/(\S+)\.svg\n(.*?)\n```", re.DOTALL)
FLAG = re.compile(r"\(#flag-([a-z0-9_]+)-([a-z0-9-]+)\)")
REPORT = re.compile(r"<gh:([\w.-]+/[\w.-]+#\d+)>")
SOURCE = re.compile(r"src:[\w.-]+/[\w.-]+#[\w./-]+\.(py|cpp)|hf:[\w/]+\.py")


def page(scheme):
    """Return the text of a page without its blocks of Python, whose comments look like headings."""
    text = (DOCS / "schemes" / f"{scheme}.md").read_text("utf-8")
    return re.sub(r"^```python\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def parts(scheme):
    """Return the parts of a page by heading; the idea stands under the empty one."""
    head, *rest = re.split(r"^## ", page(scheme), flags=re.MULTILINE)
    named = [part.partition("\n") for part in rest]
    return {"": head, **{title: body for title, _, body in named}}


def bullets(scheme):
    """Return the entries of the list of pitfalls."""
    return [line for line in parts(scheme)["Pitfalls"].splitlines() if line.startswith("- ")]


@pytest.fixture(scope="module")
def raised():
    return site_flags.raised()


@pytest.fixture(scope="module")
def flags():
    return json.loads((home("spec") / "flags.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def cases():
    return {test.id: test for test in load_vectors().tests}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_parts_stand_in_order_and_none_is_empty(scheme):
    found = parts(scheme)
    assert list(found) == ["", *SECTIONS]
    assert [title for title, body in found.items() if not body.strip()] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_idea_is_one_sentence(scheme):
    title, _, idea = parts(scheme)[""].strip().partition("\n")
    assert title.startswith("# ")
    sentence = " ".join(idea.split())
    assert sentence.endswith(".")
    assert not re.search(r"[.!?] [A-Z]", sentence)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_at_a_glance_has_its_operations_and_its_rooms(scheme):
    text = parts(scheme)["At a glance"]
    assert {"takes", "gives", "enters", "learned"} <= set(re.findall(r"^\| (\w+) \|", text, re.MULTILINE))
    assert f"_generated/{scheme}-operations.md" in text
    assert f"_generated/{scheme}-rooms.md" in text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_definition_is_numbered_and_normative(scheme):
    text = parts(scheme)["Definition"]
    # A scaling has a formula for each type: they stand in a table, numbered by their clauses.
    assert re.search(r"^\$\$ \(eq-[\w-]+\)$", text, re.MULTILINE) or scheme == "rope_scaling"
    assert f"_generated/{scheme}-clauses.md" in text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_theorem_is_proved_at_once(scheme):
    kinds = PROOF.findall(page(scheme))
    assert "prf:theorem" in parts(scheme)["Derivation"]
    assert set(kinds[0::2]) <= {"theorem", "lemma", "corollary"}
    assert kinds[1::2] == ["proof"] * len(kinds[0::2])
    assert page(scheme).count("\\blacksquare") == kinds.count("proof")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_figure_has_a_text_and_a_caption(scheme):
    ((name, body),) = FIGURE.findall(parts(scheme)["The argument as a picture"])
    options, _, caption = body.partition("\n\n")
    assert name == scheme
    assert (DOCS / "figures" / f"{name}.py").is_file()
    assert len(re.search(r"^:alt: (.+)$", options, re.MULTILINE)[1]) >= 60
    assert len(caption.split()) >= 12


def test_a_chosen_case_is_made_of_plain_values():
    kinds = {"case": str, "title": str, "remark": str, "dtype": str, "output": str, "limit": int}
    assert set(kinds) < {field.name for field in fields(site_chosen.Chosen)}
    for entries in site_chosen.CHOSEN.values():
        for entry in entries:
            assert {name: type(getattr(entry, name)) for name in kinds} == kinds, entry.case


@pytest.mark.parametrize("scheme", SCHEMES)
def test_numbers_are_shown_in_decimal_and_in_bits(scheme, cases):
    assert f"_generated/{scheme}-worked.md" in parts(scheme)["Worked numbers"]
    tables = 0
    for entry in site_chosen.CHOSEN[scheme]:
        block = site_worked.block(entry, cases[entry.case])
        for name, dtypes in cases[entry.case].expected.items():
            if not entry.limit or entry.output not in ("", name):
                continue
            tables += 1
            assert f"`{name}`" in block, entry.case
            if entry.dtype in dtypes:
                first = dtypes[entry.dtype].tensor.data[0]
                assert f"`{site_worked.bits(first, entry.dtype)}`" in block, entry.case
    assert tables >= 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_does_it_how_links_to_sources_and_to_what_was_measured(scheme):
    text = parts(scheme)["Who does it how"]
    links = re.findall(r"\]\(((?:src|hf):[^)]+)\)", text)
    assert links
    assert [link for link in links if not SOURCE.fullmatch(link)] == []
    assert f"_generated/{scheme}-measured.md" in text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_pitfall_names_flags_that_its_vectors_raise(scheme, raised, flags):
    assert len(bullets(scheme)) >= 5
    for entry in bullets(scheme):
        named = FLAG.findall(entry)
        assert named, entry
        for owner, flag in named:
            assert owner == scheme, entry
            assert flag in flags, entry
            assert raised[scheme][flag], entry


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_pitfalls_link_to_public_reports(scheme, raised, flags):
    text = parts(scheme)["Pitfalls"]
    known = any(flags[flag]["links"] for flag in raised[scheme])
    assert bool(REPORT.findall(text)) or not known
    assert f"_generated/{scheme}-flags.md" in text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_flag_of_the_vectors_is_on_the_page(scheme, raised, flags):
    text = site_flags.page(scheme, flags, raised[scheme])
    assert [flag for flag in raised[scheme] if f"`{flag}`" not in text] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_sources_are_cited(scheme):
    assert re.search(r"\{cite:[tp]\}`|transformers `", parts(scheme)["Sources"])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_commands_run(scheme, capsys):
    commands = re.findall(r"^\$ (posref .+)$", parts(scheme)["Validate yours"], re.MULTILINE)
    assert len(commands) == 3
    assert f"--operation '{scheme}.*'" in commands[0]
    for command in commands:
        words = shlex.split(command)[1:]
        words = ["reference" if word == "my_kernel:operations" else word for word in words]
        # The other kinds of case of a whole scheme run in the tests of the judge.
        assert main([*words, *(["--kind", "invalid"] if f"{scheme}.*" in words else [])]) == 0, command
        assert capsys.readouterr().out
