"""What else decides whether a lore entry fires: time, chance, groups, other entries."""

from typing import Any

import pytest

from penwright.domain.lore.scanning import scan
from schemas.lore import GAME_MASTER, LoreTimer
from tests.support.lore import book, case, entry, explain, reasons, scanned, uids, words


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


def test_an_entry_that_waits_for_recursion_fires_by_a_message_once_another_entry_fired() -> None:
    late = entry("e", "rose", only_recursed=1)
    why = "“rose” occurs in the newest message"

    alone = reasons(case(book(late, recursive=True), said="rose"))["e"]
    assert alone == ("recursion", f"{why}, and it waits for a search of other entries.")
    assert reasons(case(book(late, entry("a", "sea"), recursive=True), said="rose sea"))["e"] == (
        "fired",
        f"{why}.",
    )


def test_levels_of_recursion_are_reached_one_after_the_other() -> None:
    """An entry of the second level is not asked before nothing more fires on the first."""
    entries = (
        entry("a", "rose", content="a key"),
        entry("b", "key", content="a gate", only_recursed=3),
        entry("c", "key", secondary=("gate",), selective=True, logic="not-any", only_recursed=7),
    )

    answers = reasons(case(book(*entries, recursive=True), said="rose"))

    assert [answers[uid][0] for uid in "abc"] == ["fired", "fired", "secondary"]
    assert reasons(case(book(*entries), said="rose"))["b"][0] == "no-key"


def test_the_highest_order_of_those_that_win_undrawn_wins() -> None:
    rivals = [entry(uid, "rose", groups=("g",), group_wins=True, order=at) for at, uid in enumerate("abc")]

    assert uids(scanned(*rivals, said="rose")) == ["c"]


def test_a_scored_entry_is_out_if_another_of_its_group_has_more_keys_that_occur() -> None:
    songs = (
        entry("cat", "song", "sing", "black cat", groups=("g",), group_scored=True),
        entry("ghost", "song", "sing", "ghosts", groups=("g",), group_scored=True),
    )
    won = {
        said: {uid for seed in range(40) for uid in uids(scanned(*songs, said=said, seed=f"s/{seed}"))}
        for said in ("sing me a song", "sing me a song of ghosts")
    }

    assert won == {"sing me a song": {"cat", "ghost"}, "sing me a song of ghosts": {"ghost"}}


def test_the_place_of_an_entry_is_told_with_the_reason_why_it_fired() -> None:
    entries = (
        entry("always", constant=True),
        entry("called", "rose"),
        entry("deep", "rose", position="depth", depth=1),
        entry("out", "rose", position="outlet", outlet="fog"),
        entry("empty", "rose", content=" "),
        entry("not", "thorn"),
    )

    assert {each.uid: each.place for each in explain(case(book(*entries), said="rose"), words)} == {
        **{"always": "before the people", "called": "after the history"},
        **{"deep": "before the newest message", "out": "where a text calls {{outlet::fog}}"},
        **dict.fromkeys(("empty", "not"), ""),
    }


def test_keys_may_have_macros() -> None:
    keyed = entry("e", "{{char}} the brave", "/{{user}}:.*rose/")

    assert uids(scanned(keyed, said="Here comes Ann the  Brave.", char="Ann", user="Mira")) == ["e"]
    assert uids(scanned(keyed, said="Mira: A rose!", char="Ann", user="Mira")) == ["e"]
    assert uids(scanned(keyed, said="Annabel the brave", char="Bob", user="Mira")) == []
    assert uids(scanned(keyed, said="{{char}} was brave")) == []


def test_keys_are_looked_for_in_texts_of_the_character_if_the_entry_asks_for_it() -> None:
    asking = entry("e", "lighthouse", also_in=("description", "persona"))
    about = {"description": "Keeps the lighthouse.", "scenario": "A lighthouse."}

    assert reasons(case(book(asking), said="x", about=about))["e"] == (
        "fired",
        "“lighthouse” occurs in the character's description.",
    )
    assert uids(scanned(entry("e", "lighthouse"), said="x", about=about)) == []
    assert uids(scanned(asking, said="x", about={"scenario": "A lighthouse."})) == []


def test_an_entry_may_be_for_some_kinds_of_prompts() -> None:
    asked = entry("e", "rose", triggers=("swipe", "continue"))

    assert uids(scanned(asked, said="rose", triggers=("regenerate", "swipe"))) == ["e"]
    assert reasons(case(book(asked), said="rose"))["e"] == (
        "trigger",
        "It is only for prompts of the kind swipe, continue.",
    )


def test_a_vectorised_entry_fires_by_its_meaning_and_all_other_conditions_hold() -> None:
    entries = (entry("e", vectorised=True), entry("off", vectorised=True, enabled=False))
    found = reasons(case(book(*entries), said="x", near=(("land", "e"), ("land", "off"))))

    assert found["e"] == ("fired", "Its text is near to the newest messages in meaning.")
    assert found["off"][0] == "disabled"


def test_who_is_excluded_by_name_or_tag_does_not_get_an_entry_and_nobody_who_writes_for_all_does() -> None:
    kept = entry("e", "rose", characters=("bob",), character_tags=("spy",), excludes=True)
    allowed: dict[str, dict[str, Any]] = {
        "ann": {"for_character": "ann"},
        "bob": {"for_character": "bob"},
        "spy": {"for_character": "cleo", "for_tags": ("Spy",)},
        "narrator": {},
        "director": {"for_names": (GAME_MASTER,)},
        "unclear": {"for_character": "ann", "unclear": ("bob",)},
    }

    for who, fields in allowed.items():
        assert bool(uids(scanned(kept, said="rose", **fields))) == (who in ("ann", "director")), who


def test_an_entry_for_a_tag_is_for_those_who_have_it() -> None:
    tagged = entry("e", "rose", character_tags=("spy",))

    assert uids(scanned(tagged, said="rose", for_character="ann", for_tags=("SPY", "tall"))) == ["e"]
    assert reasons(case(book(tagged), said="rose", for_character="ann"))["e"] == (
        "character",
        "It is only for the prompts of tag spy.",
    )


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
