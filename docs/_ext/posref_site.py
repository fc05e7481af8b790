"""What the pages are made of: everything generated is written before the sources are read.

Nothing here is typed twice: tables come from the registry, clauses from the specification, worked
numbers from the vector files, commands' output from running the commands, figures from the reference.
"""

import importlib
import importlib.metadata
import re
import shutil
from pathlib import Path

import site_api
import site_beside
import site_browser
import site_clauses
import site_commands
import site_flags
import site_framework_curves
import site_glance
import site_legible
import site_matrix
import site_measured
import site_performance
import site_precision
import site_presets
import site_properties
import site_symptoms
import site_tested
import site_worked
from docutils import nodes
from sphinx_proof.nodes import proof_node

PARTS = (
    site_api,
    site_beside,
    site_browser,
    site_clauses,
    site_commands,
    site_flags,
    site_framework_curves,
    site_glance,
    site_matrix,
    site_measured,
    site_performance,
    site_precision,
    site_presets,
    site_properties,
    site_symptoms,
    site_tested,
    site_worked,
)
CLAUSE = re.compile(r"(?<![\w.`<:])([a-z][a-z0-9_]*\.C\d+)\b")


def write(place: Path, text: str) -> None:
    """Write `text` unless it stands there already, so that an unchanged page is not read again."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists() or place.read_text("utf-8") != text:
        place.write_text(text, "utf-8")


def mathjax(folder: Path) -> None:
    """Copy the one file of MathJax 3 that the pages load."""
    package = "sphinx-mathjax-offline"
    files = importlib.metadata.files(package) or []
    source = next(entry for entry in files if entry.match("static/mathjax/tex-svg.js"))
    (folder / "mathjax").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(str(source.locate()), folder / "mathjax" / "tex-svg.js")


def figures(folder: Path) -> None:
    """Let each module of ``figures/`` draw its SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(__file__).parent.parent / "figures"
    for module in sorted(home.glob("[a-z]*.py")):
        importlib.import_module(f"figures.{module.stem}").draw(folder / f"{module.stem}.svg")


def generate(app) -> None:
    """Write every generated file."""
    folder = Path(app.srcdir) / "_generated"
    for part in PARTS:
        for name, text in part.pages().items():
            write(folder / name, text)
    figures(folder / "figures")


def link_clauses(*event) -> None:
    """Turn each clause that a docstring names, such as rope.C5, into a link to its text."""
    lines = event[-1]
    for number, line in enumerate(lines):
        lines[number] = CLAUSE.sub(lambda found: f":ref:`{found[1]} <{found[1].lower()}>`", line)


def unique_identifiers(app, doctree) -> None:
    """Leave every identifier of a page once: those of proofs and boxes are numbered."""
    for number, proof in enumerate(doctree.findall(proof_node), start=1):
        proof[0]["ids"] = [f"proof-{number}"]
    for number, section in enumerate(doctree.findall(nodes.section), start=1):
        if section["ids"] == ["proof-content"]:
            section["ids"] = [f"box-{number}"]


def bare_wrappers(app, doctree, docname) -> None:
    """Take from the theme's wrappers around formulas the identifier that the formula has."""
    for node in doctree.findall(nodes.container):
        if "math-wrapper" in node["classes"]:
            node["ids"] = []


def setup(app):
    """Register the hooks."""
    static = Path(app.srcdir) / "_generated" / "static"
    mathjax(static)
    app.connect("builder-inited", generate)
    app.connect("doctree-read", unique_identifiers)
    app.connect("doctree-resolved", bare_wrappers)
    site_legible.setup(app)
    app.connect("autodoc-process-docstring", link_clauses, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
