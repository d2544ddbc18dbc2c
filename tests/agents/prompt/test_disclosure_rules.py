"""Invariants of sections: a tool is offered only together with the text of its section."""

from collections.abc import Iterator
from typing import Any, ClassVar

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section, Visibility
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.prompt.parameters import bind
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.prompt.section_tools import built_in_tools
from penwright.agents.state import SliceItem, StateView
from penwright.agents.tools.tool import Ok
from tests.support.agents.gardener import Holding, agent, section, tool
from tests.support.sweeps import examples

KEYS = ("a", "a-a", "a-a-a", "a-b", "b", "b-a")
"""Each section's key spells the keys above it, so that its own functions know it."""


class Switched(SliceItem):
    """A section was enabled or disabled, summarised or not."""

    event_name: ClassVar[str] = "test.switched"

    key: str
    what: str
    on: bool


def is_on(state: StateView, key: str, what: str, *, at_first: bool) -> bool:
    said = [each.on for each in state.all(Switched) if (each.key, each.what) == (key, what)]
    return said[-1] if said else at_first


def one(key: str, *, summarised: bool, armed: bool, children: tuple[Section, ...]) -> Section:
    def enabled(params: BaseModel | None, state: StateView) -> bool:
        return is_on(state, key, "enabled", at_first=True)

    def visibility(params: BaseModel | None, state: StateView) -> Visibility:
        return "summary" if is_on(state, key, "summarised", at_first=summarised) else "full"

    return section(
        key,
        body=f"<body of {key}>",
        summary=f"<summary of {key}>",
        enabled=enabled,
        visibility=visibility,
        tools=(tool(f"use-{key}"),) if armed else (),
        children=children,
    )


@st.composite
def definitions(draw: st.DrawFn) -> AgentDefinition:
    def grown(above: str) -> tuple[Section, ...]:
        own = [key for key in KEYS if key.rpartition("-")[0] == above]
        return tuple(
            one(key, summarised=draw(st.booleans()), armed=draw(st.booleans()), children=grown(key))
            for key in own
        )

    return agent(*grown(""))


OPENING = st.tuples(st.just("open"), st.lists(st.sampled_from(KEYS), min_size=1, max_size=3))
SWITCHING = st.tuples(
    st.sampled_from(["enabled", "summarised"]), st.tuples(st.sampled_from(KEYS), st.booleans())
)
STEPS = st.lists(OPENING | SWITCHING, max_size=8)


def places(definition: AgentDefinition) -> dict[str, PlacedSection]:
    return {place.section.key: place for place in definition.places}


def played(definition: AgentDefinition, steps: list[Any]) -> Iterator[tuple[Holding, str, str]]:
    """The state before the first and after every step, all that calls have answered so far, and the step."""
    state, told = Holding(), ""
    yield state, told, ""
    for kind, what in steps:
        if kind == "open":
            opening = built_in_tools(definition, bind(definition), {})[0]
            paths = [places(definition)[key].path for key in what]
            answer = opening.handler(opening.params.model_validate({"paths": paths}), state)  # type: ignore[arg-type]
            if isinstance(answer, Ok):
                state, told = state.after(answer.events), told + answer.text
        else:
            state = state.after([Switched(key=what[0], what=kind, on=what[1])])
        yield state, told, kind


def shown(definition: AgentDefinition, state: Holding) -> Rendered:
    return render(definition, bind(definition), state)


@settings(max_examples=examples(50))
@given(definitions(), STEPS)
def test_a_tool_is_offered_only_after_its_section_was_shown_in_full(
    definition: AgentDefinition, steps: list[Any]
) -> None:
    for state, told, _ in played(definition, steps):
        now = shown(definition, state)

        for name in now.tools:
            if name.startswith("use-"):
                assert f"<body of {name.removeprefix('use-')}>" in now.text + told


@settings(max_examples=examples(50))
@given(definitions(), STEPS)
def test_opening_never_changes_what_was_said_before(definition: AgentDefinition, steps: list[Any]) -> None:
    before = None
    for state, _, kind in played(definition, steps):
        now = shown(definition, state).text

        assert kind != "open" or now == before
        before = now


@settings(max_examples=examples(50))
@given(definitions(), STEPS)
def test_a_disabled_branch_is_not_rendered(definition: AgentDefinition, steps: list[Any]) -> None:
    for state, _, _ in played(definition, steps):
        now = shown(definition, state)
        for key, place in places(definition).items():
            gone = [each for each in KEYS if f"{key}-".startswith(f"{each}-")]
            if not all(is_on(state, each, "enabled", at_first=True) for each in gone):
                assert f"of {key}>" not in now.text
                assert f"use-{key}" not in now.tools
                assert place.path not in now.paths


@settings(max_examples=examples(50))
@given(definitions(), STEPS)
def test_the_number_of_a_section_never_changes(definition: AgentDefinition, steps: list[Any]) -> None:
    for state, told, _ in played(definition, steps):
        for line in (shown(definition, state).text + "\n" + told).splitlines():
            if line.startswith("#"):
                path = line.rpartition("(")[2].rstrip(")")
                assert line.split()[1] == next(each.number for each in definition.places if each.path == path)


@settings(max_examples=examples(50))
@given(definitions(), st.lists(st.sampled_from(KEYS)))
def test_a_section_opened_by_an_event_is_rendered_in_full_once(
    definition: AgentDefinition, keys: list[str]
) -> None:
    at = places(definition)
    state = Holding(tuple(SectionOpened(path=at[key].path) for key in keys))

    now = shown(definition, state)

    for key in keys:
        assert now.text.count(f"<body of {key}>") <= 1
        if at[key].path in now.paths:
            assert f"<body of {key}>" in now.text
