"""The voice of a book: a passage by a rule, and numbers that stay while the book grows at its end."""

from itertools import pairwise

from penwright.domain.book.voice import voice_of
from penwright.domain.text.words import count_words

NARRATED = (
    "She walked along the pier and counted the boats that were in. "
    "He was not among them, and the tide went out. "
)
SPOKEN = '"You came late," he said. "I know it," she said, and looked at the water. '
FIRST = "I walked along the pier, and I counted my boats. They were all in. I said nothing to him. "


def book(*paragraphs: str) -> str:
    return "<!-- Penwright: the validated book. -->\n\n## One\n\n" + "\n\n".join(
        each.strip() for each in paragraphs
    )


MIXED = book(*(text * 4 for _ in range(40) for text in (NARRATED, NARRATED, SPOKEN)))


def test_the_sample_is_whole_paragraphs_of_300_to_600_words_without_marks_of_the_engine() -> None:
    voice = voice_of(MIXED.replace("\n\nShe", "\n\n<!-- PAGE 2 -->\n\nShe", 3), "English")

    assert voice is not None
    assert 300 <= count_words(voice.sample) <= 600
    assert set(voice.sample.split("\n\n")) <= {(text * 4).strip() for text in (NARRATED, SPOKEN)}
    assert "<!--" not in voice.sample


def test_the_sample_is_nearest_to_the_whole_in_its_share_of_dialogue() -> None:
    some = [NARRATED * 8, NARRATED * 8, NARRATED * 8]
    mixed = [NARRATED * 4, SPOKEN * 5, NARRATED * 4, SPOKEN * 5, NARRATED * 4]
    voice = voice_of(book(*some, *mixed, *mixed), "English")

    assert voice is not None
    assert '"You came late,"' in voice.sample


def test_the_numbers_tell_sentences_dialogue_person_and_tense() -> None:
    voice = voice_of(MIXED, "English")

    assert voice is not None
    assert (voice.person, voice.tense) == ("third", "past")
    assert 9 <= voice.sentence_words <= voice.long_sentence_words <= 13
    assert 5 <= voice.dialogue_percent <= 25
    told = voice_of(book(*[FIRST * 4] * 20), "English")
    assert told is not None
    assert (told.person, told.dialogue_percent) == ("first", 0)


def test_what_cannot_be_told_in_a_language_stays_open() -> None:
    voice, unknown = voice_of(MIXED, "English"), voice_of(MIXED, "Basque")

    assert voice is not None
    assert unknown == voice.model_copy(update={"person": "", "tense": ""})


def test_the_voice_stays_the_same_while_the_book_grows_until_it_has_doubled() -> None:
    paragraphs = [text * 4 for _ in range(60) for text in (NARRATED, SPOKEN)]
    grown = [voice_of(book(*paragraphs[:count]), "English") for count in range(2, 120)]

    changes = sum(1 for one, other in pairwise(grown) if one != other)
    assert changes <= 5
    assert grown[-1] == voice_of(book(*paragraphs), "English")


def test_where_chapters_are_short_the_sample_goes_across_their_headings() -> None:
    voice = voice_of(book(*["## Two", NARRATED * 4] * 9), "English")

    assert voice is not None
    assert "##" not in voice.sample


def test_a_short_book_and_one_without_paragraphs_have_no_voice_yet() -> None:
    assert voice_of("", "English") is None
    assert voice_of(book(NARRATED), "English") is None
    assert voice_of("word " * 5_000, "English") is None
