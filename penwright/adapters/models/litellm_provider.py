"""All vendors through litellm."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from penwright.adapters.models import openrouter
from penwright.adapters.models.cache_marks import with_marks
from penwright.adapters.models.failures import failure_of, rejects_tools, tools_unsupported
from penwright.adapters.models.gguf import check_served
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.litellm_client import (
    failed_call,
    loaded_litellm,
    require_key,
    server_status,
    transport,
    was_cut_off,
    words_of,
)
from penwright.adapters.models.litellm_streaming import collect_stream
from penwright.adapters.models.parameters import TOOLS, as_learned, lesson_in_words, lesson_of, rejected
from penwright.adapters.models.plain_thought import (
    FIELD,
    misses_thought,
    plain_thought,
    wants_back,
    with_plain_thought,
)
from penwright.adapters.models.prices import cost_micros
from penwright.adapters.models.provider import LARGEST_REPLY, Hear, checked_answer
from penwright.adapters.models.reported_usage import usage_of
from penwright.adapters.models.signed_thought import signed_thought, with_thought
from penwright.adapters.models.structured import LADDER, messages_of, read_choice, response_format, tools_of
from penwright.adapters.models.thinking import (
    is_claude,
    longest_output,
    mapped,
    thought_arguments,
    thought_room,
)
from penwright.adapters.models.tool_wire import (
    readable,
    wire_messages,
    without_tools,
)
from penwright.adapters.models.window import window_arguments, window_of
from penwright.agents.definition.output import FINAL_ANSWER
from penwright.domain.models.token_estimate import estimate_answer, estimate_request
from penwright.errors import ModelFinal, ModelUnavailable, PenwrightError
from schemas.agent import SignedThought
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import ModelEntry, StructuredRung

_UNFIT_FOR_THOUGHT = {"temperature", "top_p", "top_k"}
"""Arguments that Claude refuses while it thinks."""
_NO_KEY = "none"
"""Key for servers that need none; some client libraries require one."""
_log = logging.getLogger(__name__)


class LitellmProvider:
    """Implements ``Provider`` for one configured model."""

    def __init__(self, entry: ModelEntry, key: str, kept: LessonFiles | None = None) -> None:
        """``kept``: what the model rejected in earlier processes; without it, the model is asked anew."""
        self._entry = entry
        self._key = key
        self._kept = kept
        self._lessons = kept.of(entry) if kept else {}
        """Parameters that the model rejected, each with the name that it takes; empty: it takes none."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Same as ``ask``, but raises for an empty reply or a refusal."""
        return checked_answer(request, await self.ask(request))

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        """Make one call; ``request.timeout_s`` bounds it even if a server sends bytes slowly.

        A local model that is heard may be slow: it bounds the wait for the next piece only.
        """
        require_key(self._entry, self._key)
        check_served(self._entry)
        litellm = await asyncio.to_thread(loaded_litellm)
        try:
            async with asyncio.timeout(request.timeout_s) as limit:
                if hear is not None and self._entry.local:
                    hear = _patient(hear, limit, request.timeout_s)
                asked, rung, reply = await self._called(litellm, request, hear)
        except ModelFinal:
            raise
        except TimeoutError as error:
            raise ModelUnavailable(
                "model-timeout",
                f"Model {self._entry.name!r} did not finish within {request.timeout_s:g} s. "
                "The call is retried; raise the model's `timeout_s` if it is only slow.",
                model=self._entry.name,
            ) from error
        except Exception as error:
            # litellm raises exceptions of its own, of vendors and of Python; each means a failed call.
            return self._declined(self._failure(error, request), words_of(error, self._key))
        return await self._response(asked, rung, reply)

    async def _called(
        self, litellm: Any, given: ModelRequest, hear: Hear | None
    ) -> tuple[ModelRequest, StructuredRung | None, Any]:  # litellm has no types
        """The request as asked, its rung, and the reply; repeats the call without what the model rejects."""
        while True:
            request = self._for_its_tools(litellm, given)
            rung = self._rung(litellm, request)
            arguments = as_learned(self._arguments(litellm, request, rung), self._lessons)
            try:
                if hear is not None and self._entry.streams:
                    is_json = request.output_schema is not None
                    return request, rung, await collect_stream(litellm, arguments, hear, structured=is_json)
                return request, rung, await litellm.acompletion(**arguments)
            except Exception as error:
                if not self._learns(error, arguments):
                    raise

    def _learns(self, error: Exception, arguments: Mapping[str, Any]) -> bool:
        """Whether ``error`` says that the model rejects a parameter, which is then kept for later calls."""
        status, words = server_status(error), str(error)
        name = rejected(words, arguments) if status in {400, 422} else ""
        if TOOLS in arguments and rejects_tools(status, words):
            name = TOOLS
        if misses_thought(status, words, arguments["messages"]):
            name = FIELD
        if not name:
            return False
        self._lessons = lesson_of(name, self._lessons)
        _log.warning(
            "Model %r rejected a call: from now on %s.",
            self._entry.name,
            lesson_in_words(name, self._lessons[name]),
        )
        if self._kept:
            self._kept.keep(self._entry, name, self._lessons[name])
        return True

    async def with_room(self, request: ModelRequest) -> ModelRequest:
        """Return ``request`` with the room for the model's thought, within the model's window."""
        require_key(self._entry, self._key)
        check_served(self._entry)
        litellm = await asyncio.to_thread(loaded_litellm)
        windows = filter(None, (request.context_tokens, window_of(litellm, self._entry)))
        return request.model_copy(
            update={
                "thought_tokens": thought_room(litellm, self._entry, request.reasoning),
                "context_tokens": min(windows, default=None),
            }
        )

    def _for_its_tools(self, litellm: Any, request: ModelRequest) -> ModelRequest:  # litellm has no types
        """``request`` without tools if the model has none; raises if they are needed."""
        why = self._why_no_tools(litellm)
        if not why or not (request.tools or any(each.tool_calls for each in request.messages)):
            return request
        if request.needs_tools and any(offer.name != FINAL_ANSWER for offer in request.tools):
            raise tools_unsupported(self._entry.name, why)
        return without_tools(request)

    def _why_no_tools(self, litellm: Any) -> str:  # litellm has no types
        """The reason why the model has no tools; empty where it has some, or that is not known."""
        known = litellm.get_supported_openai_params(self._entry.model)
        if TOOLS in self._lessons:
            return "its server rejected them"
        if known is not None and TOOLS not in known:
            return "litellm cannot pass them on to its vendor"
        listed = mapped(litellm, self._entry).get("supports_function_calling")
        return "litellm's list says so" if listed is False else ""

    def _rung(self, litellm: Any, request: ModelRequest) -> StructuredRung | None:  # litellm has no types
        """Return the lowest rung of those requested, configured and supported by litellm."""
        if request.output_schema is None:
            return None
        position = max(LADDER.index(request.output_rung), LADDER.index(self._entry.structured))
        if LADDER[position] == "native" and not self._takes(litellm, "response_format"):
            position += 1
        if LADDER[position] == "tool" and (
            self._why_no_tools(litellm) or not self._takes(litellm, "tool_choice")
        ):
            position += 1
        return LADDER[position]

    def _takes(self, litellm: Any, argument: str) -> bool:  # litellm has no types
        known = litellm.get_supported_openai_params(self._entry.model) or ()
        return argument in known and argument not in self._lessons

    # Any: messages of the protocol.
    def _conversation(self, request: ModelRequest, rung: StructuredRung | None) -> list[dict[str, Any]]:
        messages = list(wire_messages(messages_of(request, rung)))
        if wants_back(self._entry, self._lessons):
            messages = with_plain_thought(messages, request.messages)
        answered = any(message["role"] == "assistant" for message in messages)
        return with_marks(self._entry, messages, goes_on=answered or bool(request.tools))

    def _arguments(self, litellm: Any, request: ModelRequest, rung: StructuredRung | None) -> dict[str, Any]:
        """Return the arguments of litellm's call; ``Any``, because their types vary."""
        arguments: dict[str, Any] = {
            "model": self._entry.model,
            "messages": self._conversation(request, rung),
            "max_tokens": longest_output(litellm, self._entry, request),
            **window_arguments(litellm, self._entry),
            **self._entry.extra,
            **_sampling(self._entry, request),
            **thought_arguments(litellm, self._entry, request),
            # Temporal retries, and our own timeout ends the call first.
            "max_retries": 0,
            "num_retries": 0,
            "timeout": request.timeout_s + 30,
            "drop_params": True,
            # Without it, a tool makes litellm import a package that is not installed.
            "_skip_mcp_handler": True,
        }
        if self._entry.api_base:
            arguments["api_base"] = self._entry.api_base
        if self._key or self._entry.api_base:
            arguments["api_key"] = self._key or _NO_KEY
        if openrouter.is_openrouter(self._entry.model):
            arguments |= {"extra_headers": openrouter.HEADERS, "client": openrouter.handler(transport())}
        if rung == "native":
            arguments["response_format"] = response_format(request)
        elif rung is not None and request.output_mode == "object" and self._takes(litellm, "response_format"):
            arguments["response_format"] = {"type": "json_object"}
        if is_claude(self._entry) and arguments.keys() & {"thinking", "reasoning_effort"}:
            arguments = {name: each for name, each in arguments.items() if name not in _UNFIT_FOR_THOUGHT}
            arguments["messages"] = with_thought(arguments["messages"], request.messages)
        return arguments | tools_of(request, rung)

    def _declined(self, failure: PenwrightError, words: str) -> ModelResponse:
        """The answer of a vendor that refuses by an error, and bills nothing; raises another ``failure``."""
        if failure.code != "model-refused":
            raise failure
        return ModelResponse(
            text=words,
            model=self._entry.name,
            provider="litellm",
            finish_reason="refusal",
            usage=Usage(cost_micros=0),
        )

    def _failure(self, error: Exception, request: ModelRequest) -> PenwrightError:
        if was_cut_off(error):
            return _too_large(self._entry.name)
        return failed_call(self._entry, self._key, error, tools=bool(request.tools))

    def _broken_off(self, status: int | None, message: str) -> PenwrightError:
        """The error of an answer that its provider did not finish."""
        return failure_of(
            model=self._entry.name,
            key=self._entry.key_env,
            status=status,
            kind="",
            message=message,
            retry_after_s=None,
        )

    async def _cost(self, reported: Any, usage: Usage) -> int | None:
        """By the operator's price, else as the reply says, else by the configured name."""
        billed = openrouter.reported_cost(reported) if openrouter.is_openrouter(self._entry.model) else None
        if billed is not None and self._entry.price is None:
            return billed
        priced = usage.model_dump(exclude={"thought_tokens", "cost_micros"})
        return await asyncio.to_thread(cost_micros, self._entry, **priced)

    async def _response(
        self, request: ModelRequest, rung: StructuredRung | None, reply: Any
    ) -> ModelResponse:
        if not getattr(reply, "choices", None):
            raise ModelUnavailable(
                "model-unavailable",
                f"Model {self._entry.name!r} sent an answer without choices. The call is retried.",
            )
        choice = reply.choices[0]
        if (fault := openrouter.reported_error(choice)) is not None:
            return self._declined(self._broken_off(*fault), fault[1])
        text, calls, finish = read_choice(choice, request, rung)
        if len(text) + sum(len(call.arguments) for call in calls) > LARGEST_REPLY:
            raise _too_large(self._entry.name)
        reported = getattr(reply, "usage", None)
        thought = readable(getattr(choice.message, "reasoning_content", None))
        usage = usage_of(
            reported, else_input=estimate_request(request), else_output=estimate_answer(thought + text, calls)
        )
        cost = await self._cost(reported, usage)
        return ModelResponse(
            text=text,
            model=self._entry.name,
            provider="litellm",
            finish_reason=finish,
            usage=usage.model_copy(update={"cost_micros": cost}),
            tool_calls=calls,
            thought=self._thought(choice.message) if calls else (),
            rung=rung or "text",
        )

    def _thought(self, message: Any) -> tuple[SignedThought, ...]:
        """The thought that the vendor wants back with the results of the message's calls."""
        if is_claude(self._entry):
            return signed_thought(message)
        return plain_thought(message) if wants_back(self._entry, self._lessons) else ()


def _patient(hear: Hear, limit: asyncio.Timeout, pause_s: float) -> Hear:
    """``hear``, which moves the end of the call on with each piece."""
    loop = asyncio.get_running_loop()

    def heard_in_time(piece: str) -> None:
        limit.reschedule(loop.time() + pause_s)
        hear(piece)

    return heard_in_time


def _too_large(name: str) -> ModelFinal:
    return ModelFinal(
        "reply-too-large",
        f"Model {name!r} sent more than {LARGEST_REPLY // 1024 // 1024} MB in one reply. "
        "Lower `max_output_tokens` of the model, or give the role another one.",
        model=name,
    )


def _sampling(entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    """Values of the sampler, where it has any."""
    usual = request.temperature if entry.temperature is None else entry.temperature
    chosen = {"temperature": usual, **request.sampler.model_dump(exclude_none=True, exclude={"stop"})}
    stop = {"stop": list(request.sampler.stop)} if request.sampler.stop else {}
    return {name: value for name, value in chosen.items() if value != "omit"} | stop
