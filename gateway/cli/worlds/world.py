"""Verbs of worlds: create, edit, show, list, remove."""

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
    GoalsOption,
    NameArgument,
    NoteOption,
    PlotOption,
    SetOption,
    ThingArgument,
    wanted,
)
from gateway.desk.worlds.kinds import WORLD
from gateway.desk.worlds.storing import subject
from schemas.worlds import World


def create(
    ctx: typer.Context,
    name: NameArgument,
    description: DescriptionOption = None,
    author_note: NoteOption = None,
    plot: PlotOption = None,
    goals: GoalsOption = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Create a world.

    \b
      penwright world create Harbour --description "A port that the sea takes back."
      penwright world create Harbour --from harbour.yml

    Its id is made from the name: `harbour`. `penwright world show NAME --form` prints a form for --from.
    """
    services = services_of(ctx)
    fields = {"description": description, "author_note": author_note, "plot": plot, "goals": goals}
    given = wanted(services, from_, set_, name=name, **fields)
    steps = ['penwright campaign create "First voyage" --world {id}']
    verbs.create(services, WORLD, World(id="", name=name), given, steps, json=json)


def edit(
    ctx: typer.Context,
    world: ThingArgument,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit a world in your editor, from a file, or field by field.

    \b
      penwright world edit harbour
      penwright world edit harbour --set "plot=The light is out." --set goals=

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    editing.edit(services, subject(services, WORLD, world), from_, set_, based_on, sure=yes, json=json)


def show(ctx: typer.Context, world: ThingArgument, form: FormFlag = False, json: JsonFlag = False) -> None:
    """Show a world.

    \b
      penwright world show harbour
      penwright world show harbour --form > harbour.yml
    """
    verbs.show(services_of(ctx), WORLD, world, form=form, json=json)


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List all worlds.

    \b
      penwright world list
    """
    none = "There is no world yet; `penwright world create NAME` makes one."
    verbs.list_(services_of(ctx), WORLD, none=none, json=json)


def remove(
    ctx: typer.Context,
    world: ThingArgument,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove a world, after saying what goes with it.

    \b
      penwright world remove harbour --dry-run
      penwright world remove harbour --yes

    That is its campaigns with their arcs and scenes, and what it says otherwise about characters. Characters,
    personas and lorebooks stay.
    """
    verbs.remove(services_of(ctx), WORLD, world, sure=yes, dry_run=dry_run, json=json)
