"""The one place that prints: data on stdout, everything else on stderr, errors in one shape."""

import errno
import gc
import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Protocol

import typer
from typer.exceptions import Abort, TyperException

from gateway.cli.mistakes import message_of, step_of
from gateway.cli.wrapping import fitted
from penwright import errors
from penwright.domain.book.refusal_steps import step_after
from penwright.domain.text.placeholders import with_names

if TYPE_CHECKING:
    from pydantic import BaseModel

JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")
]

_CONTROLS = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LATE_CONTROLS = re.compile(r"[\x7f-\x9f]")
"""Those that JSON may hold as they are."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_UNREACHED = 4
"""Nothing is wrong as far as could be seen, and a service outside did not answer."""
EXIT_INTERRUPTED = 130

_NEXT_STEPS: tuple[tuple[type[errors.PenwrightError], str], ...] = (
    (
        errors.NotFound,
        "check the name or path; `penwright book list`, `penwright manuscript list` show what is registered",
    ),
    (errors.Refused, "nothing was changed; fix what the message names, then run the command again"),
    (errors.BrokenBook, "correct the file named above; `penwright book doctor BOOK` checks a whole book"),
    (
        errors.BrokenWorkspace,
        "fix the repository; of a book, `penwright book doctor BOOK` names what is wrong",
    ),
    (errors.BudgetSpent, "raise the cap in penwright.toml, or wait until it renews"),
    (errors.ModelFinal, "check the model's name and key with `penwright models test MODEL`"),
    (errors.EngineUnavailable, "start the engine with `penwright up`; `penwright status` shows what runs"),
    (errors.StoreUnavailable, "start the engine with `penwright up`; `penwright doctor` checks the database"),
    (errors.PassingError, "nothing was lost; try again in a moment"),
)


class Interrupted(Exception):
    """Ctrl-C, with a message about the work that goes on."""


class NotBegun(Exception):
    """Ctrl-C before the work began, with what had not begun."""


class Printer:
    """Prints the result of one command, for people or as JSON."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.is_taken = False
        """Standard output holds a file, so nothing is said there."""

    def result(self, data: "BaseModel | Mapping[str, Any]", text: str | Sequence[str]) -> None:
        """The command's answer: ``data`` under ``--json``, otherwise ``text`` (lines)."""
        if self.as_json:
            print_json(data)
            return
        if self.is_taken:
            return
        sys.stdout.write(harmless(text if isinstance(text, str) else "\n".join(text)) + "\n")

    def note(self, text: str) -> None:
        """Something worth knowing beside the answer; stderr, so that pipes stay clean."""
        if not self.as_json:
            sys.stderr.write(fitted(harmless(text), sys.stderr) + "\n")


class Command(Protocol):
    """Application as typer makes it."""

    def main(self, args: Sequence[str], prog_name: str, *, standalone_mode: bool, obj: object) -> Any:
        """Any: a command's own return value, which we ignore unless it is an exit code."""
        ...


def harmless(text: str) -> str:
    """``text`` with a blank for each control character, which a terminal would execute."""
    return _CONTROLS.sub(" ", text)


def print_json(data: "BaseModel | Mapping[str, Any]") -> None:
    """One document on stdout: two-space indent, UTF-8 as it is, keys in their own order."""
    value = data if isinstance(data, Mapping) else data.model_dump(mode="json")
    written = json.dumps(value, ensure_ascii=False, indent=2)
    # What is left of control characters stands in strings, where an escape means the same.
    sys.stdout.write(_LATE_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", written) + "\n")


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table, its columns parted by two blanks."""
    listed = list(rows)
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]))]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in listed]


def run(
    command: Command, name: str, argv: Sequence[str], *, obj: object = None, always_json: bool = False
) -> int:
    """Run a typer command line; every way it can fail ends here, as an exit code and an explanation."""
    as_json = always_json or wants_json(argv)
    try:
        code = command.main(list(argv), name, standalone_mode=False, obj=obj)
        sys.stdout.flush()
        if code == EXIT_INTERRUPTED:  # the parser has caught the Ctrl-C itself
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        return _reader_left()
    except (KeyboardInterrupt, Abort):
        return _tell(
            as_json,
            "interrupted",
            "interrupted; what runs goes on, and `penwright status` lists it",
            EXIT_INTERRUPTED,
        )
    except NotBegun as early:
        said = f"interrupted before {early} began; nothing was started"
        return _tell(as_json, "interrupted", said, EXIT_INTERRUPTED)
    except Interrupted as left:
        return _tell(as_json, "interrupted", f"interrupted; {left}", EXIT_INTERRUPTED)
    except TyperException as mistake:
        return usage_mistake(mistake, as_json)
    except errors.PenwrightError as error:
        named = _names(command, argv)
        step = with_names(next_step(error, _help_of(command, name, argv)), named)
        return _tell(as_json, error.code, with_names(error.message, named), exit_code(error), step)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename == "git":
            return _tell(as_json, "git-missing", "git is not on PATH", EXIT_FAILED, _GIT)
        about = f"{error.strerror or error}: {error.filename!r}" if error.filename else str(error)
        return _tell(as_json, _file_code(error), about, EXIT_FAILED, _file_step(error))
    except Exception as fault:  # the last resort of a process: never a bare trace
        if "--traceback" in argv:
            traceback.print_exc()
        said = f"{type(fault).__name__}: {fault}"
        return _tell(as_json, "internal-error", said, EXIT_FAILED, _fault_step(command, name, argv))


def _file_code(error: OSError) -> str:
    return "name-too-long" if error.errno == errno.ENAMETOOLONG else "file-system"


def _file_step(error: OSError) -> str:
    return _FILE_STEPS.get(error.errno, _DISK)


def _fault_step(command: Command, name: str, argv: Sequence[str]) -> str:
    """Say who is to blame and, for a program with the option, which command shows where it happened."""
    shows = any("--traceback" in each.opts for each in getattr(command, "params", ()))
    if not shows or "--traceback" in argv:
        return "this is a bug in penwright, not in what you gave it"
    return f"this is a bug in penwright; `{shlex.join([name, '--traceback', *argv])}` shows where it happened"


def hurry() -> None:
    """Collect garbage less often; the first act of a console script, a seventh of whose time it takes."""
    gc.set_threshold(100_000, 50, 100)


def leave(code: int) -> NoReturn:
    """End the process; the last act of a console script.

    Temporal's client keeps threads of its own, and they can abort the interpreter while it winds down, after
    all work is done. So a process that has loaded it leaves without winding down.
    """
    if "temporalio" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


_FILE_THERE = "a file stands where a folder is needed; name another folder"
_FILE_STEPS: Mapping[int | None, str] = {
    errno.ENOENT: "check the path; it is looked for in the current folder unless it begins with / or ~",
    errno.EEXIST: _FILE_THERE,
    errno.ENOTDIR: _FILE_THERE,
    errno.EISDIR: "name a file in that folder",
    errno.EACCES: "use a file or folder that is yours to read and write",
    errno.EPERM: "use a file or folder that is yours to read and write",
    errno.ENAMETOOLONG: "choose a shorter name: one of a folder or file has at most 255 bytes",
    errno.ENOSPC: "free some room on that disk, then run the command again",
}
_DISK = "see that the disk has room, and that the folder is yours to write to"
_GIT = "install git 2.30 or newer; `penwright doctor` checks it"


def wants_json(argv: Sequence[str]) -> bool:
    """Whether ``--json`` is asked for; known before parsing, so that parsing errors obey it as well."""
    words = list(argv)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def exit_code(error: errors.PenwrightError) -> int:
    """1 for failures, 2 for wrong use, 3 when a rule says no."""
    if isinstance(error, errors.UsageMistake):
        return EXIT_USAGE
    return EXIT_REFUSED if isinstance(error, errors.Refused) else EXIT_FAILED


def next_step(error: errors.PenwrightError, help: str = "correct it, and try again") -> str:
    """The next step; an error may bring its own as the detail ``hint``.

    ``help``: where wrong use without a hint is explained.
    """
    if hint := error.details.get("hint") or step_after(error.code):
        return hint
    if isinstance(error, errors.UsageMistake):
        return help
    for kind, step in _NEXT_STEPS:
        if isinstance(error, kind):
            return step
    return "`penwright --help` shows every command"


def _help_of(command: Command, name: str, argv: Sequence[str]) -> str:
    """The help of the command that ``argv`` names."""
    _, depth = _leaf(command, argv)
    return f"`{' '.join([name, *argv[:depth]])} --help` shows what it takes"


# Any: typer's commands and groups, which it does not name in public.
def _leaf(command: Command, argv: Sequence[str]) -> tuple[Any, int]:
    """The command that ``argv`` names, and of how many words its name is."""
    level: Any = command
    for depth, word in enumerate(argv):
        below = level.get_command(None, word) if hasattr(level, "get_command") else None
        if below is None:
            return level, depth
        level = below
    return level, len(argv)


_THINGS = {"book": "BOOK", "repo_path": "BOOK", "novel": "NOVEL", "into": "NOVEL", "scene": "SCENE"}
"""Parameter of commands -> the word that stands for what it names in commands that are advised."""


def _names(command: Command, argv: Sequence[str]) -> Mapping[str, str]:
    """Things that ``argv`` names, by the word that stands for it; the current folder is named by its dot."""
    leaf, depth = _leaf(command, argv)
    try:
        given = leaf.make_parser(typer.Context(leaf)).parse_args(list(argv[depth:]))[0]
    except TyperException:
        return {}
    told = {each.name: given.get(each.name) or each.default for each in leaf.params if each.name in _THINGS}
    return {_THINGS[name]: value for name, value in told.items() if isinstance(value, str)}


def usage_mistake(mistake: TyperException, as_json: bool) -> int:
    """A command line that does not parse; a bare group prints its help instead."""
    if type(mistake).__name__ == "NoArgsIsHelpError" and not as_json:
        sys.stderr.write(mistake.format_message() + "\n")
        return EXIT_USAGE
    return _tell(as_json, "usage", message_of(mistake), mistake.exit_code, step_of(mistake))


def _tell(as_json: bool, code: str, message: str, exit_status: int, step: str = "") -> int:
    if as_json:
        document = {"status": "error", "error": message, "code": code}
        print_json({**document, "next": step} if step else document)
    else:
        said = f"error[{code}]: {message}\n" + (f"  next: {step}\n" if step else "")
        sys.stderr.write(fitted(harmless(said), sys.stderr))
    return exit_status


def _reader_left() -> int:
    # `penwright book log | head` closes our stdout; without this, Python complains once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_FAILED
