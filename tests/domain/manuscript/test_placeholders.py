"""Placeholders: how long a value lives is a type, and a value is never read as a template."""

import inspect
from collections.abc import Callable
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.manuscript import placeholders as known
from penwright.domain.manuscript.placeholders import (
    ACCUMULATING,
    EPHEMERAL,
    PLACEHOLDERS,
    STATIC,
    Accumulated,
    Sources,
    bulleted,
    only_kept,
    resolved,
    text_of,
)
from penwright.domain.manuscript.prompt_template import PromptTemplate
from penwright.errors import Refused
from schemas.agent_state import VARIABLES, StateChanges
from schemas.manuscript_roles import CritiqueHanded, Handed, PlannedSection, RunSettings, SectionOrder
from tests.support.each import for_each

SEED_STATIC = {"instructions", "max_passes", "min_score", "max_hunks", "max_targets"}
SEED_ACCUMULATING = {
    *("current_manuscript", "manuscript_word_count", "existing_citations", "section_plan"),
    *("sections_drafted", "format_guidance", "has_format_guidance", "pass_index", "last_history_entry"),
}
SEED_EPHEMERAL = {
    *("section_title", "section_summary", "section_word_count", "critique_summary", "critique_score"),
    *("action_items", "sentence_citation_target", "reason_citation_target"),
    *("section_title_citation_target", "evidence_type_citation_target"),
}
OURS = {
    *("legal_actions", "failed_operations", "already_identified_targets", "targets_wanted", "found_records"),
    *("lore", "title_of_manuscript", "sentence_before_citation_target", "sentence_after_citation_target"),
    "evidence",
}
NAMES = st.sampled_from(sorted(PLACEHOLDERS))
TRICKY = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(["{", "}", "{current_manuscript}", "$&", "\\1", "$$", "{min_score}", "a b", "\n"])
    ).map("".join),
)


def of_now(text: str = "Snow fell on the weir.") -> Callable[[], Accumulated]:
    return lambda: Accumulated(current_manuscript=text)


def sources(
    *handed: Handed, step: str = "revise-1", instructions: str = "Write.", text: str = "Snow."
) -> Sources:
    return Sources(step, RunSettings(instructions=instructions), of_now(text), handed)


def test_every_placeholder_has_the_name_and_lifecycle_of_the_tables() -> None:
    assert {each.name for each in STATIC} == SEED_STATIC
    assert {each.name for each in ACCUMULATING} == SEED_ACCUMULATING
    assert {each.name for each in EPHEMERAL} == SEED_EPHEMERAL | OURS
    assert len(PLACEHOLDERS) == len(STATIC) + len(ACCUMULATING) + len(EPHEMERAL)


@given(instructions=TRICKY, manuscript=TRICKY, names=st.lists(NAMES, max_size=4))
def test_a_value_that_looks_like_a_placeholder_stays_text(
    instructions: str, manuscript: str, names: list[str]
) -> None:
    template = PromptTemplate.parse("A {instructions} B {current_manuscript} C {instructions}")
    values = resolved(template.names, sources(instructions=instructions, text=manuscript))
    told = instructions or "none"

    assert template.fill(values) == f"A {told} B {manuscript} C {told}"


@given(
    pieces=st.lists(
        st.one_of(NAMES.map(lambda name: f"{{{name}}}"), st.sampled_from(["{", "}", "{ x}", "$x", "é"]))
    )
)
def test_a_template_filled_with_its_own_placeholders_is_itself(pieces: list[str]) -> None:
    text = " ".join(pieces)

    template = PromptTemplate.parse(text)

    assert template.fill({name: f"{{{name}}}" for name in PLACEHOLDERS}) == text


def test_an_unknown_placeholder_fails_when_the_template_is_parsed() -> None:
    with pytest.raises(ValueError, match="unknown placeholders: manuscript_text; known: instructions"):
        PromptTemplate.parse("Read {manuscript_text}.")


def test_json_examples_in_a_template_are_text() -> None:
    template = PromptTemplate.parse('Answer {"score": 0.5} or {}, {Name}, {{instructions}}.')

    assert template.fill({"instructions": "x"}) == 'Answer {"score": 0.5} or {}, {Name}, {x}.'


@given(texts=st.lists(st.text(min_size=1), min_size=2, max_size=5))
def test_what_accumulates_is_read_anew_for_each_prompt_and_once_in_it(texts: list[str]) -> None:
    heads = iter(texts)
    asked = Sources("s", RunSettings(instructions="w"), lambda: Accumulated(current_manuscript=next(heads)))

    prompts = [resolved(("current_manuscript", "pass_index"), asked)["current_manuscript"] for _ in texts]

    assert prompts == texts


@given(step=st.text(), other=st.text(), summary=st.text(min_size=1))
def test_an_ephemeral_value_is_refused_in_every_other_step(step: str, other: str, summary: str) -> None:
    handed = CritiqueHanded(for_step=step, critique_summary=summary)
    if step == other:
        assert resolved(["critique_summary"], sources(handed, step=other))["critique_summary"] == summary
        return

    with pytest.raises(Refused) as refused:
        resolved(["critique_summary"], sources(handed, step=other))

    assert refused.value.code == "ephemeral-outlived"


def test_a_prompt_without_the_value_that_it_needs_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        resolved(["section_title"], sources())

    assert refused.value.code == "ephemeral-missing"


def test_the_manager_may_be_asked_before_there_is_a_critique() -> None:
    values = resolved(["critique_score", "critique_summary", "action_items"], sources())

    assert set(values.values()) == {"none"}


@given(name=st.sampled_from(sorted(SEED_EPHEMERAL | OURS)), value=st.one_of(st.text(), st.integers()))
def test_no_ephemeral_value_enters_the_kept_state_under_its_name(name: str, value: object) -> None:
    with pytest.raises(Refused) as refused:
        only_kept({"pass_index": 1, name: value})

    assert refused.value.code == "ephemeral-kept"


@given(name=st.sampled_from(sorted(SEED_STATIC | SEED_ACCUMULATING)), within=st.sampled_from([list, tuple]))
def test_no_ephemeral_value_enters_the_kept_state_under_another_name(
    name: str, within: Callable[[list[object]], object]
) -> None:
    with pytest.raises(Refused):
        only_kept({name: within([SectionOrder(for_step="s", section_title="A", section_summary="B")])})


def test_what_accumulates_and_the_settings_may_be_kept() -> None:
    plan = PlannedSection(section_title="A", section_summary="B")

    only_kept({"section_plan": [plan.model_dump()], "instructions": "w", "version": 3, "pass_index": 1})


def test_the_kept_state_has_no_variable_for_an_ephemeral_value() -> None:
    assert not set(VARIABLES) & {each.name for each in EPHEMERAL}
    assert not set(StateChanges.model_fields) & {each.name for each in EPHEMERAL}


def test_every_field_of_the_present_is_a_placeholder_of_the_accumulating_kind() -> None:
    fields_now = {field.name for field in fields(Accumulated)}

    assert {each.name for each in ACCUMULATING} == fields_now | {"has_format_guidance"}


def test_every_value_that_is_handed_on_has_only_ephemeral_placeholders() -> None:
    handed = {kind for _, kind in inspect.getmembers(inspect.getmodule(Handed), inspect.isclass)}
    orders = {kind for kind in handed if issubclass(kind, Handed)} - {Handed}

    assert orders == {each.of for each in EPHEMERAL}


@given(items=st.lists(st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp", "Cs"]), min_size=1)))
def test_a_list_becomes_one_bullet_for_each_item(items: list[str]) -> None:
    text = bulleted(items)

    assert (
        text == "none"
        if not items
        else [line[2:] for line in text.split("\n")] == [item.strip() for item in items]
    )


def test_further_lines_of_an_item_stay_inside_its_bullet() -> None:
    assert bulleted(["one\n- two", "three"]) == "- one\n  - two\n- three"


@for_each(
    "value, text",
    [(True, "true"), (False, "false"), (0, "0"), (0.85, "0.85"), ("", "none"), (None, "none"), ((), "none")],
)
def test_plain_values_are_written_as_people_write_them(value: known.Shown, text: str) -> None:
    assert text_of(value) == text


def test_the_plan_is_a_list_with_states_and_word_counts() -> None:
    plan = (
        PlannedSection(
            section_title="Intro", section_summary="Why.", section_word_count=300, status="drafted"
        ),
        PlannedSection(section_title="Ends", section_summary="What."),
    )
    now = Accumulated(current_manuscript="", section_plan=plan)
    given_ = Sources("s", RunSettings(instructions="w"), lambda: now)

    assert resolved(["section_plan"], given_)["section_plan"] == (
        "- Intro (drafted, 300 words)\n  Why.\n- Ends (pending)\n  What."
    )
