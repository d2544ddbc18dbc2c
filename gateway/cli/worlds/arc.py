"""Verbs of arcs: add, edit, show, list, remove."""

from typing import Annotated

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag
from gateway.cli.worlds import editing, verbs
from gateway.cli.worlds.arguments import (
    BasedOnOption,
    CampaignOption,
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
from gateway.desk.worlds.kinds import ARC, CAMPAIGN
from gateway.desk.worlds.storing import subject
from gateway.desk.worlds.views import next_arc_position, owner_id
from schemas.worlds import Arc


def add(
    ctx: typer.Context,
    name: NameArgument,
    campaign: Annotated[
        str, typer.Option("--campaign", "-c", metavar="CAMPAIGN", help="The campaign it belongs to.")
    ],
    description: DescriptionOption = None,
    author_note: NoteOption = None,
    plot: PlotOption = None,
    goals: GoalsOption = None,
    from_: FromOption = None,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Add an arc to a campaign, after its last one.

    \b
      penwright campaign arc add "First night" --campaign fog
    """
    services = services_of(ctx)
    fields = {"description": description, "author_note": author_note, "plot": plot, "goals": goals}
    owner = owner_id(services, CAMPAIGN, campaign)
    given = wanted(services, from_, set_, name=name, **fields)
    thing = Arc(id="", campaign=owner, name=name, position=next_arc_position(services, owner))
    verbs.create(services, ARC, thing, given, [], json=json)


def edit(
    ctx: typer.Context,
    arc: ThingArgument,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit an arc in your editor, from a file, or field by field.

    \b
      penwright campaign arc edit "First night"
      penwright campaign arc edit "First night" --set "plot=The light is out." --set goals=

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; a mistake can
    be corrected at once, and typed text that is not stored stays in a file that is named.

    Exit codes: 0 stored, 3 another process changed the same field.
    """
    services = services_of(ctx)
    editing.edit(services, subject(services, ARC, arc), from_, set_, based_on, sure=yes, json=json)


def show(ctx: typer.Context, arc: ThingArgument, form: FormFlag = False, json: JsonFlag = False) -> None:
    """Show an arc and its scenes.

    \b
      penwright campaign arc show "First night"
      penwright campaign arc show "First night" --form > night.yml
    """
    verbs.show(services_of(ctx), ARC, arc, form=form, json=json)


def list_(ctx: typer.Context, campaign: CampaignOption = None, json: JsonFlag = False) -> None:
    """List the arcs of a campaign, or all.

    \b
      penwright campaign arc list --campaign fog
    """
    services = services_of(ctx)
    none = "There is no arc yet; `penwright campaign arc add NAME --campaign CAMPAIGN` adds one."
    below = owner_id(services, CAMPAIGN, campaign)
    verbs.list_(services, ARC, none=none, json=json, below=below)


def remove(
    ctx: typer.Context,
    arc: ThingArgument,
    dry_run: DryRunFlag = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Remove an arc, after saying what goes with it.

    \b
      penwright campaign arc remove "First night" --dry-run
      penwright campaign arc remove first-night --yes

    That is its scenes, with all that was played in them. Characters, personas and lorebooks stay.
    """
    verbs.remove(services_of(ctx), ARC, arc, sure=yes, dry_run=dry_run, json=json)
