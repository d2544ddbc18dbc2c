"""A session's Changelog entry."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count

from penwright.domain.book.files.layout import changelog_path
from penwright.domain.book.files.summary import uncommented
from penwright.domain.prose.rule_texts import described
from penwright.domain.text.counted import counted
from schemas.prose import CraftReport, PassageEdit

PLAN, TOLD, FOUND = "Plan", "Told", "Found in the new prose"
MENDED, EDITED = "Mended by the writer", "Edits of the editor"
"""Titles of an entry's lists of beats, findings and edits."""


def free_changelog_path(at: datetime, taken: Collection[str]) -> str:
    """Return the first path for this minute that is not in ``taken``."""
    return next(path for copy in count(1) if (path := changelog_path(at, copy)) not in taken)


def newest_entry(paths: Iterable[str]) -> str:
    """Return the path of the newest entry, empty without any: of one minute, that of the highest copy."""
    return max(paths, key=lambda path: [int(number) for number in re.findall(r"\d+", path)], default="")


def listed(entry: str, title: str) -> tuple[str, ...]:
    """Return the lines of an entry's list, without their dashes; empty if it has no such list."""
    found = re.search(rf"^\*\*{re.escape(title)}:\*\*\n((?:- .*\n?)+)", entry, re.MULTILINE)
    return tuple(line.removeprefix("- ") for line in found[1].splitlines()) if found else ()


def edits_told(entry: str) -> tuple[str, ...]:
    """Return what an entry says of edits by the writer and the editor, a line each."""
    return tuple(f"{title}: {line}" for title in (MENDED, EDITED) for line in listed(entry, title))


def shown_minute(at: datetime) -> str:
    """Format a time as ``YYYY-MM-DD HH:MM``, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def changelog_entry(
    *,
    at: datetime,
    words: int,
    human_edits: Sequence[str] = (),
    summary: str = "",
    tag: str = "",
    model: str = "",
    warnings: Sequence[str] = (),
    craft: CraftReport | None = None,
) -> str:
    """Return the entry's text; an empty argument has no line."""
    facts = [f"**Words written:** {words}"]
    if tag:
        facts.append(f"**Snapshot tag:** {_one_line(tag)}")
    if model:
        facts.append(f"**Model:** {_one_line(model)}")
    parts = [f"# Session {shown_minute(at)} UTC", "\n".join(facts)]
    if human_edits:
        parts.append("**Human edits:**\n" + "\n".join(f"- {_one_line(path)}" for path in human_edits))
    for title, lines in (("Warnings", warnings), *(_craft(craft) if craft else ())):
        if lines:
            listed = "\n".join(f"- {_one_line(uncommented(said))}" for said in lines)
            parts.append(f"**{title}:**\n{listed}")
    if plain := uncommented(summary):
        parts.append(f"**Summary:**\n{plain}")
    return "\n\n".join(parts) + "\n"


def _craft(craft: CraftReport) -> Iterator[tuple[str, Sequence[str]]]:
    """The lists of a craft report, each with its title."""
    yield PLAN, craft.plan
    yield TOLD, [f"{each.beat}: “{each.quote}”" for each in craft.told]
    yield MENDED, mending_lines(craft)
    yield EDITED, editing_lines(craft)
    yield FOUND, [described(each) for each in craft.findings]


def mending_lines(craft: CraftReport) -> list[str]:
    """The count of what the writer mended, or the reason why nothing; empty if it was not asked to."""
    if craft.unmended:
        return [f"nothing: {craft.unmended}"]
    return [counted(craft.mended, "finding")] if craft.mended else []


def editing_lines(craft: CraftReport) -> list[str]:
    """The editor's edits, each with its reason, or why there are none; empty if no editor was asked."""
    if craft.unedited:
        return [f"nothing: {craft.unedited}"]
    return [f"{each.reason}: {_change(each)}" for each in craft.edits]


def _change(edit: PassageEdit) -> str:
    if not edit.before:
        return f"“{edit.after}” was put in"
    return f"“{edit.before}” became “{edit.after}”" if edit.after else f"“{edit.before}” was taken out"


def _one_line(text: str) -> str:
    """Replace unprintable characters: a path may hold line ends, but a bullet may not."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
