"""Knowledge of the agents on a document, now and before, and the exact prompt of each model call."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import JsonValue

from activities.agents.transcripts import run_of
from gateway.desk.services import CommandStore
from penwright.domain.manuscript.naming import words_of
from penwright.domain.manuscript.sections import bare_title
from penwright.domain.models.choice import answered_by
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, PenwrightError, UsageMistake
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead
from schemas.agent_state import (
    VARIABLES,
    ActionEntry,
    AgentState,
    CallEntry,
    PastValue,
    StateKey,
)
from schemas.base import BlobRef, OpId
from schemas.manuscript_roles import PlannedSection
from schemas.records import Event

_PAGE = 500
_PREPARED = "run-prepared"
_ANSWERED = "model-answered"
_COMPUTED = (
    *("has_format_guidance", "last_history_entry", "critique_score", "critique_summary", "action_items"),
    *("current_manuscript", "manuscript_word_count"),
)


@dataclass(frozen=True, slots=True)
class VariableView:
    """One variable and the values that it had."""

    name: str
    value: JsonValue
    past: tuple[PastValue, ...] = ()
    """Newest first, the present value included; of the history's entries the version is 0."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model, as the transcript of its agent's run has it."""

    op_id: str
    agent_run: str
    at: datetime
    model: str
    instead_of: str
    """The model that was away or refused, so that this one answered."""
    demo: bool
    finish_reason: str
    mistake: str
    """Code of why the reply could not be used; then it is not kept."""
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    prompt: BlobRef | None
    head: ChainHead | None
    overrides: str = ""
    """Tag of the override set with which the agent worked; empty: none."""

    @property
    def answered_by(self) -> str:
        """The model that answered, in whose place, and with which overrides."""
        said = answered_by([self.model], [self.instead_of])
        return f"{said}, overrides {self.overrides}" if self.overrides else said


@dataclass(frozen=True, slots=True)
class CallView:
    """A call with its texts."""

    call: ModelCall
    messages: tuple[AgentMessage, ...]
    """Exactly what the model was sent, the system text first."""
    reply: AgentMessage | None
    """None if it could not be used."""
    missing: str = ""
    """Reason why texts are not there: they were swept, or the call is older than this record."""


def state(store: CommandStore, key: StateKey) -> AgentState:
    """The variables as they are; the defaults if nothing was stored."""
    return store.agent_states.read(key) or AgentState(key=key)


def variables(store: CommandStore, key: StateKey) -> tuple[VariableView, ...]:
    """Every variable with its present value, those that are computed last."""
    now = state(store, key)
    stored = now.model_copy(update={"section_plan": _plan_now(now)}).model_dump(mode="json")
    return (
        *(VariableView(name, stored[name]) for name in VARIABLES),
        VariableView("has_format_guidance", bool(now.format_guidance.strip())),
        VariableView("last_history_entry", last_action(store, key)),
        VariableView("critique_score", next((each.value for each in _scores(store, key)), None)),
    )


def variable(store: CommandStore, key: StateKey, name: str, *, limit: int = 50) -> VariableView:
    """One variable with the values that it had.

    Raises:
        UsageMistake: ``unknown-variable``.
    """
    found = next((each for each in variables(store, key) if each.name == name), None)
    if found is None:
        names = [str(each) for each in (*VARIABLES, *_COMPUTED)]
        shows = f"`penwright manuscript show {words_of(key.novel, key.scene)}` prints the text"
        hint = f"known are: {', '.join(names)}; {shows}"
        raise UsageMistake(
            "unknown-variable", f"there is no variable {name!r}{meant(name, names)}", hint=hint
        )
    if name in VARIABLES:
        return VariableView(name, found.value, store.agent_states.past(key, name, limit=limit))
    past = {"last_history_entry": _told, "critique_score": _scores}.get(name)
    return VariableView(name, found.value, past(store, key)[:limit] if past else ())


def _plan_now(now: AgentState) -> tuple[PlannedSection, ...]:
    """The plan with what has been drafted of it since it was made."""
    drafted = {bare_title(title) for title in now.sections_drafted}
    return tuple(
        each.model_copy(update={"status": "drafted"}) if bare_title(each.section_title) in drafted else each
        for each in now.section_plan
    )


def _told(store: CommandStore, key: StateKey) -> tuple[PastValue, ...]:
    """List what the Manager was told of each action, newest first."""
    return tuple(_past(each, f"{each.action}: {each.summary}") for each in reversed(actions(store, key)))


def _scores(store: CommandStore, key: StateKey) -> tuple[PastValue, ...]:
    """List the scores by critics, newest first; the second entry of a worse revision is left out."""
    scored = (each for each in reversed(actions(store, key)) if each.score is not None and not each.code)
    return tuple(_past(each, each.score) for each in scored)


def _past(entry: ActionEntry, value: JsonValue) -> PastValue:
    return PastValue(version=0, at=entry.at, by=entry.run, op_id=entry.op_id, value=value)


def at_version(store: CommandStore, key: StateKey, version: int) -> AgentState:
    """The variables as they were.

    Raises:
        NotFound: ``unknown-version``.
    """
    found = store.agent_states.at(key, version)
    if found is None:
        newest = state(store, key).version
        raise NotFound(
            "unknown-version",
            f"version {version} of the agents' variables is not kept; the newest is {newest}",
            hint=f"`penwright manuscript inspect {words_of(key.novel, key.scene)}` shows the newest",
        )
    return found


def last_action(store: CommandStore, key: StateKey) -> str:
    """Describe the last action as the Manager is told of it; empty before the first one."""
    newest = store.agent_logs.newest(key, kind="action")
    if newest is None or not isinstance(newest.entry, ActionEntry):
        return ""
    return f"{newest.entry.action}: {newest.entry.summary}"


def actions(store: CommandStore, key: StateKey, *, run: str | None = None) -> tuple[ActionEntry, ...]:
    """Every action of all runs, or of one, oldest first."""
    entries = (logged for logged in _log(store, key, run))
    return tuple(entry for entry in entries if isinstance(entry, ActionEntry))


def history(store: CommandStore, key: StateKey, run: str = "") -> tuple[ActionEntry, ...]:
    """Every action of all runs, or of the one that ``run`` names, oldest first.

    Raises:
        NotFound: ``unknown-run``.
    """
    found = actions(store, key, run=run or None)
    if run and not found:
        raise NotFound(
            "unknown-run",
            f"no run of {key.novel}/{key.scene} is called {run!r}",
            hint=f"`penwright manuscript history {words_of(key.novel, key.scene)}` lists them; "
            "a run's name is the line above what it did",
        )
    return found


def calls(store: CommandStore, key: StateKey, *, run: str | None = None) -> tuple[ModelCall, ...]:
    """Every call of a model for a document, oldest first; a role may call more than once."""
    return tuple(
        call
        for entry in _log(store, key, run)
        if isinstance(entry, CallEntry)
        for call in calls_of(store, entry.op_id)
    )


def models_of(store: CommandStore, key: StateKey, run: str) -> tuple[tuple[str, ...], bool]:
    """The models that answered in a run, each once, and whether the demo model was one of them."""
    entries = [entry for entry in _log(store, key, run) if isinstance(entry, CallEntry)]
    names = dict.fromkeys(name for entry in entries for name in entry.models)
    return tuple(names), "demo" in names or any(entry.demo for entry in entries)


def calls_of(store: CommandStore, agent_run: str) -> tuple[ModelCall, ...]:
    """The calls that one run of an agent made."""
    tag, found = "", list[ModelCall]()
    for event in _events(store, agent_run):
        if event.kind == _PREPARED:
            tag = str(event.data.get("override_tag", ""))
        if event.kind == _ANSWERED:
            found.append(replace(_call(event, agent_run), overrides=tag))
    return tuple(found)


def call(store: CommandStore, op_id: OpId) -> CallView:
    """A call with its exact prompt and its reply, of any agent of any pipeline.

    Args:
        op_id: of the call, or the id of an agent's run, which stands for its last call.

    Raises:
        NotFound: ``unknown-call``.
    """
    agent_run, numbered, _ = op_id.rpartition("#")
    found = [each for each in calls_of(store, agent_run) if each.op_id == op_id] if numbered else []
    found = found or list(calls_of(store, op_id))
    if not found:
        raise NotFound(
            "unknown-call",
            f"no call of a model is known as {op_id!r}",
            hint="`penwright manuscript inspect NOVEL --calls` lists them",
        )
    return with_texts(store, found[-1])


def with_texts(store: CommandStore, asked: ModelCall) -> CallView:
    """A call with its texts, as far as they are still there."""
    if asked.prompt is None:
        return CallView(asked, (), None, "it was made by an older version, which kept no prompts")
    try:
        system = store.blobs.get(asked.prompt).decode("utf-8", "surrogatepass")
        kept = store.messages.messages(asked.head) if asked.head else ()
    except PenwrightError as error:
        return CallView(asked, (), None, error.message)
    said = [each.model_copy(update={"thought": ()}) for each in kept]
    sent = [AgentMessage(role="system", content=system)] if system else []
    if asked.mistake:
        return CallView(asked, (*sent, *said), None)
    return CallView(asked, (*sent, *said[:-1]), said[-1])


def _log(store: CommandStore, key: StateKey, run: str | None) -> Iterator[ActionEntry | CallEntry]:
    place = 0
    while page := store.agent_logs.read(key, after=place, run=run, limit=_PAGE):
        yield from (logged.entry for logged in page)
        place = page[-1].number


def _events(store: CommandStore, agent_run: str) -> Iterator[Event]:
    cursor = 0
    while page := store.records.events_after(cursor, run=run_of(agent_run), limit=_PAGE):
        yield from page
        cursor = page[-1].cursor


def _call(event: Event, agent_run: str) -> ModelCall:
    told = event.data
    prompt, head = told.get("prompt"), told.get("head")
    return ModelCall(
        op_id=str(told.get("op_id", "")),
        agent_run=agent_run,
        at=event.at,
        model=str(told.get("model", "")),
        instead_of=str(told.get("instead_of", "")),
        demo=bool(told.get("demo")),
        finish_reason=str(told.get("finish_reason", "")),
        mistake=str(told.get("mistake", "")),
        input_tokens=int(told.get("input_tokens", 0)),
        output_tokens=int(told.get("output_tokens", 0)),
        cost_micros=told.get("cost_micros"),
        prompt=BlobRef.model_validate(prompt) if prompt else None,
        head=ChainHead.model_validate(head) if head else None,
    )
