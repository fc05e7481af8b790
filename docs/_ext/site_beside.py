"""Two pages of the specification that are no clauses: errata and the glossary."""

import re

from site_clauses import linked

from posref.operation import home, signatures

ERRATUM = re.compile(r"^\*\*(E\d+)\*\* \(([a-z-]+)\)\. (.+)\n→ (.+)\Z", re.DOTALL)

PROVED = {
    "equivariant": ("thm-attention-equivariant", "cor-pooling", "thm-mask-symmetry"),
    "representations": ("thm-attention-equivariant",),
    "terms": ("thm-attention-terms", "thm-four-terms"),
    "same-score": ("cor-rope-invariants",),
    "fast": ("thm-sinusoidal-ladder",),
    "wavelength": ("thm-sinusoidal-ladder",),
    "conjugate": ("thm-rope-relative",),
    "difference": ("thm-rope-relative",),
    "layout": ("thm-rope-layouts",),
    "interpolation-attribution": ("thm-scaling-pi",),
    "yarn": ("thm-scaling-yarn", "thm-scaling-ntk"),
    "interpolation-forms": ("thm-scaling-pi",),
    "slopes": ("thm-alibi-slopes",),
}
"""The theorems behind an erratum."""


def erratum(block: str) -> str:
    """Return one entry as a statement and what settles it, with an anchor."""
    found = ERRATUM.match(block)
    if not found:
        raise ValueError(f"spec/errata.md: not an erratum: {block[:60]!r}")
    number, slug, claim, truth = found.groups()
    proofs = ", ".join(f"{{prf:ref}}`{label}`" for label in PROVED.get(slug, ()))
    settled = linked(" ".join(truth.split()), "") + (f" Proved in {proofs}." if proofs else "")
    return f"(erratum-{slug})=\n**{number}.** {linked(claim, '')}\n: {settled}"


def errata() -> str:
    """Return the body of ``spec/errata.md`` as a page to include."""
    text = (home("spec") / "errata.md").read_text("utf-8")
    blocks = text.strip().split("\n\n")[2:]
    return "\n\n".join(block if block.startswith("## ") else erratum(block) for block in blocks) + "\n"


def glossary() -> str:
    """Return the body of ``spec/glossary.md``, each operation a link to its page."""
    text = (home("spec") / "glossary.md").read_text("utf-8").partition("\n\n")[2]
    known = set(signatures())

    def link(found: re.Match[str]) -> str:
        name = found[1]
        return f"[`{name}`](schemes/{name.partition('.')[0]}.md)" if name in known else found[0]

    return re.sub(r"`([a-z][a-z0-9_]*\.[a-z0-9_]+)`", link, text)


def pages() -> dict[str, str]:
    """Return both as pages to include."""
    return {"errata.md": errata(), "glossary.md": glossary()}
