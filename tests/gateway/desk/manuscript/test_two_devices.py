"""Two devices, each with a desk of its own, on one PostgreSQL: in any order, nothing is lost silently."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.desk.manuscript.settings import Clashes, change, read
from gateway.desk.services import CommandStore
from gateway.desk.works import novels
from gateway.desk.works.documents import Document
from penwright.adapters.store import Store, open_store
from schemas.agent_state import AgentState, StateKey, Variable
from tests.support.gateway.services import Run, StageServices
from tests.support.sweeps import examples

pytestmark = pytest.mark.server

Setting = Literal["max_passes", "max_hunks"]
Step = tuple[int, Literal["read", "change"], Setting, int]
"""Which of the two devices does what, with which setting and value."""
STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(["read", "change", "change"]),
        st.sampled_from(["max_passes", "max_hunks"]),
        st.integers(1, 5),
    ),
    min_size=2,
    max_size=20,
)
_examples = count()


class DeviceServices(StageServices):
    """A desk with its own connection to the store that all devices share."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.shared = store

    @contextmanager
    def open_store(self) -> Iterator[CommandStore]:
        yield self.shared


@dataclass
class Device:
    """What one device knows: a copy that it made from events, and the version it read."""

    services: DeviceServices
    cursor: int = 0
    copy: AgentState | None = None
    seen: list[int] = field(default_factory=list)

    def catch_up(self, found: Document) -> None:
        with self.services.open_store() as store:
            for event in store.agent_states.events_after(found.key, self.cursor):
                self.cursor = event.cursor
                self.seen.append(event.version)
                values = {str(name): value for name, value in event.changes.given().items()}
                stamped = {"version": event.version, "last_modified": event.at}
                copy = self.copy or AgentState(key=found.key)
                self.copy = copy.model_copy(update=values | stamped)

    @property
    def version(self) -> int:
        return self.copy.version if self.copy else 0

    def value(self, name: Setting) -> int:
        return int(getattr(self.copy or AgentState(key=StateKey(novel="none")), name))


@pytest.fixture
def devices(database_url: str) -> Iterator[tuple[Device, Device]]:
    with ExitStack() as stack:
        stage = StageServices()
        opened = [stack.enter_context(closing(open_store(database_url, clock=stage.clock))) for _ in range(2)]
        first, second = (Device(DeviceServices(store)) for store in opened)
        yield first, second


@pytest.fixture
def novel(run: Run, services: StageServices, tmp_path: Path) -> novels.Novel:
    code, _, err = run("manuscript", "new", str(tmp_path / "tides"), "--title", "Low Tide", "--author", "M.")
    assert (code, err) == (0, "")
    return novels.at(services, tmp_path / "tides")


@pytest.mark.long
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plan=STEPS)
def test_in_any_order_a_change_is_stored_or_shown_as_a_conflict_and_both_catch_up(
    devices: tuple[Device, Device], novel: novels.Novel, plan: list[Step]
) -> None:
    found = Document(novel, f"scene {next(_examples)}")
    stored = 0
    for which, what, name, value in plan:
        device = devices[which]
        if what == "read":
            device.catch_up(found)
            continue
        now = read(device.services, found)
        theirs, mine = getattr(now, name), device.value(name)
        answer = change(device.services, found, {name: value}, based_on=device.version)
        if isinstance(answer, Clashes):
            (clash,) = answer.clashes
            assert (clash.name, clash.mine, clash.theirs.value) == (name, value, theirs)
            assert clash.theirs.version > device.version, "only what was changed meanwhile is a conflict"
            assert read(device.services, found) == now, "a conflict stores nothing"
        else:
            assert value == theirs or theirs == mine, "nobody's newer value was overwritten"
            assert getattr(answer.state, name) == value
            stored += bool(answer.changed)

    state = read(devices[0].services, found)
    for device in devices:
        device.catch_up(found)
        assert device.seen == list(range(1, stored + 1)), "each change once, in order"
        assert device.copy == (state if stored else None)
        device.cursor, device.copy, device.seen = 0, None, []


def test_of_two_that_change_one_setting_at_once_one_is_stored_and_the_other_shown(
    devices: tuple[Device, Device], novel: novels.Novel
) -> None:
    found = Document(novel, "-")
    for round_ in range(20):
        based_on = read(devices[0].services, found).version
        wanted: list[tuple[Device, int]] = [(devices[0], 10 + round_), (devices[1], 50 + round_)]
        with ThreadPoolExecutor(2) as both:
            answers = list(
                both.map(
                    lambda each, base=based_on: change(
                        each[0].services, found, {"max_passes": each[1]}, based_on=base
                    ),
                    wanted,
                )
            )
        lost = [each for each in answers if isinstance(each, Clashes)]
        assert len(lost) == 1
        (won,) = (each for each in answers if not isinstance(each, Clashes))
        assert lost[0].clashes[0].theirs.value == won.state.max_passes
        assert read(devices[1].services, found).max_passes == won.state.max_passes


def test_two_that_change_different_settings_at_once_are_both_stored(
    devices: tuple[Device, Device], novel: novels.Novel
) -> None:
    found = Document(novel, "-")
    wanted: tuple[dict[Variable, Any], ...] = ({"max_passes": 7}, {"max_hunks": 9})
    with ThreadPoolExecutor(2) as both:
        answers = list(
            both.map(
                lambda device, values: change(device.services, found, values, based_on=0), devices, wanted
            )
        )

    assert not any(isinstance(each, Clashes) for each in answers)
    now = read(devices[0].services, found)
    assert (now.version, now.max_passes, now.max_hunks) == (2, 7, 9)
