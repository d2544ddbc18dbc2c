"""One document: its text, and beside it the workspace in which agents write, cite and revise."""

from functools import partial

from gateway.desk.manuscript.scenes import ShownScene
from gateway.desk.works import registered
from gateway.desk.works.documents import Document
from gateway.desk.works.inspecting import ModelCall
from gateway.ui import addresses
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame, frame
from gateway.ui.live import Live, live
from gateway.ui.parts.acting import acted
from gateway.ui.parts.editing.prose import prose
from gateway.ui.parts.manuscript import drafting
from gateway.ui.parts.manuscript.citations import citations
from gateway.ui.parts.manuscript.conflicts import Conflicts
from gateway.ui.parts.manuscript.document_tabs import document_tabs
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.parts.manuscript.inspector import inspector
from gateway.ui.parts.manuscript.scanning_panel import ScanningPanel
from gateway.ui.parts.manuscript.writing_panel import WritingPanel, revising, run_bar, stopped
from gateway.ui.parts.plots.charts import picture
from gateway.ui.visit import Visit
from penwright.domain.charts.made import cost, score_per_critique
from penwright.domain.text.inline_citations import with_keys_alone
from schemas.agent_state import ActionEntry

TABS = {"": "AI Write", "reference": "AI Reference", "revise": "Revise", "inspect": "Inspector"}


async def page(visit: Visit) -> None:
    """``/manuscripts/{novel}/{scene}?tab=&variable=&as=``."""
    novel, scene = visit.params["novel"], visit.params["scene"]
    visit.require("read", f"novel/{novel}")
    found = await visit.ask(registered.document, novel, scene)
    variable = visit.query.get("variable", "") if visit.query.get("tab") == "inspect" else ""
    known = await live(visit, partial(drafting.read, visit, found, variable), subject=f"novel/{novel}")
    title = found.novel.title if scene == "-" else f"{found.novel.title}: {scene}"
    with frame(title, here="/manuscripts", crumbs=(("Manuscripts", addresses.page("manuscripts")),)) as made:
        document_tabs(novel, scene, "")
        known.part(lambda now: now, partial(run_bar, visit, made, found), differs_by=_run)
        with box(classes="drafting"):
            with box("section", label="Text"):
                text("h2", "Text")
                known.part(lambda now: now.stands.text, _text)
            with box("section", label="AI workspace"):
                text("h2", "AI workspace")
                _workspace(visit, made, found, known)
        known.part(lambda now: now.stands.conflicts, Conflicts(visit, made, found).draw)
        text("h2", "What was done")
        known.part(lambda now: (now.stands.actions, now.stands.calls), lambda both: _curves(*both))
        known.part(lambda now: now.stands.actions, _actions)
        made.keys.on("s", "stops the run", partial(_pressed, visit, made, found))
        known.look_while(lambda now: now.at_work)
        known.follow(made)


def _run(now: Drafting) -> object:
    return now.stands.line, now.stands.settings.version, now.stands.text


async def _pressed(visit: Visit, made: Frame, found: Document) -> None:
    if await acted(made, stopped(visit, found)):
        await made.renew()


def _workspace(visit: Visit, made: Frame, found: Document, known: Live[Drafting]) -> None:
    tab = visit.query.get("tab", "")
    shown = {"tab": tab if tab in TABS else ""}
    path = ("manuscripts", found.novel.novel_id, found.scene)
    filters("AI workspace", "tab", TABS, shown, *path, at="ai-workspace")
    if tab == "reference":
        panel = ScanningPanel(visit, made, found)
        known.part(lambda now: now, panel.draw, differs_by=lambda now: now.stands.settings.max_targets)
        known.part(lambda now: now.stands.review, partial(citations, visit, made, found))
    elif tab == "revise":
        revising(visit, made, found)
    elif tab == "inspect":
        known.part(
            lambda now: now,
            partial(inspector, visit, made, found),
            differs_by=lambda now: (now.variable, len(now.stands.variables)),
        )
    else:
        writing = WritingPanel(visit, made, found)
        known.part(lambda now: now, writing.draw, differs_by=_panel)


def _panel(now: Drafting) -> object:
    return now.stage in ("idle", "paused"), now.stage == "paused", now.stands.settings.version


def _text(shown: ShownScene | None) -> None:
    if shown is None or not shown.text.strip():
        text("p", "Nothing is written yet.", classes="empty")
        return
    with box("section", classes="card paper", label="Text as it stands") as paper:
        attribute(paper, "tabindex", "0")  # on a phone it is scrolled
        prose(with_keys_alone(shown.text))


def _curves(actions: tuple[ActionEntry, ...], calls: tuple[ModelCall, ...]) -> None:
    scored = [each.score for each in actions if each.score is not None]
    if len(scored) > 1:
        picture(score_per_critique(scored))
    if any(each.cost_micros for each in calls):
        picture(cost("call", [(f"{at}", each.cost_micros) for at, each in enumerate(calls, 1)]))


def _actions(actions: tuple[ActionEntry, ...]) -> None:
    if not actions:
        text("p", "No agent has worked on it yet.", classes="empty")
        return

    def stands(each: ActionEntry) -> None:
        state(each.outcome)

    columns: tuple[Column[ActionEntry], ...] = (
        Column("Action", lambda each: each.action.replace("_", " ")),
        Column("Outcome", stands),
        Column("Summary", lambda each: each.summary),
        Column("Score", lambda each: "–" if each.score is None else f"{each.score:.2f}", number=True),
    )
    table(columns, tuple(reversed(actions)), caption="Actions, newest first")
