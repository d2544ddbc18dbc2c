"""What is told of a prompt's lore afterwards is what was recorded with it."""

from collections.abc import Collection, Iterable
from typing import Any

from hypothesis import given

from penwright.domain.lore.recorded import Recorded, matching, recorded, verdicts_of
from penwright.domain.lore.scanning import scan
from schemas.envelope import Envelope, Item, TokenBudget
from schemas.lore import Lorebook, LoreCase, LoreScan
from tests.domain.lore.test_laws import CASES
from tests.support.lore import book, case, entry, explain, words


def prompt(found: LoreScan, **more: Any) -> Envelope:
    return Envelope(
        request_type="user",
        scene="harbour",
        round=1,
        budget=TokenBudget(context=100, answer=10, fixed=10, counter="words"),
        lore_verdicts=found.verdicts,
        lore_books=found.books,
        **more,
    )


def told_of(
    shown: Envelope, books: Iterable[Lorebook], who: str = "", names: Collection[str] = ()
) -> Recorded:
    return recorded(verdicts_of(shown), shown.lore_books, books, who, names)


def outcomes(shown: Envelope, *books: Lorebook, who: str = "") -> dict[str, str]:
    return {each.uid: each.outcome for each in told_of(shown, books, who).verdicts}


SEA = book(
    entry("whale", "whale"),
    entry("squid", "squid"),
    entry("off", "whale", enabled=False),
    entry("bobs", "squid", characters=("bob",)),
    entry("mute"),
)


def test_a_record_tells_of_every_entry_although_it_names_only_those_that_were_looked_at() -> None:
    found = scan(case(SEA, said="A whale!", for_character="ann"), words)

    assert {each.uid for each in found.verdicts} == {"whale"}
    assert outcomes(prompt(found), SEA, who="ann") == {
        **{"whale": "fired", "off": "disabled", "squid": "no-key"},
        **{"bobs": "character", "mute": "no-key"},
    }


def test_later_changes_of_a_book_change_nothing_and_are_said() -> None:
    shown = prompt(scan(case(SEA, said="A whale!"), words))
    changed = SEA.model_copy(update={"version": 2, "entries": (entry("whale", "no such key"),)})

    for now in ((changed,), ()):
        told = told_of(shown, now)
        assert {each.uid: each.outcome for each in told.verdicts} == {"whale": "fired"}
        (sentence,) = told.unlisted
        assert "of 4 entries of it no key occurred then" in sentence


def test_what_fired_and_had_no_room_in_the_prompt_is_trimmed_with_the_reason() -> None:
    cut = Item(
        section="lore", id="lore/land/whale", tokens=9, kept=False, reason="no room: 9 of 4 tokens left"
    )
    shown = prompt(scan(case(SEA, said="A whale!"), words), items=(cut,))

    (whale,) = matching(told_of(shown, [SEA]).verdicts, "WHALE")

    assert whale.outcome == "trimmed"
    assert "Left out of the prompt: no room: 9 of 4 tokens left." in whale.why


@given(CASES)
def test_the_record_agrees_with_a_verdict_on_every_entry(asked: LoreCase) -> None:
    told = told_of(prompt(scan(asked, words)), asked.books, asked.for_character, asked.for_names)
    every = {(each.book, each.uid): each.outcome for each in explain(asked, words)}
    found = {(each.book, each.uid): each.outcome for each in told.verdicts}

    assert found.keys() == every.keys()
    assert told.unlisted == ()
    # An entry without a key may also wait or rest; the record only says that no key of it occurred.
    waits = {"delay", "cooldown", "no-key", "character", "disabled"}
    assert all(found[ref] == told or {found[ref], told} <= waits for ref, told in every.items())
