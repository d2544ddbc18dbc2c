"""Anthropic's messages protocol at the local vendor: its requests as OpenAI's, and its answers.

A vendor's JSON is open, hence ``Any``.
"""

import json
from typing import Any

_STOPS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
SIGNED = "c2lnbmVk"
"""The signature of every thought."""


def as_chat(request: dict[str, Any]) -> dict[str, Any]:
    """The request as one of OpenAI's protocol, as far as the vendor reads it."""
    system = [{"role": "system", "content": _text(request.get("system"))}] if request.get("system") else []
    said = [{"role": each["role"], "content": _text(each["content"])} for each in request["messages"]]
    tools = [{"function": {"name": each["name"]}} for each in request.get("tools", ())]
    form = (request.get("output_config") or {}).get("format") or request.get("output_format") or {}
    schema = form.get("schema")
    asked = {"response_format": {"json_schema": {"schema": schema}}} if schema else {}
    return {**request, "messages": [*system, *said], "tools": tools, **asked}


def unsigned(request: dict[str, Any]) -> str:
    """The fault of the thought before the calls of the present turn; empty: none."""
    if not _asks_for_thought(request):
        return ""
    calling = [each for each in _turn(request["messages"]) if _kinds(each) & {"tool_use"}]
    for each in calling:
        first = each["content"][0]
        if first["type"] not in ("thinking", "redacted_thinking"):
            return f"Expected `thinking` or `redacted_thinking`, but found `{first['type']}`"
        if first["type"] == "thinking" and first.get("signature") != SIGNED:
            return "Invalid `signature` in `thinking` block"
    return ""


def answered(
    request: dict[str, Any], message: dict[str, Any], *, finish: str, usage: dict[str, Any] | None
) -> dict[str, Any]:
    """An answer of OpenAI's protocol as one of this; it thinks where the request asks for it."""
    thinks = message.get("reasoning_content") or _asks_for_thought(request)
    thought = [{"type": "thinking", "thinking": "Hm.", "signature": SIGNED}] if thinks else []
    text = message.get("refusal") or message.get("content")
    words = [{"type": "text", "text": text}] if text else []
    calls = [_call(each) for each in message.get("tool_calls", ())]
    stop = "refusal" if message.get("refusal") else _STOPS[finish]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [*thought, *words, *calls],
        "stop_reason": stop,
        "usage": _usage(usage or {}),
    }


def failed(status: int, body: bytes) -> bytes:
    """An error of OpenAI's protocol as one of this."""
    said = json.loads(body)["error"]["message"]
    kind = _KINDS.get(status, "api_error")
    return json.dumps({"type": "error", "error": {"type": kind, "message": said}}).encode()


def _asks_for_thought(request: dict[str, Any]) -> bool:
    return (request.get("thinking") or {}).get("type") in ("enabled", "adaptive")


def _turn(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages since the last one of the user that brings no results."""
    begins = max(at for at, each in enumerate(messages) if each["role"] == "user" and not _results(each))
    return messages[begins:]


def _results(message: dict[str, Any]) -> bool:
    return "tool_result" in _kinds(message)


def _kinds(message: dict[str, Any]) -> set[str]:
    content = message["content"]
    return set() if isinstance(content, str) else {each["type"] for each in content}


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(each.get("text") or _text(each.get("content")) for each in content)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    told = call["function"]["arguments"]
    given = json.loads(told) if isinstance(told, str) else told
    return {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": given}


def _usage(usage: dict[str, Any]) -> dict[str, int]:
    """The counts: what came from the cache stands beside the input here."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return {
        "input_tokens": usage.get("prompt_tokens", 0) - cached,
        "output_tokens": usage.get("completion_tokens", 0),
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
    }
