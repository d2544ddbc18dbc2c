"""A local vendor that answers as the demo model would, and rejects what a small model at home rejects."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.router import ModelRouter
from penwright.ports.models import ModelLedger
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ForcedTool, ModelRequest, ModelResponse, ToolChoice
from schemas.model_catalog import ModelCatalog, ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.engine.provider_server import Behaviour, ProviderServer, called, calling, error

WINDOW = 8_192


class DemoVendor(ProviderServer):
    """Speaks OpenAI's protocol; ``requests`` holds what it was asked."""

    def __init__(self, *, window: int = 0, tools: bool = True) -> None:
        """``window``: of prompt and answer, 0 for any; ``tools``: whether a request may offer some."""
        super().__init__()
        self._window, self._tools = window, tools
        self.rejected: list[str] = []
        """Why requests were answered with status 400."""

    def take(self, request: dict[str, Any]) -> Behaviour:  # a request on the wire
        super().take(request)
        if why := self._rejection(request):
            self.rejected.append(why)
            return error(400, why)
        said = asyncio.run(DemoProvider().ask(_request_of(request)))
        return _behaviour(said)

    def _rejection(self, request: Mapping[str, Any]) -> str:
        if request.get("tools") and not self._tools:
            return "registry.local/tiny does not support tools"
        told = sum(len(str(each.get("content") or "")) for each in request["messages"])
        size = told // 4 + int(request["max_tokens"])
        if not self._window or size <= self._window:
            return ""
        return f"This model's maximum context length is {self._window} tokens; you asked for {size}"

    def entry(self, **fields: Any) -> ModelEntry:  # any of the entry's
        """The vendor's model, as settings would have it."""
        named = {"name": "tiny", "provider": "litellm", "model": "openai/tiny", "local": True}
        return ModelEntry.model_validate({**named, "api_base": self.address, "streams": False, **fields})

    def router(self, ledger: ModelLedger, **fields: Any) -> ModelRouter:
        """A router of which every role has the vendor's model; ``fields`` are any of the entry's."""
        return ModelRouter(ModelCatalog(models=(self.entry(**fields),), default="tiny"), ledger=ledger)


@contextmanager
def demo_vendor(*, window: int = 0, tools: bool = True) -> Iterator[DemoVendor]:
    """A running one."""
    vendor = DemoVendor(window=window, tools=tools)
    with vendor.running():
        yield vendor


def _request_of(wire: Mapping[str, Any]) -> ModelRequest:
    asked = model_request(max_output_tokens=wire["max_tokens"])
    form = (wire.get("response_format") or {}).get("json_schema") or {}
    return asked.model_copy(
        update={
            "messages": tuple(map(_message, wire["messages"])),
            "output_schema": form.get("schema"),
            "schema_name": form.get("name", ""),
            "tools": tuple(ToolOffer(**each["function"]) for each in wire.get("tools", ())),
            "tool_choice": _choice(wire.get("tool_choice", "auto")),
        }
    )


def _message(wire: Mapping[str, Any]) -> AgentMessage:
    calls = (
        ToolCall(id=each["id"], name=each["function"]["name"], arguments=each["function"]["arguments"])
        for each in wire.get("tool_calls") or ()
    )
    return AgentMessage(
        role=wire["role"],
        content=str(wire.get("content") or ""),
        tool_calls=tuple(calls),
        tool_call_id=wire.get("tool_call_id", ""),
    )


def _choice(wire: Any) -> ToolChoice:  # on the wire
    return ForcedTool(name=wire["function"]["name"]) if isinstance(wire, dict) else wire


def _behaviour(said: ModelResponse) -> Behaviour:
    if said.tool_calls:
        return calling(*(called(each.name, each.arguments, each.id) for each in said.tool_calls))
    return Behaviour(text=said.text)
