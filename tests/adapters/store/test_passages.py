"""The index of own sources: what is found, by words and by meaning, and in which order."""

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings
from penwright.adapters.store import Store, open_store
from penwright.domain.library.passages import RULES
from penwright.ports.library import PassageIndex
from penwright.ports.retention import UnderWay
from schemas.housekeeping import RetentionDays
from schemas.library import IndexedText, LibraryPassage
from schemas.memory import Vectors
from schemas.scholarly import Reference
from tests.adapters.store.builders import SetClock

pytestmark = pytest.mark.server
_WORDLLAMA = WordLlamaEmbeddings()
_TIDES = (
    "Before spring tides the divers slept 47 minutes less than before neap tides, and woke twice as often.",
    "Every diver wrote down when the lamp went out and when the day began.",
    "Expectation is likelier than the moon: whoever knows that the current will be strong lies awake.",
    "Physicians have found that tiredness slows the heart and the hand.",
)
_LAMPREYS = (
    "Lampreys climb the river at night and spawn on gravel in early summer.",
    "The fishery closed when the weir was raised in 1931, and the fish did not return.",
)


@pytest.fixture
def store(database_url: str, clock: SetClock) -> Iterator[Store]:
    with closing(open_store(database_url, clock=clock)) as store:
        yield store


def put(
    index: PassageIndex,
    blob: str,
    texts: Sequence[str],
    *,
    last_is_list: bool = False,
    with_vectors: bool = True,
) -> None:
    passages = [LibraryPassage(source="", number=at, page=at, text=text) for at, text in enumerate(texts, 1)]
    if last_is_list:
        passages[-1] = passages[-1].model_copy(update={"is_reference_list": True})
    vectors = (_WORDLLAMA if with_vectors else NoEmbeddings()).embed(texts)
    indexed = IndexedText(
        rules=RULES,
        model=vectors.model,
        work=Reference(title=blob),
        pages=len(texts),
        words=1,
        passages=len(texts),
    )
    index.put(blob, indexed, passages, vectors)


def found(index: PassageIndex, blobs: Sequence[str], words: str, limit: int = 3) -> list[str]:
    return [each.text for _, each in index.search(blobs, words, _WORDLLAMA.embed([words]), limit)]


def test_a_question_finds_the_passage_that_has_its_rare_words_first(store: Store) -> None:
    put(store.passages, "tides", _TIDES)
    put(store.passages, "lampreys", _LAMPREYS)
    both = ("tides", "lampreys")
    assert found(store.passages, both, "How long did the divers sleep before spring tides?")[0] == _TIDES[0]
    assert found(store.passages, both, "the closing of the fishery")[0] == _LAMPREYS[1]
    assert found(store.passages, ("lampreys",), "divers before spring tides") == []


def test_a_passage_that_says_it_in_other_words_is_found_by_its_meaning(store: Store) -> None:
    put(store.passages, "tides", _TIDES)
    assert _TIDES[3] in found(store.passages, ("tides",), "doctors discovered fatigue", limit=2)
    assert found(store.passages, ("tides",), "quarterly revenue of software firms") == []


def test_lists_of_references_are_kept_and_never_found(store: Store) -> None:
    put(store.passages, "tides", (*_TIDES, "Brown, K. (2003). Lampreys of the estuary."), last_is_list=True)
    assert found(store.passages, ("tides",), "Brown lampreys estuary") == []
    assert [each.number for each in store.passages.passages("tides")] == [1, 2, 3, 4, 5]


def test_without_vectors_the_words_alone_find(store: Store) -> None:
    put(store.passages, "tides", _TIDES, with_vectors=False)
    none = Vectors(model="", dimensions=0, vectors=((),))
    assert [
        each.number for _, each in store.passages.search(("tides",), "the lamp's going out", none, 2)
    ] == [2]


def test_a_text_is_put_anew_in_place_of_the_old_and_signs_of_queries_are_words(store: Store) -> None:
    put(store.passages, "tides", _LAMPREYS)
    put(store.passages, "tides", _TIDES)
    assert store.passages.known(["tides", "other"])["tides"].passages == 4
    assert found(store.passages, ("tides",), "lamp:* & !(' \\ diver's <-> | \0")[0] == _TIDES[1]
    assert found(store.passages, ("tides",), "") == []


def test_what_nobody_looked_at_for_long_is_read_again(store: Store, clock: SetClock) -> None:
    put(store.passages, "old", _TIDES)
    put(store.passages, "used", _TIDES)
    clock.pass_time(days=170)
    store.passages.known(["used"])
    clock.pass_time(days=20)
    list(store.retention.clear(RetentionDays(), UnderWay()))
    assert set(store.passages.known(["old", "used"])) == {"used"}
    assert store.passages.passages("old") == ()
