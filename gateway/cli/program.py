"""The ``penwright`` command: its verbs by name, each loaded when it is used."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer
from typer.main import get_command

from gateway.cli import output
from gateway.cli.lazy import Sections, Verbs, group_class

VERBS: Verbs = {
    "up": "gateway.cli.engine.verbs:up",
    "down": "gateway.cli.engine.verbs:down",
    "status": "gateway.cli.engine.verbs:status",
    "doctor": "gateway.cli.engine.verbs:doctor",
    "logs": "gateway.cli.engine.verbs:logs",
    "config": "gateway.cli.engine.verbs:config",
    "book": "gateway.cli.book.group:group",
    "manuscript": "gateway.cli.manuscript.group:group",
    "world": "gateway.cli.worlds.groups:world",
    "campaign": "gateway.cli.worlds.groups:campaign",
    "character": "gateway.cli.worlds.groups:character",
    "persona": "gateway.cli.worlds.groups:persona",
    "lore": "gateway.cli.worlds.groups:lore",
    "cite": "gateway.cli.cite.group:group",
    "scene": "gateway.cli.scene.group:group",
    "intent": "gateway.cli.intents.group:group",
    "trace": "gateway.cli.trace.group:group",
    "agent": "gateway.cli.agents.group:group",
    "run": "gateway.cli.runs.group:group",
    "web": "gateway.cli.web.group:group",
    "mcp": "gateway.cli.mcp:mcp",
    "eval": "gateway.cli.evals.group:group",
    "models": "gateway.cli.models.group:group",
    "cost": "gateway.cli.cost:cost",
    "operator": "gateway.cli.operator.group:group",
    "help": "gateway.cli.help_pages:help_",
    "demo": "gateway.cli.demo:demo",
}


_SECTIONS: Sections = {
    "Write": ("book", "manuscript", "cite", "trace"),
    "Play": ("scene", "world", "character", "persona", "lore"),
    "Run it": ("up", "down", "status", "web", "doctor", "cost"),
}
_LEADS = {
    "init": "`penwright book init FOLDER` begins a book, `penwright manuscript new FOLDER` a novel or paper",
    "new": "`penwright book init FOLDER` begins a book, `penwright manuscript new FOLDER` a novel or paper, "
    "`penwright scene create TITLE --world WORLD` a scene",
    "write": "`penwright book session BOOK` writes a book on, `penwright manuscript write NOVEL -i TEXT` a "
    "novel or paper",
}

app = typer.Typer(
    cls=group_class(VERBS, _SECTIONS, _LEADS),
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # 50 ms that no other command should pay

        sys.stdout.write(f"penwright {version('penwright')}\n")
        raise typer.Exit


@app.callback()
def penwright(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    show_trace: Annotated[
        bool, typer.Option("--traceback", help="On an unexpected failure, show where it happened.")
    ] = False,
) -> None:
    """Run writing agents unattended and never lose a word.

    \b
    First steps:
      penwright up --detach                start the engine
      penwright book init ~/books/tide     lay out a book; it asks a few questions
      penwright book session ~/books/tide  write one session
      penwright book log ~/books/tide      see what was written

    `penwright help topics` lists the pages of the manual.
    Every command takes --json and --help. Exit codes: 0 done, 1 failed, 2 wrong use,
    3 refused by a rule (nothing was changed), 130 interrupted.
    """


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    output.hurry()
    given = sys.argv[1:] if argv is None else argv
    output.leave(output.run(get_command(app), "penwright", given))
