"""A scene as a file: Markdown to read, JSON with everything, or a chat for SillyTavern."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gateway.desk.scene import finding, numbers, views
from gateway.desk.services import CommandStore, Services
from gateway.desk.wished_formats import wished_format
from gateway.desk.written_files import check_place, write_file
from penwright.domain.cards.chats import write_chat
from penwright.domain.cards.scene_files import MARK, chat_of
from schemas.cards import Chat
from schemas.scene import SceneMessage
from schemas.worlds import Located, Scene

Form = Literal["markdown", "json", "silly-tavern"]
_ALL: Final = 1_000_000
_SUFFIXES: Final[Mapping[Form, str]] = {"markdown": ".md", "json": ".json", "silly-tavern": ".jsonl"}


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    scene: str
    path: str
    form: Form
    messages: int
    """Those that stand."""
    undone: int
    """Messages that were undone: JSON has them, with a mark, and no other form."""


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A scene as a file that is not written yet."""

    scene: str
    name: str
    form: Form
    messages: int
    undone: int
    content: bytes


def export(
    services: Services, named: str, *, form: str = "", output: Path | None = None, force: bool = False
) -> Exported:
    """Write a scene to a file.

    Raises:
        UsageMistake: as ``wished_format`` and ``written_files.write_file``.
    """
    made = written(services, named, wished_format(form, output, _SUFFIXES, usual="markdown"))
    place = output or Path(made.name)
    check_place(place, force=force, suffix=_SUFFIXES[made.form])
    write_file(place, made.content, force=force)
    return Exported(made.scene, str(place), made.form, made.messages, made.undone)


def written(
    services: Services, named: str, form: Form, *, people: Collection[str] | None = None
) -> SceneFile:
    """A scene as the bytes of a file; raises as ``finding.whole``.

    Args:
        people: ids of those whom the file may tell of; None: everyone who may act.
    """
    with services.open_store() as store:
        scene = finding.whole(store, named)
        said = store.scenes.messages(scene.id, newest=_ALL, undone=True)
        stands = [each for each in said if not each.undone]
        content = (
            _json(store, scene, said, people) if form == "json" else _WRITERS[form](store, scene, stands)
        )
    undone = len(said) - len(stands)
    return SceneFile(scene.id, f"{scene.id}{_SUFFIXES[form]}", form, len(stands), undone, content)


def _markdown(store: CommandStore, scene: Scene, said: Sequence[SceneMessage]) -> bytes:
    located = views.located(store, scene)
    parts = [f"# {scene.title}", f"*{_place(located)}*", *_note_lines(scene)]
    for message in said:
        text = message.text
        parts.append(f"*{text}*" if message.speaker == "narrator" and "\n" not in text else _spoken(message))
    return ("\n\n".join(parts) + "\n").encode()


def _spoken(message: SceneMessage) -> str:
    return f"**{message.name}:** {message.text}"


def _place(located: Located) -> str:
    return " · ".join((located.world.name, located.campaign.name, located.arc.name))


def _note_lines(scene: Scene) -> list[str]:
    told = {name.replace("_", " "): each for name, each in scene.notes.model_dump().items() if each}
    return [f"> {name}: {' '.join(str(each).split())}" for name, each in told.items()]


def _json(
    store: CommandStore, scene: Scene, said: Sequence[SceneMessage], people: Collection[str] | None
) -> bytes:
    played, known = numbers.newest(store, scene.id, _ALL), numbers.numbering(store, scene.id)
    kept = store.memories.of(scene.id, newest=_ALL)
    memories = [each.model_copy(update={"round": known.number(each.round)}) for each in kept]
    view = views.view(store, scene)
    cast = tuple(each for each in view.cast if people is None or each.id in people)
    document = {
        MARK[0]: MARK[1],
        **view.model_copy(update={"cast": cast}).model_dump(mode="json"),
        "messages": [each.model_dump(mode="json") for each in numbers.said(said, known)],
        "rounds_played": [each.model_dump(mode="json") for each in played],
        "memories": [each.model_dump(mode="json") for each in memories],
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _silly_tavern(store: CommandStore, scene: Scene, said: Sequence[SceneMessage]) -> bytes:
    persona = views.located(store, scene).persona
    cast = finding.cast(store, scene)
    head = Chat(
        user=persona.name if persona else "You",
        character=next((each.name for each in cast if each.present), scene.title),
        people={each.id: each.name for each in cast},
    )
    return write_chat(chat_of(said, head))


_WRITERS: Final[Mapping[Form, Callable[[CommandStore, Scene, Sequence[SceneMessage]], bytes]]] = {
    "markdown": _markdown,
    "silly-tavern": _silly_tavern,
}
