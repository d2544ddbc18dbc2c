"""The editor of prose, which reads and writes a draft over the API; the text never goes through NiceGUI."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nicegui.elements.codemirror  # registers the module that prose.js imports
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.ui import addresses
from penwright.domain.text.merging.changesets import MOST_UNITS

_FILES = Path(__file__).parents[2] / "editor"

__all__ = ["EditorSaved", "ProseEditor", "nicegui"]


@dataclass(frozen=True, slots=True)
class EditorSaved:
    """Answer of the editor after the person saved."""

    ok: bool
    commit: str
    warnings: str
    """A warning for the person; empty if there is none."""


@dataclass(frozen=True, slots=True)
class AuthorsShown:
    """Answer of the editor after it was asked for authors."""

    on: bool
    passages: int
    """That have their author in the margin."""
    problem: str
    """Reason why they could not be shown; empty otherwise."""


_MODULES = {f"penwright-{name}": str(_FILES / name) for name in ("outbox", "authors", "lore", "place")}


class ProseEditor(Element, component=_FILES / "prose.js", esm=_MODULES):
    """CodeMirror over one draft."""

    def __init__(
        self, draft_id: str, label: str, line: int = 0, *, notes: bool = False, blame: str = ""
    ) -> None:
        """An editor over a draft.

        Args:
            label: what a reader of the screen calls the text, such as its path.
            line: scrolled to.
            notes: a key puts notes for the writer into the text.
            blame: address that tells who wrote each block of the text.
        """
        super().__init__()
        self._props["url"] = f"/api/v1/drafts/{draft_id}"
        self._props["label"] = label
        self._props["line"] = line
        self._props["most"] = MOST_UNITS
        self._props["notes"] = notes
        self._props["blame"] = blame

    def on_saved(self, told: Callable[[EditorSaved], object]) -> None:
        """Call ``told`` when the person has saved, or could not."""
        self.on("saved", lambda event: told(_saved(event)))

    def on_authors(self, told: Callable[[AuthorsShown], object]) -> None:
        """Call ``told`` when authors are shown, or could not be."""
        self.on("authors", lambda event: told(_authors(event)))

    def toggle_authors(self) -> None:
        """Show in the margin who wrote each passage, or hide it."""
        self.run_method("toggle_authors")

    def show_lore(self, book_id: str) -> None:
        """Mark what the visible lines mention of a lorebook; of none if ``book_id`` is empty."""
        book = {
            "mentions": addresses.mentions(book_id),
            "page": addresses.BASE + addresses.page("worlds", "lorebooks", book_id),
        }
        self.run_method("show_lore", book if book_id else None)

    def save(self) -> None:
        """Make the draft a commit of the person's."""
        self.run_method("save")

    def add_note(self) -> None:
        """Put an empty INK note below the selection, and the cursor into it."""
        self.run_method("add_note")


def _saved(event: GenericEventArguments) -> EditorSaved:
    """Any: what the browser sent, which may be anything."""
    told: Any = event.args if isinstance(event.args, dict) else {}
    warnings = told.get("warnings")
    listed = warnings if isinstance(warnings, list) else []
    return EditorSaved(
        told.get("ok") is True, str(told.get("commit", ""))[:40], "; ".join(map(str, listed))[:500]
    )


def _authors(event: GenericEventArguments) -> AuthorsShown:
    """Any: as above."""
    told: Any = event.args if isinstance(event.args, dict) else {}
    shown = told.get("shown")
    return AuthorsShown(
        told.get("on") is True, shown if isinstance(shown, int) else 0, str(told.get("said", ""))[:200]
    )
