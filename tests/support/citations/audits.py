"""Two hundred references of five sorts, the works that a stub registry has of them, and an audit at work."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.citations.auditing import CitationAuditActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.scholarly import ScholarlyActivities
from penwright.adapters.scholarly import bibliography
from penwright.adapters.scholarly.recorded import RecordedNotice, RecordedWork
from penwright.ports.scholarly import ScholarlySources
from schemas.citation_audit import (
    AuditReport,
    CitationAuditInput,
    CitationAuditResult,
    CitedText,
    EntryState,
)
from schemas.notices import Notice
from schemas.scholarly import Author
from tests.support.library import own_sources
from tests.support.manuscripts.novel_repo import NovelRepo
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.citation_audit import CitationAudit
from workflows.options import TASK_TIMEOUT, scholarly_queue

CITED = (
    "# Shores\n\nIt rises. [[@article{lee2020tides, author = {Lee, Ann and Marsh, Jon}, "
    "title = {Tides of the northern coast}, journal = {Journal of Shores}, year = {2020}, "
    "doi = {10.5555/tides.7}}]] It falls [@nobody1999].\n"
)
"""A text with one right citation, and a key that nothing explains."""
SIZES: Mapping[EntryState, int] = {
    "found": 105,
    "differs": 40,
    "not_found": 20,
    "retracted": 15,
    "unreachable": 20,
}
SILENT = "quagmire"
"""The word in everything that the stub registry does not answer."""
_FIRST = ("amber", "brittle", "candid", "dormant", "eager", "frozen", "gilded", "hollow", "inland", "jagged")
_SECOND = ("anchors", "bridges", "canals", "deltas", "estuaries", "ferries", "glaciers", "harbours", "inlets")
_THIRD = (
    "arithmetic",
    "botany",
    "cartography",
    "diplomacy",
    "economics",
    "folklore",
    "geometry",
    "hydrology",
)
_SOURCES = ("crossref", "openalex")


@dataclass(frozen=True)
class Stock:
    """References of every sort, and the registry's works."""

    works: tuple[RecordedWork, ...]
    bibtex: str
    states: Mapping[str, EntryState]
    """The right class of each key."""


def stock() -> Stock:
    """Return 200 references of the sorts of ``SIZES``; those that differ have another's title."""
    works, entries, states = list[RecordedWork](), list[str](), dict[str, EntryState]()
    number = 0
    for state, size in SIZES.items():
        made = [_work(number + each, state) for each in range(size)]
        number += size
        works += [] if state == "not_found" else made
        titles = [each.title for each in (*made[1:], made[0])] if state == "differs" else []
        for at, work in enumerate(made):
            key = f"{state.replace('_', '')}{at}"
            states[key] = state
            entries.append(_entry(key, work, titles[at] if titles else work.title, by_title=at % 5 == 4))
    return Stock(tuple(works), "\n".join(entries), states)


def _work(number: int, state: EntryState) -> RecordedWork:
    """One whose title shares few words with any other."""
    one, rest = number % len(_FIRST), number // len(_FIRST)
    two, three = (number + rest) % len(_SECOND), (number + 3 * rest) % len(_THIRD)
    name = SILENT if state == "unreachable" else "papers"
    if state == "not_found":
        name = "invented"
        title = (
            f"What {_THIRD[three]} owes to {_roman(number)}, {_roman(number + 7)} and {_roman(number + 400)}"
        )
    else:
        title = f"{_FIRST[one]} {_SECOND[two]} and the {_THIRD[three]} of parish {_roman(number)} {name}"
    retracted = RecordedNotice(kind="retraction", doi=f"10.5555/notice.{number}")
    return RecordedWork(
        sources=_SOURCES,
        doi=f"10.5555/{name}.{number}",
        title=title[:1].upper() + title[1:],
        authors=(Author(family=f"{_FIRST[one].title()}{_THIRD[three]}", given="Ann"),),
        year=1990 + number % 30,
        container="Journal of Shores",
        volume=str(number + 1),
        kind="article",
        notice=retracted if state == "retracted" else None,
    )


def _roman(number: int) -> str:
    """A word of its own for each number."""
    return "".join("bcdfghjklm"[int(digit)] + "aeiouaeiou"[int(digit)] for digit in f"{number:03d}")


def _entry(key: str, work: RecordedWork, title: str, *, by_title: bool) -> str:
    """BibTeX; by title alone for some, but not where the DOI shows what is wrong."""
    author = f"{work.authors[0].family}, {work.authors[0].given}"
    doi = "" if by_title and title == work.title else f", doi = {{{work.doi}}}"
    return (
        f"@article{{{key},\n  author = {{{author}}},\n  title = {{{title}}},\n"
        f"  journal = {{{work.container}}},\n  year = {{{work.year}}}, volume = {{{work.volume}}}{doi}\n}}\n"
    )


@dataclass
class Posted:
    """An outbox that keeps what it takes."""

    notices: list[Notice] = field(default_factory=list)

    async def post(self, notice: Notice) -> None:
        self.notices.append(notice)


@dataclass
class AuditDesk:
    """One worker for audits; no model is anywhere near."""

    client: Client
    novel: NovelRepo
    queue: str
    posted: Posted

    # Any: fields of the input.
    def of_document(self, **changes: Any) -> CitationAuditInput:
        """The order for the novel's manuscript."""
        fields: dict[str, Any] = {"workspace": self.novel.workspace, "scene": "-", **changes}
        return CitationAuditInput(subject=f"{self.queue}/-", **fields)

    def of_file(self, bibtex: str) -> CitationAuditInput:
        """The order for a file of references."""
        text = CitedText(name="refs.bib", form="bibtex", text=self.novel.store.blobs.put(bibtex.encode()))
        return CitationAuditInput(subject="refs.bib", session="s1", texts=(text,))

    async def start(self, given: CitationAuditInput) -> WorkflowHandle[CitationAudit, CitationAuditResult]:
        return await self.client.start_workflow(
            CitationAudit.run,
            given,
            id=f"audit/{self.queue}",
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def run(self, given: CitationAuditInput) -> CitationAuditResult:
        return await (await self.start(given)).result()

    def report(self, ended: CitationAuditResult) -> AuditReport:
        assert ended.report is not None
        return AuditReport.model_validate_json(self.novel.store.blobs.get(ended.report))


@asynccontextmanager
async def audit_desk(
    client: Client,
    folder: Path,
    sources: ScholarlySources,
    *,
    text: str = "# Shores\n",
    name: str = "",
    workflows: Sequence[type] = WORKFLOWS,
) -> AsyncIterator[AuditDesk]:
    """A worker for a novel with this manuscript, and these registries.

    Args:
        name: the novel's id, and the queue; empty: one of its own.
    """
    repo = NovelRepo(folder / "novel", {"-": text})
    store, posted, queue = repo.store, Posted(), name or uuid4().hex
    activities = [
        *activity_methods(
            BibliographyActivities(repo.git, store.blobs, own_sources(repo.git, store.passages))
        ),
        *activity_methods(ScholarlyActivities(sources, store.blobs, bibliography)),
        *activity_methods(CitationAuditActivities(store.blobs, store.records, posted)),
    ]
    with ThreadPoolExecutor(4) as executor:
        workers = [
            Worker(
                client, task_queue=each, workflows=kinds, activities=activities, activity_executor=executor
            )
            for each, kinds in ((queue, workflows), (scholarly_queue(queue), ()))
        ]
        async with workers[0], workers[1]:
            yield AuditDesk(client, repo, queue, posted)


async def until_it_waits(handle: WorkflowHandle[CitationAudit, CitationAuditResult]) -> str:
    """Progress of an audit that waits for registries."""
    async with asyncio.timeout(60):
        while (shown := await handle.query(CitationAudit.progress)).stage != "registries":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return shown.detail
