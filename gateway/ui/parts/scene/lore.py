"""The tab Lore: what fired, what was cut, and why; and a box to try a text."""

from collections.abc import Callable, Sequence

from nicegui import ui

from gateway.desk.scene import lore_reasons
from gateway.desk.scene.lore_reasons import LoreReasons
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted
from gateway.ui.parts.shared.words import WordsField, words
from gateway.ui.visit import Visit
from schemas.lore import LoreVerdict

_ORDER = {"fired": 0, "trimmed": 1}
_SAID = {
    "trimmed": "cut",
    "no-key": "not mentioned",
    "character": "not for these characters",
    "trigger": "not for this kind of prompt",
}
"""Outcomes whose own word a reader would not understand."""


def played(lore: Sequence[LoreReasons]) -> None:
    """The verdicts on the director's newest call."""
    if not lore:
        text("p", "No prompt was made yet.", classes="empty")
        return
    text("h3", f"Round {lore[0].round}, {lore[0].step}")
    if lore[0].missing:
        text("p", lore[0].missing, classes="needs")
    verdicts(lore[0].verdicts, lore[0].name_of)


def verdicts(found: Sequence[LoreVerdict], named: Callable[[LoreVerdict], str]) -> None:
    """Draw what fired first, then what was cut, then the rest."""
    if not found:
        text("p", "No lorebook is active here.", classes="empty")
        return
    columns: tuple[Column[LoreVerdict], ...] = (
        Column("Entry", named),
        Column("Outcome", lambda each: f"{_SAID.get(each.outcome, each.outcome)}: {each.why}"),
        Column("Place", lambda each: each.place),
        Column("Tokens", lambda each: f"{each.tokens:,}", number=True),
    )
    shown = sorted(found, key=lambda each: _ORDER.get(each.outcome, 2))
    table(columns, shown, caption="Lore entries and what became of them")


def marking(visit: Visit, frame: Frame, scene: str, field: WordsField) -> None:
    """A button beside a field: which entries would fire if what stands there were said?"""
    with field:
        button = ui.button("Which lore?", color=None, icon="auto_stories", on_click=field.tell)
        button.props("no-caps unelevated").classes("plain")
    marks = box("ul", classes="marks", label="Lore that would fire")

    async def show_fired(said: str) -> None:
        async def act() -> str:
            found = await visit.ask(lore_reasons.tried, scene, said)
            fired = [each for each in found.verdicts if each.outcome == "fired"]
            marks.clear()
            with marks:
                for each in fired:
                    with box("li"):
                        link(
                            found.name_of(each),
                            addresses.page("worlds", "lorebooks", each.book, entry=each.uid),
                        )
            return f"{len(fired)} would fire" if fired else "no entry would fire"

        await acted(frame, act)

    field.on_told(show_fired)


def trying(visit: Visit, frame: Frame, scene: str) -> None:
    """A box: which entries would a text make fire?"""
    text("h3", "Try a text")
    field_place, answer = box(), box(classes="tried")

    async def take(said: str) -> str:
        found = await visit.ask(lore_reasons.tried, scene, said)
        answer.clear()
        if found.verdicts:
            with answer:
                verdicts(found.verdicts, found.name_of)
        fired = sum(each.outcome == "fired" for each in found.verdicts)
        return f"{fired} would fire" if fired else "no entry would fire"

    with field_place:
        words(frame, "As if this were said", "Try", take, place=f"{scene}/lore")
