"""What a role of a scene may be shown, read from the store."""

from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from activities.scenes.material import SceneMaterial
from activities.scenes.opening import RoundOpening
from penwright.adapters.clock import SystemClock
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.models.token_estimate import cautious_counts
from penwright.domain.scene import transitions
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.rendering import material as in_words
from penwright.domain.scene.resolving import resolve
from penwright.domain.scene.round import named_of, next_step
from penwright.domain.text.fences import SCENE
from schemas.base import Effect, OpId
from schemas.director_round import BeginRound, BriefRole, Direct, DirectorRoundInput, DirectorRoundState
from schemas.envelope import Envelope, EnvelopeFor
from schemas.lore import GAME_MASTER, Attachment, Lorebook, LoreEntry
from schemas.scene import Author, CloseRound, KeepTurn, OpenRound, Round, RoundOpened, TurnRecord
from schemas.worlds import Character, Scene, SceneNotes
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.scenes.envelopes import ROOM
from tests.support.scenes.playhouse import NoEmbeddings, build_scene

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def effect(number: int) -> Effect:
    return Effect(op_id=OpId(f"scene/x#s1:{number}"), issued_at=NOON)


@pytest.fixture
def store() -> Any:
    return memory_store(clock=SystemClock())


@pytest.fixture
def scene(store: Any) -> str:
    """Ann has told of the whale; of those present, Bob has not heard it."""
    scene = build_scene(store.worlds)
    entry = LoreEntry(uid="1", content="The whale is white.", keys=("whale",))
    book = store.worlds.create(Lorebook(id="", name="Sea", entries=(entry,)))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene))
    store.scenes.open_round(OpenRound(effect=effect(1), scene=scene, session="s1", kind="continue"))
    for number in range(5):
        store.scenes.keep_turn(spoken(store, scene, number))
    return scene


def spoken(store: Any, scene: str, number: int) -> KeepTurn:
    return KeepTurn(
        effect=effect(number + 2),
        scene=scene,
        round=1,
        record=TurnRecord(character="ann", pass_number=1, outcome="spoken"),
        name="Ann",
        text=store.blobs.put(f"I saw the whale, {number}.".encode()),
        author=Author(kind="model", name="company"),
        witnesses=("ann",),
    )


def material(store: Any) -> SceneMaterial:
    counter = EstimatedTokens()
    return SceneMaterial(store.worlds, store.scenes, store.memories, NoEmbeddings(), counter, store.blobs)


@pytest.mark.parametrize(
    ("role", "who", "lore"),
    [
        ("character", "bob", ()),
        ("character", "ann", ("The whale is white.",)),
        ("director", "", ("The whale is white.",)),
    ],
)
def test_lore_fires_only_by_what_its_reader_has_heard(
    store: Any, scene: str, role: EnvelopeFor, who: str, lore: tuple[str, ...]
) -> None:
    request = BriefRole(effect=effect(9), scene=scene, round=1, for_=role, who=who)

    assert material(store).read(request, role).case.lore == lore


def test_an_entry_that_lists_a_character_by_name_is_in_its_prompts_alone(store: Any, scene: str) -> None:
    entry = LoreEntry(uid="1", content="Ann is a spy.", constant=True, characters=("ANN",))
    book = store.worlds.create(Lorebook(id="", name="Secrets", entries=(entry,)))
    store.worlds.attach(Attachment(book=book.id, level="world", at=store.worlds.locate(scene).world.id))

    def has_it(role: EnvelopeFor, who: str) -> bool:
        request = BriefRole(effect=effect(9), scene=scene, round=1, for_=role, who=who)
        return entry.content in material(store).read(request, role).case.lore

    assert has_it("character", "ann")
    assert not any((has_it("character", "bob"), has_it("director", ""), has_it("narrator", "")))


def test_a_characters_own_book_is_for_its_prompts_alone_until_it_is_attached_to_the_scene(
    store: Any, scene: str
) -> None:
    entry = LoreEntry(uid="1", content="Bob owes the harbour master.", constant=True)
    book = store.worlds.create(Lorebook(id="", name="Bob's", entries=(entry,)))
    store.worlds.attach(Attachment(book=book.id, level="character", at="bob"))

    assert readers(store, scene, entry.content) == ["bob"]
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene))
    assert readers(store, scene, entry.content) == ["ann", "bob", "director", "narrator", "world"]


def test_what_is_for_the_game_master_is_in_the_directors_prompts_alone(store: Any, scene: str) -> None:
    store.worlds.create(Character(id="", name="The Game Master"))
    entry = LoreEntry(uid="1", content="Ann is a spy.", constant=True, characters=(GAME_MASTER,))
    book = store.worlds.create(Lorebook(id="", name="Secrets", entries=(entry,)))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene))

    assert readers(store, scene, entry.content) == ["director"]


def readers(store: Any, scene: str, content: str) -> list[str]:
    """Whose prompts have this content: ids of characters, and roles."""
    asked: list[tuple[EnvelopeFor, str]] = [
        *(
            ("character", who)
            for who in ("ann", "bob", "the-game-master")
            if store.worlds.read(Character, who)
        ),
        *((role, "") for role in ("director", "narrator", "world")),
    ]
    found = list[str]()
    for role, who in asked:
        request = BriefRole(effect=effect(9), scene=scene, round=1, for_=role, who=who)
        if content in material(store).read(request, role).case.lore:
            found.append(who or role)
    return found


@pytest.mark.parametrize("kind", ["message", "continue", "regenerate"])
def test_a_standing_note_reaches_the_director_in_every_round(
    store: Any, kind: Literal["message", "continue", "regenerate"]
) -> None:
    scene = build_scene(store.worlds)
    kept = store.worlds.read(Scene, scene)
    store.worlds.change(kept.model_copy(update={"notes": SceneNotes(direction="Keep it dry.")}))
    end(
        store,
        scene,
        store.scenes.open_round(OpenRound(effect=effect(1), scene=scene, session="s", text="Hi.")),
    )

    for number in (2, 3):
        given = DirectorRoundInput(
            scene=scene, session=f"s{number}", kind=kind, text=store.blobs.put(b"And?")
        )
        begin = next_step(given, DirectorRoundState(), effect(10 * number))
        assert isinstance(begin, BeginRound)
        opened = RoundOpening(store.worlds, store.scenes, store.blobs).begin(begin)
        state = transitions.opened(
            given,
            DirectorRoundState(),
            opened,
            NOON,
            present_first=True,
            takes_turns=True,
            narrator_planned=True,
        )
        directing = next_step(given, state, effect(10 * number + 1))
        assert isinstance(directing, Direct)
        assert "Keep it dry." in material(store).read(directing, "director").case.instruction
        end(store, scene, opened)


@for_each("name", ['Ann "Nan" Quist', "Ann <the Red> & Co", 'Ann "', "Ann Quist"])
def test_the_director_may_call_a_character_as_its_prompt_does(name: str) -> None:
    store = memory_store(clock=SystemClock())
    scene = build_scene(store.worlds)
    ann = store.worlds.read(Character, "ann")
    assert ann is not None
    store.worlds.change(ann.model_copy(update={"name": name}))
    given = DirectorRoundInput(scene=scene, session="s1", text=store.blobs.put(b"And?"))
    begin = next_step(given, DirectorRoundState(), effect(1))
    assert isinstance(begin, BeginRound)
    opened = RoundOpening(store.worlds, store.scenes, store.blobs).begin(begin)
    state = transitions.opened(
        given, DirectorRoundState(), opened, NOON, present_first=True, takes_turns=True, narrator_planned=True
    )
    directing = next_step(given, state, effect(2))
    assert isinstance(directing, Direct)

    built = build(material(store).read(directing, "director").case, cautious_counts, ROOM)

    assert isinstance(built, Envelope)
    rendered = in_words(built, "director")
    people = [each.name for each in SCENE.read(rendered) if each.kind == "cast"]
    assert [resolve(each, named_of(state), None) for each in (*people, name)] == ["ann", "bob", "ann"]


def end(store: Any, scene: str, opened: RoundOpened) -> None:
    ended = {"scene": scene, "number": opened.number, "kind": "message", "status": "completed"}
    closed = Round.model_validate(ended | {"started_at": NOON})
    order = CloseRound(effect=effect(1_000 + opened.number), scene=scene, round=closed, state=opened.state)
    store.scenes.close_round(order)


def test_the_summariser_gets_every_message_that_no_summary_covers(store: Any, scene: str) -> None:
    found = store.worlds.locate(scene).scene
    settings = found.settings.model_copy(update={"history_messages": 2})
    store.worlds.change(found.model_copy(update={"settings": settings}))

    def shown(role: EnvelopeFor) -> int:
        request = BriefRole(effect=effect(9), scene=scene, round=1, for_=role)
        return len(material(store).read(request, role).case.messages)

    assert (shown("summariser"), shown("director")) == (5, 2)
