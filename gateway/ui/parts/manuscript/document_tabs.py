"""The pages of one document, side by side."""

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link

_PAGES = {"": "Workspace", "write": "Write", "history": "History"}


def document_tabs(novel: str, scene: str, here: str) -> None:
    """Links to the pages of a document; ``here``: the one that is shown."""
    with box("nav", label="Pages of this document"), box("ul", classes="filters"):
        for name, called in _PAGES.items():
            with box("li"):
                shown = link(called, addresses.page("manuscripts", novel, scene, *([name] if name else [])))
            if name == here:
                attribute(shown, "aria-current", "page")
