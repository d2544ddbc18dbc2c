"""Books of 100,000 words whose facts are known: what the writer is told, which contradictions are found."""

from collections.abc import Callable

import pytest

from penwright.domain.continuity.checking import contradictions
from penwright.domain.continuity.deciding import on_finding, sorted_by
from penwright.domain.continuity.known import known
from penwright.domain.continuity.telling import Sought, tell
from schemas.continuity import Decisions, Fact, Mode
from tests.support.books.worlds import CHAPTERS, World, people

COLORS = ("grey", "green", "brown", "black", "blue")
MODES: tuple[Mode, ...] = ("said", "dreamt", "remembered", "believed", "planned")
Pair = tuple[str, str, str, str, str, str]
"""Of a contradiction: rule, who, the trait and value that stand first, and those that come later."""


def pairs() -> list[Pair]:
    """Forty contradictions of eight families, each about a person of its own."""
    names = list(people())
    made: list[Pair] = []
    for at in range(5):
        one, other = COLORS[at], COLORS[(at + 2) % 5]
        eyes, born, age, child, wife, dead, lost, canon = names[at * 8 : at * 8 + 8]
        made += [
            ("one-value", eyes, "eyes", one, "eyes", other),
            ("one-value", born, "birthday", f"{at + 1} May", "birthday", f"{at + 11} June"),
            ("age", age, "age", f"{40 + at}", "age", f"{30 + at}"),
            ("kin", child, "kin", "brother of Orla", "kin", "son of Orla"),
            ("kin", wife, "kin", "wife of Tam", "kin", "sister of Tam"),
            ("dead-acts", dead, "dead", "yes", "holds", "the rope"),
            ("lost-used", lost, "lost", f"the {one} box", "holds", f"the {one} box"),
            ("canon", canon, "eyes", one, "eyes", one),
        ]
    return made


def a_world(contradicting: bool = True) -> tuple[World, list[Pair], dict[str, str]]:
    world, listed = World(), pairs()
    for at, (rule, who, trait, value, later, changed) in enumerate(listed):
        world.tell(2 + at % 5, who, trait, value)
        if rule != "canon":
            mode: Mode = "told" if contradicting else MODES[at % len(MODES)]
            world.tell(12 + at % 12, who, later, changed, mode)
    files = "\n".join(
        f"## {who}\n\n- Eyes: {'violet' if contradicting else value}\n"
        for rule, who, _, value, _, _ in listed
        if rule == "canon"
    )
    return world, listed, {"Global Material/Characters.md": files}


def test_contradictions_in_a_long_book_are_found_and_intended_ones_stay_silent(
    record_property: Callable[[str, object], None],
) -> None:
    world, listed, files = a_world()
    assert world.words > 100_000

    story = known(world.readings, world.told)
    found = contradictions(story, CHAPTERS, files)

    wanted = {(rule, who) for rule, who, *_ in listed}
    right = {(each.rule, each.about) for each in found} & wanted
    record_property("found", f"{len(right)} of {len(wanted)}")
    assert len(right) >= 36
    assert {(each.rule, each.about) for each in found} - wanted == set()
    assert all(each.later.quote and each.earlier.quote for each in found)
    left = sorted_by(found, Decisions(intended=tuple(map(on_finding, found[:20])))).left
    assert {each for each in left if each in found[:20]} == set()


def test_lies_dreams_and_memories_contradict_nothing() -> None:
    world, listed, files = a_world(contradicting=False)

    found = contradictions(known(world.readings, world.told), CHAPTERS, files)

    assert len(found) <= len(listed) * 2 // 100


def test_facts_of_those_whom_the_outline_names_are_in_the_prompt(
    record_property: Callable[[str, object], None],
) -> None:
    world, seeded = World(2), dict[str, list[Fact]]()
    for at, who in enumerate(list(people())[:40]):
        values = {
            "eyes": COLORS[at % 5],
            "age": f"{20 + at}",
            "kin": f"cousin of Tam {at}",
            "birthday": f"{1 + at % 28} May",
            "home": f"the house at number {at}",
        }
        seeded[who] = [
            world.tell(1 + (at + place) % 19, who, trait, value)
            for place, (trait, value) in enumerate(values.items())
        ]
    story = known(world.readings, world.told)

    found = 0
    for who, facts in seeded.items():
        told = tell(story, Sought(f"1. {who} opens the door.", "", 20), 2_500).text
        line = next((each for each in told.splitlines() if each.startswith(f"- {who}:")), "")
        found += sum(f"{fact.trait}: {fact.value} (ch. " in line for fact in facts)

    record_property("needles", f"{found} of {sum(map(len, seeded.values()))}")
    assert found >= 0.95 * 200


@pytest.mark.parametrize("tokens", [600, 1_800, 2_500])
def test_an_outline_that_names_twelve_people_has_their_facts_in_its_room(tokens: int) -> None:
    world = World(3)
    named = list(people())[:12]
    for at, who in enumerate(named):
        for place, trait in enumerate(("eyes", "age", "home")):
            world.tell(
                1 + (at + place) % 19, who, trait, {"eyes": "grey", "age": "41", "home": "the mill"}[trait]
            )

    told = tell(known(world.readings, world.told), Sought(", ".join(named), "", 20), tokens)

    assert told.shown["people"] >= min(12, tokens * 40 // 100 // 35)
