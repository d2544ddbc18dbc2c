"""The effects of an agent's run, in terms that two runs of the same script share."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Store, open_store
from schemas.agent_run import AgentRunResult, ChainHead
from schemas.records import Event
from tests.support.crash.disk_agents import Archive

_RUNS = "select run, stage, outcome, ended_at is null from runs order by run"
_MODEL_CALLS = "select op_id, state from model_calls order by op_id"


@dataclass(frozen=True)
class RunSummary:
    """Everything that must not depend on killed processes."""

    result: dict[str, Any]  # JSON
    messages: list[str]
    """Of the chain at the result's head, which is read again and so verified."""
    transcript: dict[str, list[tuple[Any, ...]]]  # JSON
    """By run and source: sequence, kind and data of each entry."""
    gaps: list[str]
    runs: list[tuple[Any, ...]]  # rows
    pages: dict[str, str]
    written: list[tuple[str, dict[str, Any]]]  # JSON
    sent: list[tuple[str, dict[str, Any]]]  # JSON
    model_calls: list[tuple[Any, ...]]
    """Op id and state: each is paid once."""

    def differences(self, other: "RunSummary") -> list[str]:
        """Differing fields, for people; empty if there are none."""
        mine, theirs = asdict(self), asdict(other)
        return [f"{name}: {mine[name]!r} != {theirs[name]!r}" for name in mine if mine[name] != theirs[name]]

    @property
    def turns_used(self) -> list[tuple[int, int]]:
        """Tokens in and out of each turn of the run and of its sub-agents."""
        data = [entry[-1] for entries in self.transcript.values() for entry in entries]
        return [(each["input_tokens"], each["output_tokens"]) for each in data if "output_tokens" in each]

    def without_failed_attempt(self, undisturbed: "RunSummary") -> "RunSummary":
        """The same with what one failed attempt of a turn was counted for taken off.

        Raises:
            AssertionError: not exactly one attempt was counted, with the tokens of one turn.
        """
        spent, usual = self.result["spent"], undisturbed.result["spent"]
        more = {name: spent[name] - usual[name] for name in usual}
        assert more["model_calls"] == 1, more
        assert (more["input_tokens"], more["output_tokens"]) in undisturbed.turns_used, more
        counted = {name: usual[name] for name in ("model_calls", "input_tokens", "output_tokens")}
        return replace(self, result={**self.result, "spent": {**spent, **counted}})

    def differences_but_for_the_letter(self, undisturbed: "RunSummary") -> list[str]:
        """Differences beside this: the agent is told that it is not known whether its letter was sent."""
        same = ("outcome", "code", "commit", "output")
        wrong = [
            f"{name} differs"
            for name in ("gaps", "runs", "pages", "written", "model_calls")
            if getattr(self, name) != getattr(undisturbed, name)
        ]
        wrong += [f"{name} differs" for name in same if self.result[name] != undisturbed.result[name]]
        wrong += [] if all(each in undisturbed.sent for each in self.sent) else ["another letter was sent"]
        wrong += [] if len(self.sent) <= 1 else ["the letter was sent twice"]
        changed = [
            mine for mine, usual in zip(self.messages, undisturbed.messages, strict=True) if mine != usual
        ]
        told = [text for text in changed if "send_letter" in text and "is not known" in text]
        return wrong if len(changed) == len(told) == 1 else [*wrong, f"told: {changed}"]


def summarise_run(result: AgentRunResult, archive: Archive, database_url: str) -> RunSummary:
    """Summarise the run of ``result`` from its folder and from a database that only it used."""
    store = open_store(database_url, clock=SystemClock(), pool_size=1)
    try:
        return _summary(result, archive, store, database_url)
    finally:
        store.close()


def _summary(result: AgentRunResult, archive: Archive, store: Store, database_url: str) -> RunSummary:
    def plain(value: Any) -> Any:  # Any: JSON
        return json.loads(json.dumps(_spelled_out(store, value)).replace(result.run_id, "RUN"))

    assert result.head is not None
    by_source = _by_source(store.records.events_after(0))
    return RunSummary(
        result=plain(result.model_dump(mode="json")),
        messages=[message.model_dump_json() for message in store.messages.messages(result.head)],
        transcript=plain(
            {source: [_entry(event) for event in events] for source, events in by_source.items()}
        ),
        gaps=[source for source, events in by_source.items() if _numbers(events) != _all_up_to(len(events))],
        runs=plain(
            _rows(database_url, "select run, stage, outcome, ended_at is null from runs order by run")
        ),
        pages=archive.pages,
        written=plain(archive.done("written")),
        sent=plain(archive.done("sent")),
        model_calls=plain(_rows(database_url, _MODEL_CALLS)),
    )


def _spelled_out(store: Store, value: Any) -> Any:  # Any: JSON
    """The value with its messages in place of each head of a chain: a run's heads are its own."""
    if isinstance(value, dict):
        if value.keys() == ChainHead.model_fields.keys():
            chain = store.messages.messages(ChainHead.model_validate(value))
            return [each.model_dump(mode="json") for each in chain]
        return {key: _spelled_out(store, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled_out(store, each) for each in value]
    return value


def _by_source(events: Sequence[Event]) -> Mapping[str, list[Event]]:
    def source(event: Event) -> str:
        return f"{event.run} {event.data['source']}"

    in_order = sorted(events, key=lambda event: (source(event), _number(event)))
    return {name: list(each) for name, each in groupby(in_order, key=source)}


def _entry(event: Event) -> tuple[Any, ...]:  # Any: JSON
    return (event.data["sequence"], event.kind, event.op_id, event.data)


def _number(event: Event) -> int:
    number = event.data["sequence"]
    assert isinstance(number, int)
    return number


def _numbers(events: Sequence[Event]) -> list[int]:
    return [_number(event) for event in events]


def _all_up_to(count: int) -> list[int]:
    return list(range(1, count + 1))


def _rows(database_url: str, query: str) -> list[tuple[Any, ...]]:  # rows
    url = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()
