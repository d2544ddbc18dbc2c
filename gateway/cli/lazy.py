"""Groups of commands whose modules are imported when a command is used, so that help is there at once."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import ClassVar, Protocol

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

Verbs = Mapping[str, tuple[str, str]]
"""Verb -> ``module:attribute`` of its function or group, and its line in the list of commands."""


class _Formatter(Protocol):
    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class LazyGroup(TyperGroup):
    """A group that imports a verb's module only when the verb is used."""

    verbs: ClassVar[Verbs] = {}

    def list_commands(self, ctx: object) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in self.verbs:
            return None
        module, _, attribute = self.verbs[cmd_name][0].partition(":")
        target = getattr(import_module(module), attribute)
        only = typer.Typer(rich_markup_mode=None)
        if isinstance(target, typer.Typer):
            only.add_typer(target, name=cmd_name)
        else:
            only.command(cmd_name)(target)
        found = get_group(only).commands[cmd_name]
        assert isinstance(found, TyperCommand | TyperGroup)
        return found

    def format_commands(self, ctx: object, formatter: _Formatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in self.verbs.items()])


def group_class(table: Verbs) -> type[LazyGroup]:
    """A class of groups with these verbs, as typer wants it."""

    class Group(LazyGroup):
        verbs = table

    return Group


def lazy_group(help: str, verbs: Verbs) -> typer.Typer:
    """A group of ``verbs``; the first line of ``help`` is its line in the list above it."""
    return typer.Typer(cls=group_class(verbs), help=help, no_args_is_help=True, rich_markup_mode=None)
