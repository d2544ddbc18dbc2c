"""Lore of a novel that the agents of a run were told."""

from gateway.desk.lore_reasons import WorkReasons, newest_reasons
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.errors import NotFound


def reasons(services: Services, document: Document, entry: str = "") -> tuple[WorkReasons, ...]:
    """The verdicts for each prompt of the newest run that was told any lore.

    Args:
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: ``no-lore-told``.
    """
    with services.open_store() as store:
        found = newest_reasons(store, document.name, MANUSCRIPT_PROFILE.name, entry)
    if not found:
        hint = "`penwright lore list` shows the lorebooks; attach one to the novel"
        raise NotFound("no-lore-told", f"no run of {document.name!r} was told any lore", hint=hint)
    return found
