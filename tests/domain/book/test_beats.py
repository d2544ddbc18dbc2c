"""Of an outline the writer is shown the beats that no session has told."""

from penwright.domain.book.beats import MOST_OPEN, open_beats, outline_beats
from penwright.domain.book.files.layout import chapter_path
from penwright.domain.book.opening import open_book
from tests.support.books.memory_book import NOW, PaperBook
from tests.support.each import for_each

OUTLINE = """\
# Chapter 3

## Goal

The boat is gone.

## Beats

1. Mara finds the logbook and
   hides it from Tobias
2. **Tobias** asks for the key; she lies
3. [Last scene]

## Hidden

- The crate holds a child.
"""


def test_beats_are_the_items_of_their_section() -> None:
    assert outline_beats(OUTLINE) == (
        "Mara finds the logbook and hides it from Tobias",
        "Tobias asks for the key; she lies",
    )


@for_each(
    "outline, beats",
    [
        ("", ()),
        ("# Chapter 1\n\n## Beats\n\n1. [First scene]\n", ()),
        ("- one comes\n- two goes\n", ("one comes", "two goes")),
        ("## Plot\n* one comes\n\n## Notes\n* bring back the lamp\n", ("one comes",)),
        ("- [x] one comes\n- [ ] two goes\n", ("two goes",)),
        ("# Goal\nOne comes. Two goes!\n", ("One comes", "Two goes")),
        ("## 节拍\n1、她找到了钥匙。\n2、他离开港口。\n", ("她找到了钥匙。", "他离开港口。")),
        ("# 20\n\nWritten already: 396 words.\n\n## Opens\n\nA dog ran.\n\n## Ends\n\nIt slept.\n", ()),
        ("| a | b |\n|---|---|\n| c | d |\n", ()),
        ("<!-- - not yet -->\n- one comes\n<!-- open\n- no end", ("one comes",)),
        ("## Beats\n| who | what |\n|---|---|\n| Mara | goes |\n", ("Mara, goes",)),
        ("## Beats\n```\n- no beat\n```\n- one comes\n", ("one comes",)),
        ("## Beats\n- one comes\n- [ ] [Second scene]\n", ("one comes",)),
        ("## 节拍\n一、她来了。\n（2）他走了。\n", ("她来了。", "他走了。")),
        ("- \n-\n* * *\n- one comes\r\n- one comes\n", ("one comes",)),
    ],
)
def test_beats_are_found_in_outlines_of_other_shapes(outline: str, beats: tuple[str, ...]) -> None:
    assert outline_beats(outline) == beats


@for_each(
    "told, left",
    [
        ((), 2),
        (("Mara finds the logbook and hides it from Tobias",), 1),
        (("mara hides the logbook!",), 1),
        (("Mara finds the logbook, reads it, weeps, and hides it from Tobias",), 1),
        (("Mara finds the crate",), 2),
        (("Mara",), 2),
        (("",), 2),
        (("Mara finds the logbook, hides it", "Tobias asks for the key"), 0),
    ],
)
def test_a_beat_is_told_once_most_of_its_words_are(told: tuple[str, ...], left: int) -> None:
    assert len(open_beats(OUTLINE, told, "English")) == left


def test_a_told_beat_stands_for_the_one_that_is_most_like_it() -> None:
    outline = "- Mara finds the lamp in the shed\n- Mara finds the rope in the shed\n"

    assert open_beats(outline, ["Mara finds the rope in the shed"], "English") == (
        "Mara finds the lamp in the shed",
    )


def test_a_long_outline_shows_its_next_beats() -> None:
    outline = "\n".join(f"- beat number {number}" for number in range(90))

    assert open_beats(outline, ["beat number 0"], "English")[0] == "beat number 1"
    assert len(open_beats(outline, [], "English")) == MOST_OPEN


def test_a_session_opens_with_the_open_beats_of_its_chapter() -> None:
    book = PaperBook().put(chapter_path(1), OUTLINE)

    payload = open_book(book.view(), session="s1", owner="o", now=NOW).payload

    assert payload.beats_open == outline_beats(OUTLINE)
