"""Verbs that show what the agents know and did: inspect, history, why."""

import json as jsonlib
from dataclasses import asdict
from typing import Annotated, Any

import typer

from gateway.cli.context import services_of
from gateway.cli.live import money
from gateway.cli.lore_reasons import reason_lines, reasons_data
from gateway.cli.manuscript.arguments import NovelArgument, SceneArgument
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.cli.times import minute
from gateway.desk.manuscript import lore, told_variables
from gateway.desk.works import inspecting, novels
from gateway.desk.works.documents import Document
from gateway.desk.works.inspecting import CallView, ModelCall, VariableView
from schemas.agent_state import VARIABLES, WHOLE_NOVEL, ActionEntry, PastValue, StateKey
from schemas.base import OpId

_WIDTH = 100
"""Characters of a value in a table."""


def inspect(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    variable: Annotated[
        str, typer.Option("--variable", "-v", help="One variable, now and before, such as section_plan.")
    ] = "",
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="All variables as they were at this version.")
    ] = None,
    calls: Annotated[bool, typer.Option("--calls", help="List the calls of models.")] = False,
    call: Annotated[
        str, typer.Option("--call", help="The exact prompt and the reply of one call, by its id.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Show what the agents know: any variable, and the exact prompt of any call.

    \b
      penwright manuscript inspect ~/novels/tide
      penwright manuscript inspect tide --variable section_plan
      penwright manuscript inspect tide --version 3
      penwright manuscript inspect tide --calls
    """
    services, out = services_of(ctx), Printer(json)
    found = novels.find(services, novel)
    key = StateKey(novel=found.novel_id, scene=scene)
    if variable:
        _print_variable(out, told_variables.variable(services, Document(found, scene), variable))
        return
    if not (calls or call or version is not None):
        known = told_variables.variables(services, Document(found, scene))
        _print_variables(out, key, known.version, known.views)
        return
    with services.open_store() as store:
        if calls:
            _print_calls(out, inspecting.calls(store, key), novel, scene)
        elif call:
            _print_call(out, inspecting.call(store, OpId(call)))
        elif version is not None:
            then = inspecting.at_version(store, key, version).model_dump(mode="json")
            views = tuple(VariableView(name, then[name]) for name in VARIABLES)
            _print_variables(out, key, version, views)


def history(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    run: Annotated[str, typer.Option("--run", help="Only this run, by the name that the list shows.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many, the newest ones.")] = 50,
    json: JsonFlag = False,
) -> None:
    """List what the agents did, and why: every action, skip and refusal.

    \b
      penwright manuscript history ~/novels/tide -n 20
      penwright manuscript history tide opening --json
    """
    services = services_of(ctx)
    found = Document(novels.find(services, novel), scene)
    key = StateKey(novel=found.novel.novel_id, scene=scene)
    with services.open_store() as store:
        entries = inspecting.history(store, key, run)[-limit:]
    data = {
        "novel_id": key.novel,
        "scene": key.scene,
        "entries": [entry.model_dump(mode="json") for entry in entries],
    }
    Printer(json).result(data, _history_lines(found, entries))


def why(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    entry: Annotated[str, typer.Argument(metavar="[ENTRY]", help="Only entries with this title.")] = "",
    whole: Annotated[bool, typer.Option("--all", help="Every entry, also those that did not fire.")] = False,
    json: JsonFlag = False,
) -> None:
    """Say which entries of the novel's lorebooks its agents were told, and why.

    \b
      penwright manuscript why ~/novels/tide
      penwright manuscript why tide opening "spring tide"

    It shows every prompt of the newest run that was told any lore. What fired or was cut comes first; of the
    others only their number is told, unless `--all` or an ENTRY is given.
    """
    services = services_of(ctx)
    found = Document(novels.find(services, novel), scene)
    calls, name = lore.reasons(services, found, entry), found.words
    to_list, shown = f"penwright manuscript why {name} --all", whole or bool(entry)
    data = {
        "status": "explained",
        "novel_id": found.novel.novel_id,
        "scene": scene,
        "calls": [{"prompt": each.prompt, "run": each.run, **reasons_data(each)} for each in calls],
    }
    lines = [line for each in calls for line in reason_lines(each, each.prompt, whole=shown, to_list=to_list)]
    Printer(json).result(data, lines)


def _history_lines(found: Document, entries: tuple[ActionEntry, ...]) -> list[str]:
    if not entries:
        begin = f"`penwright manuscript write {found.words} -i TEXT`"
        return [f"The agents have done nothing here yet; {begin} lets them begin."]
    lines: list[str] = []
    run = ""
    for entry in entries:
        if entry.run != run:
            run = entry.run
            lines.append(run)
        score = f", score {entry.score:.2f}" if entry.score is not None else ""
        why = f" ({entry.code})" if entry.code not in ("", entry.outcome) else ""
        lines.append(f"  {minute(entry.at)}  {entry.action}: {entry.outcome}{why}{score}: {entry.summary}")
    return lines


def _print_variables(out: Printer, key: StateKey, version: int, views: tuple[VariableView, ...]) -> None:
    data = {
        "novel_id": key.novel,
        "scene": key.scene,
        "version": version,
        "variables": {view.name: view.value for view in views},
    }
    head = f"{key.novel}, scene {key.scene}, version {version}"
    out.result(data, [head, *columns([(view.name, _short(view.value)) for view in views])])


def _print_variable(out: Printer, view: VariableView) -> None:
    data = {
        "variable": view.name,
        "value": view.value,
        "past": [each.model_dump(mode="json") for each in view.past],
    }
    before = [f"  {_origin(each)}: {_short(each.value)}" for each in view.past[1:]]
    out.result(data, [_whole(view.value), *(["", "before:", *before] if before else [])])


def _origin(past: PastValue) -> str:
    """Version, time and writer of a value; what the history tells has no version."""
    version = f"version {past.version}, " if past.version else ""
    return f"{version}{minute(past.at)}, by {past.by or 'unknown'}"


def _print_calls(out: Printer, made: tuple[ModelCall, ...], novel: str, scene: str) -> None:
    rows = [
        (
            minute(each.at),
            each.agent_run.rpartition("/")[2],
            each.answered_by + (" (demo)" if each.demo and each.model != "demo" else ""),
            f"{each.input_tokens:,}+{each.output_tokens:,} tokens",
            "price unknown" if each.cost_micros is None else money(each.cost_micros),
            each.op_id,
        )
        for each in made
    ]
    hint = f"`penwright manuscript inspect {novel} {scene} --call ID` shows the exact prompt and the reply."
    lines = [*columns(rows), hint] if rows else ["No model was called for this manuscript yet."]
    out.result({"calls": [_call_json(each) for each in made]}, lines)


def _print_call(out: Printer, view: CallView) -> None:
    data = {
        "call": _call_json(view.call),
        "messages": [message.model_dump(mode="json") for message in view.messages],
        "reply": view.reply.model_dump(mode="json") if view.reply else None,
        "missing": view.missing,
    }
    lines = [f"{view.call.op_id}, {view.call.answered_by}, {minute(view.call.at)}"]
    for message in view.messages:
        lines += [f"--- {message.role}", message.content]
    if view.reply is not None:
        lines += ["--- reply", view.reply.content]
    if view.call.mistake:
        lines.append(f"--- the reply could not be used ({view.call.mistake})")
    if view.missing:
        lines.append(view.missing)
    out.result(data, lines)


def _call_json(made: ModelCall) -> dict[str, Any]:  # Any: JSON
    return {
        **asdict(made),
        "at": made.at.isoformat(),
        "prompt": made.prompt.sha256 if made.prompt else None,
        "head": made.head.digest if made.head else None,
    }


def _whole(value: object) -> str:
    return value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False, indent=2)


def _short(value: object) -> str:
    text = " ".join((value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
