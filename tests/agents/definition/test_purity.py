"""A3: conditions and reducers are checked for impure calls before they run."""

import functools
import importlib
import os
import pkgutil
import random
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path, PurePosixPath
from random import choice
from time import monotonic as ticks
from types import FunctionType, ModuleType
from typing import Any, ClassVar

from pydantic import BaseModel

import penwright.domain
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.linting import findings, impurities
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.state import Append, Event, Reducer, SliceItem, StateView
from tests.support.agents.gardener import Locked, agent, gardener, looked, section, tool
from tests.support.each import for_each

START = datetime(2026, 1, 1, tzinfo=UTC)
HERE = Path("/")
DICE = random.Random(1)
COUNT = 0


def clock(params: object, state: StateView) -> bool:
    return time.time() > 0


def imported_clock(params: object, state: StateView) -> bool:
    return ticks() > 0


def calendar(params: object, state: StateView) -> bool:
    return datetime.now(UTC) > START


def today(params: object, state: StateView) -> bool:
    return date.today() > START.date()  # noqa: DTZ011  what the test is about


def environment(params: object, state: StateView) -> bool:
    return "HOME" in os.environ


def chance(params: object, state: StateView) -> bool:
    return choice([True, False])


def seeded(params: object, state: StateView) -> bool:
    return DICE.random() > 0.5


def identity(params: object, state: StateView) -> bool:
    return bool(uuid.uuid4())


def disk(params: object, state: StateView) -> bool:
    return bool(open("/etc/hostname"))


def folder(params: object, state: StateView) -> bool:
    return HERE.exists()


def hashed(params: object, state: StateView) -> bool:
    return hash("a") > 0


def imported_inside(params: object, state: StateView) -> bool:
    import secrets

    return secrets.randbelow(2) == 1


def counting(params: object, state: StateView) -> bool:
    global COUNT
    COUNT = 1
    return True


def through_another(params: object, state: StateView) -> bool:
    return clock(params, state)


def in_a_comprehension(params: object, state: StateView) -> bool:
    return all(time.time() > each for each in (1, 2))


def of_an_argument(params: Any, state: StateView) -> bool:
    return bool(params.os.environ)


@functools.cache
def cached(params: object, state: StateView) -> bool:
    return time.time() > 0


def closing_over(source: Callable[[], float]) -> Callable[[object, StateView], bool]:
    return lambda params, state: source() > 0


@dataclass(frozen=True)
class Chooser:
    def __call__(self, params: object, state: StateView) -> bool:
        return self._throw() > 3

    def _throw(self) -> int:
        return random.randint(1, 6)


IMPURE = [
    (clock, "time.time"),
    (imported_clock, "ticks"),
    (calendar, "datetime.now"),
    (today, "date.today"),
    (environment, "os.environ"),
    (chance, "choice"),
    (seeded, "DICE.random"),
    (identity, "uuid.uuid4"),
    (disk, "open"),
    (folder, "HERE.exists"),
    (hashed, "hash"),
    (imported_inside, "secrets"),
    (counting, "global COUNT"),
    (through_another, "time.time in clock"),
    (in_a_comprehension, "time.time"),
    (of_an_argument, "params.os.environ"),
    (cached, "time.time"),
    (closing_over(time.time), "source"),
    (functools.partial(through_another), "time.time in clock"),
    (Chooser(), "random.randint in self._throw"),
]


@for_each("function, named", IMPURE)
def test_impurities_names_the_impure_call_of_a_function(function: Callable[..., object], named: str) -> None:
    assert named in impurities(function)


def early(params: object, state: StateView) -> bool:
    return START + timedelta(days=1) > datetime(2026, 1, 1, tzinfo=UTC)


def spelled(params: object, state: StateView) -> bool:
    return PurePosixPath("a/b").name == "b" and len(sorted({"a", "b"})) == 2 and isinstance(params, BaseModel)


def keyed(params: object, state: StateView) -> bool:
    return uuid.uuid5(uuid.NAMESPACE_URL, "a") != uuid.UUID(int=0)


def interned(params: object, state: StateView) -> bool:
    return sys.intern("a") == "a" and sys.maxsize > 0


def of_a_field(params: Any, state: StateView) -> bool:
    return bool(params.now and params.today and params.time)


def recurring(params: object, state: StateView) -> bool:
    return state.latest(Locked) is None or recurring(params, state)


@for_each("function", [early, spelled, keyed, interned, of_a_field, recurring, lambda params, state: True])
def test_a_function_of_its_arguments_and_constants_is_pure(function: Callable[..., object]) -> None:
    assert impurities(function) == ()


def functions_of(package: ModuleType) -> Iterator[Callable[..., object]]:
    """Every function and method that the modules of a package define."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        held = vars(importlib.import_module(module.name)).values()
        own = [each for each in held if getattr(each, "__module__", "") == module.name]
        inside = [each for kind in own if isinstance(kind, type) for each in vars(kind).values()]
        functions = [each for each in (*own, *inside) if isinstance(each, FunctionType)]
        yield from (each for each in functions if each.__module__ == module.name)


def test_impurities_finds_nothing_in_the_domain() -> None:
    """The domain is kept pure by other checks, so every finding here would be false."""
    rules = [each for each in functions_of(penwright.domain) if each.__name__ != "__hash__"]

    assert len(rules) > 500
    assert impurities(*rules) == ()


class Watered(Event):
    event_name: ClassVar[str] = "garden.watered"


def with_time(state: StateView, event: Watered) -> Append[BaseModel]:
    return Append(Dry(at=time.time()))


class Dry(SliceItem):
    event_name: ClassVar[str] = "garden.dry"

    at: float

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Watered: with_time}


class Mood(SliceItem):
    event_name: ClassVar[str] = "garden.mood"

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Watered: lambda state, event: Append(choice([cls()]))}


class Moody(Policy):
    memory: ClassVar[tuple[type[SliceItem], ...]] = (Mood,)

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow() if random.random() > 0.5 else Deny(code="moody", reason="Not today.")


def hasty(params: Any, state: StateView) -> Any:
    return time.time()


def lint(definition: AgentDefinition) -> list[tuple[str, str, str]]:
    return [(each.code, each.path, each.token) for each in findings(definition)]


def test_lint_names_the_section_of_an_impure_function() -> None:
    inner = section("b", visibility=lambda params, state: choice(["full", "summary"]), summary="S.")
    hose = tool("hose", effect="pure", handler=hasty)
    definition = agent(section("a", enabled=environment, children=(inner,)), section("c", tools=(hose,)))

    assert lint(definition) == [
        ("impure", "a", "enabled"),
        ("impure", "a/b", "visibility"),
        ("impure", "c", "hose"),
    ]
    assert "'os.environ'" in str(findings(definition)[0])


def test_the_lint_names_impure_reducers_policies_and_finalizers() -> None:
    definition = agent(
        section("a", policies=(Moody(name="moody"),)),
        slices=(Dry,),
        finalize=lambda answer, state: choice([answer]),
    )

    assert lint(definition) == [
        ("impure", "a", "moody"),
        ("impure", "a", "moody"),
        ("impure", "", "garden.dry"),
        ("impure", "", "finalize"),
    ]


def test_a_sound_definition_has_no_findings() -> None:
    assert lint(gardener()) == []
    assert lint(agent(section(tools=(tool(effect="pure", handler=looked),)))) == []
