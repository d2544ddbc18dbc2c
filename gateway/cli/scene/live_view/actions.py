"""Action that a line typed into the live view asks for."""

from dataclasses import dataclass
from typing import Final, Literal

Verb = Literal[
    "say",
    "continue",
    "regenerate",
    "narrate",
    "undo",
    "redo",
    "stop",
    "force",
    "veto",
    "show",
    "help",
    "quit",
    "nothing",
    "unknown",
]
_WITH_NAME = ("force", "veto")
COMMANDS: Final = {
    "/continue": "play on without a message",
    "/narrate TEXT": "have the narrator describe something",
    "/regenerate [N]": "make message N, or the last round, again",
    "/undo": "take the newest round back",
    "/redo": "bring it back",
    "/stop": "end the round; what is spoken stays",
    "/force NAME": "have a character act next",
    "/veto NAME": "keep a character from acting",
    "/show": "cast and state",
    "/quit": "leave; what runs goes on",
}
_VERBS: Final[dict[str, Verb]] = {
    "continue": "continue",
    "c": "continue",
    "narrate": "narrate",
    "regenerate": "regenerate",
    "undo": "undo",
    "redo": "redo",
    "stop": "stop",
    "force": "force",
    "veto": "veto",
    "show": "show",
    "help": "help",
    "?": "help",
    "quit": "quit",
    "q": "quit",
}


@dataclass(frozen=True, slots=True)
class Action:
    """A verb, and what follows it."""

    verb: Verb
    text: str = ""


def action_of(line: str) -> Action:
    """Parse the action of a line; ``//`` begins a message that begins with a slash."""
    said = line.strip()
    if not said:
        return Action("nothing")
    if not said.startswith("/") or said.startswith("//"):
        return Action("say", said.removeprefix("/") if said.startswith("//") else said)
    word, _, rest = said[1:].partition(" ")
    verb = _VERBS.get(word.casefold())
    if verb is None:
        return Action("unknown", f"there is no /{word}; /help lists what there is")
    if verb in _WITH_NAME and not rest.strip():
        return Action("unknown", f"/{word} needs a name")
    return Action(verb, rest.strip())
