"""What the guides and the README tell a reader to run is run, and what they show was printed."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from needed import tool

from posref import operation
from posref.corpus import load_vectors

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = sorted((DOCS / "guides").glob("*.md"))
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDED = re.compile(r"^```\{include\} \.\./_generated/([\w-]+\.md)\n```$", re.MULTILINE)

sys.path.insert(0, str(DOCS / "_ext"))
site_commands = pytest.importorskip("site_commands")
site_glance = pytest.importorskip("site_glance")


def blocks(path):
    """Return the shell blocks of a page."""
    return SHELL.findall(path.read_text("utf-8"))


def section(title):
    """Return a section of the README."""
    return re.split(r"^## ", (ROOT / "README.md").read_text("utf-8").split(f"## {title}\n")[1], flags=re.M)[0]


@pytest.fixture
def place(tmp_path):
    """A folder such as the pages speak of, and the environment of a reader."""
    return tmp_path, site_commands.prepare(tmp_path)


def bash(line, place):
    """Run a line for the shell; return what it printed."""
    folder, environment = place
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_all_output_that_is_shown_was_printed_by_a_command():
    made = {f"{name}-{block}.md" for name, blocks in site_commands.PAGES.items() for block in blocks}
    pages = [path.read_text("utf-8") for path in GUIDES if path.stem != "symptoms"]  # test_symptoms.py
    shown = {name for text in pages for name in INCLUDED.findall(text)}
    assert shown == {name for name in made if not name.startswith("start-")}
    assert [path.name for path in GUIDES if "```console" in path.read_text("utf-8")] == []


def test_every_example_is_shown_or_used():
    shown = [DOCS / "start.md", *GUIDES, *sorted((DOCS / "learn").glob("*.md"))]
    pages = "".join(path.read_text("utf-8") for path in shown)
    commands = str(site_commands.PAGES)
    examples = [path for path in (DOCS / "examples").iterdir() if path.is_file()]
    assert len(examples) >= 8
    assert [path.name for path in examples if path.name not in pages and path.name not in commands] == []


def test_another_exit_code_than_promised_is_an_error(place):
    folder, environment = place
    promised = site_commands.Command("echo right; exit 1", 1)
    assert site_commands.output(promised, folder, environment) == "right"
    with pytest.raises(RuntimeError, match="exit code 3"):
        site_commands.output(site_commands.Command("exit 3"), folder, environment)


def test_the_readme_judges_the_program_in_c(place):
    tool("cc")
    (block,) = SHELL.findall(section("Judge a program in any language"))
    printed = bash(block.replace(".venv/bin/", ""), place)
    counts = dict(re.findall(r"(\w+)=(\d+)", printed.splitlines()[-1]))
    assert int(counts["passed"]) == int(counts["executed"]) > 200


def test_the_readme_speaks_the_truth_about_the_twin(place):
    tool("cc")
    (block,) = SHELL.findall(section("Judge a program in any language"))
    build, judge = block.replace(".venv/bin/", "").splitlines()
    printed = bash(f"{build.replace('-O2', '-O2 -DWRONG_PAIRING')}\n{judge} || test $? = 1", place)
    assert "[pairing-ignored-adjacent" in printed


def test_the_program_in_javascript(place):
    tool("node")
    (block,) = blocks(DOCS / "guides" / "any-language.md")
    assert " failed=0 errors=0 " in bash(block, place)


def test_the_cache_of_the_program_in_javascript(place):
    tool("node")
    (block,) = blocks(DOCS / "guides" / "serving.md")
    assert " failed=0 errors=0 " in bash(block, place)


def cells(page, count):
    """Return the rows of the tables of a guide that have so many cells."""
    lines = (DOCS / "guides" / page).read_text("utf-8").splitlines()
    rows = [re.split(r" *\| *", line.strip("| ")) for line in lines if line.startswith("| ")]
    return [row for row in rows if len(row) == count]


def test_what_the_serving_contract_names_exists():
    """Operations, their arguments and scenarios; and each flag is raised by a case of such an operation."""
    corpus, known = load_vectors(), operation.signatures()
    scenarios = {one.id: set(one.scenario.flags) for one in corpus.scenarios}
    rows = cells("serving.md", 4)[1:]
    assert len(rows) >= 11
    for what, asked, flags, played in rows:
        named = [re.findall(r"`([\w.]+)`", part) for part in asked.split(";")]
        for name, *words in named:
            entry = known[name]
            assert words, what
            assert set(words) <= {part.name for part in (*entry.inputs, *entry.parameters)}, what
        schemes = {name.partition(".")[0] for name, *_ in named}
        tests = [test for test in corpus.tests if test.operation.partition(".")[0] in schemes]
        ids, wanted = (set(re.findall(r"`([\w-]+)`", text)) for text in (played, flags))
        assert ids <= set(scenarios), what
        assert wanted, what
        assert wanted <= {flag for test in tests for flag in test.flags}.union(*map(scenarios.get, ids)), what


def test_the_checklist_of_a_scheme_has_every_room():
    """The rooms that the rooms test opens, and those that the scheme pages list."""
    source = (ROOT / "tests" / "test_rooms.py").read_text("utf-8")
    wings = re.findall(r'"(\w+)"', re.search(r"^WINGS = \((.*?)\)", source, re.M)[1])
    places = re.findall(r'f"([\w/]+/(?:test_)?)\{scheme\}(\.\w+)"', source)
    needed = {f"posref/{wing}/<scheme>.py" for wing in wings}
    needed |= {f"{path}<scheme>{end}" for path, end in places}
    needed |= {path.format("<scheme>") for _, path in site_glance.ROOMS}
    rooms = [re.findall(r"`([^`]+)`", row[1]) for row in cells("adding-a-scheme.md", 4) if row[0].isdigit()]
    listed = {path for paths in rooms for path in paths}
    assert (len(wings), len(places)) == (5, 4)
    assert {path.replace("vectors/core/<scheme>/", "vectors/") for path in needed} <= listed
    assert [path for path in listed if not (ROOT / path.replace("<scheme>", "positions")).exists()] == []


def test_the_kernel_compiles_as_cuda(place):
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    (block,) = blocks(DOCS / "guides" / "offline.md")
    export = site_commands.PAGES["offline"]["export"][0].line
    bash(f"{export}\n{block}", place)
    assert (place[0] / "rope").stat().st_size > 0


def test_the_python_test_suites_pass(place):
    pytest.importorskip("hypothesis")
    printed = bash("python -m pytest -q -W error test_kernel.py test_cases.py test_with_posref.py", place)
    assert int(re.search(r"(\d+) passed", printed)[1]) > 70


def steps():
    """Return the shell lines of the job."""
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((DOCS / "examples" / "posref.yml").read_text("utf-8"))["jobs"]["vectors"]
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_steps_of_the_job(place):
    """All of them but the installation, which `test_the_job_with_its_installation` has."""
    tool("cc")
    folder, _ = place
    (folder / "posref").symlink_to(ROOT)
    lines = [line for line in steps() if not line.startswith("pip ")]
    assert len(lines) == 2
    assert " failed=0 errors=0 " in bash("\n".join(lines), (folder, place[1] | {"PYTHONSAFEPATH": "1"}))
    assert (folder / "posref.xml").read_text("utf-8").startswith("<?xml")
    assert "<html" in (folder / "posref.html").read_text("utf-8")


@pytest.mark.full
def test_the_job_with_its_installation(tmp_path):
    tool("cc")
    made = tmp_path / "venv"
    venv.create(made, with_pip=True)
    ignored = shutil.ignore_patterns(".git", "_generated", "__pycache__", ".hypothesis")
    shutil.copytree(ROOT, tmp_path / "posref", ignore=ignored)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PATH"] = f"{made / 'bin'}{os.pathsep}{environment['PATH']}"
    assert " failed=0 errors=0 " in bash("\n".join(steps()), (tmp_path, environment))
