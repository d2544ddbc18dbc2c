"""Lessons: one failure is one entry, after any edits of the file."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.trace.lessons import (
    HIDDEN,
    MOST,
    LessonsWritten,
    archived,
    lessons_of,
    own_rules,
    prepared,
    scrubbed,
    with_lesson,
)
from schemas.lessons import Lesson, LessonCategory
from tests.support.each import for_each

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lesson(symptom: str = "The pen is red on page 4", minute: int = 0, **more: object) -> Lesson:
    """A lesson about the lighthouse chapter."""
    given_ = {
        "category": LessonCategory.CONTINUITY_ERROR,
        "time": START + timedelta(minutes=minute),
        "intent": "INT-003",
        "path": "Current version/Full_Book.md",
        "heading": ("Chapter 3", "The Harbour"),
        "symptom": symptom,
        **more,
    }
    return Lesson.model_validate(given_)


def written(*lessons: Lesson, text: str | None = None) -> LessonsWritten:
    """The file after each of ``lessons``."""
    result = with_lesson(text, lessons[0])
    for each in lessons[1:]:
        result = with_lesson(result.text, each)
    return result


def test_a_lesson_round_trips() -> None:
    told = lesson(cause="Two notes disagree", resolution="Blue", rule="Look it up | in `Lore.md`\n## first")
    result = with_lesson(None, told)
    assert lessons_of(result.text) == (result.lesson,)
    assert result.lesson == prepared(told).model_copy(update={"id": "L-0001"})
    assert "## first" not in [line.strip() for line in result.text.splitlines()]


def test_what_people_wrote_is_left_without_the_lessons_and_the_lines_of_a_new_file() -> None:
    new = written(lesson("a"), lesson("b", 1)).text
    by_hand = f"# House style\n\nNo semicolons.\n\n{new}\nNumbers in words.\n"

    assert own_rules(new) == own_rules("") == ""
    assert own_rules(by_hand) == "# House style\n\nNo semicolons.\n\nNumbers in words."
    assert own_rules(by_hand.replace("\n", "\r\n")).split() == own_rules(by_hand).split()


def test_the_same_failure_five_times_is_one_lesson_with_count_five() -> None:
    result = written(*(lesson(minute=minute) for minute in range(5)))
    (told,) = lessons_of(result.text)
    assert told.count == 5
    assert (told.time, told.last) == (START, START + timedelta(minutes=4))


@pytest.mark.parametrize(
    ("first", "again"),
    [("page 4", "page 512"), ("he said 'no'", "he said ”no”"), ("Too   long", "too\nlong"), ("é", "e\u0301")],
)
def test_numbers_quotes_case_and_blanks_make_no_new_failure(first: str, again: str) -> None:
    assert len(lessons_of(written(lesson(first), lesson(again)).text)) == 1


@pytest.mark.parametrize(
    "other",
    [
        lesson("Another symptom"),
        lesson(path="Review/current.md"),
        lesson(category=LessonCategory.VOICE_DRIFT),
    ],
)
def test_another_symptom_place_or_category_is_another_lesson(other: Lesson) -> None:
    assert [each.id for each in lessons_of(written(lesson(), other).text)] == ["L-0001", "L-0002"]


def test_a_lesson_seen_several_times_counts_several_times() -> None:
    assert written(lesson(), lesson(count=3)).lesson.count == 4


def test_a_repeated_lesson_adds_facts_and_overwrites_none() -> None:
    result = written(lesson(cause="Haste"), lesson(cause="Other", rule="Read the notes"))
    assert (result.lesson.cause, result.lesson.rule) == ("Haste", "Read the notes")
    assert lessons_of(result.text) == (result.lesson,)


def test_manual_text_in_an_entry_stays_when_it_counts_up() -> None:
    text = written(lesson(rule="Old rule")).text
    edited = text.replace("- Rule: Old rule\n", "- Rule: My *better* rule\n  and why\n")
    result = with_lesson(edited, lesson(minute=1))
    assert "- Rule: My *better* rule\n  and why\n" in result.text
    assert result.text.replace("2 times", "1 time").replace("12:01:00Z", "12:00:00Z") == edited


def test_windows_line_ends_are_kept() -> None:
    text = written(lesson()).text.replace("\n", "\r\n")
    result = written(lesson(), lesson("Another"), text=text)
    assert result.text.count("\n") == result.text.count("\r\n")
    assert [each.count for each in lessons_of(result.text)] == [2, 1]


def test_an_entry_that_lost_its_end_swallows_nothing() -> None:
    text = written(lesson()).text.replace("<!-- end of lesson -->\n", "") + "My own line.\n"
    result = written(lesson(), lesson("Another"), text=text)
    assert [each.count for each in lessons_of(result.text)] == [2, 1]
    assert result.text.endswith("My own line.\n")


def test_a_broken_entry_restarts_its_count_and_keeps_its_id() -> None:
    text = written(lesson()).text.replace("- Seen: 1 time", "- Seen: often")
    assert lessons_of(text) == ()
    (told,) = lessons_of(with_lesson(text, lesson()).text)
    assert (told.id, told.count) == ("L-0001", 1)


def test_the_oldest_lesson_moves_to_the_archive() -> None:
    full = written(
        *(lesson(f"Symptom {'x' * at}", minute=at) for at in range(MOST)), lesson("Symptom ", MOST)
    )
    assert full.archive is None
    result = with_lesson(full.text + "\nMine.\n", lesson("One more", minute=999))
    assert len(lessons_of(result.text)) == MOST
    assert result.text.endswith("Mine.\n")
    assert result.archive is not None
    (moved,) = lessons_of(archived(None, result.archive))
    assert moved.symptom == "Symptom x"
    assert "### L-0002" not in result.text
    assert "\n\n\n" not in result.text
    assert {each.id for each in lessons_of(result.text)} == {f"L-{n:04d}" for n in range(1, MOST + 2)} - {
        "L-0002"
    }


def test_a_lesson_just_learned_is_not_archived() -> None:
    full = written(*(lesson(f"Symptom {'x' * at}", minute=at) for at in range(MOST)))
    result = with_lesson(full.text, lesson("An old one", minute=-999))
    assert result.lesson in lessons_of(result.text)
    assert result.archive is not None


def test_the_archive_grows_at_its_end() -> None:
    first, second = (with_lesson("", lesson(symptom)).text for symptom in ("One", "Two"))
    text = archived(archived(None, first), second)
    assert [each.symptom for each in lessons_of(text)] == ["One", "Two"]


def test_a_long_symptom_is_cut_and_a_secret_at_the_cut_is_not_shown() -> None:
    told = prepared(lesson("x" * 480 + " password=correct-horse-battery-staple"))
    assert len(told.symptom) <= 500
    assert "correct" not in told.symptom


@for_each(
    "secret",
    [
        "sk-" + "a1b2" * 6,
        "ghp_" + "a1b2" * 9,
        "AKIA" + "AB12" * 4,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abcdefghijkl",
        "Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_text_that_looks_like_a_key_is_hidden(secret: str) -> None:
    assert scrubbed(f"It said {secret} and stopped") == f"It said {HIDDEN} and stopped"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("api_key: abc123, rest", f"api_key: {HIDDEN}, rest"),
        ('{"client_secret": "a b"}', f'{{"client_secret": {HIDDEN}}}'),
        ("Authorization: Bearer abcdefghij", f"Authorization: Bearer {HIDDEN}"),
        ("https://ann:pw@example.org/x", f"https://{HIDDEN}@example.org/x"),
    ],
)
def test_only_the_secret_part_is_hidden(text: str, shown: str) -> None:
    assert scrubbed(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "The secret of the lighthouse was the password nobody knew.",
        f"expected sha256:{'0a' * 32}, got prose1:{'ab' * 16}",
        "Current version/Full_Book.md#Chapter 3/**",
    ],
)
def test_prose_hashes_and_paths_are_shown(text: str) -> None:
    assert scrubbed(text) == text


LINES = st.lists(
    st.one_of(
        st.sampled_from(["# Mine", "- Rule: not an entry", "<!-- end of lesson -->", "### L-0007: mine", ""]),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    ),
    max_size=8,
).map("\n".join)


@given(LINES, LINES, st.lists(st.sampled_from(["a", "b 1", "b 2", "c | `x`"]), min_size=1, max_size=6))
def test_manual_text_is_kept_when_lessons_are_added(above: str, below: str, symptoms: list[str]) -> None:
    text = f"{above}\n{with_lesson('', lesson('a')).text}\n{below}"
    result = written(*map(lesson, symptoms), text=text)
    assert result.text.startswith(above)
    assert result.text.rstrip("\n").endswith(below.rstrip("\n"))
    told = lessons_of(result.text)
    assert sum(each.count for each in told) == len(symptoms) + 1
    assert len(told) == len({"a", *(each.replace("2", "1") for each in symptoms)})
