"""``penwright book findings``: what the rules of prose find, and what its author means so."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import findings as desk
from gateway.desk.book.findings import CheckedProse
from gateway.desk.works import books
from penwright.domain.book.files.changelog import edits_told
from penwright.domain.prose.intended import decision_on
from penwright.domain.prose.rule_texts import described
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.prose import Finding, Intended

_LONG_QUOTE = 30
_AROUND = 40
"""Characters that are shown on either side of a short quote."""


def findings(
    ctx: typer.Context,
    book: BookArgument = ".",
    intended: Annotated[
        list[str] | None,
        typer.Option(
            "--intended",
            metavar="WHICH",
            help="You mean this so: a number of the list, or a rule. Repeatable.",
        ),
    ] = None,
    not_intended: Annotated[
        list[str] | None,
        typer.Option(
            "--not-intended", metavar="WHICH", help="It counts again: a number, or a rule. Repeatable."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List what the rules of prose find in the prose that waits for you.

    \b
      penwright book findings ~/books/tide
      penwright book findings ~/books/tide --intended 2 --intended name-slip
      penwright book findings ~/books/tide --not-intended 3

    Each finding quotes its place; what you typed is read once it is saved, by the next session or by
    `penwright book save`, and named until then. One that
    you mean so is silent, in later sessions too, for as long as its quote and the other one beside it stand;
    it is kept in Continuity/decisions.yaml, as a commit of yours. A note in the text asks the next session
    for a rework.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    checked, commit = desk.checked_prose(services, found), ""
    if intended or not_intended:
        yes = _chosen(found.words, checked.found, intended or (), 1)
        no = _chosen(found.words, checked.intended, not_intended or (), len(checked.found) + 1)
        deciding = desk.decide(services, found, intended=yes, not_intended=no, who=services.person())
        commit = asyncio.run(deciding)
        out.note(f"{_said(yes, no)}; commit {commit[:10]}." if commit else "That was decided already.")
        checked = desk.checked_prose(services, found)
    if checked.unread:
        out.note(
            f"warning: checked as of the last commit; edited since, and not read: {', '.join(checked.unread)}"
        )
    if checked.trouble:
        out.note(f"warning: {checked.trouble}")
    out.result(_data(checked, commit), _lines(checked))


def _chosen(book: str, found: Sequence[Finding], which: Sequence[str], first: int) -> list[Intended]:
    """The findings that are named: by their number in a list that begins with ``first``, or by their rule."""
    chosen: list[Intended] = []
    for name in which:
        numbered = dict(enumerate(found, first))
        named = (
            [numbered[int(name)]]
            if name.isdecimal() and int(name) in numbered
            else [each for each in found if each.rule == name and each.quote]
        )
        if not named:
            raise UsageMistake(
                "no-such-finding",
                f"there is no finding {name!r} to decide on; nothing was changed",
                hint=f"name a number that `penwright book findings {book}` lists, or its rule",
            )
        chosen += map(decision_on, named)
    return list(dict.fromkeys(chosen))


def _said(yes: Sequence[Intended], no: Sequence[Intended]) -> str:
    told = [*(f"intended: “{each.quote}”" for each in yes), *(f"counts again: “{each.quote}”" for each in no)]
    said = "; ".join(told)
    return said[0].upper() + said[1:]


def _lines(checked: CheckedProse) -> list[str]:
    if not checked.checked:
        return ["`craft` in Config.yml is off: prose is not checked."]
    if not checked.prose:
        return ["No prose waits for you."]
    numbers = iter(range(1, len(checked.found) + len(checked.intended) + 1))
    count = counted(len(checked.found), "finding")
    lines = [f"In all the prose that waits, reworked passages too: {count}"]
    lines += [_line(next(numbers), each, checked.prose) for each in checked.found]
    if checked.off:
        lines += ["", f"Switched off by `craft_off` in Config.yml: {', '.join(checked.off)}."]
    if checked.intended:
        lines += ["", "You mean these so; they do not count:"]
        lines += [_line(next(numbers), each, checked.prose) for each in checked.intended]
    if checked.of_the_session:
        lines += ["", "What the last session was asked, and did not do (from its Changelog entry):"]
        lines += [f"  {each}" for each in checked.of_the_session]
    if edits := edits_told(checked.entry):
        lines += ["", "Before the last session was closed:", *(f"  {each}" for each in edits)]
    return lines


def _line(number: int, finding: Finding, prose: str) -> str:
    kind = "hard" if finding.hard else "soft"
    return f"{number:>3}  {kind}  {finding.rule}: {described(finding)}{_around(finding, prose)}"


def _around(finding: Finding, prose: str) -> str:
    """The words around a quote that is too short to be found by itself; empty for a longer one."""
    if not finding.quote or finding.end - finding.start > _LONG_QUOTE:
        return ""
    before = prose[: finding.start].rpartition("\n")[2][-_AROUND:].partition(" ")[2]
    after = prose[finding.end :].partition("\n")[0][:_AROUND].rpartition(" ")[0]
    return f", in “… {before}{finding.quote}{after} …”"


def _data(checked: CheckedProse, commit: str) -> dict[str, object]:
    return {
        "checked": checked.checked,
        "findings": [each.model_dump(mode="json") for each in checked.found],
        "intended": [each.model_dump(mode="json") for each in checked.intended],
        "of_the_session": list(checked.of_the_session),
        "unread": list(checked.unread),
        "edits": list(edits_told(checked.entry)),
        "commit": commit,
    }
