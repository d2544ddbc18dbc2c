"""Cases of envelopes: a scene of a few rounds, and random ones whose private texts name their owners."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from hypothesis import strategies as st

from penwright.domain.models.token_estimate import cautious_counts
from penwright.domain.scene.envelope.building import build
from schemas.director import CastMember, Note
from schemas.envelope import Envelope, EnvelopeCase, EnvelopeFor, PromptRoom, Recalled, TooSmall
from schemas.scene import Alternative, Author, CharacterState, SceneMessage
from schemas.scene_summary import Stretch
from schemas.worlds import (
    Arc,
    Campaign,
    Character,
    Located,
    Notes,
    Persona,
    Scene,
    SceneNotes,
    SceneSettings,
    Shares,
    World,
)

ROOM = PromptRoom(instructions=300, counter="about (estimated by letters)")
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
MIRA = Persona(id="mira", name="Mira", description="{{user}} is a smuggler.")
IDS = ("ann", "bob", "cleo")
EVERYONE = (*IDS, "mira")


def message(
    number: int,
    text: str,
    *,
    round: int,
    who: str = "ann",
    witnesses: Sequence[str] = EVERYONE,
    **fields: Any,
) -> SceneMessage:
    """A message of the scene ``quay``; ``fields`` are any others of it."""
    alternative = Alternative(index=0, text=text, author=Author(kind="person", name="x"), at=NOW, op_id="o")
    given: dict[str, Any] = {
        "id": f"quay/{number}",
        "number": number,
        "round": round,
        "speaker": "user" if who == "mira" else "character",
        "speaker_id": who,
        "name": who.title(),
        "witnesses": tuple(witnesses),
        "alternatives": (alternative,),
    }
    return SceneMessage(**given | fields)


def rounds(number: int, *, words: int = 20) -> tuple[SceneMessage, ...]:
    """Messages of so many rounds: Mira, Ann and Bob speak in each."""
    speakers = ("mira", "ann", "bob")
    return tuple(
        message(3 * turn + place + 1, f"{who} {turn + 1} " + "word " * words, round=turn + 1, who=who)
        for turn in range(number)
        for place, who in enumerate(speakers)
    )


def located(notes: SceneNotes | None = None, persona: Persona | None = MIRA, **settings: Any) -> Located:
    """The scene ``quay``; ``settings`` are any of its knobs."""
    scene = Scene(
        id="quay",
        arc="storm",
        title="The quay",
        notes=notes or SceneNotes(scenario="Night on the quay.", author_note="Be terse."),
        persona=persona.id if persona else "",
        settings=SceneSettings(**{"context_tokens": 3_000} | settings),
    )
    return Located(
        scene=scene,
        arc=Arc(id="storm", campaign="autumn", name="Storm", notes=Notes(plot="The dam breaks.")),
        campaign=Campaign(id="autumn", world="harbour", name="Autumn"),
        world=World(id="harbour", name="Harbour", notes=Notes(description="A town by the sea.")),
        persona=persona,
    )


def case(for_: EnvelopeFor = "character", **fields: Any) -> EnvelopeCase:
    """Round 4 of the quay, as Ann or the role gets it; ``fields`` are any others of the case."""
    given: dict[str, Any] = {
        "for_": for_,
        "who": "ann" if for_ == "character" else "",
        "located": located(),
        "request_type": "user",
        "round": 4,
        "messages": (*rounds(3), message(10, "Is it you?", round=4, who="mira")),
        "cast": (*(CastMember(id=id, name=id.title(), present=id != "cleo") for id in IDS),),
        "characters": tuple(
            Character(id=id, name=id.title(), description=f"{id} is tall.", secrets=f"{id} lies.")
            for id in IDS[:2]
        ),
    }
    return EnvelopeCase(**given | fields)


def built(given: EnvelopeCase, room: PromptRoom = ROOM) -> Envelope:
    """The envelope of a case that fits."""
    envelope = build(given, cautious_counts, room)
    assert isinstance(envelope, Envelope), envelope
    return envelope


def too_small(given: EnvelopeCase, room: PromptRoom = ROOM) -> TooSmall:
    """The answer to a case that does not fit."""
    answer = build(given, cautious_counts, room)
    assert isinstance(answer, TooSmall)
    return answer


# Random scenes. A private text has the form ``<owner>…`` with marks that nothing else has.

LONGER = "word, and then another one. " * 12
WORDS = st.builds("".join, st.lists(st.sampled_from(("", "a", " b.", "\n\n", "灯", LONGER)), max_size=3))
PEOPLE = st.sets(st.sampled_from(EVERYONE), min_size=1)


def private(owner: str, what: str, text: str) -> str:
    """A text that only its owner may be shown."""
    return f"«{owner}|{what}» {text}"


@st.composite
def messages_of(draw: st.DrawFn, most: int = 25) -> tuple[SceneMessage, ...]:
    """Messages with random speakers and witnesses; each text names those who heard it."""
    found = list[SceneMessage]()
    at = 1
    for number in range(1, draw(st.integers(0, most)) + 1):
        at += draw(st.integers(0, 1))
        who = draw(st.sampled_from(EVERYONE))
        heard_by = tuple(sorted({*draw(PEOPLE), who}))
        text = f"«{','.join(heard_by)}#{number}» {draw(WORDS)}"
        undone = draw(st.integers(0, 9)) == 0
        found.append(message(number, text, round=at, who=who, witnesses=heard_by, undone=undone))
    return tuple(found)


@st.composite
def characters(draw: st.DrawFn) -> tuple[Character, ...]:
    return tuple(
        Character(
            id=id,
            name=id.title(),
            description=draw(WORDS),
            goals=private(id, "goals", draw(WORDS)),
            secrets=private(id, "secrets", draw(WORDS)),
            example_messages=private(id, "examples", draw(WORDS)),
            system_prompt=private(id, "system", draw(WORDS)),
        )
        for id in IDS
    )


@st.composite
def memories(draw: st.DrawFn) -> tuple[Recalled, ...]:
    owners = draw(st.lists(st.sampled_from(IDS), max_size=12))
    return tuple(
        Recalled(
            id=f"op-{number}/{owner}",
            character=owner,
            round=1,
            text=private(owner, f"memory {number}", draw(WORDS)),
            score=draw(st.floats(0, 1)),
        )
        for number, owner in enumerate(owners)
    )


ROLES: tuple[EnvelopeFor, ...] = get_args(EnvelopeFor)
SHARES = st.builds(
    Shares,
    **{name: st.integers(0, 100) for name in Shares.model_fields},
)


@st.composite
def cases(draw: st.DrawFn, roles: Sequence[EnvelopeFor] = ROLES) -> EnvelopeCase:
    """Random scenes, for random roles."""
    said = draw(messages_of())
    role = draw(st.sampled_from(roles))
    stretches = [
        Stretch(
            text=f"«{','.join(sorted(heard))}#summary» {draw(WORDS)}",
            witnesses=tuple(sorted(heard)),
            readings=dict.fromkeys(range(3 * at + 1, 3 * at + 4), ""),
            rounds=(at + 1, at + 1),
        )
        for at, heard in enumerate(draw(st.lists(PEOPLE, max_size=4)))
    ]
    notes = SceneNotes(description=draw(WORDS), scenario=draw(WORDS), plot=draw(WORDS))
    settings = {
        "context_tokens": draw(st.integers(1_000, 6_000)),
        "answer_tokens": 64,
        "shares": draw(SHARES),
        "memories": draw(st.integers(0, 8)),
        "history_messages": draw(st.integers(1, 30)),
    }
    present = draw(st.sets(st.sampled_from(IDS)))
    return EnvelopeCase(
        for_=role,
        who=draw(st.sampled_from(IDS)) if role == "character" else "",
        located=located(notes, draw(st.sampled_from((MIRA, None))), **settings),
        request_type=draw(st.sampled_from(("user", "continuation"))),
        round=max((each.round for each in said), default=0) + draw(st.integers(0, 1)),
        pass_number=draw(st.integers(1, 2)),
        messages=said,
        stretches=tuple(stretches),
        cast=tuple(CastMember(id=id, name=id.title(), present=id in present) for id in IDS),
        characters=draw(characters()),
        states=tuple(
            CharacterState(id=id, mood="calm", intentions=private(id, "plan", draw(WORDS))) for id in IDS
        ),
        world={"weather": draw(WORDS)},
        lore=tuple(draw(st.lists(WORDS, max_size=5))),
        memories=draw(memories()),
        open_guidance=f"«guidance» {draw(WORDS)}",
        guidance=f"«guidance» {draw(WORDS)}",
        entry_guidance=draw(st.sampled_from(("", "«guidance» Come in."))),
        notes_to_director=(Note(code="unknown-name", who="Zog", text="«director» Zog is unknown"),),
        failed=("Dov",),
    )
