"""Where in a text the keys of a lorebook occur."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.lore.index import build
from penwright.domain.lore.mentions import MOST_MENTIONS, mentions, placed
from penwright.domain.lore.words import exact, folded
from schemas.lore import Lorebook
from tests.support.each import for_each
from tests.support.lore import book, case, entry, reasons

TEXTS = st.text(
    st.sampled_from("aAbßİŉΐ’é龍각 \n\t\u0301\u0345\u1100\u1161\u11a8\u00a0\x1c\U0001f600"), max_size=12
)
KEYS = ("rose", "Rose", "red rose", "/ro.e/", "ro", "龍", "é", "ss")


def seen(lore: Lorebook, text: str) -> list[tuple[str, list[str]]]:
    found = mentions(build(lore), text)
    return [(text[each.start : each.end], [one.uid for one in each.entries]) for each in found]


@for_each(
    "key, text, marked",
    [
        ("rose", "A ROSE, red; roses.", ["ROSE"]),
        ("old harbour", "the old\n  harbour", ["old\n  harbour"]),
        ("Ren’s map", "Ren's map is torn", ["Ren's map"]),
        ("café", "the cafe\u0301, a café", ["cafe\u0301", "café"]),
        ("straße", "in der STRASSE, ein Straße", ["STRASSE", "Straße"]),
        ("tide", "😀😀 tide", ["tide"]),
        ("서울", "서울에서 만나요", ["서울"]),
        ("/drag(on|oon)s?/i", "Dragoons, a dragon", ["Dragoons", "dragon"]),
        ("/x*/", "abc", []),
    ],
)
def test_a_key_is_marked_where_it_stands(key: str, text: str, marked: list[str]) -> None:
    assert [words for words, _ in seen(book(entry("e", key)), text)] == marked


def test_keys_that_overlap_are_one_mark_with_the_longer_first() -> None:
    lore = book(entry("ann", "Ann"), entry("quist", "Ann Quist"), entry("ferry", "Quist ferry"))

    assert seen(lore, "Ann, and the Ann Quist ferry.") == [
        ("Ann", ["ann"]),
        ("Ann Quist ferry", ["quist", "ann", "ferry"]),
    ]


def test_entries_that_are_switched_off_and_secondary_keys_are_not_marked() -> None:
    lore = book(entry("off", "lamp", enabled=False), entry("e", "ferry", secondary=("lamp",), selective=True))

    assert seen(lore, "The lamp of the ferry.") == [("ferry", ["e"])]


def test_marks_are_bounded() -> None:
    assert len(mentions(build(book(entry("e", "a"))), "a b " * (MOST_MENTIONS + 5))) == MOST_MENTIONS


def test_keys_that_stand_in_one_another_cost_a_bounded_work() -> None:
    nested = book(*(entry(f"{length}", "a" * length) for length in range(1, 200)), whole_words=False)

    ((words, uids),) = seen(nested, "a" * 60_000)

    assert len(words) < 10_000, "the search went on after so many places"
    assert len(uids) == 199


@given(TEXTS, st.booleans())
def test_the_form_is_that_of_a_scan_and_each_part_of_it_has_its_place(text: str, folds: bool) -> None:
    found = placed(text, folds=folds)
    wanted = folded(exact(text)) if folds else exact(text)

    assert found.form == wanted
    for at, character in enumerate(wanted):
        if character != " ":
            start, end = found.span(at, at + 1)
            there = folded(exact(text[start:end])) if folds else exact(text[start:end])
            assert 0 <= start < end <= len(text)
            assert character in there


@given(
    st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(["rose", "Red rose", "roses", "龍龍", "cafe\u0301", "Straße", "é"]), max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_what_is_mentioned_is_what_a_scene_would_find(
    keys: list[str], words: list[str], case_sensitive: bool, whole_words: bool
) -> None:
    lore = book(*(entry(key, key) for key in keys), case_sensitive=case_sensitive, whole_words=whole_words)
    text = "\n ".join(words)
    marked = {uid for _, uids in seen(lore, text) for uid in uids}
    fired = {
        uid
        for uid, (outcome, _) in reasons(case(lore, said=text, tokens=9_999)).items()
        if outcome == "fired"
    }

    assert marked == fired
