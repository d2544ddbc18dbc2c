"""The tools of an agent's definition for an outside harness: every call is an update to the agent's run."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from gateway.desk.agents import runs
from gateway.desk.agents.runs import RunRequest
from gateway.desk.engine.agent_runs import RunView, Waiting
from gateway.desk.kept_connection import KeptConnection
from gateway.desk.services import Services
from gateway.desk.tool_desk import Answer, Caller
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.loop import outside
from penwright.agents.loop.run import Run, begin
from penwright.agents.prompt.overrides import resolve, unknown_tag
from penwright.agents.tools.tool import Arguments
from penwright.errors import NotFound, PenwrightError, Refused, UsageMistake
from penwright.roles import catalogue
from penwright.roles.outside_agent.agent_tools import STATUS, AgentCall, RunStatus, refusal_of
from schemas.agent import CallOutcome
from schemas.agent_run import AgentRunInput, AgentRunState, OutsideAnswer, OutsideCall
from schemas.overrides import ResolvedOverrides

_SHOWN_OUTCOMES = 10


class AgentToolService:
    """One run of one agent, served to an outside harness for as long as the process lives.

    The run begins with the first call; one of the same request and id is gone on with.

    Args:
        lasting: how long a run may take, waits included.

    Raises:
        NotFound: ``unknown-agent``, which names those that there are.
        UsageMistake: ``agent-not-for-outside``, or parameters and flags that do not fit.
    """

    def __init__(self, services: Services, request: RunRequest, lasting: timedelta) -> None:
        services.register_agents()
        self._definition = _served(request.agent)
        self._services = services
        if not request.subject and runs.changes_books(self._definition):
            request = replace(request, subject=str(Path.cwd()))
        run_id = request.run_id or runs.new_run_id(self._definition.key, services.now())
        self._request = replace(request, agent=self._definition.name, run_id=run_id, outside=True)
        self._lasting = lasting
        # What it works on is looked up only when the run begins: a server starts without an engine, too.
        self._described = runs.described_order(
            services, self._definition, self._request, request.subject or self._definition.key
        )
        self._overrides = _overrides(services, self._definition, request.override_tag)
        self._connection = KeptConnection(services.engine)
        self._has_begun = False
        self.tools = ""
        """Digest of the tools that there are since the newest call."""
        self._turn = asyncio.Lock()

    @property
    def title(self) -> str:
        return self._definition.title

    @property
    def run_id(self) -> str:
        return self._described.run_id

    async def carry_out(self, caller: Caller, asked: Arguments) -> Answer:
        """One call; raises what the run's rules raise."""
        match asked:
            case AgentCall():
                return await self._call(caller, asked)
            case RunStatus():
                return await self._status()
            case _:
                raise AssertionError(f"no tool takes {type(asked).__name__}")

    async def doing(self) -> str:
        """Say what the run does now, in a sentence; empty when that is unknown."""
        try:
            async with self._connection.use() as engine:
                return (await engine.agent_runs.progress(self.run_id)).detail
        except PenwrightError:
            return ""

    async def question(self) -> Waiting | None:
        """The call of the run that waits for a person; None also while the engine does not answer."""
        try:
            async with self._connection.use() as engine:
                return await engine.agent_runs.waiting(self.run_id)
        except PenwrightError:
            return None

    async def answered(self, waiting: Waiting, *, allowed: bool, client: str) -> None:
        """Approve or deny that call; nothing if it was decided meanwhile."""
        shown = runs.ShownCall(waiting.approval.id, waiting.approval.digest)
        with suppress(Refused):
            await runs.decide(
                self._services,
                self.run_id,
                "approved" if allowed else "denied",
                shown=shown,
                reason=f"answered in {client}",
            )

    async def close(self) -> None:
        """Close the connection; the run stays: a server with its id goes on with it."""
        await self._connection.close()

    @property
    def begun_run(self) -> Run:
        """The run as it begins: its prompt and its tools."""
        return self._begun(None)

    async def present(self) -> Run:
        """The run as it stands, or as it would begin."""
        state = await self._state()
        return await asyncio.to_thread(self._begun, state)

    async def _call(self, caller: Caller, asked: AgentCall) -> Answer:
        call = OutsideCall(
            id=secrets.token_hex(8), tool=asked.tool, arguments=asked.arguments, who=caller.who
        )
        # The run takes one at a time anyway, and Temporal only ten that wait.
        async with self._turn, self._connection.use() as engine:
            if not self._has_begun:
                await engine.agent_runs.start(await asyncio.to_thread(self._ordered))
                self._has_begun = True
            answer = await engine.agent_runs.call_tool(self.run_id, call)
            if answer.ended:
                # So that the end is recorded by the time that the agent is told of it.
                await engine.agent_runs.result(self.run_id)
        self.tools = answer.tools
        text = await asyncio.to_thread(self._text, answer)
        if answer.kind != "succeeded":
            raise refusal_of(answer, text)
        more = {"commit": answer.commit, "ended": answer.ended}
        return {"call": answer.number, "text": text, **{key: value for key, value in more.items() if value}}

    def _ordered(self) -> AgentRunInput:
        limits = self._request.limits.model_copy(
            update={"deadline": self._services.now() + self._lasting, "last_turn_s": 0}
        )
        return runs.order_of(self._services, replace(self._request, limits=limits))

    def _text(self, answer: OutsideAnswer) -> str:
        if answer.text_at is None:
            return answer.text
        with self._services.open_store() as store:
            front = store.blobs.get(answer.text_at).decode("utf-8", "surrogatepass")
        return front + answer.text

    async def _status(self) -> Answer:
        view, state = await self._view(), await self._state()
        run = await asyncio.to_thread(self._begun, state)
        ended = view.result if view else None
        return {
            "run": self.run_id,
            "agent": self._definition.name,
            "status": view.found.status if view else "begins with the first call",
            "doing": view.progress.detail if view and view.progress else "",
            "outcome": ended.outcome if ended else None,
            "message": ended.message if ended else "",
            "waits_for_a_person": view.waiting.approval.model_dump(mode="json")
            if view and view.waiting
            else None,
            "newest_calls": [_shown(each) for each in run.state.outcomes[-_SHOWN_OUTCOMES:]],
            "tools": [each.name for each in outside.offered(run)],
            "instructions": run.shown.text,
        }

    async def _view(self) -> RunView | None:
        try:
            async with self._connection.use() as engine:
                return await runs.view_of(engine.agent_runs, self.run_id)
        except NotFound:
            return None

    async def _state(self) -> AgentRunState | None:
        """The state of the run; None before its first call, after its end, and while no worker answers."""
        try:
            async with self._connection.use() as engine:
                found = await engine.agent_runs.find(self.run_id)
                return await engine.agent_runs.state(self.run_id) if found.runs else None
        except PenwrightError:
            return None

    def _begun(self, state: AgentRunState | None) -> Run:
        run = begin(self._definition, self._described.model_copy(update={"state": state}))
        return run if state is not None else run.with_state(overrides=self._overrides).rendered_again()


def served_agents() -> tuple[str, ...]:
    """Names of the agents that can be served by themselves."""
    return tuple(name for name, each in catalogue.all_agents().items() if each.definition.reads is None)


def _served(name: str) -> AgentDefinition:
    try:
        definition = catalogue.find(name).definition
    except NotFound as unknown:
        known = ", ".join(catalogue.all_agents())
        raise NotFound(unknown.code, unknown.message, hint=f"there are: {known}") from None
    if definition.reads is not None:
        raise UsageMistake(
            "agent-not-for-outside",
            f"{definition.name} is part of a pipeline that reads its answers; it is not served by itself",
            hint=f"`penwright mcp FOLDER` serves a book or novel, `penwright mcp --scene ID` a scene; by "
            f"themselves are served: {', '.join(served_agents())}",
        )
    if STATUS.name in definition.tools:
        raise UsageMistake(
            "agent-not-for-outside",
            f"{definition.name} has a tool called {STATUS.name!r}, which the server needs; rename it",
        )
    return definition


def _overrides(services: Services, definition: AgentDefinition, tag: str) -> ResolvedOverrides:
    """Resolve the overrides that the run will begin with."""
    if not tag:
        return ResolvedOverrides()
    files = services.overrides()
    if (found := files.read(definition.namespace, definition.key, tag)) is None:
        raise unknown_tag(definition, tag, files.tags(definition.namespace, definition.key))
    return resolve(definition, found)


def _shown(outcome: CallOutcome) -> Mapping[str, str | int]:
    """A call that has ended."""
    return outcome.model_dump(
        mode="json", include={"number", "tool", "kind", "code", "message", "commit"}, exclude_defaults=True
    )
