"""Verdicts on lore entries for prompts of a scene, and on what a text would make fire."""

from dataclasses import dataclass

from gateway.desk.lore_reasons import EntryReasons, explained, untitled
from gateway.desk.scene import finding, views
from gateway.desk.scene.numbers import numbering
from gateway.desk.scene.views import ShownEnvelope, located
from gateway.desk.services import CommandStore, Services
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.lore.readers import names_of
from penwright.domain.lore.recorded import verdicts_of
from penwright.domain.lore.scanning import scan
from schemas.lore import LoreCase
from schemas.worlds import Character


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreReasons(EntryReasons):
    """The verdicts for one call of a round."""

    scene: str
    round: int
    step: str
    who: str
    pending: tuple[str, ...] = ()
    """Things that the prompt lacked, because it was still being made."""


def reasons(
    services: Services,
    named: str,
    *,
    who: str = "",
    number: int = 0,
    take: int = 0,
    entry: str = "",
) -> tuple[LoreReasons, ...]:
    """The verdicts of a round, for each call of ``who``, as they were recorded with its prompt.

    Args:
        who: ``director``, or a character's id or name; empty: the director, or where none was asked the first
            who acted.
        number: the round; 0: the newest.
        take: 0: the one that is played.
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: as ``looking.envelopes``.
    """
    calls = views.envelopes(services, named, who, number, take)
    if not who:
        calls = tuple(each for each in calls if each.who == views.DIRECTOR) or calls[:1]
    with services.open_store() as store:
        return tuple(_of_call(store, each, entry) for each in calls)


def _of_call(store: CommandStore, call: ShownEnvelope, entry: str) -> LoreReasons:
    shown = call.envelope
    if shown is None:
        return LoreReasons(
            scene=call.scene, round=call.round, step=call.step, who=call.who, missing=call.missing
        )
    acting = store.worlds.read(Character, call.who)
    who, names = (acting.id, names_of(acting, store.worlds.read)) if acting else ("", ())
    return explained(
        LoreReasons,
        store.worlds,
        verdicts_of(shown),
        shown.lore_books,
        reader=who,
        names=names,
        entry=entry,
        missing=call.missing,
        counter=shown.budget.counter,
        scene=call.scene,
        round=call.round,
        step=call.step,
        who=call.who,
        pending=shown.pending,
    )


def tried(services: Services, named: str, text: str) -> LoreReasons:
    """Try the lorebook entries that ``text`` would touch if it were said; raises as ``finding.scene``.

    Entries of which no key occurs are not named.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        above = located(store, scene)
        newest = store.scenes.messages(scene.id, newest=1)
        next_round = numbering(store, scene.id).newest + 1
        case = LoreCase(
            books=store.worlds.active_books(scene.id),
            messages=(text,),
            message_number=newest[-1].number if newest else 0,
            seed=f"{scene.id}/{scene.rounds + 1}",
            timers=store.scenes.state(scene.id).timers,
            scan_messages=scene.settings.lore_scan_messages,
            tokens=scene.settings.lore_tokens,
            user=above.persona.name if above.persona else "",
        )
    counter = EstimatedTokens()
    found = scan(case, lambda content: counter.count("", [content])[0])
    return LoreReasons(
        scene=scene.id,
        round=next_round,
        step="trial",
        who="",
        verdicts=found.verdicts,
        books={each.id: each.name for each in case.books},
        untitled=dict(untitled(case.books)),
    )
