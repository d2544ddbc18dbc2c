"""``penwright trace``: who wrote what, why, and whether the ledger still says the truth."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.trace.opening import end, note_unsaved, opened, place_of, runnable
from gateway.desk.services import services_of

_HELP = """\
See who wrote what in a book and why, and check that the ledger says the truth.

Every commit of a session that changes text has a line in .orchestration/agent_trace.jsonl. These commands
read it, with git, and change nothing, but for `repair`; none needs the engine.

Exit codes: 0 clean, 1 there are findings (damaged or unverifiable lines among them), 2 it could not run.
"""

PlaceArgument = Annotated[
    str, typer.Argument(metavar="PATH[:LINE]", help="A file, named from the top of the book.")
]
CommitArgument = Annotated[str, typer.Argument(metavar="COMMIT", help="A commit id, tag or HEAD.")]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="A new file for the lines. Default: standard output.")
]


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    for command in (verify, blame, why, stats, disclose, map_, export):
        group.command(command.__name__.rstrip("_"))(runnable(command))
    group.command("import")(runnable(import_))
    group.command("repair")(runnable(repair))
    app.add_typer(group, name="trace")


def verify(
    ctx: typer.Context,
    book: BookArgument = ".",
    since: Annotated[str, typer.Option("--since", help="Judge only what came after this commit.")] = "",
    intent: Annotated[str, typer.Option("--intent", help="Only findings about this intent.")] = "",
    path: Annotated[str, typer.Option("--path", help="Only findings about this file.")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Compare every block of every commit; warnings count, too.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Look at everything again, not only at what is new.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Check that the ledger is whole, that git agrees with it, and that it still fits the text.

    \b
      penwright trace verify ~/books/tide
      penwright trace verify ~/books/tide --strict --full
      penwright trace verify ~/books/tide --since ink-2026-03-01-08-00 --intent INT-003 --json

    After a clean look, the next one takes only what is new since.
    """
    from gateway.cli.trace import checks as trace_checks

    end(trace_checks.verify(services_of(ctx), book, Printer(json), since, intent, path, strict, full))


def blame(ctx: typer.Context, place: PlaceArgument, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Show who wrote each block of a file: person or model, intent, date and commit.

    \b
      penwright trace blame "Current version/Full_Book.md" ~/books/tide
      penwright trace blame "Current version/Full_Book.md:120" ~/books/tide

    A block is untraced when the ledger does not know it: it is older, or was committed past it.
    """
    from gateway.cli.trace import reports as trace_reports
    from penwright.domain.trace.reports.blame import blame as blamed

    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, workspace):
        path, line = place_of(place, source, workspace)
        found = blamed(source, path, line)
        unsaved = note_unsaved(out, source, workspace, path)
    out.result(
        {**trace_reports.blame_data(found), "unsaved": unsaved},
        trace_reports.blame_lines(found, one=line is not None),
    )
    end(trace_reports.note_damage(out, found.left_out))


def why(ctx: typer.Context, commit: CommitArgument, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Explain a commit: its intent, what allowed it, who agreed, and what became of each block.

    \b
      penwright trace why HEAD ~/books/tide
      penwright trace why 1a2b3c4 ~/books/tide --json
    """
    from gateway.cli.trace import reports as trace_reports
    from gateway.cli.trace.opening import commit_id
    from penwright.domain.trace.reports.why import why as explained

    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, workspace):
        found = explained(source, commit_id(workspace, commit))
    out.result(trace_reports.why_data(found), trace_reports.why_lines(found))
    end(trace_reports.note_damage(out, found.left_out) or bool(found.missing) or found.kind == "unrecorded")


def stats(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Count the ledger: records by intent, contributor and class, and whose the words at the tip are.

    \b
      penwright trace stats ~/books/tide
    """
    from gateway.cli.trace import reports as trace_reports
    from penwright.domain.trace.reports.statistics import statistics

    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, _):
        found = statistics(source)
    out.result(trace_reports.stats_data(found), trace_reports.stats_lines(found))
    end(trace_reports.note_damage(out, found.left_out))


def disclose(
    ctx: typer.Context,
    book: BookArgument = ".",
    path: Annotated[
        str, typer.Option("--path", help="Another file. Default: Current version/Full_Book.md.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Sum the words by people, by models and by both, chapter by chapter, for a publisher's declaration.

    \b
      penwright trace disclose ~/books/tide
      penwright trace disclose ~/books/tide --path Review/current.md --json

    A chapter is what stands under a heading of the two topmost levels. What the ledger does not know is
    called unknown, and nothing is claimed about it.
    """
    from gateway.cli.trace import reports as trace_reports
    from penwright.domain.book.layout import FULL_BOOK
    from penwright.domain.trace.reports.disclosure import disclose as disclosed

    out = Printer(json)
    with opened(services_of(ctx), book, out) as (source, workspace):
        found = disclosed(source, place_of(path, source, workspace)[0] if path else FULL_BOOK)
        unsaved = note_unsaved(out, source, workspace, found.path)
    out.result(
        {**trace_reports.disclosure_data(found), "unsaved": unsaved}, trace_reports.disclosure_lines(found)
    )
    end(trace_reports.note_damage(out, found.left_out))


def map_(
    ctx: typer.Context,
    book: BookArgument = ".",
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the committed map is this one.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Print the map of intents, made anew from the ledger; your notes in the committed one are kept.

    \b
      penwright trace map ~/books/tide
      penwright trace map ~/books/tide --check    # exits 1 if .orchestration/intent_map.md differs

    The committed map is made anew with every change of text, so there is rarely anything to do.
    """
    from gateway.cli.trace import checks as trace_checks

    end(trace_checks.map_(services_of(ctx), book, Printer(json), check=check))


def export(
    ctx: typer.Context, book: BookArgument = ".", out: OutOption = None, json: JsonFlag = False
) -> None:
    """Write the ledger as Agent Trace 0.1.0, one JSON record a line.

    \b
      penwright trace export ~/books/tide --out tide.agent-trace.jsonl
      penwright trace export ~/books/tide | head -1

    Each record names the commit that brought it in. What the format has no name for (deletions, say) stands
    under the metadata key dev.penwright, so that `penwright trace import` gives back every byte.
    """
    from gateway.cli.trace import exchange as trace_exchange

    end(trace_exchange.export(services_of(ctx), book, Printer(json), out))


def import_(
    ctx: typer.Context,
    file: FileArgument,
    book: BookArgument = ".",
    out: OutOption = None,
    json: JsonFlag = False,
) -> None:
    """Read records back: our own export as lines of the ledger, records by others as far as git confirms.

    \b
      penwright trace import tide.agent-trace.jsonl --out ledger.jsonl
      penwright trace import old/agent_trace.jsonl ~/books/tide    # which hashes are in the history?

    Nothing enters the book: the lines go to standard output or to a new file. A record by others is
    verified when its hash is found again in the history of BOOK, and unverifiable otherwise.
    """
    from gateway.cli.trace import exchange as trace_exchange

    end(trace_exchange.import_(services_of(ctx), file, book, Printer(json), out))


def repair(
    ctx: typer.Context,
    book: BookArgument = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonFlag = False,
) -> None:
    """Put a damaged ledger back, in one commit, so that sessions can write again.

    \b
      penwright trace repair ~/books/tide --dry-run
      penwright trace repair ~/books/tide

    The newest sound ledger of the branch is taken, and every record that a commit names comes back from that
    commit. No text is touched. To take it back, revert the commit.
    """
    from gateway.cli.trace import repair as trace_repair

    trace_repair.repair(services_of(ctx), book, Printer(json), sure=yes, only_look=dry_run)
