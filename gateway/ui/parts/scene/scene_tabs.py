"""Tabs behind a scene."""

from collections.abc import Sequence

from gateway.desk.pictures import tokens_of
from gateway.desk.scene.views import ShownEnvelope
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame
from gateway.ui.live import Live
from gateway.ui.parts.acting import action
from gateway.ui.parts.plots.charts import picture
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.scene import direction, lore
from gateway.ui.parts.scene.branch_map import branch_map
from gateway.ui.parts.scene.held_plan import HeldPlan
from gateway.ui.parts.scene.pictures import pictures
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.scene.round_bar import brought_back
from gateway.ui.parts.scene.table.operator import Seats, seen
from gateway.ui.visit import Visit
from penwright.domain.control import shown_outcome
from penwright.domain.scene.resolving import name_of
from schemas.director import CastMember
from schemas.envelope import Recalled
from schemas.scene import NumberedRound

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
        direction.notes(visit, frame, known.value)
        known.part(lambda now: now, direction.newest, differs_by=lambda now: now.shown.rounds[-1:])


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
