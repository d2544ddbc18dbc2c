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


def _kept(module: str, word: str) -> Verbs:
    """The verbs that every kind has."""
    here = f"gateway.cli.worlds.{module}"
    return {
        "create": (f"{here}:create", f"Create a {word}."),
        "edit": (f"{here}:edit", f"Edit a {word} in your editor, from a file, or field by field."),
        "show": (f"{here}:show", f"Show a {word}."),
        "list": (f"{here}:list_", f"List all {word}s."),
        "remove": (f"{here}:remove", f"Remove a {word}, after saying what goes with it."),
    }


world = lazy_group(_WORLD, _kept("world", "world"))
campaign = lazy_group(
    _CAMPAIGN,
    {
        **_kept("campaign", "campaign"),
        "arc": ("gateway.cli.worlds.groups:arc", "Divide a campaign into arcs; scenes belong to an arc."),
    },
)
arc = lazy_group(
    _ARC,
    {
        "add": ("gateway.cli.worlds.arc:add", "Add an arc to a campaign, after its last one."),
        "edit": (
            "gateway.cli.worlds.arc:edit",
            "Edit an arc in your editor, from a file, or field by field.",
        ),
        "show": ("gateway.cli.worlds.arc:show", "Show an arc and its scenes."),
        "list": ("gateway.cli.worlds.arc:list_", "List the arcs of a campaign, or all."),
        "remove": ("gateway.cli.worlds.arc:remove", "Remove an arc, after saying what goes with it."),
    },
)
character = lazy_group(
    _CHARACTER,
    {
        **_kept("character", "character"),
        "write": (
            "gateway.cli.worlds.sheets:write",
            "Have the creator write a character, or write one anew, from a wish.",
        ),
        "override": (
            "gateway.cli.worlds.overrides:override",
            "Show or change what a world or campaign says otherwise about a character.",
        ),
        "import": (
            "gateway.cli.worlds.cards:import_",
            "Take in character cards: PNG, WebP, JSON, YAML or CHARX, with their lorebook.",
        ),
        "export": ("gateway.cli.worlds.cards:export", "Write a character as a card: PNG, JSON or CHARX."),
    },
)
persona = lazy_group(_PERSONA, _kept("persona", "persona"))
lore = lazy_group(
    _LORE,
    {
        "create": ("gateway.cli.worlds.lore:create", "Create a lorebook without entries."),
        "add": ("gateway.cli.worlds.lore_entries:add", "Add an entry to a lorebook."),
        "edit": ("gateway.cli.worlds.lore:edit", "Edit a lorebook, or one of its entries."),
        "show": ("gateway.cli.worlds.lore:show", "Show a lorebook with its entries, or one entry."),
        "list": ("gateway.cli.worlds.lore:list_", "List all lorebooks."),
        "remove": ("gateway.cli.worlds.lore:remove", "Remove a lorebook, or one of its entries."),
        "attach": (
            "gateway.cli.worlds.lore_entries:attach",
            "Make a lorebook active in a world, scene, character, book or novel.",
        ),
        "detach": ("gateway.cli.worlds.lore_entries:detach", "Undo `attach`."),
        "import": ("gateway.cli.worlds.lore_files:import_", "Take in lorebooks of other programs."),
        "export": ("gateway.cli.worlds.lore_files:export", "Write a lorebook as other programs read it."),
    },
)
