"""Command lines that parse and yet cannot be meant: an empty name, options that contradict each other."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

from typer.core import TyperCommand

from gateway.cli.help_lines import HelpContext
from penwright.errors import UsageMistake

APART: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "book complete": (("--early", "--reviewed"),),
    "book init": (("--questions", "--answers"), ("--questions", "--keep")),
    "book plan": (("--accept", "--reject"),),
    "book report": (("--plot", "--svg"),),
    "book rollback": (("--to", "--undo"),),
    "book schedule": tuple(
        ("--list", other) for other in ("--cron", "--every", "--pause", "--pause-on-failure", "--intent")
    ),
    "character override": tuple((change, "--drop", "--remove") for change in ("--edit", "--from", "--set")),
    "character export": (("--lore", "--without-lore"),),
    "cite accept": (("--number", "--verified", "--all"),),
    "cite reject": (("--number", "--all"),),
    "cite scan": (("--estimate", "--detach", "--wait"), ("--estimate", "--auto-accept")),
    "eval run": (("--agent", "--role"),),
    "logs": (("--follow", "--json"),),
    "manuscript inspect": (("--variable", "--version", "--calls", "--call"),),
    "manuscript report": (("--plot", "--svg"),),
    "manuscript write": (("--estimate", "--detach"), ("--estimate", "--amend")),
    "mcp": (("--scene", "--agent"),),
    "run list": (("--running", "--code"),),
    **dict.fromkeys(
        ("scene continue", "scene narrate", "scene regenerate", "scene say"), (("--queue", "--detach"),)
    ),
    "scene form": (("--print", "--from"), ("--print", "--set")),
    "scene pictures": (("--remove", "--output"),),
    "scene report": (("--plot", "--svg"),),
    "scene state": (("--reinstate", "--set"),),
    "scene show": (
        ("--envelope", "--message", "--messages", "--chapters"),
        ("--round", "--message", "--messages", "--chapters"),
    ),
}
"""Command -> groups of options, of which each goes with no other of its group."""

_TIMETABLE = ("--cron", "--every")
NEEDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "book report": {"--force": ("--svg",)},
    "book schedule": {
        **dict.fromkeys(("--jitter", "--window", "--catch-up", "--pause-on-failure", "--intent"), _TIMETABLE),
        "--time-zone": _TIMETABLE,
        "--refusals": ("--pause-on-failure",),
    },
    "manuscript report": {"--force": ("--svg",)},
    "mcp": {
        "--worlds": ("--scene",),
        **dict.fromkeys(("--id", "--params", "--set", "--flags", "--tag", "--minutes"), ("--agent",)),
    },
    "scene pictures": {"--force": ("--output",)},
    "scene report": {"--force": ("--svg",)},
    "scene show": {"--who": ("--envelope", "--chapters")},
    "scene state": {"--reinstate": ("--who",), "--round": ("--reinstate",)},
}
"""Command -> option -> the options without any of which it means nothing."""

_TEXTS = frozenset({"TEXT", "WORDS", "MESSAGE", "WISH", "TITLE"})
"""Names of arguments that may be empty, or have a refusal of their own."""
_PLACES = frozenset({"FILE", "FOLDER", "PATH", "BOOK", "NOVEL"})
"""Names of the values of options that name a file or a work."""


class CheckedCommand(TyperCommand):
    """A command that refuses by name what cannot be meant, before it does anything."""

    context_class = HelpContext

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Any: typer's context
        given = self.make_parser(ctx).parse_args(args=list(args))[0]
        if not ctx.resilient_parsing and "help" not in given:
            self._refuse(ctx, given, args)
        return super().parse_args(ctx, args)

    def _refuse(self, ctx: Any, given: Mapping[str, Any], args: list[str]) -> None:  # Any: as above
        for param in self.params:
            _refuse_empty(param, given.get(param.name))
            _refuse_opposites(param, args)
        options = {param.opts[0] for param in self.params if given.get(param.name) is not None}
        _refuse_contradictions(ctx.command_path.partition(" ")[2], options)


def _refuse_empty(param: Any, value: object) -> None:  # Any: typer's parameter
    values = value if isinstance(value, list | tuple) else [value]
    if not _names_something(param) or all(not isinstance(one, str) or one.strip() for one in values):
        return
    name = param.opts[0] if param.param_type_name == "option" else _called(param)
    default = "" if param.required else f", or leave {name} out"
    raise UsageMistake(
        "empty-name",
        f"{name} is empty; nothing was done",
        hint=f"say what is meant{default}; in a script, a variable may hold nothing",
    )


def _names_something(param: Any) -> bool:  # Any: as above
    if param.param_type_name == "argument":
        return _called(param) not in _TEXTS
    kind = param.type_descriptor.annotation
    return _called(param) in _PLACES or Path in (kind, *get_args(kind))


def _called(param: Any) -> str:  # Any: as above
    return re.sub(r"[\[\].]", "", param.metavar or param.name.upper())


def _refuse_opposites(param: Any, args: Iterable[str]) -> None:  # Any: as above
    """Refuse ``--pause --resume``: two words of one option."""
    words = _before_dashes(args)
    if set(words) & set(param.secondary_opts) and set(words) & set(param.opts):
        raise _apart(param.opts[0], param.secondary_opts[0])


def _before_dashes(args: Iterable[str]) -> list[str]:
    listed = list(args)
    return listed[: listed.index("--")] if "--" in listed else listed


def _refuse_contradictions(command: str, given: set[str]) -> None:
    for one, other in _pairs(command):
        if {one, other} <= given:
            raise _apart(one, other)
    for option, needed in NEEDS.get(command, {}).items():
        if option in given and not given & set(needed):
            raise UsageMistake(
                "option-alone",
                f"{option} means nothing without {' or '.join(needed)}; nothing was done",
                hint=f"give {' or '.join(needed)}, or leave {option} out",
            )


def _pairs(command: str) -> Iterator[tuple[str, str]]:
    for group in APART.get(command, ()):
        yield from combinations(group, 2)


def _apart(one: str, other: str) -> UsageMistake:
    return UsageMistake(
        "options-apart", f"{one} and {other} contradict each other; nothing was done", hint="give one of them"
    )
