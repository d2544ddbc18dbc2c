"""An editor over a draft, its buttons, and what others changed at the same places."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nicegui.elements.codemirror  # noqa: F401  # registers the module that prose.js imports
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.desk.drafts.desk import DraftDesk, DraftText
from gateway.desk.principals import sees
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.shared.choosing import Choosing
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.domain.text.merging.changesets import MOST_UNITS
from penwright.domain.text.whole_numbers import whole_number
from schemas.drafts import Dispute


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


_FILES = Path(__file__).parents[2] / "editor"
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


class _Kept(Element, component=_FILES / "lore_choice.js"):
    """Element that keeps the choice for the texts of one work in the browser."""

    def __init__(self, work: str) -> None:
        super().__init__()
        self._props["place"] = f"penwright-lore:{work}"


class LoreChoice:
    """A field to search a lorebook and choose it; nothing where the visitor may see none."""

    def __init__(self, visit: Visit, work: str, told: Callable[[str], object]) -> None:
        """``told``: called with the id of a lorebook when one is chosen, with an empty text for none."""
        self._field = Choosing(visit, LOREBOOK, "Lore", several=False)
        self._kept = _Kept(work)
        self._told = told
        self._field.on_chosen(self._chosen)
        self._kept.on("kept", self._again)

    async def offer(self) -> None:
        """Offer the first lorebooks; without any, the field is not shown."""
        await self._field.offer()
        self._field.shown(self._field.count > 0)

    def _chosen(self) -> None:
        id = next(iter(self._field.chosen), "")
        self._kept.run_method("keep", id)
        self._told(id)

    async def _again(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, str):
            await self._field.choose(event.args)


def lore_choice(visit: Visit, work: str, told: Callable[[str], object]) -> LoreChoice | None:
    """The choice for the texts of one work; None for a visitor who may see no lorebook."""
    return LoreChoice(visit, work, told) if sees(visit.principal, WORLDS) else None


_MARKS = (
    ("<!-- INK: … -->", "A note for the next session, about the passage before it."),
    ("<!-- INK:NEW:START -->", "From here to its END: new prose that waits for your review."),
    ("<!-- INK:REWORKED:START -->", "From here to its END: a passage that a session reworked."),
    ("> **[Rework]**", "The note that the rework answers; this line does not go into the book."),
    (
        "<!-- INK:ORIGINAL:START -->",
        "From here to its END: the passage before the rework, to compare. It does not go into the book, "
        "so change the text above it.",
    ),
    (
        "<!-- INK:CONFLICT: … -->",
        "Two versions of a passage, one before and one after it: delete the one you do not want, "
        "and this line.",
    ),
    ("<!-- INK:CHAPTER:2 -->", "What follows belongs to the chapter of that number."),
    ("amber words", "Came in from elsewhere while you write; the colour goes after a minute."),
)
"""The marks in a book's texts, and their meanings."""


async def opened_draft(visit: Visit, work: str, path: str) -> DraftText:
    """The draft of a file, with what the file has become; begun once a browser shows the page."""
    await visit.until_shown()
    return await visit.ask(lambda services: DraftDesk(services).open(visit.principal, work, path))


async def writing(
    visit: Visit,
    made: Frame,
    opened: DraftText,
    *,
    line: int = 0,
    notes: bool = False,
    blame: str = "",
) -> None:
    """The editor and what stands beside it.

    Args:
        line: scrolled to; 0: the text begins at its beginning.
        notes: offer to put notes for the next session into the text.
        blame: address that tells who wrote each block; offer to show it in the margin.
    """
    with box("section", classes="at-work", label="Editor"):
        text("h2", _named(opened))
        lore = _editor(visit, made, opened, line, notes=notes, blame=blame)
    with box("aside", classes="beside", label="Changed by others"):
        _disputes(visit, made, opened)
    if lore:
        await lore.offer()


def line_of(shown: str, at: str) -> int:
    """The line of an offset, counted from 1; 0 without one."""
    offset = whole_number(at)
    return 0 if offset is None else shown.count("\n", 0, offset) + 1


def _named(opened: DraftText) -> str:
    """The path of the text; a manuscript as a whole has none."""
    return "The manuscript" if opened.draft.path == "-" else opened.draft.path


def _editor(
    visit: Visit, made: Frame, opened: DraftText, line: int, *, notes: bool, blame: str
) -> LoreChoice | None:
    with box(classes="row-of") as row:
        save = ui.button("Save as my commit", color=None).props("no-caps unelevated").classes("main")
        attribute(save, "aria-keyshortcuts", "Control+S")
        note = ui.button("Note for the writer", color=None).props("no-caps unelevated").classes("plain")
        attribute(note, "aria-keyshortcuts", "Control+Alt+M")
        note.set_visibility(notes)
        wrote = ui.button("Who wrote it", color=None).props("no-caps unelevated").classes("plain")
        wrote.set_visibility(bool(blame))
    editor = ProseEditor(opened.draft.draft_id, _named(opened), line, notes=notes, blame=blame)
    _authors_by(wrote, made, editor)
    if notes:
        _legend()
    with row:
        lore = lore_choice(visit, opened.draft.work, editor.show_lore)
    save.on_click(editor.save)
    note.on_click(editor.add_note)
    made.keys.on("Ctrl+S", "saves the text as your commit", editor.save)
    if notes:
        made.keys.on("Ctrl+Alt+M", "puts a note for the writer below the selection", editor.add_note)

    def saved(told: EditorSaved) -> None:
        done = f"Saved: commit {told.commit[:8]}" if told.commit else "Nothing had changed"
        made.say("; ".join(filter(None, (done, told.warnings))))

    editor.on_saved(lambda told: saved(told) if told.ok else None)
    return lore


def _legend() -> None:
    """Folded away, as most know it after a day."""
    with box("details", classes="legend"):
        text("summary", "Meaning of the marks")
        with box("dl"):
            for mark, means in _MARKS:
                text("dt", mark)
                text("dd", means)


def _authors_by(button: ui.button, made: Frame, editor: ProseEditor) -> None:
    """A toggle for the authors in the margin."""
    attribute(button, "aria-pressed", "false")
    button.on_click(editor.toggle_authors)

    def show_state(found: AuthorsShown) -> None:
        attribute(button, "aria-pressed", "true" if found.on else "false")
        button.update()
        shown = (
            f"Authors in the margin: {counted(found.passages, 'passage')}"
            if found.on
            else "Authors are hidden"
        )
        made.say(f"Authors cannot be shown: {found.problem}" if found.problem else shown)

    editor.on_authors(show_state)


def _disputes(visit: Visit, made: Frame, opened: DraftText) -> None:
    text("h2", "Changed by others")
    if not opened.draft.disputes:
        text("p", "Nothing waits: no passage was changed by you and someone else.", classes="soft")
    for dispute in opened.draft.disputes:
        with box("article", classes="card"):
            if dispute.place.moved_to:
                text("h3", f"Moved to {dispute.place.moved_to}, with your words")
                text("p", dispute.place.mine)
                action(made, "Seen", partial(_settled, visit, opened, dispute))
                continue
            text("h3", "Your words are in the text")
            text("p", dispute.place.mine or "(you removed it)")
            text("h3", "The other version")
            text("p", dispute.place.theirs or "(removed)")
            action(made, "Keep mine", partial(_settled, visit, opened, dispute))


async def _settled(visit: Visit, opened: DraftText, dispute: Dispute) -> str:
    draft = opened.draft.draft_id
    await visit.ask(lambda services: DraftDesk(services).drop_dispute(visit.principal, draft, dispute.number))
    return "Your words stay"
