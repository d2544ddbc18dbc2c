"""Why an entry of a lorebook is in a prompt or not, as the round recorded it."""

from dataclasses import dataclass

from gateway.desk.scene import looking
from gateway.desk.services import Services
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
            tuple(one for one in each.envelope.lore_verdicts if _is_meant(one, entry))
            if each.envelope
            else (),
            each.missing,
        )
        for each in looking.envelopes(services, named, who, number)
    )


def _is_meant(verdict: LoreVerdict, entry: str) -> bool:
    return entry.casefold() in f"{verdict.uid}\n{verdict.title}\n{verdict.book}".casefold()
