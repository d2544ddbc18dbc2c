"""Verbs of lorebooks: create, edit, show, list, remove; of a book, or of one of its entries."""

from typing import Annotated

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.asking import check_id, confirm
from gateway.cli.completing import things, works
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.worlds import editing, reports, verbs
from gateway.cli.worlds.arguments import (
    BasedOnOption,
    CampaignOption,
    DescriptionOption,
    DryRunFlag,
    FormFlag,
    FromOption,
    NameArgument,
    SetOption,
    WorldOption,
    wanted,
)
from gateway.desk.services import Services
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.kinds import ENTRY, LOREBOOK
from gateway.desk.worlds.lorebooks import Attached, Place
from gateway.desk.worlds.storing import subject
from penwright.errors import UsageMistake
from schemas.lore import Lorebook

BookArgument = Annotated[
    str,
    typer.Argument(metavar="BOOK", help="The lorebook's id, or its name.", autocompletion=things("lorebook")),
]
EntryArgument = Annotated[
    str | None, typer.Argument(metavar="[ENTRY]", help="An entry's uid, or its title. Default: the book.")
]


def create(
    ctx: typer.Context,
    name: NameArgument,
    description: DescriptionOption = None,
    token_budget: Annotated[
        int | None, typer.Option("--token-budget", min=0, help="Its tokens in one prompt at most.")
    ] = None,
    scan_depth: Annotated[
        int | None, typer.Option("--scan-depth", min=0, help="Newest messages that are searched for keys.")
    ] = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Create a lorebook without entries.

    \b
      penwright lore create Tides --description "What the sea does." --token-budget 500
    """
    services = services_of(ctx)
    fields = {"token_budget": token_budget, "scan_depth": scan_depth}
    given = wanted(services, from_, set_, name=name, description=description, **fields)
    steps = [
        "penwright lore add {id} --key WORD --content TEXT",
        "penwright lore attach {id} --world WORLD",
    ]
    verbs.create(services, LOREBOOK, Lorebook(id="", name=name), given, steps, json=json)


def edit(
    ctx: typer.Context,
    book: BookArgument,
    entry: EntryArgument = None,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit a lorebook, or one of its entries.

    \b
      penwright lore edit tides
      penwright lore edit tides 1
      penwright lore edit tides "Spring tide" --set probability=50 --set "keys=[spring tide, /neaps?/i]"

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    if entry is None:
        found = subject(services, LOREBOOK, book)
        editing.edit(services, found, from_, set_, based_on, sure=yes, json=json)
    else:
        one = lorebooks.entry_subject(services, book, entry)
        editing.edit(services, one, from_, set_, based_on, sure=yes, json=json)


def show(
    ctx: typer.Context,
    book: BookArgument,
    entry: EntryArgument = None,
    form: FormFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show a lorebook with its entries, or one entry.

    \b
      penwright lore show tides
      penwright lore show tides 1
      penwright lore show tides 1 --form > entry.yml
    """
    services = services_of(ctx)
    if entry is None:
        verbs.show(services, LOREBOOK, book, form=form, json=json)
        return
    holder, one = lorebooks.book_and_entry(services, book, entry)
    if form:
        text = reports.form_of(ENTRY, one, holder.version)
        Printer(json).result({"status": "shown", "id": holder.id, "uid": one.uid, "form": text}, text)
    else:
        data = {"status": "shown", "id": holder.id, "entry": one.model_dump(mode="json")}
        Printer(json).result(data, reports.shown_entry_lines(holder, one))


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List all lorebooks.

    \b
      penwright lore list
    """
    none = "There is no lorebook yet; `penwright lore create NAME` makes one, `import FILE` takes one in."
    verbs.list_(services_of(ctx), LOREBOOK, none=none, json=json)


def remove(
    ctx: typer.Context,
    book: BookArgument,
    entry: EntryArgument = None,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove a lorebook, or one of its entries.

    \b
      penwright lore remove tides --dry-run
      penwright lore remove tides 1 --yes
    """
    services = services_of(ctx)
    if entry is None:
        verbs.remove(services, LOREBOOK, book, sure=yes, dry_run=dry_run, json=json)
    else:
        _remove_entry(services, Printer(json), book, entry, sure=yes, dry_run=dry_run)


def _remove_entry(
    services: Services, out: Printer, book: str, entry: str, *, sure: bool, dry_run: bool
) -> None:
    holder, one = lorebooks.book_and_entry(services, book, entry)
    if not dry_run:
        check_id("entry", entry, one.uid, sure=sure)
        confirm(f"Remove entry {one.uid} of {holder.id} for good?", sure=sure)
        lorebooks.remove_entry(services, holder.id, one.uid)
    data = {"id": holder.id, "entry": one.model_dump(mode="json")}
    told = "This would remove:" if dry_run else "Removed:"
    lines = [told, *reports.shown_entry_lines(holder, one)]
    out.result({"status": "would-remove" if dry_run else "removed", **data}, lines)


ArcOption = Annotated[str | None, typer.Option("--arc", metavar="ARC", help="Its id or name.")]
SceneOption = Annotated[str | None, typer.Option("--scene", metavar="SCENE", help="Its id or title.")]
CharacterOption = Annotated[
    str | None, typer.Option("--character", metavar="CHARACTER", help="Its id or name.")
]
WorkOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="WORK",
        help="A book or novel, by its folder or id.",
        autocompletion=works("book", "novel"),
    ),
]


def place_of(**names: str | None) -> Place | None:
    """Return the one place that the options name; None if they name none.

    Raises:
        UsageMistake: ``two-places``.
    """
    given = [Place(level, name) for level, name in names.items() if name]
    if len(given) > 1:
        raise UsageMistake(
            "two-places", "name one place, not several", hint="run the command once for each place"
        )
    return given[0] if given else None


def add(
    ctx: typer.Context,
    book: BookArgument,
    title: Annotated[str | None, typer.Option("--title", "-t", help="A name for people.")] = None,
    content: Annotated[str | None, typer.Option("--content", help="What models read when it fires.")] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", "-k", help="A word that makes it fire, or /pattern/i; repeatable."),
    ] = None,
    constant: Annotated[bool, typer.Option("--constant", help="It always fires, without keys.")] = False,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Add an entry to a lorebook.

    \b
      penwright lore add tides --key "spring tide" --content "The sea takes the lower street."
      penwright lore add tides --from entry.yml --set probability=50
    """
    services = services_of(ctx)
    given = wanted(services, from_, set_, title=title, content=content, keys=key, constant=constant or None)
    stored, entry = lorebooks.add_entry(services, book, given)
    told = {"status": "added", "id": stored.id, "version": stored.version}
    step = f"penwright lore show {stored.id} {entry.uid}"
    lines = [f"Added entry {entry.uid} to {stored.id}.", f"  next: `{step}`"]
    Printer(json).result({**told, "entry": entry.model_dump(mode="json"), "next": [step]}, lines)


def attach(
    ctx: typer.Context,
    book: BookArgument,
    world: WorldOption = None,
    campaign: CampaignOption = None,
    arc: ArcOption = None,
    scene: SceneOption = None,
    character: CharacterOption = None,
    to: WorkOption = None,
    json: JsonFlag = False,
) -> None:
    """Make a lorebook active in a world, scene, character, book or novel.

    \b
      penwright lore attach tides --world harbour
      penwright lore attach mara-s-past --character mara
      penwright lore attach tides --to ~/books/tide

    With a character it is active wherever that character is present; for a book or novel, in the prompts of
    its writers. A lorebook may be attached to many places: the books of a series share one.
    """
    place = place_of(world=world, campaign=campaign, arc=arc, scene=scene, character=character, work=to)
    done = lorebooks.attach(services_of(ctx), book, _needed(place))
    _print(Printer(json), done, ("attached", "is now active in", "was active already in"))


def detach(
    ctx: typer.Context,
    book: BookArgument,
    world: WorldOption = None,
    campaign: CampaignOption = None,
    arc: ArcOption = None,
    scene: SceneOption = None,
    character: CharacterOption = None,
    to: WorkOption = None,
    json: JsonFlag = False,
) -> None:
    """Undo `attach`.

    \b
      penwright lore detach tides --world harbour
    """
    place = place_of(world=world, campaign=campaign, arc=arc, scene=scene, character=character, work=to)
    done = lorebooks.detach(services_of(ctx), book, _needed(place))
    _print(Printer(json), done, ("detached", "is no longer attached to", "was not attached to"))


def _needed(place: Place | None) -> Place:
    if place is None:
        raise UsageMistake(
            "no-place",
            "name the place: a world, campaign, arc, scene or character, or a book or novel",
            hint="for instance `--world WORLD`, or `--to BOOK`",
        )
    return place


def _print(out: Printer, done: Attached, words: tuple[str, str, str]) -> None:
    status, now, already = words
    at = done.attachment
    data = {"status": status, "changed": done.changed, **at.model_dump(mode="json")}
    out.result(data, f"{at.book} {now if done.changed else already} the {at.level} {at.at}.")
