"""Replies of the manuscript roles: read leniently in form, strictly in meaning, and never guessed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.calls.results import LONGEST_TOLD
from penwright.errors import ModelMistake
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.manuscript.edit_reply import OPERATIONS
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import (
    Critiqued,
    Decided,
    Edited,
    GeneratorAnswer,
    Guided,
    ManuscriptRole,
    Planned,
    PlannedSection,
    Targeted,
)
from schemas.patching import Operation
from tests.support.agents.role_replies import GOOD, PICKED, PICKING, blobs, read
from tests.support.each import for_each

JSON_ROLES: tuple[ManuscriptRole, ...] = tuple(
    name for name, role in ROLES.items() if role.definition.wanted is not None
)


def critique(**changes: Any) -> str:
    """A critic's reply with changed fields, of any type."""
    return json.dumps({"critique_summary": "Good.", "score": 0.5, "action_items": ["Cut it."]} | changes)


def code_of(found: object) -> str:
    assert isinstance(found, ModelMistake), found
    return found.code


def score_of(written: str) -> object:
    return read("critic", f'{{"critique_summary": "Good.", "score": {written}, "action_items": []}}')


@for_each("role", GOOD)
def test_a_good_reply_is_read(role: ManuscriptRole) -> None:
    found = read(role, GOOD[role])

    assert type(found) is ROLES[role].definition.output


@for_each("role", GOOD)
@for_each("text", ["", "  \n\t"])
def test_an_empty_reply_is_a_failure_of_every_role(role: ManuscriptRole, text: str) -> None:
    assert code_of(read(role, text)) == "empty-reply"


@for_each("role", GOOD)
def test_a_reply_that_stopped_at_the_token_limit_is_refused_whole(role: ManuscriptRole) -> None:
    assert code_of(read(role, GOOD[role], cut_off=True)) == "cut-off"


@pytest.mark.parametrize("role", JSON_ROLES)
def test_an_object_is_found_in_fences_prose_and_thoughts(role: ManuscriptRole) -> None:
    good = read(role, GOOD[role])
    around = (
        f"<think>Maybe {{}}? Or {GOOD[role][:40]}</think>\n{GOOD[role]}",
        f"Here is what {{section_plan}} needs:\n```json\n{GOOD[role]}\n```\nAnything else?",
        f"```\n{GOOD[role]}\n```",
        GOOD[role][:-1] + ",}",
    )

    assert [read(role, text) for text in around] == [good] * len(around)


@pytest.mark.parametrize("role", JSON_ROLES)
def test_an_object_without_its_end_is_never_completed(role: ManuscriptRole) -> None:
    for end in range(1, len(GOOD[role])):
        found = read(role, GOOD[role][:end])
        assert isinstance(found, ModelMistake), GOOD[role][:end]


def test_of_two_objects_the_last_one_is_meant() -> None:
    found = read("critic", f"{critique(score=0.2)}\nOn second thoughts:\n{critique(score=0.6)}")

    assert isinstance(found, Critiqued)
    assert found.score == 0.6


@for_each(
    "written, score",
    [("0.85", 0.85), ('"0.85"', 0.85), ('" .5 "', 0.5), ('"1"', 1.0), ("1", 1.0), ("0", 0.0), ("1.0", 1.0)],
)
def test_a_score_is_a_number_also_where_it_is_written_as_text(written: str, score: float) -> None:
    found = score_of(written)

    assert isinstance(found, Critiqued)
    assert found.score == score


@for_each(
    "written",
    [
        *('"85%"', '"8/10"', "1.7", "8", "null", "true", "false", "NaN", "-3", "Infinity", '"NaN"', '"N/A"'),
        *(
            '"-0"',
            '""',
            '"0.8 of 1"',
            '"0,8"',
            "[0.8]",
            '{"value": 0.8}',
            '"٠.٥"',
            "1e400",
            '"1e-1"',
            "1.0001",
        ),
    ],
)
def test_anything_else_is_no_score_and_there_is_no_default(written: str) -> None:
    found = score_of(written)

    assert code_of(found) == "invalid-output"
    assert "score" in str(found)


@given(score=st.floats())
def test_a_score_outside_its_range_is_never_taken(score: float) -> None:
    found = score_of(json.dumps(score))

    assert isinstance(found, Critiqued) is (0 <= score <= 1)


@pytest.mark.parametrize(
    "keys",
    [
        ("critique_summary", "score", "action_items"),
        ("critic_summary", "score", "action_items"),
        ("critiqueSummary", "Score", "Action Items"),
        (" 'critique_summary' ", "critique_score", '"action_items"'),
        ("CRITIQUE-SUMMARY", "SCORE", "actionItems"),
    ],
)
def test_keys_may_differ_in_case_spaces_and_quotes(keys: tuple[str, str, str]) -> None:
    found = read("critic", json.dumps(dict(zip(keys, ("Good.", 0.5, ["Cut it."]), strict=True))))

    assert found == read("critic", critique())


@pytest.mark.parametrize("extra", ["confidence", "rating", "scores"])
def test_an_unknown_key_is_an_error_that_names_it(extra: str) -> None:
    found = read("critic", critique(**{extra: 1}))

    assert code_of(found) == "invalid-output"
    assert extra in str(found)


def test_one_field_under_two_names_is_an_error() -> None:
    assert "'score' is given twice" in str(read("critic", critique(Score=0.9)))


@for_each(
    "items, taken",
    [
        (["a", "b"], ("a", "b")),
        ("a", ("a",)),
        ("- a\n* b\n\n3. c", ("a", "b", "c")),
        ([{"item": "a"}, {"text": "b", "priority": 1}], ("a", "b")),
        (["a", "  ", ""], ("a",)),
        ([], ()),
    ],
)
def test_items_are_texts_however_they_are_listed(items: object, taken: tuple[str, ...]) -> None:
    found = read("critic", critique(action_items=items))

    assert isinstance(found, Critiqued)
    assert found.action_items == taken


@for_each("items", [None, 3, True, {"a": "b"}, [["a"]], [1], [None], [{"a": "b", "c": "d"}], ["x"] * 61])
def test_what_is_no_list_of_texts_is_an_error(items: object) -> None:
    assert code_of(read("critic", critique(action_items=items))) == "invalid-output"


LATEX = r"\textbf{a} \ref{b} \beta \frac{1}{2} \noindent \usepackage{c} \section{d} \% \{ \alpha_1 \newline"


@pytest.mark.parametrize("written", [LATEX, LATEX.replace("\\", "\\\\")], ids=["single", "doubled"])
def test_backslashes_of_latex_survive_json(written: str) -> None:
    found = read(
        "critic", f'{{"critique_summary": "{written}", "score": 0.5, "action_items": ["{written}"]}}'
    )

    assert isinstance(found, Critiqued)
    assert found.critique_summary == LATEX
    assert found.action_items == (LATEX,)


def test_a_line_break_before_a_word_stays_one() -> None:
    found = read(
        "critic", r'{"critique_summary": "One.\nThen \u00e9t\u00e9.\n\nnu", "score": 0.5, "action_items": []}'
    )

    assert isinstance(found, Critiqued)
    assert found.critique_summary == "One.\nThen été.\n\nnu"


@pytest.mark.parametrize("sign", ["\\u0000", "\\u0008", "\\u001b", "\\r", "\\ud800"])
def test_control_characters_are_refused(sign: str) -> None:
    found = read("critic", f'{{"critique_summary": "a {sign} b", "score": 0.5, "action_items": []}}')

    assert code_of(found) == "invalid-output"


def test_the_manager_decides() -> None:
    found = read("manager", '{"Action": "Write Section", "reasoning": "Next.", "parameters": null}')

    assert found == Decided(action="write_section", reasoning="Next.", model="some-model")


@for_each(
    "text",
    [
        '{"action": "dance", "reasoning": "Why not."}',
        '{"action": "finish"}',
        '[{"action": "finish", "reasoning": "Done."}]',
        '{"action": "finish", "reasoning": ""}',
        '"finish"',
        "finish",
    ],
)
def test_what_is_no_decision_is_asked_again(text: str) -> None:
    assert code_of(read("manager", text)) in {"invalid-output", "no-json"}


def test_a_plan_keeps_order_titles_and_what_is_drafted() -> None:
    found = read(
        "planner",
        json.dumps(
            {
                "Sections": [
                    {"title": "## *Dams*", "summary": "a", "word count": "120", "status": "Complete"},
                    {
                        "section_title": "Silt",
                        "section_summary": "b",
                        "section_word_count": 80.0,
                        "status": None,
                    },
                ]
            }
        ),
    )

    assert found == Planned(
        section_plan=(
            PlannedSection(
                section_title="Dams", section_summary="a", section_word_count=120, status="drafted"
            ),
            PlannedSection(section_title="Silt", section_summary="b", section_word_count=80),
        ),
        model="some-model",
    )


@for_each(
    "sections, code",
    [
        ([], "empty-plan"),
        ([("A", 1), ("a", 2)], "twin-titles"),
        ([("1. Method", 1), ("Results", 1), ("Method", 2)], "twin-titles"),
        ([("Method  one", 1), ("**Method one**", 2)], "twin-titles"),
        ([("", 1)], "invalid-output"),
        ([("##", 1)], "invalid-output"),
        ([("A", "about 200")], "invalid-output"),
        ([("A", -5)], "invalid-output"),
        ([("A", 2.5)], "invalid-output"),
        ([("A", [])], "invalid-output"),
        ([("A", None)], "invalid-output"),
        ([(f"T{at}", 1) for at in range(61)], "invalid-output"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_asked_again(sections: list[tuple[str, object]], code: str) -> None:
    listed = [
        {"section_title": title, "section_summary": "s", "section_word_count": words}
        for title, words in sections
    ]

    assert code_of(read("planner", json.dumps({"sections": listed}))) == code


def test_sections_whose_titles_differ_in_more_than_their_number_are_no_twins() -> None:
    titles = ("1. Method", "2. Method and material", "3. Methods")
    listed = [{"section_title": title, "section_summary": "s", "section_word_count": 1} for title in titles]

    found = read("planner", json.dumps({"sections": listed}))

    assert isinstance(found, Planned)
    assert tuple(each.section_title for each in found.section_plan) == titles


@pytest.mark.parametrize(("sections", "fits"), [(12, True), (13, False), (30, False)])
def test_a_plan_too_large_for_a_message_is_asked_again_by_name(sections: int, fits: bool) -> None:
    listed = [
        {"section_title": f"T{at}", "section_summary": "é" * 1_950, "section_word_count": 1}
        for at in range(sections)
    ]

    found = read("planner", json.dumps({"sections": listed}, ensure_ascii=False))

    assert isinstance(found, Planned) if fits else code_of(found) == "oversize-reply"


def test_guidance_is_kept_as_text_without_its_fence() -> None:
    kept = blobs()
    texts = (
        "### Style\n\nPlain.",
        "```markdown\n### Style\n\nPlain.\n```",
        '{"format_guidance": "### Style\\n\\nPlain."}',
    )
    found = [read("formatter", text, kept=kept) for text in texts]

    assert all(isinstance(each, Guided) and each == found[0] for each in found)
    assert isinstance(found[0], Guided)
    assert kept.get(found[0].format_guidance) == b"### Style\n\nPlain."
    assert found[0].words == 3


@for_each("status", [[], {}, 1, True, "half", ["drafted"]])
def test_a_section_is_pending_or_drafted_and_nothing_else(status: object) -> None:
    section = {"section_title": "A", "section_summary": "s", "section_word_count": 1, "status": status}

    assert code_of(read("planner", json.dumps({"sections": [section]}))) == "invalid-output"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("***", "no-guidance"),
        ('{"sections": []}', "json-reply"),
        ("a\x00b", "control-character"),
        ("word " * 9_000, "oversize-reply"),
    ],
)
def test_what_is_no_guidance_is_asked_again(text: str, code: str) -> None:
    assert code_of(read("formatter", text)) == code


def test_operations_in_json_are_taken_too_character_for_character() -> None:
    kept = blobs()
    text = json.dumps(
        {
            "status": "Satisfied",
            "rationale": "r",
            "operations": [
                {"find": " a\n", "replace": "$$x$$ \\ref{y} $& \\1\n", "count": "2"},
                {"find": "b", "replace": "", "count": "ALL", "section_title": "S", "kind": "Insert After"},
                {"kind": "append", "replace": "c"},
            ],
        }
    )

    found = read("reviser", text, kept=kept)

    assert isinstance(found, Edited)
    assert (found.status, found.rationale, found.count) == ("satisfied", "r", 3)
    assert OPERATIONS.validate_json(kept.get(found.operations)) == (
        Operation(find=" a\n", replace="$$x$$ \\ref{y} $& \\1\n", count=2),
        Operation(kind="insert_after", find="b", replace="", count="ALL", section="S"),
        Operation(kind="append", replace="c"),
    )


@pytest.mark.parametrize(
    "operations",
    [
        [{"find": "a"}],
        [{"find": 1, "replace": "b"}],
        [{"find": "a", "replace": "\x07"}],
        ["a"],
        [{"fnd": "a", "replace": "b"}],
    ],
)
def test_operations_in_json_that_lack_something_are_asked_again(operations: object) -> None:
    assert code_of(read("reviser", json.dumps({"operations": operations}))) == "invalid-output"


def test_a_reviser_may_have_nothing_to_do_and_a_writer_may_not() -> None:
    text = '{"status": "satisfied", "rationale": "All is well.", "operations": []}'

    assert isinstance(read("reviser", text), Edited)
    assert code_of(read("writer", text)) == "no-operations"
    assert code_of(read("reviser", text.replace("satisfied", "continue"))) == "no-operations"


def targets(*numbers: object) -> str:
    named = [{"sentence": number, "kind": "insert", "reason": "why"} for number in numbers]
    return json.dumps({"citation_targets": named})


@pytest.mark.parametrize(
    ("numbers", "taken"),
    [
        ((12, "31", "[5]"), [12, 31, 5]),
        ((3, 4, 4), [4]),
        ((3,), []),
        ((), []),
        (tuple(range(4, 30)), list(range(4, 14))),
    ],
)
def test_targets_are_new_distinct_and_as_many_as_were_wanted(
    numbers: tuple[object, ...], taken: list[int]
) -> None:
    found = read("citation-orchestrator", targets(*numbers))

    assert isinstance(found, Targeted)
    assert [each.sentence for each in found.citation_targets] == taken


@pytest.mark.parametrize("number", [0, 41, 1_000_000])
def test_a_number_that_no_sentence_has_is_asked_again(number: int) -> None:
    assert code_of(read("citation-orchestrator", targets(4, number))) == "unknown-sentence"


def test_the_generator_proposes_searches_and_then_picks_by_number() -> None:
    proposed = read("citation-generator", GOOD["citation-generator"], task=TaskParams())
    picked = read("citation-generator", PICKED, task=PICKING)
    none = read("citation-generator", '{"chosen": [], "reason": "None fits."}', task=PICKING)

    assert isinstance(proposed, GeneratorAnswer)
    assert (proposed.queries[0].authors, proposed.queries[0].year) == (("Hill",), 1907)
    assert isinstance(picked, GeneratorAnswer)
    assert picked.chosen == (2,)
    assert isinstance(none, GeneratorAnswer)
    assert none.chosen == ()


@for_each(
    "text, records, code",
    [
        ('{"queries": [], "identifiers": []}', 0, "no-search"),
        ('{"queries": [{"authors": ["Hill"]}]}', 0, "no-search"),
        ('{"queries": [{"text": "x"}]}', 3, "no-choice"),
        ('{"chosen": [4]}', 3, "unknown-record"),
        ('{"chosen": [0]}', 3, "unknown-record"),
        ('{"chosen": [1], "updated_sentence": "It rose [[@book{a}]]."}', 3, "invalid-output"),
        ('{"queries": [{"text": "x", "doi": "10.1/2"}]}', 0, "invalid-output"),
        ('{"identifiers": [{"kind": "isbn", "value": "1"}]}', 0, "invalid-output"),
    ],
)
def test_the_generator_writes_no_metadata_and_picks_what_exists(text: str, records: int, code: str) -> None:
    assert code_of(read("citation-generator", text, task=TaskParams(records=records))) == code


def test_an_answer_that_is_too_long_for_a_history_is_asked_for_again() -> None:
    section = {"section_summary": "s" * 600, "section_word_count": 1}
    plan = {"sections": [section | {"section_title": f"{at}{'T' * 50}"} for at in range(60)]}

    found = read("planner", json.dumps(plan))
    too_long = read("critic", critique(action_items=["x" * 4_000] * 20))

    assert isinstance(found, Planned)
    assert len(found.model_dump_json()) <= LONGEST_TOLD
    assert code_of(too_long) == "oversize-reply"
