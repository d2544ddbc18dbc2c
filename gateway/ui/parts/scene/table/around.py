"""Beside the chat of a seat: who is here, whose turn it is, and the seat's own character."""

from gateway.desk.scene.table.views import SeatPerson, SeatTable
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.scene.table.sitting import Sitting
from schemas.director import FIELDS


def turn(sitting: Sitting) -> None:
    """Say whose turn it is; a reader of the screen hears it."""
    with box("p", classes="lead") as place:
        attribute(place, "role", "status")
        if sitting.table is not None:
            text("span", in_words(sitting.table))


def in_words(table: SeatTable) -> str:
    """Return whose turn it is, in a sentence."""
    name = table.character.name
    if not table.is_in:
        return f"{name} is not in the scene now: you see what {name} heard before, and nothing that happens."
    if table.running:
        return "The scene answers; what you say now is said after that."
    if table.turn.order == "free":
        return "Speak whenever you like."
    if table.turn.yours:
        return "It is your turn."
    return f"It is the turn of {table.turn.who}." if table.turn.who else "It is another player's turn."


def here(sitting: Sitting) -> None:
    """List who is in the scene with the character."""
    text("h2", "Here")
    people = sitting.table.here if sitting.table else ()
    if not people:
        text("p", "Nobody that your character sees.", classes="empty")
    with box("ul", classes="plain-list"):
        for each in people:
            with box("li"):
                text("span", each.name)
                text("span", f" {_played(each)}", classes="soft")


def _played(each: SeatPerson) -> str:
    if each.played_by == "model":
        return ""
    who = "you" if each.played_by == "you" else "a person"
    return f"{who}, at the table" if each.present else who


def character(sitting: Sitting) -> None:
    """Show the seat's own character, with what it alone knows."""
    if sitting.table is None:
        return
    own, place = sitting.table.character, sitting.table.place
    text("h2", f"You are {own.name}")
    facts({name: str(getattr(own.state, name)) for name in FIELDS})
    known = {"description": own.description, "appearance": own.appearance, "personality": own.personality}
    known |= {"goals": own.goals, "known to you alone": own.secrets}
    _folded("Your character", known)
    about = {"where": place.location, "when": place.time_of_day, "scenario": place.scenario}
    _folded(f"The place, {place.world}", about | {"description": "\n\n".join(place.descriptions)})


def _folded(title: str, texts: dict[str, str]) -> None:
    if not any(each.strip() for each in texts.values()):
        return
    with box("details", classes="others"):
        text("summary", title)
        for name, told in texts.items():
            if told.strip():
                text("h3", name.capitalize())
                text("p", told)
