"""The history of one document: its versions, two of them compared, and going back. It changes in place."""

from functools import partial

from gateway.desk.manuscript import editing, scenes
from gateway.desk.services import Services
from gateway.desk.works import registered, works
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from gateway.ui import addresses
from gateway.ui.elements.html import text
from gateway.ui.frame import Frame, frame
from gateway.ui.live import live
from gateway.ui.parts.acting import Act
from gateway.ui.parts.comparison import Compared, compared
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.manuscript.document_tabs import document_tabs
from gateway.ui.parts.plots.timeline import Timeline, Version
from gateway.ui.visit import Visit
from penwright.domain.manuscript.naming import words_of
from penwright.errors import NotFound
from schemas.manuscript_text import TextRestored
from schemas.workspace import FileVersion

_SHOWN = 100


async def page(visit: Visit) -> None:
    """``/manuscripts/{novel}/{scene}/history?from=&to=``."""
    novel, scene = visit.params["novel"], visit.params["scene"]
    visit.require("read", f"novel/{novel}")
    found = await visit.ask(registered.document, novel, scene)
    known = await live(
        visit,
        lambda: visit.ask(_versions, found),
        subject=f"novel/{novel}",
        mark=lambda: visit.ask(lambda _: works.refs(found.novel)),
    )
    before, after = visit.query.get("from", ""), visit.query.get("to", "")
    lies_between = None
    if before and after:
        lies_between = await visit.ask(_between, found, before, after)
    title = found.novel.title if scene == "-" else scene
    crumbs = (
        ("Manuscripts", addresses.page("manuscripts")),
        (title, addresses.page("manuscripts", novel, scene)),
    )
    address = partial(addresses.page, "manuscripts", novel, scene, "history")
    rest = (
        f"The rest is left out; `penwright manuscript diff {words_of(novel, scene)} "
        f"--since {before[:8]} --until {after[:8]}` shows it."
    )
    shown = Timeline(address, before, after, visit.services.now(), rest)
    with frame("History", here="/manuscripts", crumbs=crumbs) as made:
        document_tabs(novel, scene, "history")
        known.part(lambda now: now, lambda now: _draw(visit, made, found, shown, now, lies_between))
        known.follow(made)


def _draw(
    visit: Visit,
    made: Frame,
    found: Document,
    shown: Timeline,
    versions: tuple[FileVersion, ...],
    lies_between: Compared | None,
) -> None:
    if not versions:
        text("p", "Nothing is written yet; the first save or run begins the history.", classes="empty")
    rows = [Version(each.commit, each.at, each.title, each.author.partition(" <")[0]) for each in versions]
    shown.draw(
        rows[:_SHOWN],
        lies_between,
        lambda number: _restore(visit, made, found, versions[number], versions[0]),
    )


def _between(services: Services, found: Document, before: str, after: str) -> Compared:
    texts = scenes.compared_texts(services, found.novel, found.scene, since=before, until=after)
    return compared([texts] if texts[1] != texts[2] else [])


def _versions(services: Services, found: Document) -> tuple[FileVersion, ...]:
    try:
        return scenes.versions(services, found.novel, found.scene)
    except NotFound:
        return ()


def _restore(visit: Visit, made: Frame, found: Document, each: FileVersion, newest: FileVersion) -> None:
    if each is not newest and each.blob:
        question = "Bring this text back, as a new commit? What is newer stays in the list."
        confirmed(made, "Restore", question, _brought_back(visit, found, each, newest))


def _brought_back(visit: Visit, found: Document, each: FileVersion, newest: FileVersion) -> Act:
    async def act() -> str:
        visit.require("write", f"novel/{found.novel.novel_id}")
        who = visit.principal.name
        return _said(
            found.novel,
            await visit.ask_engine(
                editing.rollback, found.novel, found.scene, each.commit, expected=newest.blob, principal=who
            ),
        )

    return act


def _said(novel: Novel, answer: TextRestored) -> str:
    if answer.outcome in ("conflict", "refused"):
        return answer.message or "the text was changed meanwhile; nothing was done"
    return f"the text of {(answer.restored_from or '')[:8]} is back: {novel.length(answer.words)}"
