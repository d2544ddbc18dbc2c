"""Where in a prompt an entry of lore stands."""

import re

from penwright.domain.models.token_estimate import cautious_tokens
from penwright.domain.scene.envelope.rendering import material
from schemas.envelope import EnvelopeCase, EnvelopeFor, LorePlace
from schemas.lore import Position
from schemas.worlds import Character
from tests.support.scenes.envelopes import ROOM, built, case, located, message, rounds

ANN = Character(
    id="ann",
    name="Ann",
    description="Tall.",
    example_messages="Ann: Ahoy.",
    post_history="Short. {{outlet::weather}}",
)
POSITIONS: tuple[Position, ...] = (
    *("before", "after", "note-top", "note-bottom", "depth", "examples-top", "examples-bottom"),
)


def with_lore(
    places: dict[str, LorePlace], *, standing: bool, for_: EnvelopeFor = "character"
) -> EnvelopeCase:
    """A case with one entry of each place, whose text is its name in brackets."""
    bob = Character(id="bob", name="Bob", description="Small.")
    return case(
        for_,
        characters=(ANN, bob),
        lore=tuple(f"[{name}]" for name in places),
        lore_ids=tuple(places),
        lore_places=tuple(places.values()),
        standing_lore=tuple(places) if standing else (),
    )


def of_each_position(*, standing: bool, for_: EnvelopeFor = "character") -> str:
    places: dict[str, LorePlace] = {name: LorePlace(position=name, depth=2) for name in POSITIONS}
    return material(built(with_lore(places, standing=standing, for_=for_)), for_)


def order(prompt: str, *marks: str) -> list[str]:
    """The marks in the order in which the prompt has them."""
    return re.findall("|".join(map(re.escape, marks)), prompt)


def test_what_always_stands_has_its_place_among_people_notes_and_examples() -> None:
    marks = ("Tall.", "Ann: Ahoy.", "Small.", "ann 3 word", "Is it you?", "Be terse.", "Short.")

    assert order(of_each_position(standing=True), *(f"[{name}]" for name in POSITIONS), *marks) == [
        *("[before]", "Tall.", "[examples-top]", "Ann: Ahoy.", "[examples-bottom]", "Small.", "[after]"),
        *("ann 3 word", "[depth]", "Is it you?", "[note-top]", "Be terse.", "[note-bottom]", "Short."),
    ]


def test_what_a_key_called_stands_after_the_history_so_that_prompts_begin_alike() -> None:
    called = ("before", "after", "examples-top", "examples-bottom")
    marks = (*(f"[{name}]" for name in called), "Tall.", "bob 3 word", "Is it you?")

    assert order(of_each_position(standing=False), *marks) == [
        *("Tall.", "bob 3 word", *(f"[{name}]" for name in called), "Is it you?"),
    ]


def test_a_role_without_examples_or_direction_has_the_same_entries_elsewhere() -> None:
    for role in ("director", "narrator", "world", "summariser", "visual"):
        prompt = of_each_position(standing=True, for_=role)
        assert all(prompt.count(f"[{name}]") == 1 for name in POSITIONS), role


def test_an_entry_at_a_depth_stands_before_so_many_of_the_newest_messages() -> None:
    """Depth counts from the end, over this round and the ones before; what is too deep stands at the top."""
    said = (
        *rounds(1),
        message(4, "Is it you?", round=2, who="mira"),
        message(5, "It is.", round=2, who="bob"),
    )
    marks = ("mira 1 word", "ann 1 word", "bob 1 word", "Is it you?", "It is.")

    for depth in (0, 1, 2, 3, 5, 99):
        places = {"deep": LorePlace(position="depth", depth=depth)}
        given = with_lore(places, standing=False).model_copy(update={"messages": said, "round": 2})
        found = order(material(built(given), "character"), "[deep]", *marks)
        assert found.index("[deep]") == max(len(marks) - depth, 0), depth


def test_depth_zero_stands_in_this_round_though_nothing_was_said_in_it() -> None:
    given = with_lore({"deep": LorePlace(position="depth")}, standing=False)
    prompt = material(built(given.model_copy(update={"messages": rounds(3)})), "character")

    assert order(prompt, "bob 3 word", "## This round so far", "[deep]") == [
        *("bob 3 word", "## This round so far", "[deep]"),
    ]


def test_an_outlet_stands_where_a_text_calls_it_and_nowhere_else() -> None:
    places = {
        "fog": LorePlace(position="outlet", outlet="weather"),
        "rain": LorePlace(position="outlet", outlet="weather"),
        "gold": LorePlace(position="outlet", outlet="Weather"),
    }
    envelope = built(with_lore(places, standing=False))

    assert envelope.card_notes == "Short. [fog]\n[rain]"
    assert "[gold]" not in material(envelope, "character")
    assert not [item for item in envelope.items if item.section == "lore"]


def test_lore_between_messages_is_within_the_budget() -> None:
    places = {str(depth): LorePlace(position="depth", depth=depth) for depth in range(12)}
    for room in range(1_700, 2_700, 100):
        given = with_lore(places, standing=False)
        given = given.model_copy(
            update={"located": located(context_tokens=room), "messages": rounds(9), "round": 10}
        )
        envelope = built(given)
        used = cautious_tokens(material(envelope, "character"))
        assert used + ROOM.instructions + envelope.budget.answer <= room
