"""The panel beside a document: write, cite, revise, and look at what the agents know."""

import json
from collections.abc import Awaitable, Callable

from nicegui import ui
from pydantic import JsonValue

from gateway.desk.citations import scans
from gateway.desk.manuscript import runs
from gateway.desk.manuscript.runs import Document
from gateway.desk.manuscript.standing import DocumentStanding
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.citations import citations
from gateway.ui.parts.html import attribute, box, text
from gateway.ui.visit import Visit

TABS = {"": "AI Write", "reference": "AI Reference", "revise": "Revise", "inspect": "Inspector"}


def ai_workspace(visit: Visit, made: Frame, found: Document, stands: DocumentStanding, tab: str) -> None:
    """One tab; a tab that is none of ours shows AI Write."""
    if tab == "reference":
        _reference(visit, made, found, stands)
    elif tab == "revise":
        _instruct(visit, made, found, "One instruction", "Revise", _revised(visit, found))
    elif tab == "inspect":
        _inspector(stands)
    else:
        settings = stands.settings
        text("p", settings.instructions or "No instructions yet.", classes="note")
        text(
            "p",
            f"Up to {settings.max_passes} passes, until the score is {settings.min_score:.2f}.",
            classes="soft",
        )
        _instruct(visit, made, found, "Instructions (empty: those above)", "Write", _written(visit, found))


def _instruct(
    visit: Visit, made: Frame, found: Document, called: str, verb: str, done: Callable[[str], Awaitable[None]]
) -> None:
    field = ui.input(called).props('outlined autocomplete="off"')

    async def act() -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await done(field.value.strip() if isinstance(field.value, str) else "")
        return "the run has begun"

    with box(classes="row-of"):
        action(made, verb, act, look="main", icon="edit_note")


def _written(visit: Visit, found: Document) -> Callable[[str], Awaitable[None]]:
    async def done(said: str) -> None:
        wanted = runs.Wanted(instructions=said or None, who=visit.principal.name)
        await visit.ask_engine(runs.write, found, wanted, wait=None)

    return done


def _revised(visit: Visit, found: Document) -> Callable[[str], Awaitable[None]]:
    async def done(said: str) -> None:
        await visit.ask_engine(runs.revise, found, said, who=visit.principal.name, wait=None)

    return done


def _reference(visit: Visit, made: Frame, found: Document, stands: DocumentStanding) -> None:
    async def scan() -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await visit.ask_engine(scans.scan, found, scans.ScanWish(who=visit.principal.name), wait=None)
        return "the scan has begun"

    with box(classes="row-of"):
        action(made, "Scan for sentences that need a source", scan, look="main", icon="manage_search")
    citations(visit, made, found, stands.review)


def _inspector(stands: DocumentStanding) -> None:
    """Every variable with its value; static text, folded."""
    for each in stands.variables:
        with box("details", classes="variable"):
            text("summary", each.name.replace("_", " "))
            block = text("pre", _written_out(each.value) or "(empty)", classes="lines")
            attribute(block, "tabindex", "0")


def _written_out(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
