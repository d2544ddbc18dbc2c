"""Verbs of personas: create, edit, show, list, remove."""

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
from gateway.desk.worlds.kinds import PERSONA
from gateway.desk.worlds.storing import subject
from schemas.worlds import Persona


def create(
    ctx: typer.Context,
    name: NameArgument,
    description: DescriptionOption = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Create a persona.

    \b
      penwright persona create "The Stranger" --description "Came with the last boat."
      penwright persona create "The Stranger" --from stranger.yml

    Its id is made from the name: `the-stranger`. Give it to a scene, and your words are said by it.
    """
    services = services_of(ctx)
    given = wanted(services, from_, set_, name=name, description=description)
    verbs.create(services, PERSONA, Persona(id="", name=name), given, [], json=json)


def edit(
    ctx: typer.Context,
    persona: ThingArgument,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit a persona in your editor, from a file, or field by field.

    \b
      penwright persona edit the-stranger
      penwright persona edit the-stranger --set "description=Came by night."

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    editing.edit(services, subject(services, PERSONA, persona), from_, set_, based_on, sure=yes, json=json)


def show(ctx: typer.Context, persona: ThingArgument, form: FormFlag = False, json: JsonFlag = False) -> None:
    """Show a persona.

    \b
      penwright persona show the-stranger
      penwright persona show the-stranger --form > stranger.yml
    """
    verbs.show(services_of(ctx), PERSONA, persona, form=form, json=json)


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List all personas.

    \b
      penwright persona list
    """
    none = "There is no persona yet; `penwright persona create NAME` makes one."
    verbs.list_(services_of(ctx), PERSONA, none=none, json=json)


def remove(
    ctx: typer.Context,
    persona: ThingArgument,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove a persona, after saying what goes with it.

    \b
      penwright persona remove the-stranger --dry-run
      penwright persona remove the-stranger --yes

    Scenes that were played as it stay, without a persona, and what it said stays under its name.
    """
    verbs.remove(services_of(ctx), PERSONA, persona, sure=yes, dry_run=dry_run, json=json)
