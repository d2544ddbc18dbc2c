"""Entries as SillyTavern's World Info has them, and what its documents say becomes of each.

Source: ``Usage/worldinfo.md`` of SillyTavern-Docs, and where that is silent ``public/scripts/world-info.js``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.lore import LoreTimer

Raw = dict[str, Any]  # Any: JSON of SillyTavern
DEFAULTS: Final[Raw] = {
    **{"key": ["rose"], "keysecondary": [], "comment": "", "constant": False, "vectorized": False},
    **{"selective": True, "selectiveLogic": 0, "order": 100, "position": 0, "disable": False},
    **{"excludeRecursion": False, "preventRecursion": False, "delayUntilRecursion": False},
    **{"probability": 100, "useProbability": True, "depth": 4, "group": "", "groupOverride": False},
    **{"groupWeight": 100, "scanDepth": None, "caseSensitive": None, "matchWholeWords": None, "role": 0},
    **{"useGroupScoring": None, "sticky": None, "cooldown": None, "delay": None, "triggers": []},
    "characterFilter": {"isExclude": False, "names": [], "tags": []},
}
"""Of an entry that SillyTavern makes."""


@dataclass(frozen=True, slots=True)
class Row:
    """Some entries, and which of them its documents say are in Ann's next prompt, in this order."""

    name: str
    entries: Mapping[str, Raw]
    """By uid; the content of each is ``[uid]`` if it does not say another."""
    there: str
    """Uids that SillyTavern's documents say go in."""
    said: tuple[str, ...] = ("Mira: A rose.",)
    here: str | None = None
    """Uids that go in here; None: the same."""
    order: tuple[str, ...] = ()
    """Marks of the prompt in the order that SillyTavern's documents say."""
    order_here: tuple[str, ...] = ()
    """The order here, where it differs."""
    differs: str = ""
    """Field of the difference, as in ``DIFFERENCES``."""
    case: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the scan that are not as usual."""


def one(name: str, raw: Raw, there: bool, *said: str, **more: Any) -> Row:  # Any: fields of Row
    """A row of one entry."""
    given: dict[str, Any] = {"said": said} if said else {}
    return Row(name, {"e": raw}, "e" if there else "", **given, **more)


def placed(name: str, raw: Raw, *order: str, **more: Any) -> Row:  # Any: fields of Row
    """A row of one entry that goes in, and where."""
    return Row(name, {"e": {"constant": True} | raw}, "e", order=order, **more)


def filtered(exclude: bool, names: list[str], tags: list[str]) -> Raw:
    return {"characterFilter": {"isExclude": exclude, "names": names, "tags": tags}}


AND_ANY, NOT_ALL, NOT_ANY, AND_ALL = range(4)
_TWO: Final = {"keysecondary": ["thorn", "leaf"]}
_TALL, _AHOY, _TERSE, _LAST = "Tall.", "Ann: Ahoy.", "Be terse.", "Is it you?"

ROWS: Final = (
    # Keys
    one("unset whole words find a key within a word", {}, True, "primroses"),
    one("whole words do not", {"matchWholeWords": True}, False, "primroses"),
    one("whole words may stand beside a sign", {"matchWholeWords": True}, True, "“Rose,” she said."),
    one(
        "whole words do not count for a key of several",
        {"key": ["old rose"], "matchWholeWords": True},
        True,
        "cold roses",
        here="",
        differs="matchWholeWords",
    ),
    one("case does not count if unset", {"key": ["Rose"]}, True, "A ROSE."),
    one("case counts if set", {"key": ["Rose"], "caseSensitive": True}, False, "a rose"),
    one("a regular expression", {"key": ["/ro[sz]e/i"]}, True, "A ROZE."),
    one("a regular expression has its own flags", {"key": ["/Rose/"]}, False, "a rose"),
    one(
        "a broken expression is a text",
        {"key": ["/rose(/"]},
        True,
        "It said /rose(/ there.",
        here="",
        differs="key",
    ),
    one("one key of several is enough", {"key": ["thorn", "rose"]}, True),
    one("an entry without a key does not fire", {"key": []}, False),
    one("a macro in a key", {"key": ["{{user}} smiles"]}, True, "Mira smiles."),
    one("a macro in an expression", {"key": ["/{{char}} (says|cries)/i"]}, True, "Then Ann cries."),
    one(
        "a message of one speaker",
        {"key": [r"/\x01{{user}}:[^\x01]*?hello/"]},
        True,
        "Mira: Well, hello.",
        "Ann: No.",
    ),
    one(
        "and not of another",
        {"key": [r"/\x01{{user}}:[^\x01]*?hello/"]},
        False,
        "Mira: Well.",
        "Ann: hello",
    ),
    one("names of speakers are searched", {"key": ["mira"]}, True, "Mira: Yes."),
    # The optional filter
    one("and any: one", _TWO | {"selectiveLogic": AND_ANY}, True, "rose leaf"),
    one("and any: none", _TWO | {"selectiveLogic": AND_ANY}, False, "rose"),
    one("and all: all", _TWO | {"selectiveLogic": AND_ALL}, True, "rose leaf thorn"),
    one("and all: one", _TWO | {"selectiveLogic": AND_ALL}, False, "rose leaf"),
    one("not any: none", _TWO | {"selectiveLogic": NOT_ANY}, True, "rose"),
    one("not any: one", _TWO | {"selectiveLogic": NOT_ANY}, False, "rose leaf"),
    one("not all: one", _TWO | {"selectiveLogic": NOT_ALL}, True, "rose leaf"),
    one("not all: all", _TWO | {"selectiveLogic": NOT_ALL}, False, "rose leaf thorn"),
    one("a filter without keys is ignored", {"selectiveLogic": AND_ALL}, True),
    # Strategy and probability
    one("a constant entry needs no key", {"constant": True, "key": []}, True, "nothing"),
    one("a disabled entry is out", {"constant": True, "disable": True}, False),
    one("a probability of nought", {"probability": 0}, False),
    one("a probability that is not used", {"probability": 0, "useProbability": False}, True),
    one("a constant entry has its probability, too", {"constant": True, "probability": 0}, False),
    one(
        "a vectorized entry by its meaning",
        {"vectorized": True, "key": []},
        True,
        "nothing",
        case={"near": (("book", "e"),)},
        differs="vectorized",
    ),
    one("a vectorized entry by its key", {"vectorized": True}, True, differs="vectorized"),
    # Place
    placed("before the character", {"position": 0}, "[e]", _TALL),
    placed("after the character", {"position": 1}, _TALL, "[e]", _LAST),
    placed("above the author's note", {"position": 2}, _LAST, "[e]", _TERSE),
    placed("below the author's note", {"position": 3}, _TERSE, "[e]"),
    placed("above the examples", {"position": 5}, _TALL, "[e]", _AHOY),
    placed("below the examples", {"position": 6}, _AHOY, "[e]", _LAST),
    placed("at depth 0", {"position": 4, "depth": 0}, _LAST, "[e]"),
    placed("at depth 2", {"position": 4, "depth": 2}, "ann 3 word", "[e]", "bob 3 word"),
    placed(
        "at a depth as the assistant",
        {"position": 4, "depth": 1, "role": 2},
        *("bob 3 word", "[e]", _LAST),
        differs="role",
    ),
    placed(
        "an outlet that is called",
        {"position": 7, "outletName": "weather"},
        *("Short.", "[e]"),
        differs="outletName",
    ),
    Row(
        "an outlet's name has its case, and one without a name is nowhere",
        {"a": {"position": 7, "outletName": "Weather"}, "b": {"position": 7, "outletName": ""}},
        "a b",
        order=("Short.",),
        differs="outletName",
    ),
    placed(
        "before the character, called by a key",
        {"position": 0, "constant": False},
        *("[e]", _TALL),
        order_here=(_TALL, "bob 3 word", "[e]"),
        differs="position",
    ),
    Row(
        "a higher order stands nearer to the end",
        {"a": {"order": 200}, "b": {"order": 5}},
        "b a",
        order=("[b]", "[a]"),
    ),
    # Groups
    Row(
        "of those that are prioritized the highest order wins",
        {uid: {"group": "g", "groupOverride": True, "order": at} for at, uid in enumerate("abc")},
        "c",
    ),
    Row("a weight of nought does not win", {"a": {"group": "g", "groupWeight": 0}, "b": {"group": "g"}}, "b"),
    Row(
        "who wins one of its groups silences the others of all",
        {"a": {"group": "g,h", "groupOverride": True}, "b": {"group": "g"}, "c": {"group": "h"}},
        "a",
    ),
    Row(
        "scored by the keys that occur",
        {
            "a": {"key": ["song", "sing", "Black Cat"], "group": "s", "useGroupScoring": True},
            "b": {"key": ["song", "sing", "Ghosts"], "group": "s", "useGroupScoring": True},
        },
        "b",
        ("sing me a song about Ghosts",),
    ),
    Row(
        "all of and-all score, or none",
        {
            "a": {"keysecondary": ["red", "old"], "selectiveLogic": AND_ALL, "group": "s"}
            | {"useGroupScoring": True},
            "b": {"key": ["rose", "red"], "group": "s", "useGroupScoring": True},
        },
        "a",
        ("an old red rose",),
    ),
    Row(
        "a group without a winner by chance",
        {"a": {"group": "g", "groupOverride": True, "probability": 0}, "b": {"group": "g"}},
        "",
        differs="group",
    ),
    # Recursion
    Row(
        "an entry calls another",
        {"a": {"key": ["Bessie"], "content": "A cow, friends with Rufus."}, "b": {"key": ["Rufus"]}},
        "a b",
        ("Bessie!",),
    ),
    Row(
        "not one that is non-recursable",
        {"a": {"content": "thorn"}, "b": {"key": ["thorn"], "excludeRecursion": True}},
        "a",
    ),
    Row(
        "nor does one that prevents further recursion",
        {"a": {"content": "thorn", "preventRecursion": True}, "b": {"key": ["thorn"]}},
        "a",
    ),
    one("a delayed entry does not fire at once", {"delayUntilRecursion": True}, False),
    Row(
        "a delayed entry fires by another",
        {"a": {"content": "thorn"}, "b": {"key": ["thorn"], "delayUntilRecursion": True}},
        "a b",
    ),
    Row(
        "a delayed entry fires by a message, once another has fired",
        {"a": {}, "b": {"delayUntilRecursion": 1}},
        "a b",
    ),
    Row(
        "levels come one after the other",
        {
            "a": {"content": "thorn"},
            "b": {"key": ["thorn"], "content": "leaf", "delayUntilRecursion": 1},
            "c": {"key": ["thorn"], "delayUntilRecursion": 2, "keysecondary": ["leaf"]}
            | {"selectiveLogic": NOT_ANY},
        },
        "a b",
    ),
    # For whom, and when
    one("a listed character", filtered(False, ["Ann"], []), True),
    one("another is not", filtered(False, ["Bob"], []), False),
    one("an excluded character", filtered(True, ["Ann"], []), False, differs="characterFilter"),
    one("all others but the excluded", filtered(True, ["Bob"], []), True, differs="characterFilter"),
    one("a listed tag", filtered(False, [], ["keeper"]), True),
    one("an excluded tag", filtered(True, [], ["keeper"]), False, differs="characterFilter"),
    one("a trigger of this kind", {"triggers": ["swipe", "normal"]}, True),
    one("a trigger of another kind", {"triggers": ["continue"]}, False),
    one("a trigger that never comes", {"triggers": ["impersonate"]}, False, differs="triggers"),
    # Further texts
    one("the persona", {"matchPersonaDescription": True, "key": ["pilot"]}, True, "-"),
    one("the description", {"matchCharacterDescription": True, "key": ["tall"]}, True, "-"),
    one("the personality", {"matchCharacterPersonality": True, "key": ["shy"]}, True, "-"),
    one("the character's note", {"matchCharacterDepthPrompt": True, "key": ["calm"]}, True, "-"),
    one("the scenario", {"matchScenario": True, "key": ["dusk"]}, True, "-"),
    one("the maker's notes", {"matchCreatorNotes": True, "key": ["draft"]}, True, "-"),
    one("none of them if it is not asked for", {"key": ["pilot", "tall", "shy", "dusk"]}, False, "-"),
    # Time
    one(
        "sticky: three messages later",
        {"sticky": 3, "cooldown": 2},
        True,
        *("-",) * 5,
        case={"timers": (LoreTimer(book="book", uid="e", message=2),)},
        differs="sticky",
    ),
    one(
        "cooldown: after it was sticky",
        {"sticky": 3, "cooldown": 2},
        False,
        *("-", "-", "-", "-", "-", "rose"),
        case={"timers": (LoreTimer(book="book", uid="e", message=2),)},
        differs="sticky",
    ),
    one(
        "after both it fires again",
        {"sticky": 3, "cooldown": 2},
        True,
        *("-", "-", "-", "-", "-", "-", "-", "rose"),
        case={"timers": (LoreTimer(book="book", uid="e", message=2),)},
        differs="sticky",
    ),
    one("delay: too few messages", {"delay": 2}, False, "rose"),
    one("delay: enough messages", {"delay": 2}, True, "-", "rose"),
    # Depth and budget
    one("only so many messages are searched", {"scanDepth": 1}, False, "rose", "-"),
    one("at depth 0 none is", {"scanDepth": 0}, False),
    Row(
        "the budget is for constant entries, then for the higher order",
        {"a": {"order": 500}, "b": {"order": 1, "constant": True}, "c": {"order": 9}},
        "b a",
        case={"tokens": 2},
    ),
    Row(
        "what ignores the budget goes in",
        {"a": {"order": 500}, "b": {"order": 1, "ignoreBudget": True}},
        "b a",
        case={"tokens": 1},
    ),
    Row(
        "what a message names goes before what an entry names",
        {"a": {"content": "thorn", "order": 1}, "b": {"key": ["thorn"], "order": 900}},
        "a",
        case={"tokens": 1},
    ),
)
