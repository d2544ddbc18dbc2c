"""A citation scan at work: a real novel, a scripted model, registries that hold given works."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.citation_scan import CitationActivities
from activities.citations.approvals import CitationApprovalActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.briefing import CitationBriefing
from activities.citations.comparing import ComparingActivities
from activities.citations.endings import CitationEndingActivities
from activities.citations.scholarly import ScholarlyActivities
from activities.holding import HoldingActivities
from activities.notifying import NoOutbox
from activities.queue_time import QueueTimeActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_scholarly import MemoryScholarly
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.scholarly import bibliography
from schemas.agent_state import AgentState, StateKey
from schemas.citation_scan import (
    CitationScanInput,
    CitationScanResult,
    ProposalList,
    ScanReview,
)
from schemas.citations import CitationDecision, CitationProposal
from schemas.scholarly import Author, ScholarlyRecord
from tests.support.agents.scripted_model import calls_made, write_script
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.library import own_sources
from tests.support.manuscripts.novel_repo import NovelRepo
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.citation_scan import CitationScan
from workflows.options import TASK_TIMEOUT

TIDES = ScholarlyRecord(
    source="crossref",
    doi="10.5555/tides.7",
    title="Tides of the northern coast",
    authors=(Author(family="Lee", given="Ann"), Author(family="Marsh", given="Jon")),
    year=2020,
    container="Journal of Shores",
    volume="4",
    pages="11-19",
    kind="article",
    abstract="The water rises twice a day and higher in spring.",
)
HARBOURS = ScholarlyRecord(
    source="crossref",
    doi="10.5555/harbours.2",
    title="Harbours and their silt",
    authors=(Author(family="Okoro", given="Ben"),),
    year=2018,
    container="Silt Letters",
    kind="article",
    abstract="Harbours fill with silt within forty years.",
)
TEXT = (
    "# Shores\n\nThe water rises twice a day. Harbours fill with silt. We say so.\n\n"
    "## Later\n\nThe water rises higher in spring.\n"
)
RISES, FILL, SPRING = 2, 3, 6
"""Numbers of sentences in ``TEXT``."""


def naming(*numbers: int, kind: str = "insert") -> str:
    """The orchestrator's answer."""
    targets = [
        {
            "sentence_citation_target": number,
            "kind": kind,
            "reason_citation_target": "a finding",
            "section_title_citation_target": "Shores",
            "evidence_type_citation_target": "study",
        }
        for number in numbers
    ]
    return json.dumps({"citation_targets": targets})


def searching(text: str, *identifiers: tuple[str, str]) -> str:
    """The generator's first answer."""
    named = [{"kind": kind, "value": value} for kind, value in identifiers]
    return json.dumps({"queries": [{"text": text}], "identifiers": named, "notes": ""})


def picking(*numbers: int) -> str:
    """Its second one."""
    return json.dumps({"chosen": list(numbers), "reason": "It says so.", "notes": ""})


def script(**texts: str) -> list[ScriptedAnswer]:
    """Answers by what they are for: ``name_0``, ``search_1``, ``pick_1``."""
    return [ScriptedAnswer(op=f"*/{_place(name)}*", text=text) for name, text in texts.items()]


def _place(name: str) -> str:
    what, _, number = name.partition("_")
    return f"name-{number}" if what == "name" else f"{number}/{what}"


USUAL = script(
    name_0=naming(RISES, FILL),
    name_1=naming(),
    search_1=searching("tides northern coast"),
    pick_1=picking(1),
    search_2=searching("harbours silt"),
    pick_2=picking(1),
)


@dataclass
class ScanDesk:
    """One worker for one novel, with everything around it at hand."""

    client: Client
    queue: str
    novel: NovelRepo
    sources: MemoryScholarly
    script: Path
    novel_id: str

    # Any: fields of the input.
    def given(self, session: str = "s1", **changes: Any) -> CitationScanInput:
        fields: dict[str, Any] = {
            "novel": self.novel_id,
            "session": session,
            "workspace": self.novel.workspace,
            "repo_queue": self.queue,
            "model_queue": self.queue,
            "waits": False,
            "accepts_abstracts": True,  # its works have no other text
        }
        return CitationScanInput(**{**fields, **changes})

    @property
    def scan_id(self) -> str:
        return f"citations/{self.novel_id}/-"

    async def start(
        self, session: str = "s1", **changes: Any
    ) -> WorkflowHandle[CitationScan, CitationScanResult]:
        return await self.client.start_workflow(
            CitationScan.run,
            self.given(session, **changes),
            id=self.scan_id,
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def run(self, session: str = "s1", **changes: Any) -> CitationScanResult:
        return await (await self.start(session, **changes)).result()

    async def until_waiting(self, handle: WorkflowHandle[CitationScan, CitationScanResult]) -> ScanReview:
        """Until people have something to decide."""
        async with asyncio.timeout(60):
            while (await handle.query(CitationScan.progress)).stage != "deciding":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        return await handle.query(CitationScan.review)

    async def until_asked(self, what: str) -> None:
        """Until the model was asked for it, such as ``1/search``."""
        async with asyncio.timeout(60):
            while what not in self.asked:  # noqa: ASYNC110  # the script file is polled
                await asyncio.sleep(0.05)

    async def pause(self, seconds: float = 0.05) -> None:
        """Let the others work for a moment."""
        await asyncio.sleep(seconds)

    async def decide(
        self, handle: WorkflowHandle[CitationScan, CitationScanResult], verb: str, *numbers: int, **more: Any
    ) -> None:
        decision = CitationDecision(verb=verb, who="ann", numbers=numbers, **more)
        await handle.execute_update(CitationScan.decide, decision)

    @property
    def row(self) -> AgentState:
        """What ``agent_state`` has of the document."""
        state = self.novel.store.agent_states.read(StateKey(novel=self.novel_id))
        assert state is not None
        return state

    @property
    def asked(self) -> list[str]:
        """What the model was asked for, such as ``1/search``."""
        return ["/".join(op_id.split("/")[4:6]).split("#")[0] for op_id in calls_made(self.script)]


def proposals_of(desk: ScanDesk, review: ScanReview) -> Sequence[CitationProposal]:
    """The proposals of a review."""
    assert review.proposals is not None
    return ProposalList.model_validate_json(desk.novel.store.blobs.get(review.proposals)).proposals


@asynccontextmanager
async def scan_desk(
    client: Client,
    folder: Path,
    *,
    text: str = TEXT,
    records: Sequence[ScholarlyRecord] = (TIDES, HARBOURS),
    answers: Sequence[ScriptedAnswer] = USUAL,
    fakes: Mapping[str, Callable[..., Any]] | None = None,
    novel: str = "",
    workflows: Sequence[type] = WORKFLOWS,
) -> AsyncIterator[ScanDesk]:
    """A worker for a novel with this manuscript.

    Args:
        novel: its id; empty: one of its own.
        fakes: activities that take the place of the real ones, by name.
    """
    repo = NovelRepo(folder / "novel", {"-": text})
    sources = MemoryScholarly(records)
    catalog = write_script(folder / "script.json", *answers, otherwise="fail")
    queue = uuid4().hex
    desk = ScanDesk(client, queue, repo, sources, folder / "script.json", novel or queue)
    with ThreadPoolExecutor(4) as executor:
        async with Worker(
            client,
            task_queue=desk.queue,
            workflows=workflows,
            activities=_activities(desk, ModelRouter(catalog, ledger=repo.store.ledger), fakes or {}),
            activity_executor=executor,
        ):
            yield desk


def _activities(
    desk: ScanDesk, model: ModelRouter, fakes: Mapping[str, Callable[..., Any]]
) -> list[Callable[..., Any]]:
    store = desk.novel.store
    library = own_sources(desk.novel.git, store.passages)
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    real = [
        *activity_methods(AgentRunActivities(MemoryOverrideFiles(), conversation, transcripts, _Silent())),
        *activity_methods(AgentTurnActivities(model, conversation, transcripts)),
        *activity_methods(desk.novel.ask),
        *activity_methods(BibliographyActivities(desk.novel.git, store.blobs, library)),
        *activity_methods(ComparingActivities(desk.novel.git, library, store.blobs)),
        *activity_methods(ScholarlyActivities(desk.sources, store.blobs, bibliography)),
        *activity_methods(CitationActivities(store.blobs, store.agent_states)),
        *activity_methods(CitationBriefing(store.blobs)),
        *activity_methods(CitationApprovalActivities(store.records, NoOutbox())),
        *activity_methods(CitationEndingActivities(store.records, NoOutbox())),
        *activity_methods(HoldingActivities()),
        *activity_methods(QueueTimeActivities(SystemClock())),
    ]
    return [fakes.get(each.__name__, each) for each in real]


class _Silent:
    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, Any]) -> tuple[str, ...]:
        return ()
