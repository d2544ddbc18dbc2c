"""Command lines that the program prints: collected from its source, and read by its own parser."""

import ast
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from gateway.cli.program import app as penwright
from gateway.ink.program import app as ink

PROGRAMS = {"penwright": get_command(penwright), "ink-cli": get_command(ink)}
_ADVICE = re.compile(r"`((?:penwright|ink-cli)(?: [^`]*)?)`")
_EXAMPLE = re.compile(r"^ +((?:penwright|ink-cli) .+?)(?:  .*)?$", re.MULTILINE)
_SHELL = {"#", "&&", "|", "<", ">", ">>", ";"}
"""Words of a shell that end a command."""

FILLED = {
    "' '.join(words)": "book status 1",
    "again": "rollback",
    "ended.name.options": "--round 1",
    "every": "",
    "found.name.options": "--round 1",
    "found.options": "1 --scene 1",
    "found.words": "1 1",
    "'show' if asks else 'resume'": "show",
    "group": "manuscript",
    "kind": "character",
    "kind.group": "book",
    "kind.status": "status",
    "last.name.options": "--round 1",
    "listed": "book",
    "lister": "world list",
    "look": "book",
    "named(found)": "1 --scene 1",
    "of_whom": "",
    "seen.format(book)": "status 1",
    "topic": "book",
    "verb": "status",
    "verbs": "manuscript",
}
"""Placeholders in the source that stand for something else than one word."""


def told_in(files: Iterable[Path]) -> Iterator[str]:
    """Each command between backticks in a text that is printed, but for hints of errors and for help.

    A table from codes of errors to texts is one of hints.
    """
    return _between_backticks(files, but=("hint", "help"))


def advised_in(files: Iterable[Path]) -> Iterator[str]:
    """Each command between backticks in a text that is printed, but for help."""
    return _between_backticks(files, but=("help",))


def _between_backticks(files: Iterable[Path], *, but: tuple[str, ...]) -> Iterator[str]:
    """``but``: names of arguments whose texts are left out."""
    for file in files:
        tree = ast.parse(file.read_text("utf-8"))
        left: set[ast.AST] = {each.value for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
            left |= {part for given in call.keywords if given.arg in but for part in ast.walk(given)}
        for table in (each for each in ast.walk(tree) if isinstance(each, ast.Dict) and "hint" in but):
            told = (value for key, value in zip(table.keys, table.values, strict=True) if _is_code(key))
            left |= {part for value in told for part in ast.walk(value)}
        for node, text in _texts(tree):
            if node not in left:
                yield from _ADVICE.findall(text)


def _is_code(key: ast.expr | None) -> bool:
    """Whether this may be the code of an error: ``nothing-runs``."""
    value = key.value if isinstance(key, ast.Constant) else None
    return isinstance(value, str) and "-" in value and value.replace("-", "").islower() and " " not in value


def alone_in(files: Iterable[Path]) -> Iterator[str]:
    """Each text that is a command and nothing else."""
    for file in files:
        for _, text in _texts(ast.parse(file.read_text("utf-8"))):
            if re.match(r"penwright \w", text) and not mistake_in(text):
                yield text


def printed_in(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """``file:line`` and command of each command between backticks in a text that is printed.

    Placeholders are filled in, most with ``1``. Docstrings are left out, but for the examples of help.
    """
    for file in files:
        source = file.read_text("utf-8")
        if not re.search("(penwright|ink-cli) ", source):
            continue
        tree = ast.parse(source)
        notes = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        for node, text in _texts(tree):
            found = (_EXAMPLE if id(node) in notes else _ADVICE).findall(text.replace("\\\n", ""))
            yield from ((f"{file.name}:{node.lineno}", each) for each in found)


def _texts(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Texts of a module, each whole: the constants in an f-string are parts of it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            yield node, "".join(map(_part, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node, re.sub(r"\{\w*\}", "1", node.value)
        else:
            yield from _texts(node)


def _part(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    assert isinstance(value, ast.FormattedValue)
    return FILLED.get(ast.unparse(value.value), "1")


@cache
def mistake_in(line: str) -> str:
    """The objection of the program's parser to a command line; empty if it takes it.

    Values are not looked at, because most of them are placeholders. An argument that may be left out in the
    folder of a work counts as missing: advice is read elsewhere, too.
    """
    program, *words = _until_shell(shlex.split(line, comments=True))
    try:
        command, context, left = _command(program, words)
        return "" if isinstance(command, TyperGroup) else _mistake(command, context, left)
    except TyperException as mistake:
        return mistake.format_message()


def shape_of(line: str) -> str:
    """The command and the options of a line that the parser takes: ``book schedule --every``."""
    program, *words = _until_shell(shlex.split(line, comments=True))
    _, context, left = _command(program, words)
    options = sorted({word.partition("=")[0] for word in left if word.startswith("-") and word != "-"})
    return " ".join([context.command_path.removeprefix("penwright "), *options])


def every_command(program: str = "penwright") -> Iterator[str]:
    """The words of each command that is no group, without the program's own name."""
    yield from _below(PROGRAMS[program], ())


def _below(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, TyperGroup):
        yield " ".join(words)
        return
    for name in command.list_commands(typer.Context(command)):
        yield from _below(_child(command, name), (*words, name))


def _until_shell(words: list[str]) -> list[str]:
    ends = [place for place, word in enumerate(words) if word in _SHELL]
    return words[: ends[0]] if ends else words


# Any: typer's own types of commands and contexts, which it does not name in public.
def _command(program: str, words: list[str]) -> tuple[Any, Any, list[str]]:
    """The command that a line runs, its context and its arguments; a group if the line goes no deeper."""
    command: Any = PROGRAMS[program]
    context = typer.Context(command, info_name=program)
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        child: Any = _child(command, words[0]) or command.resolve_command(context, words)[1]
        context = typer.Context(child, parent=context, info_name=words[0])
        command, words = child, words[1:]
    return command, context, words


@cache
def _child(group: Any, name: str) -> Any:
    return group.get_command(None, name)


def _mistake(command: Any, context: Any, words: list[str]) -> str:
    if "--help" in words:
        return ""
    given, left, _ = command.make_parser(context).parse_args(words)
    missing = [each.name for each in command.get_params(context) if _is_missing(each, given)]
    lacks = f"{', '.join(missing)} is missing" if missing else ""
    return f"nothing takes {left}" if left else lacks


def _is_missing(param: Any, given: dict[str, Any]) -> bool:
    value = given.get(param.name)
    is_given = bool(value) and type(value).__name__ != "Sentinel"
    return not is_given and (param.required or (param.param_type_name == "argument" and param.default == "."))
