"""Config.yml and .ink-state.yml."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.files.layout import CONFIG
from penwright.domain.book.files.yaml_files import read_config, read_state, write_state
from penwright.errors import BrokenBook
from schemas.book import BookConfig, BookState
from tests.support.books.memory_book import CONFIG_TEXT, PaperBook
from tests.support.each import for_each

REQUIRED = "target_length: 1\nchapter_count: 1\nchapter_structure: linear\nwords_per_session: 1\n"


@for_each(
    "written, rules",
    [
        ("", ()),
        ("[]", ()),
        ("dialogue", ("dialogue",)),
        ("Dialogue, not but", ("dialogue", "not-but")),
        ("[worn_phrase, 'Echo']", ("worn-phrase", "echo")),
        ("\n  - never  # for a while\n  - tense", ("never", "tense")),
    ],
)
def test_rules_are_switched_off_as_people_write_lists(written: str, rules: tuple[str, ...]) -> None:
    assert read_config(f"{REQUIRED}craft_off: {written}\n").craft_off == rules


def test_a_rule_that_is_none_is_named_with_the_nearest() -> None:
    with pytest.raises(BrokenBook) as caught:
        read_config(f"{REQUIRED}craft_off: [echo, dialog]\n")

    assert caught.value.message == (
        "'Global Material/Config.yml' line 5: 'craft_off' lists rules (`penwright help craft`), such as "
        "'dialogue', not 'dialog'; correct the line."
    )


def test_a_config_has_defaults_and_unknown_keys_do_no_harm() -> None:
    config = read_config(REQUIRED + "current_review_window_words: 5\n")

    assert config == BookConfig(
        target_length=1, chapter_count=1, chapter_structure="linear", words_per_session=1
    )
    assert read_config(CONFIG_TEXT).language == "German"
    assert read_config(CONFIG_TEXT.replace("\n", "\r\n")).words_per_page == 50


@for_each(
    "text, code, line",
    [
        (REQUIRED + "words_per_page: 'many'\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: '250'\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: -1\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: 2.5\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: true\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: [1]\n", "config-wrong-value", "5"),
        (REQUIRED + "words_per_page: 99999999999\n", "config-wrong-value", "5"),
        (REQUIRED + "# a comment\nsession_timeout_minutes: 0\n", "config-wrong-value", "6"),
        (REQUIRED + "language:\n", "config-wrong-value", "5"),
        (REQUIRED + "language: 5\n", "config-wrong-value", "5"),
        (REQUIRED + "craft_off: {dialogue: true}\n", "config-wrong-value", "5"),
        (REQUIRED + "craft_off: [1]\n", "config-wrong-value", "5"),
        (REQUIRED + "craft_off: [[echo]]\n", "config-wrong-value", "5"),
        (REQUIRED + "craft_off: true\n", "config-wrong-value", "5"),
        (REQUIRED + "target_length: 2\n", "config-duplicate-key", "5"),
        (REQUIRED + "broken: [1,\n", "config-broken-yaml", "6"),
        (REQUIRED + "\tlanguage: x\n", "config-broken-yaml", "5"),
        (REQUIRED + "--- \nlanguage: x\n", "config-broken-yaml", "1"),
        ("just text", "config-broken-yaml", "1"),
        ("- a\n- b\n", "config-broken-yaml", "1"),
        ("a: \x07\n", "config-broken-yaml", "1"),
        ("", "config-missing-key", None),
        (REQUIRED.replace("words_per_session", "words"), "config-missing-key", None),
    ],
)
def test_a_broken_config_is_named_with_its_line(text: str, code: str, line: str | None) -> None:
    with pytest.raises(BrokenBook) as caught:
        read_config(text)

    assert caught.value.code == code
    assert caught.value.message.endswith(".")
    if line is not None and line != "1":
        assert caught.value.details["line"] == line


def test_a_key_that_stands_twice_is_named_with_both_lines() -> None:
    with pytest.raises(BrokenBook) as caught:
        read_config("title: a\ntarget_length: 1\nwords_per_page: 2\ntarget_length: 3\n")

    assert "line 4: duplicate key 'target_length', also in line 2;" in caught.value.message


@given(st.text(max_size=60))
def test_any_text_is_a_config_or_a_named_error(text: str) -> None:
    with suppress(BrokenBook):
        read_config(text)


@pytest.mark.parametrize("text", [None, "", "\n", "# only a comment\n"])
def test_no_state_is_a_book_at_its_beginning(text: str | None) -> None:
    assert read_state(text) == BookState()


@pytest.mark.parametrize("text", ["current_chapter: 0\n", "current_chapter: x\n", "counted_words: -1\n"])
def test_a_broken_state_is_named(text: str) -> None:
    with pytest.raises(BrokenBook) as caught:
        read_state(text)

    assert caught.value.code == "state-wrong-value"


def test_writing_the_state_keeps_comments_and_unknown_keys() -> None:
    text = "# mine\ncurrent_chapter: 1 # here\nfavourite: 'blue'\nreview_chapter: 1\n"

    written = write_state(BookState(current_chapter=2, counted_words=7), text)

    assert "# mine" in written
    assert "# here" in written
    assert "favourite: 'blue'" in written
    assert "review_chapter" not in written
    assert read_state(written) == BookState(current_chapter=2, counted_words=7)


@given(
    st.builds(
        BookState,
        current_chapter=st.integers(1, 10**6),
        counted_blob=st.none() | st.sampled_from(["0" * 40, "1" * 40, "12e3" + "0" * 36, "true"]),
        counted_words=st.integers(0, 10**6),
        book_id=st.none() | st.text(st.characters(exclude_categories=["C", "Z"])),
        review_chapter=st.none() | st.integers(1, 10**6),
    )
)
def test_a_state_survives_writing_and_reading(state: BookState) -> None:
    written = write_state(state, None)

    assert read_state(written) == state
    assert write_state(state, written) == written


def test_a_file_too_long_for_settings_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(BrokenBook) as refused:
        read_config(REQUIRED + "# x\n" * 100_000)

    assert refused.value.code == "config-too-long"


def test_a_key_that_is_nearly_a_setting_is_warned_of() -> None:
    book = PaperBook()
    book.put(CONFIG, f"{book.files[CONFIG]}craft-off: [talk]\nsubtitle: Tales\ncontents: true\n")

    (told,) = (each for each in book.view().warnings if "does nothing" in each)

    assert "'craft-off' does nothing; did you mean 'craft_off'?" in told
