"""Whole prompts of a short scene with lore, notes, memories and a summary, as text files beside this one.

A change of any prompt shows in the difference of these files; ``python -m
tests.roles.scene.test_golden_prompts`` records them anew.
"""

from pathlib import Path
from typing import Final

from activities.scenes.briefing import ROLES
from penwright.domain.scene.envelope.rendering import material
from penwright.roles.scene.role_call import instructions_of
from schemas.director import CastMember
from schemas.envelope import EnvelopeCase, EnvelopeFor, LorePlace, Recalled
from schemas.scene import CharacterState
from schemas.scene_summary import Stretch
from schemas.worlds import Character, SceneNotes
from tests.support.each import for_each
from tests.support.scenes.envelopes import MIRA, built, case, located, message

KEPT: Final = Path(__file__).parent / "prompts"
ASKED: Final[tuple[EnvelopeFor, ...]] = ("director", "character", "narrator", "world", "summariser")
SAID: Final = (
    message(11, "Who lit the lamp?", round=5, who="mira"),
    message(12, "Not I. The oil is gone.", round=5, who="ann"),
    message(13, "I saw Bob on the stairs.", round=6, who="ann", witnesses=("ann", "mira")),
    message(14, "Then ask him.", round=7, who="mira"),
)
TOLD: Final = (
    Stretch(
        text="The ferry\n\nMira came with the last ferry. Ann gave her a room.",
        witnesses=("ann", "bob", "mira"),
        readings={1: "", 2: "", 3: ""},
        rounds=(1, 2),
    ),
    Stretch(
        text="The key\n\nBob hid the key of the lamp room.",
        witnesses=("bob",),
        readings={4: "", 5: ""},
        rounds=(3, 4),
    ),
)


def scene(for_: EnvelopeFor) -> EnvelopeCase:
    """Round 7 of a scene, as a role gets it; Ann is the character."""
    notes = SceneNotes(scenario="Night on the quay.", plot="The dam breaks.", author_note="Be terse.")
    ann = Character(
        id="ann",
        name="Ann",
        description="Keeps the stores.",
        secrets="Sold the oil.",
        example_messages="Ann: Three crates. I counted.",
        system_prompt="Ann never answers at once.",
        post_history="Short sentences.",
    )
    bob = Character(id="bob", name="Bob", description="Rows the boat.", secrets="Has the key.")
    memories = (
        Recalled(id="m/1", character="ann", round=2, text="Mira: Is there a room?", score=0.9),
        Recalled(id="m/2", character="bob", round=3, text="Bob: Nobody looks here.", score=0.8),
    )
    return case(
        for_,
        located=located(notes, MIRA, context_tokens=8_000),
        round=7,
        pass_number=1,
        messages=SAID,
        stretches=TOLD,
        cast=tuple(CastMember(id=id, name=id.title(), present=id != "cleo") for id in ("ann", "bob", "cleo")),
        characters=(ann, bob),
        states=(
            CharacterState(id="ann", mood="wary", intentions="Get rid of Mira."),
            CharacterState(id="bob"),
        ),
        world={"weather": "fog"},
        trackers={"oil": "0"},
        lore=("The lamp burns whale oil.", "The quay is older than the town.", "Fog comes at dusk."),
        lore_ids=("sea/lamp", "sea/quay", "sea/fog"),
        standing_lore=("sea/quay",),
        lore_places=(LorePlace(), LorePlace(), LorePlace(position="depth", depth=2)),
        memories=memories,
        open_guidance="It is late.",
        guidance="Deny it." if for_ == "character" else "",
    )


def whole_prompt(for_: EnvelopeFor) -> str:
    given = scene(for_)
    params = {"persona": "Mira"} | ({"name": "Ann"} if for_ == "character" else {})
    return f"{instructions_of(ROLES[for_], params)}\n\n=====\n\n{material(built(given), for_)}\n"


@for_each("role", ASKED)
def test_a_whole_prompt_is_the_one_that_is_kept(role: EnvelopeFor) -> None:
    kept = (KEPT / f"{role}.txt").read_text(encoding="utf-8")

    assert whole_prompt(role) == kept, (
        "a prompt changed; look at it, and run `python -m tests.roles.scene.test_golden_prompts`"
    )


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for each in ASKED:
        (KEPT / f"{each}.txt").write_text(whole_prompt(each), encoding="utf-8")
