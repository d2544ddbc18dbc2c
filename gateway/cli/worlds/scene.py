"""``penwright scene form``: title, notes, persona and settings of a scene, as one form."""

from typing import Annotated

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.completing import things
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag
from gateway.cli.worlds import editing, verbs
from gateway.cli.worlds.arguments import BasedOnOption, FromOption, SetOption
from gateway.desk.worlds.kinds import SCENE
from gateway.desk.worlds.storing import subject


def form(
    ctx: typer.Context,
    scene: Annotated[
        str,
        typer.Argument(metavar="ID", help="The scene's id, or its title.", autocompletion=things("scene")),
    ],
    print_: Annotated[bool, typer.Option("--print", help="Print the YAML form, for `--from`.")] = False,
    from_: FromOption = None,
    set_: SetOption = None,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Edit title, notes, persona and settings of a scene in your editor.

    \b
      penwright scene form pier
      penwright scene form pier --print > pier.yml
      penwright scene form pier --from pier.yml
      penwright scene form pier --set "location=Pier 4" --set settings.shares.lore=20

    The editor is $EDITOR, else $VISUAL, else vi. What you save is checked and shown as a diff; typed text
    that is not stored stays in a file that is named. The next round plays with what is stored.
    """
    services = services_of(ctx)
    if print_:
        verbs.show(services, SCENE, scene, form=True, json=json)
        return
    found = subject(services, SCENE, scene)
    editing.edit(services, found, from_, set_, based_on, sure=yes, json=json)
