"""Verbs of ``penwright trace``."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import WorkArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.trace import checks, exchange, reports
from gateway.cli.trace import repair as repairing
from gateway.cli.trace.opening import end, note_unsaved, opened, runnable
from gateway.cli.trace.reports import plain
from gateway.desk.evidence import copies
from gateway.desk.services import Services
from gateway.desk.trace import json_answers as trace_data
from gateway.desk.trace.traces import main_texts, place_of, waiting_words
from gateway.desk.works.works import commit_id
from penwright.domain.evidence.sealing import fingerprint, same_fingerprint
from penwright.domain.trace.reports.blame import blame as blamed
from penwright.domain.trace.reports.disclosure import disclose as disclosed
from penwright.domain.trace.reports.statistics import statistics
from penwright.domain.trace.reports.why import why as explained

PlaceArgument = Annotated[
    str, typer.Argument(metavar="PATH[:LINE]", help="A file, named from the top of the book.")
]
CommitArgument = Annotated[str, typer.Argument(metavar="COMMIT", help="A commit id, tag or HEAD.")]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")]
OutOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="A new file for the lines. Default: standard output.")
]


@runnable
def verify(
    ctx: typer.Context,
    book: WorkArgument = ".",
    since: Annotated[str, typer.Option("--since", help="Judge only what came after this commit.")] = "",
    intent: Annotated[str, typer.Option("--intent", help="Only findings about this intent.")] = "",
    path: Annotated[str, typer.Option("--path", help="Only findings about this file.")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Compare every block of every commit; warnings count, too.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Check the ledger against git and the text.

    \b
      penwright trace verify ~/books/tide
      penwright trace verify ~/books/tide --strict
      penwright trace verify ~/books/tide --since ink-2026-03-01-08-00 --intent INT-003 --json

    The ledger is compared with the log outside the branch, refs/penwright/trace/*. A clone that has none
    fetches it from the remote. Without it the answer is "not anchored", and with --strict the exit code is 1,
    as it is where there is no ledger.
    """
    end(checks.verify(services_of(ctx), book, Printer(json), since, intent, path, strict))


@runnable
def blame(ctx: typer.Context, place: PlaceArgument, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Show who wrote each block of a file.

    \b
      penwright trace blame "Current version/Full_Book.md" ~/books/tide
      penwright trace blame "Current version/Full_Book.md:120" ~/books/tide

    Person or model, intent, date and commit. A block is untraced when the ledger does not know it: it is
    older than the ledger, or its commit bypassed it.
    """
    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, workspace):
        path, line = place_of(place, source, workspace)
        found = blamed(source, path, line)
        unsaved = note_unsaved(out, source, workspace, path)
    out.result(
        {**trace_data.blame_data(found), "unsaved": unsaved},
        reports.blame_lines(found, one=line is not None),
    )
    reports.note_unread(out, found.unread)
    end(reports.note_damage(out, found.left_out, book))


@runnable
def why(ctx: typer.Context, commit: CommitArgument, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Explain a commit: its intent, permission and blocks.

    \b
      penwright trace why HEAD ~/books/tide
      penwright trace why 1a2b3c4 ~/books/tide --json
    """
    out, services = Printer(json), services_of(ctx)
    with opened(services, book, out) as (source, workspace):
        found = explained(source, commit_id(services, workspace, commit))
    out.result(trace_data.why_data(found), reports.why_lines(found, book))
    end(reports.note_damage(out, found.left_out, book) or bool(found.missing) or found.kind == "unrecorded")


@runnable
def stats(ctx: typer.Context, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Count records, and the words of each author.

    \b
      penwright trace stats ~/books/tide
    """
    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, _):
        found = statistics(source)
    out.result(reports.stats_data(found), reports.stats_lines(found))
    reports.note_unread(out, found.unread)
    end(reports.note_damage(out, found.left_out, book))


@runnable
def disclose(
    ctx: typer.Context,
    book: WorkArgument = ".",
    path: Annotated[
        str, typer.Option("--path", help="Only this file. Default: the book; of a novel, every scene.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Sum the words by people, by models and by both.

    \b
      penwright trace disclose ~/books/tide
      penwright trace disclose ~/books/tide --path Review/current.md --json

    Chapter by chapter, for a publisher's declaration. A chapter begins at a heading of the two topmost
    levels. What the ledger does not know is called unknown.
    """
    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, workspace):
        paths = (place_of(path, source, workspace)[0],) if path else main_texts(source)
        found = disclosed(source, *paths, waiting=0 if path else waiting_words(source))
        unsaved = [each for each in paths if note_unsaved(out, source, workspace, each)]
    out.result(
        {**trace_data.disclosure_data(found), "unsaved": bool(unsaved)}, reports.disclosure_lines(found)
    )
    reports.note_unread(out, found.unread)
    end(reports.note_damage(out, found.left_out, book))


@runnable
def map_(
    ctx: typer.Context,
    book: WorkArgument = ".",
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the committed map is this one.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Print the map of intents, rebuilt from the ledger.

    \b
      penwright trace map ~/books/tide
      penwright trace map ~/books/tide --check    # exits 1 if .orchestration/intent_map.md differs

    Your notes in the committed map are kept. It is rebuilt with every change of text, so there is rarely
    anything to do.
    """
    end(checks.map_(services_of(ctx), book, Printer(json), check=check))


@runnable
def export(
    ctx: typer.Context, book: WorkArgument = ".", out: OutOption = None, json: JsonFlag = False
) -> None:
    """Write the ledger as Agent Trace 0.1.0.

    \b
      penwright trace export ~/books/tide --output tide.agent-trace.jsonl
      penwright trace export ~/books/tide | head -1

    One JSON record a line; each names the commit that brought it in. The record as the ledger has it, with
    deletions, is under the metadata key dev.penwright, so that `penwright trace import` restores every byte.
    """
    end(exchange.export(services_of(ctx), book, Printer(json), out))


@runnable
def import_(ctx: typer.Context, file: FileArgument, out: OutOption = None, json: JsonFlag = False) -> None:
    """Read an export back as lines of the ledger.

    \b
      penwright trace import tide.agent-trace.jsonl --output ledger.jsonl
      penwright trace import - < tide.agent-trace.jsonl

    What was altered, or is by another tool, is left out by name. Nothing enters the book: lines go to
    standard output or to a new file.
    """
    end(exchange.import_(services_of(ctx), file, Printer(json), out))


@runnable
def repair(
    ctx: typer.Context,
    book: WorkArgument = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    drop_unvouched: Annotated[
        bool,
        typer.Option(
            "--drop-unvouched", help="Drop sound lines that nothing names even if not every log was asked."
        ),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Repair a damaged ledger in one commit.

    \b
      penwright trace repair ~/books/tide --dry-run
      penwright trace repair ~/books/tide

    Sessions can write again afterwards. The newest sound ledger of the branch is taken, and every record that
    a commit names is restored from that commit. Other lines stay if the log outside the branch, which is
    fetched, knows them, as after a squash. No text is changed. To undo it, revert the commit. What `verify`
    still finds is listed, with how to go on.
    """
    out = Printer(json)
    services = services_of(ctx)
    repairing.repair(services, book, out, sure=yes, only_look=dry_run, drop_unvouched=drop_unvouched)


@runnable
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A reader's copy.")],
    key: Annotated[
        str, typer.Option("--key", metavar="FINGERPRINT", help="The key that must have signed it.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Check that no byte of a reader's copy was changed.

    \b
      penwright trace check findings.html
      penwright trace check findings.html --key 3f9ac1

    Needs no engine, network or book. What was changed is named: the sentence, the evidence of it, the work.
    Without --key it says which key signed the copy; whose key that is, its publisher says.
    """
    end(checked_copy(file.expanduser(), key, Printer(json)))


@runnable
def key(ctx: typer.Context, json: JsonFlag = False) -> None:
    """Show the key that signs reader's copies.

    \b
      penwright trace key
      penwright trace key --json

    One key for an installation, made when it is first needed: signing-key.pem in the data directory, for you
    alone to read. Publish the fingerprint where your readers look; with another key they see another one.
    """
    print_key(services_of(ctx), Printer(json))


_SHOWN_PARTS = 20


def checked_copy(file: Path, key: str, out: Printer) -> bool:
    """Say what of a copy was changed, and whose key signed it; whether either is wrong."""
    found = copies.check(file)
    is_theirs = not key or same_fingerprint(found.fingerprint, key)
    data = {
        "whole": found.is_whole,
        "changed": list(found.changed),
        "key": found.fingerprint,
        "expected_key": is_theirs if key else None,
    }
    lines = [f"changed: {plain(each)}" for each in found.changed[:_SHOWN_PARTS]]
    if len(found.changed) > _SHOWN_PARTS:
        lines.append(f"… and {len(found.changed) - _SHOWN_PARTS:,} more parts; --json has them all.")
    if found.is_whole:
        lines.append(f"Every byte is as it was signed by the key {found.fingerprint}.")
    elif found.fingerprint:
        lines.append(f"It is not what the key {found.fingerprint} signed.")
    else:
        lines.append("Its seal cannot be read, so nothing in it is proven.")
    if not is_theirs:
        lines.append("This is another key than the one you named: whoever made the copy does not hold yours.")
    elif not key and found.is_whole:
        lines.append("Compare the key with the one that the publisher names, or give it: --key FINGERPRINT.")
    out.result(data, lines)
    return not (found.is_whole and is_theirs)


def print_key(services: Services, out: Printer) -> None:
    """Print the fingerprint of this installation's key."""
    signing = copies.key_of(services)
    named = fingerprint(signing.public)
    out.result(
        {"key": named, "public": signing.public.hex(), "file": str(signing.file)},
        [named, f"Its private half is {str(signing.file)!r}: keep a copy where only you can read it."],
    )
