"""The certificate finds every way in which the rules of knowledge can break, and nothing where they hold."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import activities.director_round as storing
import activities.scenes.material as recalling
from gateway.desk.scene.table.certifying import evidence_of
from penwright.adapters.store.scenes.opening_rounds import user_message
from penwright.domain.lore.scanning import scan
from penwright.domain.scene import presence, turn_transitions
from penwright.domain.scene.certificate.certifying import certified
from penwright.domain.scene.envelope import knowing, people
from penwright.domain.scene.envelope.rendering import material
from penwright.domain.scene.remembering import memories_of
from schemas.certificate import Certificate, SourceKind
from schemas.lore import LoreCase
from schemas.scene import SceneMessage
from schemas.worlds import Scene
from tests.support.doubles.scenes.scenes import MemoryScenes
from tests.support.doubles.scenes.worlds import MemoryWorlds
from tests.support.each import for_each
from tests.support.scenes.secret_scene import SecretScene

CAST = ("ann", "bob", "cleo")
EVERYONE = (*CAST, "mira")
Break = Callable[[pytest.MonkeyPatch], None]


def certificate_of(played: SecretScene) -> Certificate:
    scene = played.store.worlds.read(Scene, played.scene)
    return certified(evidence_of(played.store, scene))


def test_no_prompt_of_thirty_rounds_holds_what_its_reader_did_not_witness() -> None:
    found = certificate_of(SecretScene().play(30))

    assert not found.leaks
    assert not found.unread
    assert {each.who for each in found.prompts} == set(CAST)
    assert len(found.prompts) > 60
    assert min(each.words for each in found.prompts[2:]) > 50
    assert found.prompts[-1].closed > 100


def test_the_same_scene_has_the_same_certificate_and_a_changed_one_another() -> None:
    played = SecretScene().play(2)
    before = certificate_of(played)
    assert certificate_of(played) == before

    played.round("Who lit the lamp?", "Bob")

    assert certificate_of(played).sha256 != before.sha256


def test_who_missed_a_round_has_all_others_of_the_summary_and_not_a_word_of_that_one() -> None:
    knobs = {"context_tokens": 30_000, "history_messages": 12}
    played = SecretScene(knobs=knobs, echoes=True).play(30)
    scenes = played.store.scenes
    outside = {each.number for each in scenes.summed_up(played.scene).outside}
    last = max(each.number for each in scenes.messages(played.scene))
    played.round("Who lit the lamp?", "Bob")
    evidence = evidence_of(played.store, played.store.worlds.read(Scene, played.scene))
    newest = {each.who: each for each in evidence.prompts if each.envelope is not None}

    assert not certified(evidence).leaks
    assert len({each.witnesses for each in scenes.summed_up(played.scene).stretches}) > 2
    for who in ("ann", "cleo"):
        envelope = newest[who].envelope
        assert envelope is not None
        text = material(envelope, "character")
        summary = "\n".join(envelope.summarised_history)
        said = scenes.messages(played.scene)
        heard = {each.number for each in said if who in (*each.witnesses, each.speaker_id)}
        for message in scenes.messages(played.scene, undone=True):
            secret = _secret(message)
            if message.number not in heard:
                assert secret not in text, f"{who} did not hear message {message.number}"
            elif message.number not in outside and message.number <= last:
                assert secret in text, f"{who} lacks message {message.number}"
        assert sum(_secret(each) in summary for each in said) > 30


def _secret(message: SceneMessage) -> str:
    return message.text.partition(" I saw")[0]


def everyone_hears(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(turn_transitions, "witnesses", lambda *_: EVERYONE)


def everyone_hears_the_user(patch: pytest.MonkeyPatch) -> None:
    def heard_by_all(*given: Any) -> Any:
        message = user_message(*given)
        return message and message.model_copy(update={"witnesses": EVERYONE})

    patch.setattr("tests.support.doubles.scenes.rounds.user_message", heard_by_all)


def nobody_leaves(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(presence, "left", lambda state, _: state)


def every_message_is_known(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(knowing, "_is_known", lambda case, message: not message.undone)


def what_was_taken_back_is_known(patch: pytest.MonkeyPatch) -> None:
    kept = MemoryScenes.messages

    def all_of_them(self: Any, scene: str, **how: Any) -> Any:
        found = kept(self, scene, **(how | {"undone": True}))
        return tuple(each.model_copy(update={"undone": False}) for each in found)

    patch.setattr(MemoryScenes, "messages", all_of_them)


def cards_of_others_are_shown_whole(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "_PUBLIC", people._FOR_DIRECTOR)


def the_card_of_another_is_ones_own(patch: pytest.MonkeyPatch) -> None:
    def another(case: Any) -> Any:
        return next((each for each in case.characters if each.id != case.who), None)

    patch.setattr(people, "_acting", another)


def intentions_are_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "states", lambda case: case.states)


def what_is_to_come_is_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(knowing, "_FORESIGHT", ())


def guidance_of_others_is_told(patch: pytest.MonkeyPatch) -> None:
    own, told = knowing.guidance, list[str]()

    def all_guidance(case: Any) -> dict[str, str]:
        told.append(case.guidance)
        return own(case) | {"character_guidance": " ".join(told[-9:])}

    patch.setattr(knowing, "guidance", all_guidance)


def a_summary_is_for_everyone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(knowing, "stretches", lambda case: case.stretches)


def a_summary_has_too_many_witnesses(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(storing, "_heard_by_all", lambda *_: EVERYONE)


def memories_of_others_are_recalled(patch: pytest.MonkeyPatch) -> None:
    asked = recalling._queries

    def of_another(request: Any, *given: Any) -> Any:
        others = {"ann": "bob", "bob": "ann", "cleo": "ann"}
        return [
            each.model_copy(update={"character": others[request.who]}) if request.who else each
            for each in asked(request, *given)
        ]

    patch.setattr(recalling, "_queries", of_another)
    patch.setattr(knowing, "memories", lambda case: case.memories)


def the_absent_remember(patch: pytest.MonkeyPatch) -> None:
    def by_everyone(occasion: Any, messages: Sequence[Any], _: Any) -> Any:
        heard = [each.model_copy(update={"witnesses": EVERYONE}) for each in messages]
        return memories_of(occasion, heard, CAST)

    patch.setattr("activities.scenes.memory.memories_of", by_everyone)


def lore_for_some_is_for_all(patch: pytest.MonkeyPatch) -> None:
    def unfiltered(case: LoreCase, *given: Any, **more: Any) -> Any:
        books = []
        for book in case.books:
            entries = tuple(
                each.model_copy(update={"characters": (), "character_tags": ()}) for each in book.entries
            )
            books.append(book.model_copy(update={"entries": entries}))
        return scan(case.model_copy(update={"books": tuple(books)}), *given, **more)

    patch.setattr("activities.scenes.lore_choice.scan", unfiltered)


def books_of_others_are_read(patch: pytest.MonkeyPatch) -> None:
    active = MemoryWorlds.active_books
    patch.setattr(MemoryWorlds, "active_books", lambda self, scene, **_: active(self, scene, reader="ann"))


BROKEN: tuple[tuple[Break, SourceKind], ...] = (
    (everyone_hears, "witness"),
    (everyone_hears_the_user, "witness"),
    (nobody_leaves, "witness"),
    (every_message_is_known, "message"),
    (what_was_taken_back_is_known, "taken back"),
    (cards_of_others_are_shown_whole, "card"),
    (the_card_of_another_is_ones_own, "card"),
    (intentions_are_shown, "intention"),
    (what_is_to_come_is_told, "foresight"),
    (guidance_of_others_is_told, "guidance"),
    (a_summary_is_for_everyone, "summary"),
    (a_summary_has_too_many_witnesses, "summary"),
    (memories_of_others_are_recalled, "memory"),
    (the_absent_remember, "message"),
    (lore_for_some_is_for_all, "lore"),
    (books_of_others_are_read, "lore"),
)


@for_each("break_rule, kind", BROKEN)
def test_a_broken_rule_of_knowledge_is_caught(break_rule: Break, kind: SourceKind) -> None:
    with pytest.MonkeyPatch.context() as patch:
        break_rule(patch)
        played = SecretScene().play(11)

    assert kind in {each.kind for each in certificate_of(played).leaks}
