"""Verbs that decide: review, accept, reject, search, choose, apply, undo."""

import asyncio
from typing import Annotated, Literal

import typer

from gateway.cli.cite import reports
from gateway.cli.cite.scanning import document, print_ending, waiter_of
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, SceneOption
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.citations import scans
from gateway.desk.citations.scans import Decided
from gateway.desk.citations.taking_back import take_back
from gateway.desk.works.documents import Document
from penwright.errors import Refused, UsageMistake
from schemas.citations import CitationDecision

NumberOption = Annotated[
    list[int] | None, typer.Option("--number", "-n", min=1, help="A proposal's number; may be repeated.")
]
OneOption = Annotated[int, typer.Option("--number", "-n", min=1, help="The proposal's number.")]
AllFlag = Annotated[bool, typer.Option("--all", help="Everything that waits.")]


def review(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Show what is proposed: sentence, verdict, and what the source says.

    \b
      penwright cite review ~/papers/ebb
    """
    services = services_of(ctx)
    found = document(services, novel, scene, noted=True)
    shown = asyncio.run(scans.review(services, found))
    targets = [
        {**each.proposal.model_dump(mode="json"), **each.standing.model_dump(mode="json")}
        for each in shown.targets
    ]
    data = {"running": shown.running, "counts": shown.counts.model_dump(), "targets": targets}
    Printer(json).result({"status": "reviewed", **data}, reports.review_lines(found, shown))


def accept(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    number: NumberOption = None,
    verified: Annotated[
        bool, typer.Option("--verified", help="Everything that exists and whose text says the sentence.")
    ] = False,
    abstracts: Annotated[
        bool, typer.Option("--abstracts", help="With --verified: an abstract with its words is enough.")
    ] = False,
    every: AllFlag = False,
    json: JsonFlag = False,
) -> None:
    """Accept proposals; they enter the text in one commit.

    \b
      penwright cite accept ~/papers/ebb -n 1 -n 3
      penwright cite accept ~/papers/ebb --verified
      penwright cite accept ~/papers/ebb --verified --abstracts

    A sentence that was changed or deleted since the scan is left alone, and named.
    """
    if abstracts and not verified:
        said = "--abstracts says what --verified takes, and does nothing without it"
        raise UsageMistake("nothing-named", said, hint="give both, or name proposals by --number")
    chosen: Literal["", "verified", "all"] = "verified" if verified else "all" if every else ""
    _decide(ctx, novel, scene, "accept", number, chosen, json, abstracts=abstracts)


def reject(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    number: NumberOption = None,
    every: AllFlag = False,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept with the sentence.")] = "",
    json: JsonFlag = False,
) -> None:
    """Reject proposals; a later scan does not propose them again.

    \b
      penwright cite reject ~/papers/ebb -n 2 --reason "about another coast"
    """
    _decide(ctx, novel, scene, "reject", number, "all" if every else "", json, reason=reason)


def search(
    ctx: typer.Context,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="A DOI, an arXiv id, or what to look for.")],
    number: OneOption,
    novel: Annotated[str, typer.Option("--in", metavar="NOVEL", help="The novel's folder or id.")] = ".",
    scene: SceneOption = None,
    json: JsonFlag = False,
) -> None:
    """Look works up for a sentence by hand; the first one found is proposed.

    \b
      penwright cite search "tides of the north sea" -n 2 --in ~/papers/ebb
      penwright cite search 10.1371/journal.pmed.0020124 -n 2 --in ~/papers/ebb

    Nothing is accepted by it; what is proposed was verified. If nothing is found, the proposal stays.
    """
    services = services_of(ctx)
    found = document(services, novel, scene, noted=True)
    wait = waiter_of(found, quiet=json)
    asked = scans.search(services, found, number, words, who=services.person(), wait=wait)
    _print_decided(Printer(json), found, asyncio.run(asked))


def choose(
    ctx: typer.Context,
    number: OneOption,
    work: Annotated[int, typer.Option("--work", "-w", min=1, help="Which of the other works, as listed.")],
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    json: JsonFlag = False,
) -> None:
    """Propose another of the works found for a sentence, once it is verified.

    \b
      penwright cite choose ~/papers/ebb -n 2 --work 1
    """
    services = services_of(ctx)
    found = document(services, novel, scene, noted=True)
    wait = waiter_of(found, quiet=json)
    asked = scans.choose(services, found, number, work, who=services.person(), wait=wait)
    _print_decided(Printer(json), found, asyncio.run(asked))


def apply(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Put in what was accepted and is not in the text yet, as after a kill.

    \b
      penwright cite apply ~/papers/ebb
    """
    services, out = services_of(ctx), Printer(json)
    found = document(services, novel, scene, noted=True)
    done = asyncio.run(scans.decide(services, found, None, wait=waiter_of(found, quiet=json)))
    assert done.result is not None, "a run of its own carried it out"
    print_ending(out, found, done.result)


def undo(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    number: Annotated[
        int | None, typer.Option("--number", "-n", min=1, help="Only the citation of this sentence.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Take back the citations that were put in last, or one of them, as a new commit.

    \b
      penwright cite undo ~/papers/ebb
      penwright cite undo ~/papers/ebb -n 2

    If the text was changed since, nothing is done; `penwright manuscript versions` lists what there is. One
    citation is taken back whatever was written since in other sentences, and then waits for you again.
    """
    services, out = services_of(ctx), Printer(json)
    found = document(services, novel, scene)
    if number is not None:
        saved = asyncio.run(take_back(services, found, number))
        said = f"Sentence {number} is as it was before its citation: {found.novel.length(saved.words)}."
        out.result({"status": saved.outcome, **saved.model_dump(mode="json")}, [said])
        return
    answer = asyncio.run(scans.undo(services, found))
    if answer.outcome in ("refused", "conflict"):
        hint = f"`penwright manuscript versions {found.words}` lists the changes"
        raise Refused(answer.code, answer.message, hint=hint)
    data = {"status": answer.outcome, **answer.model_dump(mode="json")}
    words = found.novel.length(answer.words)
    out.result(data, [f"Scene {found.scene!r} is as it was before its last citations: {words}."])


def _decide(
    ctx: typer.Context,
    novel: str,
    scene: str | None,
    verb: Literal["accept", "reject"],
    number: list[int] | None,
    every: Literal["", "verified", "all"],
    json: bool,
    *,
    reason: str = "",
    abstracts: bool = False,
) -> None:
    services, out = services_of(ctx), Printer(json)
    found = document(services, novel, scene, noted=True)
    if bool(number) == bool(every):
        said = "name proposals by --number, or all of a kind, and not both"
        hint = f"`penwright cite review {found.options}` shows their numbers"
        raise UsageMistake("nothing-named", said, hint=hint)
    decision = CitationDecision(
        verb=verb,
        who=services.person(),
        numbers=tuple(number or ()),
        every=every,
        abstracts=abstracts,
        reason=reason,
    )
    done = asyncio.run(scans.decide(services, found, decision, wait=waiter_of(found, quiet=json)))
    _print_decided(out, found, done)


def _print_decided(out: Printer, found: Document, done: Decided) -> None:
    if done.result is not None:
        print_ending(out, found, done.result)
        return
    data = {"status": "decided", "counts": done.counts.model_dump()}
    out.result(data, [reports.counts_line(done.counts)])
