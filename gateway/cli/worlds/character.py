"""Verbs of characters: create, edit, show, list, remove."""

from typing import Annotated

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag
from gateway.cli.worlds import editing, verbs
from gateway.cli.worlds.arguments import (
    BasedOnOption,
    DescriptionOption,
    DryRunFlag,
    FormFlag,
    FromOption,
    NameArgument,
    SetOption,
    ThingArgument,
    wanted,
)
from gateway.desk.worlds.kinds import CHARACTER
from gateway.desk.worlds.storing import subject
from schemas.worlds import Character


def create(
    ctx: typer.Context,
    name: NameArgument,
    description: DescriptionOption = None,
    personality: Annotated[str | None, typer.Option("--personality", help="In a few words.")] = None,
    appearance: Annotated[str | None, typer.Option("--appearance", help="What others see.")] = None,
    goals: Annotated[str | None, typer.Option("--goals", help="What this character wants.")] = None,
    secrets: Annotated[
        str | None, typer.Option("--secrets", help="Known to this character and the director only.")
    ] = None,
    first_message: Annotated[
        str | None, typer.Option("--first-message", help="How this character opens a scene.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A word to find it by; repeatable.")] = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Create a character.

    \b
      penwright character create Mara --description "Keeps the light." --secrets "She put it out."
      penwright character create Mara --from mara.yml --set talkative=70

    Its id is made from the name: `mara`, or `mara-2` if there is one. A card is taken in by `import`.
    """
    services = services_of(ctx)
    fields = {
        "description": description,
        "personality": personality,
        "appearance": appearance,
        "goals": goals,
        "secrets": secrets,
        "first_message": first_message,
    }
    given = wanted(services, from_, set_, name=name, tags=tag, **fields)
    steps = ["penwright character override {id} --world WORLD --set FIELD=VALUE"]
    verbs.create(services, CHARACTER, Character(id="", name=name), given, steps, json=json)


def edit(
    ctx: typer.Context,
    character: ThingArgument,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit a character in your editor, from a file, or field by field.

    \b
      penwright character edit mara
      penwright character edit mara --set "nickname=Light" --set "tags=[keeper, sailor]"

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    editing.edit(
        services, subject(services, CHARACTER, character), from_, set_, based_on, sure=yes, json=json
    )


def show(
    ctx: typer.Context, character: ThingArgument, form: FormFlag = False, json: JsonFlag = False
) -> None:
    """Show a character.

    \b
      penwright character show mara
      penwright character show mara --form > mara.yml

    As it is in one world or campaign: `penwright character override mara --world WORLD`.
    """
    verbs.show(services_of(ctx), CHARACTER, character, form=form, json=json)


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List all characters.

    \b
      penwright character list
    """
    none = "There is no character yet; `penwright character create NAME` makes one."
    verbs.list_(services_of(ctx), CHARACTER, none=none, json=json)


def remove(
    ctx: typer.Context,
    character: ThingArgument,
    scene: Annotated[
        list[str] | None,
        typer.Option("--scene", metavar="SCENE", help="A scene it may be taken out of; repeatable."),
    ] = None,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove a character, after saying what goes with it.

    \b
      penwright character remove mara --dry-run
      penwright character remove mara --yes
      penwright character remove mara --scene pier --yes

    That is its overrides and its memories. A character who is in a scene stays until you name every scene
    with --scene. Its lorebooks stay, and so does what it has said.
    """
    services, scenes = services_of(ctx), scene or ()
    verbs.remove(services, CHARACTER, character, sure=yes, dry_run=dry_run, json=json, scenes=scenes)
