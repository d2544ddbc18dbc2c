"""The history of one document: its versions, two of them compared, and going back."""

from gateway.desk.manuscript import editing, scenes
from gateway.desk.manuscript.runs import Document
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import Act
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.manuscript.document_tabs import document_tabs
from gateway.ui.parts.moments import moment
from gateway.ui.visit import Visit
from penwright.errors import NotFound
from schemas.manuscript_text import TextRestored
from schemas.workspace import FileVersion

_SHOWN = 100
_LONGEST = 60_000
"""Characters of a comparison that are shown."""


async def page(visit: Visit) -> None:
    """``/manuscripts/{novel}/{scene}/history?from=&to=``."""
    novel, scene = visit.params["novel"], visit.params["scene"]
    visit.require("read", f"novel/{novel}")
    found = await visit.ask(registered.document, novel, scene)
    versions = await visit.ask(_versions, found)
    before, after = visit.query.get("from", ""), visit.query.get("to", "")
    lines = None
    if before and after:
        lines = await visit.ask(scenes.diff, found.novel, scene, since=before, until=after)
    title = found.novel.title if scene == "-" else scene
    crumbs = (
        ("Manuscripts", addresses.page("manuscripts")),
        (title, addresses.page("manuscripts", novel, scene)),
    )
    with frame("History", here="/manuscripts", crumbs=crumbs) as made:
        document_tabs(novel, scene, "history")
        if lines is not None:
            _comparison(found, before, after, lines)
        elif before:
            with box("p", classes="note"):
                text("span", f"Choose what to compare {before[:8]} with. ")
                link("Leave it", _address(found))
        if not versions:
            text("p", "Nothing is written yet; the first save or run begins the history.", classes="empty")
        with box("ol", classes="timeline"):
            for number, each in enumerate(versions[:_SHOWN]):
                older = versions[number + 1] if number + 1 < len(versions) else None
                _version(visit, made, found, each, older, newest=versions[0], chosen="" if after else before)


def _versions(services: Services, found: Document) -> tuple[FileVersion, ...]:
    try:
        return scenes.versions(services, found.novel, found.scene)
    except NotFound:
        return ()


def _version(
    visit: Visit,
    made: Frame,
    found: Document,
    each: FileVersion,
    before: FileVersion | None,
    *,
    newest: FileVersion,
    chosen: str,
) -> None:
    with box("li"):
        moment(each.at, visit.services.now())
        with box():
            text("p", each.title, classes="what")
            with box("p", classes="soft"):
                text("span", f"{each.author.partition(' <')[0]}, ")
                text("code", each.commit[:8])
            with box(classes="row-of"):
                _comparing(found, each, before, chosen)
                if each is not newest and each.blob:
                    question = "Bring this text back, as a new commit? What is newer stays in the list."
                    confirmed(made, "Restore", question, _brought_back(visit, found, each, newest))


def _comparing(found: Document, each: FileVersion, before: FileVersion | None, chosen: str) -> None:
    def to(shown: str, **wanted: str) -> None:
        place = link(shown, _address(found, **wanted))
        attribute(place, "aria-label", f"{shown}: {each.title}, {each.commit[:8]}")

    if chosen and chosen != each.commit:
        to("compare with this", **{"from": chosen, "to": each.commit})
    elif not chosen:
        if before:
            to("what it changed", **{"from": before.commit, "to": each.commit})
        to("compare …", **{"from": each.commit})


def _comparison(found: Document, before: str, after: str, lines: str) -> None:
    with box("section", classes="card", label="Comparison"):
        text("h2", f"From {before[:8]} to {after[:8]}")
        if lines:
            attribute(text("pre", lines[:_LONGEST], classes="lines scrolled-down"), "tabindex", "0")
        else:
            text("p", "Both are the same text.", classes="soft")
        if len(lines) > _LONGEST:
            text("p", "The rest is left out; `penwright manuscript diff` shows it.")
        link("Close", _address(found))


def _brought_back(visit: Visit, found: Document, each: FileVersion, newest: FileVersion) -> Act:
    async def act() -> str:
        visit.require("write", f"novel/{found.novel.novel_id}")
        who = visit.principal.name
        return _said(
            await visit.ask_engine(
                editing.rollback, found.novel, found.scene, each.commit, expected=newest.blob, principal=who
            )
        )

    return act


def _said(answer: TextRestored) -> str:
    if answer.outcome in ("conflict", "refused"):
        return answer.message or "the text was changed meanwhile; nothing was done"
    return f"the text of {(answer.restored_from or '')[:8]} is back: {answer.words:,} words"


def _address(found: Document, **query: str) -> str:
    return addresses.page("manuscripts", found.novel.novel_id, found.scene, "history", **query)
