"""Passages of a source: whole sentences with page and section, and nothing that the page adds."""

from penwright.domain.library.passages import passages_of
from schemas.library import LibraryPage, LibraryPassage, ReadSource

_SAID = "The keeper of the lamp wrote that the {nth} winter was the longest that anyone remembered."
_NTHS = [
    f"{tens}{unit}" for tens in ("twenty-", "thirty-", "forty-") for unit in ("first", "second", "third")
]


def _pages(*texts: str, headings: tuple[str, ...] = ()) -> tuple[LibraryPassage, ...]:
    pages = tuple(LibraryPage(number=at, text=text) for at, text in enumerate(texts, 1))
    return passages_of(ReadSource(pages=pages, paged=True, headings=headings), "lamp.pdf")


def test_a_passage_holds_whole_sentences_of_one_section_and_begins_on_its_page() -> None:
    sentences = [_SAID.format(nth=nth) for nth in _NTHS * 5]
    pages = [f"Results\n{' '.join(sentences[:20])}", " ".join(sentences[20:])]
    found = _pages("Introduction\nThe lamp is old.", *pages)
    assert [(each.section, each.page) for each in found][:2] == [("Introduction", 1), ("Results", 2)]
    assert found[-1].page == 3
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    for each in found[1:]:
        assert each.text.endswith(".")
        assert each.text.startswith("The keeper")
        assert 50 <= len(each.text.split()) <= 225
    assert " ".join(each.text for each in found[1:]) == " ".join(sentences)


def test_running_headers_footers_and_page_numbers_are_no_part_of_the_text() -> None:
    body = ["The lamp was lit", "before the ships", "came in at dusk", "and all was well."]
    pages = [f"Annals of Lamps {30 + at}\n{line}\nDownloaded on 3 May\n{at}" for at, line in enumerate(body)]
    assert [each.text for each in _pages(*pages)] == [
        "The lamp was lit before the ships came in at dusk and all was well."
    ]


def test_a_line_that_stands_twice_in_the_text_is_not_taken_for_a_header() -> None:
    found = _pages("The lamp was out.\nNobody came.", "The lamp was out.\nSomebody came.")
    assert " ".join(each.text for each in found) == (
        "The lamp was out. Nobody came. The lamp was out. Somebody came."
    )


def test_a_passage_stands_on_the_page_that_it_names() -> None:
    """A sentence that goes on over the page's end belongs to the page where it begins."""
    found = _pages("The lamp was out. Nobody", "came. Somebody had the oil.")
    assert [(each.page, each.text) for each in found] == [
        (1, "The lamp was out. Nobody came."),
        (2, "Somebody had the oil."),
    ]


def test_words_that_a_line_or_page_end_divides_are_mended_and_true_hyphens_stay() -> None:
    found = _pages(
        "A self-reported lamp. The inter-\nnational lamp was self-\nreported, and the light-",
        "house kept it.",
    )
    assert (
        found[0].text
        == "A self-reported lamp. The international lamp was self-reported, and the lighthouse kept it."
    )


def test_ligatures_and_ranges_over_a_line_end_read_as_typed() -> None:
    assert (
        _pages("The ﬁrst oﬃcer read pages 21–\n39 aloud.")[0].text
        == "The first officer read pages 21–39 aloud."
    )


def test_lists_of_references_are_set_apart_under_their_heading_and_without_one() -> None:
    entries = "\n".join(
        f"{at}. Marsh A. B., Li C. (20{at:02}). Lamps of the coast. Annals of Lamps, {at}(2), 11–{at + 12}."
        for at in range(1, 15)
    )
    prose = "In 1999 the lamp was moved. Marsh (2001) and Li (2003) say why: the old rock had split."
    headed = _pages(f"Discussion\n{prose}", f"References\n{entries}", "Appendix A\nThe lamp weighs a ton.")
    assert [(each.section, each.is_reference_list) for each in headed] == [
        ("Discussion", False),
        *[("References", True)] * sum(each.is_reference_list for each in headed),
        ("Appendix A", False),
    ]
    (bare,) = {each.is_reference_list for each in _pages(entries)}
    assert bare


def test_titles_of_the_table_of_contents_and_numbered_lines_are_sections() -> None:
    text = (
        "Lamps and oil\nOil was dear.\n2 Keepers of the rock\nThree men lived there.\nWHAT WAS LEFT\nA wall."
    )
    found = _pages(text, headings=("1. Lamps and oil",))
    assert [(each.section, each.text) for each in found] == [
        ("Lamps and oil", "Oil was dear."),
        ("2 Keepers of the rock", "Three men lived there."),
        ("WHAT WAS LEFT", "A wall."),
    ]


def test_markdown_gives_sections_without_pages_and_words_without_marks() -> None:
    lamp = "# The *lamp*\n\nIt is **old**, says [Marsh](http://x.y).\n\n- oil\n- wick"
    text = f"---\ntitle: x\n---\n{lamp}\n\n## References\n\nMarsh 2001.\n"
    found = passages_of(ReadSource(pages=(LibraryPage(number=1, text=text),)), "lamp.md")
    assert [(each.section, each.text, each.page) for each in found] == [
        ("The lamp", "It is old, says Marsh. oil wick", None),
        ("References", "Marsh 2001.", None),
    ]
    assert [each.is_reference_list for each in found] == [False, True]


def test_a_sentence_longer_than_any_is_divided_between_words() -> None:
    words = [f"cell{at}" for at in range(1000)]
    found = _pages(" ".join(words))
    assert " ".join(each.text for each in found).split() == words
    assert max(len(each.text.split()) for each in found) <= 225
