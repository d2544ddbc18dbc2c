"""A scene's prompt as the envelope renders it, for tests of roles and models."""

from penwright.domain.text.fences import SCENE

USER_SAYS = "Mira: Ann, where were you when the light went out at the pier?"
EARLIER = "Bob: It is only the wind."


def scene_prompt(
    *, pass_number: int = 1, who: str = "", said: tuple[str, ...] = (USER_SAYS,), **more: str
) -> str:
    """Ann and Bob are present, Dov is known, Mira is the persona."""
    texts = [
        SCENE.fenced("notes", "scene", "location: lighthouse kitchen\nThe keeper has not come back."),
        SCENE.fenced("persona", "Mira", "A surveyor from the coast office."),
        SCENE.fenced("cast", "Ann", "Ann keeps the stores. She counts everything."),
        SCENE.fenced("cast", "Bob", "Bob rows the supply boat."),
        SCENE.fenced("available", "", "Dov\nCleo"),
        SCENE.fenced("history", "", EARLIER),
        SCENE.fenced("this-round", "", "\n\n".join(said)),
        *([SCENE.fenced("character", who, "Counts everything; hides the keeper's log.")] if who else []),
        *(SCENE.fenced(kind.replace("_", "-"), "", text) for kind, text in more.items()),
    ]
    return "\n\n".join([f"- round: 4\n- pass: {pass_number}\n- request: user", *texts])
