"""``penwright scene certify``: no prompt and no seat showed what its character did not witness, or which."""

from collections import Counter

import typer

from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer, columns
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.scene.reports import paragraphs
from gateway.cli.wrapping import wrapped
from gateway.desk.scene.table.certifying import SceneCertificate
from gateway.desk.scene.table.certifying import certify as certified
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from schemas.certificate import Leak

_WORDS = {
    "message": "was not there when it was said",
    "taken back": "it was taken back before",
    "witness": "is named as its witness, and was not there",
    "card": "private to another character",
    "intention": "known to another character alone",
    "memory": "remembered by another character",
    "lore": "lore that is for others",
    "foresight": "a note on what is to come",
    "guidance": "told to another character",
    "summary": "did not hear all that it tells",
    "draft": "another person’s, not said yet",
}


def certify(ctx: typer.Context, scene: SceneArgument, json: JsonFlag = False) -> None:
    """Check that no prompt and no seat showed what its character did not witness.

    \b
      penwright scene certify harbour
      penwright scene certify harbour --json

    Every stored prompt of the cast, and the table, events and export of each seat as they are now, are
    compared, four words at a time, with all messages, cards, intentions, memories, drafts, lore and notes of
    the scene. It ends with exit code 1 if one held a passage that its reader may not know.
    """
    found = certified(services_of(ctx), scene)
    leaks = found.certificate.leaks
    data = {
        "status": "leaks" if leaks else "certified",
        **found.certificate.model_dump(mode="json"),
        "leaks": [_leak_data(found, each) for each in leaks],
    }
    Printer(json).result(
        data, [*_lines(found), *(line for each in leaks for line in _leak_lines(found, each))]
    )
    if leaks:
        raise typer.Exit(EXIT_FAILED)


def _lines(found: SceneCertificate) -> list[str]:
    of, id = found.certificate, found.scene.id
    verdict = f"{counted(len(of.leaks), 'leak')}" if of.leaks else "no leak"
    checked = f"{counted(len(of.prompts) - of.unread, 'prompt')} of the cast"
    if of.seats:
        checked += f" and at {counted(len({each.who for each in of.seats}), 'seat')}"
    lines = [printable(found.scene.title), *wrapped("   ", f"{id}: {verdict} in {checked}")]
    prompts, words = Counter[str](), Counter[str]()
    for each in of.prompts:
        prompts[each.who] += not each.missing
        words[each.who] += each.words
    closed = {each.who: each.closed for each in of.prompts}
    rows = [("   who", "prompts", "words", "texts it may not know")]
    rows += [
        (f"   {printable(_name(found, who))}", f"{prompts[who]:,}", f"{words[who]:,}", f"{closed[who]:,}")
        for who in prompts
    ]
    lines += columns(rows) if of.prompts else []
    lines += _seat_lines(found)
    told = sum(each.told for each in of.prompts)
    if told:
        lines += wrapped("   ", f"the director's guidance told {counted(told, 'passage')} of these itself")
    if of.unread:
        lines += wrapped("   ", f"{counted(of.unread, 'prompt')} more could not be read: {_missing(found)}")
    also = f"{counted(of.messages, 'message')}, {counted(of.unbound, 'prompt')} of those who may hear all"
    return [*lines, *wrapped("   ", f"compared with {also}"), f"   sha256 {of.sha256}"]


def _seat_lines(found: SceneCertificate) -> list[str]:
    """One line for each seat, with the words of all that it shows."""
    words, closed = Counter[str](), dict[str, int]()
    for each in found.certificate.seats:
        words[each.who] += each.words
        closed[each.who] = each.closed
    rows = [("   seat", "", "words", "texts it may not know")]
    for who, count in words.items():
        rows.append((f"   {printable(_name(found, who))}", "", f"{count:,}", f"{closed[who]:,}"))
    return columns(rows) if words else []


def _missing(found: SceneCertificate) -> str:
    return "; ".join(dict.fromkeys(each.missing for each in found.certificate.prompts if each.missing))


def _name(found: SceneCertificate, who: str) -> str:
    return found.names.get(who, who)


def _leak_lines(found: SceneCertificate, leak: Leak) -> list[str]:
    at_seat = f"at the seat of {_name(found, leak.who)}, {leak.part}"
    in_prompt = f"in {found.rounds[leak.round].words}, {_name(found, leak.who)}" if not leak.part else ""
    why = _WORDS.get(leak.kind, leak.kind)
    head = f"leak {in_prompt or at_seat}: {leak.source} ({why})"
    return [*wrapped("", printable(head)), *paragraphs(leak.text)]


def _leak_data(found: SceneCertificate, leak: Leak) -> dict[str, object]:
    if leak.part:
        return leak.model_dump(mode="json") | {"id": 0, "take": 0}
    at = found.rounds[leak.round]
    return leak.model_dump(mode="json") | {"id": leak.round, "round": at.number, "take": at.take}
