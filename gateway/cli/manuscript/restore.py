"""Verbs that take a scene's text back: undo and rollback. Each is a new commit, so nothing is discarded."""

import asyncio
from shlex import quote
from typing import Annotated, Any

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.asking import confirm
from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.manuscript.arguments import NovelArgument, TextArgument
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.manuscript import editing, scenes, undoing
from gateway.desk.works import novels
from penwright.domain.manuscript.naming import words_of
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from penwright.errors import Refused
from schemas.manuscript_text import TextRestored

_SHOWN = 40
_SHORT = 10


DryRunFlag = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


def undo(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: TextArgument = "",
    yes: SureFlag = False,
    dry_run: DryRunFlag = False,
    json: JsonFlag = False,
) -> None:
    """Take the last change of a scene back.

    \b
      penwright manuscript undo ~/novels/tides --dry-run
      penwright manuscript undo ~/novels/tides "The Pier" --yes

    A person's change or the loop's. Done again, it takes back the one before. `penwright manuscript
    rollback` brings it back.
    """
    services, out = services_of(ctx), Printer(json)
    found = novels.find(services, novel)
    chosen = scenes.chosen(services, found, scene)
    plan = undoing.planned(services, found, chosen)
    back = f"This brings back {plan.back}." if plan.back else "This leaves the scene without a text."
    shown = [f"This takes back {plan.gone}:", *_changed(plan.diff), back]
    for line in shown:
        out.note(line)
    if dry_run:
        told = {"gone": plan.gone, "back": plan.back, "diff": plan.diff}
        out.result({"status": "dry_run", "scene": chosen, **told}, "Nothing was changed.")
        return
    look = f"penwright manuscript undo {words_of(quote(novel), chosen)} --dry-run"
    confirm("Go on?", sure=yes, first=f"look with `{look}`", about=shown)
    with busy("undoing", quiet=json):
        answer = asyncio.run(editing.undo(services, found, chosen, expected=plan.revision))
    _tell(out, novel, chosen, answer)


def rollback(
    ctx: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="VERSION", help="A commit or revision of the scene.")],
    novel: NovelArgument = ".",
    scene: TextArgument = "",
    yes: SureFlag = False,
    dry_run: DryRunFlag = False,
    json: JsonFlag = False,
) -> None:
    """Bring an earlier text of a scene back.

    \b
      penwright manuscript rollback ~/novels/tides --to 1a2b3c4 --dry-run
      penwright manuscript rollback ~/novels/tides --to 1a2b3c4 --yes

    `penwright manuscript versions` lists what it can go back to. The present text stays in the history.
    """
    services, out = services_of(ctx), Printer(json)
    found = novels.find(services, novel)
    chosen = scenes.chosen(services, found, scene)
    now = scenes.show(services, found, chosen)
    changes = scenes.diff(services, found, chosen, since=now.commit, until=to)
    shown = _changed(changes)
    for line in shown:
        out.note(line)
    if dry_run:
        out.result({"status": "dry_run", "scene": chosen, "diff": changes}, "Nothing was changed.")
        return
    confirm("Go on?", sure=yes, about=shown)
    with busy("rolling back", quiet=json):
        answer = asyncio.run(editing.rollback(services, found, chosen, to, expected=now.revision))
    _tell(out, novel, chosen, answer)


def _changed(diff: str) -> list[str]:
    """The first lines of a comparison."""
    lines = [printable(line) for line in diff.splitlines()]
    more = [f"… and {len(lines) - _SHOWN} more lines"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]


def _tell(out: Printer, novel: str, scene: str, answer: TextRestored) -> None:
    if answer.outcome in ("refused", "conflict"):
        hint = f"`penwright manuscript versions {words_of(novel, scene)}` lists the changes"
        raise Refused(answer.code, answer.message, hint=hint)
    # Any: JSON.
    data: dict[str, Any] = {"status": answer.outcome, "scene": scene, **answer.model_dump(mode="json")}
    if answer.outcome == "unchanged":
        out.result(data, "The scene has that text already; nothing was changed.")
        return
    lines = [f"Scene {scene!r} has {counted(answer.words, 'word')} again."]
    if answer.replaced:
        lines.append(
            f"Back: `penwright manuscript rollback {words_of(novel, scene)} --to {answer.replaced[:_SHORT]}`"
        )
    else:
        lines.append("There is no way back to name: the scene had no file before.")
    out.result(data, lines)
