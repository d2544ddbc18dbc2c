"""Words that a person typed into drafts today."""

from dataclasses import dataclass
from datetime import date, datetime, time

from gateway.desk.drafts.newest_texts import NewestTexts
from gateway.desk.services import CommandStore
from penwright.domain.text.merging.typed import words_typed
from schemas.drafts import Draft


@dataclass(frozen=True, slots=True)
class TypedToday:
    """Words of one person that stand, in texts that are not saved, too."""

    day: date
    """In UTC, as all times of the workspace."""
    text: int
    """In one text."""
    work: int
    """In all texts of its work."""


def words_today(store: CommandStore, texts: NewestTexts, draft: Draft, who: str, now: datetime) -> TypedToday:
    """The words that ``who`` typed into a draft, and into all of its work, since midnight (UTC)."""
    midnight = datetime.combine(now.date(), time(), now.tzinfo)
    words = {
        each.draft_id: _words(store, texts, each, who, midnight)
        for each in store.drafts.of(draft.work)
        if each.changed_at >= midnight
    }
    return TypedToday(now.date(), words.get(draft.draft_id, 0), sum(words.values()))


def _words(store: CommandStore, texts: NewestTexts, draft: Draft, who: str, midnight: datetime) -> int:
    changes = store.drafts.changes_from(draft.draft_id, midnight)
    return words_typed(
        texts.newest(store, draft), (each for each in changes if each.version < draft.version), who
    )
