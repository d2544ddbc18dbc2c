"""Sentences through a conversion: each is one element, and nothing else of the page changes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from penwright.adapters.documents import PandocDocuments
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.evidence.marking import body_of, parts_of, unmarked, with_marks
from schemas.documents import BookDocument
from tests.support.each import for_each


def page_of(text: str) -> str:
    """The text as a page, by pandoc."""
    document = BookDocument(markdown=text, title="T", contents=False, scholarly=True)
    return PandocDocuments().write(document, "html").content.decode()


def body(text: str) -> str:
    """The lines of the text's part of a copy."""
    marked = with_marks(text, sentences_of(text))
    return "\n".join(part.content for part in parts_of(body_of(page_of(marked))))


def shown(text: str) -> dict[int, str]:
    """The words of each sentence as a reader sees them."""
    found: dict[int, str] = {}
    for number, inner in re.findall(r'data-s="(\d+)">(.*?)</span\n>', body(text), re.DOTALL):
        found[int(number)] = found.get(int(number), "") + re.sub(r"<[^>]*>", "", inner)
    return found


def test_each_sentence_of_a_paragraph_is_an_element_of_its_own() -> None:
    said = shown("# Ebb\n\nThe lamp went out. Nobody asked, e.g. the keeper. He *slept*.\n")

    assert said == {
        1: "Ebb",
        2: "The lamp went out.",
        3: "Nobody asked, e.g. the keeper.",
        4: "He slept.",
    }


def test_sentences_without_blanks_between_them_get_none() -> None:
    text = "潮水退了。“灯灭了。”她数了*三遍*。\n"

    assert shown(text) == {1: "潮水退了。", 2: "“灯灭了。”", 3: "她数了三遍。"}
    assert re.sub(r"<[^>]*>", "", body(text)).split()[-1] == "潮水退了。“灯灭了。”她数了三遍。"


def test_emphasis_over_two_sentences_stays_and_both_can_be_chosen() -> None:
    text = "He said *the tide is low. Go* and went.\n"

    assert "<em>" in body(text)
    assert shown(text) == {1: "He said the tide is low.", 2: "Go and went."}


@for_each(
    "text, sentence",
    [
        ("> He rowed. She waited.\n", "He rowed."),
        ("- He rowed. She waited.\n- Both left.\n", "Both left."),
        ("The lamp.[^1] It went out.\n\n[^1]: A brass one. It was old.\n", "A brass one."),
        ("| a | b |\n|---|---|\n| salt | water |\n", "water"),
        ("Low\n===\n\nIt ebbed.\n", "Low"),
    ],
)
def test_quotes_lists_notes_tables_and_headings_are_read_as_without_marks(text: str, sentence: str) -> None:
    assert sentence in {each.strip() for each in shown(text).values()}


def test_a_mark_changes_nothing_of_the_page() -> None:
    text = (
        "# *Ebb*\n\n**Bold.** _So._ `a. b.` [Link. More.](https://example.org/?a=1&b=2) Then.\n\n"
        "1. One. Two.\n2. Three!\n\n| a | b |\n|---|---|\n| c | d |\n\n~~~\ncode.  x\n~~~\n\nEnd ...\n"
    )
    without = "".join(part.content for part in parts_of(body_of(page_of(text))))
    marked = re.sub(r"<span\n[^>]*>|</span\n>", "", body(text)).replace("\n", "")

    assert marked == without.replace("\n", "")


def test_what_could_run_load_or_take_a_name_of_the_page_is_taken_out() -> None:
    hostile = (
        "<body><h1 id='evidence' onclick='x()'>A</h1><script>alert(1)</script><img src='//e.org/x.png'>"
        "<a href='javascript:alert(1)' style='color:red'>b</a><a href='#x'>c</a><a href='file.html'>d</a>"
        "<iframe src='//e.org'></iframe><p class='s chosen title'>e</p><style>p{}</style></body>"
    )

    assert body_of(hostile) == (
        '<h1 id="t-evidence">A</h1><a rel="noopener noreferrer nofollow">b</a>'
        '<a href="#t-x" rel="noopener noreferrer nofollow">c</a><a rel="noopener noreferrer nofollow">d</a>'
        '<p class="title">e</p>'
    )


def test_html_of_a_text_stays_text() -> None:
    said = body('It <script>alert(1)</script> said "x" & <b onclick="y">z</b>.\n')

    assert "<script" not in said
    assert "onclick" not in re.sub(r"&lt;.*?&gt;", "", said)


def test_signs_of_marks_in_a_text_are_taken_out_before() -> None:
    assert shown(unmarked("A\u205f7\ufdd0 lamp. Out.\n")) == {1: "A 7 lamp.", 2: "Out."}


@given(st.lists(st.sampled_from(["Salt.", "*Low", "tide*.", "“So.”", "潮退。", "_x_", "**y.**", "?", "a"])))
def test_the_words_of_a_paragraph_come_out_in_their_order(words: list[str]) -> None:
    text = " ".join(words) + "\n"
    marked = with_marks(text, sentences_of(text))
    page = f"<body><p>{marked.strip()}</p></body>"

    found = "".join(part.content for part in parts_of(body_of(page)))

    letters = "".join(filter(str.isalnum, re.sub(r"<[^>]*>", "", found.replace("\n", ""))))
    assert letters == "".join(filter(str.isalnum, text))
