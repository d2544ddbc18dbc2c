"""Classify failed calls: by HTTP status, and by words only where a status is ambiguous."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from penwright.errors import ModelFinal, ModelUnavailable, PenwrightError

LONGEST_WAIT_S = 3600.0
"""Longest wait that a server may ask for; longer ones are shortened."""
_QUOTED = 300

_FINAL = {
    400: ("model-bad-request", "rejected the request", "Check the model's name and options in the settings"),
    401: ("model-auth", "did not accept the key", "Put a valid key into {key}"),
    402: ("model-payment", "wants payment", "Top up the account of {key}"),
    403: ("model-auth", "does not allow this key to use the model", "Check what the key in {key} may do"),
    404: ("model-not-found", "does not know the model", "Check `model` and `api_base` in the settings"),
    413: ("context-too-long", "got more text than it accepts", "Lower `context_window_tokens` in Config.yml"),
    422: ("model-bad-request", "rejected the request", "Check the model's name and options in the settings"),
}
_CONTEXT_WORDS = (
    "context length",
    "context window",
    "maximum context",
    "context size",
    "context overflow",
    "context the overflows",
    "too many tokens",
    "prompt is too long",
)
_POLICY_WORDS = (
    "content policy",
    "content_policy",
    "content management policy",
    "content_filter",
    "safety system",
)
_QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing hard limit")
_TOOL_WORDS = (
    "support tool",
    "support function",
    "supports tool",
    "tools are not supported",
    "tools is not supported",
    "'tools' is not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "function calling is not supported",
    "function calling is not enabled",
    "tool choice requires",
)


def failure_of(
    *,
    model: str,
    key: str,
    status: int | None,
    kind: str,
    message: str,
    retry_after_s: float | None,
    tools: bool = False,
) -> PenwrightError:
    """Return the error to raise.

    Args:
        key: name of the variable that holds the key, for the advice.
        status: the HTTP status; None when no answer arrived.
        kind: class name of the client library's exception.
        tools: whether tools were offered.
    """
    words = f"{kind} {message}".casefold()
    quote = " ".join(message.split())[:_QUOTED]
    if status == 429 and any(word in words for word in _QUOTA_WORDS):
        status = 402
    if tools and rejects_tools(status, words):
        return tools_unsupported(model, quote)
    if status in _FINAL:
        code, what, advice = _final(status, words)
        where = f"the variable {key!r}" if key else "the settings"
        message = f"Model {model!r} {what}: {quote}. {advice.format(key=where)}."
        return ModelFinal(code, message, model=model, status=str(status))
    return _unavailable(model, status, quote, retry_after_s)


def _unavailable(model: str, status: int | None, quote: str, retry_after_s: float | None) -> ModelUnavailable:
    if status == 429:
        return ModelUnavailable(
            "model-rate-limited",
            f"Model {model!r} asks us to wait: {quote}. The call is retried.",
            retry_after_s=retry_after_s,
            model=model,
            status="429",
        )
    answered = f"answered {status}" if status else "did not answer"
    return ModelUnavailable(
        "model-unavailable",
        f"Model {model!r} {answered}: {quote}. "
        "The call is retried; see the provider's status page if it keeps failing.",
        retry_after_s=retry_after_s,
        model=model,
        **({"status": str(status)} if status else {}),
    )


def rejects_tools(status: int | None, message: str) -> bool:
    """Whether a failed call says that the model cannot call tools."""
    return status in {400, 404, 422} and any(word in message.casefold() for word in _TOOL_WORDS)


def tools_unsupported(model: str, why: str) -> ModelFinal:
    return ModelFinal(
        "tools-unsupported",
        f"Model {model!r} cannot call tools, and this agent needs them: {why}. Give the role a model that "
        "can (for a local Ollama, write `ollama_chat/…` instead of `ollama/…`).",
        model=model,
    )


def _final(status: int, words: str) -> tuple[str, str, str]:
    if status == 400 and ("contextwindow" in words or any(word in words for word in _CONTEXT_WORDS)):
        return _FINAL[413]
    if status in {400, 403} and ("contentpolicy" in words or any(word in words for word in _POLICY_WORDS)):
        return "model-refused", "refused to answer", "Change the outline or instruction it objects to"
    return _FINAL[status]


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds of a ``Retry-After`` header (seconds or a date); None without a valid one."""
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    if not value:
        return None
    try:
        wait = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        wait = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    return min(max(wait, 0.0), LONGEST_WAIT_S) if wait == wait else None
