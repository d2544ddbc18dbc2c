"""Chapters where a person says that they begin."""

import pytest

from penwright.domain.book.importing.reading import read_source
from penwright.errors import UsageMistake

LEVELS = (
    "# The Weir\n\n## Water\n\n### Scene 1\n\nIt rose.\n\n### Scene 2\n\nIt fell.\n\n"
    "## Mill\n\n### Scene 1\n\nStill.\n"
)


def _chapters(text: str, at: str = "") -> list[str]:
    return [each.heading for each in read_source(text, at).chapters]


def test_headings_of_the_level_are_chapters_and_those_above_are_parts() -> None:
    found = read_source(LEVELS, "2")

    assert [(each.kind, each.title) for each in found.sections] == [
        ("part", "The Weir"),
        ("chapter", "Water"),
        ("chapter", "Mill"),
    ]
    assert "### Scene 2" in found.chapters[0].text


@pytest.mark.parametrize(
    ("text", "at", "chapters"),
    [
        ("Scene 1\n\nHe waits.\n\nScene 2\n\nShe goes.\n", r"Scene \d+", ["Scene 1", "Scene 2"]),
        ("**The Boat**\nHe waits.\n**The Pier**\nShe goes.\n", "The (Boat|Pier)", ["The Boat", "The Pier"]),
        ("## 1 / Ebb\n\nHe waits.\n\n## 2 / Flow\n\nShe goes.\n", r"\d+ /", ["1 / Ebb", "2 / Flow"]),
        ("☆、01\n他等。\n☆、02\n她走。\n", "☆", ["☆、01", "☆、02"]),
    ],
)
def test_lines_of_the_pattern_begin_chapters(text: str, at: str, chapters: list[str]) -> None:
    assert _chapters(text, at) == chapters


def test_the_preview_says_which_other_level_there_is() -> None:
    assert read_source(LEVELS).notes == (
        "2 headings of level 2 (Water, Mill): `--chapters-at 2` makes chapters of them",
    )


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("3x(", "bad-pattern"),
        (".*", "bad-pattern"),
        (".", "bad-pattern"),
        ("Mill|", "bad-pattern"),
        ("5", "no-such-chapters"),
        ("12", "no-such-chapters"),
        ("Act", "no-such-chapters"),
    ],
)
def test_what_finds_no_chapter_is_refused_with_a_way_on(at: str, code: str) -> None:
    with pytest.raises(UsageMistake) as refused:
        read_source(LEVELS, at)

    assert (refused.value.code, bool(refused.value.details["hint"])) == (code, True)
