"""Configuration of the documentation. Everything is built without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE / "_ext")]

from site_numbers import numbers  # noqa: E402

import posref  # noqa: E402

project = "posref"
author = "the posref authors"
copyright = "the posref authors; text and code Apache-2.0, vectors CC0-1.0"  # noqa: A001
version = release = posref.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "posref_site",
]
exclude_patterns = ["_build", "_generated", "examples"]
nitpicky = True
numfig = True
math_eqref_format = "({number})"
highlight_language = "python"

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist", "substitution"]
myst_heading_anchors = 3
myst_update_mathjax = False
myst_url_schemes = {
    "http": None,
    "https": None,
    "gh": {"url": "https://github.com/{{path}}/issues/{{fragment}}", "title": "{{path}} #{{fragment}}"},
    "src": {"url": "https://github.com/{{path}}/blob/HEAD/{{fragment}}", "title": "{{fragment}}"},
    "hf": {"url": "https://github.com/huggingface/transformers/blob/HEAD/src/transformers/{{path}}"},
}
myst_substitutions = numbers()

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

bibtex_bibfiles = ["refs.bib"]
bibtex_reference_style = "author_year"
bibtex_default_style = "plain"

prf_realtyp_to_countertyp = dict.fromkeys(
    ("definition", "theorem", "lemma", "corollary", "proposition"), "theorem"
)

# MathJax 3 from a registry package, copied by posref_site; an undefined macro is an error, not red text.
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {
    "tex": {"packages": {"[-]": ["noundefined"]}, "tags": "none"},
    "svg": {"fontCache": "global"},
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "posref"
html_static_path = ["_static", "_generated/static"]
html_css_files = ["posref.css"]
html_js_files = [("formulas.js", {"defer": "defer"})]
html_copy_source = False
html_domain_indices = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f5f8b",
        "color-brand-content": "#1f5f8b",
        "color-api-name": "var(--color-brand-primary)",
        "color-api-pre-name": "var(--color-brand-primary)",
        "font-stack": "Charter, 'Bitstream Charter', 'Source Serif 4', Cambria, Georgia, serif",
        "font-stack--headings": "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cb8e0",
        "color-brand-content": "#7cb8e0",
    },
}
