"""Composition root: build adapters from settings, and activities from adapters."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from socket import gethostname
from threading import Lock
from typing import Any

from activities import permit_waits
from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.eval_archive import EvalArchive
from activities.agents.progress import AgentProgress
from activities.agents.tools import AgentToolActivities
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.approvals import ApprovalActivities
from activities.book_session import BookActivities
from activities.books.writing import WritingActivities
from activities.citation_scan import CitationActivities
from activities.citations.approvals import CitationApprovalActivities
from activities.citations.auditing import CitationAuditActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.briefing import CitationBriefing
from activities.citations.comparing import ComparingActivities
from activities.citations.endings import CitationEndingActivities
from activities.citations.scholarly import ScholarlyActivities
from activities.continuity import ContinuityActivities
from activities.endings import EndingActivities
from activities.eval_run import EvalRunActivities
from activities.holding import HoldingActivities
from activities.housekeeping import HousekeepingActivities
from activities.log_writing import LogWriter
from activities.manuscript import ManuscriptActivities
from activities.manuscripts.evidence import EvidenceActivities, LibraryActivities
from activities.manuscripts.text import ManuscriptTextActivities
from activities.model_trial import ModelTrialActivities
from activities.notifying import NoOutbox, NoticeRecords, SendingActivities, TemporalOutbox
from activities.packing import PackingActivities
from activities.planning import PlanningActivities
from activities.queue_time import QueueTimeActivities
from activities.work_lore import WorkLore
from penwright.adapters.clock import SystemClock
from penwright.adapters.notifier import ChannelNotifier, Channels
from penwright.adapters.overrides import JsonOverrideFiles
from penwright.adapters.scaffold.book_mark import is_registered
from penwright.adapters.store import Store
from penwright.adapters.store.deltas import PostgresDeltas
from penwright.adapters.workspace import GitWorkspaces
from penwright.adapters.workspace.slots import RepositorySlots
from penwright.agents.tools.resources import WorkerResources
from penwright.domain.intents.gate import IntentGate
from penwright.domain.profiles import profile_of
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import PenwrightError
from penwright.ports.notices import Notifier, Outbox
from penwright.ports.scholarly import ScholarlySources
from schemas.budgets import Caps
from schemas.model_catalog import ModelCatalog
from schemas.records import WorkspaceKind
from workers import telemetry
from workers.agents import BookWorkbench, overrides_folder, register_agents
from workers.model_catalog import catalog
from workers.settings import Loaded, Settings, load
from workers.store_opening import caps, counts_dollars, open_store_of

Activity = Callable[..., Any]  # Any: an activity's own types


def main_activities(settings: Settings, store: Store) -> Sequence[Activity]:
    """Return the activities of the queue ``penwright``."""
    people, later = notifier(settings, store), outbox(settings)
    overrides = JsonOverrideFiles(overrides_folder(settings))
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    models = catalog(settings)
    tags = {role: each.overrides for role, each in models.profiles.items() if each.overrides}
    agents = AgentRunActivities(overrides, conversation, transcripts, people, tags)
    archive = EvalArchive(store.records, store.evals, store.blobs)
    return [
        *activity_methods(agents),
        *activity_methods(EvalRunActivities(archive, agents, models)),
        *activity_methods(WritingActivities(store.blobs)),
        *activity_methods(EndingActivities(store.records, later)),
        *activity_methods(ApprovalActivities(store.records, later)),
        *activity_methods(NoticeRecords(store.records)),
        *activity_methods(HoldingActivities()),
        *activity_methods(QueueTimeActivities(SystemClock())),
        *activity_methods(CitationActivities(store.blobs, store.agent_states)),
        *activity_methods(CitationBriefing(store.blobs)),
        *activity_methods(CitationAuditActivities(store.blobs, store.records, later)),
        *activity_methods(CitationApprovalActivities(store.records, later)),
        *activity_methods(CitationEndingActivities(store.records, later)),
        *activity_methods(HousekeepingActivities(store.retention, store.records, settings.retention)),
    ]


def notice_activities(settings: Settings, store: Store) -> Sequence[Activity]:
    """Return the activities of the queue that only sends notifications."""
    return activity_methods(SendingActivities(notifier(settings, store)))


def repo_activities(
    loaded: Loaded, store: Store, workshop: WorkerResources, *, owner: str
) -> Sequence[Activity]:
    """Return the activities of this host's repo queue; ``owner`` names the engine in lock files."""
    # Imported here: clients share this module, and read no files of strangers.
    from workers.source_library import source_library

    slots = RepositorySlots(loaded.settings.worker.repo_activities)
    workspaces, novels = _workspaces(loaded, "book", slots), _workspaces(loaded, "novel", slots)
    texts = ManuscriptTextActivities(novels, store.blobs, store.trace)
    books = loaded.settings.books
    library = source_library(loaded.settings, novels, store)
    own = library if loaded.settings.scholarly.asks_library else None
    workbench = BookWorkbench(workshop, workspaces, store.records, books.branch)
    return [
        *activity_methods(
            BookActivities(
                workspaces,
                store.blobs,
                store.records,
                owner,
                store.trace,
                host=gethostname(),
                lore=WorkLore(store.worlds),
            )
        ),
        *activity_methods(ContinuityActivities(workspaces, store.blobs, store.records)),
        *activity_methods(PlanningActivities(workspaces, store.blobs, store.records)),
        *activity_methods(AgentToolActivities(workbench, store.blobs)),
        *activity_methods(texts),
        *activity_methods(BibliographyActivities(novels, store.blobs, library)),
        *activity_methods(ComparingActivities(novels, library, store.blobs)),
        *activity_methods(
            PackingActivities(store.records, {"book": workspaces, "novel": novels}, books.branch)
        ),
        *activity_methods(manuscripts(texts, store, outbox(loaded.settings))),
        *activity_methods(LibraryActivities(store.agent_states, store.blobs, own)),
    ]


def manuscripts(texts: ManuscriptTextActivities, store: Store, people: Outbox) -> ManuscriptActivities:
    """Return the activities of the manuscript loop."""
    progress = AgentProgress(store.agent_states, LogWriter(store.agent_logs))
    return ManuscriptActivities(
        texts,
        store.agent_states,
        store.agent_logs,
        progress,
        store.blobs,
        store.records,
        people,
        WorkLore(store.worlds),
    )


def _workspaces(loaded: Loaded, kind: WorkspaceKind, slots: RepositorySlots) -> GitWorkspaces:
    """Repositories of one kind of work on this host."""
    books, profile = loaded.settings.books, profile_of(kind)
    return GitWorkspaces(
        SystemClock(),
        IntentGate(profile),
        LedgerRecorder(version("penwright"), profile, Lock()),
        profile=profile,
        environment=loaded.child_environment(),
        lock_wait_s=books.lock_wait_s,
        network_timeout_s=books.network_timeout_s,
        slots=slots,
        # Where hosts share a queue, the gateway cannot leave its note in a folder of another host.
        registered=is_registered if loaded.settings.engine.shared else None,
    )


def activity_methods(activities: object) -> Sequence[Activity]:
    """Return every activity method of ``activities``, so that a new one is registered by itself."""
    kind = type(activities)
    names = [name for name in dir(kind) if hasattr(getattr(kind, name), "__temporal_activity_definition")]
    return [getattr(activities, name) for name in names]


def outbox(settings: Settings) -> Outbox:
    """Return what takes notifications: workflows that send them, if there is a channel."""
    notify = settings.notify
    has_channel = notify.apprise_urls or notify.webhook_url or notify.command
    return TemporalOutbox() if has_channel else NoOutbox()


def notifier(settings: Settings, store: Store) -> Notifier:
    """Return the notifier for the channels of the settings."""
    notify = settings.notify
    return ChannelNotifier(
        Channels(
            apprise_urls=tuple(url.get_secret_value() for url in notify.apprise_urls),
            webhook_url=notify.webhook_url.get_secret_value() if notify.webhook_url else "",
            webhook_secret=notify.webhook_secret.get_secret_value() if notify.webhook_secret else "",
            command=notify.command,
        ),
        store.notices,
    )


class LiveCaps:
    """Reads the caps from the settings file at every call, so that a cap can be raised during a session."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._caps = caps(loaded.settings)

    def __call__(self) -> Caps:
        """Return the current caps; while the file is unreadable (half-written), the last valid ones."""
        try:
            self._caps = caps(load(self._loaded.child_environment()).settings)
        except PenwrightError as error:
            import structlog  # clients share this module but do not log

            structlog.get_logger().warning("caps stay as they were", code=error.code, message=error.message)
        return self._caps


@asynccontextmanager
async def scholarly_activities(loaded: Loaded, store: Store) -> AsyncIterator[Sequence[Activity]]:
    """Yield the activities of the queue that asks registries; close the connections at the end."""
    # Imported here: clients share this module, and no other process asks registries.
    from penwright.adapters.scholarly import (
        LibraryWorks,
        Registries,
        bibliography,
        open_sources,
        recorded_sources,
    )
    from workers.source_library import local_vectors

    settings = loaded.settings.scholarly
    works = LibraryWorks(store.passages, local_vectors(loaded.settings).embed)
    library = works if settings.asks_library else None

    def asking(sources: ScholarlySources) -> Sequence[Activity]:
        return [
            *activity_methods(
                ScholarlyActivities(sources, store.blobs, bibliography, library, settings.first)
            ),
            *activity_methods(EvidenceActivities(store.blobs, sources)),
        ]

    if "recorded" in settings.asked:
        yield asking(recorded_sources())
        return
    keys = {
        name: loaded.environ.get(variable, "")
        for name, variable in settings.key_variables.items()
        if variable
    }
    registries = Registries(
        sources=tuple(name for name in settings.asked if name != "recorded"),
        contact=settings.contact,
        program=f"Penwright/{version('penwright')}",
        addresses={name: registry.url for name, registry in settings.registries.items()},
        keys=keys,
        timeout_s=settings.timeout_s,
        gap_factor=settings.gap_factor,
    )
    async with open_sources(registries) as sources:
        yield asking(sources)


def newest_models(loaded: Loaded) -> ModelCatalog:
    """Return the models that the settings name now; raises ``UsageMistake`` if they cannot be read."""
    return catalog(load(loaded.child_environment()).settings)


@asynccontextmanager
async def model_activities(loaded: Loaded) -> AsyncIterator[Sequence[Activity]]:
    """Yield the activities of the queue ``penwright-models``; close the vendors' clients at the end."""
    # Imported here: no other process builds a model client.
    from penwright.adapters.models.lesson_files import LessonFiles
    from penwright.adapters.models.probe import CatalogProbes
    from penwright.adapters.models.router import ModelRouter, key_names

    store = open_store_of(loaded.settings, live_caps=LiveCaps(loaded))
    models = catalog(loaded.settings)
    register_agents(loaded.settings, file=loaded.file)
    keys = {name: loaded.environ[name] for name in key_names(models) if loaded.environ.get(name)}
    lessons = LessonFiles(loaded.settings.home)
    probes = CatalogProbes(
        models,
        loaded.environ,
        newest=partial(newest_models, loaded),
        lessons=lessons,
        capped=counts_dollars(loaded.settings),
    )
    router = ModelRouter(
        models,
        ledger=telemetry.spanned(loaded.settings.telemetry, store.ledger, models),
        keys=keys,
        deltas=PostgresDeltas(store.database),
        at_once=loaded.settings.worker.model_activities,
        waiting=telemetry.counted(loaded.settings.telemetry, permit_waits.waiting),
        blobs=store.blobs,
        lessons=lessons,
        arriving=permit_waits.arriving,
    )
    try:
        conversation = Conversation(store.messages, store.blobs)
        yield [
            *activity_methods(AgentTurnActivities(router, conversation, Transcripts(store.records))),
            *activity_methods(ModelTrialActivities(probes)),
        ]
    finally:
        await router.aclose()
        store.close()
