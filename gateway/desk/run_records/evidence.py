"""The files of a bundle: all that histories and the store know of a run of an agent."""

import asyncio
import base64
import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from activities.agents.conversation import Conversation
from activities.agents.transcripts import run_of
from activities.agents.turn import rendered_for
from activities.histories import payloads
from gateway.desk.agents import definitions as agents
from gateway.desk.agents.transcripts import entries_of
from gateway.desk.disclosure import Disclosure, Redactor
from gateway.desk.engine.agent_runs import Segment
from gateway.desk.services import CommandStore, Services
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.loop.transcript import gaps
from penwright.agents.prompt.overridable import descriptor
from penwright.errors import PenwrightError, Refused
from penwright.roles import catalogue
from penwright.roles.ink_planner.role_call import task_of as planners_task_of
from penwright.roles.ink_session_editor.role_call import task_of as editors_task_of
from penwright.roles.ink_writer.role_call import is_of_a_session, task_of
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    CallModel,
    ChainHead,
    EndRun,
    ModelAnswered,
    NewMessage,
    StoreMessages,
    TranscriptEntry,
)
from schemas.book_session import BookSessionInput, Brief

# Any, here and below: JSON.
Json = Any

_ORDERS: Mapping[str, type[CallModel | StoreMessages | EndRun]] = {
    "call_model": CallModel,
    "store_messages": StoreMessages,
    "end_run": EndRun,
}


@dataclass
class Account:
    """One run, or one sub-agent's, as its histories tell it."""

    given: AgentRunInput
    folder: str
    segments: list[Segment] = field(default_factory=list)
    turns: list[CallModel] = field(default_factory=list)
    entries: dict[int, TranscriptEntry] = field(default_factory=dict)
    head: ChainHead | None = None
    new: tuple[NewMessage, ...] = ()
    """Messages of the chain that ends at ``head``."""
    result: AgentRunResult | None = None
    state: AgentRunState | None = None
    """As a segment began; ``result`` has the last one."""

    @property
    def definition(self) -> str:
        """Digest that the run is pinned to; empty before its first turn."""
        return self.turns[-1].pins.definition if self.turns else ""


def accounts(run_id: str, segments: Sequence[Segment]) -> tuple[Account, ...]:
    """Each run of ``segments``, the one called ``run_id`` first, then those below it, or beside it.

    Raises:
        Refused: ``nothing-written``, for a session that never set its writer to work.
    """
    if is_of_a_session(run_id):
        return _of_a_session(run_id, segments)
    found: dict[str, Account] = {}
    for segment in segments:
        given = AgentRunInput.model_validate(_input(segment))
        name = segment.workflow_id.removeprefix(run_of(""))
        folder = "main" if name == run_id else f"sub-agents{_path(name.removeprefix(run_id))}"
        account = found.setdefault(segment.workflow_id, Account(given, folder))
        account.segments.append(segment)
        account.state = given.state or account.state
        _read(account, segment)
    return tuple(found.values())


def _of_a_session(run_id: str, segments: Sequence[Segment]) -> tuple[Account, ...]:
    """The runs of a session's writer, planner and editor, which live in the histories of their session."""
    given = BookSessionInput.model_validate(_input(segments[0]))
    tasks = {
        "main": ("brief_writer", task_of),
        "planner": ("brief_planner", planners_task_of),
        "editor": ("brief_editor", editors_task_of),
    }
    found = tuple(
        Account(task(given, brief), folder, list(segments))
        for folder, (activity, task) in tasks.items()
        if (brief := next((brief for each in segments for brief in _briefs(each, activity)), None))
    )
    if not found:
        raise Refused(
            "nothing-written",
            f"the session {given.session!r} of {given.book_id!r} has not set a writer of the house to work; "
            "nothing was written",
            hint=f"`penwright run show {run_id}` shows a run that has begun, "
            f"`penwright book log {given.book_id}` how the session ended",
        )
    for account in found:
        for segment in segments:
            _read(account, segment)
    return found


def _briefs(segment: Segment, activity: str) -> Iterator[Brief]:
    """The prompts that an activity made; none until one was sent."""
    events = segment.history["events"]
    asked = [each for each in events if _asks_for(each, activity)]
    for event in events:
        done = event.get("activityTaskCompletedEventAttributes")
        if done and any(each["eventId"] == done["scheduledEventId"] for each in asked):
            yield Brief.model_validate(_value(done["result"]))


def _asks_for(event: Mapping[str, Json], name: str) -> bool:
    order = event.get("activityTaskScheduledEventAttributes")
    return order is not None and order["activityType"]["name"] == name


def _path(name: str) -> str:
    """A folder; what a caller of Temporal named may hold anything."""
    safe = "".join(sign if sign.isalnum() or sign in "/-_" else "_" for sign in name)
    return safe if safe.startswith("/") else f"/{safe}"


def _read(account: Account, segment: Segment) -> None:
    """Put what a history says of the run into ``account``."""
    asked: set[str] = set()
    for event in segment.history["events"]:
        attributes = event.get("activityTaskScheduledEventAttributes")
        kind = _ORDERS.get(attributes["activityType"]["name"]) if attributes else None
        if attributes and kind and _is_of(account, order := kind.model_validate(_value(attributes["input"]))):
            _ordered(account, order)
            if isinstance(order, CallModel):
                asked.add(event["eventId"])
        done = event.get("activityTaskCompletedEventAttributes")
        if done and done["scheduledEventId"] in asked:
            _answered(account, ModelAnswered.model_validate(_value(done["result"])))


def _is_of(account: Account, order: CallModel | StoreMessages | EndRun) -> bool:
    """Whether it is an order of this run, not of another one in the same history."""
    run_id = order.result.run_id if isinstance(order, EndRun) else order.run_id
    return run_id == account.given.run_id


def _ordered(account: Account, order: CallModel | StoreMessages | EndRun) -> None:
    account.entries |= {entry.sequence: entry for entry in order.entries}
    account.head, account.new = order.head, order.new
    if isinstance(order, CallModel):
        account.turns.append(order)
    if isinstance(order, EndRun):
        account.result = order.result


def _answered(account: Account, answer: ModelAnswered) -> None:
    if answer.head is not None:
        account.head, account.new = answer.head, ()


def _input(segment: Segment) -> Json:
    return _value(segment.history["events"][0]["workflowExecutionStartedEventAttributes"]["input"])


def _value(encoded: Mapping[str, Json]) -> Json:
    """The one value of an input or a result."""
    (payload,) = encoded["payloads"]
    return json.loads(base64.b64decode(payload["data"]))


@dataclass
class Evidence:
    """Files of a bundle, by path, and what is to be said of them."""

    files: dict[str, Json] = field(default_factory=dict)
    """A text for ``.md``, a list of values for ``.jsonl``, one value for ``.json``."""
    runs: list[Json] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Parts that could not be obtained, in words."""


async def bundled(services: Services, run_id: str) -> tuple[Json, dict[str, Json]]:
    """The manifest's facts, and the files, of the bundle of a run and its sub-agents, without secrets.

    Raises:
        NotFound: ``unknown-run``.
        Refused: ``nothing-written``.
    """
    services.register_agents()
    async with services.engine() as engine:
        segments = await engine.agent_runs.segments(run_id)
    evidence = await asyncio.to_thread(_evidence, services, accounts(run_id, segments))
    about = {
        "run_id": run_id,
        "made_at": services.now().isoformat(),
        "runs": evidence.runs,
        "missing": evidence.missing,
    }
    return about, evidence.files


def _evidence(services: Services, found: Sequence[Account]) -> Evidence:
    with services.open_store() as store:
        return gathered(found, store, services.disclosure())


def gathered(found: Sequence[Account], store: CommandStore, disclosure: Disclosure) -> Evidence:
    """All that is known of a run and those below it, without secrets."""
    evidence = Evidence(files={"settings.json": dict(disclosure.settings), "environment.json": environment()})
    transcript: list[TranscriptEntry] = []
    for account in found:
        _add(evidence, account, store)
        transcript += _transcript(account, store)
    evidence.files["transcript.jsonl"] = [entry.model_dump(mode="json") for entry in transcript]
    evidence.missing += [f"transcript: {gap}" for gap in gaps(transcript)]
    for name in sorted({account.given.agent for account in found}):
        _add_definition(evidence, name)
    return _without_secrets(evidence, found, disclosure)


def _add(evidence: Evidence, account: Account, store: CommandStore) -> None:
    folder, given = account.folder, account.given
    for number, segment in enumerate(account.segments, 1):
        evidence.files[f"{folder}/history-{number:03}.json"] = dict(segment.history)
    began = account.segments[0].history["events"][0]["workflowExecutionStartedEventAttributes"]
    if began.get("continuedExecutionRunId"):
        evidence.missing.append(f"{folder}: Temporal has forgotten its oldest histories")
    evidence.files[f"{folder}/input.json"] = given.model_dump(mode="json", exclude={"state"})
    result = account.result
    evidence.files[f"{folder}/result.json"] = result.model_dump(mode="json") if result else None
    evidence.files[f"{folder}/state.json"] = _last_state(account)
    evidence.files[f"{folder}/messages.jsonl"] = _messages(evidence, account, store)
    evidence.files[f"{folder}/turns.jsonl"] = list(_turns(evidence, account, store))
    evidence.runs.append(
        {
            "folder": folder,
            "run_id": given.run_id,
            "workflow_id": account.segments[0].workflow_id,
            "agent": given.agent,
            "source": given.source,
            "definition": account.definition,
            "histories": len(account.segments),
            "outcome": result.outcome if result else "",
        }
    )


def _last_state(account: Account) -> Json:
    """The state that the run ended with; of one that has not, as its newest segment began."""
    if account.result is not None:
        return account.result.state.model_dump(mode="json")
    return account.state.slices.model_dump(mode="json") if account.state else None


def _messages(evidence: Evidence, account: Account, store: CommandStore) -> Json:
    conversation = Conversation(store.messages, store.blobs)
    try:
        kept = store.messages.messages(account.head) if account.head else ()
        whole = [*kept, *(conversation.whole(new) for new in account.new)]
    except PenwrightError as error:
        evidence.missing.append(f"{account.folder}: its messages: {error.message}")
        return []
    return [message.model_dump(mode="json", exclude={"thought"}) for message in whole]


def _turns(evidence: Evidence, account: Account, store: CommandStore) -> Iterator[Json]:
    """The model's prompt in each turn; equal prompts and manifests are kept once."""
    for number, order in enumerate(account.turns, 1):
        turn = {
            "turn": number,
            "op_id": order.effect.op_id,
            "kind": order.kind,
            "model_role": order.model_role,
            "max_output_tokens": order.max_output_tokens,
            "messages": (order.head.count if order.head else 0) + len(order.new),
            "prompt_digest": order.prompt_digest,
        }
        try:
            rendered = rendered_for(order, store.blobs)
        except PenwrightError as error:
            evidence.missing.append(f"{account.folder}: the prompt of turn {number}: {error.message}")
            yield turn
            continue
        prompt, tools = f"prompts/{rendered.digest}.md", f"tools/{rendered.tools_digest}.json"
        evidence.files[prompt] = rendered.text
        evidence.files[tools] = [offer.model_dump(mode="json") for offer in rendered.offers]
        if rendered.digest != order.prompt_digest:
            evidence.missing.append(
                f"{account.folder}: the prompt of turn {number}: this build renders another one"
            )
        yield {**turn, "prompt": prompt, "tools": tools}


def _transcript(account: Account, store: CommandStore) -> list[TranscriptEntry]:
    """The entries that the store has, and those that only a history has yet."""
    kept = entries_of(store.records, account.given.run_id)
    entries = account.entries | {entry.sequence: entry for entry in kept}
    return [entries[number] for number in sorted(entries)]


def _add_definition(evidence: Evidence, name: str) -> None:
    try:
        definition = catalogue.find(name).definition
    except PenwrightError as error:
        evidence.missing.append(f"definition: {error.message}")
        return
    texts = [
        {"path": each.path, "field": each.field, "digest": each.digest, "text": each.text}
        for each in descriptor(definition).values()
    ]
    made = {**agents.shown(definition), "digest": definition_digest(definition), "texts": texts}
    evidence.files[f"definitions/{name}.json"] = made


def environment() -> Json:
    """The machine and the packages; no environment variables."""
    packages = {found.metadata["Name"]: found.version for found in metadata.distributions()}
    return {
        "penwright": metadata.version("penwright"),
        "python": sys.version,
        "implementation": platform.python_implementation(),
        "os": platform.platform(),
        "machine": platform.machine(),
        "packages": dict(sorted(packages.items())),
    }


def _without_secrets(evidence: Evidence, found: Sequence[Account], disclosure: Disclosure) -> Evidence:
    hiding = Redactor(disclosure.secrets, spared=_names(found))
    for path, content in evidence.files.items():
        for value in _values(path, content):
            hiding.learn(value)
    evidence.files = {path: _hidden(path, content, hiding) for path, content in evidence.files.items()}
    evidence.missing = [hiding.text(each) for each in evidence.missing]
    return evidence


def _names(found: Sequence[Account]) -> set[str]:
    """Names that a replay goes by; to hide one would make the run another."""
    names = {account.given.agent for account in found}
    for name in list(names):
        try:
            definition = catalogue.find(name).definition
        except PenwrightError:
            continue
        names |= {*definition.tools, *(place.path for place in definition.places)}
    return names


def _values(path: str, content: Json) -> Iterator[Json]:
    yield content
    if "/history-" in path:
        yield from (plain for payload in payloads(content) if (plain := _plain(payload)) is not None)


def _hidden(path: str, content: Json, hiding: Redactor) -> Json:
    if "/history-" not in path:
        return hiding.hidden(content)
    for payload in payloads(content):
        _hide(payload, hiding)
    return _texts_hidden(content, hiding)


def _texts_hidden(content: Json, hiding: Redactor) -> Json:
    """The texts between payloads; names within an event are Temporal's own."""
    if isinstance(content, dict):
        if "metadata" in content and "data" in content:
            return content
        return {name: _texts_hidden(each, hiding) for name, each in content.items()}
    if isinstance(content, list):
        return [_texts_hidden(each, hiding) for each in content]
    return hiding.text(content) if isinstance(content, str) else content


def _hide(payload: dict[str, Json], hiding: Redactor) -> None:
    if "data" not in payload:
        return
    plain = _plain(payload)
    if plain is not None:
        text = json.dumps(hiding.hidden(plain), ensure_ascii=False, separators=(",", ":"))
    else:
        text = hiding.text(base64.b64decode(payload["data"]).decode("utf-8", "surrogateescape"))
    payload["data"] = base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


def _plain(payload: Mapping[str, Json]) -> Json:
    """The value of a payload that is JSON; None for any other."""
    if "data" not in payload:
        return None
    try:
        return json.loads(base64.b64decode(payload["data"]))
    except (ValueError, RecursionError):
        return None
