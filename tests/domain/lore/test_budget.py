"""What of the lore has room, and in which order it stands."""

from penwright.domain.lore.scanning import scan
from tests.support.lore import book, case, entry, reasons, scanned, uids, words

TEN = "w " * 10


def test_entries_stand_by_their_order_and_have_room_by_their_priority() -> None:
    three = (
        entry("a", "rose", content=TEN, order=1),
        entry("b", "rose", content=TEN, order=2, priority=5),
        entry("c", "rose", content=TEN, order=3, priority=9),
    )

    assert uids(scanned(*three, said="rose", tokens=30)) == ["a", "b", "c"]
    assert uids(scanned(*three, said="rose", tokens=20)) == ["b", "c"]
    assert uids(scanned(*three, said="rose", tokens=10)) == ["c"]


def test_what_has_no_room_says_how_much_there_was_and_a_smaller_one_is_still_taken() -> None:
    pair = (entry("big", "rose", content=TEN, priority=1), entry("small", "rose", content="w"))

    answers = reasons(case(book(*pair), said="rose", tokens=4))

    why = "“rose” occurs in the newest message, but it has 10 tokens, and 4 of those for all books were left."
    assert answers == {"big": ("trimmed", why), "small": ("fired", "“rose” occurs in the newest message.")}


def test_a_book_has_a_budget_of_its_own_and_a_higher_book_is_served_first() -> None:
    low = book(entry("a", "rose", content=TEN, priority=99), id="low", priority=1)
    high = book(*(entry(uid, "rose", content=TEN) for uid in "xyz"), id="high", priority=2, token_budget=20)

    assert uids(scan(case(low, high, said="rose", tokens=25), words)) == ["x", "y"]
    answers = reasons(case(low, high, said="rose", tokens=25))
    assert "0 of its book's 20 were left" in answers["z"][1]
    assert "5 of those for all books were left" in answers["a"][1]


def test_constants_come_before_their_equals() -> None:
    pair = (entry("a", "rose", content=TEN, order=1), entry("b", constant=True, content=TEN, order=2))

    assert uids(scanned(*pair, said="rose", tokens=10)) == ["b"]


def test_what_ignores_the_budget_is_in_and_takes_nothing_from_it() -> None:
    pair = (entry("free", "rose", content=TEN * 5, ignores_budget=True), entry("paid", "rose", content=TEN))

    found = scanned(*pair, said="rose", tokens=10)

    assert uids(found) == ["free", "paid"]
    assert found.tokens == 60


def test_what_was_trimmed_starts_no_timer() -> None:
    pair = (entry("in", "rose", sticky=2), entry("out", "rose", sticky=2, content=TEN))

    assert [timer.uid for timer in scanned(*pair, said="rose", tokens=5).timers] == ["in"]


def test_an_entry_without_text_fires_and_inserts_nothing() -> None:
    blank = book(entry("e", "rose", content=" "))

    assert scan(case(blank, said="rose"), words).hits == ()
    why = "“rose” occurs in the newest message, and has no text."
    assert reasons(case(blank, said="rose"))["e"] == ("fired", why)


def test_the_case_of_the_research_report() -> None:
    entries = (
        entry("constant", constant=True, order=20),
        entry("keyed", "harbour", order=10),
        entry("cased", "Rose", case_sensitive=True),
        entry("secondary", "harbour", secondary=("ship", "whale"), selective=True, logic="and-all"),
        entry("off", "harbour", enabled=False),
        entry("large", "harbour", content=TEN * 9),
    )
    given = case(book(*entries), said=("The harbour lies still.", "A rose on a ship."), tokens=20)

    assert uids(scan(given, words)) == ["keyed", "constant"]
    outcomes = {uid: outcome for uid, (outcome, _) in reasons(given).items()}
    assert outcomes == {
        "constant": "fired",
        "keyed": "fired",
        "cased": "no-key",
        "secondary": "secondary",
        "off": "disabled",
        "large": "trimmed",
    }
