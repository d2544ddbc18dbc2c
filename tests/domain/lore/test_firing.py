"""What else decides whether a lore entry fires: time, chance, groups, other entries."""

import pytest

from penwright.domain.lore.scanning import scan
from schemas.lore import LoreTimer
from tests.support.lore import book, case, entry, reasons, scanned, uids, words


def test_a_constant_entry_needs_no_key_and_a_switched_off_one_does_not_fire() -> None:
    answers = reasons(
        case(book(entry("on", constant=True), entry("off", "rose", enabled=False)), said="rose")
    )

    assert answers == {"on": ("fired", "It is constant."), "off": ("disabled", "It is switched off.")}


def test_an_entry_without_keys_says_why_it_never_fires() -> None:
    assert reasons(case(book(entry("e")), said="x"))["e"] == ("no-key", "It has no key and is not constant.")


def test_an_entry_for_some_characters_is_in_no_other_prompt() -> None:
    secret = entry("e", "rose", characters=("ann", "bob"))

    assert uids(scanned(secret, said="rose", for_character="bob")) == ["e"]
    for other in ("cleo", ""):
        given = case(book(secret), said="rose", for_character=other)
        assert reasons(given)["e"] == ("character", "It is only for the prompts of ann, bob.")


def test_who_is_listed_by_name_is_known_by_it_in_any_script_and_case() -> None:
    secret = entry("e", "rose", characters=("Oda  Brandt", "小红"))

    for names in (("oda brandt",), ("小红",)):
        assert uids(scanned(secret, said="rose", for_character="x-2", for_names=names)) == ["e"]
    assert uids(scanned(secret, said="rose", for_character="oda", for_names=("oda",))) == []


def test_a_draw_is_the_same_for_the_same_round_and_comes_true_as_often_as_it_says() -> None:
    asked = entry("e", "rose", probability=30)
    fired = [uids(scanned(asked, said="rose", seed=f"s/{number}")) for number in range(400)]

    assert fired == [uids(scanned(asked, said="rose", seed=f"s/{number}")) for number in range(400)]
    assert 90 <= fired.count(["e"]) <= 150
    assert uids(scanned(entry("e", "rose", probability=0), said="rose")) == []


def test_of_a_group_one_entry_wins_by_weight() -> None:
    pair = (entry("a", "rose", groups=("g",), group_weight=300), entry("b", "rose", groups=("g",)))
    wins = [uids(scanned(*pair, said="rose", seed=f"s/{number}")) for number in range(400)]

    assert {len(found) for found in wins} == {1}
    assert 260 <= wins.count(["a"]) <= 340


def test_the_loser_of_a_group_names_the_winner() -> None:
    pair = (entry("a", "rose", groups=("g",), title="A"), entry("b", "rose", groups=("g",), group_wins=True))

    assert reasons(case(book(*pair), said="rose")) == {
        "a": ("group", "“rose” occurs in the newest message, but “b” won the group “g”."),
        "b": ("fired", "“rose” occurs in the newest message."),
    }


def test_a_group_spans_books_and_an_entry_that_does_not_fire_is_no_rival() -> None:
    first = book(entry("a", "rose", groups=("g",)), entry("c", "thorn", groups=("g",), group_wins=True))
    second = book(entry("b", "rose", groups=("g",)), id="sea")

    assert len(scan(case(first, second, said="rose"), words).hits) == 1


def test_a_group_whose_weights_are_nought_still_has_a_winner() -> None:
    pair = [entry(uid, "rose", groups=("g",), group_weight=0) for uid in "ab"]

    assert uids(scanned(*pair, said="rose")) == ["a"]


def test_an_entry_waits_for_its_message() -> None:
    late = entry("e", "rose", delay=3)

    given = case(book(late), said="rose", message_number=2)
    assert reasons(given)["e"] == ("delay", "It waits for message 3; this is message 2.")
    assert uids(scanned(late, said="rose", message_number=3)) == ["e"]


def test_an_entry_stays_then_rests_then_may_fire_again() -> None:
    timed = book(entry("e", "rose", sticky=2, cooldown=2))
    timers: tuple[LoreTimer, ...] = ()
    seen = []
    for number, said in enumerate(["rose", "x", "x", "rose", "rose", "rose"], start=1):
        found = scan(case(timed, said=said, message_number=number, timers=timers), words)
        seen.append((uids(found), found.verdicts[0].outcome if found.verdicts else ""))
        timers = found.timers

    assert [fired for fired, _ in seen] == [["e"], ["e"], ["e"], [], [], ["e"]]
    assert [outcome for _, outcome in seen[3:5]] == ["cooldown", "cooldown"]
    assert timers == (LoreTimer(book="land", uid="e", message=6),)


def test_a_scan_that_is_made_again_finds_the_same() -> None:
    resting = book(entry("e", "rose", cooldown=5))
    first = scan(case(resting, said="rose", message_number=4), words)

    again = scan(case(resting, said="rose", message_number=4, timers=first.timers), words)

    assert again == first
    assert uids(again) == ["e"]


def test_timers_of_undone_messages_and_unknown_entries_go_and_those_of_absent_books_stay() -> None:
    timers = tuple(
        LoreTimer(book=name, uid=uid, message=number)
        for name, uid, number in [("land", "e", 9), ("land", "gone", 1), ("sea", "e", 1), ("sea", "late", 9)]
    )

    found = scan(case(book(entry("e", "x", sticky=3)), message_number=2, timers=timers), words)

    assert found.timers == (timers[2],)


def test_entries_of_a_recursive_book_are_found_in_each_other() -> None:
    chain = (
        entry("a", "rose", content="It hides a key."),
        entry("b", "key", content="It opens the gate.", title="The key"),
        entry("c", "gate"),
    )

    assert uids(scanned(*chain, said="rose")) == ["a"]
    answers = reasons(case(book(*chain, recursive=True), said="rose"))
    assert {uid: outcome for uid, (outcome, _) in answers.items()} == {
        "a": "fired",
        "b": "fired",
        "c": "fired",
    }
    assert answers["c"][1] == "“gate” occurs in the entry “The key”."


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ({"stops_recursion": True}, {}, "no-key"),
        ({}, {"not_recursed": True}, "recursion"),
        ({}, {"only_recursed": True}, "fired"),
        ({"probability": 0}, {}, "no-key"),
    ],
)
def test_recursion_is_forbidden_entry_by_entry(
    first: dict[str, int], second: dict[str, int], outcome: str
) -> None:
    pair = (entry("a", "rose", content="a key", **first), entry("b", "key", **second))

    assert reasons(case(book(*pair, recursive=True), said="rose"))["b"][0] == outcome


def test_an_entry_for_recursion_only_is_not_found_in_messages() -> None:
    given = case(book(entry("e", "rose", only_recursed=True), recursive=True), said="rose")

    why = "“rose” occurs in the newest message, and only other entries are searched for it."
    assert reasons(given)["e"] == ("recursion", why)


def test_a_secondary_key_may_come_from_another_entry() -> None:
    pair = (
        entry("a", "rose", content="a thorn"),
        entry("b", "rose", secondary=("thorn",), selective=True),
        entry("c", "/rose/", secondary=("/thorn/",), selective=True),
    )

    assert uids(scan(case(book(*pair, recursive=True), said="rose"), words)) == ["a", "b", "c"]


def test_recursion_ends_after_so_many_steps_and_entries_that_name_each_other_do_not_loop() -> None:
    chain = [entry(f"{at:02}", f"k{at}x", content=f"k{at + 1}x") for at in range(30)]
    ring = (entry("a", "rose", content="thorn"), entry("b", "thorn", content="rose"))

    assert len(scan(case(book(*chain, recursive=True), said="k0x"), words).hits) == 11
    assert uids(scan(case(book(*ring, recursive=True), said="rose"), words)) == ["a", "b"]
