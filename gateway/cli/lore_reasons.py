"""Verdicts on entries of lorebooks, as lines and as JSON."""

from collections import Counter
from typing import Any, Final

from gateway.cli.wrapping import wrapped
from gateway.desk.lore_reasons import EntryReasons
from schemas.lore import LoreVerdict

_IN_QUESTION: Final = ("fired", "trimmed")
"""Outcomes of entries whose keys occurred; there are few of them, however large the books."""


def reasons_data(found: EntryReasons) -> dict[str, Any]:  # Any: JSON
    """Return the verdicts as JSON."""
    return {
        "missing": found.missing,
        "counter": found.counter,
        "unlisted": list(found.unlisted),
        "verdicts": [{**one.model_dump(mode="json"), "name": found.name_of(one)} for one in found.verdicts],
    }


def reason_lines(found: EntryReasons, title: str, *, whole: bool, to_list: str) -> list[str]:
    """The verdicts, what fired before what was cut; the others too, or how many there are.

    Args:
        to_list: the command that has all of them.
    """
    lines = [title]
    if found.missing:
        return [*lines, *wrapped("   ", found.missing)]
    if not found.verdicts and not found.unlisted:
        return [*lines, "   no entry was looked at; `penwright lore list` shows the books"]
    first = [each for word in _IN_QUESTION for each in found.verdicts if each.outcome == word]
    others = [each for each in found.verdicts if each.outcome not in _IN_QUESTION]
    for verdict in (*first, *(others if whole else ())):
        lines += _verdict_lines(found, verdict)
    if others and not whole:
        lines += _count_lines(to_list, Counter(each.outcome for each in others))
    lines += [line for each in found.unlisted for line in wrapped("   ", each)]
    return [*lines, *wrapped("   ", f"tokens counted by: {found.counter}")]


def _verdict_lines(found: EntryReasons, verdict: LoreVerdict) -> list[str]:
    size = f" ({verdict.tokens:,} tokens)" if verdict.tokens else ""
    place = f" Place: {verdict.place}." if verdict.place else ""
    return wrapped(f"   {verdict.outcome:<9} ", f"{found.name_of(verdict)}: {verdict.why}{place}{size}")


def _count_lines(to_list: str, left: Counter[str]) -> list[str]:
    """Count the entries that did not fire, by outcome."""
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in left.most_common())
    entries = "entry" if left.total() == 1 else "entries"
    said = f"{left.total():,} {entries} did not fire: {told}"
    return [*wrapped("   ", said), f"next: `{to_list}`"]
