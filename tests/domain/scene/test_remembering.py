"""What of a round each of those who were there remembers."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.scene.remembering import LONGEST, MOST, Occasion, memories_of, shortened
from schemas.memory import Memory
from schemas.scene import Alternative, Author, SceneMessage
from tests.support.each import for_each

AT = datetime(2026, 11, 23, tzinfo=UTC)
ROUND = Occasion(op_id="scene/dock#s1:9", world="sea", scene="dock", round=4, at=AT)
CAST = ("ann", "bob", "cleo")


def message(number: int, text: str, *witnesses: str, **fields: Any) -> SceneMessage:  # Any: of SceneMessage
    said = Alternative(index=0, text=text, author=Author(kind="model", name="m"), at=AT, op_id=f"op-{number}")
    given = {"round": 4, "speaker": "character", "name": "Ann", "witnesses": witnesses} | fields
    return SceneMessage(id=f"dock/{number}", number=number, alternatives=(said,), **given)


def remembered(*messages: SceneMessage) -> dict[str, Memory]:
    return {each.id.removeprefix("scene/dock#s1:9/"): each for each in memories_of(ROUND, messages, CAST)}


def test_each_remembers_what_it_witnessed_and_nothing_else() -> None:
    found = remembered(
        message(1, "Who is there?", "ann", "bob", "mira", name="Mira", speaker="user"),
        message(2, "Only the wind.", "ann", "mira"),
        message(3, "The lamp goes out.", "ann", "bob", "mira", name="Narrator", speaker="narrator"),
    )

    assert set(found) == {"ann", "bob"}
    assert found["ann"].text == "Mira: Who is there?\nAnn: Only the wind.\nNarrator: The lamp goes out."
    assert found["bob"].text == "Mira: Who is there?\nNarrator: The lamp goes out."
    assert found["bob"].messages == ("dock/1", "dock/3")
    assert (found["ann"].world, found["ann"].scene, found["ann"].round) == ("sea", "dock", 4)


def test_other_rounds_undone_messages_and_the_systems_are_not_remembered() -> None:
    assert (
        remembered(
            message(1, "Before.", "ann", round=3),
            message(2, "Taken back.", "ann", undone=True),
            message(3, "A model was busy.", "ann", speaker="system"),
            message(4, "   ", "ann"),
        )
        == {}
    )


def test_the_chosen_alternative_is_remembered() -> None:
    twice = message(1, "First.", "ann")
    other = twice.alternatives[0].model_copy(update={"index": 1, "text": "Second."})
    twice = twice.model_copy(update={"alternatives": (*twice.alternatives, other), "chosen": 1})

    assert remembered(twice)["ann"].text == "Ann: Second."


def test_a_long_round_becomes_a_few_memories_with_ids_of_their_own() -> None:
    found = remembered(*(message(number, "word " * 100, "ann") for number in range(1, 5)))

    assert list(found) == ["ann", "ann/2", "ann/3", "ann/4"][: len(found)]
    assert 1 < len(found) <= MOST
    assert [id for each in found.values() for id in each.messages] == [f"dock/{n}" for n in range(1, 5)]


def test_of_a_round_beyond_all_bounds_the_beginning_and_the_end_are_kept() -> None:
    found = remembered(*(message(number, "word " * 200, "ann") for number in range(1, 401)))

    ids = [id for each in found.values() for id in each.messages]
    assert len(found) == MOST
    assert (ids[0], ids[-1]) == ("dock/1", "dock/400")


@for_each(
    "text, longest, short",
    [
        ("One. Two.", 20, "One. Two."),
        ("A  line\n\nand another", 40, "A line and another"),
        ("The sea was calm. Then the wind rose at once.", 30, "The sea was calm.…"),
        ("One. The sea was calm and wide and grey.", 30, "One. The sea was calm and…"),
        ("x" * 50, 10, "x" * 9 + "…"),
        ("彼は来た。彼女は去った。誰もいない。", 14, "彼は来た。彼女は去った。…"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_sentence_or_a_word(text: str, longest: int, short: str) -> None:
    assert shortened(text, longest) == short


TEXTS = st.text(st.sampled_from("ab .\n。"), max_size=400).map(lambda text: text * 4)
MESSAGES = st.lists(st.tuples(TEXTS, st.sets(st.sampled_from(("ann", "bob", "mira")))), max_size=12)


@given(MESSAGES)
def test_memories_are_few_bounded_and_made_only_of_what_was_witnessed(
    said: list[tuple[str, set[str]]],
) -> None:
    messages = [message(number, text, *sorted(who)) for number, (text, who) in enumerate(said, start=1)]
    heard = {each.id: set(each.witnesses) for each in messages}

    found = memories_of(ROUND, messages, CAST)

    assert found == memories_of(ROUND, messages, CAST)
    assert len({each.id for each in found}) == len(found)
    assert all(0 < len(each.text) <= LONGEST for each in found)
    assert all(each.character in heard[id] for each in found for id in each.messages)
    for who in CAST:
        own = [each for each in found if each.character == who]
        assert len(own) <= MOST
        assert bool(own) == any(who in each.witnesses and each.text.strip() for each in messages)
