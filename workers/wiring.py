"""Composition root: build adapters from settings, and activities from adapters."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from socket import gethostname
from typing import Any

from activities.agent_conversation import Conversation
from activities.agent_run import AgentRunActivities, Transcripts
from activities.agent_tools import AgentToolActivities
from activities.agent_turn import AgentTurnActivities
from activities.approvals import ApprovalActivities
from activities.book_session import BookActivities
from activities.endings import EndingActivities
from activities.eval_archive import EvalArchive
from activities.eval_run import EvalRunActivities
from activities.notifying import NoOutbox, NoticeRecords, SendingActivities, TemporalOutbox
from activities.writing import WritingActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.notifier import ChannelNotifier, Channels
from penwright.adapters.overrides import JsonOverrideFiles
from penwright.adapters.store import Caps, Store
from penwright.adapters.workspace import GitWorkspaces
from penwright.agents.tools.resources import WorkerResources
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import PenwrightError
from penwright.ports import Notifier, Outbox
from workers.agents import BookWorkbench, overrides_folder, register_agents
from workers.model_catalog import catalog
from workers.settings import Loaded, Settings, load
from workers.store_opening import caps, open_store_of

Activity = Callable[..., Any]  # Any: an activity's own types


def main_activities(settings: Settings, store: Store) -> Sequence[Activity]:
    """Return the activities of the queue ``penwright``."""
    people, later = notifier(settings, store), outbox(settings)
    overrides = JsonOverrideFiles(overrides_folder(settings))
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    agents = AgentRunActivities(overrides, conversation, transcripts, people)
    archive = EvalArchive(store.records, store.evals, store.blobs)
    return [
        *asks_of(agents),
        *asks_of(EvalRunActivities(archive, agents, catalog(settings))),
        *asks_of(WritingActivities(store.blobs)),
        *asks_of(EndingActivities(store.records, later)),
        *asks_of(ApprovalActivities(store.records, later)),
        *asks_of(NoticeRecords(store.records)),
    ]


def notice_activities(settings: Settings, store: Store) -> Sequence[Activity]:
    """Return the activities of the queue that only sends notifications."""
    return asks_of(SendingActivities(notifier(settings, store)))


def repo_activities(
    loaded: Loaded, store: Store, workshop: WorkerResources, *, owner: str
) -> Sequence[Activity]:
    """Return the activities of this host's repo queue; ``owner`` names the engine in lock files."""
    books = loaded.settings.books
    workspaces = GitWorkspaces(
        SystemClock(),
        IntentGate(BOOK_PROFILE),
        LedgerRecorder(version("penwright"), BOOK_PROFILE),
        profile=BOOK_PROFILE,
        environment=loaded.child_environment(),
        lock_wait_s=books.lock_wait_s,
        network_timeout_s=books.network_timeout_s,
    )
    workbench = BookWorkbench(workshop, workspaces, store.records, books.branch)
    return [
        *asks_of(
            BookActivities(workspaces, store.blobs, store.records, owner, store.trace, host=gethostname())
        ),
        *asks_of(AgentToolActivities(workbench, store.blobs)),
    ]


def asks_of(activities: object) -> Sequence[Activity]:
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
async def model_activities(loaded: Loaded) -> AsyncIterator[Sequence[Activity]]:
    """Yield the activities of the queue ``penwright-models``; close the vendors' clients at the end."""
    # Imported here: no other process builds a model client.
    from penwright.adapters.models import ModelRouter, key_names

    store = open_store_of(loaded.settings, live_caps=LiveCaps(loaded))
    models = catalog(loaded.settings)
    register_agents(loaded.settings, file=loaded.file)
    keys = {name: loaded.environ[name] for name in key_names(models) if loaded.environ.get(name)}
    router = ModelRouter(models, ledger=store.ledger, keys=keys)
    try:
        conversation = Conversation(store.messages, store.blobs)
        yield [
            *asks_of(AgentTurnActivities(router, conversation, Transcripts(store.records))),
        ]
    finally:
        await router.aclose()
        store.close()
