"""Why an entry of a lorebook is in a prompt or not: as the round recorded it, the rest by the rules."""

from dataclasses import dataclass

from gateway.desk.scene import finding, looking
from gateway.desk.scene.looking import ShownEnvelope
from gateway.desk.services import CommandStore, Services
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.lore.explaining import explain
from penwright.domain.lore.index import LoreIndexes
from schemas.envelope import Envelope
from schemas.lore import LoreCase, LoreVerdict
from schemas.scene import Round
from schemas.worlds import Scene


@dataclass(frozen=True, slots=True)
class LoreReasons:
    """The verdict on every entry for one call."""

    scene: str
    round: int
    step: str
    who: str
    verdicts: tuple[LoreVerdict, ...]
    missing: str = ""
    """Why nothing is known."""


def reasons(
    services: Services, named: str, *, who: str = looking.DIRECTOR, number: int = 0, entry: str = ""
) -> tuple[LoreReasons, ...]:
    """The verdicts of a round, for each call of ``who``.

    A round records the entries that it looked at. Entries of which no key occurred are judged now, on the
    same messages, by the books as they are.

    Args:
        who: ``director``, or a character's id or name.
        number: the round; 0: the newest.
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: as ``looking.envelopes``.
    """
    calls = looking.envelopes(services, named, who, number)
    with services.open_store() as store:
        scene = finding.scene(store, calls[0].scene)
        played = looking.round_of(store, scene, calls[0].round)
        judging = _Judging(store, scene, played)
        return tuple(
            LoreReasons(
                each.scene, each.round, each.step, each.who, judging.verdicts(each, entry), each.missing
            )
            for each in calls
        )


class _Judging:
    """Verdicts on the calls of one round."""

    def __init__(self, store: CommandStore, scene: Scene, played: Round) -> None:
        self._store = store
        self._scene = scene
        self._played = played
        self._books = store.worlds.active_books(scene.id)
        self._indexes = LoreIndexes()

    def verdicts(self, call: ShownEnvelope, entry: str) -> tuple[LoreVerdict, ...]:
        """What was recorded first, then the rest; only what ``entry`` means."""
        if call.envelope is None:
            return ()
        recorded = call.envelope.lore_verdicts
        known = {(each.book, each.uid) for each in recorded}
        rest = (each for each in self._judged(call, call.envelope) if (each.book, each.uid) not in known)
        wanted = entry.casefold()
        every = (*recorded, *rest)
        return tuple(each for each in every if wanted in f"{each.uid}\n{each.title}".casefold())

    def _judged(self, call: ShownEnvelope, shown: Envelope) -> tuple[LoreVerdict, ...]:
        settings, notes = self._scene.settings, self._scene.notes
        newest = max((_number(line.id) for line in (*shown.last_round, *shown.this_round)), default=0)
        messages = self._store.scenes.messages(
            self._scene.id, newest=settings.history_messages, before=newest + 1
        )
        case = LoreCase(
            books=self._books,
            messages=tuple(f"{each.name}: {each.text}" for each in messages),
            more=(notes.scenario, notes.location, shown.director_guidance),
            message_number=newest,
            seed=f"{self._scene.id}/{self._played.number}",
            timers=self._played.before.timers,
            scan_messages=settings.lore_scan_messages,
            tokens=settings.lore_tokens,
            for_character="" if call.who == looking.DIRECTOR else call.who,
        )
        counter = EstimatedTokens()
        return explain(case, lambda text: counter.count("", [text])[0], indexes=self._indexes)


def _number(message: str) -> int:
    """The number in a message's id."""
    return int(message.rpartition("/")[2])
