"""A2 and A3: a branch brings and takes all it can do, and one state renders the same anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.definition.template import field_texts, fill
from penwright.agents.digests import json_digest, text_digest
from penwright.agents.prompt.parameters import bind, read
from penwright.agents.prompt.rendering import render
from penwright.agents.prompt.slice_tracking import slices_read
from penwright.agents.state import StateView
from penwright.errors import BrokenDefinition, UsageMistake
from tests.support.agents.gardener import (
    Holding,
    Locked,
    Named,
    Season,
    agent,
    gardener,
    in_spring,
    rendered,
    section,
    tool,
)

ROOT = Path(__file__).parents[2]
OPEN_SHED = Holding((SectionOpened(path="shed"),))
LOCKED_SHED = Holding((SectionOpened(path="shed"), Locked(locked=True)))


def test_a_disabled_branch_has_no_text_tools_skills_or_policies() -> None:
    before, after = rendered(OPEN_SHED), rendered(LOCKED_SHED)

    assert {"dig", "label"} <= set(before.tools)
    assert {"dig", "label"}.isdisjoint(after.tools)
    assert [skill.name for skill in before.skills] == ["pruning"]
    assert after.skills == ()
    assert [policy.name for policy in before.policies["label"]] == ["daylight", "gloves"]
    assert "label" not in after.policies
    assert [path for path in before.paths if path.startswith("shed")] == [
        "shed",
        "shed/drawer",
        "shed/cellar",
    ]
    assert [path for path in after.paths if path.startswith("shed")] == []
    assert "shed" not in after.text


def test_the_numbers_of_siblings_do_not_change_when_a_branch_is_disabled() -> None:
    assert "## 4 Yard (yard)" in rendered(OPEN_SHED).text
    assert "## 4 Yard (yard)" in rendered(LOCKED_SHED).text


def test_a_tool_that_vanished_is_still_known_to_the_definition() -> None:
    assert "dig" not in rendered(LOCKED_SHED).tools
    assert "dig" in gardener().tools


def test_a_heading_shows_number_title_and_path_at_its_depth() -> None:
    text = rendered(OPEN_SHED).text

    assert "## 2 Shed (shed)\n\nSpades and forks." in text
    assert "### 2.1 Drawer (shed/drawer)\n\nString and labels." in text


def test_text_and_tools_come_in_the_order_of_the_tree() -> None:
    shown = rendered(OPEN_SHED)

    assert list(shown.tools)[:3] == ["water", "dig", "label"]
    assert [offer.name for offer in shown.offers] == list(shown.tools)
    numbers = [line.split()[1] for line in shown.text.splitlines() if line.startswith("#")]
    assert numbers == ["1", "2", "2.1", "2.2", "3", "4"]


def test_placeholders_are_filled_and_doubled_dollars_are_single() -> None:
    text = rendered().text

    assert "It is spring, for 12 weeks." in text
    assert "Sweep it; $5 a week." in text


def test_a_dollar_in_a_value_is_not_a_placeholder() -> None:
    prompt = render(gardener(), bind(gardener(), [Season(name="$weeks $$ ${name}")]), Holding())

    assert "It is $weeks $$ ${name}, for 12 weeks." in prompt.text


@given(st.text(), st.integers(), st.none() | st.text())
def test_every_value_is_written_word_for_word(name: str, weeks: int, note: str | None) -> None:
    season = Season(name=name, weeks=weeks, note=note)

    assert fill("<$name|${weeks}|$note>", field_texts(season)) == f"<{name}|{weeks}|{note or ''}>"


def test_an_empty_body_still_has_its_heading() -> None:
    definition = agent(section("a", children=(section("b", body="B."),)))

    assert render(definition, bind(definition), Holding()).text == "## 1 A (a)\n\n### 1.1 B (a/b)\n\nB."


def test_examples_show_where_their_tool_can_be_called() -> None:
    example = 'Example of `water`: A dry day.\n- call: `{"bed": "A", "litres": 9}`'

    assert example in rendered().text


def test_an_offer_holds_the_strict_schema_of_its_arguments() -> None:
    water = next(offer for offer in rendered().offers if offer.name == "water")

    assert water.description == "To water."
    assert water.parameters["additionalProperties"] is False
    assert water.parameters["properties"]["bed"] == {"type": "string", "description": "Its letter."}
    assert water.parameters["required"] == ["bed"]


OVERRIDDEN = [
    (("beds", "body"), "Now it is $name.", "Now it is spring."),
    (("shed", "summary"), "Locked at night.", "Locked at night."),
    (
        ("beds:water#1", "example"),
        '{"description": "A wet day.", "params": {"bed": "B", "litres": 0}}',
        'A wet day.\n- call: `{"bed": "B", "litres": 0}`',
    ),
]


@pytest.mark.parametrize(("target", "text", "shown"), OVERRIDDEN)
def test_a_text_override_is_rendered(target: tuple[str, str], text: str, shown: str) -> None:
    assert shown in rendered(overrides={target: text}).text
    assert shown not in rendered().text


@pytest.mark.parametrize(
    "target", [("beds:water", "description"), ("beds:water.bed", "param"), ("beds:water.litres", "param")]
)
def test_a_tool_override_is_offered(target: tuple[str, str]) -> None:
    changed = rendered(overrides={target: "Anything new."})

    assert "Anything new." in changed.offers[0].model_dump_json()
    assert changed.tools_digest != rendered().tools_digest
    assert changed.digest == rendered().digest


def test_rendering_applies_summary_and_body_overrides_by_visibility() -> None:
    overrides = {("shed", "summary"): "SHORT", ("shed", "body"): "LONG"}

    closed, opened = rendered(overrides=overrides).text, rendered(OPEN_SHED, overrides).text

    assert ("SHORT" in closed, "LONG" in closed) == (True, False)
    assert ("SHORT" in opened, "LONG" in opened) == (False, True)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (("beds", "body"), "In $autumn."),
        (("beds:water#1", "example"), "not JSON"),
        (("beds:water#1", "example"), '{"description": "x", "params": {"plot": "B"}}'),
    ],
)
def test_an_override_that_does_not_fit_is_named(target: tuple[str, str], text: str) -> None:
    with pytest.raises(BrokenDefinition, match=target[0]) as caught:
        rendered(overrides={target: text})

    assert caught.value.code == "bad-override"


def test_parameter_sources_are_run_then_section_then_other_section() -> None:
    definition = agent(
        section("a", body="$name", params=Season),
        section("b", body="$name", params=Season, defaults=Season(name="own")),
        section("c", body="$name", params=Season, defaults=Season(name="its")),
    )

    def bodies(*values: BaseModel) -> list[str]:
        return render(definition, bind(definition, values), Holding()).text.split("\n\n")[1::2]

    assert bodies() == ["own", "own", "its"]
    assert bodies(Season(name="run")) == ["run", "run", "run"]


def test_an_unfilled_parameter_is_named_with_its_section() -> None:
    with pytest.raises(UsageMistake, match=r"'beds'.*'Season' \(name\)") as caught:
        render(gardener(), bind(gardener()), Holding())

    assert (caught.value.code, caught.value.details["path"]) == ("parameter-missing", "beds")


def test_parameters_are_read_from_json_by_the_name_of_their_type() -> None:
    assert read(gardener(), {"Season": {"name": "spring"}}) == in_spring()


@pytest.mark.parametrize(
    ("values", "code", "token"),
    [
        ({"Weather": {}}, "parameter-unknown", "Weather"),
        ({"Season": {"name": 3}}, "parameter-invalid", "Season.name"),
        ({"Season": {"name": "x", "mood": 1}}, "parameter-invalid", "Season.mood"),
        ({"Season": []}, "parameter-invalid", "Season"),
    ],
)
def test_an_invalid_parameter_is_named(values: dict[str, object], code: str, token: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        read(gardener(), values)  # type: ignore[arg-type]  # JSON, whatever its shape

    assert (caught.value.code, caught.value.details["token"]) == (code, token)


def test_a_type_of_parameters_is_given_once() -> None:
    with pytest.raises(UsageMistake, match="twice"):
        bind(gardener(), [Season(name="a"), Season(name="b")])


def raising(params: BaseModel | None, state: StateView) -> bool:
    raise LookupError("no key")


def vague(params: BaseModel | None, state: StateView) -> bool:
    return 1  # type: ignore[return-value]  # what the test is about


@pytest.mark.parametrize("condition", [raising, vague])
@pytest.mark.parametrize("token", ["enabled", "visibility"])
def test_a_condition_that_fails_is_a_broken_definition_with_its_section(
    condition: object, token: str
) -> None:
    definition = agent(section("a", children=(section("b", summary="S.", **{token: condition}),)))

    with pytest.raises(BrokenDefinition, match="'a/b'") as caught:
        render(definition, bind(definition), Holding())

    assert (caught.value.details["path"], caught.value.details["token"]) == ("a/b", token)


def test_conditions_below_a_disabled_section_are_not_evaluated() -> None:
    child = section("b", enabled=raising)
    definition = agent(section("x"), section("a", enabled=lambda params, state: False, children=(child,)))

    assert render(definition, bind(definition), Holding()).paths == ("x",)


def test_policies_are_inherited_from_every_ancestor_outermost_first() -> None:
    deep = section("c", tools=(tool("dig"),), policies=(Named(name="inner"),))
    definition = agent(
        section("a", policies=(Named(name="outer"),), children=(deep,), tools=(tool("rake"),)),
        policies=(Named(name="all"),),
    )

    gates = render(definition, bind(definition), Holding()).policies

    assert [policy.name for policy in gates["dig"]] == ["all", "outer", "inner"]
    assert [policy.name for policy in gates["rake"]] == ["all", "outer"]


def test_only_the_slices_that_conditions_ask_for_are_looked_at() -> None:
    assert slices_read(gardener(), in_spring(), Holding()) == (SectionOpened, Locked)


_RENDER_ANEW = """
from penwright.agents.definition.opened_sections import SectionOpened
from tests.support.agents.gardener import Holding, rendered
shown = rendered(Holding((SectionOpened(path="shed"),)), {("beds:water", "description"): "Water well."})
print(shown.digest, shown.tools_digest)
"""


def digests_under(hash_seed: str) -> list[str]:
    """As another process renders the gardener."""
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", _RENDER_ANEW]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ, cwd=ROOT)
    return done.stdout.split()


def test_two_processes_render_to_the_same_digests() -> None:
    here = rendered(OPEN_SHED, {("beds:water", "description"): "Water well."})

    assert digests_under("1") == digests_under("20030") == [here.digest, here.tools_digest]


def test_json_digest_ignores_key_order_only() -> None:
    assert text_digest("a") != text_digest("b")
    assert json_digest({"a": 1, "b": [1, 2]}) == json_digest({"b": [1, 2], "a": 1})
    assert json_digest([1, 2]) != json_digest([2, 1])


def test_rendering_changes_neither_definition_nor_state() -> None:
    definition: AgentDefinition = gardener()
    state = Holding((SectionOpened(path="shed"),))

    first = rendered(state, definition=definition)
    first.offers[0].parameters["properties"].clear()
    second = rendered(state, definition=definition)

    assert second.offers[0].parameters["properties"]
    assert second == rendered(Holding((SectionOpened(path="shed"),)), definition=definition)
