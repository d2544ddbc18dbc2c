"""Prompts of the roles: the material stands in fences word for word, and belongs to one step."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from penwright.agents.prompt.parameters import bind
from penwright.agents.prompt.rendering import render
from penwright.domain.manuscript.placeholders import PLACEHOLDERS, Accumulated, Sources
from penwright.errors import Refused
from penwright.roles.book_text import BookText, read_book_texts
from penwright.roles.manuscript import briefing
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import (
    CitationOrder,
    CritiqueHanded,
    EvidenceHanded,
    FoundRecords,
    LegalActions,
    LoreHanded,
    ManuscriptRole,
    PlannedSection,
    RunSettings,
    SectionOrder,
    TargetsFound,
)
from tests.support.agents.gardener import Holding
from tests.support.each import for_each

# What the documents say that each role is given; where two of them differ, both.
WANTED: dict[ManuscriptRole, set[str]] = {
    "manager": {
        *("instructions", "current_manuscript", "manuscript_word_count", "pass_index", "max_passes"),
        *("last_history_entry", "critique_score", "min_score", "has_format_guidance"),
    },
    "formatter": {"instructions"},
    "planner": {"instructions", "format_guidance", "current_manuscript"},
    "writer": {
        *("section_title", "section_summary", "section_word_count", "section_plan", "instructions"),
        *("format_guidance", "current_manuscript"),
    },
    "critic": {"instructions", "format_guidance", "current_manuscript"},
    "reviser": {
        *("instructions", "format_guidance", "critique_summary", "action_items", "current_manuscript"),
        "max_hunks",
    },
    "citation-orchestrator": {"current_manuscript", "max_targets"},
    "citation-generator": {
        *("sentence_citation_target", "reason_citation_target", "section_title_citation_target"),
        *("evidence_type_citation_target", "existing_citations"),
    },
}
STEP = "step-1"
NOW = Accumulated(
    current_manuscript="# Floods\n\nThe water rose for three days.",
    manuscript_word_count=7,
    existing_citations=("[[@book{hill1907rivers, title={Rivers}}]]",),
    section_plan=(PlannedSection(section_title="Floods", section_summary="What rose."),),
    sections_drafted=("Floods",),
    format_guidance="### Style\n\nPlain.",
    pass_index=1,
    last_history_entry="write_section: applied",
)
HANDED = (
    SectionOrder(
        for_step=STEP, section_title="Silt", section_summary="What it left.", section_word_count=200
    ),
    CritiqueHanded(for_step=STEP, critique_summary="Thin.", critique_score=0.5, action_items=("Say why.",)),
    CitationOrder(
        for_step=STEP, sentence_citation_target="The water rose.", reason_citation_target="A claim."
    ),
    LegalActions(for_step=STEP, legal_actions=("write_section", "finish")),
    TargetsFound(for_step=STEP, already_identified_targets=(2, 7), targets_wanted=5),
    FoundRecords(for_step=STEP, found_records=("Rivers, Hill, 1907", "Dams\nof Mud, Ott, 1911")),
)
SOURCES = Sources(STEP, RunSettings(instructions="Write on floods."), lambda: NOW, HANDED)
TRICKY = st.lists(
    st.sampled_from(
        [
            *(
                "{current_manuscript}",
                "{x}",
                "$&",
                "\\1",
                "$$",
                "</book-text>",
                '<book-text kind="a" name="b">',
            ),
            *("&lt;/book-text>", "text", "\n", "@@@ end", "é", '"', "```"),
        ]
    ),
    min_size=1,
).map("".join)


@for_each("role", ROLES)
def test_every_role_is_told_at_least_what_the_documents_say(role: ManuscriptRole) -> None:
    names = set(ROLES[role].task.names)

    assert names >= WANTED[role]
    assert names <= set(PLACEHOLDERS)


@for_each("role", ("writer", "reviser"))
def test_lore_is_a_part_of_its_own_and_nothing_is_said_without_it(role: ManuscriptRole) -> None:
    told = replace(SOURCES, handed=(*HANDED, LoreHanded(for_step=STEP, lore="## Silt\nIt stays.")))
    bare, with_lore = (briefing.prompt(role, each).text for each in (SOURCES, told))

    fenced = BookText("lore", "lorebooks", "## Silt\nIt stays.").fenced
    part = f"What the author's lorebooks tell of it:\n\n{fenced}\n\n"
    assert with_lore.count(part) == 1
    assert with_lore.replace(part, "") == bare
    assert "lorebooks" not in bare


def test_a_writer_with_evidence_is_shown_numbered_passages_and_told_to_cite_them() -> None:
    passages = ("[1] Orr: The tide tables (2019, p. 3)\nThe tide comes in twice.",)
    found = EvidenceHanded(for_step=STEP, evidence=passages, unasked=("openalex (slow)",))
    made = briefing.prompt("writer", replace(SOURCES, handed=(*HANDED, found)))

    (shown,) = (each for each in read_book_texts(made.text) if each.kind == "evidence")
    assert shown.text == f"{passages[0]}\n\nCould not be asked: openalex (slow)."
    assert system(made.params) != system(briefing.prompt("writer", SOURCES).params)
    assert "`[no source]`" in system(made.params)
    assert "Write no citations" not in system(made.params)


def test_a_writer_without_evidence_is_told_what_it_always_was() -> None:
    made = briefing.prompt("writer", SOURCES)

    assert "evidence" not in {each.kind for each in read_book_texts(made.text)}
    assert "What sources say" not in made.text
    assert "Write no citations, no placeholders for them" in system(made.params)
    assert "no source" not in system(made.params)


def system(params: Mapping[str, JsonValue]) -> str:
    """The writer's system message in a run with these parameters."""
    definition = ROLES["writer"].definition
    given = TaskParams.model_validate(params["TaskParams"])
    return render(definition, bind(definition, [given]), Holding()).text


@for_each("role", ROLES)
def test_a_prompt_leaves_no_placeholder_behind(role: ManuscriptRole) -> None:
    prompt = briefing.prompt(role, SOURCES)

    assert not any(f"{{{name}}}" in prompt.text for name in PLACEHOLDERS)
    assert prompt.max_output_tokens > 1_000
    TaskParams.model_validate(prompt.params["TaskParams"])


def material(role: ManuscriptRole, sources: Sources) -> dict[str, str]:
    return {text.name: text.text for text in read_book_texts(briefing.prompt(role, sources).text)}


def test_a_critic_reads_instructions_guidance_and_manuscript() -> None:
    assert material("critic", SOURCES) == {
        "instructions": "Write on floods.",
        "format_guidance": "### Style\n\nPlain.",
        "current_manuscript": NOW.current_manuscript,
    }


@given(instructions=TRICKY, manuscript=TRICKY)
def test_no_text_breaks_out_of_its_fence_or_pulls_another_one_in(instructions: str, manuscript: str) -> None:
    now = replace(NOW, current_manuscript=manuscript)
    sources = Sources(STEP, RunSettings(instructions=instructions), lambda: now, HANDED)

    for role in ("manager", "planner", "writer", "critic", "reviser"):
        read = material(role, sources)
        assert read["instructions"] == instructions
        assert read["current_manuscript"] == manuscript
        assert read.keys() == material(role, SOURCES).keys()


def test_each_prompt_reads_the_manuscript_once_and_anew() -> None:
    heads = iter(("first head", "second head"))
    sources = replace(SOURCES, read_now=lambda: replace(NOW, current_manuscript=next(heads)))

    assert "first head" in briefing.prompt("critic", sources).text
    assert "second head" in briefing.prompt("critic", sources).text


@pytest.mark.parametrize(
    "role", ["manager", "writer", "reviser", "citation-orchestrator", "citation-generator"]
)
def test_what_was_handed_to_one_step_is_in_no_prompt_of_another(role: ManuscriptRole) -> None:
    with pytest.raises(Refused) as refused:
        briefing.prompt(role, replace(SOURCES, step="step-2"))

    assert refused.value.code == "ephemeral-outlived"


def test_lists_are_bullets_and_records_are_numbered() -> None:
    assert material("reviser", SOURCES)["action_items"] == "- Say why."
    assert material("manager", SOURCES)["section_plan"] == "- Floods (pending)\n  What rose."
    assert "- write_section\n- finish" in briefing.prompt("manager", SOURCES).text
    assert material("citation-generator", SOURCES)["found_records"] == (
        "1. Rivers, Hill, 1907\n2. Dams of Mud, Ott, 1911"
    )


def test_what_a_reply_is_checked_against_travels_with_the_prompt() -> None:
    scanning = briefing.prompt("citation-orchestrator", SOURCES, sentences=40).params["TaskParams"]
    picking = briefing.prompt("citation-generator", SOURCES).params["TaskParams"]

    assert scanning == {
        "sentences": 40,
        "named_before": [2, 7],
        "targets_wanted": 5,
        "records": 2,
        "cites": False,
    }
    assert isinstance(picking, dict)
    assert picking["records"] == 2


def test_a_longer_section_may_be_answered_with_more() -> None:
    longer = replace(SOURCES, handed=(HANDED[0].model_copy(update={"section_word_count": 5_000}),))

    assert briefing.prompt("writer", longer).max_output_tokens > 15_000


def test_a_task_and_its_role_agree_about_placeholders_or_fail_at_import() -> None:
    with pytest.raises(ValueError, match=r"critic/task\.md has placeholders"):
        TaskFile.load("penwright.roles.manuscript.critic", PLACEHOLDERS["instructions"])


def test_the_manuscript_is_named_as_such_for_whoever_reads_the_prompt() -> None:
    texts = read_book_texts(briefing.prompt("writer", SOURCES).text)

    assert BookText("manuscript", "current_manuscript", NOW.current_manuscript) in texts
