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
from schemas.library import IndexedText, LibraryPassage, SaidWork
from schemas.memory import Vectors
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

_READ = {
    "bees": (
        "Honeybees that were fed pollen of several plants lived longer than those fed with one kind only.",
        "Colonies near large roads lost a third of their foragers in dry summers.",
        "The waggle dance was shorter on days when the hive had much honey in store.",
    ),
    "iron": (
        "Medieval smiths in the valley smelted bog ore with charcoal of alder.",
        "Slag heaps were dated to the twelfth century by the rings of timber found below them.",
        "Trade in bar iron ended when the bridge fell and was not built again.",
    ),
    "reading": (
        "Children who were read to every evening knew more rare words at the age of six.",
        "The number of books at home explained less than the talk about them.",
        "After two years of lessons on screens, spelling had become worse in both schools.",
    ),
    "ice": (
        "The glacier lost eleven metres of thickness between the two surveys.",
        "Meltwater carried mercury into the lake, where trout took it up.",
        "Snow stakes agreed with the satellite within four centimetres.",
    ),
    "sleep": (
        "Nurses on rotating shifts made twice as many errors in the last hour before dawn.",
        "A nap of twenty minutes restored attention but not memory.",
        "Coffee after four in the afternoon delayed sleep by half an hour on average.",
    ),
    "money": (
        "Households with a savings account were less likely to skip meals during the strike.",
        "Lenders charged women higher rates although they defaulted less often.",
        "Inflation was felt most by pensioners who paid rent in cash.",
    ),
}
_ASKED = (
    ("Does a varied diet extend the life span of bees?", "bees", 1),
    ("traffic kills bees during drought", "bees", 2),
    ("bee communication when food reserves are full", "bees", 3),
    ("what fuel was used in the furnaces of the Middle Ages", "iron", 1),
    ("dendrochronology of slag", "iron", 2),
    ("why did commerce in metal stop", "iron", 3),
    ("bedtime stories enlarge vocabulary", "reading", 1),
    ("owning books matters less than conversation", "reading", 2),
    ("digital teaching harmed orthography", "reading", 3),
    ("thinning of the ice over time", "ice", 1),
    ("heavy metal pollution in fish", "ice", 2),
    ("accuracy of remote sensing of snow", "ice", 3),
    ("night work and mistakes in hospitals", "sleep", 1),
    ("short daytime sleep and concentration", "sleep", 2),
    ("caffeine in the evening and falling asleep", "sleep", 3),
    ("bank deposits protect families from hunger", "money", 1),
    ("gender discrimination in credit", "money", 2),
    ("rising prices hurt the elderly", "money", 3),
)
"""Questions in other words than the passages, and the passage that answers each."""


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
        work=SaidWork(title=blob),
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
    assert set(found(store.passages, ("lampreys",), "divers before spring tides")) <= set(_LAMPREYS)


def test_a_passage_that_says_it_in_other_words_is_found_by_its_meaning(store: Store) -> None:
    put(store.passages, "tides", _TIDES)
    assert _TIDES[3] in found(store.passages, ("tides",), "doctors discovered fatigue", limit=2)
    assert found(store.passages, ("tides",), "quarterly revenue of software firms") == []


def test_a_word_that_stands_nowhere_finds_only_what_is_near_it_and_this_is_said(store: Store) -> None:
    every = tuple(_READ)
    for blob, texts in _READ.items():
        put(store.passages, blob, texts)
    foreign = ("parliament", "violin", "hockey", "saffron", "penguin", "samurai", "ballet", "cucumber")
    assert [word for word in foreign if found(store.passages, every, word)] == []
    near = store.passages.search(every, "caffeine", _WORDLLAMA.embed(["caffeine"]), 1)
    assert [(blob, each.number, each.has_words) for blob, each in near] == [("sleep", 3, False)]
    (said,) = store.passages.search(every, "coffee", _WORDLLAMA.embed(["coffee"]), 1)
    assert (said[0], said[1].has_words) == ("sleep", True)


def test_lists_of_references_are_kept_and_never_found(store: Store) -> None:
    put(store.passages, "tides", (*_TIDES, "Brown, K. (2003). Lampreys of the estuary."), last_is_list=True)
    assert set(found(store.passages, ("tides",), "Brown lampreys estuary")) <= set(_TIDES)
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


def test_of_questions_in_other_words_most_are_answered_first_and_nearly_all_among_three(store: Store) -> None:
    for blob, texts in _READ.items():
        put(store.passages, blob, texts)
    found = {
        asked: [
            (blob, each.number)
            for blob, each in store.passages.search(tuple(_READ), asked, _WORDLLAMA.embed([asked]), 3)
        ]
        for asked, _, _ in _ASKED
    }
    first = sum(found[asked][:1] == [(blob, number)] for asked, blob, number in _ASKED)
    among = sum((blob, number) in found[asked] for asked, blob, number in _ASKED)
    assert first >= 12
    assert among >= 16
