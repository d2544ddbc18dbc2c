"""Authors of a book: of each paragraph, and the sums for a publisher's declaration."""

from dataclasses import dataclass

from gateway.desk.services import Services
from gateway.desk.trace.traces import main_texts, opened, waiting_words
from gateway.desk.works.kinds import Work
from penwright.domain.trace.reports.blame import Blame, blame
from penwright.domain.trace.reports.disclosure import Disclosure, disclose


@dataclass(frozen=True, slots=True)
class Origins:
    """The origin of a work's texts."""

    disclosure: Disclosure
    blames: tuple[Blame, ...]
    """Of each main text."""


def origins(services: Services, work: Work) -> Origins:
    """The origin of each paragraph of the work's main texts, as the ledger has it."""
    with opened(services, work.workspace.path) as (source, _):
        paths = tuple(path for path in main_texts(source) if path in source.files())
        return Origins(
            disclose(source, *paths, waiting=waiting_words(source)),
            tuple(blame(source, path) for path in paths),
        )
