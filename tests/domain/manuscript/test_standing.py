"""Which planned sections a text has."""

from time import process_time
from typing import Literal

from penwright.domain.manuscript.planned_sections import (
    as_standing,
    headed,
    off_length,
    unwritten,
    written_titles,
)
from schemas.manuscript import SectionLength
from schemas.manuscript_roles import PlannedSection
from tests.support.each import for_each

TITLES = ("Introduction", "Method", "Results")


@for_each(
    "heading",
    [
        "# Method",
        "### METHOD ###",
        "## 2. method",
        "\\section{Method}",
        "\\subsection*{Method}",
        "Method\n------",
        "2 Method",
        "2.1. METHOD",
        "## Method {#sec:method .unnumbered}",
        "# Method{-}",
        "# Method <!-- to be cut -->",
        r"\section{Method}\label{sec:method}",
        r"\section[M.]{Method} % the long one",
    ],
)
def test_a_section_stands_under_any_kind_of_heading_in_any_case(heading: str) -> None:
    assert written_titles(TITLES, f"Before.\n\n{heading}\n\nWe did this.\n") == ("Method",)


@for_each(
    "text",
    [
        "# Methodology\n\nWords.",
        "# Methods\n\nWords.",
        "The method is this.",
        "```\n# Method\n\nWords.\n```",
        "<!--\n# Method\n\nWords.\n-->",
        "# Method#\n\nWords.",
        r"\section{The \emph{Method}}" + "\n\nWords.",
        "",
    ],
)
def test_a_longer_word_a_sentence_or_code_is_no_heading_of_the_section(text: str) -> None:
    assert written_titles(TITLES, text) == ()
    assert not headed("Method", text)


def test_an_unclosed_comment_and_one_in_code_hide_nothing() -> None:
    assert written_titles(TITLES, "<!-- to do\n\n# Method\n\nWords.") == ("Method",)
    assert written_titles(TITLES, "```\n<!--\n```\n\n# Method\n\nWords.") == ("Method",)


@for_each(
    "hostile",
    [
        "# a" + " " * 100_000 + "x",
        "<!--" * 100_000,
        "# a " + "{#" * 100_000,
        r"\section{" + "}" * 100_000 + "x",
    ],
)
def test_hostile_lines_are_read_in_a_moment(hostile: str) -> None:
    began = process_time()

    assert written_titles(TITLES, f"{hostile}\n\n# Method\n\nWords.") == ("Method",)
    assert process_time() - began < 2


def test_a_heading_without_words_is_there_but_does_not_stand() -> None:
    text = "# Introduction\n\n# Method\n\nWords."

    assert written_titles(TITLES, text) == ("Method",)
    assert headed("Introduction", text)


def test_a_section_stands_by_the_words_of_its_subsections() -> None:
    assert written_titles(TITLES, "# Method\n\n## Samples\n\nWords.\n\n# Results\n") == ("Method",)


def test_what_is_left_to_write_keeps_the_order_of_the_plan() -> None:
    assert unwritten(TITLES, ("2. METHOD",)) == ("Introduction", "Results")


@for_each("words, is_off", [(59, True), (60, False), (100, False), (150, False), (151, True)])
def test_a_section_far_from_its_planned_length_is_named_with_its_subsections_words(
    words: int, is_off: bool
) -> None:
    text = f"# One\n\n{'w ' * 10}\n\n## Part\n\n{'w ' * (words - 10)}\n\n## Two\n\n{'w ' * 500}"
    plan = [
        PlannedSection(section_title="One", section_summary="", section_word_count=100),
        PlannedSection(section_title="Two", section_summary="", section_word_count=10, status="drafted"),
        PlannedSection(section_title="Three", section_summary="", section_word_count=100),
    ]

    found = off_length(plan, text)

    assert found == ((SectionLength(title="One", words=words, planned=100),) if is_off else ())


def test_what_stands_when_the_plan_is_made_is_its_authors_but_what_was_ordered_stays_ordered() -> None:
    def section(title: str, status: Literal["pending", "drafted"] = "pending") -> PlannedSection:
        return PlannedSection(section_title=title, section_summary="", status=status)

    plan = [section("One"), section("Two"), section("Three", "drafted")]

    made = as_standing(plan, [section("Two")], "# One\n\nWords.\n\n# Two\n\nShort.")

    assert [each.status for each in made] == ["drafted", "pending", "pending"]
