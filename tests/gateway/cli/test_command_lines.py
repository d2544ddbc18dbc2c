"""Command lines that parse and yet cannot be meant."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.cli.command_lines import APART, NEEDS
from gateway.ink import program as ink
from tests.support.each import for_each
from tests.support.gateway.services import Run


def _commands(group: Any, *words: str) -> Iterator[tuple[str, Any]]:  # Any: typer's commands
    for name in group.list_commands(None):
        found = group.get_command(None, name)
        if hasattr(found, "list_commands"):
            yield from _commands(found, *words, name)
        else:
            yield " ".join((*words, name)), found


COMMANDS = dict(_commands(get_command(cli.app)))
_CHOICES = {"--flags": "a=b", "--set": "a=b"}


def _written(command: str, option: str) -> list[str]:
    """The option as it is typed, with a value if it takes one."""
    found = next(each for each in COMMANDS[command].params if option in each.opts)
    return [option] if getattr(found, "is_flag", False) else [option, _CHOICES.get(option, "1")]


def test_options_that_contradict_each_other_are_refused_by_name(run: Run) -> None:
    pairs = [
        (command, *pair)
        for command, groups in APART.items()
        for group in groups
        for pair in combinations(group, 2)
    ]
    opposites = [
        (command, param.opts[0], param.secondary_opts[0])
        for command, found in COMMANDS.items()
        for param in found.params
        if param.secondary_opts
    ]

    wrong = {
        (command, one, other): said
        for command, one, other in (*pairs, *opposites)
        for words in [
            [*_written(command, one), *(_written(command, other) if other in _own(command) else [other])]
        ]
        if (said := run(*command.split(), *words))[0] != 2
        or not (
            "options-apart" in said[1] + said[2] and one in said[1] + said[2] and other in said[1] + said[2]
        )
    }
    assert wrong == {}


def _own(command: str) -> set[str]:
    return {each for param in COMMANDS[command].params for each in param.opts}


def test_an_option_that_means_nothing_alone_is_refused_by_name(run: Run) -> None:
    wrong = {
        (command, option): said
        for command, table in NEEDS.items()
        for option in table
        if (said := run(*command.split(), *_written(command, option)))[0] != 2
        or f"{option} means nothing without" not in said[2]
    }
    assert wrong == {}


def test_an_empty_name_is_never_the_current_folder(
    run: Run, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(book)

    said = {
        command: run(*command.split(), *([""] * sum(each.required for each in _arguments(found)) or [""]))
        for command, found in COMMANDS.items()
        if any(
            each.metavar in ("[BOOK]", "BOOK", "[NOVEL]", "NOVEL", "FOLDER", "[WORK]")
            for each in _arguments(found)
        )
    }

    wrong = {
        name: told
        for name, told in said.items()
        if told[0] != 2 or "is empty; nothing was done" not in told[2]
    }
    assert len(said) > 60
    assert wrong == {}


def _arguments(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "argument"]


@for_each(
    "words",
    [
        'save Review/current.md --from ""',
        'save Review/current.md --from x --book ""',
        'export . --output ""',
        'import x.md --into ""',
    ],
)
def test_an_empty_file_or_folder_of_an_option_is_refused_by_name(run: Run, words: str) -> None:
    code, _, err = run("book", *("" if each == '""' else each for each in words.split()))

    assert (code, "error[empty-name]" in err, " is empty; nothing was done" in err) == (2, True, True)


def test_ink_cli_takes_no_empty_path_for_the_current_folder(
    book: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(book)

    code = output.run(get_command(ink.app), "ink-cli", ["session-open", ""], always_json=True)

    assert (code, '"code": "empty-name"' in capsys.readouterr().out) == (2, True)


def test_help_is_given_whatever_else_a_line_holds(run: Run) -> None:
    assert run("book", "status", "", "--help")[0] == 0
