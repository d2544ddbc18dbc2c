"""Sentences are numbered in order, keep what must not be divided, and lose nothing."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.sentences import sentences_of
from penwright.domain.text.inline_citations import without_citations
from tests.support.each import for_each

CITATION = "[[@article{lee2020f, title = {One. Two? Three}, year = 2020}]]"
PROSE = st.text(alphabet="Ab. !?\n#-`$[]{}@1|。い<>\\", max_size=300)


def texts(text: str) -> list[str]:
    return [each.text for each in sentences_of(text)]


@for_each(
    "text, expected",
    [
        ("It is so. It was not.", ["It is so.", "It was not."]),
        ("It grew by 3.5 m. Then it fell.", ["It grew by 3.5 m.", "Then it fell."]),
        ("See Fig. 3 and cf. Lee et al. Then go.", ["See Fig. 3 and cf. Lee et al. Then go."]),
        ("Written by J. R. Marsh in May.", ["Written by J. R. Marsh in May."]),
        ("Why? Because!", ["Why?", "Because!"]),
        (
            "Nets learn.[^1] The next. And.[2, 3] So.¹ Then.<sup>4</sup> End.",
            ["Nets learn.[^1]", "The next.", "And.[2, 3]", "So.¹", "Then.<sup>4</sup>", "End."],
        ),
        (
            "As Lee et al.[1] The tide. “It rose.”[^a] He ran.",
            ["As Lee et al.[1] The tide.", "“It rose.”[^a]", "He ran."],
        ),
        ("It rose.[1](https://a.example) Next.", ["It rose.[1](https://a.example) Next."]),
        ("“Stop!” he said. He ran.", ["“Stop!” he said.", "He ran."]),
        ("At https://a.example/b.c. Next.", ["At https://a.example/b.c.", "Next."]),
        ("By doi 10.1000/xyz. Next.", ["By doi 10.1000/xyz.", "Next."]),
        ("Where $p < 0. X$ holds. Next.", ["Where $p < 0. X$ holds.", "Next."]),
        ("Use `a. B`. Next.", ["Use `a. B`.", "Next."]),
        ("它很好。他说：“好！”再见。", ["它很好。", "他说：“好！”", "再见。"]),
        ("यह है। वह था।", ["यह है।", "वह था।"]),
        ("- One. Two.\n- Three", ["One.", "Two.", "Three"]),
        ("It goes\non here. End.", ["It goes\non here.", "End."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "sentence", [f"It is so. {CITATION}", f"It is so {CITATION}.", f"So {CITATION} {CITATION}."]
)
def test_a_sentence_has_the_citations_that_follow_it(sentence: str) -> None:
    first, second = sentences_of(f"{sentence} Next one.")

    assert first.text == sentence
    assert first.citations
    assert not second.citations


def test_headings_code_tables_and_the_list_of_references_are_not_offered() -> None:
    text = (
        "---\ntitle: T\n---\n# Head\nProse.\n\n```\nCode. Here.\n```\n\n| a. | b |\n\n"
        "\\section{Latex}\nMore.\n\n## 7. References\nLee, J. It was."
    )

    offered = [each.text for each in sentences_of(text) if each.offered]

    assert offered == ["Prose.", "More."]
    assert "Code" not in " ".join(texts(text))


def test_a_sentence_knows_its_section() -> None:
    text = "# One\nA.\n\nTwo\n===\nB.\n\n\\subsection{Three}\nC."

    assert [(each.text, each.section) for each in sentences_of(text) if each.offered] == [
        ("A.", "One"),
        ("B.", "Two"),
        ("C.", "Three"),
    ]


def test_a_sentence_with_a_broken_citation_is_not_offered() -> None:
    assert [each.offered for each in sentences_of("It is [[@a{x, t={y. So.")] == [False]


@given(PROSE)
def test_sentences_are_numbered_in_order_and_apart(text: str) -> None:
    found = sentences_of(text)

    assert [each.number for each in found] == list(range(1, len(found) + 1))
    assert all(text[each.start : each.end] == each.text == each.text.strip() != "" for each in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


@given(PROSE)
def test_a_citation_is_never_divided(text: str) -> None:
    whole = f"{text}\n\nIt is so {CITATION}. Next."

    held = [each for each in sentences_of(whole) if CITATION in each.text]

    assert len(held) == (1 if "It is so" in whole and CITATION in "".join(texts(whole)) else 0)


@given(st.lists(st.sampled_from(["It rose.", "Why not?", "See Fig. 2.", "Ünd so.", "3 fell."]), min_size=1))
def test_citations_do_not_change_where_sentences_end(sentences: list[str]) -> None:
    plain = " ".join(sentences)
    cited = " ".join(f"{each} {CITATION}" for each in sentences)

    assert [without_citations(each) for each in texts(cited)] == texts(plain)
