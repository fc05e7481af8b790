"""Every formula is typeset without a network, in a real browser where there is one."""

import subprocess

from site_pages import read


def typeset(browser, page, profile):
    """Return the page's document after its scripts have run, with name resolution cut off."""
    options = (
        "--headless=new --no-sandbox --disable-gpu --virtual-time-budget=9000 --dump-dom "
        f"--user-data-dir={profile}"
    ).split()
    command = [browser, *options, "--host-resolver-rules=MAP * ~NOTFOUND", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_formulas_are_typeset_and_none_is_in_error(site, browser, tmp_path):
    pages = [read(path) for path in sorted(site.rglob("*.html"))]
    with_formulas = [page for page in pages if page.formulas]
    assert with_formulas
    for page in with_formulas:
        document = typeset(browser, page.path, tmp_path / "profile")
        assert "data-mjx-error=" not in document, page.path.name
        assert document.count("<mjx-container") >= page.formulas, page.path.name
