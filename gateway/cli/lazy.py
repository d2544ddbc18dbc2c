"""Groups of commands whose modules are imported when a command is used, so that help is there at once."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from gateway.cli.command_lines import CheckedCommand
from gateway.cli.help_lines import HelpContext
from gateway.cli.help_pages import topics
from gateway.cli.mistakes import UnknownCommand
from gateway.cli.output import NotBegun
from penwright.domain.text.nearest import guess, nearest

_PROGRAM = Path(__file__).parents[2]
Verbs = Mapping[str, str]
"""Verb -> ``module:attribute`` of its function or group; its line in the list of commands is there, too."""
Sections = Mapping[str, Sequence[str]]
"""Heading -> the verbs that help lists under it; a verb in no section works, and is named below them."""


class _Formatter(Protocol):
    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...

    def write_text(self, text: str) -> None: ...


class _Completion(NamedTuple):
    """A verb as typer writes it for a shell."""

    value: str
    help: str
    type: str = "plain"


class LazyGroup(TyperGroup):
    """A group that imports a verb's module only when the verb is used."""

    context_class = HelpContext
    verbs: ClassVar[Verbs] = {}
    sections: ClassVar[Sections] = {}
    leads: ClassVar[Mapping[str, str]] = {}
    """Words that people try and that are no verb here -> what they lead on to."""

    def list_commands(self, ctx: object) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name not in self.verbs:
            return None
        target = _target(self.verbs[cmd_name])
        only = typer.Typer(rich_markup_mode=None)
        if isinstance(target, typer.Typer):
            only.add_typer(target, name=cmd_name)
        else:
            only.command(cmd_name, cls=CheckedCommand)(target)
        found = get_group(only).commands[cmd_name]
        assert isinstance(found, TyperCommand | TyperGroup)
        return found

    # Any: typer's own types of contexts and commands, which it does not name in public.
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        word, *rest = args
        if word == "help" and self._helps_with_command(rest):
            return super().resolve_command(ctx, [*rest, "--help"]) if rest else _own_help(ctx)
        if word not in self.verbs and not ctx.resilient_parsing:
            raise self._unknown(ctx, word)
        return super().resolve_command(ctx, args)

    def _helps_with_command(self, asked: list[str]) -> bool:
        """Whether ``help`` is asked about a command, and not for a page of the manual."""
        words = [word for word in asked if not word.startswith("-")]
        if "help" not in self.verbs or len(words) != 1:
            return True
        return words[0] in self.verbs and words[0] not in topics()

    # Any: typer's own context, and what it makes of a word to be completed.
    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            _Completion(verb, line_of(place))
            for verb, place in self.verbs.items()
            if verb.startswith(incomplete)
        ]

    def format_commands(self, ctx: object, formatter: _Formatter) -> None:
        sections = self.sections or {"Commands": tuple(self.verbs)}
        for heading, verbs in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(verb, line_of(self.verbs[verb])) for verb in verbs])
        shown = {verb for verbs in sections.values() for verb in verbs}
        if rest := [verb for verb in self.verbs if verb not in shown]:
            with formatter.section("More, each with --help"):
                formatter.write_text(", ".join(rest))

    def _unknown(self, ctx: Any, word: str) -> UnknownCommand:
        lead = self.leads.get(word, "")
        near = [] if lead else self.near(word)
        return UnknownCommand(f"No such command {word!r}{guess(near)}", ctx, lead)

    def near(self, word: str) -> list[str]:
        """The verbs, here and a level below, that ``word`` may stand for."""
        below = list(_below(self.verbs))
        exact = [each for each in below if each.endswith(f" {word}")]
        return exact or nearest(word, [*self.verbs, *below])


def _own_help(ctx: Any) -> tuple[Any, Any, list[str]]:
    typer.echo(ctx.get_help())
    raise typer.Exit


def _below(verbs: Verbs) -> Iterator[str]:
    """The verbs of the groups among ``verbs``, such as ``book session``."""
    for group, place in verbs.items():
        if "group" in place.rpartition(".")[2]:
            target = _target(place)
            if isinstance(target, typer.Typer):
                yield from (f"{group} {verb}" for verb in getattr(target.info.cls, "verbs", ()))


def line_of(place: str) -> str:
    """The first line of a verb's help, read in its source: a list of commands imports none of them."""
    module, _, name = place.partition(":")
    source = (_PROGRAM / f"{module.replace('.', '/')}.py").read_text("utf-8")
    if group := re.search(rf'^{name} = lazy_group\(\s*(?:"([^"\n]+)"|(\w+))', source, re.MULTILINE):
        text, named = group.groups()
        found = text or re.search(rf'^{named} = """\\\n(.+)$', source, re.MULTILINE)
    else:
        found = re.search(rf'^def {name}\(.*?\n    """(.+?)(?:"""|$)', source, re.MULTILINE | re.DOTALL)
    assert found, f"{place} has no help"
    return found if isinstance(found, str) else found[1]


def _target(place: str) -> Any:  # Any: a function or a group
    module, _, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except KeyboardInterrupt:
        raise NotBegun("anything") from None


def group_class(
    table: Verbs, sections: Sections | None = None, leads: Mapping[str, str] | None = None
) -> type[LazyGroup]:
    """A class of groups with these verbs, as typer wants it."""

    class Group(LazyGroup):
        verbs = table

    Group.sections, Group.leads = sections or {}, leads or {}
    return Group


def lazy_group(
    help: str, verbs: Verbs, sections: Sections | None = None, *, alone: Callable[..., None] | None = None
) -> typer.Typer:
    """A group of ``verbs``; the first line of ``help`` is its line in the list above it.

    ``alone``: carried out without a verb, in place of the help.
    """
    return typer.Typer(
        cls=group_class(verbs, sections),
        help=help,
        no_args_is_help=alone is None,
        invoke_without_command=alone is not None,
        callback=alone,
        rich_markup_mode=None,
    )
