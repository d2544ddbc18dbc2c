"""Verbs that look: show, why."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from gateway.cli.context import services_of
from gateway.cli.lore_reasons import reason_lines, reasons_data
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.cli.scene import reports, timelines
from gateway.cli.scene.arguments import RoundOption, SceneArgument, TakeOption
from gateway.cli.wrapping import wrapped
from gateway.desk.scene import chapters, lore_reasons, remembering, rounds, views
from gateway.desk.scene.chapters import Chapter
from gateway.desk.scene.views import ShownEnvelope
from gateway.desk.scene.waiting_plan import held
from gateway.desk.services import Services
from penwright.domain.text.escaping import printable
from schemas.envelope import Envelope, Item
from schemas.scene import SceneView


def show(
    ctx: typer.Context,
    scene: SceneArgument,
    messages: Annotated[int, typer.Option("--messages", "-n", min=0, max=5_000, help="The newest.")] = 10,
    round_: RoundOption = 0,
    take: TakeOption = 0,
    envelope: Annotated[
        bool, typer.Option("--envelope", help="What each role was shown, with the sizes of its parts.")
    ] = False,
    who: Annotated[
        str, typer.Option("--who", metavar="NAME", help="Only `director` or this character, with the texts.")
    ] = "",
    message: Annotated[
        str, typer.Option("--message", "-m", metavar="N", help="All alternatives of one message.")
    ] = "",
    in_short: Annotated[
        bool, typer.Option("--chapters", help="What is summed up, a heading and a line each.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show cast, state and the newest messages; a round; or an envelope.

    \b
      penwright scene show harbour
      penwright scene show harbour --round 2              # its timeline and audit
      penwright scene show harbour --round 2 --take 1     # as it was before it was played again
      penwright scene show harbour --envelope             # sizes of every prompt of the last round
      penwright scene show harbour --envelope --who Ann   # what Ann was shown, whole
      penwright scene show harbour --message 12           # its alternatives, and who wrote them
      penwright scene show harbour --chapters             # the summary; with --who Ann, what Ann has of it
    """
    services, out = services_of(ctx), Printer(json)
    if in_short:
        _print_chapters(services, out, scene, who)
    elif envelope:
        _print_envelopes(out, views.envelopes(services, scene, who, round_, take), whole=bool(who))
    elif message:
        _print_alternatives(services, out, scene, message)
    elif round_ or take:
        _print_round(services, out, scene, round_, take)
    else:
        _print_scene(services, out, scene, messages)


def why(
    ctx: typer.Context,
    scene: SceneArgument,
    entry: Annotated[str, typer.Argument(metavar="[ENTRY]", help="Only entries with this title.")] = "",
    who: Annotated[
        str,
        typer.Option("--who", metavar="NAME", help="A character. Default: the director, or who acted alone."),
    ] = "",
    round_: RoundOption = 0,
    take: TakeOption = 0,
    whole: Annotated[bool, typer.Option("--all", help="Every entry, also those that did not fire.")] = False,
    json: JsonFlag = False,
) -> None:
    """Say for each lore entry why it fired, did not, or was cut.

    \b
      penwright scene why harbour
      penwright scene why harbour --all
      penwright scene why harbour lamp --who Ann --round 2

    What fired or was cut comes first; of the others only their number is told, unless `--all` or an ENTRY
    is given.
    """
    found = lore_reasons.reasons(services_of(ctx), scene, who=who, number=round_, take=take, entry=entry)
    data = [
        {
            "round": each.round,
            "step": each.step,
            "who": each.who,
            "pending": each.pending,
            **reasons_data(each),
        }
        for each in found
    ]
    to_list, shown = f"penwright scene why {found[0].scene} --all", whole or bool(entry)
    titles = [f"{each.who}, round {each.round}, {each.step}" for each in found]
    lines = [
        line
        for each, title in zip(found, titles, strict=True)
        for line in (*reason_lines(each, title, whole=shown, to_list=to_list), *_pending_lines(each.pending))
    ]
    Printer(json).result({"status": "explained", "scene": found[0].scene, "calls": data}, lines)


def _print_scene(services: Services, out: Printer, scene: str, newest: int) -> None:
    shown = views.look(services, scene, newest=newest)
    lines = reports.scene_lines(shown.view)
    for message in shown.messages:
        lines += ["", *reports.message_lines(message)]
    if reports.demo_wrote(shown.messages):
        lines += ["", *reports.writer_lines((), is_demo=True)]
    trouble = remembering.trouble(services, shown.view.located.scene.id)
    if trouble:
        told = f"Not all is remembered or summed up; the next round tries again: {trouble}"
        lines += ["", *wrapped("", told)]
    lines += ["", *_what_next(services, shown.view)]
    data = {
        "status": "shown",
        **shown.view.model_dump(mode="json"),
        "messages": [{**each.model_dump(mode="json"), "text": each.text} for each in shown.messages],
        "not_remembered": trouble,
        "rounds_listed": [each.model_dump(mode="json") for each in shown.rounds],
    }
    out.result(data, lines)


def _what_next(services: Services, view: SceneView) -> list[str]:
    """The plan that waits, and the commands that may follow."""
    id, names = view.located.scene.id, {each.id: each.name for each in view.cast}
    with services.open_store() as store:
        waits = held(store, view.located.scene)
    if waits is None and view.running:
        return _while_it_runs(services, id, view.running)
    if waits is None:
        return reports.next_lines(f"penwright scene say {id} TEXT", f"penwright scene continue {id}")
    acting = timelines.acting_order([each.character for each in waits.applied.turns], names)
    told = f"The plan of pass {waits.number} waits for your approval: {acting}."
    rest = reports.next_lines(
        f"penwright scene approve {id}",
        f"penwright scene show {id} --round {view.running}",
        f"penwright scene stop {id}",
    )
    return [*wrapped("", told), *rest]


def _while_it_runs(services: Services, scene: str, number: int) -> list[str]:
    progress = asyncio.run(rounds.round_progress(services, scene))
    if progress is None:
        said = f"Round {number} is open, but no worker answers for it: `penwright status` shows the workers."
        return [*wrapped("", said), *reports.next_lines(f"penwright scene stop {scene}")]
    stands, verb = ("is paused", "resume") if progress.paused else ("runs", "watch")
    commands = (f"penwright scene {verb} {scene}", f"penwright scene stop {scene}")
    return [f"Round {number} {stands}.", *reports.next_lines(*commands)]


def _print_round(services: Services, out: Printer, scene: str, number: int, take: int) -> None:
    found, shown, said = views.timeline(services, scene, number, take)
    with services.open_store() as store:
        names = views.names(store, found)
        answers = views.unusable_answers(store, shown)
    data = {
        "status": "shown",
        "round": shown.model_dump(mode="json"),
        "messages": [{**each.model_dump(mode="json"), "text": each.text} for each in said],
        "unusable_answers": answers,
    }
    out.result(data, timelines.round_lines(shown, names, {each.id: each for each in said}, answers))


def _print_alternatives(services: Services, out: Printer, scene: str, named: str) -> None:
    found, message = views.message(services, scene, named)
    lines = [f"#{message.number} {printable(message.name)}, round {message.round}"]
    for each in message.alternatives:
        mark = "*" if each.index == message.chosen else " "
        demo = ", the demo model" if each.author.demo else ""
        overrides = f", overrides {each.author.overrides}" if each.author.overrides else ""
        stopped = ", stopped" if each.stopped else ""
        lines += [
            f"{mark} {each.index + 1}. by {printable(each.author.name)}{demo}{overrides}{stopped}",
            *reports.paragraphs(each.text),
        ]
    lines.append(f"next: `penwright scene choose {found.id} {message.number} N` takes another one")
    out.result({"status": "shown", "scene": found.id, **message.model_dump(mode="json")}, lines)


def _print_chapters(services: Services, out: Printer, scene: str, who: str) -> None:
    found, told = chapters.chapters(services, scene, who)
    names = views.names_in(services, found.id)
    lines = [line for each in told for line in _chapter_lines(each, names)]
    none = (
        f"nothing is summed up yet{' that ' + who + ' heard' if who else ''}; that begins when more than "
        f"{found.settings.summarise_after} rounds were played"
    )
    out.result(
        {"status": "shown", "scene": found.id, "chapters": [asdict(each) for each in told]},
        lines or wrapped("", none),
    )


def _chapter_lines(chapter: Chapter, names: Mapping[str, str]) -> list[str]:
    heard = ", ".join(names.get(each, each) for each in chapter.heard_by)
    return [
        *wrapped("", chapter.heading),
        *wrapped("   ", chapter.line),
        *wrapped("   heard by ", heard or "nobody of the cast"),
    ]


def _print_envelopes(out: Printer, shown: Sequence[ShownEnvelope], *, whole: bool) -> None:
    lines: list[str] = []
    for each in shown:
        lines += [*([""] if lines else []), f"{each.who}, round {each.round}, {each.step}"]
        lines += _size_lines(each.envelope) if each.envelope else wrapped("   ", each.missing)
        lines += _pending_lines(each.envelope.pending) if each.envelope else []
        if whole and each.envelope:
            lines += _text_lines(each.envelope)
    out.result(
        {"status": "shown", "scene": shown[0].scene, "envelopes": [_data(each) for each in shown]}, lines
    )


def _pending_lines(pending: Sequence[str]) -> list[str]:
    """Lines on what a prompt lacked, because it was still being made."""
    return [line for each in pending for line in wrapped("   lacked    ", each)]


def _data(shown: ShownEnvelope) -> dict[str, Any]:  # Any: JSON
    envelope = shown.envelope.model_dump(mode="json") if shown.envelope else None
    return {
        "who": shown.who,
        "round": shown.round,
        "step": shown.step,
        "envelope": envelope,
        "missing": shown.missing,
    }


def _size_lines(envelope: Envelope) -> list[str]:
    budget = envelope.budget
    rows: list[tuple[str, ...]] = [("   section", "share", "room", "used", "kept", "dropped")]
    for use in budget.sections:
        items = [each for each in envelope.items if each.section == use.section]
        kept = sum(each.kept for each in items)
        figures = (use.allotted, use.allotted + use.given, use.used, kept, len(items) - kept)
        rows.append((f"   {use.section}", *(f"{figure:,}" for figure in figures)))
    used = budget.fixed + sum(each.used for each in budget.sections)
    head = (
        f"   {used:,} of {budget.context:,} tokens, {budget.answer:,} kept for the answer, "
        f"{budget.fixed:,} never cut; counted: {budget.counter}"
    )
    dropped = [line for each in envelope.items if not each.kept for line in _item_lines(each)]
    return [*wrapped("   ", head.strip()), *columns(rows), *dropped]


def _item_lines(item: Item) -> list[str]:
    return wrapped("   left out: ", f"{item.section} {item.id}: {item.reason} ({item.tokens:,} tokens)")


_NO_TEXTS = frozenset({"budget", "items", "lore_verdicts", "lore_books", "overruled", "lore"})
"""Fields of an envelope that say how its texts were chosen, or are among the others."""


def _text_lines(envelope: Envelope) -> list[str]:
    """Every field that has something in it, under its name."""
    shown = envelope.model_dump(exclude=set(_NO_TEXTS))
    lines: list[str] = []
    for name, value in shown.items():
        if text := _field(value):
            lines += [f"   {name.replace('_', ' ')}", *reports.paragraphs(text, "      ")]
    return lines


def _field(value: Any) -> str:  # Any: one field of an envelope
    if isinstance(value, dict):
        return "\n".join(f"{name}: {each}" for name, each in value.items() if each)
    if isinstance(value, tuple | list):
        return "\n".join(map(_field_item, value))
    return str(value) if value else ""


def _field_item(value: Any) -> str:  # Any: a line, a memory, a text
    if not isinstance(value, dict):
        return str(value)
    return f"{value['name']}: {value['text']}" if "name" in value else str(value.get("text", value))
