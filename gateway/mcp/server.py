"""Tools over the Model Context Protocol: calls in, one answer each out."""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request

from gateway.desk.engine.agent_runs import Waiting
from gateway.desk.tool_desk import Answer, Approver, Caller, ToolDesk
from gateway.mcp.keyed_locks import KeyedLocks
from gateway.mcp.offers import BOOK, Offer
from penwright.errors import PenwrightError, PermanentError
from penwright.roles.outside_agent.telling import UNNAMED_AGENT, denial_of, known_as

SESSION_HEADER = "mcp-session-id"
_PROGRESS_S = 1.0
_CAN_ASK = types.ClientCapabilities(elicitation=types.ElicitationCapability())
_ALLOW: Final[types.ElicitRequestedSchema] = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow this call"}},
    "required": ["allow"],
}
_QUESTION: Final = "approval"
"""Name of the one question in an answer."""
_log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Request]  # Any: the SDK's own lifespan value, which we have no use for


@dataclass(frozen=True, slots=True)
class _Held:
    """A call that goes on while its client asks a person, and then comes back for the result."""

    work: "asyncio.Future[Answer]"
    waiting: Waiting


class ToolServer:
    """The tools of one work, scene or agent for any number of clients.

    Args:
        peer: names what is at the other end of a connection that only one client can have, such as a pipe.
        approver: answers for the person at the client, where that can show them a question.
    """

    def __init__(
        self, desk: ToolDesk, offer: Offer = BOOK, *, peer: str = "", approver: Approver | None = None
    ) -> None:
        self._desk = desk
        self._approver = approver
        self._offer = offer
        self._peer = peer
        self._locks = KeyedLocks()
        self._held: dict[str, _Held] = {}
        """By the state that the client sends back."""
        self.protocol: Server[Any] = Server(  # Any: as above
            "penwright",
            version=version("penwright"),
            title=offer.title,
            instructions=offer.instructions,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    @property
    def options(self) -> InitializationOptions:
        """Options that a client is told of the server when it opens."""
        return self.protocol.create_initialization_options(
            NotificationOptions(tools_changed=self._offer.changes)
        )

    async def _list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(await self._offer.listed()))

    async def _call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer any call with one result, never with a protocol error.

        A server of the newest protocol asks nothing by itself: its answer holds the question, and the client
        calls again with the person's word.
        """
        async with self._turn(context):
            try:
                done = await self._carried_out(context, params)
                return done if isinstance(done, types.InputRequiredResult) else _tool_result(done)
            except PenwrightError as error:
                return refused(error, self._offer.hints)
            except Exception as fault:  # the last resort: a client must not wait for an answer for ever
                _log.exception("a call of %r failed", params.name)
                said = f"a fault of penwright's own ({type(fault).__name__}); the server's log has more"
                return refused(PermanentError("internal-error", said))

    async def _carried_out(
        self, context: Context, params: types.CallToolRequestParams
    ) -> Answer | types.InputRequiredResult:
        held = self._held.pop(params.request_state or "", None)
        if held is not None:
            work = held.work
            await self._take_answer(context, held.waiting, (params.input_responses or {}).get(_QUESTION))
        else:
            asked = self._offer.admit(params.name, params.arguments or {})
            work = asyncio.ensure_future(self._desk.carry_out(self._caller(context), asked))
        question = None
        try:
            question = await self._show_until(work, context, asks=held is None)
        finally:
            if question is None:
                work.cancel()
        if question is not None:
            return self._hold(work, question)
        try:
            return await work
        finally:
            if self._offer.has_changed():
                await context.session.send_tool_list_changed()

    def _hold(self, work: "asyncio.Future[Answer]", waiting: Waiting) -> types.InputRequiredResult:
        state = secrets.token_urlsafe(16)
        self._held[state] = _Held(work, waiting)
        form = types.ElicitRequestFormParams(message=_question(waiting), requested_schema=_ALLOW)
        return types.InputRequiredResult(
            input_requests={_QUESTION: types.ElicitRequest(params=form)}, request_state=state
        )

    async def _take_answer(
        self, context: Context, waiting: Waiting, answer: types.InputResponse | None
    ) -> None:
        if (
            self._approver is not None
            and isinstance(answer, types.ElicitResult)
            and answer.action != "cancel"
        ):
            client = self._caller(context).who
            await self._approver.answered(waiting, allowed=_allows(answer), client=client)

    async def _show_until(
        self, work: "asyncio.Future[Answer]", context: Context, *, asks: bool
    ) -> Waiting | None:
        """Say every second what is being done; clients that did not ask for it hear nothing.

        Returns the call that waits, where the answer is to ask for it (``asks``).
        """
        is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        seconds, asking = 0.0, None
        try:
            while not (await asyncio.wait({work}, timeout=_PROGRESS_S))[0]:
                seconds += _PROGRESS_S
                await context.session.report_progress(seconds, None, await self._desk.doing() or "working")
                waiting = await self._question(context) if asks and asking is None else None
                if waiting is not None and is_modern:
                    return waiting
                if waiting is not None:
                    asking = asyncio.create_task(self._ask(context, waiting))
            return None
        finally:
            if asking is not None:
                asking.cancel()

    async def _question(self, context: Context) -> Waiting | None:
        """The call that waits for a person, if the client can ask theirs."""
        if self._approver is None or not context.session.check_client_capability(_CAN_ASK):
            return None
        return await self._approver.question()

    async def _ask(self, context: Context, waiting: Waiting) -> None:
        """Ask the client's person; dismissed, the call waits on for `penwright run approve`."""
        call = waiting.approval
        try:
            answer = await context.session.elicit_form(_question(waiting), _ALLOW, context.request_id)
        except (MCPError, NoBackChannelError, ValidationError) as error:
            _log.warning("the client did not ask whether %r may be called: %s", call.tool, error)
            return
        await self._take_answer(context, waiting, answer)

    def _caller(self, context: Context) -> Caller:
        known = context.session.client_params
        who = known_as(known.client_info.name, known.client_info.version) if known else UNNAMED_AGENT
        return Caller(who, self._peer or _http_session(context))

    @asynccontextmanager
    async def _turn(self, context: Context) -> AsyncIterator[None]:
        """Calls that share an id are answered in the order they came: a client can only pair them by it."""
        if not self._peer:
            yield
            return
        async with self._locks.hold(repr(context.request_id)):
            yield


def _question(waiting: Waiting) -> str:
    return f"May the agent call `{waiting.approval.tool}`?\n{waiting.approval.arguments}"


def _allows(answer: types.ElicitResult) -> bool:
    return answer.action == "accept" and (answer.content or {}).get("allow") is True


def _http_session(context: Context) -> str:
    return context.request.headers.get(SESSION_HEADER, "") if context.request is not None else ""


def refused(error: PenwrightError, hints: Mapping[str, str] = BOOK.hints) -> types.CallToolResult:
    """A denial as the result of a call."""
    return _tool_result(denial_of(error, hints).model_dump(mode="json", exclude={"asks"}), failed=True)


def _tool_result(answer: Mapping[str, Any], *, failed: bool = False) -> types.CallToolResult:  # Any: JSON
    # Whatever a file name or an argument smuggled in, the answer can be written as UTF-8.
    text = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=failed,
    )
