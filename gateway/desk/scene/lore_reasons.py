"""Why an entry of a lorebook is in a prompt or not, as the round recorded it."""

from dataclasses import dataclass

from gateway.desk.scene import looking
from gateway.desk.services import Services
from schemas.envelope import Envelope
from schemas.lore import LoreVerdict


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

    Args:
        who: ``director``, or a character's id or name.
        number: the round; 0: the newest.
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: as ``looking.envelopes``.
    """
    return tuple(
        LoreReasons(
            each.scene,
            each.round,
            each.step,
            each.who,
            _meant(each.envelope, entry),
            each.missing,
        )
        for each in looking.envelopes(services, named, who, number)
    )


def _meant(envelope: Envelope | None, entry: str) -> tuple[LoreVerdict, ...]:
    verdicts, wanted = envelope.lore_verdicts if envelope else (), entry.casefold()
    return tuple(each for each in verdicts if wanted in f"{each.uid}\n{each.title}".casefold())
