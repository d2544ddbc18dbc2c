"""The list of verbs, and how quickly it is there."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

import pytest
import typer
from typer.main import get_group

from gateway.cli import program as cli
from tests.support.services import Run

_HEAVY = ("temporalio", "sqlalchemy", "litellm", "pydantic", "ruamel", "rich")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, gateway.cli.program as c\ntry: c.main(['--help'])\nexcept SystemExit: pass\n"
        f"print([m for m in {_HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"
    assert all(verb in done.stdout for verb in cli.VERBS)


def test_the_help_of_book_imports_nothing_heavy_either() -> None:
    heavy = tuple(name for name in _HEAVY if name != "pydantic")  # typer itself reads options with it
    code = (
        "import sys, gateway.cli.program as c\ntry: c.main(['book', '--help'])\nexcept SystemExit: pass\n"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("verb", [verb for verb, (module, _) in cli.VERBS.items() if find_spec(module)])
def test_every_listed_verb_is_registered_by_its_module(verb: str) -> None:
    app = typer.Typer(rich_markup_mode=None)
    import_module(cli.VERBS[verb][0]).register(app)

    assert verb in get_group(app).commands


def test_an_unknown_verb_is_wrong_use(run: Run) -> None:
    code, out, err = run("bok")

    assert (code, out) == (2, "")
    assert "bok" in err


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
        "kill",
    ),
    *("kill", "status", "log", "doctor", "list", "rollback", "reset", "schedule", "unschedule", "schedules"),
)


@pytest.mark.parametrize("verb", _BOOK_VERBS)
def test_every_book_verb_teaches_with_an_example_and_knows_json(run: Run, verb: str) -> None:
    code, out, _ = run("book", verb, "--help")

    assert code == 0
    assert f"    penwright book {verb}" in out or f"| penwright book {verb}" in out
    assert "--json" in out or verb == "open"
