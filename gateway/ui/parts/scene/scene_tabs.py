"""Tabs behind a scene: memory, the prompt's budget, the log, branches, pictures and notes."""

from collections.abc import Sequence

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from gateway.desk.pictures import tokens_of
from gateway.desk.principals import sees
from gateway.desk.scene import direction, picturing
from gateway.desk.scene.branches import Branch
from gateway.desk.scene.views import ShownEnvelope
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame
from gateway.ui.live import Live
from gateway.ui.parts.acting import Act, acted, action
from gateway.ui.parts.plots.charts import picture
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.scene import lore
from gateway.ui.parts.scene.held_plan import HeldPlan
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.scene.round_bar import brought_back
from gateway.ui.parts.scene.table.operator import Seats, seen
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit
from penwright.domain.control import shown_outcome
from penwright.domain.scene.plan.edits import changes_in_words
from penwright.domain.scene.resolving import name_of
from penwright.domain.text.counted import counted
from schemas.director import CastMember
from schemas.envelope import Recalled
from schemas.scene import NumberedRound, PassRecord, Round
from schemas.worlds import Picture

TABS = {
    "": "Direction",
    "lore": "Lore",
    "memory": "Memory",
    "budget": "Budget",
    "log": "Log",
    "branches": "Branches",
    "pictures": "Pictures",
    "seats": "Seats",
}


def scene_tabs(visit: Visit, frame: Frame, known: Live[Playing], tab: str) -> None:
    """One tab; a tab that is none of ours shows the direction."""
    if tab == "lore":
        known.part(lambda now: now.lore, lore.played)
        lore.trying(visit, frame, known.value.scene.id)
    elif tab == "memory":
        known.part(lambda now: (now.calls, now.shown.view.cast), lambda both: _memory(*both))
    elif tab == "budget":
        known.part(lambda now: (now.calls, now.shown.view.cast), lambda both: _budget(*both))
    elif tab == "log":
        known.part(
            lambda now: now.shown.rounds, lambda rounds: _log(visit, frame, known.value.scene.id, rounds)
        )
    elif tab == "pictures":
        known.part(
            lambda now: now,
            lambda now: pictures(visit, frame, now),
            differs_by=lambda now: now.scene.pictures,
        )
    elif tab == "seats":
        part = Seats(visit, frame, known.value)
        known.part(lambda now: now, part.draw, differs_by=seen)
    elif tab == "branches":
        known.part(lambda now: now.tree, lambda tree: branch_map(visit, tree) if tree else None)
    else:
        known.part(
            lambda now: now,
            lambda now: _held(visit, frame, now),
            differs_by=lambda now: now.held,
        )
        notes(visit, frame, known.value)
        known.part(lambda now: now, newest, differs_by=lambda now: now.shown.rounds[-1:])


def _held(visit: Visit, frame: Frame, now: Playing) -> None:
    if now.held is not None:
        HeldPlan(visit, frame, now, now.held)


def _memory(calls: Sequence[ShownEnvelope], cast: Sequence[CastMember]) -> None:
    recalled = best_recalled(calls)
    if not recalled:
        text("p", "No character recalled anything in the newest round.", classes="empty")
    for who, memory in recalled:
        with box("article", classes="card"):
            text("h3", f"{name_of(who, cast)} recalls round {memory.round}")
            text("p", memory.text)
            text("p", f"fits what was said by {memory.score:.2f} of 1", classes="soft")


def best_recalled(calls: Sequence[ShownEnvelope]) -> list[tuple[str, Recalled]]:
    """List who recalled what; what stood in several prompts of the round once, with its best score."""
    found: dict[tuple[str, int, str], Recalled] = {}
    for call in calls:
        for each in call.envelope.memories if call.envelope else ():
            key = (each.character or call.who, each.round, each.text)
            if key not in found or each.score > found[key].score:
                found[key] = each
    return [(who, each) for (who, _, _), each in found.items()]


def _budget(calls: Sequence[ShownEnvelope], cast: Sequence[CastMember]) -> None:
    if not calls:
        text("p", "No prompt was made yet.", classes="empty")
    for number, call in enumerate(calls):
        with box("details", classes="variable") as folded:
            if not number:
                attribute(folded, "open", True)
            text("summary", f"{name_of(call.who, cast)}, {call.step}")
            if call.envelope is None:
                text("p", call.missing, classes="needs")
                continue
            budget = call.envelope.budget
            facts(
                {
                    "Room in all": f"{budget.context:,} tokens",
                    "Kept for the answer": f"{budget.answer:,} tokens",
                    "Parts that are never cut": f"{budget.fixed:,} tokens",
                    "Left over": f"{budget.left:,} tokens",
                    "How they are counted": budget.counter,
                }
            )
            picture(tokens_of(call))


def _log(visit: Visit, frame: Frame, scene: str, rounds: Sequence[NumberedRound]) -> None:
    if not rounds:
        text("p", "No round was played yet.", classes="empty")
    with box("ol", classes="timeline"):
        for each in reversed(rounds):
            with box("li"):
                moment(each.started_at, visit.services.now())
                with box():
                    text("p", f"{each.name.words.capitalize()}, {each.kind}", classes="what")
                    state(shown_outcome(each.status, each.code))
                    spoken = sum(bool(turn.message) for turn in each.turns)
                    text(
                        "p",
                        f"{spoken} spoke, {money(each.cost_micros, each.unknown_prices)} {each.reason}",
                        classes="soft",
                    )
                    if each.status == "undone":
                        again = brought_back(visit, scene, each)
                        action(frame, f"Bring {each.name.words} back", again, icon="redo")


def branch_map(visit: Visit, tree: Branch) -> None:
    """The tree from its first scene on; scenes that the principal may not see have no words here."""
    with box("ul", classes="branches"):
        _branch(visit, tree)


def _branch(visit: Visit, each: Branch) -> None:
    with box("li"):
        if sees(visit.principal, f"scene/{each.scene}"):
            place = link(each.title, addresses.page("scenes", each.scene, tab="branches"))
            if each.here:
                attribute(place, "aria-current", "true")
            leaves = f"leaves after round {each.after}, " if each.after else ""
            text("p", f"{leaves}{counted(each.rounds, 'round')}", classes="soft")
            text("p", each.first_words or "Nothing of its own was said yet.")
        else:
            text("p", "A scene of others", classes="soft")
        if each.below:
            with box("ul"):
                for below in each.below:
                    _branch(visit, below)


def pictures(visit: Visit, frame: Frame, playing: Playing) -> None:
    """The newest first."""
    kept = playing.scene.pictures
    if not kept:
        text("p", "No picture was painted yet.", classes="empty")
    for number, each in reversed(list(enumerate(kept, 1))):
        with box("figure", classes="card"):
            shown = box("img")
            attribute(shown, "src", addresses.picture(playing.scene.id, number, each.image.sha256))
            attribute(shown, "alt", each.caption or each.prompt)
            attribute(shown, "loading", "lazy")
            text("figcaption", each.caption or each.prompt)
            text("p", f"by {each.model}", classes="soft")
            gone = action(frame, "Remove", _removed(visit, playing.scene.id, number, each), icon="delete")
            attribute(gone, "aria-label", f"Remove picture {number}")


def _removed(visit: Visit, scene: str, number: int, picture: Picture) -> Act:
    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        await visit.ask(picturing.remove, scene, number, seen=picture)
        return f"picture {number} is taken away"

    return act


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
