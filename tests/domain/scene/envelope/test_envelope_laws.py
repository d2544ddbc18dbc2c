"""What holds for every envelope: the budget, the last round, the order of dropping, and who may know what."""

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from penwright.domain.models.token_estimate import cautious_counts, cautious_tokens
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.rendering import indented, material
from penwright.domain.scene.stretches import shown_in
from penwright.domain.text.fences import SCENE
from schemas.envelope import Envelope, EnvelopeCase, EnvelopeFor
from schemas.scene import SceneMessage
from tests.support.scenes.envelopes import ROOM, case, cases, rounds
from tests.support.sweeps import examples

LAWS = settings(max_examples=examples(60), deadline=None)
HEARD = re.compile(r"«([a-z,]+)#")
OWNED = re.compile(r"«([a-z]+)\|")


def known_to(case: EnvelopeCase) -> list[SceneMessage]:
    window = case.messages[-case.located.scene.settings.history_messages :]
    if case.for_ == "summariser":
        window = case.messages
    return [
        each
        for each in window
        if not each.undone and (case.for_ != "character" or case.who in each.witnesses)
    ]


def last_and_this(case: EnvelopeCase) -> tuple[list[SceneMessage], list[SceneMessage]]:
    before = [each for each in known_to(case) if each.round < case.round]
    newest = max((each.round for each in before), default=0)
    this = [each for each in known_to(case) if each.round == case.round]
    return [each for each in before if each.round == newest], this


def envelope_of(case: EnvelopeCase) -> Envelope | None:
    answer = build(case, cautious_counts, ROOM)
    return answer if isinstance(answer, Envelope) else None


@LAWS
@given(cases())
def test_the_budget_adds_up_and_shares_never_exceed_it(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    budget = envelope.budget
    used = sum(use.used for use in budget.sections)

    assert budget.answer + budget.fixed + used + budget.left == budget.context
    assert budget.fixed == sum(budget.parts.values())
    assert budget.left >= 0
    assert sum(use.allotted for use in budget.sections) <= budget.context - budget.answer - budget.fixed
    assert all(use.allotted + use.given == use.used for use in budget.sections)
    kept = Counter[str]()
    for item in envelope.items:
        kept[item.section] += item.tokens * item.kept
    assert {use.section: use.used for use in budget.sections} == {
        use.section: kept[use.section] for use in budget.sections
    }


@LAWS
@given(cases())
def test_what_is_left_has_no_room_for_the_next_message_or_its_block(case: EnvelopeCase) -> None:
    envelope = envelope_of(case)
    if envelope is None or not case.located.scene.settings.shares.history:
        return
    dropped = [item for item in envelope.items if item.section == "history" and not item.kept]

    left = envelope.budget.left
    assert all(item.tokens > left or item.reason.startswith("rounds go") for item in dropped[:1])


@LAWS
@given(cases())
def test_the_prompt_fits_the_context_with_instructions_and_answer(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    text = material(envelope, case.for_)

    assert cautious_tokens(text) + ROOM.instructions + envelope.budget.answer <= envelope.budget.context


@LAWS
@given(cases(("director", "character", "narrator", "world", "visual")))
def test_the_last_round_and_this_one_are_whole_and_word_for_word(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    text = material(envelope, case.for_)
    last, this = last_and_this(case)

    assert [line.id for line in envelope.last_round] == [each.id for each in last]
    assert [line.id for line in envelope.this_round] == [each.id for each in this]
    assert all(text.count(indented(each.text)) == 1 for each in (*last, *this))


@LAWS
@given(cases(("director", "character", "narrator", "world", "visual")))
def test_of_the_history_the_newest_messages_are_kept_without_a_gap(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    last, this = last_and_this(case)
    older = [each for each in known_to(case) if each not in last and each not in this]
    kept = [line.id for line in envelope.history]

    assert kept == [each.id for each in older][len(older) - len(kept) :]


@LAWS
@given(cases())
def test_every_item_is_accounted_for_once(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    accounted = Counter((item.section, item.id) for item in envelope.items)

    assert set(accounted.values()) <= {1}
    messages = [each for each in known_to(case) if each.round <= case.round]
    assert {id for section, id in accounted if section == "history"} == {each.id for each in messages}
    assert sum(section == "lore" for section, _ in accounted) == len(case.lore)
    assert len(envelope.lore) == sum(item.kept for item in envelope.items if item.section == "lore")
    assert len(envelope.memories) == sum(item.kept for item in envelope.items if item.section == "memories")
    assert all(item.reason for item in envelope.items)


@LAWS
@given(cases())
def test_it_is_too_small_only_if_what_is_never_cut_does_not_fit(case: EnvelopeCase) -> None:
    answer = build(case, cautious_counts, ROOM)
    if isinstance(answer, Envelope):
        return

    assert answer.code == "context-too-small"
    larger = case.model_copy(update={"located": _with_context(case, 60_000)})
    assert isinstance(build(larger, cautious_counts, ROOM), Envelope)
    least = sum(cautious_counts([f"{m.name}: {m.text}\n\n" for each in last_and_this(case) for m in each]))
    if case.for_ != "summariser":
        assert answer.budget.answer + answer.budget.fixed + least > answer.budget.context


def _with_context(case: EnvelopeCase, tokens: int) -> object:
    settings = case.located.scene.settings.model_copy(update={"context_tokens": tokens})
    scene = case.located.scene.model_copy(update={"settings": settings})
    return case.located.model_copy(update={"scene": scene})


@LAWS
@given(cases(("character",)))
def test_a_characters_prompt_never_has_what_is_private_to_others(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    text = material(envelope, "character")

    assert set(OWNED.findall(text)) <= {case.who}
    assert all(case.who in heard_by.split(",") for heard_by in HEARD.findall(text))
    assert "«director»" not in text


@LAWS
@given(cases(("narrator", "summariser", "world", "visual")))
def test_roles_whose_words_all_may_read_know_nothing_private(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return

    assert OWNED.findall(material(envelope, case.for_)) == []


@LAWS
@given(cases(("director",)))
def test_the_director_sees_every_reply_roster_and_who_is_available_and_no_guidance(
    case: EnvelopeCase,
) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    text = material(envelope, "director")
    read = [(each.kind, each.name, each.text) for each in SCENE.read(text)]

    assert "«guidance»" not in text
    assert [name for kind, name, _ in read if kind == "cast"] == [
        member.name for member in case.cast if member.present
    ]
    absent = [member.name for member in case.cast if not member.present]
    assert [body for kind, _, body in read if kind == "available"] == ["\n".join(absent)] * bool(absent)
    assert "Dov" in text
    assert "«director» Zog is unknown" in text


@LAWS
@given(cases(("summariser",)))
def test_a_summariser_is_shown_the_oldest_messages_without_a_gap(case: EnvelopeCase) -> None:
    if (envelope := envelope_of(case)) is None:
        return
    outside = known_to(case)
    kept = [line.id for line in envelope.history]

    assert kept == [each.id for each in outside][: len(kept)]
    assert bool(kept) == bool(outside)
    assert list(shown_in(envelope)) == [each.number for each in outside[: len(kept)]]


@LAWS
@given(cases())
def test_the_same_case_gives_the_same_prompt(case: EnvelopeCase) -> None:
    first, second = build(case, cautious_counts, ROOM), build(case, cautious_counts, ROOM)

    assert first == second
    if isinstance(first, Envelope):
        again = Envelope.model_validate_json(first.model_dump_json())
        assert material(again, case.for_) == material(first, case.for_)


class Counting:
    """Counts, and how many letters it was given."""

    def __init__(self) -> None:
        self.letters = 0

    def __call__(self, texts: Sequence[str]) -> tuple[int, ...]:
        self.letters += sum(map(len, texts))
        return cautious_counts(texts)


@pytest.mark.parametrize(
    "for_", ["character", *(pytest.param(role, marks=pytest.mark.long) for role in ("director", "narrator"))]
)
def test_a_build_costs_the_same_after_ten_thousand_rounds(for_: EnvelopeFor) -> None:
    letters = list[int]()
    for number in (1_000, 9_000):
        counting = Counting()
        answer = build(case(for_, messages=rounds(number), round=number + 1), counting, ROOM)
        assert isinstance(answer, Envelope)
        letters.append(counting.letters)

    assert letters[1] <= 1.05 * letters[0]
