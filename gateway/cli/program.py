"""The ``penwright`` command: its verbs by name, each loaded when it is used."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer
from typer.main import get_command

from gateway.cli import output
from gateway.cli.lazy import Sections, Verbs, group_class

VERBS: Verbs = {
    "up": ("gateway.cli.engine.verbs:up", "Start the engine: Temporal, PostgreSQL and the workers."),
    "down": ("gateway.cli.engine.verbs:down", "Stop the engine."),
    "status": ("gateway.cli.engine.verbs:status", "Show what runs, and where."),
    "doctor": ("gateway.cli.engine.verbs:doctor", "Check this installation."),
    "logs": ("gateway.cli.engine.verbs:logs", "Print the end of the engine's logs."),
    "config": ("gateway.cli.engine.verbs:config", "Show the settings in effect."),
    "book": ("gateway.cli.book.group:group", "Write a book session by session."),
    "manuscript": (
        "gateway.cli.manuscript.group:group",
        "Write novels and papers, scene by scene.",
    ),
    "world": (
        "gateway.cli.worlds.groups:world",
        "Make and change worlds: the settings of campaigns and scenes.",
    ),
    "campaign": (
        "gateway.cli.worlds.groups:campaign",
        "Write down campaigns: the stories of a world, and their arcs.",
    ),
    "character": (
        "gateway.cli.worlds.groups:character",
        "Write down characters, and take in and give out cards.",
    ),
    "persona": (
        "gateway.cli.worlds.groups:persona",
        "Write down personas: whom you speak as. No model ever plays one.",
    ),
    "lore": (
        "gateway.cli.worlds.groups:lore",
        "Write down lorebooks: what models are reminded of when a key occurs.",
    ),
    "cite": (
        "gateway.cli.cite.group:group",
        "Find sentences that need a source, look works up, decide what is cited.",
    ),
    "scene": (
        "gateway.cli.scene.group:group",
        "Play scenes: a director decides who acts, and a cast of characters answers.",
    ),
    "intent": ("gateway.cli.intents.group:group", "Say which changes to a book are allowed."),
    "trace": ("gateway.cli.trace.group:group", "See who wrote what and why, and check it."),
    "agent": (
        "gateway.cli.agents.group:group",
        "Show the agents: their prompts, tools and rules.",
    ),
    "run": ("gateway.cli.runs.group:group", "Run agents: start one, see what it does, answer it, stop it."),
    "web": ("gateway.cli.web.group:group", "Open the workspace in a browser."),
    "mcp": (
        "gateway.cli.mcp:mcp",
        "Give an outside agent the tools of a book, a novel, a scene or an agent.",
    ),
    "eval": ("gateway.cli.evals.group:group", "Run an agent over a dataset, and compare two ways to run it."),
    "models": ("gateway.cli.models.group:group", "List, add and test language models."),
    "cost": ("gateway.cli.cost:cost", "Show what models have cost."),
    "operator": ("gateway.cli.operator.group:group", "Prepare and tend an installation."),
    "help": ("gateway.cli.help_pages:help_", "Read a page of the manual, or the help of a command."),
    "demo": ("gateway.cli.demo:demo", "Write a book or a paper, or play a scene, before your eyes."),
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
