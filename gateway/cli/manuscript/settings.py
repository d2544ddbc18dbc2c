"""``penwright manuscript settings``."""

import json as jsonlib
from typing import Annotated, Any, NoReturn

import typer

from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import (
    MaxHunksOption,
    MaxPassesOption,
    MaxTargetsOption,
    MinScoreOption,
    NovelArgument,
    SceneArgument,
)
from gateway.cli.manuscript.running import text_of
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.desk.manuscript import runs
from gateway.desk.manuscript import settings as desk
from gateway.desk.manuscript.settings import SETTINGS, Clashes
from gateway.desk.works.documents import Document
from penwright.domain.text.escaping import printable
from penwright.errors import Refused
from schemas.agent_state import WHOLE_NOVEL, AgentState, StateWritten

_WIDTH = 100
"""Characters of a value in a list."""


def settings(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    instructions: Annotated[
        str | None, typer.Option("--instructions", "-i", help="What to write, or @FILE.")
    ] = None,
    max_passes: MaxPassesOption = None,
    min_score: MinScoreOption = None,
    max_hunks: MaxHunksOption = None,
    max_targets: MaxTargetsOption = None,
    json: JsonFlag = False,
) -> None:
    """Show or change a document's settings.

    \b
      penwright manuscript settings ~/novels/tide
      penwright manuscript settings tide --max-passes 2 --min-score 0.9
      penwright manuscript settings tide -i @instructions.md

    They are for the next run; `write --amend` gives one that goes on new instructions.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    asked = {
        "instructions": text_of(instructions),
        "max_passes": max_passes,
        "min_score": min_score,
        "max_hunks": max_hunks,
        "max_targets": max_targets,
    }
    values = {name: value for name, value in asked.items() if value is not None}
    if not values:
        _print_settings(out, found, desk.read(services, found))
        return
    written = desk.change(services, found, values)
    if isinstance(written, Clashes):
        _refuse_overwriting(found, written)
    _print_written(out, found, written)


def _print_settings(out: Printer, found: Document, state: AgentState) -> None:
    head = f"{found.name}, version {state.version}"
    rows = [(name, _short(getattr(state, name)) or "none yet") for name in SETTINGS]
    out.result({"status": "shown", **_data(found, state)}, [head, *columns(rows)])


def _print_written(out: Printer, found: Document, written: StateWritten) -> None:
    state = written.state
    data = {"status": "stored", **_data(found, state), "changed": written.changed}
    if not written.changed:
        out.result(data, f"Nothing changed; {found.name} is at version {state.version}.")
        return
    rows = [(name, _short(getattr(state, name))) for name in written.changed]
    out.result(data, [f"{found.name} is now at version {state.version}", *columns(rows)])


def _refuse_overwriting(found: Document, met: Clashes) -> NoReturn:
    names = ", ".join(clash.name for clash in met.clashes)
    raise Refused(
        "settings-conflict",
        f"{names} of {found.name!r} changed at the same moment elsewhere; nothing was stored",
        hint=f"`penwright manuscript settings {found.words}` shows what stands; repeat to put yours over it",
    )


def _data(found: Document, state: AgentState) -> dict[str, Any]:  # Any: JSON
    shown = state.model_dump(mode="json", include={str(name) for name in SETTINGS})
    return {
        "novel_id": found.key.novel,
        "scene": found.key.scene,
        "version": state.version,
        "settings": shown,
    }


def _short(value: object) -> str:
    text = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
    line = printable(" ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
