"""Lore of a novel that the agents of a run were told."""

from gateway.desk.lore_reasons import WorkReasons, reasons_of, told_in
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.errors import NotFound

_RUNS = 50
"""Newest runs that are looked through."""


def reasons(services: Services, document: Document, entry: str = "") -> tuple[WorkReasons, ...]:
    """The verdicts for each prompt of the newest run that was told any lore.

    Args:
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: ``no-lore-told``.
    """
    with services.open_store() as store:
        runs = store.records.runs(subject=document.name, pipeline=MANUSCRIPT_PROFILE.name, limit=_RUNS)
        for run in runs:
            if events := told_in(store, run):
                return tuple(reasons_of(store, each, entry) for each in events)
    raise NotFound(
        "no-lore-told",
        f"no run of {document.name!r} was told any lore",
        hint="`penwright lore list` shows the lorebooks; attach one to the novel",
    )
