"""The site builds without a warning, works without a network, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from site_pages import read

from posref.conformance.matrix import frameworks
from posref.operation import schemes

DOCS = Path(__file__).parents[2] / "docs"
CLAUSES = ["conventions", "precision", "vector-format", "wire-protocol"]
RULES = [*CLAUSES, "errata", "glossary", "divergences", "properties"]
GUIDES = sorted(path.stem for path in (DOCS / "guides").glob("*.md"))
LEARN = sorted(path.stem for path in (DOCS / "learn").glob("*.md"))
PAGES = [
    "index",
    "start",
    "explorer",
    "check",
    "performance",
    *(f"learn/{name}" for name in LEARN),
    *RULES,
    *(f"guides/{name}" for name in GUIDES),
    "api",
    "requirements",
    "sources",
    *(f"schemes/{name}" for name in schemes()),
    "conformance/index",
    *(f"conformance/{name}" for name in frameworks()),
]
LIMIT = 15_000_000


@pytest.fixture(scope="session")
def pages(site):
    return {path: read(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_there(site):
    assert [name for name in PAGES if not (site / f"{name}.html").is_file()] == []


def test_nothing_is_loaded_from_elsewhere(pages):
    outside = [
        (page.path.name, url)
        for page in pages.values()
        for url in page.loaded
        if urlsplit(url).scheme or url.startswith("//")
    ]
    assert outside == []


def test_style_sheets_load_nothing_from_elsewhere(site):
    found = [
        (path.name, url)
        for path in site.rglob("*.css")
        for url in re.findall(r"(?:url\(|@import\s+)['\"]?([^'\")\s]+)", path.read_text("utf-8"))
        if url.startswith(("http:", "https:", "//"))
    ]
    assert found == []


def test_loaded_files_exist(pages):
    absent = [
        (page.path.name, url)
        for page in pages.values()
        for url in page.loaded
        if not url.startswith(("data:", "#"))
        and not (page.path.parent / unquote(urlsplit(url).path)).resolve().is_file()
    ]
    assert absent == []


def test_pages_with_mathematics_load_the_local_mathjax(pages):
    with_formulas = [page for page in pages.values() if page.formulas]
    assert len(with_formulas) >= len(schemes())
    assert [
        page.path.name
        for page in with_formulas
        if not any("mathjax/tex-svg.js" in url for url in page.loaded)
    ] == []


def test_only_one_file_of_mathjax_is_shipped(site):
    assert [path.name for path in (site / "_static" / "mathjax").rglob("*")] == ["tex-svg.js"]


def test_an_undefined_macro_is_an_error(site):
    text = (site / "schemes" / "rope.html").read_text("utf-8")
    assert '"[-]": ["noundefined"]' in text


def test_internal_links_resolve(pages, site):
    broken = []
    for page in pages.values():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            if not target.is_file() or (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                broken.append((str(page.path.relative_to(site)), link))
    assert broken == []


def test_identifiers_are_unique(pages):
    twice = [
        (page.path.name, name) for page in pages.values() for name, count in page.anchors.items() if count > 1
    ]
    assert twice == []


def test_every_figure_has_a_text(pages):
    figures = [
        image
        for page in pages.values()
        for image in page.images
        if "figures" in image["src"] or "svg" in image["src"]
    ]
    assert len(figures) >= len(schemes())
    assert [image["src"] for image in figures if len(image.get("alt", "")) < 40] == []


def test_every_clause_has_an_anchor(pages, site):
    root = site.parent / "spec"
    beside = [root / f"{name}.md" for name in CLAUSES]
    for file in [*beside, *sorted((root / "schemes").glob("*.md"))]:
        name = f"{file.stem}.html" if file in beside else f"schemes/{file.stem}.html"
        clauses = re.findall(r"^\*\*([a-z][a-z0-9_-]*\.C\d+)\*\*", file.read_text("utf-8"), re.MULTILINE)
        assert clauses
        anchors = pages[site / name].anchors
        assert [clause for clause in clauses if re.sub(r"[._]", "-", clause.lower()) not in anchors] == []


def test_size(site):
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < LIMIT


def test_figures_are_the_same_bytes_in_every_build(site, tmp_path):
    draw = f"import pathlib, posref_site; posref_site.figures(pathlib.Path({str(tmp_path)!r}))"
    docs = site.parent / "docs"
    path = os.pathsep.join(map(str, (site.parent, docs, docs / "_ext")))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", draw], env=environment, check=True, cwd=docs)
    again = sorted(tmp_path.glob("*.svg"))
    assert len(again) >= len(schemes())
    for figure in again:
        assert figure.read_bytes() == (site / "_images" / figure.name).read_bytes(), figure.name
