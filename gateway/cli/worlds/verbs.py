"""Verbs of every kind: create, show, list and remove."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gateway.cli.asking import check_id, confirm
from gateway.cli.output import Printer
from gateway.cli.worlds import reports
from gateway.desk.services import Services
from gateway.desk.worlds import removing, storing, views
from gateway.desk.worlds.kinds import EntityKind
from gateway.desk.worlds.storing import EntityFields


def create(
    services: Services,
    kind: EntityKind[Any],
    thing: Any,
    wanted: EntityFields,
    steps: Sequence[str],
    *,
    json: bool,
) -> None:
    """Store a new thing and print its id.

    Args:
        thing: with its name and owner, without an id.
        steps: commands to go on with; ``{id}`` stands for the new id.
    """
    made = storing.create(services, kind, thing, wanted)
    group = "lore" if kind.word == "lorebook" else "campaign arc" if kind.word == "arc" else kind.word
    every = [f"penwright {group} show {{id}}", *steps]
    told = [step.replace("{id}", made.id) for step in every]
    others = storing.namesakes(services, kind, made)
    data = {
        "status": "created",
        kind.word: made.model_dump(mode="json"),
        "namesakes": others,
        "next": told,
    }
    lines = [
        f"Created the {kind.word} {made.id}.",
        *([reports.namesakes_line(others)] if others else []),
        *(f"  next: `{step}`" for step in told),
    ]
    Printer(json).result(data, lines)


def show(
    services: Services, kind: EntityKind[Any], name: str, *, form: bool, json: bool, below: str = ""
) -> None:
    """Print one thing, or its form."""
    seen = views.sight(services, kind, name, below=below)
    if form:
        text = reports.form_of(kind, seen.thing, seen.thing.version)
        Printer(json).result({"status": "shown", "id": seen.thing.id, "form": text}, text)
    else:
        Printer(json).result(reports.sight_data(seen), reports.sight_lines(seen))


def list_(services: Services, kind: EntityKind[Any], *, none: str, json: bool, below: str = "") -> None:
    """Print all of a kind; ``none`` says how to make the first."""
    lines = views.listing(services, kind, below=below)
    text = reports.list_lines(kind, lines) if lines else [none]
    Printer(json).result(reports.list_data(kind, lines), text)


def remove(
    services: Services,
    kind: EntityKind[Any],
    name: str,
    *,
    sure: bool,
    dry_run: bool,
    json: bool,
    below: str = "",
    scenes: Sequence[str] = (),
) -> None:
    """Say what goes, ask, and remove it."""
    out = Printer(json)
    wanted = removing.removal(services, kind, name, below=below)
    lines = reports.removal_lines(wanted)
    data = {"kind": kind.word, "id": wanted.thing.id, "with": asdict(wanted.goes)}
    if dry_run:
        out.result({"status": "would-remove", **data}, ["This would remove:", *lines])
        return
    check_id(kind.word, name, wanted.thing.id, sure=sure)
    removing.check_presence(services, wanted, scenes)
    lines = ["This removes for good:", *lines]
    if not sure:
        out.note("\n".join(lines))
    confirm(f"Remove the {kind.word} {wanted.thing.id}?", sure=sure, about=lines)
    removing.remove(services, wanted, scenes)
    out.result({"status": "removed", **data}, ["Removed:", *lines])
