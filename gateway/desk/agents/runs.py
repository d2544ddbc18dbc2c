"""Runs of agents: request, look at, answer and steer them; the store tells what Temporal has forgotten."""

import asyncio
import contextlib
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

from activities.agents.transcripts import run_of
from gateway.desk.agents import expired_runs, transcripts
from gateway.desk.engine.agent_runs import AgentRuns, RunSummary, RunView, Waiting
from gateway.desk.engine.messages import not_acknowledged
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.experiments import declared_flags
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.prompt import parameters
from penwright.errors import EngineUnavailable, NotFound, PenwrightError, Refused, UsageMistake
from penwright.roles import catalogue
from penwright.roles.ink_writer.role_call import is_of_a_session
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    CallApproval,
    CallDecision,
    RunLimits,
    RunQueues,
)
from schemas.base import BookId
from schemas.records import RunRow

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_SEARCHED = 10_000
"""Newest runs in the store that a search by code goes through."""

_T = TypeVar("_T")

Decision = Literal["approved", "denied"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Request of a person to an agent."""

    agent: str
    """Its name, or the last part of it."""
    task: str
    params: Mapping[str, Any]
    """Any: JSON. Fields by the type name of the parameters."""
    flags: Mapping[str, str]
    limits: RunLimits
    subject: str = ""
    """Default: the agent's key."""
    run_id: str = ""
    """Default: a new one."""
    override_tag: str = ""
    model_role: str = "agent"
    outside: bool = False
    """Whether an outside harness thinks in the place of a model."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list, with what the store knows of its end."""

    summary: RunSummary
    outcome: str = ""
    code: str = ""
    models: tuple[str, ...] = ()
    """Those that answered, of a run that has ended."""
    instead_of: tuple[str, ...] = ()
    """Those in whose place a fallback did."""


def order_of(services: Services, request: RunRequest) -> AgentRunInput:
    """The order for a run, once its agent, parameters and flags are known to fit."""
    services.register_agents()
    definition = catalogue.find(request.agent).definition
    subject = _subject(services, request.subject) or definition.key
    if changes_books(definition):
        subject = _book_of(services, definition.name, subject)
    return described_order(services, definition, request, subject)


def changes_books(definition: AgentDefinition) -> bool:
    """Whether an agent works under the intents of a book."""
    return any(SelectedIntent in tool.reads for tool in definition.tools.values())


def described_order(
    services: Services, definition: AgentDefinition, request: RunRequest, subject: str
) -> AgentRunInput:
    """The order for a run on ``subject``, which is not looked up; its parameters and flags are checked."""
    defaults = services.defaults()
    run_id = checked_run_id(request.run_id) if request.run_id else new_run_id(definition.key, services.now())
    given = AgentRunInput.model_validate(
        {
            "agent": definition.name,
            "run_id": run_id,
            "subject": subject,
            "task": request.task,
            "params": request.params,
            "override_tag": request.override_tag,
            "flags": request.flags,
            "model_role": request.model_role,
            "limits": request.limits,
            "queues": RunQueues(models=defaults.model_queue, tools=defaults.repo_queue),
            "outside": request.outside,
        }
    )
    declared_flags(definition, given.flags)
    read = parameters.read(definition, given.params)
    for place in definition.places:
        read.of(place)
    return given


def _subject(services: Services, named: str) -> str:
    """The subject ``named``; of a book's folder, the book's id, and the book is registered."""
    if not named.startswith((".", "~", "/")):
        return named
    book = books.find(services, str(Path(named).expanduser()))
    books.enter(services, book)
    return book.book_id


def _book_of(services: Services, agent: str, subject: str) -> str:
    """The id of the book that an agent is to change, which it needs before any model is asked."""
    with services.open_store() as store:
        if store.records.book(BookId(subject)) is not None:
            return subject
    if (Path(subject) / ".git").exists():  # a folder here, named without its path
        return _subject(services, f"./{subject}")
    raise NotFound(
        "unknown-book",
        f"{agent} changes a book, and none is registered as {subject!r}",
        hint="name its folder with `--subject`, or see `penwright book list`",
    )


async def start(
    services: Services, given: AgentRunInput, wait: Wait | None
) -> tuple[bool, AgentRunResult | None]:
    """Start a run; returns whether it is a new one, and its result unless ``wait`` is None."""
    async with services.engine() as engine:
        fresh = await engine.agent_runs.start(given)
        if wait is None:
            return fresh, None
        return fresh, await wait(
            engine.agent_runs.result(given.run_id), lambda: engine.agent_runs.progress(given.run_id)
        )


async def listed(
    services: Services, *, subject: str = "", running: bool = False, code: str = "", limit: int = 20
) -> list[ListedRun]:
    """Runs, newest first; ``code``: only those that ended for this reason."""

    async def ask() -> tuple[RunSummary, ...]:
        async with services.engine() as engine:
            return await engine.agent_runs.listed(subject=subject, running=running, limit=limit)

    # Temporal does not know the codes; a run that has one has ended, and is in the store.
    found = () if code else await ask()
    return await asyncio.to_thread(_with_stored, services, found, subject, running, code, limit)


async def look(services: Services, run_id: str) -> RunView:
    """All that is known of a run; ``NotFound`` if neither Temporal nor the store knows it."""

    async def ask() -> RunView:
        async with services.engine() as engine:
            return await view_of(engine.agent_runs, run_id)

    return await _or_from_the_store(services, run_id, ask)


async def watch(services: Services, run_id: str, wait: Wait) -> RunView:
    """As ``look``, once the run has ended."""
    async with services.engine() as engine:
        with contextlib.suppress(NotFound):  # what Temporal has forgotten has ended
            await wait(_end_of(engine.agent_runs, run_id), lambda: engine.agent_runs.progress(run_id))
    return await look(services, run_id)


async def _end_of(runs: AgentRuns, run_id: str) -> None:
    if (await runs.find(run_id)).runs:
        try:
            await runs.result(run_id)
        except EngineUnavailable:
            raise
        except PenwrightError:
            """The run's own failure, of which ``look`` tells."""


async def transcript(services: Services, run_id: str) -> tuple[RunView, list[dict[str, Any]]]:
    """A run, and its entries as JSON with those of sub-agents nested. Any: JSON."""

    async def ask() -> RunView:
        async with services.engine() as engine:
            return RunView(await engine.agent_runs.find(run_id))

    view = await _or_from_the_store(services, run_id, ask)
    return view, await asyncio.to_thread(_entries, services, run_id)


@dataclass(frozen=True, slots=True)
class ShownCall:
    """The call that a person was shown, by one of its names or both."""

    call: str = ""
    """The call's id."""
    digest: str = ""
    """Of the tool and all its arguments."""

    def is_of(self, approval: CallApproval) -> bool:
        """Whether it is this call, as far as it is named."""
        return self.call in ("", approval.id) and self.digest in ("", approval.digest)


async def decide(
    services: Services,
    run_id: str,
    decided: Decision,
    *,
    shown: ShownCall,
    reason: str = "",
    remember: bool = False,
) -> Waiting:
    """Approve or deny the call that waits, as the person of ``services``; returns what waited.

    Args:
        shown: the call that is meant; to approve one it must be named.

    Raises:
        UsageMistake: ``which-call``: approved without a name.
        Refused: ``nothing-to-approve``; ``approval-mismatch``: another call waits by now.
    """
    async with services.engine() as engine:
        waiting = await engine.agent_runs.waiting(run_id)
        if waiting is None:
            raise await _nothing_waits(engine.agent_runs, run_id)
        if decided == "approved" and shown == ShownCall():
            raise _unnamed(run_id)
        if not shown.is_of(waiting.approval):
            raise _another_waits(run_id, waiting.approval)
        decision = CallDecision(
            approval=waiting.approval.id,
            digest=waiting.approval.digest,
            decided=decided,
            by=services.person(),
            reason=reason,
            remember=remember,
        )
        await engine.agent_runs.decide(waiting.run_id, decision)
        return waiting


async def send(services: Services, run_id: str, message: Message, *, done: str) -> bool:
    """Kill, pause or resume a run; returns whether a worker confirmed it within some seconds.

    Args:
        done: the participle for messages, such as ``paused``.

    Raises:
        Refused: ``run-ended``.
        EngineUnavailable: ``run-stuck``: it goes no further.
    """
    async with services.engine() as engine:
        found = await engine.agent_runs.find(run_id)
        if not found.runs:
            raise Refused(
                "run-ended",
                f"the run {run_id!r} has ended and cannot be {done}",
                hint=f"`penwright run show {run_id}` shows how it ended",
            )
        answer = await engine.agent_runs.signal(run_id, message)
    if answer.stuck:
        raise not_acknowledged(run_id, answer)
    return answer.heard


async def view_of(runs: AgentRuns, run_id: str) -> RunView:
    """Ask the engine for all it knows of a run; without an answering worker that is less."""
    found = await runs.find(run_id)
    if found.runs and is_of_a_session(run_id):
        return RunView(found, trouble=expired_runs.of_a_session(run_id))
    try:
        if not found.runs:
            return RunView(found, result=await runs.result(run_id))
        return RunView(found, progress=await runs.progress(run_id), waiting=await runs.waiting(run_id))
    except EngineUnavailable as error:
        return RunView(found, trouble=await _why_silent(runs, run_id) or error.message)
    except PenwrightError as error:
        return RunView(found, trouble=f"it left no result: {error.message}")


async def _why_silent(runs: AgentRuns, run_id: str) -> str:
    raised = await runs.failing(run_id)
    return raised and f"it goes no further, and is tried again until its agent is repaired: {raised}"


def checked_run_id(text: str) -> str:
    """``text`` as the id of a new run.

    Raises:
        UsageMistake: ``bad-run-id``; a slash would make it look like a sub-agent's.
    """
    if not _ID.fullmatch(text):
        raise UsageMistake(
            "bad-run-id",
            f"{text!r} cannot be the id of a run; use 1-100 letters, digits, '.', '_', ':' and '-', "
            "beginning with a letter or digit",
        )
    return text


def new_run_id(key: str, now: datetime) -> str:
    """An id that no other run has."""
    return f"{key}-{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def _with_stored(
    services: Services, found: tuple[RunSummary, ...], subject: str, running: bool, code: str, limit: int
) -> list[ListedRun]:
    """``found`` and, up to ``limit``, ended runs that only the store knows."""
    with services.open_store() as store:
        rows: Sequence[RunRow] = store.records.runs(
            subject=subject or None, limit=_SEARCHED if code else 5 * limit
        )
        rows = [row for row in rows if not code or row.detail.get("code") == code]
        if not running and len(found) < limit:
            # Temporal has no more of them, so what only the store knows is what Temporal forgot.
            expired = expired_runs.among(store.records, rows, listed=found)
            found += tuple(islice(expired, limit - len(found)))
    by_name = {row.run: row for row in rows}
    return [_listed(each, by_name.get(run_of(each.run_id))) for each in found]


def _listed(summary: RunSummary, row: RunRow | None) -> ListedRun:
    if summary.runs or row is None:
        return ListedRun(summary)
    return ListedRun(
        summary,
        outcome=row.outcome,
        code=str(row.detail.get("code", "")),
        models=tuple(row.detail.get("models", ())),
        instead_of=tuple(row.detail.get("instead_of", ())),
    )


async def _or_from_the_store(
    services: Services, run_id: str, ask: Callable[[], Awaitable[RunView]]
) -> RunView:
    try:
        return await ask()
    except NotFound:
        kept = await asyncio.to_thread(_stored, services, run_id)
        if kept is None:
            raise
        return kept


def _stored(services: Services, run_id: str) -> RunView | None:
    with services.open_store() as store:
        return expired_runs.look(store.records, run_id)


def _entries(services: Services, run_id: str) -> list[dict[str, Any]]:
    with services.open_store() as store:
        return transcripts.nested(store.records, run_id)


def _unnamed(run_id: str) -> UsageMistake:
    return UsageMistake(
        "which-call",
        "name the call that you were shown, with --call or --digest; nothing was decided",
        hint=f"`penwright run show {run_id}` shows the call that waits, and both",
    )


def _another_waits(run_id: str, approval: CallApproval) -> Refused:
    return Refused(
        "approval-mismatch",
        f"another call waits than the one that was named: {approval.tool}, as {approval.id}; "
        "nothing was decided",
        hint=f"look at it first: `penwright run show {run_id}`",
    )


async def _nothing_waits(runs: AgentRuns, run_id: str) -> Refused:
    found = await runs.find(run_id)
    now = "it runs and waits for no approval" if found.runs else "it has ended"
    return Refused(
        "nothing-to-approve",
        f"no call of the run {run_id!r} waits for approval: {now}; nothing was changed",
        hint=f"`penwright run show {run_id}` shows its status",
    )
