"""Tables of the registry: what each operation takes and gives, and in which file each room keeps it."""

from posref.operation import Parameter, Signature, schemes, signatures

ROOMS = (
    ("signature", "spec/operations/{0}.json"),
    ("normative text", "spec/schemes/{0}.md"),
    ("reference", "posref/reference/{0}.py"),
    ("golden twin", "posref/golden/{0}.py"),
    ("error bounds", "posref/bounds/{0}.py"),
    ("chosen cases", "posref/cases/{0}.py"),
    ("known mistakes", "posref/mistakes/{0}.py"),
    ("vectors", "vectors/core/{0}/"),
    ("tests", "tests/schemes/test_{0}.py"),
)


def domain(parameter: Parameter) -> str:
    """Return what a parameter may be, in a few words."""
    if parameter.values:
        several = "list of " if parameter.type == "choices" else ""
        nothing = " or null" if parameter.nullable else ""
        return several + " \\| ".join(f"`{value}`" for value in parameter.values) + nothing
    words = ["even"] if parameter.even else []
    words.append(parameter.type if parameter.count is None else f"{parameter.count} {parameter.type}")
    if parameter.multiple_of is not None:
        words.append(f"a multiple of {parameter.multiple_of}")
    if parameter.at_least is not None and abs(parameter.at_least) < 2**53:
        words.append(f"≥ {parameter.at_least}")
    if parameter.at_most == 2**53:
        words.append("up to $2^{53}$ in size")
    if parameter.above is not None:
        words.append(f"> {parameter.above:g}")
    if parameter.nullable:
        words.append("or null")
    return " ".join(words)


def default(parameter: Parameter) -> str:
    """Return the default; a convention never has one."""
    if parameter.convention:
        return "none: a convention"
    if parameter.required:
        return "none"
    return f"`{'null' if parameter.default is None else parameter.default}`"


def operation(entry: Signature) -> str:
    """Return the block of one operation: signature, then a row for each input, parameter and output."""
    rows = ["| | name | what | domain or shape | default |", "|---|---|---|---|---|"]
    for tensor in entry.inputs:
        optional = "absent" if tensor.optional else ""
        rows.append(
            f"| input | `{tensor.name}` | {tensor.meaning} | `({tensor.shape})` {tensor.role} | {optional} |"
        )
    for parameter in entry.parameters:
        limits = f"{domain(parameter)} | {default(parameter)}"
        rows.append(f"| parameter | `{parameter.name}` | {parameter.meaning} | {limits} |")
    for output in entry.outputs:
        rows.append(f"| output | `{output.name}` | {output.meaning} | `({output.shape})` {output.dtype} | |")
    links = ", ".join(f"[{clause}](#{clause.lower()})" for clause in entry.clauses)
    table = "\n".join(rows)
    facts = f"tier {entry.tier}. Clauses {links}. Shipped by: {entry.ships}."
    return (
        f":::{{dropdown}} `{entry.name}`: {entry.summary}\n"
        f"{{py:func}}`posref.{entry.name}`, {facts}\n\n{table}\n:::\n"
    )


def pages() -> dict[str, str]:
    """Return the operations and the rooms of each scheme as pages to include."""
    found = {}
    for scheme in schemes():
        entries = [entry for entry in signatures().values() if entry.scheme == scheme]
        found[f"{scheme}-operations.md"] = "\n".join(operation(entry) for entry in entries)
        rows = [f"| {room} | `{place.format(scheme)}` |" for room, place in ROOMS]
        found[f"{scheme}-rooms.md"] = "\n".join(["| room | file |", "|---|---|", *rows]) + "\n"
    return found
