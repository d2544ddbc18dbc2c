"""The one parser of INK comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.conflict_notes import conflict_note, paragraphs_above
from penwright.domain.text.ink_comments import parse_comments
from tests.support.each import for_each


def found(text: str) -> list[tuple[str, str]]:
    return [(comment.kind, comment.text) for comment in parse_comments(text)]


@for_each(
    "spelling",
    [
        "<!-- INK: make it rain -->",
        "<!--INK:make it rain-->",
        "<!--   INK  :   make it rain   -->",
        "<!-- ink: make it rain -->",
        "<!-- Ink:make it rain -->",
        "<!--\nINK:\n  make it rain\n-->",
        "<!--\r\nINK: make it rain\r\n-->",
    ],
)
def test_an_instruction_is_read_with_any_spacing(spelling: str) -> None:
    assert found(f"Text. {spelling} More.") == [("instruction", "make it rain")]


@pytest.mark.parametrize(("above", "below"), [(1, 1), (3, 2), (0, 1), (2, 0)])
def test_a_note_about_a_conflict_is_no_instruction(above: int, below: int) -> None:
    note = conflict_note(above, below)

    assert [kind for kind, _ in found(f"One.\n\n{note}\n\nTwo.")] == ["conflict"]
    assert paragraphs_above(note) == above


def test_an_authors_wish_about_a_conflict_is_an_instruction() -> None:
    assert found("<!-- INK: conflict: let them fight -->") == [("instruction", "conflict: let them fight")]


@for_each(
    "text, line, said",
    [
        ("One.\n\nTwo. <!-- IKN: colder -->", 3, "INK, not IKN"),
        ("One. <!-- INC: colder -->", 1, "INK, not INC"),
        ("One.\n<!-- INK; colder -->", 2, "INK and a colon"),
        ("One.\n<!-- ink make darker -->", 2, "INK and a colon"),
        ("One. <!--Ink\ndarker -->", 1, "INK and a colon"),
        ("One. <!-- INK \u2014 colder -->", 1, "INK and a colon"),
        ("One.\n<!- INK: colder -->", 2, "does not begin a comment"),
        ("One. <! -- INK: colder -->", 1, "does not begin a comment"),
        ("One. <-- INK: colder -->", 1, "does not begin a comment"),
        ("One. <!\u2014 INK: colder \u2014>", 1, "does not begin a comment"),
        ("One. &lt;!-- INK: colder --&gt;", 1, "does not begin a comment"),
        ("One. [INK: colder]", 1, "does not begin a comment"),
        ("One. <!-- INK: colder\n\nTwo.", 1, "not closed"),
    ],
)
def test_a_misspelt_instruction_is_malformed_and_says_how_to_correct_it(
    text: str, line: int, said: str
) -> None:
    (comment,) = parse_comments(text)

    assert (comment.kind, comment.line) == ("malformed", line)
    assert said in comment.text


@for_each(
    "text",
    [
        "<!-- LINK: https://example.org -->",
        "<!-- INT: a kitchen -->",
        "<!-- Nik: is this right? -->",
        "<!-- IN: chapter 3 -->",
        "Write `<- INK: x` like this.",
        "```\n[INK: x]\n```",
        "INK: a film by Jamin Winans",
        "a <b and INK: c",
        "[a link](INK: x)",
    ],
)
def test_what_only_resembles_an_instruction_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_note_inside_another_comment_is_named_as_nested_and_is_no_instruction() -> None:
    text = "Text.\n\n<!-- author\n<!-- INK: nested --> end -->\n\n<!-- INK: colder -->"

    outer, nested, free = parse_comments(text)

    assert (outer.kind, nested.kind, free.kind) == ("malformed", "malformed", "instruction")
    assert (nested.line, "nested in another comment; close the comment before it" in nested.text) == (4, True)
    assert text[nested.start : nested.end] == "<!-- INK: nested -->"


def test_an_instruction_may_begin_with_a_wide_colon() -> None:
    assert found("<!-- INK\uff1amake it rain -->") == [("instruction", "make it rain")]


def test_an_instruction_may_run_over_several_lines() -> None:
    assert found("<!-- INK: first\n\nsecond -->") == [("instruction", "first\n\nsecond")]


@for_each(
    "text",
    [
        "```\n<!-- INK: x -->\n```",
        "~~~~ markdown\n<!-- INK: x -->\n~~~\n~~~~~\n",
        "  ```\r\n<!-- INK: x -->\r\n  ```\r\n",
        "Write `<!-- INK: x -->` behind it.",
        "Write `` a ` <!-- INK: x -->`` behind it.",
        "<!-- a note to myself -->",
        "<!-- PAGE 4 -->",
        "<!-- inkling: a word -->",
        "<!-- inkwell on the desk -->",
        "<!-- ink-stained hands -->",
        "<!-- the ink is dry -->",
    ],
)
def test_code_and_other_comments_ask_for_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\n<!-- INK: x -->\nnobody closes this fence",
        "a stray ` tick\n\n<!-- INK: x --> and another ` one",
        "``` not a `fence`\n<!-- INK: x -->\n",
        "a stray ` tick\n  <!-- INK: x -->\nand another ` one",
    ],
)
def test_text_that_is_not_code_hides_no_instruction(text: str) -> None:
    assert found(text) == [("instruction", "x")]


@for_each(
    "text, kinds, line",
    [
        ("a\nb <!-- INK: -->", ["malformed"], 2),
        ("<!-- INK:  \n -->", ["malformed"], 1),
        ("a\n\n<!-- INK: never closed", ["malformed"], 3),
        ("<!-- INK: one\n\ntext <!-- INK: two -->", ["malformed", "instruction"], 1),
        ("<!-- INK: a <!-- b --> c -->", ["malformed"], 1),
        ("<!-- INK shorten this -->", ["malformed"], 1),
        ("<!-- a note <!-- INK: two -->", ["malformed", "malformed"], 1),
        ("text <!-- never closed at all", ["malformed"], 1),
    ],
)
def test_a_malformed_comment_is_reported_by_line_and_hides_no_text(
    text: str, kinds: list[str], line: int
) -> None:
    comments = parse_comments(text)

    assert [comment.kind for comment in comments] == kinds
    assert comments[0].line == line
    assert comments[0].text
    assert all("text" not in text[comment.start : comment.end] for comment in comments)


@for_each(
    "text, name",
    [
        ("<!-- INK:NEW:START -->", "NEW:START"),
        ("prose <!--INK:NEW:END--> prose", "NEW:END"),
        ("<!-- ink : reworked : start -->", "REWORKED:START"),
        ("<!-- INK: ORIGINAL:END -->", "ORIGINAL:END"),
        ("<!-- INK:CHAPTER:12 -->", "CHAPTER:12"),
        ("<!-- INK:README:CHAPTERS -->", "README:CHAPTERS"),
        ("<!-- INK:NEW:START\nprose", "NEW:START"),
        ("<!-- INK:NEW:START", "NEW:START"),
        ("<!-- INK:NEW:START\n\nprose <!-- INK:NEW:END -->", "NEW:START"),
    ],
)
def test_an_engine_marker_is_not_an_instruction(text: str, name: str) -> None:
    assert found(text)[0] == ("marker", name)
    assert "prose" not in text[parse_comments(text)[0].start : parse_comments(text)[0].end]


PIECES = st.sampled_from(
    [
        "<!--",
        "-->",
        "INK",
        ":",
        " ",
        "\n",
        "\r\n",
        "`",
        "```",
        "~~~",
        "NEW:START",
        "a",
        "x y",
        "ink:",
        "-",
        "<",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_spans_are_exact_ordered_and_apart(text: str) -> None:
    position = 0
    for comment in parse_comments(text):
        assert position <= comment.start < comment.end <= len(text)
        assert text[comment.start : comment.end].startswith("<!--")
        assert comment.line == text.count("\n", 0, comment.start) + 1
        if comment.kind == "instruction":
            assert text[comment.start : comment.end].endswith("-->")
            assert text[comment.start : comment.end].count("<!--") == 1
        position = comment.end


@given(st.lists(PIECES, max_size=40).map("".join))
def test_line_ends_do_not_change_the_parsed_comments(text: str) -> None:
    plain = text.replace("\r\n", "\n")
    windows = plain.replace("\n", "\r\n")
    assert [comment.kind for comment in parse_comments(plain)] == [
        comment.kind for comment in parse_comments(windows)
    ]


def test_an_unclosed_fence_does_not_hide_a_later_different_fence() -> None:
    text = "````\n```\n<!-- INK: code -->\n```\n<!-- INK: x -->\n~~~\n<!-- INK: code -->\n~~~\n"

    assert found(text) == [("instruction", "x")]


def test_a_fence_ends_at_an_engine_marker() -> None:
    text = "```\nnew\n<!-- INK:ORIGINAL:START -->\n```\n<!-- INK: x -->\n```\n<!-- INK:ORIGINAL:END -->\n"

    assert found(text) == [("marker", "ORIGINAL:START"), ("marker", "ORIGINAL:END")]


def test_hostile_text_is_parsed_in_reasonable_time() -> None:
    parse_comments("```x\n<!-- INK:NEW:START -->\n" * 20_000 + "```\n")
    for piece in ("<!-- INK: ", "```x\n", "` `` ", "<!-- ", "-->", "~~~\n`"):
        parse_comments(piece * 20_000)
