"""A model that follows a script, the same on every retry; for tests.

A script is JSON::

    {"answers": [{"call": 1, "tool_calls": [{"name": "read_chapter", "arguments": {"number": 1}}]},
                 {"role": "writer", "call": 2, "fault": "crash", "times": 1, "text": "…"}],
     "otherwise": "demo"}

``role``, ``call`` (counted from 1 over the distinct op ids of a role) and ``op`` (a glob over the op id)
select the answer; the first match is used, so one without ``call`` repeats. A fault occurs in the first
``times`` attempts at an op id; then the answer is ``text`` and ``tool_calls``, or that of the demo model.
Attempts are appended to ``<script>.calls``, one JSON line each, so that another process continues the count
of a killed one.
"""

import asyncio
import json
import os
import signal
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.pieces import speak
from penwright.adapters.models.provider import Hear, checked_answer
from penwright.domain.models.token_estimate import estimate_answer, estimate_request
from penwright.errors import ModelFinal, ModelUnavailable
from schemas.agent import ToolCall
from schemas.base import Value
from schemas.model import ModelRequest, ModelResponse, Usage

Fault = Literal["hang", "crash", "stop", "half-json", "empty", "refusal", "rate-limit", "unavailable"]
_REFUSAL = "I'm sorry, but I can't help with that."
_HALF_JSON = '{"chapter": "The lamp went out and Mara'


class ScriptedCall(Value):
    """A tool call, possibly invalid, as a test needs it."""

    name: str
    arguments: dict[str, JsonValue] | str = ""
    """An object, or any text instead."""
    id: str | None = None
    """None: one made from call and position, different in every answer."""
    stretch: int = 0
    """Length in bytes of a string added to the arguments under ``stretched``."""


class ScriptedAnswer(Value):
    """An answer, the calls that it is for, and a fault that precedes it."""

    role: str | None = None
    call: int | None = None
    op: str | None = None
    text: str | None = None
    heard: str = ""
    """Part of a streamed answer that arrives before its fault."""
    stretch: int = 0
    """Bytes appended to the text."""
    tool_calls: tuple[ScriptedCall, ...] = ()
    usage: Usage | None = None
    """The reported usage; None: an estimate with cost zero."""
    fault: Fault | None = None
    times: int = 1_000_000
    """Number of attempts at one op id in which the fault occurs."""
    retry_after_s: float | None = None

    @property
    def speaks(self) -> bool:
        """Whether there is an answer besides the fault."""
        return self.text is not None or bool(self.tool_calls or self.stretch)


class Script(Value):
    """The answers, first match first, and what happens without a match."""

    answers: tuple[ScriptedAnswer, ...] = ()
    otherwise: Literal["demo", "fail"] = "fail"


class ScriptedAttempt(Value):
    """One attempt at one call: a line of ``<script>.calls``."""

    role: str
    op_id: str
    call: int
    attempt: int


class ScriptedProvider:
    """Follows a script; counts attempts in memory, or in a file if the script came from one."""

    def __init__(self, script: Script, calls: Path | None = None, *, name: str = "scripted") -> None:
        """``name``: of the model, by which its answers name it."""
        self._script = script
        self._name = name
        self._calls = calls
        self._attempts: list[ScriptedAttempt] = []
        self._read = 0

    @classmethod
    def from_file(cls, path: str, name: str = "scripted") -> "ScriptedProvider":
        """Load the script at ``path``; raises ``ModelFinal("script-broken")``."""
        try:
            script = Script.model_validate_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValidationError, UnicodeDecodeError) as error:
            raise ModelFinal(
                "script-broken",
                f"The model script {path!r} cannot be read: {error}. Correct it or name another.",
            ) from error
        return cls(script, Path(f"{path}.calls"), name=name)

    @property
    def attempts(self) -> Sequence[ScriptedAttempt]:
        """Every attempt so far, including those of earlier processes."""
        if self._calls is not None and self._calls.exists():
            self._read_on(self._calls)
        return tuple(self._attempts)

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Same as ``ask``, but raises for an empty reply or a refusal."""
        return checked_answer(request, await self.ask(request))

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        """Return the scripted answer for this role, call and attempt."""
        answer = await self._answer(request, hear)
        return answer if answer.provider == "demo" else answer.model_copy(update={"model": self._name})

    async def _answer(self, request: ModelRequest, hear: Hear | None) -> ModelResponse:
        attempt = self._begin(request)
        answer = next((answer for answer in self._script.answers if _fits(answer, attempt)), None)
        if answer and answer.fault and attempt.attempt <= answer.times:
            await speak(answer.heard, hear)
            return await _fail_by(answer, answer.fault, request)
        if answer and answer.speaks:
            await speak(answer.text or "", hear)
            return _answer_by(request, answer, attempt.call)
        if answer or self._script.otherwise == "demo":
            return await DemoProvider().ask(request, hear)
        raise ModelFinal(
            "script-exhausted",
            f"The script has no answer for call {attempt.call} of role {request.role!r}. Add one to it.",
        )

    def _begin(self, request: ModelRequest) -> ScriptedAttempt:
        earlier = self.attempts
        calls = list(dict.fromkeys(past.op_id for past in earlier if past.role == request.role))
        op_id = str(request.effect.op_id)
        attempt = ScriptedAttempt(
            role=request.role,
            op_id=op_id,
            call=calls.index(op_id) + 1 if op_id in calls else len(calls) + 1,
            attempt=1 + sum(past.role == request.role and past.op_id == op_id for past in earlier),
        )
        if self._calls is None:
            self._attempts.append(attempt)
        else:
            _append(self._calls, attempt.model_dump_json())
        return attempt

    def _read_on(self, calls: Path) -> None:
        """Read only what was appended since the last call: a run may make a thousand calls."""
        with calls.open("rb") as file:
            file.seek(self._read)
            new, end, _ = file.read().rpartition(b"\n")
        self._read += len(new + end)
        self._attempts += [ScriptedAttempt.model_validate_json(line) for line in new.splitlines()]


def _append(path: Path, line: str) -> None:
    """Append a line and sync it to disk, because the next step may be a crash."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def _fits(answer: ScriptedAnswer, attempt: ScriptedAttempt) -> bool:
    return (
        answer.role in {None, attempt.role}
        and answer.call in {None, attempt.call}
        and (answer.op is None or fnmatchcase(attempt.op_id, answer.op))
    )


async def _fail_by(answer: ScriptedAnswer, fault: Fault, request: ModelRequest) -> ModelResponse:
    match fault:
        case "hang":
            try:
                async with asyncio.timeout(request.timeout_s):
                    await asyncio.Event().wait()
            except TimeoutError:
                pass
            raise ModelUnavailable("model-timeout", "The scripted model hangs. The call is retried.")
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
            await asyncio.Event().wait()
            raise AssertionError
        case "stop":
            # As if an operator stopped the worker during a call.
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
            raise AssertionError
        case "half-json":
            return _response(request, _HALF_JSON, finish="length")
        case "empty":
            return _response(request, "")
        case "refusal":
            return _response(request, _REFUSAL, finish="refusal")
        case "rate-limit":
            raise ModelUnavailable(
                "model-rate-limited",
                "The scripted model asks us to wait. The call is retried.",
                retry_after_s=answer.retry_after_s,
                status="429",
            )
        case "unavailable":
            raise ModelUnavailable("model-unavailable", "The scripted model is away. The call is retried.")


def _answer_by(request: ModelRequest, answer: ScriptedAnswer, number: int) -> ModelResponse:
    calls = tuple(
        ToolCall(
            id=f"call_{number}_{position}" if call.id is None else call.id,
            name=call.name,
            arguments=_arguments(call),
        )
        for position, call in enumerate(answer.tool_calls, 1)
    )
    text = (answer.text or "") + "A" * answer.stretch
    return _response(request, text, calls, finish="tool" if calls else "stop", usage=answer.usage)


def _arguments(call: ScriptedCall) -> str:
    if isinstance(call.arguments, str):
        return call.arguments + "A" * call.stretch
    stretched = {"stretched": "A" * call.stretch} if call.stretch else {}
    return json.dumps(call.arguments | stretched, ensure_ascii=False)


def _response(
    request: ModelRequest,
    text: str,
    calls: tuple[ToolCall, ...] = (),
    *,
    finish: Literal["stop", "length", "refusal", "tool"] = "stop",
    usage: Usage | None = None,
) -> ModelResponse:
    return ModelResponse(
        text=text,
        model="scripted",
        provider="scripted",
        finish_reason=finish,
        usage=usage
        or Usage(
            input_tokens=estimate_request(request),
            output_tokens=estimate_answer(text, calls),
            cost_micros=0,
        ),
        tool_calls=calls,
        rung=request.output_rung if request.output_schema is not None else "text",
        demo=True,
    )
