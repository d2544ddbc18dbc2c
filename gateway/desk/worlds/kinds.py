"""The kinds of things that people write: what each is called, and the fields of its form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from schemas.base import Value
from schemas.lore import Lorebook, LoreEntry
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World

Thing = TypeVar("Thing", bound=Value)

MOST: Final = 1_000_000
"""Largest absolute value of a number whose field has no narrower range."""
_PER_CENT = (0, 100)
_COUNT = (0, 1_000)


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form."""

    name: str
    about: str
    """Its comment in the form."""
    long: bool = False
    """Text of several lines."""
    range: tuple[int, int] = (-MOST, MOST)
    """Of a number: least and most."""


@dataclass(frozen=True, slots=True)
class EntityKind(Generic[Thing]):
    """One kind of thing. Fields that its type does not have itself are those of its ``notes``."""

    type: type[Thing]
    word: str
    plural: str
    fields: tuple[FormField, ...]
    label: str = "name"
    """The field by which people call it."""

    def name_of(self, thing: Thing) -> str:
        """Return the name that people gave it."""
        name: str = getattr(thing, self.label)
        return name

    def values(self, thing: Thing) -> dict[str, Any]:  # Any: JSON of each field
        """Return the values of the form's fields as JSON, in the order of the form."""
        names = {field.name for field in self.fields} & self.type.model_fields.keys()
        dumped = thing.model_dump(mode="json", include={*names, "notes"})
        flat = {**dumped.get("notes", {}), **dumped}
        return {field.name: flat[field.name] for field in self.fields}

    def nested(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values of a form as the type has them: those of its notes together."""
        own = {name: value for name, value in values.items() if name in self.type.model_fields}
        notes = {name: value for name, value in values.items() if name not in own}
        return {**own, "notes": notes} if notes else own

    def field(self, name: str) -> FormField | None:
        """Return the field of this name; None if there is none."""
        return next((field for field in self.fields if field.name == name), None)


_NAME = FormField("name", "The name, on one line.")
_NOTES = (
    FormField("description", "What it is; everyone who plays may know it.", long=True),
    FormField("author_note", "How to write, for the models; no character knows it.", long=True),
    FormField("plot", "What has happened, and what is meant to happen.", long=True),
    FormField("goals", "What the story is to reach.", long=True),
)
_POSITION = FormField("position", "Its place among its siblings, from 0.", range=(0, MOST))

WORLD = EntityKind(World, "world", "worlds", (_NAME, *_NOTES))
CAMPAIGN = EntityKind(Campaign, "campaign", "campaigns", (_NAME, *_NOTES))
ARC = EntityKind(Arc, "arc", "arcs", (_NAME, _POSITION, *_NOTES))
SCENE = EntityKind(
    Scene,
    "scene",
    "scenes",
    (
        FormField("title", "The title, on one line."),
        _POSITION,
        FormField("scenario", "What the scene is about, and how it begins.", long=True),
        FormField("location", "Where it plays."),
        FormField("time_of_day", "When it plays."),
        FormField("direction", "What the director is told in every round; it alone reads it.", long=True),
        *_NOTES,
        FormField("persona", "Id of the persona that you speak as; empty: you direct, and nobody is you."),
        FormField("settings", "Knobs: passes of the director, sizes of the prompt's sections, budgets."),
    ),
    label="title",
)
PERSONA = EntityKind(
    Persona,
    "persona",
    "personas",
    (_NAME, FormField("description", "Who you are when you speak as this persona.", long=True)),
)
CHARACTER = EntityKind(
    Character,
    "character",
    "characters",
    (
        _NAME,
        FormField("nickname", "Another name that people use."),
        FormField("description", "Who this is; everyone who is present may know it.", long=True),
        FormField(
            "personality", "The character in a few words; known to itself and to the director.", long=True
        ),
        FormField("appearance", "What others see.", long=True),
        FormField("goals", "What this character wants; known to itself and to the director.", long=True),
        FormField("secrets", "Known to itself and to the director only.", long=True),
        FormField("scenario", "The situation that the card assumes; in its own prompts only.", long=True),
        FormField("first_message", "How this character opens a scene.", long=True),
        FormField("alternate_greetings", "Other openings, one list item each.", long=True),
        FormField("group_greetings", "Openings of scenes with several characters.", long=True),
        FormField("example_messages", "How this character talks; in its own prompts only.", long=True),
        FormField("system_prompt", "The card's own prompt: how its words are written.", long=True),
        FormField("post_history", "The same, for the end of the prompt.", long=True),
        FormField("model", "The model that plays it, by its name in the settings; empty: as for all."),
        FormField("depth_note", "The card's note that stands near the newest messages.", long=True),
        FormField("talkative", "How often this character speaks up, 0 to 100.", range=_PER_CENT),
        FormField("tags", "Words to find it by, one list item each."),
        FormField("creator", "Who made the card."),
        FormField("creator_notes", "The maker's notes; no prompt has them.", long=True),
    ),
)
LOREBOOK = EntityKind(
    Lorebook,
    "lorebook",
    "lorebooks",
    (
        _NAME,
        FormField("description", "What the book is about; no prompt has it.", long=True),
        FormField(
            "token_budget",
            "Tokens of this book in one prompt at most; null: as the scene has it.",
            range=(0, MOST),
        ),
        FormField(
            "scan_depth", "Newest messages searched for keys; null: as the scene has it.", range=_COUNT
        ),
        FormField("priority", "Books with a higher number get their share of the budget first."),
        FormField("recursive", "Whether the text of an entry that fired is searched for keys of others."),
        FormField("case_sensitive", "Whether keys must match upper and lower case."),
        FormField("whole_words", "Whether keys must be whole words."),
    ),
)
ENTRY = EntityKind(
    LoreEntry,
    "entry",
    "entries",
    (
        FormField("title", "The name of the entry, for people."),
        FormField("content", "What the models read when the entry fires.", long=True),
        FormField("keys", "Words that make it fire; /pattern/i is a regular expression."),
        FormField("secondary", "Second keys, which count if selective is true."),
        FormField("selective", "Whether the second keys count."),
        FormField("logic", "What of the second keys must occur: and-any, and-all, not-any or not-all."),
        FormField("enabled", "Whether it may fire at all."),
        FormField("constant", "Whether it always fires, without keys."),
        FormField("case_sensitive", "Upper and lower case must match; null: as the book has it."),
        FormField("whole_words", "Keys must be whole words; null: as the book has it."),
        FormField("order", "Place among entries of one position: lower stands first."),
        FormField("priority", "Under a tight budget the higher number is kept."),
        FormField(
            "position",
            "before, after, note-top, note-bottom, depth, examples-top, examples-bottom or outlet.",
        ),
        FormField("depth", "With position depth: how many messages before the end.", range=_COUNT),
        FormField("outlet", "With position outlet: the name by which {{outlet::name}} calls it."),
        FormField("role", "For SillyTavern, who says it at that depth: system, user or assistant."),
        FormField("probability", "Chance to fire, 0 to 100.", range=_PER_CENT),
        FormField("groups", "Of the entries of one group that fire, one is drawn."),
        FormField("group_weight", "Its weight in that draw.", range=(0, MOST)),
        FormField("group_wins", "Whether it wins its groups without a draw."),
        FormField("group_scored", "Whether it is out if another of a group has more keys that occur."),
        FormField("sticky", "Messages for which it stays after it fired.", range=(0, MOST)),
        FormField("cooldown", "Messages for which it stays away after that.", range=(0, MOST)),
        FormField("delay", "Messages that must exist before it may fire.", range=(0, MOST)),
        FormField(
            "scan_depth", "Newest messages searched for its keys; null: as the book has it.", range=_COUNT
        ),
        FormField("not_recursed", "Never found in the text of other entries."),
        FormField("stops_recursion", "Its text is not searched for keys of others."),
        FormField("only_recursed", "Waits for that level of recursion; 0: it does not.", range=_COUNT),
        FormField("ignores_budget", "Put in even if the budget is spent."),
        FormField("characters", "Ids of those whose prompts may have it; empty: everyone's."),
        FormField("character_tags", "Tags of those whose prompts may have it; empty: any."),
        FormField("excludes", "Whether characters and tags name those whose prompts may not have it."),
        FormField(
            "also_in",
            "Also searched: persona, description, personality, depth-note, scenario, creator-notes.",
        ),
        FormField("triggers", "Only for these prompts: normal, continue, regenerate, swipe, quiet."),
        FormField("vectorised", "Whether it also fires by what its text means."),
    ),
    label="title",
)
