"""What the rules take from a reply that reports nothing."""

from penwright.domain.scene.turn_keeping import inferred
from schemas.scene import CharacterState
from tests.support.each import for_each

ANN = CharacterState(id="a1", clothing="a red coat, a hat")


@for_each(
    "text, said",
    [
        ("Ann walks slowly to the harbour wall and waits.", {"location": "the harbour wall"}),
        ("*goes back into the kitchen*", {"location": "the kitchen"}),
        ("I enter the old mill.", {"location": "the old mill"}),
        ("She sits down.", {"activity": "sitting"}),
        ("Ann begins to polish the lamp, and hums.", {"activity": "polish the lamp"}),
        ("I am very tired.", {"mood": "tired"}),
        ("She puts on a scarf.", {"clothing": "a red coat, a hat, a scarf"}),
        ("She takes off her hat.", {"clothing": "a red coat"}),
        ("She changes into a blue dress and smiles.", {"clothing": "a blue dress"}),
        ("Ann decides to wait for the tide.", {"intentions": "to wait for the tide"}),
        ("Ann feels sad. Ann feels glad.", {"mood": "glad"}),
    ],
)
def test_plain_narration_of_the_speaker_counts(text: str, said: dict[str, str]) -> None:
    assert inferred(text, ANN, "Ann").model_dump(exclude_none=True) == said


@for_each(
    "text",
    [
        '"I walk to the roof," she says.',
        "“Ann goes to the moon.”",
        "Ann does not walk to the door.",
        "She would go to the sea.",
        "If she goes to the sea, all is lost.",
        "Bob walks to the door.",
        "Ann nods at Bob. He walks to the door.",
        "She takes off her gloves.",
        "She is a baker.",
        "Guten Tag.",
        "",
    ],
)
def test_speech_doubt_and_other_people_do_not(text: str) -> None:
    assert inferred(text, ANN, "Ann").model_dump(exclude_none=True) == {}
