"""The tab Direction: notes for the director, plans that wait, and what came of the newest round."""

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from gateway.desk.scene import direction
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit
from penwright.domain.scene.plan.edits import changes_in_words
from penwright.domain.scene.resolving import name_of
from schemas.director import CastMember
from schemas.scene import PassRecord, Round


def notes(visit: Visit, frame: Frame, playing: Playing) -> None:
    """A note for one round, one for every round, and whether plans wait; drawn once."""
    scene = playing.scene

    def noted(*, standing: bool) -> Take:
        async def take(said: str) -> str:
            visit.require("run", f"scene/{scene.id}")
            heard = await visit.ask_engine(direction.note, scene.id, said, standing=standing)
            return (
                "the director hears it in this round"
                if heard
                else "the director hears it from the next round"
            )

        return take

    async def directed(said: str) -> str:
        visit.require("run", f"scene/{scene.id}")
        await visit.ask_engine(direction.ask, scene.id, said)
        return "the director plans; the plan will wait for you"

    words(
        frame,
        "A note for the next round",
        "Tell the director",
        noted(standing=False),
        place=f"{scene.id}/note",
    )
    with box("details"):
        text("summary", "Ask for a change, and see its plan first")
        words(frame, "What the director is to arrange", "Ask", directed, place=f"{scene.id}/direct")
    with box("details"):
        text("summary", "In every round")
        words(
            frame,
            "A note for every round",
            "Keep it",
            noted(standing=True),
            place=f"{scene.id}/standing",
            text=scene.notes.direction,
        )

    async def held(event: ValueChangeEventArguments[bool | None]) -> None:
        async def act() -> str:
            visit.require("write", f"scene/{scene.id}")
            await visit.ask(direction.hold, scene.id, event.value is True)
            return "plans wait for you from the next round on" if event.value else "plans are played at once"

        await acted(frame, act)

    ui.switch("Hold each plan until I approve it", value=scene.settings.hold_plan, on_change=held)


def newest(playing: Playing) -> None:
    """The newest round that was directed: who was to act, what they were told and did, who came and went."""
    if not playing.shown.rounds:
        text("p", "No round was played yet.", classes="empty")
        return
    # A reply that is made anew is a round without a director.
    directed = [each for each in playing.shown.rounds if each.passes]
    cast, played = playing.shown.view.cast, (directed or playing.shown.rounds)[-1]
    # The plan that is held stands above, to be changed.
    told = [each for each in played.passes if each is not playing.held]
    if told or played.notes or played.warnings or played.changes:
        text("h3", played.name.words.capitalize())
    for each in told:
        _pass(played, each, cast)
    for warning in played.warnings:
        text("p", f"Warning: {warning}", classes="needs")
    for note in played.notes:
        text("p", note.text, classes="needs")
    for change in played.changes:
        what = f"{name_of(change.subject, cast)}, {change.field}: {change.new}"
        source = change.source.replace("-", " ")
        text("p", f"{what} ({source}{', overruled' if change.overruled else ''})", classes="soft")


def _pass(played: Round, planned: PassRecord, cast: tuple[CastMember, ...]) -> None:
    did = {each.character: each for each in played.turns if each.pass_number == planned.number}
    with box("article", classes="card"):
        by = f", approved by {planned.approved_by}" if planned.approved_by else ""
        text("h3", f"Pass {planned.number}, {planned.outcome}{by}")
        if planned.chosen:
            text("p", f"Not planned by a director: {planned.chosen}.", classes="soft")
        if planned.applied.open_guidance:
            text("p", f"To everyone: {planned.applied.open_guidance}", classes="note")
        with box("ol"):
            for turn in planned.applied.turns:
                told = turn.guidance or "without guidance"
                spoken = did.get(turn.character)
                ended = f" ({spoken.outcome}{': ' if spoken.reason else ''}{spoken.reason})" if spoken else ""
                text("li", f"{name_of(turn.character, cast)}: {told}{ended}")
        for change in changes_in_words(planned, {each.id: each.name for each in cast}):
            text("p", change, classes="soft")
        if not planned.applied.turns:
            text("p", "No character is to act.", classes="soft")
        for entry in planned.applied.entries:
            text("p", f"{name_of(entry.who, cast)} comes in. {entry.entry_guidance}", classes="soft")
        for leaves in planned.applied.exits:
            text("p", f"{name_of(leaves.who, cast)} leaves. {leaves.exit_guidance}", classes="soft")
        if planned.reason:
            text("p", planned.reason, classes="needs")
