"""``penwright book``: every verb for one book."""

import typer

from gateway.cli.book import agent as book_agent
from gateway.cli.book import init as book_init
from gateway.cli.book import manuscript as book_import
from gateway.cli.book import schedule as book_schedule
from gateway.cli.book import session as book_session
from gateway.cli.book import undo as book_undo
from gateway.cli.book import view as book_view

_HELP = """Write a book session by session.

BOOK is the book's folder or its registered id, and the current folder by default.

\b
Begin:       init, import
Write:       session, watch, pause, resume, kill
With your own agent: open, close, advance, complete
Look:        status, log, doctor, list
Take back:   rollback, reset
Timetable:   schedule, unschedule, schedules
"""


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    group.command("init")(book_init.init)
    group.command("import")(book_import.import_)
    group.command("session")(book_session.session)
    group.command("watch")(book_session.watch)
    group.command("open")(book_agent.open_)
    group.command("close")(book_agent.close)
    group.command("advance")(book_agent.advance)
    group.command("complete")(book_agent.complete)
    group.command("pause")(book_session.pause)
    group.command("resume")(book_session.resume)
    group.command("kill")(book_session.kill)
    group.command("status")(book_view.status)
    group.command("log")(book_view.log)
    group.command("doctor")(book_view.doctor)
    group.command("list")(book_view.list_)
    group.command("rollback")(book_undo.rollback)
    group.command("reset")(book_undo.reset)
    group.command("schedule")(book_schedule.schedule)
    group.command("unschedule")(book_schedule.unschedule)
    group.command("schedules")(book_schedule.schedules)
    app.add_typer(group, name="book")
