"""A7 to A9: an override holds for the text it was written against; every text there is reaches the model."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.digests import text_digest
from penwright.agents.prompt.overridable import Address, descriptor
from penwright.agents.prompt.overrides import amended, resolve, seeded, texts_of, unknown_tag
from penwright.agents.prompt.rendering import Rendered
from penwright.agents.tools.offers import TextOverrides
from penwright.errors import NotFound, UsageMistake
from schemas.agent import SkippedOverride
from schemas.overrides import Override, OverrideSet
from tests.support.agents.gardener import Holding, Season, agent, gardener, rendered, section, tool
from tests.support.each import for_each

OTHER_EXAMPLE = '{"description": "A wet day.", "params": {"bed": "B", "litres": 1}}'
GARDENER = gardener()
SHED_OPEN = Holding((SectionOpened(path="shed"),))
ALL_OPEN = Holding(tuple(SectionOpened(path=path) for path in ("shed", "shed/cellar", "almanac")))


def a_set(*overrides: Override, definition: AgentDefinition | None = None) -> OverrideSet:
    known = definition or GARDENER
    return OverrideSet(namespace=known.namespace, key=known.key, tag="latest", overrides=overrides)


def an_override(at: Address, text: str, definition: AgentDefinition | None = None) -> Override:
    target = descriptor(definition or GARDENER)[at]
    return Override(path=target.path, field=target.field, expected=target.digest, text=text)


def a_text_for(at: Address) -> str:
    return OTHER_EXAMPLE if at[1] == "example" else f"CHANGED {at[0]}"


def resolved(*overrides: Override) -> TextOverrides:
    return texts_of(resolve(GARDENER, a_set(*overrides)))


def changed(
    body: str = "Sweep it.", summary: str = "A yard.", description: str = "To sweep."
) -> AgentDefinition:
    sweep = tool("sweep", description=description)
    return agent(section("yard", body=body, summary=summary, visibility="summary", tools=(sweep,)))


YARD: Mapping[Address, str] = {
    ("yard", "body"): "CHANGED body",
    ("yard", "summary"): "CHANGED summary",
    ("yard:sweep", "description"): "CHANGED description",
}


def yard_set() -> OverrideSet:
    return a_set(*(an_override(at, text, changed()) for at, text in YARD.items()))


def test_every_text_has_a_digest_of_its_own() -> None:
    described = descriptor(GARDENER)

    assert described["yard", "body"].digest == text_digest("Sweep it; $$5 a week.")
    assert described["beds:water", "description"].digest == text_digest("To water.")
    assert {field for _, field in described} == {"body", "summary", "description", "param", "example"}
    assert {"shed/drawer:label", "beds:water.litres", "beds:water#1"} <= {path for path, _ in described}


def test_names_types_and_structure_cannot_be_overridden() -> None:
    paths = {path for path, _ in descriptor(GARDENER)}

    assert [path for path in paths if "open_sections" in path or "pruning" in path] == []
    with pytest.raises(ValueError, match="field"):
        Override(path="yard", field="title", expected="", text="x")


@pytest.mark.parametrize(
    ("definition", "stale"),
    [
        (changed(), set()),
        (changed(body="Rake it."), {("yard", "body")}),
        (changed(summary="The yard."), {("yard", "summary")}),
        (changed(description="To brush."), {("yard:sweep", "description")}),
        (changed(body="Rake it.", summary="The yard."), {("yard", "body"), ("yard", "summary")}),
    ],
)
def test_exactly_the_stale_fields_are_skipped(definition: AgentDefinition, stale: set[Address]) -> None:
    found = resolve(definition, yard_set())

    assert {(skip.path, skip.field) for skip in found.skipped} == stale
    assert texts_of(found) == {at: text for at, text in YARD.items() if at not in stale}


def test_a_skipped_override_names_field_expected_and_found_digest() -> None:
    found = resolve(changed(summary="The yard."), yard_set())

    assert found.skipped == (
        SkippedOverride(
            path="yard", field="summary", expected=text_digest("A yard."), found=text_digest("The yard.")
        ),
    )


def test_an_override_of_a_removed_section_is_skipped() -> None:
    found = resolve(agent(section("other")), yard_set())

    assert found.texts == ()
    assert {(skip.path, skip.found) for skip in found.skipped} == {("yard", ""), ("yard:sweep", "")}


def test_an_example_is_stale_when_the_call_it_shows_has_changed() -> None:
    shown = descriptor(GARDENER)["beds:water#1", "example"]

    assert '"litres": 9' in shown.text
    assert shown.digest == text_digest(shown.text)


@given(data=st.data())
def test_drifted_overrides_are_skipped_and_the_others_apply(data: st.DataObject) -> None:
    known = descriptor(GARDENER)
    chosen = data.draw(st.lists(st.sampled_from(sorted(known)), unique=True))
    drifted = data.draw(st.sets(st.sampled_from(chosen))) if chosen else set()
    overrides = [an_override(at, a_text_for(at)) for at in chosen]
    aged = [
        each.model_copy(update={"expected": text_digest("older")})
        if (each.path, each.field) in drifted
        else each
        for each in overrides
    ]

    found = resolve(GARDENER, a_set(*aged))

    assert {(skip.path, skip.field) for skip in found.skipped} == drifted
    assert set(texts_of(found)) == set(chosen) - drifted


def where_it_shows(prompt: Rendered) -> str:
    return prompt.text + "".join(offer.model_dump_json() for offer in prompt.offers)


@for_each("at", sorted(descriptor(GARDENER)))
def test_every_text_that_can_be_overridden_reaches_the_model(at: Address) -> None:
    overrides = resolved(an_override(at, a_text_for(at)))
    wanted = "A wet day." if at[1] == "example" else f"CHANGED {at[0]}"

    states = (Holding(), SHED_OPEN, ALL_OPEN)

    assert [wanted in where_it_shows(rendered(state)) for state in states] == [False, False, False]
    assert any(wanted in where_it_shows(rendered(state, overrides)) for state in states)


def test_body_override_appears_only_once_the_section_is_open() -> None:
    overrides = resolved(
        an_override(("shed", "body"), "LONG TEXT"), an_override(("shed", "summary"), "SHORT TEXT")
    )

    closed, opened = rendered(None, overrides).text, rendered(ALL_OPEN, overrides).text

    assert "SHORT TEXT" in closed
    assert "LONG TEXT" not in closed
    assert "LONG TEXT" in opened


def test_overrides_leave_the_names_and_types_of_tools_as_they_are() -> None:
    overrides = resolved(*(an_override(at, a_text_for(at)) for at in descriptor(GARDENER)))

    before, after = rendered(ALL_OPEN), rendered(ALL_OPEN, overrides)

    assert list(after.tools) == list(before.tools)
    assert [sorted(offer.parameters["properties"]) for offer in after.offers] == [
        sorted(offer.parameters["properties"]) for offer in before.offers
    ]


BAD = [
    (("beds", "body"), "In $nane.", "$nane"),
    (("beds", "body"), "It costs $ 5.", "$ 5"),
    (("yard", "body"), "In $name.", "$name"),
    (("shed", "summary"), " \n", "empty"),
    (("beds:water", "description"), "", "1–1024"),
    (("beds:water", "description"), "x" * 1025, "1–1024"),
    (("beds:water.bed", "param"), "x" * 1025, "1024"),
    (("beds:water#1", "example"), "A wet day.", "example"),
    (("beds:water#1", "example"), '{"description": "Wet.", "params": {"bed": 7}}', "bed"),
    (("yard", "body"), "x" * 200_001, "200001"),
    (("yard", "body"), "half a pair \ud83d", "surrogate"),
]


@for_each("at, text, named", BAD)
def test_a_text_that_does_not_fit_is_refused_when_written_and_skipped_by_name_in_a_run(
    at: Address, text: str, named: str
) -> None:
    override, sound = an_override(at, text), an_override(("shed", "body"), "CHANGED")

    with pytest.raises(UsageMistake, match="do not fit") as written:
        amended(GARDENER, a_set(), override)
    run = resolve(GARDENER, a_set(override, sound))

    assert named in written.value.message
    assert texts_of(run) == {("shed", "body"): "CHANGED"}
    assert [(each.path, each.field) for each in run.skipped] == [at]
    assert repr(at[0]) in run.skipped[0].why


def test_a_stale_text_is_not_looked_at_any_further() -> None:
    stale = an_override(("beds", "body"), "In $nane.").model_copy(update={"expected": text_digest("older")})

    assert len(resolve(GARDENER, a_set(stale)).skipped) == 1


def test_writing_against_another_text_than_the_definition_has_raises() -> None:
    stale = an_override(("yard", "body"), "Rake it.").model_copy(update={"expected": text_digest("older")})

    with pytest.raises(UsageMistake) as caught:
        amended(GARDENER, a_set(), stale)

    assert caught.value.code == "override-stale"
    assert text_digest("older") in caught.value.message
    assert text_digest("Sweep it; $$5 a week.") in caught.value.message


@pytest.mark.parametrize(
    ("path", "field"), [("cellar", "body"), ("yard", "summary"), ("yard:water", "param")]
)
def test_overriding_a_missing_text_raises(path: str, field: str) -> None:
    override = Override.model_validate({"path": path, "field": field, "expected": "", "text": "x"})

    with pytest.raises(NotFound) as caught:
        amended(GARDENER, a_set(), override)

    assert caught.value.code == "override-unknown"
    assert repr(path) in caught.value.message


def test_a_text_written_again_takes_the_place_of_the_earlier_one() -> None:
    first, second = (an_override(("yard", "body"), text) for text in ("Rake it.", "Leave it."))

    found = amended(GARDENER, amended(GARDENER, a_set(), first), second)

    assert found.overrides == (second,)


def test_a_seed_holds_every_text_and_changes_nothing() -> None:
    seed = seeded(GARDENER, "spring")
    found = resolve(GARDENER, seed)

    assert seed.tag == "spring"
    assert {(each.path, each.field): each.text for each in seed.overrides} == {
        at: each.text for at, each in descriptor(GARDENER).items()
    }
    assert (found.texts, found.skipped, found.digest) == ((), (), "")


def test_no_set_at_all_is_a_set_that_changes_nothing() -> None:
    assert resolve(GARDENER, None) == resolve(GARDENER, a_set())


def test_override_digest_covers_effective_texts_in_any_order() -> None:
    one, two = an_override(("yard", "body"), "Rake it."), an_override(("shed", "summary"), "Closed.")
    other = an_override(("yard", "body"), "Leave it.")
    stale = an_override(("shed", "body"), "x").model_copy(update={"expected": "0" * 64})

    digest = resolve(GARDENER, a_set(one, two)).digest

    assert resolve(GARDENER, a_set(two, one, stale)).digest == digest
    assert resolve(GARDENER, a_set(other, two)).digest != digest
    assert len(digest) == 64


def test_another_agents_set_is_refused() -> None:
    with pytest.raises(UsageMistake) as caught:
        resolve(agent(section(params=Season), key="warden"), a_set())

    assert caught.value.code == "override-misplaced"
    assert "garden/keeper" in caught.value.message


def test_a_set_that_names_a_place_twice_is_refused() -> None:
    twins = [an_override(("yard", "body"), text) for text in ("Rake it.", "Leave it.")]

    with pytest.raises(UsageMistake) as caught:
        resolve(GARDENER, a_set(*twins))

    assert caught.value.code == "override-misplaced"
    assert "'yard'" in caught.value.message


def test_an_unknown_tag_error_lists_the_existing_tags() -> None:
    error = unknown_tag(GARDENER, "spirng", ("latest", "spring"))

    assert error.code == "override-tag-unknown"
    assert "'spirng'" in error.message
    assert "'latest', 'spring'" in error.message
