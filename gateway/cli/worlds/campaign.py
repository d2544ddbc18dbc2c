"""Verbs of campaigns: create, edit, show, list, remove."""

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
    GoalsOption,
    NameArgument,
    NoteOption,
    PlotOption,
    SetOption,
    ThingArgument,
    WorldOption,
    wanted,
)
from gateway.desk.worlds.kinds import CAMPAIGN, WORLD
from gateway.desk.worlds.storing import subject
from gateway.desk.worlds.views import owner_id
from schemas.worlds import Campaign


def create(
    ctx: typer.Context,
    name: NameArgument,
    world: Annotated[str, typer.Option("--world", "-w", metavar="WORLD", help="The world it plays in.")],
    description: DescriptionOption = None,
    author_note: NoteOption = None,
    plot: PlotOption = None,
    goals: GoalsOption = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Create a campaign.

    \b
      penwright campaign create Fog --world harbour --plot "The light went out."
      penwright campaign create Fog --world harbour --from fog.yml

    Its id is made from the name: `fog`. Scenes belong to an arc of it: `penwright campaign arc add`.
    """
    services = services_of(ctx)
    fields = {"description": description, "author_note": author_note, "plot": plot, "goals": goals}
    given = wanted(services, from_, set_, name=name, **fields)
    thing = Campaign(id="", world=owner_id(services, WORLD, world), name=name)
    steps = ['penwright campaign arc add "First night" --campaign {id}']
    verbs.create(services, CAMPAIGN, thing, given, steps, json=json)


def edit(
    ctx: typer.Context,
    campaign: ThingArgument,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit a campaign in your editor, from a file, or field by field.

    \b
      penwright campaign edit fog
      penwright campaign edit fog --set "plot=The light is out." --set goals=

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    editing.edit(services, subject(services, CAMPAIGN, campaign), from_, set_, based_on, sure=yes, json=json)


def show(ctx: typer.Context, campaign: ThingArgument, form: FormFlag = False, json: JsonFlag = False) -> None:
    """Show a campaign.

    \b
      penwright campaign show fog
      penwright campaign show fog --form > fog.yml
    """
    verbs.show(services_of(ctx), CAMPAIGN, campaign, form=form, json=json)


def list_(ctx: typer.Context, world: WorldOption = None, json: JsonFlag = False) -> None:
    """List all campaigns.

    \b
      penwright campaign list
      penwright campaign list --world harbour
    """
    services = services_of(ctx)
    none = "There is no campaign yet; `penwright campaign create NAME --world WORLD` makes one."
    below = owner_id(services, WORLD, world)
    verbs.list_(services, CAMPAIGN, none=none, json=json, below=below)


def remove(
    ctx: typer.Context,
    campaign: ThingArgument,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove a campaign, after saying what goes with it.

    \b
      penwright campaign remove fog --dry-run
      penwright campaign remove fog --yes

    That is its arcs and scenes, and what it says otherwise about characters. Characters, personas and
    lorebooks stay.
    """
    verbs.remove(services_of(ctx), CAMPAIGN, campaign, sure=yes, dry_run=dry_run, json=json)
