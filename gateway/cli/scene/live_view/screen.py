"""Screen of the live view below the messages: replies as they come, what goes on, the line being typed."""

from dataclasses import dataclass, field

from rich.console import Group
from rich.text import Text

from gateway.cli.output import harmless
from gateway.cli.wrapping import wrap
from penwright.domain.text.escaping import printable
from schemas.deltas import Delta
from schemas.scene import SceneMessage

_NAMES = {"user": "bold cyan", "character": "bold", "narrator": "italic bold", "system": "dim"}


@dataclass
class Screen:
    """The moving part of the view."""

    persona: str
    """Whom the user speaks as."""
    names: dict[str, str] = field(default_factory=dict)
    """Names by id of those who may stream."""
    status: str = ""
    typed: str = ""
    streams: dict[str, str] = field(default_factory=dict)
    """Id of a character -> the words of its reply so far."""

    def streamed(self, delta: Delta) -> None:
        """Take a piece; one that was lost leaves an ellipsis, until the stored reply replaces all."""
        before = self.streams.get(delta.character, "")[: delta.position]
        self.streams[delta.character] = before.ljust(delta.position, "…") + delta.piece

    def stored(self, message: SceneMessage) -> None:
        """A reply is stored, and is shown whole."""
        self.streams.pop(message.speaker_id, None)

    def shown(self, width: int, height: int) -> Group:
        """The moving part; never more than the terminal has room for."""
        parts = [
            line
            for character, words in self.streams.items()
            for line in _stream(self.names.get(character, character), words, width)
        ]
        parts = parts[-max(1, height - 4) :]
        status = Text(
            harmless(self.status) or "your turn; /help lists commands", style="dim", overflow="ellipsis"
        )
        status.truncate(width, overflow="ellipsis")
        return Group(*parts, status, _prompt(self.persona, self.typed, width))


def message_text(message: SceneMessage, width: int) -> Group:
    """A stored message, for the part above."""
    has = len(message.alternatives)
    which = f" [{message.chosen + 1} of {has}]" if has > 1 else ""
    stopped = " (stopped)" if message.stopped else ""
    head = Text(f"#{message.number} {printable(message.name)}{which}{stopped}", style=_NAMES[message.speaker])
    return Group(head, *(Text(line) for line in _wrapped(message.text, width)), Text(""))


def _stream(name: str, words: str, width: int) -> list[Text]:
    return [Text(f"{printable(name)} …", style="bold"), *(Text(line) for line in _wrapped(words, width))]


def _prompt(persona: str, typed: str, width: int) -> Text:
    """The line being typed; of a long one, its end, after an ellipsis."""
    head = f"{printable(persona)[:20]}> "
    line, room = printable(typed.replace("\n", "↵")), width - len(head) - 1
    line = line if len(line) <= room else f"…{line[1 - room :]}"
    return Text(f"{head}{line}▏", no_wrap=True, style="cyan")


def _wrapped(text: str, width: int) -> list[str]:
    return [part for line in text.splitlines() for part in wrap(printable(line), width) or [""]]
