"""The ``penwright`` command: its verbs by name, each loaded when it is used."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Annotated, NoReturn, Protocol

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from gateway.cli import output

VERBS: Mapping[str, tuple[str, str]] = {
    "up": ("gateway.cli.engine.group", "Start the engine: Temporal, PostgreSQL and the workers."),
    "down": ("gateway.cli.engine.group", "Stop the engine."),
    "status": ("gateway.cli.engine.group", "Show what runs, and where."),
    "doctor": ("gateway.cli.engine.group", "Check this installation."),
    "logs": ("gateway.cli.engine.group", "Print the engine's logs."),
    "config": ("gateway.cli.engine.group", "Show the settings in effect."),
    "codec-server": ("gateway.cli.engine.group", "Decrypt histories for a Temporal UI elsewhere."),
    "book": ("gateway.cli.book.group", "Write a book session by session."),
    "intent": ("gateway.cli.intents.group", "Say which changes to a book are allowed."),
    "trace": ("gateway.cli.trace.group", "See who wrote what and why, and check it."),
    "agent": ("gateway.cli.agents.group", "Look at the agents: what they are told, and what they may do."),
    "run": ("gateway.cli.runs.group", "Run agents: start one, see what it does, answer it, stop it."),
    "mcp": ("gateway.cli.mcp", "Give an outside agent the tools of a book."),
    "eval": ("gateway.cli.evals.group", "Run an agent over a dataset, and compare two ways to run it."),
    "models": ("gateway.cli.models", "List and test language models."),
    "cost": ("gateway.cli.models", "Show what models have cost."),
    "demo": ("gateway.cli.demo", "Write a short book before your eyes."),
}
"""Verb -> module whose ``register(app)`` adds it, and its line in the list of commands.

The lines stand here so that ``penwright --help`` imports none of the modules.
"""


class _Formatter(Protocol):
    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class _LazyGroup(TyperGroup):
    """A group that imports a verb's module only when the verb is used."""

    def list_commands(self, ctx: object) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in VERBS:
            return None
        verbs = typer.Typer(rich_markup_mode=None)
        import_module(VERBS[cmd_name][0]).register(verbs)
        found = get_group(verbs).commands[cmd_name]
        assert isinstance(found, TyperCommand | TyperGroup)
        return found

    def format_commands(self, ctx: object, formatter: _Formatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in VERBS.items()])


app = typer.Typer(
    cls=_LazyGroup,
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
      penwright up --detach               start the engine
      penwright book init ~/books/tide    lay out a book; it asks a few questions
      penwright book session ~/books/tide write one session
      penwright book log ~/books/tide     see what was written

    Every command takes --json and --help. Exit codes: 0 done, 1 failed, 2 wrong use,
    3 refused by a rule (nothing was changed), 130 interrupted.
    """


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    output.hurry()
    given = sys.argv[1:] if argv is None else argv
    output.leave(output.run(get_command(app), "penwright", given))
