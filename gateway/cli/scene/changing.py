"""Verbs that change what was played: edit, choose, branch, undo, redo."""

import sys
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene import reports
from gateway.cli.scene.arguments import MessageArgument, SceneArgument, TakeOption
from gateway.cli.worlds.editing import open_file
from gateway.cli.worlds.reports import namesakes_line
from gateway.desk.scene import changes, finding
from gateway.desk.services import Services
from gateway.desk.worlds import drafts, storing
from gateway.desk.worlds.drafts import Draft
from gateway.desk.worlds.kinds import SCENE
from penwright.errors import Refused, UsageMistake
from schemas.scene import SceneMessage


def edit(
    ctx: typer.Context,
    scene: SceneArgument,
    message: MessageArgument,
    text: Annotated[
        str | None, typer.Option("--text", help="The new text. Default: $EDITOR opens on the old one.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Give a message a text of your own; the old one stays as an alternative.

    \b
      penwright scene edit harbour 12 --text "The lamp was never lit."
      penwright scene edit harbour 12                      # in $EDITOR
      penwright scene choose harbour 12 1                  # back to the first one
    """
    services = services_of(ctx)
    new, draft = (text, None) if text is not None else _from_editor(services, scene, message)
    found, changed = changes.edit(services, scene, message, new)
    if draft is not None:
        draft.discard()
    _print_message(Printer(json), found.id, "edited", changed)


def choose(
    ctx: typer.Context,
    scene: SceneArgument,
    message: MessageArgument,
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="Which alternative; the first is 1.")],
    json: JsonFlag = False,
) -> None:
    """Take another alternative of a message.

    \b
      penwright scene choose harbour 12 1
    """
    found, changed = changes.choose(services_of(ctx), scene, message, number)
    _print_message(Printer(json), found.id, "chosen", changed)


def branch(
    ctx: typer.Context,
    scene: SceneArgument,
    after: Annotated[int, typer.Option("--after", metavar="N", min=0, help="The last round both share.")],
    title: Annotated[str, typer.Option("--title", help="The new scene's title.")],
    json: JsonFlag = False,
) -> None:
    """Make a new scene of all up to a round; memories and states come along.

    \b
      penwright scene branch harbour --after 2 --title "The lamp stays dark"
    """
    old, new = changes.branch(services_of(ctx), scene, after, title)
    others = storing.namesakes(services_of(ctx), SCENE, new)
    data = {"status": "branched", "scene": new.id, "from": old.id, "after_round": after, "namesakes": others}
    lines = [f"{new.id} is a branch of {old.id} after round {after}."]
    lines += [namesakes_line(others)] if others else []
    Printer(json).result(data, [*lines, f"next: `penwright scene continue {new.id}` plays it on"])


def undo(ctx: typer.Context, scene: SceneArgument, json: JsonFlag = False) -> None:
    """Take the newest round back: its messages, states and memories.

    \b
      penwright scene undo harbour

    Its messages are hidden, not deleted; `scene show --round N` still shows them.
    """
    found, done = changes.undo(services_of(ctx), scene)
    said = f"{done.name.words.capitalize()} of {found.id} is taken back"
    lines = [f"{said}; everything is as it was before it."]
    data = {"status": "undone", "scene": found.id, **_data(done)}
    Printer(json).result(data, [*lines, f"next: `penwright scene show {found.id}`"])


def redo(
    ctx: typer.Context,
    scene: SceneArgument,
    number: Annotated[int, typer.Option("--round", metavar="N", help="Its number; default: the last.")] = 0,
    take: TakeOption = 0,
    json: JsonFlag = False,
) -> None:
    """Bring back a round that was taken back, or another take of the last one.

    \b
      penwright scene redo harbour
      penwright scene redo harbour --round 3 --take 1     # a take of the last round; `scene log` has them

    The scene is then as it was with that round.
    """
    found, done = changes.redo(services_of(ctx), scene, number, take)
    data = {"status": "redone", "scene": found.id, **_data(done)}
    lines = [f"{done.name.words.capitalize()} of {found.id} is back; everything is as it was with it."]
    Printer(json).result(data, [*lines, f"next: `penwright scene show {found.id}`"])


def _data(done: changes.Moved) -> dict[str, object]:
    return {"round": done.name.number, "take": done.name.take, "messages": list(done.messages)}


def _print_message(out: Printer, scene: str, status: str, changed: SceneMessage) -> None:
    data = {"status": status, "scene": scene, **changed.model_dump(mode="json"), "text": changed.text}
    has = len(changed.alternatives)
    lines = reports.message_lines(changed)
    lines.append(f"next: `penwright scene choose {scene} {changed.number} N` takes another of its {has}")
    out.result(data, lines)


def _from_editor(services: Services, scene: str, message: str) -> tuple[str, Draft]:
    """The message's text as a person left it in $EDITOR, and the file that has it until it is stored.

    Raises:
        UsageMistake: ``no-editor``, where there is no terminal.
        Refused: ``unchanged``.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageMistake(
            "no-editor", "an editor needs a terminal; nothing was changed", hint="give it by `--text TEXT`"
        )
    with services.open_store() as store:
        old = finding.message(store, finding.scene(store, scene), message).text
    defaults = services.defaults()
    draft = drafts.begin(defaults.drafts, f"{scene} {message}", old)
    open_file(draft.path, defaults.environment)
    new = draft.text()
    if new.strip() == old.strip():
        draft.discard()
        raise Refused("unchanged", "the text was left as it is; nothing was changed")
    return new, draft
