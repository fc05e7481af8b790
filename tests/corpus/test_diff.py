"""What changed between two corpora, and whether version and changelog say so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_corpus import compact_hash, counted, hashed

from posref.corpus.diff import diff

INV_FREQ = "core/rope/inv_freq.json"
RELATIVE = "core/positions/relative.json"

Make = Callable[[str], Any]


def first(small: Any, path: str) -> dict[str, Any]:
    test: dict[str, Any] = small.content[path]["groups"][0]["tests"][0]
    return test


def correct(small: Any) -> None:
    first(small, RELATIVE)["expected"]["relative_position"]["int64"]["data"] = [[-1, 2]]


def rebound(small: Any) -> None:
    first(small, INV_FREQ)["expected"]["inv_freq"]["float32"]["bound"] = ["33803380"]


def redefine(small: Any) -> None:
    small.content[INV_FREQ]["groups"][0]["params"]["rotary_dim"] = 6


def other_input(small: Any) -> None:
    first(small, RELATIVE)["inputs"]["q_positions"]["data"] = [[2]]


def other_refusal(small: Any) -> None:
    first(small, "core/rope/inv_freq_invalid.json")["error"]["class"] = "OUT_OF_RANGE"


def add(small: Any) -> None:
    group = small.content[RELATIVE]["groups"][0]
    group["tests"].append({**json.loads(json.dumps(group["tests"][0])), "id": "small-relative-more"})
    small.content[RELATIVE]["number_of_tests"] += 1


def withdraw(small: Any) -> None:
    small.content[RELATIVE]["groups"][0]["tests"].pop(1)
    small.content[RELATIVE]["number_of_tests"] -= 1


def require(small: Any) -> None:
    small.content[RELATIVE]["groups"][0]["requires"] = ["positions-2p53"]


def nothing(small: Any) -> None:
    first(small, RELATIVE)["comment"] = "Another reason."


CHANGES = (
    (nothing, "none", None, ""),
    (rebound, "PATCH", "rebounded", "small-inv-freq"),
    (correct, "PATCH", "corrected", "small-relative"),
    (add, "MINOR", "added", "small-relative-more"),
    (withdraw, "MINOR", "withdrawn", "small-relative-empty"),
    (require, "MINOR", None, ""),
    (redefine, "MAJOR", "redefined", "small-inv-freq"),
    (other_input, "MAJOR", "redefined", "small-relative"),
    (other_refusal, "MAJOR", "redefined", "small-inv-freq-odd"),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda entry: entry[0].__name__)
@pytest.mark.parametrize("version", ["0.1.0", "0.1.1", "0.2.0", "1.0.0"])
def test_the_version_that_a_change_asks_for(make_small: Make, change: Any, version: str) -> None:
    edit, required, kind, name = change
    old, new = make_small("old"), make_small("new")
    edit(new)
    hashed(new.content)
    new.counts = counted(new.content)
    new.root.joinpath("CHANGELOG.md").write_text(f"## {version}\n\n- `{name or 'none'}`: why\n")
    new.write(version)
    found = diff(old.root, new.root)
    assert found.required == required
    for field in ("added", "withdrawn", "corrected", "redefined", "rebounded"):
        assert getattr(found, field) == ((name,) if field == kind else ())
    enough = {"none": 0, "PATCH": 1, "MINOR": 2, "MAJOR": 3}
    raised = ("0.1.0", "0.1.1", "0.2.0", "1.0.0").index(version)
    assert bool(found.problems) is (raised < enough[required])
    assert found.text().startswith(f"0.1.0 -> {version}, asks for: {required}")


def changed(make_small: Make, changelog: str | None) -> tuple[Path, Path]:
    old, new = make_small("old"), make_small("new")
    correct(new)
    hashed(new.content)
    if changelog is not None:
        new.root.joinpath("CHANGELOG.md").write_text(changelog)
    new.write("0.1.1")
    return old.root, new.root


@pytest.mark.parametrize(
    ("changelog", "problem"),
    [
        (None, "no section for 0.1.1"),
        ("## 0.1.0\n\n- `small-relative`\n", "no section for 0.1.1"),
        ("## 0.1.1\n\nNothing.\n\n## 0.1.0\n\n- `small-relative`\n", "does not name small-relative"),
        ("## 0.1.1\n\n- `small-inv-*`\n", "does not name small-relative"),
        ("## 0.1.1\n\n- `small-relative`: was wrong\n", None),
        ("## 0.1.1 (2030-01-01)\n\n- `small-rel*`: was wrong\n", None),
    ],
)
def test_the_changelog_names_what_changed(
    make_small: Make, changelog: str | None, problem: str | None
) -> None:
    found = diff(*changed(make_small, changelog))
    if problem is None:
        assert found.problems == ()
    else:
        assert len(found.problems) == 1
        assert problem in found.problems[0]


def test_a_version_may_not_go_back(make_small: Make) -> None:
    old, new = make_small("old"), make_small("new")
    old.write("1.0.0")
    assert diff(old.root, new.root).problems == ("the version went back from 1.0.0 to 0.1.0",)


def test_the_hash_of_the_fixture_is_the_hash_of_the_format(make_small: Make) -> None:
    small = make_small("small")
    group = small.content[INV_FREQ]["groups"][0]
    assert compact_hash("rope.inv_freq", group["params"], group["tests"][0]) == group["tests"][0]["case_hash"]
