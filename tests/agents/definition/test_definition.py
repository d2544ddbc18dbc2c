"""A1: a definition is checked when it is declared, and the error names section and token."""

import functools
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict

from penwright.agents.definition.agent import Section, SkillFile
from penwright.agents.definition.output import hidden
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.definition.section_checks import RESERVED
from penwright.agents.guardrails.known_files import FileSeen
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Arguments, Tool, ToolExample
from penwright.errors import BrokenDefinition
from tests.support.agents.gardener import (
    Bed,
    Locked,
    Named,
    Season,
    agent,
    gardener,
    looked,
    no_work,
    section,
    skill,
    tool,
)
from tests.support.each import for_each


def never(params: BaseModel | None, state: StateView) -> bool:
    return False


async def later(params: BaseModel | None, state: StateView) -> bool:
    return True


def refused(*sections: Section, **changes: Any) -> BrokenDefinition:  # Any: any field of a definition
    with pytest.raises(BrokenDefinition) as caught:
        agent(*sections, **changes)
    return caught.value


def told(error: BrokenDefinition) -> tuple[str, str, str]:
    return error.code, error.details["path"], error.details["token"]


def read_season(arrival: RawReply) -> Season:
    return Season(name=arrival.text)


def test_json_that_nobody_reads_cannot_be_asked_for() -> None:
    for changes in ({"output": Season}, {"output": Season, "reads": read_season}):
        one = section(tools=(tool("dig"),)) if "reads" in changes else section()
        assert told(refused(one, wanted=Season, **changes)) == ("wanted-unread", "", "wanted")


def test_what_is_asked_for_is_the_output_unless_the_agent_reads_its_replies() -> None:
    assert agent(section(), output=Season).asks_for is Season
    assert agent(section(), output=Season, reads=read_season).asks_for is None
    assert agent(section(), output=Season, reads=read_season, wanted=Season).asks_for is Season
    assert agent(section()).asks_for is None


def test_a_sound_definition_is_declared() -> None:
    assert gardener().name == "garden/keeper"


def test_a_duplicate_tool_in_a_disabled_branch_is_refused_at_declaration() -> None:
    hidden = section("shed", enabled=never, children=(section("drawer", tools=(tool("dig"),)),))

    error = refused(section(tools=(tool("dig"),)), hidden)

    assert told(error) == ("duplicate-tool", "shed/drawer", "dig")
    assert "'beds'" in error.message


def test_an_unknown_placeholder_in_a_summary_is_refused_at_declaration() -> None:
    error = refused(section(body="$name", summary="In $season.", params=Season))

    assert told(error) == ("unknown-placeholder", "beds", "$season")
    assert "summary" in error.message
    assert "$name" in error.message


def test_a_lone_dollar_in_a_body_is_refused_at_declaration() -> None:
    error = refused(section(children=(section("price", body="It costs\n$ 5 a week"),)))

    assert told(error) == ("lone-dollar", "beds/price", "$ 5 a week")


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_tool_with_a_reserved_name_is_refused_at_declaration(name: str) -> None:
    assert told(refused(section(tools=(tool(name),)))) == ("reserved-name", "beds", name)


@pytest.mark.parametrize("body", ["$name", "${name}", "for $nobody"])
def test_a_section_without_params_has_no_placeholders(body: str) -> None:
    assert refused(section(body=body)).code == "unknown-placeholder"


@pytest.mark.parametrize("body", ["${name", "${}", "ends with $", "$1", "$é"])
def test_a_dollar_begins_a_placeholder_or_is_doubled(body: str) -> None:
    assert refused(section(body=body, params=Season)).code == "lone-dollar"


def test_all_problems_of_a_definition_are_reported_at_once() -> None:
    error = refused(section("Beds", body="$x"), section("yard", tools=(tool("final_answer"),)))

    assert all(word in error.message for word in ("'Beds'", "'$x'", "'final_answer'"))


def test_an_error_names_the_agent_and_ends_with_advice() -> None:
    error = refused(section(body="$x"))

    assert "garden/keeper" in error.message
    assert error.details["hint"]


@for_each("key", ["", "Beds", "a/b", "a.b", "a b", "a:b", "x" * 65])
def test_a_key_that_could_not_be_part_of_a_path_is_refused(key: str) -> None:
    assert told(refused(section(key, title="T"))) == ("bad-key", key, key)


def test_siblings_do_not_share_a_key_but_cousins_may() -> None:
    twins = section("a", children=(section("x"), section("x")))
    cousins = (section("a", children=(section("x"),)), section("b", children=(section("x"),)))

    assert told(refused(twins)) == ("duplicate-key", "a/x", "x")
    assert agent(*cousins)


@pytest.mark.parametrize("name", ["Dig", "dig it", "", "x" * 65, "dig.deep"])
def test_a_tool_name_that_providers_do_not_take_is_refused(name: str) -> None:
    assert told(refused(section(tools=(tool(name),)))) == ("bad-tool-name", "beds", name)


@pytest.mark.parametrize("description", ["", "  ", "x" * 1025])
def test_a_tool_description_has_a_length_limit(description: str) -> None:
    assert refused(section(tools=(tool(description=description),))).code == "bad-description"


def test_examples_are_of_exactly_the_declared_types() -> None:
    class Plot(Bed):
        pass

    as_params = tool("dig", examples=(ToolExample(description="One.", params=Plot(bed="A")),))
    as_result = tool(
        "dig", examples=(ToolExample(description="One.", params=Bed(bed="A"), result=Bed(bed="B")),)
    )

    assert told(refused(section(tools=(as_params,)))) == ("bad-example", "beds", "dig#1")
    assert told(refused(section(tools=(as_result,)))) == ("bad-example", "beds", "dig#1")


def test_an_example_is_one_that_a_model_could_write() -> None:
    unchecked = Bed.model_construct(bed="A", litres="many")  # type: ignore[arg-type]  # as tests may do
    wrong = ToolExample(description="One.", params=unchecked)

    with pytest.warns(UserWarning, match="litres"):
        error = refused(section(tools=(tool("dig", examples=(wrong,)),)))

    assert told(error) == ("bad-example", "beds", "dig#1")
    assert "litres" in error.message


async def run_by_a_worker(extra: int, params: BaseModel, context: object) -> None: ...


@pytest.mark.parametrize(
    ("effect", "handler"),
    [("pure", no_work), ("read", looked), ("workspace-write", looked), ("external", looked)],
)
def test_a_pure_tool_has_a_plain_handler_and_every_other_an_async_one(effect: str, handler: object) -> None:
    assert told(refused(section(tools=(tool("dig", effect=effect, handler=handler),)))) == (
        "bad-handler",
        "beds",
        "dig",
    )


def test_a_handler_may_be_partial_and_must_take_two() -> None:
    filled = tool("dig", handler=functools.partial(run_by_a_worker, 1))
    unfilled = tool("dig", handler=run_by_a_worker)

    assert agent(section(tools=(filled,)))
    assert refused(section(tools=(unfilled,))).code == "bad-handler"


class Loose(BaseModel):
    bed: str


class Nested(Arguments):
    inner: Loose | None = None


class Bag(Arguments):
    beds: tuple[frozenset[str], ...] = ()


class Listed(Arguments):
    beds: list[str]


class Unspeakable:
    pass


class Odd(Arguments):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    odd: Unspeakable


@pytest.mark.parametrize(
    ("kind", "named"),
    [(Loose, "Loose"), (Nested, "Loose"), (Bag, "Bag.beds"), (Listed, "Listed.beds"), (Odd, "Odd")],
)
def test_params_are_frozen_ordered_and_have_a_schema(kind: type[BaseModel], named: str) -> None:
    of_tool = refused(section(tools=(tool("dig", params=kind),)))
    of_section = refused(section(params=kind))

    assert (of_tool.code, of_section.code) == ("bad-params", "bad-params")
    assert named in of_tool.message
    assert named in of_section.message


def test_defaults_are_of_the_sections_params() -> None:
    assert told(refused(section(defaults=Season(name="x")))) == ("bad-defaults", "beds", "Season")


def test_two_types_of_params_do_not_share_a_name() -> None:
    twin = type("Season", (Arguments,), {})

    assert told(refused(section("a", params=Season), section("b", params=twin))) == (
        "duplicate-params",
        "b",
        "Season",
    )


@pytest.mark.parametrize("condition", [later, lambda state: True])
def test_a_condition_is_a_plain_function_of_params_and_state(condition: object) -> None:
    assert told(refused(section(enabled=condition))) == ("bad-condition", "beds", "enabled")
    assert told(refused(section(visibility=condition, summary="Short."))) == (
        "bad-condition",
        "beds",
        "visibility",
    )


@pytest.mark.parametrize("visibility", ["summary", lambda params, state: "full"])
def test_a_summarisable_section_without_a_summary_is_refused(visibility: object) -> None:
    assert told(refused(section(visibility=visibility))) == ("no-summary", "beds", "visibility")


def test_a_skill_is_a_folder_with_its_manifest_in_bounds() -> None:
    none = skill(files=())
    outside = skill(files=(*skill().files, SkillFile(path="../key", content=b"")))
    heavy = skill(files=(*skill().files, SkillFile(path="big", content=b"x" * (1024 * 1024 + 1))))

    assert told(refused(section(skills=(none,)))) == ("bad-skill", "beds", "SKILL.md")
    assert told(refused(section(skills=(outside,)))) == ("bad-skill", "beds", "../key")
    assert told(refused(section(skills=(heavy,)))) == ("bad-skill", "beds", "big")
    assert refused(section(skills=(skill("Pruning"),))).details["token"] == "Pruning"
    assert told(refused(section(skills=(skill(),)), section("b", skills=(skill(),)))) == (
        "duplicate-skill",
        "b",
        "pruning",
    )


def test_two_policies_of_one_name_would_share_a_memory_and_are_refused() -> None:
    class Other(Named):
        strict: bool = True

    shared = Named(name="gloves")

    error = refused(section(policies=(shared,)), policies=(Other(name="gloves"),))

    assert (error.code, error.details["token"]) == ("duplicate-policy", "gloves")
    assert agent(section(policies=(shared,)), policies=(shared,))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"namespace": ".x"}, "bad-name"),
        ({"key": "Keeper"}, "bad-name"),
        ({"version": 0}, "bad-version"),
        ({"repairs": -1}, "bad-repairs"),
        ({"sections": ()}, "no-sections"),
    ],
)
def test_the_definition_itself_is_in_order(changes: dict[str, object], code: str) -> None:
    assert refused(section(), **changes).code == code


def test_a_policy_for_an_undeclared_tool_is_refused() -> None:
    class Of(Named):
        about: str

        @property
        def tools(self) -> frozenset[str]:
            return frozenset({self.about})

    sound = section("a", policies=(Of(name="gate", about="dig"),))

    assert agent(sound, section("b", tools=(tool("dig"),)))
    assert told(refused(sound)) == ("unknown-tool", "a", "gate")


def test_an_event_of_a_tool_that_no_slice_takes_is_refused() -> None:
    dig = section("a", tools=(tool("dig", events=(Locked, FileSeen)),))

    assert agent(dig, slices=(Locked,))
    assert told(refused(dig)) == ("unknown-event", "a", "dig")


def test_a_slice_that_cannot_be_one_is_refused() -> None:
    assert refused(section(), slices=(Season,)).code == "bad-slice"


def test_a_hidden_output_field_without_a_default_is_refused() -> None:
    class Report(BaseModel):
        words: Annotated[int, hidden()]

    error = refused(section(), output=Report)

    assert told(error) == ("hidden-without-default", "", "Report")


def test_the_tools_of_every_branch_are_known_by_name() -> None:
    assert list(gardener().tools) == ["water", "dig", "label", "store"]
    assert isinstance(gardener().tools["dig"], Tool)
