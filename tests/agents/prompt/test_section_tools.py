"""A4 and A5: opening a section is an ordinary tool call, and reading one changes nothing."""

import pytest
from pydantic import BaseModel

from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.prompt.rendering import render
from penwright.agents.prompt.section_tools import OPEN, READ, built_in_tools
from penwright.agents.state import StateView, apply, dump_state, empty_state, load_state, registry
from penwright.agents.tools.tool import Failed, Ok, ToolResult
from penwright.errors import BrokenDefinition
from tests.support.agents.gardener import (
    Holding,
    Locked,
    agent,
    gardener,
    in_spring,
    rendered,
    section,
    shed_open,
    tool,
)
from tests.support.each import for_each

LOCKED = Holding((Locked(locked=True),))


def asked(name: str, arguments: object, state: Holding) -> ToolResult:
    """Calls one of the library's own tools, offered or not."""
    own = {tool.name: tool for tool in built_in_tools(gardener(), in_spring(), {})}[name]
    params = own.params.model_validate(arguments)
    answer = own.handler(params, state)  # type: ignore[arg-type]  # it is pure, so it takes the state
    assert isinstance(answer, Ok | Failed)
    return answer


def opened(*paths: str, state: Holding | None = None) -> tuple[str, Holding]:
    """The answer of opening sections, and the state after the call has committed."""
    before = state or Holding()
    answer = asked(OPEN, {"paths": paths}, before)
    assert isinstance(answer, Ok), answer
    return answer.text, before.after(answer.events)


def not_opened(*paths: str, state: Holding | None = None) -> Failed:
    answer = asked(OPEN, {"paths": paths}, state or Holding())
    assert isinstance(answer, Failed)
    return answer


def read(path: str, state: Holding | None = None) -> ToolResult:
    return asked(READ, {"path": path}, state or Holding())


def test_a_summarised_section_shows_its_summary_and_hides_its_children() -> None:
    shown = rendered()

    assert "A shed with tools." in shown.text
    assert all(word not in shown.text for word in ("Spades", "Drawer", "pruning"))
    assert {"dig", "label"}.isdisjoint(shown.tools)
    assert shown.skills == ()
    assert [path for path in shown.paths if path.startswith("shed")] == ["shed"]


def test_a_summary_names_the_tool_that_opens_it() -> None:
    text = rendered().text

    assert "`open_sections` with `shed`" in text
    assert "`read_section` with `almanac`" in text


def test_section_tools_are_offered_only_while_usable() -> None:
    plain = agent(section(body="All is said."))
    no_shed = rendered(LOCKED)

    assert {OPEN, READ} <= set(rendered().tools)
    assert (OPEN in no_shed.tools, READ in no_shed.tools) == (False, True)
    assert render(plain, in_spring(), Holding()).offers == ()


def test_an_opened_section_shows_its_body_then_offers_its_tools() -> None:
    answer, after = opened("shed")

    assert answer.startswith("## 2 Shed (shed)\n\nSpades and forks.")
    assert "### 2.1 Drawer (shed/drawer)\n\nString and labels." in answer
    assert "Summary. Call `open_sections` with `shed`" not in answer
    assert {"dig", "label"} <= set(rendered(after).tools)
    assert [skill.name for skill in rendered(after).skills] == ["pruning"]


def test_opening_a_section_keeps_the_prompt_byte_for_byte() -> None:
    _, after = opened("shed")
    _, further = opened("shed/cellar", state=after)

    assert rendered(after).text == rendered(further).text == rendered().text
    assert rendered(after).tools_digest != rendered().tools_digest


def test_a_nested_summarised_section_needs_a_call_of_its_own() -> None:
    answer, after = opened("shed")
    deeper, further = opened("shed/cellar", state=after)

    assert "A cellar." in answer
    assert "Potatoes" not in answer
    assert "store" not in rendered(after).tools
    assert "Potatoes lie here." in deeper
    assert "store" in rendered(further).tools


def test_a_section_and_its_child_open_in_one_call_without_repeats() -> None:
    answer, after = opened("shed/cellar", "shed")

    assert answer.count("Potatoes lie here.") == answer.count("Spades and forks.") == 1
    assert {"dig", "store"} <= set(rendered(after).tools)
    assert rendered(after).text == rendered().text


def test_a_section_opened_by_an_event_is_rendered_in_full() -> None:
    text = rendered(Holding((SectionOpened(path="shed"),))).text

    assert "Spades and forks." in text
    assert "A shed with tools." not in text


def test_a_child_enabled_later_in_an_open_section_is_in_the_prompt() -> None:
    new = section(
        "shears", body="Sharp.", enabled=lambda _, state: bool(state.all(Locked)), tools=(tool("cut"),)
    )
    shed = section("shed", body="Full.", summary="Short.", visibility="summary", tools=(tool("dig"),))
    definition = agent(shed.model_copy(update={"children": (new,)}))
    own = built_in_tools(definition, in_spring(), {})[0]
    answer = own.handler(own.params.model_validate({"paths": ["shed"]}), Holding())  # type: ignore[arg-type]
    assert isinstance(answer, Ok)

    later = render(definition, in_spring(), Holding((*answer.events, Locked(locked=False))))

    assert "cut" in later.tools
    assert "Sharp." in later.text
    assert "Full." not in later.text


def test_disabling_an_open_section_withdraws_its_tools_meanwhile() -> None:
    _, after = opened("shed")

    locked = after.after([Locked(locked=True)])
    unlocked = locked.after([Locked(locked=False)])

    assert "dig" not in rendered(locked).tools
    assert "dig" in rendered(unlocked).tools


@pytest.mark.parametrize("paths", [("shed",), ("beds", "shed")])
def test_open_sections_opens_only_the_closed_ones(paths: tuple[str, ...]) -> None:
    answer, after = opened(*paths)

    assert "Spades" in answer
    assert "It is spring" not in answer
    assert [event.path for event in after.all(SectionOpened)] == ["shed"]


def test_only_when_all_are_open_is_opening_a_mistake() -> None:
    _, after = opened("shed")

    refused = not_opened("shed", "beds", state=after)

    assert refused.code == "already-open"
    assert "'shed', 'beds'" in refused.message


@for_each(
    "path, state, code",
    [
        ("attic", Holding(), "unknown-section"),
        ("2", Holding(), "unknown-section"),
        ("", Holding(), "unknown-section"),
        ("shed", LOCKED, "section-unavailable"),
        ("shed/cellar", LOCKED, "section-unavailable"),
        ("shed/cellar", Holding(), "section-inside-closed"),
    ],
)
def test_an_unavailable_section_is_refused_with_a_hint(path: str, state: Holding, code: str) -> None:
    not_read = read(path, state)
    assert isinstance(not_read, Failed)

    assert not_opened(path, "almanac", state=state).code == not_read.code == code
    assert not_opened(path, state=state).hint
    assert not_read.hint


def never(params: BaseModel | None, state: StateView) -> bool:
    return False


def test_a_section_disabled_from_the_start_is_not_told_apart_from_one_that_does_not_exist() -> None:
    inner = section("b", body="Full.", summary="Short.", visibility="summary")
    definition = agent(section("x"), section("a", enabled=never, children=(inner,)))
    opening, reading = built_in_tools(definition, in_spring(), {})
    for path, attic in (("a", "y"), ("a/b", "y/b")):
        for own, form in ((opening, '{{"paths": ["{}"]}}'), (reading, '{{"path": "{}"}}')):
            told, of_none = (
                own.handler(own.params.model_validate_json(form.format(each)), Holding())  # type: ignore[arg-type]
                for each in (path, attic)
            )
            assert isinstance(told, Failed)
            assert isinstance(of_none, Failed)
            assert (told.code, told.hint) == (of_none.code, of_none.hint)
            assert told.message == of_none.message.replace(attic, path)


def test_one_invalid_path_opens_no_section() -> None:
    assert not_opened("shed", "attic").events == ()


def test_paths_are_taken_with_blanks_and_outer_slashes() -> None:
    assert opened(" /shed/ ")[0] == opened("shed")[0]


def test_a_disabled_ancestor_above_an_enabled_section_is_noticed() -> None:
    inner = section("b", body="Full.", summary="Short.", visibility="summary")
    definition = agent(section("x"), section("a", enabled=shed_open, children=(inner,)))
    for own, arguments in zip(
        built_in_tools(definition, in_spring(), {}), ({"paths": ["a/b"]}, {"path": "a/b"}), strict=True
    ):
        params = own.params.model_validate(arguments)

        answer = own.handler(params, LOCKED)  # type: ignore[arg-type]  # as above

        assert isinstance(answer, Failed)
        assert answer.code == "section-unavailable"


def test_reading_three_times_changes_neither_state_nor_tools_nor_prompt() -> None:
    before = rendered()

    answers = [read("almanac") for _ in range(3)]

    assert answers == [Ok(text="## 3 Almanac (almanac)\n\nFrost until spring.")] * 3
    after = rendered(
        Holding().after([event for each in answers if isinstance(each, Ok) for event in each.events])
    )
    assert (after.text, after.offers) == (before.text, before.offers)


def test_a_section_with_tools_is_opened_not_read() -> None:
    refused = read("shed")

    assert isinstance(refused, Failed)
    assert (refused.code, "`open_sections`" in refused.hint) == ("open-instead", True)


def test_a_section_that_is_open_need_not_be_read() -> None:
    refused = read("beds")

    assert isinstance(refused, Failed)
    assert refused.code == "already-open"


def test_a_child_of_a_closed_section_without_tools_can_be_read() -> None:
    inner = section("b", body="Full b.", summary="Short b.", visibility="summary")
    outer = section("a", body="Full a.", summary="Short a.", visibility="summary", children=(inner,))
    definition = agent(outer)
    own = built_in_tools(definition, in_spring(), {})[1]

    answer = own.handler(own.params.model_validate({"path": "a/b"}), Holding())  # type: ignore[arg-type]

    assert answer == Ok(text="### 1.1 B (a/b)\n\nFull b.")


def test_a_skill_in_sight_is_listed_and_its_files_are_read() -> None:
    answer, after = opened("shed")

    assert "- Skill `pruning`: How to prune. (`read_section` with `shed:pruning`)" in answer
    assert read("shed:pruning", after) == Ok(text="Cut above the bud.")
    assert read("shed:pruning/SKILL.md", after) == Ok(text="Cut above the bud.")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("shed:weeding", "unknown-skill"),
        ("shed:pruning/../key", "unknown-file"),
        ("shed:pruning/pictures/bud.png", "not-text"),
        ("attic:pruning", "unknown-section"),
        ("beds:pruning", "unknown-skill"),
    ],
)
def test_a_skill_or_file_that_cannot_be_read_is_named(path: str, code: str) -> None:
    _, after = opened("shed")

    refused = read(path, after)

    assert isinstance(refused, Failed)
    assert refused.code == code


def test_a_skill_of_a_closed_section_cannot_be_read() -> None:
    refused = read("shed:pruning")

    assert isinstance(refused, Failed)
    assert refused.code == "unknown-skill"


def test_open_and_read_return_overridden_text() -> None:
    overrides = {("shed", "body"): "NEW SHED", ("almanac", "body"): "NEW DATES"}
    opening, reading = built_in_tools(gardener(), in_spring(), overrides)

    shed = opening.handler(opening.params.model_validate({"paths": ["shed"]}), Holding())  # type: ignore[arg-type]
    dates = reading.handler(reading.params.model_validate({"path": "almanac"}), Holding())  # type: ignore[arg-type]

    assert isinstance(shed, Ok)
    assert isinstance(dates, Ok)
    assert ("NEW SHED" in shed.text, "NEW DATES" in dates.text) == (True, True)


def test_the_opened_sections_survive_a_new_process() -> None:
    known = registry([SectionOpened, Locked])
    _, after = opened("shed")
    state = apply(empty_state(known), after.items)

    restored = load_state(dump_state(state), known)

    assert restored.all(SectionOpened) == after.all(SectionOpened)
    assert rendered_text(restored) == rendered(after).text


def rendered_text(state: object) -> str:
    return render(gardener(), in_spring(), state).text  # type: ignore[arg-type]


def test_a_changed_copy_of_a_definition_is_checked_too() -> None:
    with pytest.raises(BrokenDefinition, match="library's own"):
        gardener().model_copy(update={"sections": (section(tools=(tool(OPEN),)),)})
    assert gardener().model_copy(update={"sections": (section(),)}).outline[0].path == "beds"
