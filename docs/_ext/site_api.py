"""The list of documented names: every operation of the registry, and the faces of the package."""

from posref.operation import schemes, signatures


def pages() -> dict[str, str]:
    """Return a block of autodoc directives for each scheme."""
    found = {}
    for scheme in schemes():
        names = [entry.name for entry in signatures().values() if entry.scheme == scheme]
        directives = "\n".join(f".. autofunction:: posref.{name}\n" for name in names)
        found[f"{scheme}-api.md"] = f"```{{eval-rst}}\n{directives}```\n"
    return found
