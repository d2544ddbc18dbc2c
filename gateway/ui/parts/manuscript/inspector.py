"""The variables of the agents: who made each and when, as a tree, raw or as text, beside its last value."""

from collections.abc import Iterable

from nicegui import ui
from nicegui.events import ValueChangeEventArguments
from pydantic import JsonValue

from gateway.desk.manuscript import told_variables
from gateway.desk.manuscript.told_variables import written_out
from gateway.desk.works.documents import Document
from gateway.desk.works.inspecting import VariableView
from gateway.ui import addresses
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.editing.prose import difference, prose
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted

LOOKS = {"": "Tree", "raw": "Raw", "markdown": "Markdown"}
_LONGEST_DIFF = 40_000
"""Characters of two values that are compared word by word."""


def inspector(visit: Visit, frame: Frame, found: Document, now: Drafting) -> None:
    """The list of variables, and the one that the address names."""
    name = now.variable.name if now.variable else ""
    names = [*(each.name for each in now.stands.variables), *told_variables.CRITIQUES, *told_variables.TEXTS]
    with box("nav", label="Variables"), box("ul", classes="filters"):
        for each in dict.fromkeys(names):
            with box("li"):
                place = link(each.replace("_", " "), _address(found, tab="inspect", variable=each))
                if each == name:
                    attribute(place, "aria-current", "true")
    if now.variable is None:
        text("p", "Choose a variable to see what the agents know.", classes="empty")
        return
    _shown(visit, frame, found, now.variable)


def _address(found: Document, **query: str) -> str:
    return addresses.page("manuscripts", found.novel.novel_id, found.scene, **query)


def _shown(visit: Visit, frame: Frame, found: Document, view: VariableView) -> None:
    look = visit.query.get("as", "")
    query = {"tab": "inspect", "variable": view.name, "as": look if look in LOOKS else ""}
    written = written_out(view.value)
    with box("article", classes="card variable-shown"):
        text("h3", view.name.replace("_", " "))
        _origin(visit, view, written)
        filters("How it is shown", "as", LOOKS, query, "manuscripts", found.novel.novel_id, found.scene)
        _tools(frame, written)
        if look == "markdown":
            prose(written)
        elif look == "raw":
            attribute(text("pre", written or "(empty)", classes="lines"), "tabindex", "0")
        else:
            _tree(view.value)
        _before(view)


def _origin(visit: Visit, view: VariableView, written: str) -> None:
    with box("p", classes="soft"):
        text("span", f"about {told_variables.tokens(written):,} tokens")
        if view.past:
            text("span", f", made by {view.past[0].by or 'an unknown run'} ")
            moment(view.past[0].at, visit.services.now())


def _tools(frame: Frame, written: str) -> None:
    async def copied() -> str:
        ui.clipboard.write(written)
        return "copied"

    with box(classes="row-of"):
        action(frame, "Copy", copied, icon="content_copy", reload=False)
        field = ui.input("Search in it").props('outlined dense maxlength="200" autocomplete="off"')
    hits = box("ul", classes="hits")

    def search(event: ValueChangeEventArguments[str | None]) -> None:
        wanted = (event.value or "").casefold()
        found = [line for line in written.splitlines() if wanted and wanted in line.casefold()]
        hits.clear()
        with hits:
            for line in found[:20]:
                text("li", line.strip()[:200])
            if wanted:
                text("li", counted(len(found), "line"), classes="soft")

    field.on_value_change(search)


def _before(view: VariableView) -> None:
    if len(view.past) < 2:
        return
    old, new = (written_out(each.value) for each in (view.past[1], view.past[0]))
    with box("details"):
        text("summary", f"What changed since its last value, of {view.past[1].by or 'an unknown run'}")
        if len(old) + len(new) > _LONGEST_DIFF:
            text("p", "Both are too long to be compared here; the history of the text compares them.")
        else:
            difference(old, new)


def _tree(value: JsonValue) -> None:
    """Objects and lists fold; all else is a line."""
    pairs: Iterable[tuple[str, JsonValue]]
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = ((f"{number}", each) for number, each in enumerate(value, 1))
    else:
        text("p", written_out(value) or "(empty)", classes="value")
        return
    with box("ul", classes="tree"):
        empty = True
        for name, each in pairs:
            empty = False
            with box("li"):
                if isinstance(each, dict | list) and each:
                    with box("details"):
                        text("summary", f"{name} ({len(each)})")
                        _tree(each)
                else:
                    text("span", f"{name}: ", classes="soft")
                    text("span", written_out(each) or "(empty)")
        if empty:
            text("li", "(empty)", classes="soft")
