"""When two titles are one: words, markup, spelling, subtitles, notes in front."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.titles import (
    likeness,
    notice_in,
    same_words,
    search_words,
    unmarked,
    words,
)
from schemas.scholarly import NoticeKind
from tests.support.each import for_each

TITLES = st.text(max_size=80)


@for_each(
    "one, other",
    [
        ("Deep Learning", "deep learning."),
        ("The <i>p53</i> network &amp; its <sub>role</sub>", "The p53 network and its role"),
        ("The {DNA} of \\emph{Sprachwerke}", "The DNA of Sprachwerke"),
        ("Über Größen", "Uber Grossen"),
        ("α-synuclein in the brain", "Alpha-Synuclein in the Brain"),
        ("Tumour behaviour: modelling and visualisation", "Tumor behavior: modeling and visualization"),
        ("A data-base of e-mails", "A database of emails"),
        ("Aspirin: a review", "Aspirin: A Review: The Second Part"),
        ("Coping with chaos", "Coping with Chaos: How disordered contexts promote stereotyping"),
        ("RETRACTED ARTICLE: A study of mice", "A study of mice"),
        ("[WITHDRAWN] A study of mice", "A study of mice"),
        ("Rates\u2014and ‘risks’—of falls", "Rates - and 'risks' - of falls"),
    ],
)
def test_these_are_one_title(one: str, other: str) -> None:
    assert same_words(one, other)
    assert likeness(one, other) == 1.0


@for_each(
    "one, other",
    [
        ("Attention is all you need", "Attention is all they need"),
        (
            "Effects of aspirin on the risk of stroke in men",
            "Effects of aspirin on the risk of stroke in women",
        ),
        ("Increase of risk in a large cohort of patients", "Decrease of risk in a large cohort of patients"),
        ("Dogs bite men", "Men bite dogs"),
        ("A trial of 12 weeks", "A trial of 21 weeks"),
        ("Drug use is associated with death", "Drug use is not associated with death"),
        ("Part one: rivers", "Part one: lakes"),
        ("Effect of aspirin on stroke: a tale about dogs", "Effect of aspirin on stroke"),
        ("Aspirin: a review: a tale about dogs", "Aspirin: a review"),
        ("", ""),
        ("...", "—"),
    ],
)
def test_these_are_two(one: str, other: str) -> None:
    assert not same_words(one, other)


@for_each(
    "title, kind",
    [
        ("RETRACTED: On mice", "retraction"),
        ("Retracted article: On mice", "retraction"),
        ("[Retracted] On mice", "retraction"),
        ("WITHDRAWN: On mice", "withdrawal"),
        ("TEMPORARY REMOVAL: On mice", "withdrawal"),
        ("Expression of Concern: On mice", "concern"),
        ("Retracted articles and what becomes of them", None),
        ("Withdrawn children in primary schools", None),
        ("Removal of lead from water", None),
        ("RETRACTED:", None),
    ],
)
def test_a_note_before_the_title_is_told_from_a_title(title: str, kind: NoticeKind | None) -> None:
    assert notice_in(title) == kind


def test_a_formula_is_no_markup() -> None:
    assert unmarked("Risk at p < 0.05 and n > 30, a <b>bold</b> claim") == (
        "Risk at p < 0.05 and n > 30, a bold claim"
    )


@given(TITLES, TITLES)
def test_likeness_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1


@given(TITLES)
def test_a_title_with_a_word_is_like_itself_in_any_case(title: str) -> None:
    assert same_words(title, title) == bool(words(title))


@given(TITLES)
def test_searched_words_are_few_short_and_plain(title: str) -> None:
    found = search_words(title)

    assert len(found) <= 15
    assert all(word.isalnum() and len(word) <= 50 for word in found)
