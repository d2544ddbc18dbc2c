"""The index of a book: made text by text, bounded, and the same on every machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.prose import indexing
from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import extended, index_of
from penwright.domain.prose.packing import entry, packed, unpacked, values_of
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.prose import BookIndex, Draft
from tests.support.prose.measuring import STORY

TEXT = STORY.read_text(encoding="utf-8")
PARTS = paragraphs(TEXT)
OLD = PARTS[13]


def test_texts_that_are_added_later_make_the_same_index() -> None:
    at_once = index_of(PARTS, "English")

    assert extended(index_of(PARTS[:40], "English"), PARTS[40:]) == at_once
    assert BookIndex.model_validate_json(at_once.model_dump_json()) == at_once
    assert at_once.words == count_words(TEXT)


def test_nothing_of_the_hash_depends_on_the_process() -> None:
    assert index_of(["one two three four five " * 4], "English").shingles[:11] == "AAAASU005RE"


def test_beyond_its_bounds_an_index_forgets_the_oldest_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "MOST_SHINGLES", 600)
    monkeypatch.setattr(indexing, "MOST_WORDS", 20)
    monkeypatch.setattr(indexing, "MOST_PHRASES", 20)

    index = index_of(PARTS, "English")

    assert len(unpacked(index.shingles)) <= 600
    assert len(index.vocabulary) == len(index.names) == len(index.openers) == 20
    assert len(unpacked(index.phrases)) == 20
    assert index.dropped > 0
    last = next(each for each in reversed(PARTS) if count_words(each) > 40)
    assert [each.rule for each in findings(Draft(prose=last), index)] == ["echo"]
    assert findings(Draft(prose=OLD), index) == ()


def test_an_index_stays_below_its_bound_of_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "MOST_PASSAGES", 4)

    index = extended(extended(BookIndex(), PARTS[:60]), PARTS[60:])

    assert len(index.passages) == 4
    assert {each & 0xFFFFFF for each in unpacked(index.shingles)} == set(
        range(index.dropped, index.dropped + 4)
    )


@given(st.lists(st.tuples(st.integers(0, 2**40 - 1), st.integers(0, 2**24 - 1)), max_size=40))
def test_a_packed_table_gives_back_every_value_of_a_hash(pairs: list[tuple[int, int]]) -> None:
    table = unpacked(packed(sorted(entry(key, value) for key, value in pairs)))

    for key, _ in pairs:
        assert sorted(values_of(key, table)) == sorted(value for each, value in pairs if each == key)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_indexed_and_judged(before: str, prose: str) -> None:
    for language in ("English", "日本語", ""):
        found = findings(
            Draft(prose=prose, language=language, words_wanted=9), index_of([before, prose], language)
        )

        assert all(prose.startswith(each.quote, each.start) for each in found)
