"""``penwright lore add``, ``attach`` and ``detach``."""

from typing import Annotated

import typer

from gateway.cli.completing import works
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.worlds.arguments import (
    CampaignOption,
    FromOption,
    SetOption,
    WorldOption,
    wanted,
)
from gateway.cli.worlds.lore import BookArgument
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.lorebooks import Attached, Place
from penwright.errors import UsageMistake

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
