"""Elements of a page; text and attributes are escaped when the tree is written."""

from xml.etree import ElementTree as ET

from posref.conformance.plain import clean

Content = ET.Element | str | None


def node(element: str, *content: Content, **attributes: str) -> ET.Element:
    """Return an element; a word with an underscore stands for an attribute with a hyphen, or none at its end.

    Examples
    --------
    >>> ET.tostring(node("p", "a < b ", node("b", "c"), class_="x"))
    b'<p class="x">a &lt; b <b>c</b></p>'
    """
    made = ET.Element(
        element, {key.rstrip("_").replace("_", "-"): clean(value) for key, value in attributes.items()}
    )
    for one in content:
        if isinstance(one, str):
            _append_text(made, clean(one))
        elif one is not None:
            made.append(one)
    return made


def _append_text(parent: ET.Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def table(head: list[str], rows: list[ET.Element], caption: str) -> ET.Element:
    """Return a table that scrolls by itself where the screen is narrow."""
    names = [node("th", one, scope="col") for one in head]
    body = node("table", node("caption", caption), node("thead", node("tr", *names)), node("tbody", *rows))
    return node("div", body, class_="scroll", role="region", aria_label=caption, tabindex="0")


def document(title: str, style: str, *content: Content) -> str:
    """Return a page in ASCII that loads nothing from anywhere."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = node(
        "head",
        node("meta", charset="utf-8"),
        ET.Element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("meta", name="color-scheme", content="light dark"),
        node("title", title),
        node("style", style),
    )
    tree = node("html", head, node("body", *content), lang="en")
    written: bytes = ET.tostring(tree, encoding="us-ascii", method="html")
    return "<!DOCTYPE html>\n" + written.decode("ascii") + "\n"
