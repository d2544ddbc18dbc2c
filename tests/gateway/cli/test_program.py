"""The list of verbs, and how quickly it is there."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn

import pytest
import typer

from gateway.cli import entry
from gateway.cli import program as cli
from gateway.cli.lazy import LazyGroup, Verbs, line_of
from tests.support.each import for_each
from tests.support.gateway.services import Run

_HEAVY = ("temporalio", "sqlalchemy", "litellm", "pydantic", "ruamel", "rich")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, gateway.cli.program as c\ntry: c.main(['--help'])\nexcept SystemExit: pass\n"
        f"print([m for m in {_HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"
    assert all(verb in done.stdout for verb in cli.VERBS)


@for_each("verb", ["book", "mcp", "models"])
def test_the_help_of_a_verb_imports_nothing_heavy_either(verb: str) -> None:
    heavy = {*_HEAVY, "mcp", "git", "httpx"} - {"pydantic"}  # typer itself reads options with it
    code = (
        f"import sys, gateway.cli.program as c\ntry: c.main([{verb!r}, '--help'])\nexcept SystemExit: pass\n"
        f"print([m for m in {sorted(heavy)!r} if m in sys.modules], file=sys.__stderr__)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"


def test_the_first_help_shows_at_most_fifteen_commands_in_three_groups_and_names_the_rest(run: Run) -> None:
    _, out, _ = run("--help")

    sections = [[line[2:] for line in each.splitlines()[1:]] for each in out.split("\n\n") if each[0] != " "]
    write, play, run_it, rest = (lines for lines in sections[-4:])
    listed = [line.split()[0] for lines in (write, play, run_it) for line in lines if line[0] != " "]
    assert (len(listed), "book" in listed, "scene" in listed, "up" in listed) == (15, True, True, True)
    assert {*listed, *" ".join(rest).replace(",", "").split()} == set(cli.VERBS)


MISTYPED = {
    "bok": "did you mean 'book'?",
    "sesion": "did you mean 'book session'?",
    "session": "did you mean 'book session'?",
    "book sesion": "did you mean 'session'?",
    "campaign arc lst": "did you mean 'list'?",
    "book session --jsn": "did you mean '--json'?",
    "init": "`penwright book init FOLDER`",
    "new": "`penwright manuscript new FOLDER`",
    "write": "`penwright book session BOOK`",
    "scene xyzzy": "`penwright scene --help` shows how",
    "demo manuscrip": "'[book|manuscript|scene]': 'manuscrip' is not one of",
}


def test_a_mistyped_command_group_or_option_is_answered_with_what_was_meant(run: Run) -> None:
    said = {words: run(*words.split()) for words in MISTYPED}

    wrong = {
        words: (code, err)
        for words, (code, out, err) in said.items()
        if code != 2 or out or MISTYPED[words] not in err or words.split()[-1] not in err
    }
    assert wrong == {}


@pytest.mark.parametrize("words", ["help", "book help", "help book session", "help campaign arc"])
def test_help_is_also_a_word(run: Run, words: str) -> None:
    asked = [each for each in words.split() if each != "help"]

    assert run(*words.split()) == run(*asked, "--help")


def test_the_version_is_printed(run: Run) -> None:
    code, out, _ = run("--version")

    assert (code, out) == (0, f"penwright {version('penwright')}\n")


_BOOK_VERBS = (
    *(
        "init",
        "import",
        "session",
        "watch",
        "open",
        "close",
        "advance",
        "complete",
        "pause",
        "resume",
    ),
    *("kill", "status", "log", "doctor", "list", "rollback", "reset", "schedule", "unschedule", "schedules"),
)


@for_each("verb", _BOOK_VERBS)
def test_every_book_verb_teaches_with_an_example_and_knows_json(run: Run, verb: str) -> None:
    code, out, _ = run("book", verb, "--help")

    assert code == 0
    assert f"    penwright book {verb}" in out or f"| penwright book {verb}" in out
    assert "--json" in out or verb == "open"


def _groups(verbs: Verbs, *path: str) -> Iterator[tuple[str, str, str]]:
    """Each verb with a line in a list: its words, that line, and the first line of its own help."""
    for verb, target in verbs.items():
        line = line_of(target)
        module, _, attribute = target.partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            yield " ".join([*path, verb]), line, str(found.info.help).splitlines()[0]
            assert found.info.cls is not None
            assert issubclass(found.info.cls, LazyGroup)
            yield from _groups(found.info.cls.verbs, *path, verb)
        else:
            yield " ".join([*path, verb]), line, str(inspect.getdoc(found)).splitlines()[0]


LISTED = list(_groups(cli.VERBS))


@pytest.mark.parametrize("group", ["book", "manuscript", "cite", "scene", "character", "lore"])
def test_a_help_that_orders_its_verbs_by_purpose_leaves_none_out(run: Run, group: str) -> None:
    ordered, _, listed = run(group, "--help")[1].partition("Commands:")

    verbs = {line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "}
    assert verbs - set(re.findall(r"[\w-]+", ordered)) == set()


@for_each("words, line, own", LISTED)
def test_every_verb_is_listed_with_the_first_line_of_its_help(words: str, line: str, own: str) -> None:
    assert line == own
    assert len(line) <= 80


@for_each("words", [words for words, _, _ in LISTED])
def test_no_help_is_wider_than_a_terminal_but_for_examples(
    run: Run, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    _, out, _ = run(*words.split(), "--help")

    assert [line for line in out.splitlines() if len(line) > 80 and not line.startswith("    ")] == []


@for_each("words", ["", *(words for words, _, _ in LISTED)])
def test_no_line_of_a_help_ends_inside_a_command(
    run: Run, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    _, out, _ = run(*words.split(), "--help")

    assert [line for line in out.splitlines() if line.count("`") % 2] == []


@for_each("words", [words for words, _, _ in LISTED])
def test_no_help_says_a_default_twice(run: Run, words: str) -> None:
    _, out, _ = run(*words.split(), "--help")

    entries = re.split(r"\n {2}(?=\S)", out)
    assert [each for each in entries if "Default:" in each and "[default:" in each] == []


def test_a_ctrl_c_while_the_program_is_loaded_is_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.__import__", interrupted)

    with pytest.raises(SystemExit) as left:
        entry.main()

    monkeypatch.undo()
    assert (left.value.code, capsys.readouterr().err) == (
        130,
        "error[interrupted]: interrupted before anything began\n",
    )


def test_a_ctrl_c_while_a_command_is_loaded_says_that_nothing_was_started(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("gateway.cli.lazy.import_module", interrupted)

    code, _, err = run("book", "session", ".")

    assert (code, err) == (
        130,
        "error[interrupted]: interrupted before anything began; nothing was started\n",
    )
