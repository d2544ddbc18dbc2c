"""``penwright world``, ``campaign``, ``character``, ``persona`` and ``lore``: their verbs."""

from gateway.cli.lazy import Verbs, lazy_group

_WORLD = """\
Make and change worlds: the settings of campaigns and scenes.

WORLD is an id or a name. `edit` opens a form in your editor; `--set` and `--from` are for scripts.
"""
_CAMPAIGN = """\
Write down campaigns: the stories of a world, and their arcs.

CAMPAIGN is an id or a name. `edit` opens a form in your editor; `--set` and `--from` are for scripts.
"""
_ARC = """\
Divide a campaign into arcs; scenes belong to an arc.

ARC is an id or a name.
"""
_CHARACTER = """\
Write down characters, and take in and give out cards.

\b
Write:       create, write, edit, override, remove
Look:        list, show
Cards:       import, export

CHARACTER is an id or a name. A character belongs to no world; what one world or campaign says otherwise about
it is an override.
"""
_PERSONA = """\
Write down personas: whom you speak as. No model ever plays one.

PERSONA is an id or a name.
"""
_LORE = """\
Write down lorebooks: what models are reminded of when a key occurs.

\b
Books:       create, edit, remove, list, show
Entries:     add; edit, remove and show with the entry's uid or title
Active:      attach, detach
Files:       import, export

BOOK is an id or a name. A book is active in everything below what it is attached to.
"""


def _kept(module: str) -> Verbs:
    """The verbs that every kind has."""
    here = f"gateway.cli.worlds.{module}"
    return {
        "create": f"{here}:create",
        "edit": f"{here}:edit",
        "show": f"{here}:show",
        "list": f"{here}:list_",
        "remove": f"{here}:remove",
    }


world = lazy_group(_WORLD, _kept("world"))
campaign = lazy_group(
    _CAMPAIGN,
    {
        **_kept("campaign"),
        "arc": "gateway.cli.worlds.groups:arc",
    },
)
arc = lazy_group(
    _ARC,
    {
        "add": "gateway.cli.worlds.arc:add",
        "edit": "gateway.cli.worlds.arc:edit",
        "show": "gateway.cli.worlds.arc:show",
        "list": "gateway.cli.worlds.arc:list_",
        "remove": "gateway.cli.worlds.arc:remove",
    },
)
character = lazy_group(
    _CHARACTER,
    {
        **_kept("character"),
        "write": "gateway.cli.worlds.sheets:write",
        "override": "gateway.cli.worlds.overrides:override",
        "import": "gateway.cli.worlds.cards:import_",
        "export": "gateway.cli.worlds.cards:export",
    },
)
persona = lazy_group(_PERSONA, _kept("persona"))
lore = lazy_group(
    _LORE,
    {
        "create": "gateway.cli.worlds.lore:create",
        "add": "gateway.cli.worlds.lore:add",
        "edit": "gateway.cli.worlds.lore:edit",
        "show": "gateway.cli.worlds.lore:show",
        "list": "gateway.cli.worlds.lore:list_",
        "remove": "gateway.cli.worlds.lore:remove",
        "attach": "gateway.cli.worlds.lore:attach",
        "detach": "gateway.cli.worlds.lore:detach",
        "import": "gateway.cli.worlds.lore_files:import_",
        "export": "gateway.cli.worlds.lore_files:export",
    },
)
