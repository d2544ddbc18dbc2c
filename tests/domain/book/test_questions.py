"""The questions of ``init``, and how answers fill the templates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.questions import QUESTIONS, apply_answers
from penwright.errors import UsageMistake
from tests.support.each import for_each


def test_every_question_has_its_own_id_and_a_select_has_options() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        assert bool(question.options) == (question.kind == "select")
        assert question.skippable


def test_answers_fill_their_sections_and_skipped_ones_keep_a_hint() -> None:
    templates = {"Soul.md": "# {{TITLE}}\n\n{{voice: Who tells it?}}\n\n{{world: Where?}}\n"}

    filled = apply_answers(templates, {"title": " The\nSea ", "voice": "An old sailor."})

    assert filled == {"Soul.md": "# The Sea\n\nAn old sailor.\n\n[Where?]\n"}


def test_the_kind_of_book_suggests_its_size() -> None:
    template = {"Config.yml": "t: {{TARGET_LENGTH}}\nc: {{CHAPTER_COUNT}}\ns: {{WORDS_PER_SESSION}}\n"}

    assert apply_answers(template, {})["Config.yml"] == "t: 62500\nc: 21\ns: 1500\n"
    assert apply_answers(template, {"book_kind": "flash fiction"})["Config.yml"] == "t: 1250\nc: 1\ns: 500\n"
    assert apply_answers(template, {"pages": "12"})["Config.yml"] == "t: 3000\nc: 1\ns: 1500\n"


def test_a_value_in_yaml_is_a_safe_scalar() -> None:
    filled = apply_answers({"a/Config.yml": "language: {{LANGUAGE}}\n"}, {"language": 'No: "really" # x'})

    assert filled["a/Config.yml"] == 'language: "No: \\"really\\" # x"\n'


@given(st.text(st.characters(exclude_characters="\x00"), min_size=1).filter(lambda text: text.strip() != ""))
def test_an_answer_that_looks_like_a_placeholder_stays_as_given(answer: str) -> None:
    hostile = answer + "{{TITLE}}{{voice: x}}"

    assert apply_answers({"a.md": "<{{voice: v}}>"}, {"voice": hostile})["a.md"] == f"<{hostile.strip()}>"


@for_each(
    "answers, code",
    [
        ({"pages": "many"}, "bad-answer"),
        ({"pages": "0"}, "bad-answer"),
        ({"pages": "-3"}, "bad-answer"),
        ({"pages": "999999999999"}, "bad-answer"),
        ({"book_kind": "opera"}, "bad-answer"),
        ({"colour": "blue"}, "unknown-question"),
    ],
)
def test_a_bad_answer_is_named(answers: dict[str, str], code: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        apply_answers({}, answers)

    assert caught.value.code == code


@pytest.mark.parametrize("text", ["{{NOPE}}", "{{voice}}", "{{nope: x}}"])
def test_an_unknown_placeholder_is_a_mistake_of_the_template(text: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        apply_answers({"a.md": text}, {})

    assert caught.value.code == "unknown-placeholder"
