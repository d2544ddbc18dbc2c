"""Two devices change one document in any order, with lost answers: nothing is lost silently."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.adapters.store import Store, open_store
from penwright.domain.manuscript.agent_state import rebased
from penwright.ports.agents import AgentStates
from schemas.agent_state import (
    AgentState,
    StateChanges,
    StateConflict,
    StateEvent,
    StateKey,
    StateWritten,
    WriteState,
)
from schemas.base import OpId
from tests.adapters.store.builders import NOON, SetClock
from tests.support.doubles.store import memory_store
from tests.support.sweeps import examples

Text = Literal["instructions", "format_guidance"]
Step = tuple[int, Literal["write", "write both", "read", "repeat", "on top"], Text]
"""Which of the two devices does what, and with which variable."""

steps = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(["write", "write", "write both", "read", "repeat", "on top"]),
        st.sampled_from(["instructions", "format_guidance"]),
    ),
    min_size=2,
    max_size=25,
)
_examples = count()


@dataclass
class Device:
    """What one device knows."""

    name: str
    version: int = 0
    asked: list[WriteState] = field(default_factory=list)
    met: StateConflict | None = None
    copy: AgentState | None = None
    cursor: int = 0
    told: list[StateEvent] = field(default_factory=list)

    def catch_up(self, states: AgentStates, key: StateKey, limit: int = 2) -> None:
        """Reads the changes since the last time, and makes them on the own copy."""
        while page := states.events_after(key, self.cursor, limit=limit):
            for event in page:
                self.told.append(event)
                copy = self.copy or AgentState(key=key)
                new = {str(name): value for name, value in event.changes.given().items()}
                stamped = {"version": event.version, "last_modified": event.at}
                self.copy = copy.model_copy(update=new | stamped)
            self.cursor = page[-1].cursor


@dataclass
class History:
    """Everything that the devices were answered."""

    written: list[tuple[WriteState, StateWritten]] = field(default_factory=list)
    conflicts: list[tuple[WriteState, StateConflict]] = field(default_factory=list)


def run(states: AgentStates, key: StateKey, plan: list[Step]) -> tuple[History, tuple[Device, Device]]:
    """Carries the steps out, each value being another one."""
    history, devices = History(), (Device("phone"), Device("laptop"))
    for number, (which, what, variable) in enumerate(plan):
        device = devices[which]
        if what == "read":
            device.catch_up(states, key)
            device.version = device.copy.version if device.copy else 0
            continue
        request = _request(device, key, number, what, variable)
        if request is None:
            continue
        answer = states.write(request)
        device.asked.append(request)
        if isinstance(answer, StateConflict):
            device.met = answer
            history.conflicts.append((request, answer))
        else:
            device.met = None
            device.version = max(device.version, answer.state.version)
            history.written.append((request, answer))
    return history, devices


def _request(device: Device, key: StateKey, number: int, what: str, variable: Text) -> WriteState | None:
    if what == "repeat":
        return device.asked[-1] if device.asked else None
    if what == "on top":
        return rebased(device.asked[-1], device.met) if device.met else None
    value = f"{key.novel} {device.name} {number}"
    both = {"instructions": value, "format_guidance": value}
    changes = StateChanges.model_validate(both if what == "write both" else {variable: value})
    op_id = OpId(f"{key.novel}/{number}")
    return WriteState(
        key=key, changes=changes, base_version=device.version, op_id=op_id, by=device.name, at=NOON
    )


def check(states: AgentStates, key: StateKey, history: History, devices: tuple[Device, Device]) -> None:
    """The laws."""
    stored = {request.op_id: request for request, _ in history.written}
    for name in ("instructions", "format_guidance"):
        wanted = [value for each in stored.values() if (value := getattr(each.changes, name)) is not None]
        past = [each.value for each in states.past(key, name, limit=1_000) if each.value != ""]
        assert sorted(map(str, past)) == sorted(wanted), "a value that was stored is in the past, once"
    for request, met in history.conflicts:
        assert met.mine == request.changes, "a conflict gives back what was not stored"
        assert request.base_version != met.theirs.version
    state = states.read(key)
    versions = list(range(1, len(stored) + 1))
    assert (state.version if state else 0) == len(versions), "a conflict changes nothing"
    for device in devices:
        device.catch_up(states, key)
        assert [event.version for event in device.told] == versions, "each change once, in order"
        assert device.copy == state


@settings(max_examples=examples(300), deadline=None)
@given(plan=steps)
def test_nothing_is_lost_silently_in_memory(plan: list[Step]) -> None:
    states = memory_store(clock=SetClock()).agent_states
    key = StateKey(novel="tide")

    history, devices = run(states, key, plan)

    check(states, key, history, devices)


@pytest.fixture
def postgres(database_url: str) -> Iterator[Store]:
    with closing(open_store(database_url, clock=SetClock())) as store:
        yield store


@pytest.mark.server
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plan=steps)
def test_nothing_is_lost_silently_in_postgresql_and_the_double_agrees(
    postgres: Store, plan: list[Step]
) -> None:
    key = StateKey(novel=f"tide {next(_examples)}")

    history, devices = run(postgres.agent_states, key, plan)
    double = memory_store(clock=SetClock()).agent_states
    told, _ = run(double, key, plan)

    check(postgres.agent_states, key, history, devices)
    assert told == history
