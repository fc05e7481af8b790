"""Typed readers, generated from the JSON Schemas, read every file of the vectors in TypeScript and in Python.

The TypeScript types are checked twice: each file as a literal by the compiler, and all of them by a program
that decodes every tensor. Both generators are fetched, so these tests run where POSREF_REQUIRE has ``typed``.
"""

import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from needed import required

from posref import operation

HERE = Path(__file__).parent / "typescript"
VECTORS = operation.home("vectors")
SCHEMAS = operation.home("spec") / "schema"
PYDANTIC = (
    "--input-file-type=jsonschema",
    "--output-model-type=pydantic_v2.BaseModel",
    "--use-title-as-name",
    "--disable-timestamp",
    "--formatters=builtin",
)
STRICT = ("--noEmit", "--strict", "--ignoreConfig")
KINDS = ("value", "invalid", "scenario", "model", "golden", "hard")
FILES = sorted(path for path in VECTORS.glob("*/**/*.json"))

pytestmark = pytest.mark.skipif(
    not required("typed"),
    reason="the generators of typed readers are fetched only where POSREF_REQUIRE has typed",
)


def counts():
    """Return the number of tests of each kind, read without a type."""
    found = Counter()
    for path in FILES:
        content = json.loads(path.read_text("utf-8"))
        found[content["kind"]] += sum(len(group["tests"]) for group in content["groups"])
    return dict(found)


def run(*command, folder, code=0):
    """Run a command in a folder; return what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def typescript(tmp_path_factory):
    """A folder with the compiler, the reader, and the types of every kind of file."""
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(HERE, folder, dirs_exist_ok=True)
    run("npm", "ci", "--no-audit", "--no-fund", folder=folder)
    for kind in (*KINDS, "manifest"):
        run("npx", "json2ts", "-i", str(SCHEMAS / f"{kind}.json"), "-o", f"{kind}.d.ts", folder=folder)
    return folder


def literal(folder, path, text):
    """Write a vector file as a typed literal."""
    kind = json.loads(text)["kind"]
    name = re.search(r"^export interface (A\w+)", (folder / f"{kind}.d.ts").read_text("utf-8"), re.M)[1]
    target = folder / "literals" / ("_".join(path.relative_to(VECTORS).with_suffix("").parts) + ".ts")
    target.parent.mkdir(exist_ok=True)
    target.write_text(f'import type {{ {name} as File }} from "../{kind}";\nexport const f: File = {text};\n')
    return target


def test_the_reader_in_typescript_reads_every_file(typescript):
    for path in FILES:
        literal(typescript, path, path.read_text("utf-8"))
    run("npx", "tsc", "--project", ".", folder=typescript)
    assert json.loads(run("node", "out/reader.js", str(VECTORS), folder=typescript)) == counts()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"residual"', '"residuum"'),
        ('"dtype": "float32"', '"dtype": "float80"'),
        ('"bug_type": "', '"bug_type": "very '),
    ],
)
def test_the_types_refuse_what_the_format_does_not_have(typescript, old, new):
    path = VECTORS / "core" / "alibi" / "slopes.json"
    text = path.read_text("utf-8")
    assert old in text
    target = literal(typescript, path, text.replace(old, new, 1))
    printed = run("npx", "tsc", *STRICT, str(target), folder=typescript, code=1)
    assert target.name in printed


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The generated classes, by the kind of file that they read."""
    folder = tmp_path_factory.mktemp("models")
    generator = shutil.which("datamodel-codegen", path=str(Path(sys.executable).parent))
    assert generator is not None, "datamodel-code-generator is not installed beside this Python"
    sys.path.insert(0, str(folder))
    found = {}
    for kind in KINDS:
        schema, made = SCHEMAS / f"{kind}.json", folder / f"typed_{kind}.py"
        run(generator, "--input", str(schema), "--output", str(made), *PYDANTIC, folder=folder)
        title = json.loads(schema.read_text("utf-8"))["title"].title().replace(" ", "")
        found[kind] = getattr(importlib.import_module(f"typed_{kind}"), title)
    sys.path.remove(str(folder))
    return found


def test_the_reader_in_python_reads_every_file(models):
    found = Counter()
    for path in FILES:
        text = path.read_text("utf-8")
        kind = json.loads(text)["kind"]
        file = models[kind].model_validate_json(text, strict=True)
        found[kind] += sum(len(group.tests) for group in file.groups)
    assert dict(found) == counts()


@pytest.mark.parametrize(
    ("old", "new"),
    [('"residual"', '"residuum"'), ('"3f', '"3F'), ('"format_version": 1', '"format_version": 2')],
)
def test_the_classes_refuse_what_the_format_does_not_have(models, old, new):
    text = (VECTORS / "core" / "alibi" / "slopes.json").read_text("utf-8")
    assert old in text
    with pytest.raises(ValueError, match="validation error"):
        models["value"].model_validate_json(text.replace(old, new, 1), strict=True)
