"""Elements of a page with a text of the server's; always shown as text, never read as HTML."""

import re
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from gateway.ui import addresses

_CODE = re.compile(r"`([^`]+)`")


def text(tag: str, shown: str, *, classes: str = "") -> TextElement:
    """An element with a text, such as a heading or a paragraph."""
    element = TextElement(tag=tag, text=shown)
    return element.classes(classes) if classes else element


def sentence(said: str, *, classes: str = "", tag: str = "p") -> ui.element:
    """A paragraph in which what stands between backticks, such as a command, is shown as code."""
    if "`" not in said:
        return text(tag, said, classes=classes)
    with box(tag, classes=classes) as place:
        inline(said)
    return place


def inline(said: str) -> None:
    """The same within an element that is there."""
    for number, part in enumerate(_CODE.split(said)):
        if part:
            text("code" if number % 2 else "span", part)


def box(tag: str = "div", *, classes: str = "", label: str = "") -> ui.element:
    """An element that holds others; ``label``: its name for readers of the screen."""
    element = ui.element(tag)
    if classes:
        element.classes(classes)
    if label:
        attribute(element, "aria-label", label)
    return element


def attribute(element: ui.element, name: str, value: Any) -> None:  # Any: what JSON holds
    """Set an attribute from a value; ``props`` would parse it."""
    element.props[name] = value


def link(shown: str, address: str, *, classes: str = "") -> TextElement:
    """A link to a page of the workspace.

    Args:
        address: from ``addresses``; it begins with a slash.
    """
    if not address.startswith("/") or address.startswith("//"):
        raise ValueError(f"not an address of the workspace: {address!r}")
    element = text("a", shown, classes=classes)
    attribute(element, "href", addresses.BASE + address)
    return element


def jump(shown: str, id: str) -> TextElement:
    """A link to an element of the same page."""
    element = text("a", shown)
    attribute(element, "href", f"#{id}")
    return element


def document(shown: str, address: str) -> TextElement:
    """A link to a document of the API, which the browser saves; only a problem is shown instead.

    Args:
        address: from ``addresses.export`` or ``addresses.bundle``.
    """
    if not address.startswith(f"{addresses.API}/"):
        raise ValueError(f"not an address of the API: {address!r}")
    element = text("a", shown)
    attribute(element, "href", address)
    return element


def outward(shown: str, address: str) -> TextElement:
    """A link that leaves the workspace, such as to the Temporal UI or a DOI; only http and https."""
    if not address.startswith(("https://", "http://")):
        return text("span", shown)
    element = text("a", shown)
    attribute(element, "href", address)
    attribute(element, "rel", "noopener noreferrer nofollow")
    attribute(element, "target", "_blank")
    return element
