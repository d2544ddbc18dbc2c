"""What happens behind a scene: direction, lore, memory, budget, log."""

from collections.abc import Sequence

from gateway.desk.pictures import tokens_of
from gateway.desk.scene import looking, lore_reasons
from gateway.desk.scene.looking import Shown, ShownEnvelope
from gateway.ui.parts.charts import picture
from gateway.ui.parts.figures import facts
from gateway.ui.parts.html import box, text
from gateway.ui.parts.moments import moment
from gateway.ui.parts.money import money
from gateway.ui.parts.states import state
from gateway.ui.parts.tables import Column, table
from gateway.ui.visit import Visit
from penwright.errors import NotFound
from schemas.lore import LoreVerdict
from schemas.scene import Round

TABS = {"": "Direction", "lore": "Lore", "memory": "Memory", "budget": "Budget", "log": "Log"}


async def backstage(visit: Visit, scene: str, shown: Shown, tab: str) -> None:
    """One tab; a tab that is none of ours shows the direction."""
    if not shown.rounds:
        text("p", "No round was played yet.", classes="empty")
    elif tab == "lore":
        await _lore(visit, scene)
    elif tab == "memory":
        _memory(await _envelopes(visit, scene))
    elif tab == "budget":
        _budget(await _envelopes(visit, scene))
    elif tab == "log":
        _log(visit, shown.rounds)
    else:
        _direction(shown.rounds[-1])


async def _envelopes(visit: Visit, scene: str) -> Sequence[ShownEnvelope]:
    try:
        return await visit.ask(looking.envelopes, scene)
    except NotFound:
        return ()


def _direction(newest: Round) -> None:
    text("h3", f"Round {newest.number}")
    for each in newest.passes:
        with box("article", classes="card"):
            text("h3", f"Pass {each.number}, {each.outcome}")
            with box("ol"):
                for turn in each.applied.turns:
                    text("li", f"{turn.character}: {turn.guidance or 'without guidance'}")
            if not each.applied.turns:
                text("p", "No character is to act.", classes="soft")
            if each.reason:
                text("p", each.reason, classes="needs")
    for spoken in newest.turns:
        why = f": {spoken.reason}" if spoken.reason else ""
        text("p", f"{spoken.character}, pass {spoken.pass_number}: {spoken.outcome}{why}")


async def _lore(visit: Visit, scene: str) -> None:
    try:
        found = await visit.ask(lore_reasons.reasons, scene)
    except NotFound as nothing:
        text("p", nothing.message, classes="empty")
        return
    columns: tuple[Column[LoreVerdict], ...] = (
        Column("Entry", lambda each: each.title or each.uid),
        Column("Outcome", lambda each: each.outcome),
        Column("Why", lambda each: each.why),
        Column("Tokens", lambda each: f"{each.tokens:,}", number=True),
    )
    for call in found[:1]:
        text("h3", f"Round {call.round}, {call.step}")
        table(columns, call.verdicts, caption="Lore entries and what became of them")


def _memory(calls: Sequence[ShownEnvelope]) -> None:
    any_ = False
    for call in calls:
        for memory in call.envelope.memories if call.envelope else ():
            any_ = True
            with box("article", classes="card"):
                text("h3", f"{call.who} recalls round {memory.round}")
                text("p", memory.text)
    if not any_:
        text("p", "No character recalled anything in the newest round.", classes="empty")


def _budget(calls: Sequence[ShownEnvelope]) -> None:
    for call in calls[:1]:
        if call.envelope is None:
            text("p", call.missing, classes="empty")
            continue
        budget = call.envelope.budget
        facts({"Context": f"{budget.context:,}", "Answer": f"{budget.answer:,}", "Left": f"{budget.left:,}"})
        picture(tokens_of(call))


def _log(visit: Visit, rounds: Sequence[Round]) -> None:
    with box("ol", classes="timeline"):
        for each in reversed(rounds):
            with box("li"):
                moment(each.started_at, visit.services.now())
                with box():
                    text("p", f"Round {each.number}, {each.kind}", classes="what")
                    state(each.status)
                    text("p", f"{money(each.cost_micros)} {each.reason}", classes="soft")
