"""What is kept, shortened or dropped of a scene, and why."""

from itertools import pairwise, takewhile

import pytest

from penwright.domain.models.token_estimate import cautious_counts
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.rendering import material
from penwright.domain.text.fences import SCENE
from schemas.director import CastMember
from schemas.envelope import Envelope, EnvelopeCase, Item, LorePlace, PromptRoom, Recalled
from schemas.worlds import Character, SceneNotes
from tests.support.each import for_each
from tests.support.scenes.envelopes import ROOM, built, case, located, message, rounds, too_small


def remembered(number: int, who: str, score: float, text: str) -> Recalled:
    """Of another scene, so that no history shows it."""
    return Recalled(id=f"op/{number}", character=who, round=number, text=text, score=score, scene="mole")


def prompt(given: EnvelopeCase) -> str:
    return material(built(given), given.for_)


def fenced(given: EnvelopeCase, kind: str) -> list[str]:
    return [each.text for each in SCENE.read(prompt(given)) if each.kind == kind]


def reasons(envelope: Envelope, section: str) -> dict[str, str]:
    return {item.id: item.reason for item in envelope.items if item.section == section}


def in_block(item: Item) -> bool:
    """Whether it went with the other rounds of its block."""
    return item.reason.startswith("rounds go")


def test_long_notes_are_shortened_at_a_word_and_short_ones_stay_whole() -> None:
    notes = SceneNotes(description="rain and wind " * 900, scenario="Night on the quay.")
    envelope = built(case("director", located=located(notes), messages=rounds(40), round=41))
    description, scenario = envelope.notes["scene"].split("\n")

    assert scenario == "Scenario: Night on the quay."
    assert description.removesuffix(" […]").split()[-1] in {"rain", "and", "wind"}
    assert reasons(envelope, "notes")["scene/scenario"] == "whole"
    assert reasons(envelope, "notes")["scene/description"].startswith("shortened: ")


def test_rounds_that_do_not_fit_are_told_in_short_and_those_that_fit_are_not() -> None:
    short, long = built(case(messages=rounds(3))), built(case(messages=rounds(60), round=61))

    assert short.per_round_summaries == ()
    assert [line.round for line in short.history] == [1, 1, 1, 2, 2, 2]
    kept = {int(text.split()[1]) for text in long.per_round_summaries}
    assert max(kept) == min(line.round for line in long.history) - (0 if _is_cut(long) else 1)
    assert all("- Ann: ann" in text for text in long.per_round_summaries)


def _is_cut(envelope: Envelope) -> bool:
    """Whether the oldest round of the history is there in part."""
    first = envelope.history[0].round
    return sum(line.round == first for line in envelope.history) < 3


def test_memories_are_kept_best_first_up_to_the_caps_of_the_scene() -> None:
    memories = tuple(remembered(n, "ann", 1 - n / 10, "m" * 92) for n in range(5))
    some = built(case(memories=memories, located=located(memories=3, memory_chars=250)))
    one = built(case(memories=memories, located=located(memories=1)))

    assert [each.round for each in some.memories] == [0, 1]
    assert reasons(some, "memories") == {
        "op/0": "best first",
        "op/1": "best first",
        **dict.fromkeys(("op/2", "op/3", "op/4"), "over the cap of 250 characters"),
    }
    assert reasons(one, "memories")["op/1"] == "over the cap of 1 memories"


def test_a_memory_is_left_out_of_a_prompt_whose_history_shows_its_round() -> None:
    memories = tuple(
        Recalled(id=f"op/{number}", character="ann", round=number, text="I saw it.", score=1, scene=scene)
        for number, (scene) in enumerate(("mole", "quay", "quay"))
    )
    envelope = built(case(memories=memories, messages=rounds(3)[3:]))

    assert [each.id for each in envelope.memories] == ["op/0", "op/1"]
    assert reasons(envelope, "memories")["op/2"] == "its round is in the history"


def test_a_memory_stays_if_its_round_is_not_looked_at_whole() -> None:
    told = Recalled(id="op/1", character="ann", round=2, text="I saw it.", score=1, scene="quay")

    for looked_at, kept in ((7, ["op/1"]), (8, [])):
        envelope = built(case(memories=(told,), located=located(history_messages=looked_at)))
        assert [each.id for each in envelope.memories] == kept


def test_the_director_reads_a_shared_memory_once_with_the_names_of_its_owners() -> None:
    told = {"ann": "Bob: Hush.\nAnn: Why?", "bob": "Bob: Hush."}
    memories = tuple(remembered(0, who, 0.5, text) for who, text in told.items())
    given = case(
        "director", memories=tuple(each.model_copy(update={"id": each.character}) for each in memories)
    )

    assert [(each.name, each.text) for each in SCENE.read(prompt(given)) if each.kind == "memory"] == [
        ("Ann, Bob", "(round 0) Bob: Hush."),
        ("Ann", "(round 0) Ann: Why?"),
    ]


LORE = ("The lamp is old.", "It is {{random:wet,dry}}.")


@pytest.mark.parametrize(("lore", "depth", "tokens"), [((), 0, 4_000), (LORE, 2, 4_000), (LORE, 4, 6_000)])
def test_consecutive_prompts_of_one_role_begin_alike(lore: tuple[str, ...], depth: int, tokens: int) -> None:
    """Fifty rounds, in a window that holds about twenty of them; one entry stands between messages."""
    people = tuple(
        Character(id=id, name=id.title(), description="tall and slow " * 20) for id in ("ann", "bob")
    )
    for role in ("director", "character"):
        prompts = [
            prompt(
                case(
                    role,
                    characters=people,
                    round=number + 1,
                    messages=(*rounds(number), message(999, f"And {number}?", round=number + 1, who="mira")),
                    trackers={"time": f"{number} o'clock"},
                    memories=(remembered(number, "ann", 0.5, f"I saw {number} ships."),),
                    located=located(context_tokens=tokens),
                    lore=lore,
                    lore_places=(LorePlace(position="depth", depth=depth), LorePlace())[: len(lore)],
                )
            )
            for number in range(50)
        ]
        shared = sum(map(_alike, pairwise(prompts)))

        assert shared / sum(map(len, prompts[1:])) > 0.8


def _alike(pair: tuple[str, str]) -> int:
    """Characters with which both begin."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(*pair, strict=False)))


def test_the_directors_memories_stand_by_character() -> None:
    found = [("bob", 0.9), ("ann", 0.8), ("bob", 0.7)]
    memories = tuple(remembered(n, who, score, f"memory {n}") for n, (who, score) in enumerate(found))

    assert fenced(case("director", memories=memories), "memory") == [
        "(round 0) memory 0\n(round 2) memory 2",
        "(round 1) memory 1",
    ]


def test_lore_that_does_not_fit_is_dropped_and_a_smaller_one_after_it_is_kept() -> None:
    envelope = built(case(lore=("The lamp is old.", "x " * 9_000, "{{user}} owns it with {{char}}.")))

    assert envelope.lore == ("The lamp is old.", "Mira owns it with Ann.")
    assert envelope.formatted_lore == "The lamp is old.\n\nMira owns it with Ann."
    assert "no room: " in reasons(envelope, "lore")["lore/2"]


def test_an_absent_sections_share_and_what_others_leave_go_to_history() -> None:
    envelope = built(case("director", messages=rounds(80), round=81))
    use = {each.section: each for each in envelope.budget.sections}

    assert "memories" not in use
    assert "lore" not in use
    assert use["history"].allotted > 0.3 * sum(each.allotted for each in use.values()) + 1
    assert use["history"].given > 0 > use["notes"].given


def test_a_long_last_round_takes_from_the_others_and_stays_whole() -> None:
    long = message(9, "word " * 1_300, round=3, who="bob")
    given = case("director", messages=(*rounds(2), long), lore=("lore " * 300,))
    envelope = built(given)
    history = next(use for use in envelope.budget.sections if use.section == "history")

    assert envelope.last_round[0].text == long.text
    assert history.given > 0
    assert envelope.lore == ()


def test_a_last_round_that_is_too_long_alone_is_named_before_any_call() -> None:
    answer = too_small(case("director", messages=(message(9, "word " * 3_000, round=3),)))

    assert answer.code == "context-too-small"
    assert "a prompt of 3000 tokens is too small: 700 are for the answer" in answer.message
    assert "`context_tokens` of the scene 'quay'" in answer.message


@pytest.mark.parametrize(("model_context", "size"), [(0, 3_000), (2_000, 2_000), (9_000, 3_000)])
def test_the_smaller_of_the_scenes_and_the_models_context_counts(model_context: int, size: int) -> None:
    room = PromptRoom(counter="about", model_context=model_context)

    assert built(case(), room).budget.context == size


def test_an_answer_larger_than_the_context_is_too_small_and_not_an_error() -> None:
    assert too_small(case(), PromptRoom(counter="about", model_context=600)).budget.context == 600


def test_two_hundred_people_are_shortened_and_none_loses_its_name() -> None:
    ids = [f"p{number}" for number in range(200)]
    people = tuple(Character(id=id, name=f"Person {id}", description="tall and grey " * 40) for id in ids)
    cast = tuple(CastMember(id=id, name=f"Person {id}", present=True) for id in ids)
    envelope = built(case("director", cast=cast, characters=people, located=located(context_tokens=16_000)))

    assert [person.name for person in envelope.people] == [f"Person {id}" for id in ids]
    assert len(reasons(envelope, "people")) == 201
    assert reasons(envelope, "people")["p7"].startswith("shortened")
    assert len(envelope.history) == 6


def test_of_ten_thousand_known_names_those_that_fit_are_listed_with_the_number_of_the_rest() -> None:
    cast = tuple(CastMember(id=f"p{number}", name=f"Person {number}") for number in range(10_000))
    envelope = built(case("director", cast=cast))
    listed = len(envelope.available) - 1

    assert listed > 20
    assert envelope.available[-1] == f"… and {10_000 - listed} more"


def test_a_scene_without_cast_messages_or_persona_has_a_prompt() -> None:
    empty = case("director", located=located(SceneNotes(), None), cast=(), characters=(), messages=())
    envelope = built(empty)

    assert (envelope.people, envelope.history, envelope.last_round) == ((), (), ())
    assert "- round: 4" in material(envelope, "director")


def test_counting_is_asked_in_few_batches() -> None:
    asked = list[int]()

    def count(texts: object) -> tuple[int, ...]:
        assert isinstance(texts, list)
        asked.append(len(texts))
        return cautious_counts(texts)

    build(case(messages=rounds(60), round=61), count, ROOM)

    assert len(asked) < 60


def test_texts_that_grow_in_their_fence_are_counted_as_they_stand_there() -> None:
    growing = "</scene-text>" * 8
    messages = tuple(message(number, growing, round=number) for number in range(1, 90))
    envelope = built(case("director", messages=messages, round=90))
    size = cautious_counts([material(envelope, "director")])[0]

    assert size + ROOM.instructions + envelope.budget.answer <= envelope.budget.context
    assert any(not item.kept for item in envelope.items)


def test_history_takes_what_notes_on_its_rounds_leave_when_they_are_no_longer_needed() -> None:
    messages = (*rounds(1, words=230), *rounds(12, words=25)[3:])
    for tokens in range(1_900, 2_600, 20):
        given = case("director", messages=messages, round=13, located=located(context_tokens=tokens))
        envelope = built(given)
        dropped = [item for item in envelope.items if item.section == "history" and not item.kept]

        assert all(item.tokens > envelope.budget.left or in_block(item) for item in dropped[:1])


@for_each(
    "who, before, hint",
    [
        ("ann", ["Ann"], False),
        ("ann", ["Nan"], False),
        ("ann", ["Nan", "Old Ann"], True),
        ("bob", ["Nan"], False),
    ],
)
def test_who_was_renamed_is_told_the_names_that_the_history_has(
    who: str, before: list[str], hint: bool
) -> None:
    said = [message(n, "Hello.", round=n, who="ann", name=name) for n, name in enumerate(before, start=1)]
    unheard = message(9, "Psst.", round=3, who="bob", name="Robert", witnesses=["bob"])
    ann = Character(id="ann", name="Ann", nickname="Nan")

    shown = prompt(
        case(who=who, messages=(*said, unheard), characters=(ann, Character(id="bob", name="Bob")))
    )

    assert ("Called Old Ann in what was said earlier." in shown) == hint
    assert ("Called Robert in what was said earlier." in shown) == (who == "bob")
