"""The matrix of frameworks as a table of all, and a page for each."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import conformance_data as data

from posref.operation import signatures

SHOWN = {"fault": "✗ fault", "difference": "≠ differs"}
COLUMNS = (*data.FLOATS, "integers")


def anchor(framework: str, name: str) -> str:
    """Return the label of a finding, or of an operation's row."""
    return f"conformance-{framework}-{name}".replace("_", "-").replace(".", "-")


def column(dtype: str) -> str:
    """Return the column in which a dtype stands."""
    return dtype if dtype in data.FLOATS else "integers"


def by_operation(entry: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a framework by operation: those of the registry in its order, then scenarios."""
    order = {name: number for number, name in enumerate(signatures())}
    names = {row["operation"] for row in entry["rows"]}
    ordered = sorted(names, key=lambda name: (order.get(name, len(order)), name))
    return {name: [row for row in entry["rows"] if row["operation"] == name] for name in ordered}


def verdict(framework: str, rows: Iterable[dict[str, Any]]) -> str:
    """Return the words of a cell of the large table: a mark, or else the claim that is kept."""
    ran = [row for row in rows if row["executed"]]
    found = {mark for row in ran for mark in data.marks(framework, row)}
    claims = {column(row["dtype"]): row["strongest_claim"] for row in ran if not row["failed"]}
    place = next((name for name in ("float32", "integers", *COLUMNS) if name in claims), "")
    claim = claims[place] + f" in {place}" * (place in data.FLOATS and place != "float32") if place else ""
    mark = next((SHOWN[name] for name in ("fault", "difference") if name in found), "")
    return "<br>".join(filter(None, (mark, claim))) if ran else "not asked"


def listed(rows: Iterable[list[str]], classes: str) -> str:
    """Return a table whose first row and first column are headings."""
    lines = [":::{list-table}", ":header-rows: 1", ":stub-columns: 1", f":class: {classes}", ""]
    for row in rows:
        lines.append(f"* - {row[0]}")
        lines += [f"  - {cell}".rstrip() for cell in row[1:]]
    return "\n".join([*lines, ":::", ""])


def overview() -> str:
    """Return the table of operations and frameworks; an empty cell is an operation that is not offered."""
    entries = data.matrix()["frameworks"]
    about = data.about()
    held = {entry["name"]: by_operation(entry) for entry in entries}
    names = [name for name in signatures() if any(name in rows for rows in held.values())]
    names += sorted({name for rows in held.values() for name in rows} - set(names))
    table = [["operation", *(f"[{about[name]['title']}]({name}.md)" for name in held)]]
    for name in names:
        cells = [verdict(one, rows[name]) if name in rows else "" for one, rows in held.items()]
        table.append([f"`{name}`", *cells])
    return listed(table, "matrix")


def totals() -> str:
    """Return the counts of the whole matrix as a sentence."""
    entries = data.matrix()["frameworks"]
    rows = [row for entry in entries for row in entry["rows"]]
    found = Counter(one.mark for entry in entries for one in data.findings(entry["name"]))
    offered = {row["operation"] for row in rows if row["kind"] == "value"}
    return (
        f"{len(entries)} implementations, {len(offered)} of {len(signatures())} operations, "
        f"{sum(row['executed'] for row in rows)} cases run, {sum(len(row['failed']) for row in rows)} of "
        f"them wrong: {found['fault']} faults and {found['difference']} differences, each with a script. "
        f"Judged by corpus {data.matrix()['corpus']['version']}.\n"
    )


def absent() -> str:
    """Return the frameworks that could not be run, as a list."""
    lines = [f"[{one['title']}]({one['home']})\n: {one['reason']}\n" for one in data.absent()]
    return "\n".join(lines)


def cell(rows: Iterable[dict[str, Any]]) -> str:
    """Return what one cell of a framework's table says: how many are right, and the claim."""
    parts = []
    for row in rows:
        counted = f"{row['passed']} of {row['executed']}"
        parts.append(f"{counted}<br>{row['strongest_claim']}" if row["executed"] else "not asked")
    return "<br>".join(parts)


def results(entry: dict[str, Any]) -> str:
    """Return the table of a framework: an operation a row, a dtype a column."""
    table = [["operation", *COLUMNS, "refused"]]
    for name, rows in by_operation(entry).items():
        cells = [cell(row for row in rows if column(row["dtype"]) == one) for one in COLUMNS]
        refused, answered = (max(row[key] for row in rows) for key in ("refused", "answered"))
        asked = refused + answered
        table.append([f"`{name}`", *cells, f"{refused} of {asked}" if asked else ""])
    return listed(table, "matrix dtypes")


def unasked(entry: dict[str, Any]) -> str:
    """Return why cases could not be put to a framework, by operation."""
    lines = []
    for name, rows in by_operation(entry).items():
        reasons: Counter[str] = Counter()
        for row in rows:
            for reason, count in row["skipped"].items():
                reasons[reason] = max(reasons[reason], count)
        shown = [
            f"{reason} ({count})" for reason, count in reasons.items() if "no expected value" not in reason
        ]
        if shown:
            lines.append(f"`{name}`\n: {'; '.join(shown)}\n")
    return ":::{dropdown} What it could not be asked\n\n" + "\n".join(lines) + "\n:::\n" if lines else ""


def refusals(entry: dict[str, Any]) -> str:
    """Return how many inputs that must be refused a framework answers."""
    most: dict[str, dict[str, Any]] = {}
    for row in entry["rows"]:
        held = most.setdefault(row["operation"], row)
        if row["refused"] + row["answered"] > held["refused"] + held["answered"]:
            most[row["operation"]] = row
    refused, answered = (sum(row[key] for row in most.values()) for key in ("refused", "answered"))
    if not refused + answered:
        return "No input that must be refused could be put to it.\n"
    return (
        f"Of {refused + answered} inputs that the specification refuses (counted once, in one dtype), it "
        f"refuses {refused} and answers {answered} without a check. That is a difference: kernels and layers "
        "that trust their callers check nothing, and none of them promises to.\n"
    )


def finding(framework: str, one: data.Finding) -> str:
    """Return a finding as a section."""
    places = "; ".join(f"`{place['operation']}` in {', '.join(place['dtypes'])}" for place in one.where)
    cases = sorted({glob for place in one.where for glob in place["cases"]})
    lines = [
        f"({anchor(framework, one.name)})=",
        f"### {one.title}",
        "",
        f"**{one.mark.capitalize()}** in {places}.",
        "",
        one.what,
        "",
        f"Cause: {one.cause}",
        "",
        f"Source: `{one.source}`.",
        "",
    ]
    if one.documented:
        lines += [f"Documented: {one.documented}", ""]
    if one.report:
        lines += [f"Reported: <{one.report}>", ""]
    named = ", ".join(f"`{glob}`" for glob in cases if glob != "*")
    if named:
        lines += [f"Cases: {named}.", ""]
    lines += [f"```{{literalinclude}} scripts/{one.script}", ":language: python", "```", ""]
    lines += ["It prints", "", "```text", *one.prints, "```", ""]
    return "\n".join(lines)


def page(entry: dict[str, Any]) -> str:
    """Return the body of a framework's page."""
    name = entry["name"]
    about = data.about()[name]
    known = data.findings(name)
    home = f" ([home]({about['home']}))" if about["home"] else ""
    install = f" Installed by `pip install {about['install']}`." if about["install"] else ""
    version = f"Version {entry['version']}{home}." if entry["version"] else ""
    remarks = [f"`{key}`\n: {text}\n" for key, text in entry["remarks"].items()]
    parts = [f"{about.get('note', '')} {version}{install}".strip(), ""]
    parts += ["Which of its functions stand for an operation:\n", *remarks] if remarks else []
    parts += ["## Results", "", results(entry), unasked(entry), refusals(entry), "## Findings", ""]
    parts += [finding(name, one) for one in known] or ["Every answer is right.\n"]
    parts += ["## Check it yourself", "", "```console", f"$ posref check {name}", "```", ""]
    return "\n".join(parts)


def pages() -> dict[str, str]:
    """Return the tables and the bodies of the pages."""
    found = {"conformance-matrix.md": overview(), "conformance-totals.md": totals()}
    found["conformance-absent.md"] = absent()
    return {**found, **{f"conformance-{one['name']}.md": page(one) for one in data.matrix()["frameworks"]}}
