"""Layout names, chapters, Summary, Changelog, README."""

from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.files.changelog import changelog_entry, free_changelog_path, listed, newest_entry
from penwright.domain.book.files.layout import changelog_path, chapter_path, names_at, tag_base
from penwright.domain.book.files.readme import finish_readme, update_readme
from penwright.domain.book.files.summary import review_window, review_words, summary_entry, summary_window
from penwright.domain.text.words import count_words
from schemas.prose import BeatTold, CraftReport
from tests.support.books.memory_book import FILES, NOW, numbered_words


def test_names_carry_utc_time_and_two_digits_at_least() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))

    assert tag_base(tokyo) == "ink-2026-02-22-14-30"
    assert changelog_path(tokyo) == "Changelog/2026-02-22-14-30.md"
    assert changelog_path(tokyo, 2) == "Changelog/2026-02-22-14-30-2.md"
    assert "Changelog/2026-02-22-14-30*.md" in names_at(tokyo)
    assert [chapter_path(number) for number in (1, 100)] == [
        "Chapters material/Chapter_01.md",
        "Chapters material/Chapter_100.md",
    ]


def test_changelog_entries_of_one_minute_do_not_meet() -> None:
    taken: list[str] = []
    for _ in range(4):
        taken.append(free_changelog_path(NOW, taken))

    assert len(set(taken)) == 4
    assert taken[-1].endswith("-4.md")


def test_a_changelog_entry_lists_only_known_facts() -> None:
    entry = changelog_entry(
        at=NOW, words=7, human_edits=["a.md", "b\nc.md"], summary=" S. ", tag="ink-1", model="m"
    )

    assert entry == (
        "# Session 2026-02-22 14:30 UTC\n\n**Words written:** 7\n**Snapshot tag:** ink-1\n**Model:** m\n\n"
        "**Human edits:**\n- a.md\n- b\ufffdc.md\n\n**Summary:**\nS.\n"
    )
    assert changelog_entry(at=NOW, words=0) == "# Session 2026-02-22 14:30 UTC\n\n**Words written:** 0\n"


LONG = [f"p{number} " + numbered_words(0, 15) for number in range(6)]


def test_the_lists_of_an_entry_are_read_back() -> None:
    craft = CraftReport(
        plan=("Mara lies", "ends: at the door"), told=(BeatTold(beat="Mara lies", quote="No"),)
    )
    entry = changelog_entry(at=NOW, words=3, craft=craft, summary="**Plan:**\nto rest")

    assert listed(entry, "Plan") == ("Mara lies", "ends: at the door")
    assert listed(entry, "Told") == ("Mara lies: “No”",)
    assert listed(entry, "Warnings") == ()


def test_the_newest_entry_of_a_minute_is_its_last_copy() -> None:
    copies = [changelog_path(NOW, copy) for copy in (1, 2, 10)]

    assert newest_entry([*copies, changelog_path(NOW - timedelta(minutes=1))]) == copies[-1]
    assert newest_entry([]) == ""


def test_the_summary_window_holds_the_last_substantive_entries() -> None:
    text = "\n\n".join([LONG[0], "short line", LONG[1], LONG[2], "2026-02-22: 10 words"])

    assert summary_window(text, 2) == f"{LONG[1]}\n\n{LONG[2]}"
    assert summary_window(text.replace("\n", "\r\n"), 2) == f"{LONG[1]}\n\n{LONG[2]}"
    assert summary_window(text, 99) == "\n\n".join(LONG[:3])
    assert summary_window(text, 0) == ""


def test_a_summary_of_short_lines_only_keeps_the_last_of_them() -> None:
    assert summary_window("a b\n\nc d\n\ne f", 2) == "c d\n\ne f"
    assert summary_window("", 5) == ""


def test_a_summary_of_thousands_of_entries_has_the_window_of_its_end() -> None:
    filler = "\n\n".join([numbered_words(0, 20)] * 1000)

    for old in (filler, f"<!-- one\n\nremark -->\n\n{filler}"):
        assert summary_window(f"{old}\n\n{LONG[0]}\n\n{LONG[1]}", 2) == f"{LONG[0]}\n\n{LONG[1]}"
    assert len(summary_window(filler, 900).split("\n\n")) == 900


def test_a_missing_summary_is_stood_in_for() -> None:
    assert (
        summary_entry(" \r\n", minute="2026-02-22 14:30", length="9 words")
        == "2026-02-22 14:30 UTC: 9 words written."
    )
    assert summary_entry("-a\r\nb\x00", minute="", length="") == "-a\nb"


def test_the_review_budget_follows_the_context_window() -> None:
    assert [review_words(tokens) for tokens in (1, 60_000, 60_135, 200_000)] == [2000, 2000, 100, 103_703]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 60))
def test_the_review_window_is_whole_paragraphs_from_the_end(lengths: list[int], most: int) -> None:
    text = "\n\n".join(numbered_words(0, length) for length in lengths)

    window = review_window(text, most)

    assert text.endswith(window)
    assert window.split("\n\n") == text.split("\n\n")[-len(window.split("\n\n")) :]
    assert count_words(window) <= max(most, lengths[-1])


def test_a_paragraph_that_just_fits_belongs_to_the_window() -> None:
    assert review_window("a b\n\nc d\n\ne f", 4) == "c d\n\ne f"


@pytest.mark.parametrize("text", ["", "\n", "<!-- note -->\n"])
def test_a_review_without_paragraphs_is_left_alone(text: str) -> None:
    assert review_window(text, 10) == text


def test_the_readme_lists_chapters_and_the_books_status() -> None:
    outlines = {1: "# The Pier\n", 2: "no heading"}

    written = update_readme(FILES["README.md"], outlines, current=2)
    finished = finish_readme(written, outlines, chapters=2, length="900 words")

    assert "- **Status:** In progress — Chapter 2\n" in written
    assert "CHAPTERS -->\n\n1. **The Pier** ✓\n2. **Chapter 2** *(in progress)*\n\n---\nBye.\n" in written
    assert "- **Status:** Complete — 2 chapters, 900 words\n" in finished
    assert "2. **Chapter 2** ✓\n\n---\n" in finished
    assert update_readme(written, outlines, current=2) == written


@pytest.mark.parametrize("text", ["", "# Mine\n", "<!-- INK:README:CHAPTERS -->\nno dashes\n"])
def test_a_readme_without_the_marks_is_left_alone(text: str) -> None:
    assert update_readme(text, {1: "# A\\1"}, current=1) == text


def test_a_readme_keeps_its_windows_line_ends() -> None:
    written = update_readme(FILES["README.md"].replace("\n", "\r\n"), {1: "# A\n"}, current=1)

    assert "\n" not in written.replace("\r\n", "")
