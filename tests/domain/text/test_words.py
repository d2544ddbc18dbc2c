"""Counting words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.words import count_words, is_estimated, split_words, unit_of, without_comments
from tests.support.each import for_each

WHITE_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"
"""Characters of Unicode's White_Space property; the rest of the property lies between \u2000 and \u200a."""


@for_each("space", WHITE_SPACE)
def test_every_white_space_separates(space: str) -> None:
    assert count_words(f"one{space}two") == 2


@for_each("sign", "\x1c\x1d\x1e\x1f\u200b\u200d\ufeff")
def test_characters_that_only_look_like_separators_do_not_split(sign: str) -> None:
    assert count_words(f"one{sign}two") == 1


@for_each(
    "text, words",
    [
        ("", 0),
        ("# A heading\n\nand text", 5),
        ("<!-- one line --> but prose behind it", 4),
        ("before <!-- a\ncomment\n\nof many\nlines --> after", 2),
        ("<!-- INK: shorten --> <!-- PAGE 3 -->", 0),
        ("half<!-- x -->way", 1),
        ("an <!-- open comment is text", 6),
        ("<!-->two words", 2),
    ],
)
def test_comments_of_any_length_count_no_words(text: str, words: int) -> None:
    assert count_words(text) == words


@for_each(
    "text, words",
    [
        ("日本語の文章です。", 8),
        ("水涨了，没有人过河。", 8),
        ("“水涨了，” 他说。", 5),
        ("第 2 章 磨坊", 5),
        ("1984年，OK！", 3),
        ("コーヒーを飲む。", 7),
        ("<!-- 备注 -->火起了。", 3),
        ("He said 道 to her – twice.", 7),
        ("제1장 나루", 2),
    ],
)
def test_chinese_and_japanese_are_counted_by_characters(text: str, words: int) -> None:
    assert count_words(text) == words


@given(st.lists(st.text(alphabet="水了。，ab- ー道", min_size=1)))
def test_words_of_two_paragraphs_are_those_of_each(paragraphs: list[str]) -> None:
    assert count_words("\n\n".join(paragraphs)) == sum(map(count_words, paragraphs))
    assert count_words("\n\n".join(paragraphs)) == len(split_words("\n\n".join(paragraphs)))


def test_where_words_run_together_their_number_is_an_estimate() -> None:
    thai = "ผู้คนกำลังเดินไปที่ตลาด"

    assert 4 <= count_words(thai) <= 7
    assert is_estimated(f"OK {thai}")
    assert not is_estimated("水涨了，没有人过河。")
    assert not is_estimated("She said ไป and left.")


@for_each(
    "language, unit", [("Chinese", "characters"), ("ja", "characters"), ("Korean", "words"), ("", "words")]
)
def test_lengths_have_the_unit_of_their_language(language: str, unit: str) -> None:
    assert unit_of(language) == unit


@given(st.lists(st.text(alphabet="ab<!->", min_size=1)))
def test_taking_comments_out_never_adds_and_ends_at_once(pieces: list[str]) -> None:
    text = " ".join(pieces)
    bare = without_comments(text)
    assert len(bare) < len(text) or bare == text


@given(st.text(alphabet=st.sampled_from(WHITE_SPACE + "\x1c\x1f\u200bab—é日")))
def test_words_are_separated_by_white_space(text: str) -> None:
    for space in WHITE_SPACE:
        text = text.replace(space, " ")
    assert count_words(text) == len([word for word in text.split(" ") if word])


def test_half_a_character_is_a_word_too() -> None:
    assert count_words("\ud800 a") == 2


@given(st.text(), st.text())
def test_words_add_up_over_a_blank_line(one: str, other: str) -> None:
    one, other = one.replace("<!--", ""), other.replace("<!--", "")
    assert count_words(f"{one}\n\n{other}") == count_words(one) + count_words(other)


def test_a_text_full_of_openings_is_counted_in_linear_time() -> None:
    assert count_words("<!-- " * 200_000) == 200_000


CITED = "[[@article{orr2020tide, title = {Tide tables of the north}, author = {Orr, M.}, year = {2020}}]]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"Nobody asks him why {CITED}.", 4),
        (f"One.{CITED}{CITED} Two.", 2),
        (f"In code: `{CITED}`", 2 + len(CITED.split())),
        ("It does not close: [[@article{orr2020tide, and more words", 8),
    ],
)
def test_an_inline_citation_that_closes_counts_no_words(text: str, words: int) -> None:
    assert count_words(text) == words
